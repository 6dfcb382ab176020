"""What is left of clientsets that were closed; `test_leaks_sync` counts the same for threads."""

from __future__ import annotations

import asyncio
import gc
import threading
from functools import partial
from typing import Any

import pytest
from kubeapi import AsyncClientset
from support.informers import config, tasks, threads

from clientgen.runtime._async._primitives import run_blocking, spawn
from clientgen.runtime._config import tls
from clientgen.runtime._config.tls import ssl_context
from clientgen.testing import FakeCluster
from clientgen.testing._fake.local_server import LocalServer

ROUNDS = 12


async def open_and_close(kubeconfig: str) -> None:
    async with AsyncClientset.from_config(kubeconfig) as k, k.informers() as factory:
        factory.core_v1.config_maps()
        factory.start()
        await factory.wait_for_sync(30)


def ours() -> int:
    """How many objects of clientgen's and of the HTTP libraries there are, and frames of theirs."""
    for _ in range(3):
        gc.collect()
    modules = ("clientgen.runtime", "aiohttp.client", "urllib3")
    kinds = {"frame", "traceback", "Task", "Thread", "coroutine"}
    return sum(
        1
        for each in gc.get_objects()
        if type(each).__name__ in kinds or str(type(each).__module__).startswith(modules)
    )


async def test_clientsets_that_are_closed_leave_nothing():
    with LocalServer(FakeCluster(config("a", "1"))) as server:
        for _ in range(4):  # what is loaded and remembered once
            await open_and_close(server.kubeconfig)
        before = ours()
        for _ in range(ROUNDS):
            await open_and_close(server.kubeconfig)
        assert ours() - before < ROUNDS
        assert not (threads() | tasks()) - {"clientgen-serve"}


async def test_a_call_that_is_not_connected_when_the_client_is_closed_opens_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its connections would be nobody's: "unclosed transport", some time later."""
    asked, closed = threading.Event(), threading.Event()

    def slow(*args: Any) -> Any:
        asked.set()
        assert closed.wait(30)
        return ssl_context(*args)

    monkeypatch.setattr(tls, "ssl_context", slow)
    with LocalServer(FakeCluster(config("a", "1")), tls=True) as server:
        k = AsyncClientset.from_config(server.kubeconfig)
        refused: list[str] = []

        async def call() -> None:
            try:
                await k.core_v1.config_maps("default").list()
            except RuntimeError as error:
                refused.append(str(error))

        task = spawn(call, "a call")
        assert await run_blocking(partial(asked.wait, 30))
        await k.aclose()
        closed.set()
        await task.join()
        assert len(refused) == 1
        with pytest.raises(RuntimeError, match="is closed"):
            await k.core_v1.config_maps("default").list()


LONG = 3600


def alarms() -> int:
    """How many timers run that would ring for these tests, as threads or on the event loop."""
    timers = [each for each in threading.enumerate() if isinstance(each, threading.Timer)]
    for timer in timers:
        timer.join(0 if not timer.finished.is_set() else 60)  # it is on its way
    count = sum(timer.is_alive() and timer.interval > LONG / 2 for timer in timers)
    try:
        loop: Any = asyncio.get_running_loop()
    except RuntimeError:
        return count
    late = loop.time() + LONG / 2
    return count + sum(each.when() > late and not each.cancelled() for each in loop._scheduled)


KINDS = {"watch": "Watch", "log": "Lines", "tail": "LogTail"}


def streams_left(kind: str) -> int:
    """How many of the streams somebody still has."""
    gc.collect()
    return sum(
        type(each).__name__.removeprefix("Async") == KINDS[kind] for each in gc.get_objects()
    )


async def begun(k: AsyncClientset, kind: str) -> Any:
    """A stream that would go on for long."""
    if kind == "watch":
        stream: Any = k.core_v1.config_maps("default").watch(timeout=LONG)
    elif kind == "log":
        stream = k.core_v1.pods("default").follow_logs("p", timeout=LONG)
    else:
        stream = k.core_v1.pods("default").tail(timeout=LONG)
    async for _ in stream:
        break
    return stream


def one_pod() -> FakeCluster:
    cluster = FakeCluster(config("a", "1"))
    spec = {"nodeName": "n", "containers": [{"name": "main", "image": "i"}]}
    running = {"name": "main", "image": "i", "imageID": "", "ready": True, "restartCount": 0}
    status = {"phase": "Running", "containerStatuses": [{**running, "state": {"running": {}}}]}
    metadata = {"name": "p", "namespace": "default"}
    cluster.add(
        {"apiVersion": "v1", "kind": "Pod"} | {"metadata": metadata, "spec": spec, "status": status}
    )
    cluster.logs("default/p").write("a line")
    return cluster


@pytest.mark.parametrize("kind", KINDS)
async def test_a_stream_that_is_left_early_is_gone_before_its_timeout(kind: str):
    """Its alarm neither keeps it and its connection, nor a thread."""
    before = alarms()
    with LocalServer(one_pod()) as server:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            for _ in range(3):
                await begun(k, kind)
            assert (streams_left(kind), alarms() - before) == (0, 0)
            async with await begun(k, kind):
                assert alarms() - before == 1
            assert alarms() - before == 0


@pytest.mark.parametrize("kind", ["watch", "log"])
async def test_a_stream_has_no_alarm_after_the_end_of_its_clientset(kind: str):
    before = alarms()
    with LocalServer(one_pod()) as server:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            stream = await begun(k, kind)
        assert alarms() - before == 0
        await stream.aclose()
