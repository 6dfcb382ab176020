"""The deadline of the calling work, such as a reconciliation. It bounds every request of the work.

The deadline is a context variable. Tasks inherit it, and so do threads that the runtime starts.
What such a task or thread does after the work has ended has no deadline.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from ..errors import ReconcileTimeout

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._clock import Clock
    from .request import HttpRequest

WORK_DEADLINE: Final[ContextVar[WorkDeadline | None]] = ContextVar("work_deadline", default=None)
"""The deadline of the calling work; None is no limit."""


class WorkDeadline:
    """The deadline of one piece of work.

    Args:
        clock: The clock of the work. The clients of the work may have other clocks.
        seconds: The seconds that the work may take from now on.
        title: The work and its limit, for errors.

    Attributes:
        moment: The deadline, as a moment of the clock.
        is_over: Whether the work has ended.
    """

    def __init__(self, clock: Clock, seconds: float, title: str) -> None:
        self.moment = clock.monotonic() + seconds
        self._clock = clock
        self._title = title
        self.is_over = False
        self._at_end: list[Callable[[], object]] = []

    @property
    def seconds_left(self) -> float:
        """The seconds until the deadline; negative after it."""
        return self.moment - self._clock.monotonic()

    @property
    def has_passed(self) -> bool:
        """Whether the deadline has passed."""
        return self.seconds_left <= 0

    def bound(self, request: HttpRequest, deadline: float | None, clock: Clock) -> float | None:
        """Return the earlier one of the deadline of a request and the deadline of the work.

        Args:
            request: The request.
            deadline: The deadline of the request, as a moment of the clock; None is no limit.
            clock: The clock of the client.

        Raises:
            ReconcileTimeout: The deadline of the work has passed, and the work goes on.
        """
        if self.is_over:
            return deadline
        left = self.seconds_left
        if left <= 0:
            raise ReconcileTimeout(f"{request.info} is not sent: {self._title}")
        latest = clock.monotonic() + left
        return latest if deadline is None else min(deadline, latest)

    def at_end(self, function: Callable[[], object]) -> None:
        """Call a function when the work ends; at once if it has ended."""
        self._at_end.append(function)
        if self.is_over:
            self.end()

    def end(self) -> None:
        """Note that the work has ended."""
        self.is_over = True
        while self._at_end:
            self._at_end.pop()()

    def error(self) -> ReconcileTimeout:
        """Return the error of work that did not end before its deadline."""
        return ReconcileTimeout(self._title)


def pause_within_work(seconds: float) -> float:
    """Return the seconds of a pause, or those until the deadline of the calling work if fewer."""
    work = WORK_DEADLINE.get()
    if work is None or work.is_over:
        return seconds
    return min(seconds, max(0.0, work.seconds_left))
