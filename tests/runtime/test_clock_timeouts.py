"""Timeouts of calls follow the clock of a fake cluster; the tests of threads are derived."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, Pod

from clientgen.runtime._async._primitives import Event, sleep, spawn
from clientgen.runtime.errors import ClientError, RequestTimeout
from clientgen.testing import FakeClock, FakeCluster

TIMEOUT = 3600  # real time does not come so far
Call = Callable[[AsyncClientset, float], Awaitable[None]]


async def watch(k: AsyncClientset, timeout: float) -> None:
    async for _ in k.core_v1.pods("shop").watch(timeout=timeout):
        pass


async def watch_of_server(k: AsyncClientset, timeout: float) -> None:
    async for _ in k.core_v1.pods("shop").watch(timeout_seconds=int(timeout)):
        pass


async def follow(k: AsyncClientset, timeout: float) -> None:
    async for _ in k.core_v1.pods("shop").follow_logs("web-0", timeout=timeout):
        pass


async def tail(k: AsyncClientset, timeout: float) -> None:
    async for _ in k.core_v1.pods("shop").tail(timeout=timeout):
        pass


async def execute(k: AsyncClientset, timeout: float) -> None:
    await k.core_v1.pods("shop").exec("web-0", ["sleep"], timeout=timeout)


async def edit(k: AsyncClientset, timeout: float) -> None:
    def change(config: ConfigMap) -> None:
        config.data["a"] = "b"

    await k.core_v1.config_maps("shop").edit("a", change, timeout=timeout)


class Setup:
    """A pod that is silent, and a call in a task or thread of its own."""

    def __init__(self, patience: float | None = None) -> None:
        self.clock = FakeClock(patience=patience)
        pod = Pod(
            metadata={"name": "web-0", "namespace": "shop"},
            spec={"containers": [{"name": "app", "image": "i"}]},
            status={"containerStatuses": [STATUS]},
        )
        self.cluster = FakeCluster(
            pod, ConfigMap(metadata={"name": "a", "namespace": "shop"}), clock=self.clock
        )
        self.cluster.logs("shop/web-0").write("")
        self.is_over = threading.Event()
        self.cluster.container("shop/web-0").on_exec(self._sleep)
        self.ended: list[ClientError | None] = []

    def _sleep(self, _process: Any) -> int:
        self.is_over.wait(60)
        return 0

    async def run(self, k: AsyncClientset, call: Call, timeout: float) -> None:
        """Call, and note how it ended."""
        error = None
        try:
            await call(k, timeout)
        except ClientError as problem:
            error = problem
        self.ended.append(error)

    async def until_it_waits(self) -> None:
        """Come back when it listens to the clock, beside the cluster."""
        for _ in range(10_000):
            if self.clock.waiters > 1:
                return
            await sleep(0.001)
        raise AssertionError("nobody waits")


STATUS = {
    "name": "app",
    "image": "i",
    "imageID": "",
    "ready": True,
    "restartCount": 0,
    "state": {"running": {}},
}


async def stepped(setup: Setup, seconds: float) -> None:
    """Move the clock, and let tasks act."""
    setup.clock.step(seconds)
    while setup.clock.is_moving:
        await sleep(0)


class Calling:
    """Makes a call beside the block, which begins when it waits; gives what happens at its end."""

    def __init__(self, setup: Setup, call: Call) -> None:
        self.setup = setup
        self.call = call
        self.k = setup.cluster.clientset(AsyncClientset)
        self.done = Event()
        self.task: Any = None

    async def run(self) -> None:
        await self.setup.run(self.k, self.call, TIMEOUT)
        self.done.set()

    async def __aenter__(self) -> Event:
        self.task = spawn(self.run, "call")
        await self.setup.until_it_waits()
        return self.done

    async def __aexit__(self, *error: object) -> None:
        self.setup.is_over.set()
        await self.k.aclose()
        assert await self.task.join(30)


@pytest.mark.parametrize("call", [watch, follow, tail, execute])
async def test_a_stream_is_over_when_the_clock_says_so(call: Call) -> None:
    setup = Setup()
    async with Calling(setup, call) as done:
        await stepped(setup, TIMEOUT - 1)
        assert setup.ended == []
        await stepped(setup, 61)
        assert await done.wait(30)
        assert isinstance(setup.ended[0], RequestTimeout)
        assert setup.clock.next_timeout is None


async def test_the_timeout_of_a_call_is_that_of_all_its_requests() -> None:
    """The answers take four thirds of it, each of them less."""
    setup = Setup()
    setup.cluster.delay(TIMEOUT * 2 / 3, "get", "configmaps")
    setup.cluster.delay(TIMEOUT * 2 / 3, "patch", "configmaps")
    async with Calling(setup, edit) as done:
        await stepped(setup, TIMEOUT)
        assert await done.wait(30)
        assert isinstance(setup.ended[0], RequestTimeout)


async def test_a_watch_ends_after_its_seconds_of_the_clock() -> None:
    setup = Setup()
    async with Calling(setup, watch_of_server) as done:
        await stepped(setup, TIMEOUT)
        assert await done.wait(30)
        assert setup.ended == [None]


@pytest.mark.parametrize("call", [watch, follow, tail, execute])
async def test_a_stream_is_over_when_nobody_moves_the_clock(call: Call) -> None:
    setup = Setup(patience=0.05)
    async with Calling(setup, call) as done:
        assert await done.wait(30)
        with pytest.raises(RequestTimeout, match="the FakeClock has not moved"):
            raise setup.ended[0] or AssertionError
    assert setup.clock.monotonic() == 0


async def test_a_clock_that_moves_by_itself_moves_to_the_timeout() -> None:
    setup = Setup()
    setup.cluster.play(advance=True)
    async with setup.cluster.clientset(AsyncClientset) as k:
        await setup.run(k, watch, 60)
    assert isinstance(setup.ended[0], RequestTimeout)
    assert setup.clock.monotonic() == 60
