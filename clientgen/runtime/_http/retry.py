"""Decides whether and when to retry a request.

This module makes decisions only: callers measure time, sleep and send. The rules are client-go's
(rest/with_retry.go, util/retry, util/flowcontrol and apimachinery's wait.Backoff).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from ..errors import ApplyConflict, ConnectionLost
from .status_codes import FIRST_SERVER_ERROR

if TYPE_CHECKING:
    from ..errors import ApiError, TransportError

MAX_RETRIES = 10

_LOST_CONNECTION_PAUSE_SECONDS = 1.0
_FIRST_CONFLICT_PAUSE_SECONDS = 0.01
_MAX_CONFLICT_PAUSE_SECONDS = 0.5
_TOO_MANY_REQUESTS_STATUS = 429

Random = Callable[[], float]
AnyError = TypeVar("AnyError", bound=Exception)


class Retry:
    """The retries of one request.

    The server decides: 429 and 5xx are retried, for every verb, if and only if a Retry-After header
    is present. After a lost connection, only GETs are retried, after one second: a write may have
    been executed already. Retries never wait beyond `deadline`.
    """

    __slots__ = ("_deadline", "_method", "_retries_left", "count")

    def __init__(
        self, method: str, max_retries: int = MAX_RETRIES, deadline: float | None = None
    ) -> None:
        self._method = method
        self._retries_left = max_retries
        self._deadline = deadline
        self.count = 0

    def after_response(self, status: int, retry_after: int | None, now: float) -> float | None:
        """Return the seconds to wait before the next attempt, or None if this response is final."""
        is_busy = status == _TOO_MANY_REQUESTS_STATUS or status >= FIRST_SERVER_ERROR
        if retry_after is None or not is_busy:
            return None
        return self._spend(float(retry_after), now)

    def after_error(self, error: TransportError, now: float) -> float | None:
        """Return the seconds to wait before the next attempt, or None if this error is final."""
        if self._method != "GET" or not isinstance(error, ConnectionLost):
            return None
        return self._spend(_LOST_CONNECTION_PAUSE_SECONDS, now)

    def _spend(self, delay: float, now: float) -> float | None:
        if not self._retries_left or (self._deadline is not None and now + delay >= self._deadline):
            return None
        self._retries_left -= 1
        self.count += 1
        return delay


def annotate(error: AnyError, retries: int, before: object) -> AnyError:
    """Add a note about earlier attempts to the last error, and return the error."""
    if not retries:
        return error
    note = f"gave up after {retries} {'retry' if retries == 1 else 'retries'}"
    if before is not None and str(before) != str(error):
        note = f"{note}; the error before: {before}"
    error.add_note(note)
    return error


class Backoff:
    """Delays that grow by `factor` up to `cap`. `jitter` extends each delay at random."""

    __slots__ = ("_cap", "_factor", "_first", "_jitter", "_next", "_random")

    def __init__(
        self,
        first: float,
        *,
        factor: float = 2.0,
        cap: float = 30.0,
        jitter: float = 1.0,
        random: Random | None = None,
    ) -> None:
        self._first = self._next = first
        self._factor = factor
        self._cap = cap
        self._jitter = jitter
        self._random = random or default_random()

    def delay(self) -> float:
        """Return the next delay in seconds."""
        delay = self._next
        self._next = min(delay * self._factor, self._cap)
        return delay * (1.0 + self._jitter * self._random())

    def reset(self) -> None:
        """Restart with the first delay."""
        self._next = self._first


class ConflictRetry:
    """Retries a read-modify-write cycle on conflict, until a deadline.

    Pauses are random, with an upper limit that grows from 10 ms to half a second, so that
    concurrent writers of one object retry at different times. (client-go's RetryOnConflict gives up
    after five attempts, 10 ms apart.) An ApplyConflict is never retried, because another attempt
    would get the same response.
    """

    __slots__ = ("_deadline", "_limit", "_random", "count")

    def __init__(self, deadline: float, random: Random | None = None) -> None:
        self.count = 0
        self._deadline = deadline
        self._limit = _FIRST_CONFLICT_PAUSE_SECONDS
        self._random = random or default_random()

    def after(self, error: ApiError, now: float) -> float | None:
        """Return the seconds to wait before the next attempt, or None if this error is final."""
        delay = self._random() * self._limit
        if isinstance(error, ApplyConflict) or now + delay >= self._deadline:
            return None
        self._limit = min(2 * self._limit, _MAX_CONFLICT_PAUSE_SECONDS)
        self.count += 1
        return delay


class TokenBucket:
    """A rate limit: `burst` requests at once, and `qps` per second in the long run."""

    __slots__ = ("_burst", "_qps", "_tokens", "_updated")

    def __init__(self, qps: float, burst: int) -> None:
        if qps <= 0 or burst < 1:
            raise ValueError("a rate limit needs qps above 0 and a burst of at least 1")
        self._qps = qps
        self._burst = burst
        self._tokens = float(burst)
        self._updated: float | None = None

    def reserve(self, now: float) -> float:
        """Take a token, which may become available later. Returns the seconds until then."""
        earned = 0.0 if self._updated is None else max(0.0, now - self._updated) * self._qps
        self._updated = now
        self._tokens = min(float(self._burst), self._tokens + earned) - 1.0
        return max(0.0, -self._tokens / self._qps)


def default_random() -> Random:
    """Return `random.random`, which returns numbers from 0 to 1."""
    from random import random  # imported late: start-up does not need it

    return random
