"""The Pods of workloads and Services, and their logs as one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, assert_type

import pytest
from kubeapi import AsyncClientset
from kubeapi.apps.v1 import DaemonSet, Deployment, ReplicaSet, StatefulSet
from kubeapi.batch.v1 import CronJob, Job
from kubeapi.core.v1 import ConfigMap, Namespace, Pod, ReplicationController, Service
from kubeapi.meta.v1 import ObjectMeta
from support.workloads import OBJECTS

from clientgen.runtime import LogLine
from clientgen.runtime._async._primitives import sleep, spawn
from clientgen.runtime.aio import pods_of, ready_pods, tail
from clientgen.runtime.controllers import owned_by
from clientgen.runtime.errors import Forbidden, NotFound, OperationRefused
from clientgen.runtime.models import PartialObjectMetadata, Unstructured
from clientgen.testing import FakeClock, FakeCluster, LocalServer


class Shop:
    """A cluster that plays, and its server."""

    def __init__(self, server: LocalServer, clock: FakeClock) -> None:
        self.server = server
        self.cluster = server.cluster
        self.clock = clock

    def connect(self) -> AsyncClientset:
        return AsyncClientset.from_config(self.server.kubeconfig)

    async def run_job(self, k: AsyncClientset, name: str, cron_job: str) -> str:
        """Run a CronJob now. Returns the name of the Pod."""
        parent = await k.get(CronJob, cron_job, namespace="shop")
        metadata = ObjectMeta(name=name, namespace="shop", owner_references=[owned_by(parent)])
        job = await k.create(Job(metadata=metadata, spec=parent.spec.job_template.spec))
        self.cluster.settle()
        label = f"batch.kubernetes.io/job-name={job.metadata.name}"
        (pod,) = await k.list(Pod, namespace="shop", label_selector=label)
        return pod.metadata.name


@pytest.fixture
def shop() -> Iterator[Shop]:
    clock = FakeClock()
    cluster = FakeCluster(Namespace(metadata=ObjectMeta(name="shop")), clock=clock, seed=1)
    cluster.play(nodes=2)
    cluster.apply_manifests(OBJECTS)
    cluster.settle()
    with LocalServer(cluster) as server:
        yield Shop(server, clock)


def names(pods: Any) -> list[str]:
    return sorted(each.metadata.name for each in pods)


@pytest.mark.parametrize(
    ("kind", "name", "label", "count"),
    [
        (Deployment, "web", "app=web", 2),
        (StatefulSet, "db", "app=db", 1),
        (ReplicationController, "old", "app=db", 1),
        (DaemonSet, "agent", "app=agent", 2),
        (Service, "web", "app=web", 2),
    ],
)
async def test_the_pods_of_a_workload(
    shop: Shop, kind: Any, name: str, label: str, count: int
) -> None:
    async with shop.connect() as k:
        expected = await k.list(Pod, namespace="shop", label_selector=label)
        assert len(expected) >= count
        assert await pods_of(k, kind, name, model=Pod, namespace="shop") == expected.items
        obj = await k.get(kind, name, namespace="shop")
        found = await pods_of(k.rest, obj)
        assert_type(found, list[Unstructured])
        assert names(found) == names(expected)


async def test_the_pods_of_jobs_and_cron_jobs(shop: Shop) -> None:
    async with shop.connect() as k:
        own = [await shop.run_job(k, f"now-{number}", "nightly") for number in range(2)]
        await shop.run_job(k, "other", "weekly")
        typed = await pods_of(k, CronJob, "nightly", model=Pod, namespace="shop")
        assert_type(typed, list[Pod])
        assert names(typed) == sorted(own)
        metadata = await pods_of(k, Job, "now-1", model=PartialObjectMetadata, namespace="shop")
        assert names(metadata) == own[1:]
        # A Pod whose Job is gone, or whose Job is a new one of the same name, is nobody's.
        await k.delete(Job, "now-1", namespace="shop", propagation_policy="Orphan")
        assert names(await pods_of(k, CronJob, "nightly", namespace="shop")) == own[:1]
        (old,) = [pod for pod in typed if pod.metadata.name == own[0]]
        old.metadata.owner_references[0].uid = "of-an-earlier-job"
        shop.cluster.add(old)
        assert await pods_of(k, CronJob, "nightly", namespace="shop") == []


async def test_pods_that_get_requests(shop: Shop) -> None:
    async with shop.connect() as k:
        ready = await ready_pods(k, Service, "web", model=Pod, namespace="shop")
        assert_type(ready, list[Pod])
        assert len(ready) == 2
        pod = ready[0]
        for each in pod.status.conditions:
            if each.type == "Ready":
                each.status = "False"
        await k.core_v1.pods("shop").update_status(pod)
        shop.cluster.settle()
        service = await k.get(Service, "web", namespace="shop")
        assert names(await ready_pods(k, service)) == [ready[1].metadata.name]
        assert len(await pods_of(k, service)) == 2


async def test_what_has_no_pods(shop: Shop) -> None:
    async with shop.connect() as k:
        for call in (pods_of, ready_pods):
            with pytest.raises(OperationRefused, match="shop/outside has no selector"):
                await call(k, Service, "outside", namespace="shop")
            with pytest.raises(NotFound):
                await call(k, Service, "gone", namespace="shop")
            with pytest.raises(ValueError, match="needs the name of the Service"):
                await call(k, Service)
        with pytest.raises(TypeError, match=r"Pods belong to a Deployment.*, not ConfigMap"):
            await pods_of(k, ConfigMap, "a")
        with pytest.raises(TypeError, match="ready Pods are those of a Service, not ReplicaSet"):
            await ready_pods(k, ReplicaSet, "a")


async def take(lines: Any, count: int) -> list[str]:
    found: list[str] = []
    async for line in lines:
        assert isinstance(line, LogLine)
        found.append(f"{line.pod} {line.text}")
        if len(found) == count:
            break
    return sorted(found)


async def test_the_logs_of_a_workload_and_of_pods_that_come_later(shop: Shop) -> None:
    async with shop.connect() as k:
        first = names(await pods_of(k, Deployment, "web", namespace="shop"))
        for name in first:
            shop.cluster.logs(f"shop/{name}").write("hello")
        async with tail(k, Deployment, "web", namespace="shop", timeout=60) as lines:
            assert await take(lines, 2) == [f"{name} hello" for name in first]
            await k.apps_v1.deployments("shop").patch("web", {"spec": {"replicas": 3}})
            shop.cluster.settle()
            (new,) = set(names(await pods_of(k, Deployment, "web", namespace="shop"))) - {*first}
            shop.cluster.logs(f"shop/{new}").write("late")
            assert await take(lines, 1) == [f"{new} late"]
        options: Any = {"label_selector": "app!=web", "seconds": 0.2}
        async with tail(k, Deployment, "web", namespace="shop", **options) as lines:
            assert [line async for line in lines] == []


async def test_the_logs_of_a_cron_job(shop: Shop) -> None:
    async with shop.connect() as k:
        first = await shop.run_job(k, "now-1", "nightly")
        other = await shop.run_job(k, "other", "weekly")
        for name in (first, other):
            shop.cluster.logs(f"shop/{name}").write("report")
        async with tail(k, CronJob, "nightly", namespace="shop", timeout=60) as lines:
            assert await take(lines, 1) == [f"{first} report"]
            later = await shop.run_job(k, "now-2", "nightly")
            shop.cluster.logs(f"shop/{later}").write("again")
            assert await take(lines, 1) == [f"{later} again"]


async def test_tails_that_cannot_begin(shop: Shop) -> None:
    async with shop.connect() as k:
        with pytest.raises(NotFound):
            await take(tail(k, Deployment, "gone", namespace="shop"), 1)
        with pytest.raises(OperationRefused, match="has no selector"):
            await take(tail(k, Service, "outside", namespace="shop"), 1)
        with pytest.raises(TypeError, match="Pods belong to"):
            tail(k, ConfigMap, "a")
        unknown: Any = {"lines": 5}
        with pytest.raises(TypeError, match="lines"):
            tail(k, Deployment, "web", **unknown)
        shop.cluster.fail("get", "deployments", 403)
        with pytest.raises(Forbidden):
            await take(tail(k, Deployment, "web", namespace="shop"), 1)
        # It is stopped while it reads the workload.
        shop.cluster.delay(1, "get", "deployments")
        lines = tail(k, Deployment, "web", namespace="shop")
        reading = spawn(lambda: expect_end(lines), "reading")
        await sleep(0.1)
        lines.stop()
        shop.clock.step(2)  # a thread cannot leave its request
        await reading.join()


async def expect_end(lines: Any) -> None:
    assert [line async for line in lines] == []
