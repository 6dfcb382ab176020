"""Work queues, by tasks here and by threads in test_workqueue_threads.py, which is derived."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import monotonic

from clientgen.runtime._async._primitives import Task, sleep, spawn
from clientgen.runtime._controllers.queue_state import LOW_PRIORITY, ShutDown
from clientgen.runtime._controllers.rate_limiters import ItemExponentialFailure
from clientgen.runtime.aio import AsyncPriorityQueue, AsyncWorkQueue
from clientgen.testing import FakeClock


class AsyncWorker:
    """Gets items beside the test, until the queue is shut down."""

    def __init__(self, queue: AsyncWorkQueue[str]) -> None:
        self.queue = queue
        self.got: list[str] = []
        self.ended = False
        self.task: Task = spawn(self.work, "worker")

    async def work(self) -> None:
        async for item in self.queue:
            self.got.append(item)
            self.queue.done(item)
        self.ended = True


class AsyncHolder(AsyncWorker):
    """Gets one item and keeps it."""

    async def work(self) -> None:
        self.got.append(await self.queue.get())


async def until(holds: Callable[[], object]) -> None:
    """Wait for something to become true."""
    deadline = monotonic() + 60
    while not holds():
        assert monotonic() < deadline, "timed out"
        await sleep(0.001)


async def waiting_workers(queue: AsyncWorkQueue[str], n: int) -> list[AsyncWorker]:
    workers = [AsyncWorker(queue) for _ in range(n)]
    await until(lambda: len(queue._getters) == n)
    return workers


async def ended(queue: AsyncWorkQueue[str], *workers: AsyncWorker) -> None:
    queue.shut_down()
    for worker in workers:
        assert await worker.task.join(10)
        assert worker.ended


async def test_items_come_in_order_and_once() -> None:
    queue: AsyncWorkQueue[str] = AsyncWorkQueue()
    for item in "abcab":
        queue.add(item)
    assert len(queue) == 3
    assert [await queue.get() for _ in range(3)] == ["a", "b", "c"]
    assert len(queue) == 0


async def test_a_waiting_get_is_woken_by_add() -> None:
    queue: AsyncWorkQueue[str] = AsyncWorkQueue()
    [worker] = await waiting_workers(queue, 1)
    queue.add("a")
    await until(lambda: worker.got == ["a"])
    await ended(queue, worker)


async def test_as_many_are_woken_as_there_are_items() -> None:
    queue: AsyncWorkQueue[str] = AsyncWorkQueue()
    holders = [AsyncHolder(queue) for _ in range(3)]
    await until(lambda: len(queue._getters) == 3)
    for item in "abc":
        queue.add(item)
    for holder in holders:
        assert await holder.task.join(10)
    assert sorted(item for holder in holders for item in holder.got) == ["a", "b", "c"]


async def test_an_item_is_with_one_worker_at_a_time() -> None:
    queue: AsyncWorkQueue[str] = AsyncWorkQueue()
    queue.add("a")
    assert await queue.get() == "a"
    [worker] = await waiting_workers(queue, 1)
    queue.add("a")
    queue.add("b")  # comes first, since nobody has it
    await until(lambda: worker.got == ["b"])
    queue.done("a")
    await until(lambda: worker.got == ["b", "a"])
    await ended(queue, worker)


async def test_delayed_items_come_when_the_clock_says_so() -> None:
    clock = FakeClock()
    queue: AsyncWorkQueue[str] = AsyncWorkQueue(clock=clock)
    workers = await waiting_workers(queue, 2)
    got = lambda: sorted(workers[0].got + workers[1].got)  # noqa: E731
    queue.add_after("late", 10.0)
    queue.add_after("later", 20.0)
    queue.add_after("now", 0.0)
    await until(lambda: got() == ["now"])
    queue.add_after("late", 15.0)  # it comes at 10 all the same
    queue.add_after("later", 12.0)
    clock.step(9.9)
    assert len(queue) == 0
    clock.step(0.2)
    await until(lambda: got() == ["late", "now"])
    clock.step(1.9)
    await until(lambda: got() == ["late", "later", "now"])
    clock.step(100.0)
    assert len(queue) == 0
    await ended(queue, *workers)
    assert got() == ["late", "later", "now"]


async def test_a_waiting_get_notices_earlier_due_times() -> None:
    clock = FakeClock()
    queue: AsyncWorkQueue[str] = AsyncWorkQueue(clock=clock)
    holders = [AsyncHolder(queue) for _ in range(2)]
    await until(lambda: len(queue._getters) == 2)
    queue.add_after("later", 20.0)
    queue.add_after("late", 10.0)
    await until(lambda: len(queue._getters) == 2)
    clock.step(10.0)
    await until(lambda: sorted(holders[0].got + holders[1].got) == ["late"])
    clock.step(10.0)
    await until(lambda: sorted(holders[0].got + holders[1].got) == ["late", "later"])
    for holder in holders:
        assert await holder.task.join(10)


async def test_a_clock_that_goes_by_itself_is_waited_for() -> None:
    queue: AsyncWorkQueue[str] = AsyncWorkQueue()
    queue.add_after("b", 0.02)
    queue.add_after("a", 0.01)
    assert [await queue.get(), await queue.get()] == ["a", "b"]


async def test_failures_wait_longer_each_time_until_they_are_forgotten() -> None:
    clock = FakeClock()
    queue: AsyncWorkQueue[str] = AsyncWorkQueue(clock=clock)
    for n in range(4):
        queue.add_rate_limited("a")
        assert queue.num_requeues("a") == n + 1
        clock.step(0.005 * 2**n - 0.001)
        assert len(queue) == 0
        clock.step(0.001 + 1e-9)
        async with queue.item() as item:
            assert item == "a"
    queue.forget("a")
    assert queue.num_requeues("a") == 0
    queue.add_rate_limited("a")
    clock.step(0.0050001)
    assert len(queue) == 1


async def test_all_together_are_limited_to_ten_a_second_after_a_hundred() -> None:
    clock = FakeClock()
    queue: AsyncWorkQueue[int] = AsyncWorkQueue(clock=clock)
    for n in range(110):
        queue.add_rate_limited(n)
    clock.step(0.01)
    assert len(queue) == 100
    clock.step(0.5)
    assert len(queue) == 105


async def test_a_limiter_of_ones_own() -> None:
    clock = FakeClock()
    queue = AsyncWorkQueue(clock=clock, limiter=ItemExponentialFailure[str](60.0))
    queue.add_rate_limited("a")
    clock.step(59.0)
    assert len(queue) == 0
    clock.step(1.0)
    assert len(queue) == 1


async def test_shutting_down_gives_out_what_is_there_and_then_ends() -> None:
    queue: AsyncWorkQueue[str] = AsyncWorkQueue("pods", clock=FakeClock())
    queue.add("a")
    queue.add("b")
    queue.add_after("lost", 1.0)
    held = await queue.get()
    queue.add("a")  # once more after done
    assert not queue.shutting_down
    queue.shut_down()
    assert queue.shutting_down
    queue.add("too late")
    queue.add_after("too late", 0.0)
    queue.add_rate_limited("too late")
    queue.done(held)
    got: list[str] = []
    async for item in queue:
        with queue.processing(item):
            got.append(item)
    assert got == ["b", "a"]
    try:
        await queue.get()
    except ShutDown as error:
        assert str(error) == "the queue 'pods' is shut down"  # noqa: PT017
    else:
        raise AssertionError


async def test_shutting_down_ends_all_who_wait() -> None:
    queue: AsyncWorkQueue[str] = AsyncWorkQueue()
    workers = await waiting_workers(queue, 3)
    await ended(queue, *workers)


async def test_draining_waits_for_who_is_at_work() -> None:
    queue: AsyncWorkQueue[str] = AsyncWorkQueue()
    queue.add("a")
    await queue.get()
    drained: list[bool] = []

    async def drain() -> None:
        drained.append(await queue.shut_down_with_drain())

    task = spawn(drain, "drain")
    await until(lambda: queue.shutting_down)
    assert not drained
    queue.done("a")
    assert await task.join(10)
    assert drained == [True]
    assert await queue.shut_down_with_drain()


async def test_shutting_down_ends_a_drain() -> None:
    queue: AsyncWorkQueue[str] = AsyncWorkQueue()
    queue.add("a")
    await queue.get()
    drained: list[bool] = []

    async def drain() -> None:
        drained.append(await queue.shut_down_with_drain())

    task = spawn(drain, "drain")
    await until(lambda: queue._drainers)
    queue.shut_down()
    assert await task.join(10)
    assert drained == [False]


async def test_draining_has_a_timeout() -> None:
    clock = FakeClock()
    queue: AsyncWorkQueue[str] = AsyncWorkQueue(clock=clock)
    queue.add("a")
    await queue.get()
    drained: list[bool] = []

    async def drain() -> None:
        drained.append(await queue.shut_down_with_drain(30.0))

    task = spawn(drain, "drain")
    await until(lambda: clock.waiters)
    clock.step(30.0)
    assert await task.join(10)
    assert drained == [False]


async def test_an_item_is_done_whatever_happens_to_it() -> None:
    queue: AsyncWorkQueue[str] = AsyncWorkQueue()
    queue.add("a")
    with suppress(KeyError):
        async with queue.item() as item:
            queue.add(item)
            raise KeyError(item)
    assert len(queue) == 1
    item = await queue.get()
    with suppress(KeyError), queue.processing(item):
        queue.add(item)
        raise KeyError(item)
    assert len(queue) == 1


async def test_priorities_go_first() -> None:
    clock = FakeClock()
    queue: AsyncPriorityQueue[str] = AsyncPriorityQueue("pods", clock=clock)
    queue.add("resync", priority=LOW_PRIORITY)
    queue.add("a")
    queue.add("b")
    queue.add_after("urgent", 1.0, priority=5)
    clock.step(1.0)
    assert [await queue.get() for _ in range(4)] == ["urgent", "a", "b", "resync"]
    assert queue.priority("urgent") == 5
    queue.add_rate_limited("resync", priority=queue.priority("resync"))
    queue.done("resync")
    assert len(queue) == 0
    clock.step(0.0050001)
    assert await queue.get() == "resync"
    assert queue.priority("resync") == LOW_PRIORITY


async def test_by_priority_there_is_no_limit_for_all_together() -> None:
    clock = FakeClock()
    queue: AsyncPriorityQueue[int] = AsyncPriorityQueue(clock=clock)
    for n in range(500):
        queue.add_rate_limited(n)
    clock.step(0.0050001)
    assert len(queue) == 500


async def test_the_repr_of_a_queue() -> None:
    queue: AsyncWorkQueue[str] = AsyncWorkQueue("pods")
    queue.add("a")
    assert repr(queue).endswith("WorkQueue 'pods': 1 items>")
