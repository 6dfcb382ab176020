"""Clients that wait for workloads that are played: time passes meanwhile."""

from __future__ import annotations

import asyncio
import threading

import pytest
from kubeapi import AsyncClientset, Clientset
from support.play import NAMESPACE, deployment, playing, put

from clientgen.runtime.conditions import condition, deleted, rolled_out
from clientgen.runtime.errors import WaitTimeout
from clientgen.testing import FakeClock, FakeCluster, LocalServer


def test_time_passes_while_a_client_waits() -> None:
    """With `advance` a wait ends by itself, at the moment when it would end."""
    cluster, k, clock, _ = playing(pod_start=10, advance=True)
    put(cluster, deployment(replicas=2))
    assert clock.monotonic() == 0
    found = k.apps_v1.deployments(NAMESPACE).wait("web", until=rolled_out, timeout=60)

    assert found.status.available_replicas == 2
    assert clock.monotonic() == 10


def test_time_passes_while_a_task_waits() -> None:
    """The same for asyncio."""
    cluster, _, clock, _ = playing(pod_start=10, pod_stop=5, advance=True)
    put(cluster, deployment(replicas=2))
    k = cluster.clientset(AsyncClientset)

    async def main() -> None:
        pods = k.core_v1.pods(NAMESPACE)
        await pods.wait(until=condition("Ready"), label_selector="app=web", timeout=60)
        assert clock.monotonic() == 10
        await k.apps_v1.deployments(NAMESPACE).delete("web")
        await pods.wait(until=deleted, label_selector="app=web", timeout=60)

    asyncio.run(main())
    assert clock.monotonic() == 15


def test_time_passes_while_a_client_waits_over_http() -> None:
    """The same over a socket."""
    cluster, _, clock, _ = playing(pod_start=10, advance=True)
    put(cluster, deployment(replicas=1))
    with LocalServer(cluster) as server, Clientset.from_config(server.kubeconfig) as k:
        k.apps_v1.deployments(NAMESPACE).wait("web", until=rolled_out, timeout=60)

    assert clock.monotonic() == 10


def test_time_does_not_pass_without_end() -> None:
    """Nothing that is not waited for lets time pass: back-offs, deadlines, schedules."""
    cluster, k, clock, play = playing(advance=True)
    play.pods(NAMESPACE).crash()
    put(cluster, deployment(replicas=1))
    with k.core_v1.pods(NAMESPACE).watch(timeout_seconds=300) as watch:
        reader = threading.Thread(target=list, args=[watch], daemon=True)
        reader.start()
        while clock.waiters < 2:  # the cluster, and the reader
            pass
        assert clock.monotonic() == 0
        clock.step(301)
        reader.join(10)


def test_time_passes_until_a_wait_gives_up() -> None:
    """In one thread nobody could move the clock when there is nothing more to come."""
    cluster, k, clock, play = playing(pod_start=10, advance=True)
    play.pods(NAMESPACE).fail_to_pull()
    put(cluster, deployment(replicas=1))
    with pytest.raises(WaitTimeout, match=r"after 60 s: .* container [a-z]+: ImagePullBackOff"):
        k.apps_v1.deployments(NAMESPACE).wait("web", until=rolled_out, timeout=60)
    assert clock.monotonic() == 60
    play.clear()
    play.pods(NAMESPACE).stay_pending(reason="Unschedulable")
    put(cluster, deployment("other", replicas=1))
    with pytest.raises(WaitTimeout, match="the Pod is Pending; Unschedulable"):
        k.apps_v1.deployments(NAMESPACE).wait("other", until=rolled_out, timeout=60)


def test_a_step_of_another_thread_ends_a_wait() -> None:
    """Without `advance`, a wait ends when somebody moves the clock."""
    cluster, k, clock, _ = playing(pod_start=10)
    put(cluster, deployment(replicas=1))
    found = []

    def wait() -> None:
        found.append(k.apps_v1.deployments(NAMESPACE).wait("web", until=rolled_out, timeout=60))

    waiter = threading.Thread(target=wait)
    waiter.start()
    cluster.settle()
    waiter.join(30)
    assert found[0].status.available_replicas == 1
    assert clock.monotonic() == 10


def test_advance_needs_a_fake_clock() -> None:
    """Other clocks move anyway."""
    with pytest.raises(ValueError, match="advance=True needs"):
        FakeCluster().play(advance=True)
    FakeCluster(clock=FakeClock()).play(advance=True)
