"""Doing several things at once, in both flavours.

Tests use the names that begin with `async_` or `Async`: their twins get the others.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Thread
from typing import Any, Generic, TypeVar

__all__ = [
    "AsyncBackground",
    "Background",
    "async_collect",
    "async_take",
    "async_together",
    "async_until",
    "collect",
    "take",
    "together",
    "until",
]

T = TypeVar("T")

# Nothing that a test waits for takes longer, unless something is broken.
PATIENCE = 30.0
PAUSE = 0.02


class AsyncBackground(Generic[T]):
    """A call that runs while the test goes on."""

    def __init__(self, call: Callable[[], Coroutine[Any, Any, T]]) -> None:
        self._task = asyncio.ensure_future(call())

    async def result(self) -> T:
        """Wait for what the call gives, or raises."""
        return await asyncio.wait_for(self._task, PATIENCE)


class Background(Generic[T]):
    """A call that runs in a thread while the test goes on."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._future: Future[T] = Future()
        Thread(target=self._run, args=(call,), daemon=True).start()

    def _run(self, call: Callable[[], T]) -> None:
        try:
            self._future.set_result(call())
        except BaseException as error:
            self._future.set_exception(error)

    def result(self) -> T:
        """Wait for what the call gives, or raises."""
        return self._future.result(PATIENCE)


async def async_together(calls: Iterable[Callable[[], Coroutine[Any, Any, T]]]) -> list[T]:
    """Run all calls at once; gives what they give, in order."""
    return await asyncio.wait_for(asyncio.gather(*(call() for call in calls)), PATIENCE)


def together(calls: Iterable[Callable[[], T]]) -> list[T]:
    """Run all calls at once, each in a thread; gives what they give, in order."""
    wanted = list(calls)
    with ThreadPoolExecutor(len(wanted)) as pool:
        return [future.result(PATIENCE) for future in [pool.submit(call) for call in wanted]]


async def async_take(count: int, items: AsyncIterator[T]) -> list[T]:
    """The next few items."""
    return [await anext(items) for _ in range(count)]


def take(count: int, items: Iterator[T]) -> list[T]:
    """The next few items."""
    return [next(items) for _ in range(count)]


async def async_collect(items: AsyncIterator[T]) -> list[T]:
    """All items to the end."""
    return [item async for item in items]


def collect(items: Iterator[T]) -> list[T]:
    """All items to the end."""
    return list(items)


async def async_until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Ask again and again until it holds."""
    end = time.monotonic() + PATIENCE
    while not await holds():
        assert time.monotonic() < end, "this has not come true"
        await asyncio.sleep(PAUSE)


def until(holds: Callable[[], bool]) -> None:
    """Ask again and again until it holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "this has not come true"
        time.sleep(PAUSE)
