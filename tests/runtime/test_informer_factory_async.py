"""Factories of informers; `test_informer_factory_sync` runs the same, derived, on threads."""

from __future__ import annotations

from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, ConfigMapList, Node, NodeList
from kubeapi.meta.v1 import ObjectMeta
from prometheus_client import CollectorRegistry
from support.informing import CONFIG_MAPS, NODES, History, config, tasks, threads, value_of

from clientgen.runtime.aio import AsyncInformerFactory, AsyncSharedInformer
from clientgen.runtime.cache import CacheMutationError
from clientgen.runtime.metrics import PrometheusInformerMetrics
from clientgen.testing import FakeCluster

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


async def test_however_many_ask_there_is_one_watch(cluster):
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
        found = [
            config_maps(informers),
            config_maps(informers, namespace="shop"),
            config_maps(informers, namespace=["shop", "default"]),
            config_maps(informers, label_selector="app=web"),
            config_maps(informers, field_selector="metadata.name=a"),
        ]
        again = config_maps(informers, namespace=("default", "shop", "default"))
        informers.start()
        assert all((await informers.wait_for_sync(FOREVER)).values())
        assert [names(each) for each in found] == [["a", "b"], ["b"], ["a", "b"], ["b"], ["a"]]
        assert again is found[2]


async def test_what_the_factory_is_given_is_the_default(cluster):
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
        assert await informers.wait_for_sync(FOREVER) == {}
        assert not late.is_started
        informers.start()
        assert await informers.wait_for_sync(FOREVER) == {CONFIG_MAPS: True}


async def test_waiting_ends_with_the_time_given(cluster):
    cluster.fail("*", "configmaps", 403, times=None)
    async with factory(cluster) as informers:
        config_maps(informers)
        config_maps(informers, namespace="shop")
        informers.informer(NODES, Node, NodeList)
        informers.start()
        found = await informers.wait_for_sync(0.05)
        assert found[CONFIG_MAPS] is False


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
