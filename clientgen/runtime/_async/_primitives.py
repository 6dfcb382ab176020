"""What waiting is made of, in asyncio.

The twin in `_sync` has the same names, made of threads. asyncio itself is imported when somebody
waits: importing a generated package must stay cheap.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine
    from types import TracebackType

__all__ = ["Event", "Lock", "call_later", "run_blocking", "short_lock", "sleep"]

T = TypeVar("T")


async def sleep(seconds: float) -> None:
    """Let others run for so long."""
    import asyncio

    await asyncio.sleep(seconds)


async def run_blocking(function: Callable[[], T]) -> T:
    """Call something that blocks, in a worker thread."""
    import asyncio

    return await asyncio.to_thread(function)


def call_later(seconds: float, function: Callable[[], object]) -> Callable[[], object]:
    """Call something after so many seconds; gives what cancels that."""
    import asyncio

    return asyncio.get_running_loop().call_later(seconds, function).cancel


def short_lock() -> AbstractContextManager[object]:
    """A lock for a few statements without a wait; on one event loop none is needed."""
    return nullcontext()


class Lock:
    """Only one task at a time."""

    def __init__(self) -> None:
        self._lock: asyncio.Lock | None = None

    async def __aenter__(self) -> None:
        if self._lock is None:
            import asyncio

            self._lock = asyncio.Lock()
        await self._lock.acquire()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._lock is not None
        self._lock.release()


class Event:
    """Something that happens once; tasks wait for it."""

    def __init__(self) -> None:
        self._happened = False
        self._waiters: set[asyncio.Future[None]] = set()

    def set(self) -> None:
        """Make it happen."""
        self._happened = True
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    def is_set(self) -> bool:
        """Whether it has happened."""
        return self._happened

    async def wait(self, seconds: float) -> bool:
        """Wait for it, but no longer than so many seconds; gives whether it has happened."""
        import asyncio

        if not self._happened:
            waiter = self._waiter()
            await asyncio.wait({waiter}, timeout=seconds)
            self._waiters.discard(waiter)
        return self._happened

    async def unless(self, work: Coroutine[object, object, T]) -> T | None:
        """Do some work, but abandon it when the event happens; gives None then."""
        import asyncio

        task, waiter = asyncio.ensure_future(work), self._waiter()
        try:
            both: set[asyncio.Future[Any]] = {task, waiter}
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            return await task if task.done() else None
        finally:
            self._waiters.discard(waiter)
            waiter.cancel()
            if not task.done():
                task.cancel()
                await asyncio.wait({task})

    def _waiter(self) -> asyncio.Future[None]:
        import asyncio

        waiter = asyncio.get_running_loop().create_future()
        if self._happened:
            waiter.set_result(None)
        self._waiters.add(waiter)
        return waiter
