"""Work that cannot be interrupted, and a thread that waits for it up to a point."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["done_within"]

T = TypeVar("T")


def done_within(
    seconds: float,
    work: Callable[[], T],
    discard: Callable[[T], object] | None = None,
    *,
    name: str,
) -> T:
    """Do some work in a thread of its own, and wait for its result.

    Args:
        seconds: how long to wait.
        work: what to do.
        discard: what becomes of a result that nobody gets, as it comes too late or the wait was
            interrupted; nothing if not given.
        name: of the thread.

    Raises:
        TimeoutError: it was not done in time. It goes on.
    """
    errand = _ThreadCall(work, discard)
    try:
        threading.Thread(target=errand.run, name=name, daemon=True).start()
        return errand.wait(seconds)
    except BaseException:  # Ctrl-C among them, which may come once the work is done
        errand.give_up()
        raise


class _ThreadCall(Generic[T]):
    """Some work of another thread, that somebody waits for, up to a point."""

    def __init__(self, work: Callable[[], T], discard: Callable[[T], object] | None) -> None:
        self._work = work
        self._discard = discard
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._is_given_up = False
        self._error: BaseException | None = None

    def run(self) -> None:
        """Do it."""
        try:
            self._result = self._work()
        except BaseException as error:  # noqa: BLE001 - the waiting thread raises it
            self._error = error
        with self._lock:
            self._done.set()
            if self._is_given_up:
                self._discard_result()

    def wait(self, seconds: float) -> T:
        """Give its result."""
        self._done.wait(seconds)
        if not self._done.is_set():
            raise TimeoutError("the deadline has passed")
        if self._error is not None:
            raise self._error
        return self._result

    def give_up(self) -> None:
        """Discard its result, now or once it is there."""
        with self._lock:
            self._is_given_up = True
            if self._done.is_set():
                self._discard_result()

    def _discard_result(self) -> None:
        if self._discard is not None and self._error is None:
            self._discard(self._result)
