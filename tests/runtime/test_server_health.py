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
    found = health(silence=40.0)
    assert found.quiet + found.patience == 40.0
    assert found.quiet == pytest.approx(32.0)


def test_the_first_question_comes_with_the_first_stream_that_lasts():
    assert health().ask_at(opened=10.0, heard=10.0) == 11.0


def test_a_bookmark_a_minute_makes_it_one_question_a_minute():
    """A server that tells nothing else: what is asked, and when, in ten minutes."""
    found, asked, heard = health(), [], 0.0
    for bookmark in range(60, 660, 60):
        while (now := found.ask_at(0.0, heard)) < bookmark:
            found.answered(now, is_new=not asked)
            asked.append(now)
        heard = float(bookmark)
    assert len(asked) <= 11


def test_a_server_that_tells_nothing_at_all_is_asked_after_each_silence():
    found, now = health(), 0.0
    for _ in range(10):
        before, now = now, found.ask_at(0.0, 0.0)
        found.answered(now, is_new=before == 0)
        assert now - before == pytest.approx(1.0 if not before else found.quiet)


def test_where_much_is_heard_the_connection_is_only_kept_warm():
    found = health()
    found.answered(1.0, is_new=True)
    assert found.ask_at(0.0, heard=55.0) == 61.0
    assert found.kept_since == 1.0


def test_without_an_answer_the_server_is_down_if_all_streams_are_silent():
    found = health()
    found.unanswered(50.0, is_silent=False)
    assert not found.is_down
    assert found.check_at() is None
    assert found.ask_at(0.0, heard=50.0) == 50.0 + found.quiet  # not again at once
    assert found.ask_at(0.0, heard=60.0) == 50.0 + found.quiet
    found.unanswered(90.0, is_silent=True)
    assert found.is_down
    assert found.check_at() == 91.25


def test_streams_are_opened_anew_no_more_often_than_every_two_minutes():
    found = health()
    moments = [now for now in range(0, 300, 10) if found.renews(float(now))]
    assert moments == [0, 120, 240]


def test_a_failure_alone_is_no_outage():
    found = health()
    assert found.check_at() is None
    found.suspect(10.0)
    assert found.check_at() == 11.25
    assert not found.checked(11.25, is_ready=True)
    assert (found.check_at(), found.outages) == (None, 0)


def test_after_an_outage_of_any_length_it_is_found_within_seconds_once():
    """However long nothing answered; the waits of many are cut short, and spread."""
    for lasts in (3.0, 90.0, 3600.0):
        found, now, looks = health(), 0.0, 0
        found.suspect(now)
        while not found.checked(now := found.check_at() or 0.0, is_ready=now >= lasts):
            found.suspect(now)  # all who fail meanwhile
            looks += 1
            assert found.is_down
        assert now - lasts < 1.5
        assert looks <= lasts
        assert found.outages == 1
        assert found.check_at() is None
    spread = Health(0.0, random=iter([0.0, 0.5, 1.0]).__next__)
    assert [spread.return_after() for _ in range(3)] == [0.0, 0.5, 1.0]


def test_the_connection_that_says_so_is_the_one_that_is_kept():
    found = health()
    found.unanswered(50.0, is_silent=True)
    assert found.checked(60.0, is_ready=True)
    assert found.kept_since == 60.0
    assert found.ask_at(61.0, heard=61.0) == 61.0 + found.quiet


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
def test_what_may_be_an_outage(error, counts):
    assert is_outage(error) is counts


def test_a_connection_that_never_came_about_delays_nothing():
    """The server fell silent as soon as the stream was open: what was asked first says nothing."""
    found = health()
    found.unanswered(1.0 + found.patience, is_silent=False)
    assert found.ask_at(0.0, heard=0.0) == found.quiet
    found.unanswered(found.quiet + found.patience, is_silent=True)
    assert found.is_down


def test_where_much_is_heard_and_nothing_answered_it_is_not_asked_all_the_time():
    found, asked, now = health(), 0, 0.0
    while now < 600.0:
        now = found.ask_at(0.0, heard=now)
        found.unanswered(now, is_silent=False)
        asked += 1
    assert asked < 25


def test_a_server_that_answers_is_not_mute_though_it_may_not_be_ready():
    found = health()
    found.unanswered(50.0, is_silent=True)
    assert not found.answers
    found.answers = True
    found.checked(52.0, is_ready=False)
    assert found.is_down
    assert found.answers
    found.checked(54.0, is_ready=True)
    found.checked(90.0, is_ready=False)  # the next outage
    assert not found.answers
