"""Deadlines of requests, by a clock that tests can set."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

from .._models.arguments import type_of
from ..errors import RequestTimeout

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._clock import Clock
    from .request import HttpRequest


class RequestDeadlines:
    """Turns timeouts into deadlines, and deadlines into the seconds that are left.

    A deadline is a moment of the clock.

    Attributes:
        clock: The clock. A fake cluster replaces it by its FakeClock.
        timeout: The timeout of calls without a timeout, in seconds. None is no limit.
    """

    __slots__ = ("clock", "timeout")

    def __init__(self, clock: Clock, timeout: float | None) -> None:
        self.clock = clock
        self.timeout = timeout

    def with_timeout(self, timeout: float | None) -> RequestDeadlines:
        """Return deadlines of the same clock with another timeout."""
        return _OtherTimeout(self, timeout)

    def deadline(self, options: Mapping[str, Any]) -> float | None:
        """Return the deadline of a call with these options. None is no limit.

        Raises:
            TypeError: The timeout is not a number.
            ValueError: The timeout is nan.
        """
        timeout: float | None = options.get("timeout", self.timeout) if options else self.timeout
        if timeout != timeout:  # noqa: PLR0124 - only nan is not itself
            raise ValueError("timeout is a number of seconds, not nan")
        try:
            return None if timeout is None else self.clock.monotonic() + timeout
        except TypeError:
            what = f"timeout is a number of seconds, not {type_of(timeout)}"
            raise TypeError(what) from None

    def seconds_left(self, deadline: float) -> float:
        """Return the seconds until a deadline; 0 after the deadline."""
        return max(0.0, deadline - self.clock.monotonic())

    def timeout_until(self, request: HttpRequest, deadline: float | None) -> float | None:
        """Return the timeout of one attempt to send a request.

        Raises:
            RequestTimeout: The deadline has passed.
        """
        if deadline is None:
            return None
        remaining = self.seconds_left(deadline)
        if not remaining:
            raise RequestTimeout(f"{request.info}: the deadline has passed")
        return remaining

    def real_deadline(self, deadline: float | None) -> float | None:
        """Convert a deadline to a time of `time.monotonic`.

        Locks, sockets and pauses need real time, even if the clock is a FakeClock.
        """
        return None if deadline is None else monotonic() + self.seconds_left(deadline)


class _OtherTimeout(RequestDeadlines):
    """Deadlines with a timeout of their own and the clock of others, also after it is replaced."""

    __slots__ = ("_others",)

    def __init__(self, others: RequestDeadlines, timeout: float | None) -> None:
        self._others = others
        self.timeout = timeout

    @property
    def clock(self) -> Clock:
        return self._others.clock

    @clock.setter
    def clock(self, clock: Clock) -> None:
        self._others.clock = clock
