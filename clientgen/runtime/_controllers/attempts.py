"""Attempts to reconcile an object: their numbers, and why the previous one failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import LeadershipLost, TerminalError

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._http.work_deadline import WorkDeadline
    from .reconcile_loop import Request, Result


class Attempt:
    """One attempt to reconcile an object.

    Attributes:
        number: 1 for the first attempt, and after each failure one more.
        last_error: Why the previous attempt failed, without its traceback; None for the first one.
        is_last: Whether the object is not retried if this attempt fails (`max_attempts`).
        deadline: The deadline of the attempt; None without a timeout.
        is_stopping: Returns whether the controller is stopping.
        answer: What `on_error` returned.
    """

    __slots__ = ("answer", "deadline", "is_last", "is_stopping", "last_error", "number")

    def __init__(
        self, number: int = 1, last_error: Exception | None = None, *, is_last: bool = False
    ) -> None:
        self.number = number
        self.last_error = last_error
        self.is_last = is_last
        self.deadline: WorkDeadline | None = None
        self.is_stopping: Callable[[], bool] | None = None
        self.answer: Result | None = None

    @property
    def must_end(self) -> bool:
        """Whether the deadline has passed, or the controller is stopping."""
        if self.deadline is not None and self.deadline.has_passed:
            return True
        return self.is_stopping is not None and self.is_stopping()

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
        self._failed: dict[Request, tuple[int, Exception]] = {}

    def begin(self, request: Request) -> Attempt:
        """Return the next attempt for a request."""
        count, error = self._failed.get(request, (0, None))
        is_last = self._limit is not None and count + 1 >= self._limit
        return Attempt(count + 1, error, is_last=is_last)

    def failed(self, request: Request, attempt: Attempt, error: Exception) -> None:
        """Note that an attempt has failed and that the object is retried."""
        error.__traceback__ = None  # it would keep the objects of the attempt in memory
        self._failed[request] = (attempt.number, error)

    def forget(self, request: Request) -> None:
        """Forget the failures of a request: the next attempt is the first one."""
        self._failed.pop(request, None)
