"""Wakers, by which a thread or a task waits for a response of the server.

Calling a waker wakes the thread or task. Any thread may call a waker, any number of times; the call
never waits. Calls before the next `wait` count as one call, and end that wait at once.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from clientgen.runtime._clock import on_wait, real_seconds

if TYPE_CHECKING:
    import asyncio

    from clientgen.runtime._clock import Clock


class ThreadWaker:
    """Lets a thread wait until the waker is called."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def __call__(self) -> None:
        """Wake the thread."""
        self._event.set()

    def is_woken(self) -> bool:
        """Return whether the next wait ends at once."""
        return self._event.is_set()

    def wait(self, clock: Clock, deadline: float | None) -> None:
        """Wait until the waker is called, or until the clock reaches `deadline`."""
        forget = on_wait(clock, self, lambda: deadline, self.is_woken)
        try:
            seconds = None if deadline is None else real_seconds(clock, deadline)
            # The clock may have moved before the wait was registered.
            if deadline is None or clock.monotonic() < deadline:
                self._event.wait(seconds)
        finally:
            forget()
        self._event.clear()


class LoopWaker:
    """Lets a task of an event loop wait until the waker is called."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._thread = threading.get_ident()
        self._called = False
        self._waiter: asyncio.Future[None] | None = None

    def __call__(self) -> None:
        """Wake the task."""
        if self._called:
            return
        self._called = True
        if threading.get_ident() == self._thread:
            self._release()
        elif not self._loop.is_closed():
            try:
                self._loop.call_soon_threadsafe(self._release)
            except RuntimeError:  # the loop was closed meanwhile, so its task no longer waits
                return

    def _release(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def is_woken(self) -> bool:
        """Return whether the next wait ends at once."""
        return self._called

    async def wait(self, clock: Clock, deadline: float | None) -> None:
        """Wait until the waker is called, or until the clock reaches `deadline`."""
        self._waiter = self._loop.create_future()
        forget = on_wait(clock, self, lambda: deadline, self.is_woken)
        seconds = None if deadline is None else real_seconds(clock, deadline)
        timer = None if seconds is None else self._loop.call_later(seconds, self._release)
        try:
            if not self._called and (deadline is None or clock.monotonic() < deadline):
                await self._waiter
        finally:
            self._waiter = None
            self._called = False
            forget()
            if timer is not None:
                timer.cancel()


def earliest(*moments: float | None) -> float | None:
    """Return the first of several times; None without any time."""
    return min((moment for moment in moments if moment is not None), default=None)
