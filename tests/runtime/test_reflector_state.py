"""What a reflector does next: every transition of its state machine."""

from __future__ import annotations

from errno import ECONNREFUSED
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from clientgen.runtime import errors
from clientgen.runtime._cache.reflector_state import (
    Listing,
    Pause,
    ReflectorBackoff,
    ReflectorState,
    Step,
    StreamAction,
    Streaming,
    is_too_large,
)
from clientgen.runtime._models.meta_v1 import (
    ObjectMeta,
    PartialObjectMetadata,
    Status,
    StatusCause,
    StatusDetails,
)
from clientgen.runtime._models.model_codec import DecodeError, WatchEvent
from clientgen.runtime.errors import RequestInfo, api_error

END = "k8s.io/initial-events-end"


def status(code: int, reason: str = "", message: str = "no", **details: Any) -> errors.ApiError:
    status_details = StatusDetails(**details) if details else None
    return api_error(
        Status(status="Failure", code=code, reason=reason, message=message, details=status_details)
    )


def refused() -> errors.ConnectionFailed:
    error = errors.ConnectionFailed("cannot connect")
    error.__cause__ = OSError(ECONNREFUSED, "Connection refused")
    return error


TOO_LARGE = status(
    504, "Timeout", causes=[StatusCause(reason="ResourceVersionTooLarge")], retry_after_seconds=1
)
TOO_LARGE_OF_OLD_SERVERS = status(
    504, "Timeout", "Timeout: Too large resource version: 9, current: 3"
)
EXPIRED = status(410, "Expired")
GONE = status(410, "Gone")
BUSY = status(429, "TooManyRequests")
BUSY_FOR_LONG = status(429, "TooManyRequests", retry_after_seconds=17)
FORBIDDEN = status(403, "Forbidden")
UNAUTHORIZED = status(401, "Unauthorized")
FAILING = status(500, "InternalError")
INVALID = status(422, "Invalid")
LOST = errors.ConnectionLost("lost")
UNREACHABLE = errors.ConnectionFailed("no such host")
GARBAGE = DecodeError("not JSON")
MISTAKE = RuntimeError("closed")

UNUSABLE = [EXPIRED, GONE, TOO_LARGE, TOO_LARGE_OF_OLD_SERVERS]
# What no one expects to go away by asking at once again.
OTHER = [FORBIDDEN, UNAUTHORIZED, FAILING, INVALID, UNREACHABLE, GARBAGE, MISTAKE]


def event(kind: str, version: str = "", **annotations: str) -> WatchEvent[Any]:
    metadata = ObjectMeta(name="a", resource_version=version, annotations=annotations)
    return WatchEvent(kind, PartialObjectMetadata(metadata=metadata))


def complete(version: str) -> WatchEvent[Any]:
    return event("BOOKMARK", version, **{END: "true"})


def machine(**options: Any) -> ReflectorState:
    return ReflectorState({"label_selector": "app=web"}, 0.0, random=lambda: 0.0, **options)


def streaming(version: str = "7") -> ReflectorState:
    """One whose first stream is live, opened at 0."""
    made = machine()
    made.begin()
    made.opened(0.0)
    assert made.take(complete(version)) is StreamAction.COMPLETE
    return made


def watching(version: str = "7") -> ReflectorState:
    """One that watches over a second stream, not opened yet."""
    made = streaming(version)
    assert isinstance(made.stream_ended(None, 300.0), Streaming)
    return made


# ---- what is asked for ------------------------------------------------------------------------


def test_a_pass_begins_with_a_stream_of_everything():
    step = machine().begin()
    assert step == Streaming(
        {
            "label_selector": "app=web",
            "watch": True,
            "allow_watch_bookmarks": True,
            "send_initial_events": True,
            "resource_version_match": "NotOlderThan",
            "resource_version": "",
            "timeout_seconds": 300,
        },
        330.0,
        initial=True,
    )


def test_streams_last_five_to_ten_minutes():
    step = ReflectorState({}, 0.0, random=lambda: 0.999).begin()
    assert isinstance(step, Streaming)
    assert (step.options["timeout_seconds"], step.read_timeout) == (599, 629.0)


def test_without_streams_of_everything_the_first_list_takes_any_state():
    step = machine(watch_list=False).begin()
    assert step == Listing({"label_selector": "app=web", "resource_version": "0", "limit": 500})


def test_a_list_is_followed_by_a_watch_from_its_version():
    made = machine(watch_list=False)
    step = made.begin()
    assert isinstance(step, Listing)
    after = made.listed(step, "12", 1)
    assert made.version == "12"
    assert isinstance(after, Streaming)
    assert not after.initial
    assert after.options == {
        "label_selector": "app=web",
        "watch": True,
        "allow_watch_bookmarks": True,
        "resource_version": "12",
        "timeout_seconds": 300,
    }


def test_later_lists_ask_for_nothing_older_and_without_pages():
    made = watching()
    assert isinstance(made.stream_ended(EXPIRED, 301.0), Pause)
    first = made.begin()
    assert isinstance(first, Streaming)
    assert (first.initial, first.options["resource_version"]) == (True, "7")
    step = made.stream_ended(FAILING, 302.0)
    assert step == Listing({"label_selector": "app=web", "resource_version": "7"})


def test_servers_that_give_pages_of_any_state_are_asked_for_pages_later():
    made = machine(watch_list=False)
    step = made.begin()
    assert isinstance(step, Listing)
    made.listed(step, "12", 3)
    made.stream_ended(FAILING, 1.0)
    assert made.begin() == Listing(
        {
            "label_selector": "app=web",
            "resource_version": "12",
            "limit": 500,
            "resource_version_match": "NotOlderThan",
        }
    )


def test_pages_of_the_most_recent_state_teach_nothing():
    made = machine(watch_list=False)
    step = made.begin()
    step = made.list_failed(EXPIRED, 0.0)
    assert isinstance(step, Listing)
    made.listed(step, "12", 3)
    made.stream_ended(FAILING, 1.0)
    assert made.begin() == Listing({"label_selector": "app=web", "resource_version": "12"})


# ---- streams of everything --------------------------------------------------------------------


def test_the_initial_events_are_collected_until_the_bookmark_that_says_so():
    made = machine()
    made.begin()
    made.opened(0.0)
    taken = [
        made.take(each)
        for each in (
            event("ADDED", "9"),
            event("ADDED", "3"),
            event("MODIFIED", "10"),
            event("DELETED", "11"),
            event("BOOKMARK", "11"),
            event("NONSENSE", "11"),
            complete("12"),
            event("ADDED", "13"),
        )
    ]
    assert taken == [
        *[StreamAction.COLLECT] * 4,
        StreamAction.IGNORE,
        StreamAction.IGNORE,
        StreamAction.COMPLETE,
        StreamAction.APPLY,
    ]
    assert made.version == "13"


def test_versions_of_collected_events_are_not_resumed_from():
    made = machine()
    made.begin()
    made.opened(0.0)
    made.take(event("ADDED", "9"))
    assert made.version == ""


@pytest.mark.parametrize("error", [*OTHER, LOST])
def test_a_refused_stream_of_initial_events_falls_back_to_a_list(error):
    made = machine()
    made.begin()
    assert isinstance(made.stream_ended(error, 0.0), Listing)


@pytest.mark.parametrize("error", [*(each for each in OTHER if each is not UNREACHABLE)])
def test_an_error_within_it_leads_to_a_list(error):
    made = machine()
    made.begin()
    made.opened(0.0)
    made.take(event("ADDED", "1"))
    assert isinstance(made.stream_ended(error, 9.0), Listing)


@pytest.mark.parametrize("error", [refused(), BUSY])
def test_watch_list_is_tried_again_after_a_pause_without_an_answer(error):
    made = machine()
    made.begin()
    assert made.stream_ended(error, 0.0) == Pause(0.8, error)
    again = made.begin()
    assert isinstance(again, Streaming)
    assert again.initial


@pytest.mark.parametrize("error", UNUSABLE)
def test_a_version_that_cannot_be_used_is_left_out_at_once(error):
    made = watching()
    made.stream_ended(EXPIRED, 301.0)
    made.begin()
    again = made.stream_ended(error, 302.0)
    assert isinstance(again, Streaming)
    assert (again.initial, again.options["resource_version"]) == (True, "")


@pytest.mark.parametrize("error", UNUSABLE)
def test_refusing_no_version_at_all_leads_to_a_list_of_the_most_recent_state(error):
    made = machine()
    made.begin()
    made.stream_ended(error, 0.0)
    step = made.stream_ended(error, 0.0)
    assert step == Listing({"label_selector": "app=web", "resource_version": "", "limit": 500})
    # And refusing that ends the pass, it does not go round in circles.
    assert made.list_failed(error, 0.0) == Pause(
        max(0.8, error.retry_after or 0), error, failed=True
    )


@pytest.mark.parametrize("error", [None, LOST])
def test_a_stream_that_told_nothing_and_ended_at_once_leads_to_a_list(error):
    made = machine()
    made.begin()
    made.opened(5.0)
    assert isinstance(made.stream_ended(error, 5.9), Listing)


@pytest.mark.parametrize("error", [None, LOST])
def test_a_stream_that_breaks_half_way_is_repeated_at_once_only_once(error):
    made = machine()
    made.begin()
    for again in (made._stream_initial(), Pause(0.8, error), Pause(1.6, error)):
        made.opened(0.0)
        made.take(event("ADDED", "1"))
        assert made.stream_ended(error, 0.1) == again
        if isinstance(again, Pause):
            made.begin()


def test_a_stream_that_breaks_half_way_may_be_repeated_in_the_next_pass_too():
    made = machine()
    made.begin()
    made.opened(0.0)
    made.take(event("ADDED", "1"))
    made.stream_ended(LOST, 0.1)
    made.stream_ended(FAILING, 0.2)
    made.list_failed(FAILING, 0.3)
    made.begin()
    made.opened(1.0)
    made.take(event("ADDED", "1"))
    assert isinstance(made.stream_ended(LOST, 1.1), Streaming)


# ---- lists ------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", UNUSABLE)
def test_a_list_of_a_version_that_cannot_be_used_asks_for_the_most_recent_state(error):
    made = machine(watch_list=False)
    made.begin()
    assert made.list_failed(error, 0.0) == Listing(
        {"label_selector": "app=web", "resource_version": "", "limit": 500}
    )


@pytest.mark.parametrize("error", [*OTHER, LOST, BUSY, refused()])
def test_a_list_that_fails_ends_the_pass(error):
    made = machine()
    made.begin()
    made.stream_ended(FAILING, 0.0)
    assert made.list_failed(error, 0.0) == Pause(0.8, error, failed=True)
    again = made.begin()
    assert isinstance(again, Streaming)
    assert again.initial


def test_a_list_makes_versions_usable_again():
    made = machine(watch_list=False)
    made.begin()
    step = made.list_failed(EXPIRED, 0.0)
    assert isinstance(step, Listing)
    made.listed(step, "40", 1)
    made.stream_ended(FAILING, 2.0)
    assert made.begin().options["resource_version"] == "40"


# ---- watches ----------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [None, LOST])
def test_a_watch_that_ends_or_breaks_goes_on_at_once_from_the_last_version(error):
    made = watching()
    made.opened(300.0)
    for each in ("ADDED", "MODIFIED", "DELETED", "BOOKMARK"):
        assert made.take(event(each, "8")) is StreamAction.APPLY
    made.take(event("BOOKMARK", "15"))
    after = made.stream_ended(error, 300.1)
    assert isinstance(after, Streaming)
    assert (after.initial, after.options["resource_version"]) == (False, "15")


@pytest.mark.parametrize("error", [None, LOST])
def test_a_long_silence_is_no_reason_for_a_pause(error):
    made = watching()
    made.opened(300.0)
    assert isinstance(made.stream_ended(error, 301.0), Streaming)


@pytest.mark.parametrize("error", [None, LOST])
def test_a_watch_that_told_nothing_and_ended_at_once_ends_the_pass(error):
    made = watching()
    made.opened(300.0)
    assert made.stream_ended(error, 300.9) == Pause(0.8, error)
    assert made.begin().initial


def test_hearing_the_same_again_is_being_told_nothing():
    made = watching()
    made.opened(300.0)
    made.take(event("BOOKMARK", "7"))
    made.take(event("MODIFIED", "7"))
    assert made.stream_ended(None, 300.1) == Pause(0.8)


@pytest.mark.parametrize("error", [refused(), BUSY])
def test_a_watch_is_asked_for_again_after_a_pause_where_nobody_answers(error):
    made = watching()
    assert made.stream_ended(error, 300.0) == Pause(0.8, error)
    again = made.begin()
    assert isinstance(again, Streaming)
    assert (again.initial, again.options["resource_version"]) == (False, "7")


@pytest.mark.parametrize("error", [*OTHER, *UNUSABLE, LOST])
def test_a_watch_that_cannot_be_opened_ends_the_pass(error):
    made = watching()
    asked = getattr(error, "retry_after", None) or 0
    assert made.stream_ended(error, 300.0) == Pause(max(0.8, asked), error, failed=True)
    assert made.begin().initial


@pytest.mark.parametrize("error", [EXPIRED, FAILING, GARBAGE, MISTAKE])
def test_an_error_within_a_watch_ends_the_pass_and_is_told_nobody(error):
    made = watching()
    made.opened(300.0)
    made.take(event("MODIFIED", "9"))
    assert made.stream_ended(error, 390.0) == Pause(0.8, error, failed=False)
    again = made.begin()
    # Not older than the last version: the server has it, only not all since.
    assert (again.initial, again.options["resource_version"]) == (True, "9")


def test_a_watch_that_is_too_much_goes_on_after_a_pause():
    made = watching()
    made.opened(300.0)
    made.take(event("MODIFIED", "9"))
    assert made.stream_ended(BUSY, 390.0) == Pause(0.8, BUSY)
    again = made.begin()
    assert (again.initial, again.options["resource_version"]) == (False, "9")


def test_the_server_says_how_long_to_wait():
    made = watching()
    assert made.stream_ended(BUSY_FOR_LONG, 300.0) == Pause(17.0, BUSY_FOR_LONG)


def test_an_error_event_is_raised_with_its_request():
    made = watching()
    bad = WatchEvent("ERROR", Status(status="Failure", code=410, reason="Expired", message="old"))
    with pytest.raises(errors.Expired, match="GET /api/v1/pods: old"):
        made.take(bad, RequestInfo("GET", "/api/v1/pods"))


def test_an_event_without_a_version_is_no_place_to_resume_from():
    made = watching()
    made.opened(300.0)
    assert made.take(event("MODIFIED", "")) is StreamAction.APPLY
    assert made.take(event("NONSENSE", "8")) is StreamAction.IGNORE
    assert made.version == "8"


def test_the_first_objects_of_a_watch_from_any_version_are_in_no_order():
    made = machine(watch_list=False)
    step = made.begin()
    assert isinstance(step, Listing)
    made.listed(step, "", 1)
    made.opened(0.0)
    made.take(event("ADDED", "9"))
    assert made.version == ""
    made.take(event("BOOKMARK", "8"))
    made.take(event("ADDED", "10"))
    assert made.version == "10"


# ---- pauses -----------------------------------------------------------------------------------


def test_pauses_double_up_to_half_a_minute():
    backoff = ReflectorBackoff(0.0, lambda: 0.0)
    delays = [backoff.delay(0.0) for _ in range(8)]
    assert delays == [0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0, 30.0]


def test_pauses_are_up_to_twice_as_long():
    backoff = ReflectorBackoff(0.0, lambda: 0.75)
    assert [backoff.delay(0.0) for _ in range(2)] == pytest.approx([1.4, 2.8])


def test_pauses_start_anew_two_minutes_after_they_last_did():
    backoff = ReflectorBackoff(0.0, lambda: 0.0)
    backoff.delay(0.0)
    backoff.delay(100.0)
    assert backoff.delay(120.0) == 3.2
    assert backoff.delay(120.1) == 0.8
    assert backoff.delay(240.1) == 1.6
    assert backoff.delay(240.2) == 0.8


# ---- no circles -------------------------------------------------------------------------------

STEPS = some.lists(
    some.tuples(
        some.sampled_from([*UNUSABLE, *OTHER, LOST, BUSY, refused(), None]),
        some.sampled_from([None, "", "1", "2", "complete"]),
        some.floats(0.0, 0.9),
    ),
    min_size=1,
    max_size=60,
)


@given(STEPS)
def test_failures_of_any_kind_cause_few_requests(course):
    """Between two pauses there are at most five requests that do not bring anything new."""
    made, now, version, requests = machine(), 0.0, 0, 0
    step = made.begin()
    for error, told, lasted in course:
        if isinstance(step, Pause):
            now += step.seconds
            requests = 0
            step = made.begin()
        requests += 1
        assert requests <= 5
        if isinstance(step, Listing):
            version += 1
            # A list that works is something new.
            requests = requests if error else 0
            step = made.list_failed(error, now) if error else made.listed(step, str(version), 1)
            continue
        if told is not None:
            made.opened(now)
        if told == "complete" and step.initial:
            version += 1
            made.take(complete(str(version)))
            requests = 0
        elif told:
            made.take(event("ADDED", "0"))
        now += lasted
        step = made.stream_ended(error, now)


@pytest.mark.parametrize("error", [*UNUSABLE])
def test_versions_that_are_too_large_are_told_apart(error):
    assert is_too_large(error) == (error in {TOO_LARGE, TOO_LARGE_OF_OLD_SERVERS})
    assert not is_too_large(status(504, "Timeout"))
    assert not is_too_large(None)


# ---- outages ----------------------------------------------------------------------------------


def after_outage(seconds: float) -> tuple[ReflectorState, float]:
    """One that watched when the server went away for so long, and what the time is."""
    made, now = watching(), 300.0
    while now < 300.0 + seconds:
        step = made.stream_ended(refused(), now)
        assert isinstance(step, Pause)
        now += step.seconds
        assert isinstance(made.begin(), Streaming)
    return made, now


@pytest.mark.parametrize("error", [EXPIRED, FORBIDDEN])
def test_refusals_after_an_outage_start_with_short_pauses(error):
    made, now = after_outage(90.0)
    made.opened(now)
    if error is EXPIRED:
        with pytest.raises(errors.Expired):
            made.take(WatchEvent("ERROR", EXPIRED.status))
    step = made.stream_ended(error, now)
    assert isinstance(step, Pause)
    assert step.seconds == pytest.approx(0.8)


def test_a_server_that_accepts_watches_and_breaks_them_off_is_waited_for_longer_and_longer():
    made, pauses = watching(), []
    step: Step = Streaming({}, 0.0)
    for now in range(300, 332, 4):
        made.opened(float(now))
        step = made.stream_ended(LOST, float(now))
        if isinstance(step, Listing):
            step = made.listed(step, "7", 1)
        if isinstance(step, Pause):
            pauses.append(step.seconds)
            made.begin()
    assert pauses == pytest.approx([0.8, 1.6, 3.2, 6.4])


def test_a_recovered_server_resets_the_pauses():
    made, now = after_outage(90.0)
    made.stream_ended(refused(), now)
    step = made.recovered(now)
    assert isinstance(step, Streaming)
    assert step.options["resource_version"] == "7"
    again = made.stream_ended(refused(), now)
    assert isinstance(again, Pause)
    assert again.seconds == pytest.approx(0.8)
