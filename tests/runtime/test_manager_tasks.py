"""What only a manager of tasks can do: it may be cancelled."""

from __future__ import annotations

import asyncio

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.aio import AsyncContext, AsyncManager
from clientgen.testing import FakeCluster


async def test_a_second_cancellation_leaves_nothing_running() -> None:
    begun = asyncio.Event()
    never = asyncio.Event()

    async def slow(context: AsyncContext[ConfigMap]) -> None:
        begun.set()
        try:
            await never.wait()
        finally:
            await asyncio.sleep(0.05)

    before = asyncio.all_tasks()
    cluster = FakeCluster(ConfigMap(metadata=ObjectMeta(name="a", namespace="default")))
    async with cluster.clientset(AsyncClientset) as k:
        manager = AsyncManager(k, leader_election="m", health="127.0.0.1:0")
        manager.controller("maps", slow).for_(ConfigMap)
        running = asyncio.create_task(manager.run())
        await begun.wait()
        for _ in range(2):
            running.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await running
        for _ in range(200):
            if not asyncio.all_tasks() - before:
                break
            await asyncio.sleep(0.01)
        assert not asyncio.all_tasks() - before
