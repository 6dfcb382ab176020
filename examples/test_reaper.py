"""How a controller is tested: a cluster in the process, a clock, what was asked, what fails."""

from __future__ import annotations

import asyncio
from datetime import datetime

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import (
    Container,
    ContainerState,
    ContainerStateTerminated,
    ContainerStatus,
    Pod,
    PodSpec,
    PodStatus,
)
from kubeapi.meta.v1 import ObjectMeta
from reaper import Reaper, next_done

from clientgen.runtime.errors import Conflict, Forbidden, InternalError, NotFound
from clientgen.testing import (
    Action,
    FakeClock,
    FakeCluster,
    LocalServer,
    cluster_of,
    fake_clientset,
)


def done_pod(name: str, finished: datetime) -> Pod:
    """A pod as a kubelet leaves it: status is what a test may set and a client may not."""
    ended = ContainerStateTerminated(exit_code=0, finished_at=finished)
    return Pod(
        metadata=ObjectMeta(name=name, namespace="jobs"),
        spec=PodSpec(containers=[Container(name="main", image="busybox")]),
        status=PodStatus(
            phase="Succeeded",
            container_statuses=[
                ContainerStatus(
                    name="main",
                    image="busybox",
                    image_id="",
                    ready=False,
                    restart_count=0,
                    state=ContainerState(terminated=ended),
                )
            ],
        ),
    )


def said(cluster: FakeCluster) -> list[str]:
    return [str(action) for action in cluster.actions]


def test_pods_go_when_their_time_has_come() -> None:
    clock = FakeClock()
    k = fake_clientset(Clientset, done_pod("a", clock.now()), clock=clock)
    reaper = Reaper(k, clock)

    assert reaper.reap() == []
    clock.step(3600)
    assert reaper.reap() == ["jobs/a"]

    assert said(cluster_of(k)) == ["list pods", "list pods", "delete pods jobs/a"]
    assert k.core_v1.pods().list().items == []


def test_the_uid_is_asked_for() -> None:
    clock = FakeClock()
    cluster = FakeCluster(done_pod("a", clock.now()), clock=clock)
    k = cluster.clientset(Clientset)
    uid = k.core_v1.pods("jobs").get("a").metadata.uid
    clock.step(3600)
    Reaper(k, clock).reap()

    [deletion] = cluster.writes
    assert deletion.object["preconditions"] == {"uid": uid}


def test_somebody_may_be_faster() -> None:
    clock = FakeClock()
    cluster = FakeCluster(done_pod("a", clock.now()), clock=clock)
    cluster.react("delete", "pods", NotFound)
    clock.step(3600)

    assert Reaper(cluster.clientset(Clientset), clock).reap() == ["jobs/a"]


def test_a_pod_that_was_replaced_meanwhile_stays() -> None:
    clock = FakeClock()
    cluster = FakeCluster(done_pod("a", clock.now()), clock=clock)

    def replace(action: Action) -> None:
        helper = cluster.clientset(Clientset)  # reactions may use the cluster
        helper.core_v1.pods(action.namespace).delete(action.name, grace_period_seconds=0)
        cluster.add(done_pod(action.name, clock.now()))

    cluster.react("delete", "pods", replace, times=1)
    clock.step(3600)
    with pytest.raises(Conflict):
        Reaper(cluster.clientset(Clientset), clock).reap()


def test_a_busy_server_is_asked_again_and_a_broken_one_is_reported() -> None:
    clock = FakeClock()
    cluster = FakeCluster(clock=clock)
    reaper = Reaper(cluster.clientset(Clientset), clock)

    cluster.fail("list", "pods", 429, times=2, retry_after=0)
    assert reaper.reap() == []
    assert said(cluster) == ["list pods"] * 3

    cluster.fail("list", "pods", 500)
    with pytest.raises(InternalError):
        reaper.reap()


def test_a_watch_goes_on_after_its_connection_broke() -> None:
    async def scenario() -> None:
        clock = FakeClock()
        k = fake_clientset(AsyncClientset, clock=clock)
        cluster = cluster_of(k)
        version = (await k.core_v1.pods().list()).metadata.resource_version or ""
        cluster.cut("watch", "pods", after=20)  # in the middle of the first event
        waiting = asyncio.create_task(next_done(k, version))
        cluster.add(done_pod("a", clock.now()))

        assert await waiting == "a"
        assert said(cluster) == ["list pods", "watch pods", "watch pods"]

    asyncio.run(scenario())


def test_the_same_over_http_for_whatever_client() -> None:
    cluster = FakeCluster()
    cluster.react("create", "pods", Forbidden, namespace="kube-system")
    with LocalServer(cluster) as server, Clientset.from_config(server.kubeconfig) as k:
        with pytest.raises(Forbidden):
            k.core_v1.pods("kube-system").create(Pod(metadata=ObjectMeta(name="a")))
        assert k.core_v1.pods("default").list().items == []
