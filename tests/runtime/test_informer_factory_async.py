"""Factories of informers; `test_informer_factory_sync` runs the same, derived, on threads."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, ConfigMapList, Node, NodeList
from kubeapi.meta.v1 import ObjectMeta
from prometheus_client import CollectorRegistry
from support.informers import CONFIG_MAPS, NODES, History, config, tasks, threads, value_of

from clientgen.runtime import CacheMutationError, PrometheusInformerMetrics
from clientgen.runtime._async._primitives import sleep
from clientgen.runtime.aio import AsyncInformerFactory, AsyncSharedInformer
from clientgen.runtime.errors import NotSynced, SyncTimeout
from clientgen.testing import FakeClock, FakeCluster

FOREVER = 10.0


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    assert not threads()


@pytest.fixture
def cluster() -> FakeCluster:
    return FakeCluster(
        config("a", "1"), config("b", "2", "shop", app="web"), Node(metadata=ObjectMeta(name="n"))
    )


def factory(cluster: FakeCluster, **options: Any) -> AsyncInformerFactory:
    return AsyncInformerFactory(cluster.clientset(AsyncClientset).rest, **options)


def config_maps(factory: AsyncInformerFactory, **options: Any) -> AsyncSharedInformer[ConfigMap]:
    return factory.informer(CONFIG_MAPS, ConfigMap, ConfigMapList, **options)


def names(informer: AsyncSharedInformer[ConfigMap]) -> list[str]:
    return sorted(each.metadata.name for each in informer.lister.list())


def watched(cluster: FakeCluster) -> list[str]:
    return sorted(str(each) for each in cluster.actions if each.verb == "watch")


async def test_all_users_share_one_watch(cluster):
    async with factory(cluster) as informers:
        first = config_maps(informers)
        informers.start()
        assert await informers.wait_for_sync(FOREVER) == {CONFIG_MAPS: True}
        assert config_maps(informers) is first
        assert config_maps(informers, namespace=None, label_selector="") is first
        informers.start()
        assert names(first) == ["a", "b"]
    assert watched(cluster) == ["watch configmaps"]
    assert first.is_stopped
    assert not tasks()


async def test_other_options_are_another_watch(cluster):
    async with factory(cluster) as informers:
        caches = [
            config_maps(informers),
            config_maps(informers, namespace="shop"),
            config_maps(informers, namespace=["shop", "default"]),
            config_maps(informers, label_selector="app=web"),
            config_maps(informers, field_selector="metadata.name=a"),
        ]
        again = config_maps(informers, namespace=("default", "shop", "default"))
        informers.start()
        assert all((await informers.wait_for_sync(FOREVER)).values())
        assert [names(each) for each in caches] == [["a", "b"], ["b"], ["a", "b"], ["b"], ["a"]]
        assert again is caches[2]


async def test_options_of_the_factory_are_the_defaults(cluster):
    def keep(obj: ConfigMap) -> ConfigMap:
        obj.data = {"value": "kept"}
        return obj

    async with factory(cluster, namespace="shop", transform=keep) as informers:
        narrow, wide = config_maps(informers), config_maps(informers, namespace=None)
        nodes = informers.informer(NODES, Node, NodeList)
        nodes.set_transform(lambda node: node)
        informers.start()
        assert await informers.wait_for_sync(FOREVER) == {CONFIG_MAPS: True, NODES: True}
        assert names(narrow) == ["b"]
        assert names(wide) == ["a", "b"]
        assert value_of(wide.lister.get("default", "a")) == "kept"
        assert nodes.lister.get("n").metadata.name == "n"


async def test_informers_that_come_late_start_with_another_start(cluster):
    async with factory(cluster) as informers:
        assert await informers.wait_for_sync(FOREVER) == {}
        late = config_maps(informers)
        with pytest.raises(NotSynced, match=r"not started: configmaps; call start\(\)"):
            await informers.wait_for_sync()
        with pytest.raises(NotSynced, match=r"not started: configmaps; call start\(\)"):
            await late.wait_for_sync()
        assert not late.is_started
        informers.start()
        assert await informers.wait_for_sync(FOREVER) == {CONFIG_MAPS: True}


async def test_waiting_ends_with_the_time_given(cluster):
    cluster.fail("*", "configmaps", 403, times=None, message="configmaps is forbidden")
    async with factory(cluster) as informers:
        config_maps(informers)
        several = config_maps(informers, namespace=["shop", "default"])
        nodes = informers.informer(NODES, Node, NodeList)
        informers.start()
        await nodes.wait_for_sync(FOREVER)
        await until(lambda: several.watch_errors > 1)
        with pytest.raises(SyncTimeout) as caught:
            await informers.wait_for_sync(0.05)
    rule = 'apiGroups [""], resources ["configmaps"], verbs ["list", "watch"]'
    refused = f"403 Forbidden: configmaps is forbidden; needs the rule: {rule}"
    assert isinstance(caught.value, TimeoutError)
    assert str(caught.value) == (
        f"timed out after 0.05 s waiting for caches: configmaps ({refused}), "
        f"configmaps in default, shop (in default: {refused}; in shop: {refused}), nodes (synced)"
    )


async def test_a_forbidden_watch_after_a_list_syncs_and_is_reported(cluster):
    cluster.fail("watch", "configmaps", 403, times=None)
    async with factory(cluster) as informers:
        cms = config_maps(informers)
        informers.start()
        assert await informers.wait_for_sync(FOREVER) == {CONFIG_MAPS: True}
        assert names(cms) == ["a", "b"]
        await until(lambda: cms.watch_errors)
        cluster.add(config("late", "3"))
        await until(lambda: names(cms) == ["a", "b", "late"])  # with the next list


READS: list[Callable[[AsyncSharedInformer[ConfigMap]], object]] = [
    lambda cms: cms.lister.list(),
    lambda cms: cms.lister.get("default", "a"),
    lambda cms: cms.lister.in_namespace("default").list(),
    lambda cms: cms.lister.in_namespace("default").get("a"),
    lambda cms: cms.indexer.get("default/a"),
    lambda cms: cms.indexer.list(),
    lambda cms: cms.indexer.keys(),
    lambda cms: cms.indexer.by_index("namespace", "default"),
    lambda cms: cms.indexer.index_keys("namespace", "default"),
    lambda cms: cms.indexer.index_values("namespace"),
    lambda cms: len(cms.indexer),
    lambda cms: "default/a" in cms.indexer,
]


async def test_a_cache_that_is_not_full_says_so(cluster):
    """Whoever forgets to start or to wait must not take it for an empty cluster."""
    blocked = cluster.fail("*", "configmaps", 403, times=None, namespace="shop")
    async with factory(cluster, namespace=["default", "shop"]) as informers:
        cms = config_maps(informers)
        for read in READS:
            with pytest.raises(NotSynced, match=r"configmaps in default, shop> .*not started"):
                read(cms)
        informers.start()
        await until(lambda: cms.indexer.stored and cms.watch_errors)  # a half is not the whole
        for read in READS:
            with pytest.raises(NotSynced, match=r"not full yet \(in shop: 403 Forbidden"):
                read(cms)
        assert "0 objects" not in repr(cms.lister)
        blocked.remove()
        assert await informers.wait_for_sync(FOREVER) == {CONFIG_MAPS: True}
        for read in READS:
            read(cms)
    assert names(cms) == ["a", "b"]  # as it was when it was stopped


async def test_a_server_that_says_nothing_is_named_so():
    clock = FakeClock()
    cluster = FakeCluster(clock=clock)
    cluster.delay(60.0, "watch", "nodes")
    async with factory(cluster) as informers:
        nodes = informers.informer(NODES, Node, NodeList)
        informers.start()
        with pytest.raises(SyncTimeout, match=r"nodes \(no answer yet\)"):
            await informers.wait_for_sync(0.01)
        nodes.stop_soon()
        clock.step(60.0)  # a thread waits for its answer
    assert not await nodes.wait_for_sync()
    assert await informers.wait_for_sync() == {NODES: False}


async def until(condition: Callable[[], object]) -> None:
    until = time.monotonic() + FOREVER
    while not condition():
        assert time.monotonic() < until
        await sleep(0.005)


async def test_after_the_shutdown_there_is_nothing_more(cluster):
    informers, seen = factory(cluster), History()
    config_maps(informers).add_handler(**seen.handlers)
    informers.start()
    await informers.wait_for_sync(FOREVER)
    await informers.shutdown()
    await informers.shutdown()
    with pytest.raises(RuntimeError, match="shut down"):
        informers.start()
    with pytest.raises(RuntimeError, match="shut down"):
        config_maps(informers)
    assert not tasks()


async def test_one_informer_may_be_stopped_alone(cluster):
    async with factory(cluster) as informers:
        alone = config_maps(informers, namespace="shop")
        informers.start()
        await informers.wait_for_sync(FOREVER)
        await alone.stop()
        config_maps(informers)
        informers.start()
        await config_maps(informers).wait_for_sync(FOREVER)
        assert names(config_maps(informers)) == ["a", "b"]


async def test_a_shutdown_stops_all_before_it_complains(cluster, monkeypatch):
    monkeypatch.setenv("CLIENTGEN_CACHE_MUTATION_DETECTOR", "1")
    informers = factory(cluster)
    changed, other = config_maps(informers), config_maps(informers, namespace="shop")
    informers.start()
    await informers.wait_for_sync(FOREVER)
    changed.lister.get("default", "a").data["value"] = "mine"
    with pytest.raises(CacheMutationError):
        await informers.shutdown()
    assert other.is_stopped
    assert not tasks()


@pytest.mark.parametrize("text", ["pods", "v1/nonesuch", "nonesuch/v1/pods", "", "/"])
def test_resources_nobody_knows(cluster, text):
    with pytest.raises(LookupError):
        factory(cluster).for_resource(text)


async def test_metrics_tell_how_it_goes(cluster):
    registry = CollectorRegistry()
    metrics = PrometheusInformerMetrics(registry)
    labels = {"group": "", "version": "v1", "resource": "configmaps"}

    def value(name: str) -> float | None:
        return registry.get_sample_value(name, labels)

    def fail(*objects: Any) -> None:
        raise LookupError

    async with factory(cluster, metrics=metrics) as informers:
        handler = config_maps(informers).add_handler(fail)
        config_maps(informers, namespace="shop")
        informers.start()
        await informers.wait_for_sync(FOREVER)
        await handler.wait_for_sync(FOREVER)
        assert value("informer_objects") == 3
        assert value("informer_queued_items") == 0
        assert value("informer_handler_errors_total") == 2
        assert value("informer_watch_errors_total") == 0
        version = int(config_maps(informers).resource_version)
        assert value("informer_store_resource_version") == version
        assert value("informer_processing_latency_seconds_count") >= 2
    # Another user of the same registry adds to the same series.
    PrometheusInformerMetrics(registry)
