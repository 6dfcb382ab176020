"""When to try again."""

from __future__ import annotations

import pytest

from clientgen.runtime._http.retry import Backoff, ConflictRetry, Retry, TokenBucket, annotate
from clientgen.runtime._models.meta_v1 import Status
from clientgen.runtime.errors import (
    ApplyConflict,
    Conflict,
    ConnectionFailed,
    ConnectionLost,
    ResponseBroken,
)

LOST = ConnectionLost("lost")


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_the_server_decides_for_every_verb(method):
    assert Retry(method).after_response(429, 3, now=0.0) == 3.0
    assert Retry(method).after_response(500, 0, now=0.0) == 0.0
    assert Retry(method).after_response(503, 1, now=0.0) == 1.0
    assert Retry(method).after_response(503, None, now=0.0) is None
    assert Retry(method).after_response(404, 1, now=0.0) is None


def test_a_lost_connection_is_tried_again_for_gets_only():
    assert Retry("GET").after_error(LOST, now=0.0) == 1.0
    assert Retry("POST").after_error(LOST, now=0.0) is None
    assert Retry("GET").after_error(ConnectionFailed("refused"), now=0.0) is None
    assert Retry("GET").after_error(ResponseBroken("garbage"), now=0.0) is None


def test_there_are_ten_retries_in_all():
    retry = Retry("GET")
    given = [
        retry.after_error(LOST, 0.0) if n % 2 else retry.after_response(429, 1, 0.0)
        for n in range(11)
    ]
    assert given == [1.0] * 10 + [None]
    assert retry.count == 10
    assert Retry("GET", max_retries=0).after_error(LOST, 0.0) is None


def test_nothing_is_tried_past_the_deadline():
    assert Retry("GET", deadline=10.0).after_response(429, 5, now=5.0) is None
    assert Retry("GET", deadline=10.0).after_response(429, 5, now=4.9) == 5.0


def test_the_last_error_speaks_of_those_before():
    error = ConnectionLost("b")
    assert annotate(error, 0, None) is error
    assert not hasattr(error, "__notes__")
    annotate(error, 1, ConnectionLost("b"))
    annotate(error, 2, ConnectionLost("a"))
    assert error.__notes__ == [
        "gave up after 1 retry",
        "gave up after 2 retries; the error before: a",
    ]


def test_backoffs_grow_to_their_cap():
    backoff = Backoff(0.8, random=lambda: 0.5)
    delays = [backoff.delay() for _ in range(8)]
    assert delays == [
        pytest.approx(1.5 * each) for each in (0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30)
    ]
    backoff.reset()
    assert backoff.delay() == pytest.approx(1.2)
    assert 1.0 <= Backoff(1.0).delay() <= 2.0


def test_conflicts_are_tried_until_a_deadline_after_growing_pauses():
    conflict = Conflict(Status())
    retry = ConflictRetry(10.0, random=lambda: 1.0)
    delays = [retry.after(conflict, 0.0) for _ in range(8)]
    assert delays == [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.5, 0.5]
    assert retry.count == 8
    assert retry.after(conflict, 9.4) == 0.5
    assert retry.after(conflict, 9.5) is None
    assert retry.count == 9
    assert ConflictRetry(10.0, random=lambda: 0.0).after(conflict, 9.9) == 0.0
    assert ConflictRetry(10.0).after(ApplyConflict(Status()), 0.0) is None


def test_a_bucket_gives_a_burst_and_then_a_rate():
    bucket = TokenBucket(qps=2.0, burst=3)
    assert [bucket.reserve(0.0) for _ in range(5)] == [0.0, 0.0, 0.0, 0.5, 1.0]
    assert bucket.reserve(1.0) == 0.5
    assert bucket.reserve(100.0) == 0.0
    assert [bucket.reserve(100.0) for _ in range(3)] == [0.0, 0.0, 0.5]
    assert bucket.reserve(99.0) == 1.0


@pytest.mark.parametrize(("qps", "burst"), [(0.0, 1), (-1.0, 1), (1.0, 0)])
def test_a_bucket_without_tokens_is_none(qps, burst):
    with pytest.raises(ValueError, match="qps above 0"):
        TokenBucket(qps, burst)
