"""The fakes as a type checker sees them: a clientset is of the class that was given."""

from __future__ import annotations

from typing import assert_type

from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import Pod, PodList

from clientgen.runtime import errors
from clientgen.testing import (
    Action,
    FakeClock,
    FakeCluster,
    Play,
    cluster_of,
    fake_clientset,
)

assert_type(fake_clientset(Clientset), Clientset)
assert_type(
    fake_clientset(AsyncClientset, Pod(), {"kind": "Pod"}, clock=FakeClock()), AsyncClientset
)

cluster = FakeCluster(Pod(), crds=["crds"])
k = cluster.clientset(Clientset, timeout=3)
assert_type(k, Clientset)
assert_type(k.core_v1.pods("default").list(), PodList)
assert_type(cluster.clientset(AsyncClientset), AsyncClientset)
assert_type(cluster_of(k), FakeCluster)
assert_type(cluster.clock, FakeClock)
cluster.clock.step(60)
assert_type(cluster.actions, list[Action])
assert_type(cluster.actions[0].decode(Pod), Pod)


def reaction(action: Action) -> Pod | None:
    return action.decode(Pod) if action.is_write else None


cluster.react("get", "pods", reaction)
cluster.react("get", "pods", errors.NotFound)
cluster.react("get", "pods", Pod())
cluster.react("get", "pods", {"kind": "Pod"})
cluster.fail("*", "*", 429, retry_after=1)
cluster.fail("*", "*", errors.ConnectionLost)
cluster.fail("*", "*", "no error")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
cluster.clientset(int)  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]


assert_type(cluster.play(nodes=2, pod_start=1.5, advance=False), Play)
play = cluster_of(k).play()
play.pods("shop", "web-*", labels="app=web").start_after(5).crash(exit_code=3, times=2).recover()
play.pods().crash(exit_code="1")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
play.pods().explode()  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
cluster.play(pods_start=1)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
cluster.settle(limit=60)
