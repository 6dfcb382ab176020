"""Servers that cannot be heard any more, and that come back; `test_silence_sync` is on threads."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, ConfigMapList
from support.blackhole import BlackHole
from support.informers import CONFIG_MAPS, config, tasks, threads

from clientgen.runtime._async._primitives import sleep, spawn
from clientgen.runtime._cache import watch_gap
from clientgen.runtime._cache.reflector_state import ReflectorBackoff
from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime._http import bookmark_interval
from clientgen.runtime.aio import AsyncLeaderElector, AsyncRest, AsyncSharedInformer
from clientgen.runtime.errors import RequestTimeout
from clientgen.testing import FakeCluster
from clientgen.testing._apiserver.verbs import watch as watching
from clientgen.testing._fake.local_server import LocalServer

FOREVER = 30.0
# The real one is 40 seconds, of which a fifth is for the answer.
SILENCE = 1.5


@pytest.fixture
def server():
    with LocalServer(FakeCluster(config("a", "1"))) as server:
        yield server


@pytest.fixture
def proxy(server):
    with BlackHole(server.port) as proxy:
        yield proxy


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    assert not threads() - {"clientgen-serve"}


def client(url: str, **options: Any) -> AsyncClientset:
    return AsyncClientset(AsyncRest(ClusterConfig(url), **{"silence_timeout": SILENCE, **options}))


def informer(k: AsyncClientset) -> AsyncSharedInformer[ConfigMap]:
    return AsyncSharedInformer(k.rest, CONFIG_MAPS, ConfigMap, ConfigMapList)


async def until(condition: Callable[[], object]) -> None:
    until = time.monotonic() + FOREVER
    while not condition():
        assert time.monotonic() < until
        await sleep(0.01)


@pytest.fixture
def often(monkeypatch):
    """Bookmarks come every 0.2 seconds instead of every minute, and 1.5 are a long time."""
    monkeypatch.setattr(watching, "BOOKMARK_SECONDS", 0.2)
    monkeypatch.setattr(bookmark_interval, "_MIN_SILENCE_SECONDS", 1.5)
    monkeypatch.setattr(bookmark_interval, "_MIN_INTERVAL_SECONDS", 0.05)


async def test_a_server_that_is_gone_is_told_and_that_it_is_back(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(watch_gap, "_MIN_REPORTED_SECONDS", 0.3)
    caplog.set_level(logging.INFO, "clientgen.runtime.informers")

    def told(words: str, level: int) -> list[str]:
        every = [(each.levelno, each.getMessage()) for each in caplog.records]
        return [text for number, text in every if number == level and words in text]

    cluster = FakeCluster(config("a", "1"))
    running = ExitStack()
    first = running.enter_context(LocalServer(cluster))
    async with client(first.url) as k, informer(k) as cms:
        assert await cms.wait_for_sync(FOREVER)
        await until(lambda: cms.seconds_without_watch == 0.0)
        port = first.port
        running.close()
        await until(lambda: told("there has been no watch", logging.WARNING))
        assert cms.sync_status == "synced"
        gap = cms.seconds_without_watch
        assert gap >= 0.3
        await until(lambda: cms.seconds_without_watch > gap + 0.5)
        with LocalServer(cluster, port=port):
            cluster.add(config("b", "1"))
            await until(lambda: told("the watch is open again", logging.INFO))
            await until(lambda: len(cms.indexer) == 2)
            assert cms.seconds_without_watch == 0.0
    (warning,) = told("there has been no watch", logging.WARNING)
    assert warning.startswith("/api/v1/configmaps: there has been no watch for 0 s")


def watches(server: LocalServer) -> int:
    return len([each for each in server.cluster.actions if each.verb == "watch"])


@pytest.mark.parametrize("is_kept", [False, True])
async def test_an_informer_whose_connections_have_died(server, proxy, is_kept):
    """All connections there were; new ones work, as after a NAT has lost its table."""
    async with client(proxy.url) as k, informer(k) as cms:
        assert await cms.wait_for_sync(FOREVER)
        await until(lambda: proxy.connections > is_kept)  # the second one is the kept one
        proxy.forget()
        server.cluster.add(config("b", "2"))
        await until(lambda: cms.indexer.get("default/b"))
        assert cms.watch_errors == 0  # nobody is troubled with it
    assert not tasks()


async def test_an_informer_of_a_server_that_is_swallowed_whole(server, proxy, caplog):
    async with client(proxy.url) as k, informer(k) as cms:
        assert await cms.wait_for_sync(FOREVER)
        proxy.swallow()
        caplog.set_level("INFO", "clientgen.runtime.connections")
        await until(lambda: "the server sent nothing for" in caplog.text)
        server.cluster.add(config("b", "2"))
        server.cluster.compact()
        proxy.work()
        await until(lambda: cms.indexer.get("default/b"))


async def test_a_watch_whose_connection_has_died(server, proxy):
    async with client(proxy.url) as k:
        version = (await k.core_v1.config_maps("default").list()).metadata.resource_version
        async with k.core_v1.config_maps("default").watch(resource_version=version) as watch:
            server.cluster.add(config("b", "2"))
            assert (await watch.__anext__()).object.metadata.name == "b"
            proxy.forget()
            server.cluster.add(config("c", "3"))
            assert (await watch.__anext__()).object.metadata.name == "c"


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("silence", [40.0, 0.0])
async def test_an_informer_whose_connection_dies_alone(server, proxy, silence):
    """The server answers over all others, so nobody but the informer itself can know."""
    async with client(proxy.url, silence_timeout=silence) as k, informer(k) as cms:
        assert await cms.wait_for_sync(FOREVER)
        expected = next(iter(cms._sinks.values())).reflector._reflecting.bookmarks
        await until(lambda: expected.limit < FOREVER)
        proxy.forget_one(0)
        server.cluster.add(config("b", "2"))
        assert (await k.core_v1.config_maps("default").get("b")).data == {"value": "2"}
        await until(lambda: cms.indexer.get("default/b"))
        assert cms.watch_errors == 0
        assert not [each for each in server.cluster.actions if each.verb == "list"]


@pytest.mark.usefixtures("often")
async def test_a_watch_whose_connection_dies_alone(server, proxy):
    async with client(proxy.url, silence_timeout=40.0) as k:
        maps = k.core_v1.config_maps("default")
        options: Any = {"send_initial_events": True, "bookmarks": True, "timeout": FOREVER}
        async with maps.watch(**options) as watch:
            while watch._progress.bookmarks.limit > FOREVER:
                await watch.__anext__()
            proxy.forget_one(0)
            server.cluster.add(config("b", "2"))
            while (event := await watch.__anext__()).type == "BOOKMARK":
                pass
            assert event.object.metadata.name == "b"


async def test_a_silent_server_that_answers_keeps_its_streams(server):
    async with client(server.url) as k, informer(k) as cms:
        assert await cms.wait_for_sync(FOREVER)
        monitor = k.rest.chain.monitor
        assert monitor is not None
        monitor._health.patience = FOREVER  # it does answer, however busy this machine is
        await until(lambda: monitor._health.kept_since > 0)  # asked once
        await until(lambda: watches(server) == 2)  # the first was older than what is kept
        await until(lambda: next(iter(cms._sinks.values())).reflector._stream)
        kept = monitor._health.kept_since
        stream = next(iter(cms._sinks.values())).reflector._stream
        asked = monitor._health._probed_at
        await until(lambda: monitor._health._probed_at != asked)
        assert monitor._health.kept_since == kept
        assert next(iter(cms._sinks.values())).reflector._stream is stream
        assert watches(server) == 2


async def test_there_is_nothing_to_keep_when_nobody_listens(server):
    async with client(server.url) as k:
        async with informer(k) as cms:
            assert await cms.wait_for_sync(FOREVER)
            assert any("health monitor" in each for each in threads() | tasks())
        await until(lambda: not any("health monitor" in each for each in threads() | tasks()))


async def test_silence_checks_can_be_turned_off(server):
    async with client(server.url, silence_timeout=0) as k, informer(k) as cms:
        assert await cms.wait_for_sync(FOREVER)
        assert not any("health monitor" in each for each in threads() | tasks())


async def test_a_leader_that_cannot_be_heard_leads_no_longer(proxy):
    async with client(proxy.url) as k:
        elector = AsyncLeaderElector(
            k, "lock", "default", lease_duration=3, renew_deadline=2.0, retry_period=0.2
        )
        running = spawn(lambda: ended(elector), "elector")
        await until(lambda: elector.is_leader)
        proxy.swallow()
        await until(lambda: not elector.is_leader)
        assert await running.join(FOREVER)
        assert elector.is_leader is False


async def ended(elector: AsyncLeaderElector) -> None:
    with pytest.raises(Exception, match="does not lead any more"):
        await elector.run()


async def test_waiting_streams_resume_when_the_server_is_back(server, monkeypatch):
    """However long the wait has become: what would be next is an hour away."""
    monkeypatch.setattr(ReflectorBackoff, "delay", lambda self, now: 3600.0)
    async with client(server.url, silence_timeout=SILENCE) as k, informer(k) as cms:
        assert await cms.wait_for_sync(FOREVER)
        port = server.port
        server.close()
        server.cluster.add(config("b", "2"))
        await until(lambda: k.rest.is_mute)
        with LocalServer(server.cluster, port=port):
            await until(lambda: cms.indexer.get("default/b"))


async def test_one_dead_connection_condemns_all_idle_ones(server, proxy):
    """Whoever has waited in vain once gets an answer the next time, over a new connection."""
    server.cluster.delay(0.3, "get", "configmaps", times=3)
    async with client(proxy.url) as k:
        maps = k.core_v1.config_maps("default")

        async def get() -> None:
            await maps.get("a")

        together = [spawn(get, f"get-{number}") for number in range(3)]
        for each in together:
            assert await each.join(FOREVER)
        assert proxy.connections == 3
        proxy.forget()
        with pytest.raises(RequestTimeout):
            await maps.get("a", timeout=0.5)
        assert (await maps.get("a", timeout=FOREVER)).metadata.name == "a"
