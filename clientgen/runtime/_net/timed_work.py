"""Waits with a timeout for a function that cannot be interrupted."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def done_within(
    seconds: float,
    work: Callable[[], T],
    discard: Callable[[T], object] | None = None,
    *,
    name: str,
) -> T:
    """Call a function in a new thread, and wait for its result.

    Args:
        seconds: the maximum time to wait.
        work: the function.
        discard: called with a result that is not returned, because the function returned too late
            or the wait was interrupted.
        name: the name of the thread.

    Raises:
        TimeoutError: the function did not return in time. It continues in its thread.
    """
    call = _ThreadCall(work, discard)
    try:
        threading.Thread(target=call.run, name=name, daemon=True).start()
        return call.wait(seconds)
    except BaseException:  # also KeyboardInterrupt, even after the function has returned
        call.abandon()
        raise


class _ThreadCall(Generic[T]):
    """A call in a new thread. Another thread waits for its result."""

    def __init__(self, work: Callable[[], T], discard: Callable[[T], object] | None) -> None:
        self._work = work
        self._discard = discard
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._is_abandoned = False
        self._error: BaseException | None = None

    def run(self) -> None:
        """Call the function."""
        try:
            self._result = self._work()
        except BaseException as error:  # noqa: BLE001 - the waiting thread raises it
            self._error = error
        with self._lock:
            self._done.set()
            if self._is_abandoned:
                self._discard_result()

    def wait(self, seconds: float) -> T:
        """Wait for the result.

        Raises:
            TimeoutError: the function did not return in time.
        """
        self._done.wait(seconds)
        if not self._done.is_set():
            raise TimeoutError("the deadline has passed")
        if self._error is not None:
            raise self._error
        return self._result

    def abandon(self) -> None:
        """Discard the result, now or when the function returns."""
        with self._lock:
            self._is_abandoned = True
            if self._done.is_set():
                self._discard_result()

    def _discard_result(self) -> None:
        if self._discard is not None and self._error is None:
            self._discard(self._result)
