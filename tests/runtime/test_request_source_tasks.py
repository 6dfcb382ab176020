"""Sources and daemons in tasks: what is cancelled ends at once and leaves nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.aio import AsyncContext, AsyncDaemonContext, AsyncManager
from clientgen.runtime.controllers import Request
from clientgen.testing import FakeClock, FakeCluster


class Endless:
    """A program all of whose functions never return by themselves."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        cluster = FakeCluster(
            ConfigMap(metadata=ObjectMeta(name="a", namespace="default")), clock=self.clock
        )
        self.k = cluster.clientset(AsyncClientset)
        self.manager = AsyncManager(self.k, grace=5)
        controller = self.manager.controller("maps", self.reconcile).for_(ConfigMap)
        controller.daemon(self.daemon, cancellation_grace=2)
        controller.receives(self.messages(), lambda name: [Request("default", name)])
        controller.polls(self.poll, every=1)
        controller.polls_each(self.poll_one, every=1).timer(every=1)
        self.running: set[str] = set()

    async def wait(self, name: str) -> None:
        self.running.add(name)
        try:
            await asyncio.Event().wait()
        finally:
            self.running.remove(name)

    async def reconcile(self, _context: AsyncContext[ConfigMap]) -> None: ...

    async def daemon(self, _daemon: AsyncDaemonContext[ConfigMap]) -> None:
        await self.wait("daemon")

    async def messages(self) -> AsyncIterator[str]:
        yield "a"
        await self.wait("messages")

    async def poll(self) -> dict[Request, int]:
        await self.wait("poll")
        return {}

    async def poll_one(self, _obj: ConfigMap) -> None:
        await self.wait("poll of one")

    async def begin(self) -> asyncio.Task[None]:
        run = asyncio.create_task(self.manager.run())
        while len(self.running) < 4:  # noqa: ASYNC110 - it is all there is to wait for
            await asyncio.sleep(0)
        return run

    async def left(self) -> None:
        assert not self.running
        await self.k.aclose()
        assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_cancelling_run_cancels_all() -> None:
    program = Endless()
    run = await program.begin()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(run, 10)
    await program.left()


async def test_a_daemon_is_cancelled_after_its_grace() -> None:
    program = Endless()
    run = await program.begin()
    program.manager.stop()
    while program.running != {"daemon"}:  # noqa: ASYNC110 - it is all there is to wait for
        await asyncio.sleep(0)
    program.clock.step(1.9)
    for _ in range(50):
        await asyncio.sleep(0)
    assert program.running == {"daemon"}
    program.clock.step(0.1)
    await asyncio.wait_for(run, 10)
    await program.left()


async def test_cancelling_at_any_await_leaves_nothing() -> None:
    for steps in (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89):
        program = Endless()
        run = asyncio.create_task(program.manager.run())
        for _ in range(steps):
            await asyncio.sleep(0)
        run.cancel()
        await asyncio.sleep(0)
        run.cancel()  # again, while it ends
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(run, 10)
        for _ in range(20):
            await asyncio.sleep(0)
        await program.left()
