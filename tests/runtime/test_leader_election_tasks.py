"""Electors in tasks: what is cancelled ends at once and leaves nothing."""

# Bodies of contexts are more than a statement.
# ruff: noqa: PT012

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

import pytest
from kubeapi import AsyncClientset

from clientgen.runtime._clock import SYSTEM_CLOCK
from clientgen.runtime.aio import AsyncLeaderElector
from clientgen.runtime.errors import ConnectionLost, LeadershipLost
from clientgen.testing import FakeClock, FakeCluster


async def until(holds: Callable[[], object]) -> None:
    while not holds():  # noqa: ASYNC110 - it is all there is to wait for
        await asyncio.sleep(0.001)


class Stage:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.cluster = FakeCluster(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}},
            clock=self.clock,
        )
        self.log: list[str] = []
        self.elector = self.make()

    def make(self, **options: Callable[[], object]) -> AsyncLeaderElector:
        k = self.cluster.clientset(AsyncClientset)
        return AsyncLeaderElector(k, "lock", "default", clock=self.clock, **options)

    async def work(self) -> None:
        self.log.append("began")
        try:
            await asyncio.Event().wait()
        finally:
            self.log.append("over")

    @property
    def holder(self) -> str:
        return self.cluster.writes[-1].object["spec"]["holderIdentity"]


def nothing_is_left() -> bool:
    return asyncio.all_tasks() == {asyncio.current_task()}


async def test_work_is_cancelled_when_the_elector_is_stopped() -> None:
    stage = Stage()
    elector = stage.make(on_started_leading=stage.work)
    running = asyncio.create_task(elector.run())
    await until(lambda: stage.log)
    elector.stop()
    await asyncio.wait_for(running, 10)
    assert stage.log == ["began", "over"]
    assert stage.holder == ""
    assert nothing_is_left()


async def test_a_signal_stops_it() -> None:
    stage = Stage()
    k = stage.cluster.clientset(AsyncClientset)
    # With a FakeClock, signals would be for who runs the tests.
    elector = AsyncLeaderElector(
        k, "lock", "default", clock=SYSTEM_CLOCK, on_started_leading=stage.work
    )
    running = asyncio.create_task(elector.run())
    await until(lambda: stage.log)
    signal.raise_signal(signal.SIGTERM)
    await asyncio.wait_for(running, 10)
    assert stage.log == ["began", "over"]
    assert stage.holder == ""


async def test_work_is_cancelled_when_leading_is_lost() -> None:
    stage = Stage()
    elector = stage.make(on_started_leading=stage.work)
    running = asyncio.create_task(elector.run())
    await until(lambda: stage.log)
    stage.cluster.react("*", "leases.coordination.k8s.io", ConnectionLost)
    stage.clock.step(10.0)
    with pytest.raises(LeadershipLost):
        await asyncio.wait_for(running, 10)
    assert stage.log == ["began", "over"]
    assert nothing_is_left()


async def test_lost_work_is_cancelled_before_a_callback_that_takes_its_time() -> None:
    stage = Stage()
    gate = asyncio.Event()
    elector = stage.make(on_started_leading=stage.work, on_stopped_leading=gate.wait)
    running = asyncio.create_task(elector.run())
    await until(lambda: stage.log)
    stage.cluster.react("*", "leases.coordination.k8s.io", ConnectionLost)
    stage.clock.step(10.0)
    await until(lambda: stage.log == ["began", "over"])
    assert not running.done()
    gate.set()
    with pytest.raises(LeadershipLost):
        await asyncio.wait_for(running, 10)


async def test_cancelling_run_cancels_the_work_and_releases_the_lease() -> None:
    stage = Stage()
    elector = stage.make(
        on_started_leading=stage.work, on_stopped_leading=lambda: stage.log.append("stopped")
    )
    running = asyncio.create_task(elector.run())
    await until(lambda: stage.log)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert stage.log == ["began", "stopped", "over"]
    assert stage.holder == ""
    assert not elector.is_leader
    assert nothing_is_left()
    assert stage.clock.waiters == 1  # the cluster


async def test_work_that_does_not_heed_is_cancelled_when_its_time_is_over() -> None:
    stage = Stage()
    elector = stage.make(
        on_started_leading=stage.work, on_stopped_leading=lambda: stage.log.append("stopped")
    )
    running = asyncio.create_task(elector.run())
    await until(lambda: stage.log)
    elector.stop()
    await until(lambda: "stopped" in stage.log)
    for count in range(15):
        await until(lambda count=count: len(stage.cluster.writes) == count + 1)
        await until(lambda: stage.clock.waiters == 3)
        assert stage.log == ["began", "stopped"]
        stage.clock.step(2.0)
    await asyncio.wait_for(running, 10)
    assert stage.log == ["began", "stopped", "over"]
    assert stage.holder == ""


async def test_a_body_is_cancelled_when_leading_is_lost() -> None:
    stage = Stage()
    with pytest.raises(LeadershipLost):
        async with stage.elector:
            stage.cluster.react("*", "leases.coordination.k8s.io", ConnectionLost)
            stage.clock.step(10.0)
            await stage.work()
    assert stage.log == ["began", "over"]
    assert nothing_is_left()
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    await asyncio.sleep(0)


async def test_a_body_that_ends_just_when_leading_is_lost_ends_with_that_error() -> None:
    stage = Stage()
    with pytest.raises(LeadershipLost):
        async with stage.elector:
            stage.cluster.react("*", "leases.coordination.k8s.io", ConnectionLost)
            stage.elector._cancel_work()
            stage.elector._failure = LeadershipLost("just now")
    await asyncio.sleep(0)
    assert nothing_is_left()


async def test_a_body_is_cancelled_when_the_elector_is_stopped() -> None:
    stage = Stage()
    async with stage.elector:
        asyncio.get_running_loop().call_soon(stage.elector.stop)
        await stage.work()
    assert stage.log == ["began", "over"]
    assert stage.holder == ""
    assert nothing_is_left()


async def test_cancelling_the_body_behaves_as_usual() -> None:
    stage = Stage()

    async def lead() -> None:
        async with stage.elector:
            await stage.work()

    running = asyncio.create_task(lead())
    await until(lambda: stage.log)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert stage.holder == ""
    assert nothing_is_left()


async def test_waiting_to_lead_may_be_cancelled() -> None:
    stage = Stage()
    async with stage.make():

        async def lead() -> None:
            async with stage.elector:
                raise AssertionError

        running = asyncio.create_task(lead())
        await until(lambda: stage.elector.leader)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert nothing_is_left()
