"""When a server is asked whether it is there, and what follows from that; time is a number."""

from __future__ import annotations

import pytest

from clientgen.runtime._http.server_health import Health, is_outage
from clientgen.runtime._models.meta_v1 import Status
from clientgen.runtime.errors import (
    ConnectionFailed,
    ConnectionLost,
    Forbidden,
    InternalError,
    RequestTimeout,
    ServiceUnavailable,
)


def health(**options: float) -> Health:
    return Health(0.0, random=lambda: 0.5, **options)


def test_silence_and_the_wait_for_an_answer_make_the_whole():
    state = health(silence=40.0)
    assert state.quiet + state.patience == 40.0
    assert state.quiet == pytest.approx(32.0)


def test_the_first_question_comes_with_the_first_stream_that_lasts():
    assert health().next_probe_at(opened=10.0, last_data_at=10.0) == 11.0


def test_a_bookmark_a_minute_makes_it_one_question_a_minute():
    """A server that tells nothing else: what is asked, and when, in ten minutes."""
    state, asked, heard = health(), [], 0.0
    for bookmark in range(60, 660, 60):
        while (now := state.next_probe_at(0.0, heard)) < bookmark:
            state.note_response(now, is_new=not asked)
            asked.append(now)
        heard = float(bookmark)
    assert len(asked) <= 11


def test_a_server_that_tells_nothing_at_all_is_asked_after_each_silence():
    state, now = health(), 0.0
    for _ in range(10):
        before, now = now, state.next_probe_at(0.0, 0.0)
        state.note_response(now, is_new=before == 0)
        assert now - before == pytest.approx(1.0 if not before else state.quiet)


def test_a_busy_connection_is_only_kept_warm():
    state = health()
    state.note_response(1.0, is_new=True)
    assert state.next_probe_at(0.0, last_data_at=55.0) == 61.0
    assert state.kept_since == 1.0


def test_without_an_answer_the_server_is_down_if_all_streams_are_silent():
    state = health()
    state.note_no_response(50.0, is_silent=False)
    assert not state.is_down
    assert state.check_at() is None
    assert state.next_probe_at(0.0, last_data_at=50.0) == 50.0 + state.quiet  # not again at once
    assert state.next_probe_at(0.0, last_data_at=60.0) == 50.0 + state.quiet
    state.note_no_response(90.0, is_silent=True)
    assert state.is_down
    assert state.check_at() == 91.25


def test_streams_are_opened_anew_no_more_often_than_every_two_minutes():
    state = health()
    moments = [now for now in range(0, 300, 10) if state.should_renew_streams(float(now))]
    assert moments == [0, 120, 240]


def test_a_failure_alone_is_no_outage():
    state = health()
    assert state.check_at() is None
    state.suspect(10.0)
    assert state.check_at() == 11.25
    assert not state.note_check(11.25, is_ready=True)
    assert (state.check_at(), state.outages) == (None, 0)


def test_after_an_outage_of_any_length_it_is_found_within_seconds_once():
    """However long nothing answered; the waits of many are cut short, and spread."""
    for lasts in (3.0, 90.0, 3600.0):
        state, now, looks = health(), 0.0, 0
        state.suspect(now)
        while not state.note_check(now := state.check_at() or 0.0, is_ready=now >= lasts):
            state.suspect(now)  # all who fail meanwhile
            looks += 1
            assert state.is_down
        assert now - lasts < 1.5
        assert looks <= lasts
        assert state.outages == 1
        assert state.check_at() is None
    spread = Health(0.0, random=iter([0.0, 0.5, 1.0]).__next__)
    assert [spread.return_after() for _ in range(3)] == [0.0, 0.5, 1.0]


def test_the_connection_that_says_so_is_the_one_that_is_kept():
    state = health()
    state.note_no_response(50.0, is_silent=True)
    assert state.note_check(60.0, is_ready=True)
    assert state.kept_since == 60.0
    assert state.next_probe_at(61.0, last_data_at=61.0) == 61.0 + state.quiet


@pytest.mark.parametrize(
    ("error", "counts"),
    [
        (ConnectionFailed(""), True),
        (ConnectionLost(""), True),
        (RequestTimeout(""), True),
        (InternalError(Status(code=500)), True),
        (ServiceUnavailable(Status(code=503)), True),
        (Forbidden(Status(code=403)), False),
        (ValueError(), False),
        (None, False),
    ],
)
def test_errors_that_may_be_an_outage(error, counts):
    assert is_outage(error) is counts


def test_a_connection_that_never_came_about_delays_nothing():
    """The server fell silent as soon as the stream was open: what was asked first says nothing."""
    state = health()
    state.note_no_response(1.0 + state.patience, is_silent=False)
    assert state.next_probe_at(0.0, last_data_at=0.0) == state.quiet
    state.note_no_response(state.quiet + state.patience, is_silent=True)
    assert state.is_down


def test_a_busy_but_unanswering_server_is_not_asked_continuously():
    state, asked, now = health(), 0, 0.0
    while now < 600.0:
        now = state.next_probe_at(0.0, last_data_at=now)
        state.note_no_response(now, is_silent=False)
        asked += 1
    assert asked < 25


def test_a_server_that_answers_is_not_mute_though_it_may_not_be_ready():
    state = health()
    state.note_no_response(50.0, is_silent=True)
    assert not state.answers
    state.answers = True
    state.note_check(52.0, is_ready=False)
    assert state.is_down
    assert state.answers
    state.note_check(54.0, is_ready=True)
    state.note_check(90.0, is_ready=False)  # the next outage
    assert not state.answers
