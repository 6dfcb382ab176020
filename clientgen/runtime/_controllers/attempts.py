"""Attempts to reconcile an object: their numbers, and why the previous one failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import LeadershipLost, TerminalError

if TYPE_CHECKING:
    from collections.abc import Hashable

    from .._http.work_deadline import WorkDeadline
    from .reconcile_loop import Result


class Attempt:
    """One attempt to reconcile an object.

    Attributes:
        number: 1 for the first attempt, and after each failure one more.
        last_error: Why the previous attempt failed, without its traceback; None for the first one.
        is_last: Whether the object is not retried if this attempt fails (`max_attempts`).
        deadline: The deadline of the attempt; None without a timeout.
        answer: What `on_error` returned.
    """

    # Defaults of the class, because most attempts need nothing else.
    number: int = 1
    last_error: Exception | None = None
    is_last: bool = False
    deadline: WorkDeadline | None = None
    answer: Result | None = None

    @property
    def has_timed_out(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and self.deadline.has_passed

    def exhausted(self, error: Exception) -> TerminalError | None:
        """Return the terminal error if this was the last attempt. None if the object is retried."""
        if not self.is_last or isinstance(error, (TerminalError, LeadershipLost)):
            return None
        terminal = TerminalError(f"attempt {self.number} was the last one: {error!r}")
        terminal.__cause__ = error
        return terminal


class Attempts:
    """The failed attempts of a controller, by request.

    Two workers never have the same request at once, so no lock is needed.

    Args:
        limit: The number of attempts after which an object is not retried; None for no limit.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._failed: dict[Hashable, tuple[int, Exception]] = {}

    def begin(self, request: Hashable) -> Attempt:
        """Return the next attempt for a request."""
        attempt = Attempt()
        if (failed := self._failed.get(request)) is not None:
            attempt.number, attempt.last_error = failed[0] + 1, failed[1]
        if self._limit is not None:
            attempt.is_last = attempt.number >= self._limit
        return attempt

    def failed(self, request: Hashable, attempt: Attempt, error: Exception) -> None:
        """Note that an attempt has failed and that the object is retried."""
        error.__traceback__ = None  # it would keep the objects of the attempt in memory
        self._failed[request] = (attempt.number, error)

    def forget(self, request: Hashable) -> None:
        """Forget the failures of a request: the next attempt is the first one."""
        self._failed.pop(request, None)
