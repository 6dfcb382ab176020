"""The time without a watch, and what managers and metrics report about it."""

from __future__ import annotations

from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap
from prometheus_client import CollectorRegistry

from clientgen.runtime import PrometheusInformerMetrics
from clientgen.runtime._cache.watch_gap import WatchGap
from clientgen.runtime.conditions import exists
from clientgen.testing import FakeClock, FakeCluster


def test_a_gap_is_reported_once() -> None:
    gap = WatchGap()
    assert gap.seconds(5.0) == 0.0
    assert gap.seconds_until_report(5.0) is None
    gap.begin(10.0)
    gap.begin(20.0)  # the gap has begun already
    assert (gap.seconds(35.0), gap.seconds_until_report(35.0)) == (25.0, 5.0)
    assert gap.seconds_until_report(60.0) == 0.0
    assert gap.report(60.0) == 50.0
    assert gap.seconds_until_report(61.0) is None
    assert gap.end(70.0) == 60.0
    assert gap.seconds(70.0) == 0.0
    gap.begin(71.0)
    assert gap.end(72.0) is None  # a short gap is not reported


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
