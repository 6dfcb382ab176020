"""What only informers that are made of tasks can do, and what only threads can."""

from __future__ import annotations

import asyncio
import gc
import logging

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap, ConfigMapList
from prometheus_client import CollectorRegistry
from support.informers import CONFIG_MAPS, config, tasks, threads

from clientgen.runtime._cache.informer_metrics import PrometheusInformerMetrics
from clientgen.runtime._controllers.reconcile_loop import Request
from clientgen.runtime.aio import AsyncController, AsyncSharedInformer
from clientgen.runtime.sync import SharedInformer
from clientgen.testing import FakeCluster

FOREVER = 10.0


@pytest.fixture
def cluster() -> FakeCluster:
    return FakeCluster(config("a", "1"), config("b", "1"))


def informer(cluster: FakeCluster) -> AsyncSharedInformer[ConfigMap]:
    k = cluster.clientset(AsyncClientset)
    return AsyncSharedInformer(k.rest, CONFIG_MAPS, ConfigMap, ConfigMapList)


async def await_what_is_cancelled() -> None:
    work = asyncio.ensure_future(asyncio.sleep(FOREVER))
    work.cancel()
    await work


async def test_what_a_handler_awaits_may_be_cancelled(cluster, caplog):
    told: list[str] = []

    async def on_add(obj: ConfigMap, is_initial: bool) -> None:
        told.append(obj.metadata.name)
        await await_what_is_cancelled()

    async with informer(cluster) as cms:
        assert await cms.add_handler(on_add).wait_for_sync(FOREVER)
        assert sorted(told) == ["a", "b"]
        assert cms.handler_errors == 2
    assert "a task that this task waited for was cancelled" in caplog.text


async def test_what_reconcile_awaits_may_be_cancelled(caplog):
    seen: list[str] = []

    async def reconcile(request: Request) -> None:
        seen.append(request.name)
        if len(seen) == 1:
            await await_what_is_cancelled()
        controller.stop()

    controller = AsyncController("things", reconcile)
    controller.queue.add(Request("default", "a"))
    await asyncio.wait_for(controller.run(), FOREVER)
    assert seen == ["a", "a"]
    assert "reconciling default/a failed (1)" in caplog.text


async def test_cancelling_a_handler_is_still_possible(cluster):
    begun = asyncio.Event()

    async def on_add(obj: ConfigMap, is_initial: bool) -> None:
        begun.set()
        await asyncio.sleep(FOREVER)

    cms = informer(cluster)
    cms.add_handler(on_add)
    cms.start()
    await asyncio.wait_for(begun.wait(), FOREVER)
    for task in asyncio.all_tasks():
        if task.get_name().startswith("clientgen handler"):
            task.cancel()
    await asyncio.wait_for(cms.stop(), FOREVER)
    assert not tasks()
    assert cms.handler_errors == 0


async def test_a_handler_that_is_cancelled_before_it_begins_can_be_waited_for(cluster):
    cms = informer(cluster)
    cms.add_handler(lambda obj, is_initial: None)
    cms.start()
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()
    await asyncio.wait_for(cms.stop(), FOREVER)
    assert not tasks()


def test_starting_without_a_loop_is_not_starting(cluster):
    cms = informer(cluster)
    with pytest.raises(RuntimeError, match="no running event loop"):
        cms.start()
    assert not cms.is_started

    async def run() -> bool:
        async with cms:
            return await cms.wait_for_sync(FOREVER)

    assert asyncio.run(run())


async def test_a_factory_replaces_what_was_stopped(cluster):
    async with cluster.clientset(AsyncClientset).informers() as factory:
        stopped = factory.core_v1.config_maps()
        factory.start()
        await stopped.stop()
        another = factory.core_v1.config_maps()
        assert another is not stopped
        assert another is factory.core_v1.config_maps()
        factory.start()
        assert await another.wait_for_sync(FOREVER)


async def test_a_cancelled_wait_leaves_nothing_behind(cluster):
    cluster.fail("*", "configmaps", 403, times=None)
    async with informer(cluster) as cms:
        for _ in range(3):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(cms.wait_for_sync(), 0.001)
        assert not cms._processor.settled._waiters


def test_metrics_forget_informers_that_are_gone(cluster):
    registry = CollectorRegistry()
    metrics = PrometheusInformerMetrics(registry)
    k = cluster.clientset(AsyncClientset)
    for _ in range(3):
        AsyncSharedInformer(k.rest, CONFIG_MAPS, ConfigMap, ConfigMapList, metrics=metrics)
        gc.collect()
    assert len(metrics._collector._informers[CONFIG_MAPS]) == 1


def test_a_thread_that_wants_to_exit_is_told_off_and_goes_on(cluster, caplog):
    def on_add(obj: ConfigMap, is_initial: bool) -> None:
        raise SystemExit(3)

    caplog.set_level(logging.ERROR)
    k = cluster.clientset(Clientset)
    with SharedInformer(k.rest, CONFIG_MAPS, ConfigMap, ConfigMapList) as cms:
        assert cms.add_handler(on_add).wait_for_sync(FOREVER)
        assert cms.handler_errors == 2
    assert "a thread cannot exit the program" in caplog.text
    assert not threads()
