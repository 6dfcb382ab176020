"""Informers over real connections; `test_informer_http_sync` runs the same, derived, on threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, ConfigMapList
from support.informers import CONFIG_MAPS, History, config, tasks, threads

from clientgen.runtime._async._primitives import sleep
from clientgen.runtime.aio import AsyncSharedInformer
from clientgen.testing import FakeCluster, LocalServer

FOREVER = 20.0


@pytest.fixture(autouse=True)
def no_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try again soon."""
    monkeypatch.setattr("clientgen.runtime._http.retry.Backoff.delay", lambda self: 0.05)


@pytest.fixture(params=[False, True], ids=["plain", "tls"])
def server(request: pytest.FixtureRequest) -> Iterator[LocalServer]:
    cluster = FakeCluster(*(config(f"cm-{number:03}", "1") for number in range(300)))
    with LocalServer(cluster, tls=request.param) as running:
        yield running


def informer(k: AsyncClientset) -> AsyncSharedInformer[ConfigMap]:
    return AsyncSharedInformer(k.rest, CONFIG_MAPS, ConfigMap, ConfigMapList)


async def until(condition: Callable[[], Any]) -> None:
    for _ in range(4000):
        if condition():
            return
        await sleep(0.005)
    pytest.fail("it does not happen")


def own_threads() -> set[str]:
    return threads() - {"clientgen-serve"}


async def test_it_is_filled_follows_and_stops_at_once(server):
    seen = History()
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        cms = informer(k)
        handler = cms.add_handler(**seen.handlers)
        cms.start()
        assert await handler.wait_for_sync(FOREVER)
        assert len(cms.indexer) == 300
        server.cluster.add(config("new", "1"))
        await until(lambda: seen.told[300:] == ["add new 1"])
        begun = time.monotonic()
        await cms.stop()
        assert time.monotonic() - begun < 30
        assert not seen.nonsense
    assert not tasks()
    assert not own_threads()


async def test_connections_that_break_anywhere(server):
    random, seen = Random(1), History()
    server.cluster.cut("watch", "configmaps", after=random, times=3)
    server.cluster.cut("list", "configmaps", after=random, times=3)
    async with AsyncClientset.from_config(server.kubeconfig) as k, informer(k) as cms:
        handler = cms.add_handler(**seen.handlers)
        assert await handler.wait_for_sync(FOREVER)
        for number in range(10):
            server.cluster.cut("watch", "configmaps", after=random)
            server.cluster.drop_watches()
            name = f"cm-{number:03}"
            server.cluster.add(config(name, "2"))
            await until(lambda name=name: f"update {name} 1>2" in seen.told)
        assert not seen.nonsense
    assert not own_threads()


async def test_a_server_that_goes_and_comes_back(server):
    seen = History()
    async with AsyncClientset.from_config(server.kubeconfig) as k, informer(k) as cms:
        handler = cms.add_handler(**seen.handlers)
        assert await handler.wait_for_sync(FOREVER)
        port, tls = server.port, server.url.startswith("https")
        if tls:
            return  # it would come back with another certificate
        server.close()
        server.cluster.add(config("new", "1"))
        server.cluster.compact()
        await sleep(0.3)
        assert not seen.told[300:]
        with LocalServer(server.cluster, port=port):
            await until(lambda: seen.told[300:] == ["add new 1"])
    assert not own_threads()


async def test_stopping_while_nobody_listens():
    with LocalServer() as server:
        k = AsyncClientset.from_config(server.kubeconfig)
    async with k, informer(k) as cms:
        begun = time.monotonic()
        assert not await cms.wait_for_sync(0.3)
        await cms.stop()
        assert time.monotonic() - begun < 30
    assert not own_threads()
