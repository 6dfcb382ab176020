"""How long there has been no watch, and what managers and metrics say of it."""

from __future__ import annotations

from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap
from prometheus_client import CollectorRegistry

from clientgen.runtime import PrometheusInformerMetrics
from clientgen.runtime._cache.contact import Contact
from clientgen.runtime.conditions import exists
from clientgen.testing import FakeClock, FakeCluster


def test_a_gap_is_told_once() -> None:
    contact = Contact()
    assert contact.seconds(5.0) == 0.0
    assert contact.until_told(5.0) is None
    contact.lost(10.0)
    contact.lost(20.0)  # it is lost already
    assert (contact.seconds(35.0), contact.until_told(35.0)) == (25.0, 5.0)
    assert contact.until_told(60.0) == 0.0
    assert contact.tell(60.0) == 50.0
    assert contact.until_told(61.0) is None
    assert contact.made(70.0) == 60.0
    assert contact.seconds(70.0) == 0.0
    contact.lost(71.0)
    assert contact.made(72.0) is None  # a short one is nothing to talk about


async def test_factories_and_metrics_say_it() -> None:
    clock, registry = FakeClock(), CollectorRegistry()
    cluster = FakeCluster({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})
    async with cluster.clientset(AsyncClientset) as k:
        metrics = PrometheusInformerMetrics(registry)
        factory = k.informers(clock=clock, metrics=metrics)
        maps = factory.core_v1.config_maps()
        assert factory.seconds_without_watch == 0.0
        factory.start()
        await factory.wait_for_sync()
        assert factory.seconds_without_watch == maps.seconds_without_watch == 0.0
        cluster.fail("watch", "configmaps", 403, times=None)
        cluster.drop_watches()
        while not maps.watch_errors:
            await k.wait(ConfigMap, "a", until=exists)  # lets it notice
        clock.step(7.0)
        assert factory.seconds_without_watch >= 7.0
        labels = {"group": "", "version": "v1", "resource": "configmaps"}
        value = registry.get_sample_value("informer_disconnected_seconds", labels)
        assert value is not None
        assert value >= 7.0
        await factory.shutdown()
