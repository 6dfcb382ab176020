"""What waiting is made of, in threads; the twin of the one in `_async`."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from types import TracebackType

__all__ = ["Event", "Lock", "call_later", "run_blocking", "short_lock", "sleep"]

T = TypeVar("T")


def sleep(seconds: float) -> None:
    """Let others run for so long."""
    time.sleep(seconds)


def run_blocking(function: Callable[[], T]) -> T:
    """Call something that blocks; here that is what everything does."""
    return function()


def call_later(seconds: float, function: Callable[[], object]) -> Callable[[], object]:
    """Call something after so many seconds, in another thread; gives what cancels that."""
    timer = threading.Timer(seconds, function)
    timer.daemon = True
    timer.start()
    return timer.cancel


def short_lock() -> AbstractContextManager[object]:
    """A lock for a few statements without a wait."""
    return threading.Lock()


class Lock:
    """Only one thread at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._lock.release()


class Event:
    """Something that happens once; threads wait for it."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """Make it happen."""
        self._event.set()

    def is_set(self) -> bool:
        """Whether it has happened."""
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for it, but no longer than so many seconds; gives whether it has happened."""
        return self._event.wait(seconds)

    def unless(self, work: T) -> T | None:
        """The result of some work, which in a thread was done by the time this is called."""
        return work
