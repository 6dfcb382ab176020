"""Work queues and tasks: what is cancelled loses nothing and leaves nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from clientgen.runtime.aio import AsyncWorkQueue
from clientgen.testing import FakeClock


async def until(holds: Callable[[], object]) -> None:
    while not holds():  # noqa: ASYNC110 - it is all there is to wait for
        await asyncio.sleep(0)


async def waiting(queue: AsyncWorkQueue[str], n: int) -> list[asyncio.Task[str]]:
    tasks = [asyncio.create_task(queue.get()) for _ in range(n)]
    await until(lambda: len(queue._getters) == n)
    return tasks


async def test_a_getter_cancelled_after_wakeup_passes_the_item_on() -> None:
    queue: AsyncWorkQueue[str] = AsyncWorkQueue()
    first, second = await waiting(queue, 2)
    queue.add("a")  # wakes the first, which does not run before it is cancelled
    first.cancel()
    assert await asyncio.wait_for(second, 10) == "a"
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_a_cancelled_getter_stops_waiting() -> None:
    clock = FakeClock()
    queue: AsyncWorkQueue[str] = AsyncWorkQueue(clock=clock)
    tasks = await waiting(queue, 3)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert not queue._getters
    assert clock.waiters == 0
    queue.add("a")
    assert await queue.get() == "a"


async def test_a_body_that_is_cancelled_is_done() -> None:
    queue: AsyncWorkQueue[str] = AsyncWorkQueue()
    queue.add("a")

    async def work() -> None:
        async with queue.item():
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await until(lambda: queue._state.processing)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert await queue.shut_down_with_drain()


async def test_cancelling_item_before_there_is_one_marks_nothing_done() -> None:
    queue: AsyncWorkQueue[str] = AsyncWorkQueue()

    async def work() -> None:
        async with queue.item():
            raise AssertionError

    task = asyncio.create_task(work())
    await until(lambda: queue._getters)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not queue._state.processing


async def test_another_thread_adds_through_the_loop() -> None:
    queue: AsyncWorkQueue[str] = AsyncWorkQueue()
    loop = asyncio.get_running_loop()
    [task] = await waiting(queue, 1)
    await asyncio.to_thread(loop.call_soon_threadsafe, queue.add, "a")
    assert await asyncio.wait_for(task, 10) == "a"
