"""Lines, and how far a watch is."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from clientgen.runtime import errors
from clientgen.runtime._http.line_decoder import LineSplitter
from clientgen.runtime._http.watch_progress import WatchProgress
from clientgen.runtime._models.meta_v1 import (
    ObjectMeta,
    PartialObjectMetadata,
    Status,
    StatusDetails,
)
from clientgen.runtime._models.model_codec import WatchEvent
from clientgen.runtime.errors import RequestInfo

REQUEST = RequestInfo("GET", "/api/v1/pods")
LOST = errors.ConnectionLost("lost")


@given(some.binary(max_size=60), some.lists(some.integers(0, 60), max_size=8))
def test_lines_do_not_depend_on_where_bytes_are_cut(data, cuts):
    data = data.replace(b"\x01", b"\n")
    splitter = LineSplitter()
    lines: list[bytes] = []
    bounds = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for start, end in pairwise(bounds):
        lines += splitter.feed(data[start:end])
    assert [*lines, splitter.finish()] == data.split(b"\n")
    assert splitter.finish() == b""


def event(kind: str, version: str, **annotations: str) -> WatchEvent[Any]:
    metadata = ObjectMeta(resource_version=version, annotations=annotations)
    return WatchEvent(kind, PartialObjectMetadata(metadata=metadata))


def progress(**options: Any) -> WatchProgress:
    made = WatchProgress(options, REQUEST, random=lambda: 0.0)
    made.next_stream(0.0)
    made.opened(0.0)
    return made


def test_a_version_that_was_given_is_known():
    watch = progress(resource_version="5")
    assert watch.take(event("ADDED", "6"))
    assert watch.version == "6"


@pytest.mark.parametrize("options", [{}, {"resource_version": "0"}, {"resource_version": ""}])
def test_synthetic_events_teach_no_version(options):
    watch = progress(**options)
    start = watch.version
    watch.take(event("ADDED", "9"))
    watch.take(event("ADDED", "3"))
    assert watch.version == start
    watch.take(event("MODIFIED", "10"))
    assert watch.version == "10"
    watch.take(event("ADDED", "11"))
    assert watch.version == "11"


def test_an_event_without_a_version_changes_nothing():
    watch = progress(resource_version="5")
    watch.take(event("MODIFIED", ""))
    assert watch.version == "5"


def test_each_stream_lasts_five_to_ten_minutes():
    for number, seconds in ((0.0, 300), (0.999, 599)):
        watch = WatchProgress({}, REQUEST, random=lambda number=number: number)
        options, silence = watch.next_stream(0.0)
        assert options["timeout_seconds"] == seconds
        assert silence == seconds + 30


def test_a_resumed_watch_asks_for_the_remaining_timeout():
    watch = progress(timeout_seconds=100, resource_version="5")
    assert watch.ended(None, 40.0) == 0.0
    options, _ = watch.next_stream(40.5)
    assert options["timeout_seconds"] == 60
    assert options["resource_version"] == "5"
    assert watch.ended(LOST, 99.9) is None
    assert watch.ended(None, 101.0) is None


def test_a_stream_that_lived_is_followed_at_once():
    watch = progress(resource_version="5")
    watch.take(event("ADDED", "6"))
    assert watch.ended(None, 0.1) == 0.0
    watch.next_stream(0.1)
    watch.opened(0.1)
    assert watch.ended(None, 10.0) == 0.0


def test_streams_that_die_young_are_followed_more_and_more_slowly():
    watch = progress(resource_version="5")
    delays = []
    for _ in range(7):
        delays.append(watch.ended(None, 0.1))
        watch.next_stream(0.0)
        watch.opened(0.0)
    assert delays == [0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0]


def test_connections_that_cannot_be_opened_again_are_tried_more_and_more_slowly():
    watch = progress(resource_version="5")
    watch.take(event("ADDED", "6"))
    refused = errors.ConnectionFailed("refused")
    assert watch.ended(LOST, 1000.0) == 0.8
    watch.next_stream(1001.0)
    assert watch.ended(refused, 2000.0) == 1.6
    watch.next_stream(2001.0)
    assert watch.ended(refused, 3000.0) == 3.2


def test_the_server_may_ask_for_a_longer_wait():
    watch = progress(resource_version="5")
    details = StatusDetails(retry_after_seconds=9)
    busy = errors.TooManyRequests(Status(code=429, details=details))
    assert watch.ended(busy, 0.0) == 9.0


@pytest.mark.parametrize(
    "error",
    [
        errors.Expired(Status(code=410)),
        errors.Forbidden(Status(code=403)),
        errors.NotFound(Status(code=404)),
        errors.RequestTimeout("late"),
    ],
)
def test_permanent_errors_are_raised(error):
    with pytest.raises(type(error)):
        progress(resource_version="5").ended(error, 0.0)


def test_the_first_connection_has_to_succeed():
    watch = WatchProgress({"resource_version": "5"}, REQUEST)
    watch.next_stream(0.0)
    with pytest.raises(errors.ConnectionLost):
        watch.ended(LOST, 0.0)


def test_without_a_version_a_broken_connection_is_an_error():
    watch = progress()
    with pytest.raises(errors.ConnectionLost):
        watch.ended(LOST, 0.0)
    watch.take(event("ADDED", "5"))
    with pytest.raises(errors.ConnectionLost, match="resource version to resume from"):
        watch.ended(None, 0.0)


def test_an_error_event_is_an_error():
    with pytest.raises(errors.Expired, match="GET /api/v1/pods: too old"):
        progress().take(WatchEvent("ERROR", Status(code=410, reason="Expired", message="too old")))


def test_initial_events_come_with_the_only_match_there_is():
    asked, _ = progress(send_initial_events=True).next_stream(0.0)
    assert asked["resource_version_match"] == "NotOlderThan"


def test_a_server_that_says_the_same_again_and_again_is_not_hammered():
    watch = progress(resource_version="5")
    delays: list[float | None] = []
    for _ in range(3):
        watch.next_stream(0.0)
        watch.opened(0.0)
        watch.take(event("MODIFIED", "6"))
        delays.append(watch.ended(None, 0.0))
    assert delays[0] == 0.0
    assert all(delay and delay >= 0.8 for delay in delays[1:])
