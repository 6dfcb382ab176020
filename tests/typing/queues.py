"""Work queues as type checkers must see them: checked by mypy and pyright, never run.

Lines that must not type-check carry an ignore; an ignore that is not needed is an error too.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple, assert_type

from clientgen.runtime._controllers.queue_state import LOW_PRIORITY
from clientgen.runtime.aio import AsyncPriorityQueue, AsyncWorkQueue
from clientgen.runtime.controllers import (
    ItemExponentialFailure,
    MaxOf,
    PrometheusQueueMetrics,
    RateLimiter,
    default_controller_limiter,
)
from clientgen.runtime.sync import PriorityQueue, WorkQueue


class Key(NamedTuple):
    namespace: str
    name: str


async def items_are_what_the_queue_is_of(queue: AsyncWorkQueue[Key]) -> None:
    assert_type(await queue.get(), Key)
    async for key in queue:
        assert_type(key, Key)
        with queue.processing(key) as same:
            assert_type(same, Key)
    async with queue.item() as key:
        assert_type(key.namespace, str)
    assert_type(await queue.shut_down_with_drain(5.0), bool)
    assert_type(len(queue), int)
    queue.add("web")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    queue.add(Key("default", "web"), priority=1)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def threads_see_the_same(queue: WorkQueue[str]) -> None:
    assert_type(queue.get(), str)
    for key in queue:
        assert_type(key, str)
    with queue.item() as key:
        assert_type(key, str)
    queue.add_after(key, 1.5)


def priorities_are_for_queues_that_have_them(
    tasks: AsyncPriorityQueue[str], threads: PriorityQueue[str]
) -> None:
    tasks.add("a", priority=LOW_PRIORITY)
    threads.add_rate_limited("a", priority=threads.priority("a"))
    assert_type(tasks.priority("a"), int)


def limiters_of_anything_fit_any_queue(own: RateLimiter[int]) -> None:
    assert_type(default_controller_limiter(), RateLimiter[Hashable])
    queue: WorkQueue[str] = WorkQueue("q", limiter=default_controller_limiter())
    WorkQueue[str](limiter=MaxOf(ItemExponentialFailure[str](1.0), default_controller_limiter()))
    WorkQueue[str](limiter=own)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    WorkQueue[list[str]]()  # type: ignore[type-var]  # pyright: ignore[reportInvalidTypeArguments]
    AsyncWorkQueue[str]("q", metrics=PrometheusQueueMetrics())
    assert_type(queue.num_requeues("a"), int)
