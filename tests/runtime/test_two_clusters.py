"""One controller for objects of two clusters; `test_two_clusters_threads` does the same.

There is no public way to reconcile the kind in a second cluster yet: `_for` names its informer.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from types import SimpleNamespace
from typing import Any, Self

from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap, Namespace, Secret
from kubeapi.meta.v1 import ObjectMeta, OwnerReference

from clientgen.runtime._async._primitives import Task, sleep, spawn
from clientgen.runtime._async.controller import client_of
from clientgen.runtime._controllers.reconcile_loop import ClusterRequest
from clientgen.runtime.aio import AsyncContext, AsyncInformerFactory, AsyncManager
from clientgen.runtime.controllers import Request
from clientgen.testing import FakeCluster


def config_map(name: str, value: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace="shop"), data={"value": value})


def owned_secret(name: str, owner: str) -> Secret:
    reference = OwnerReference(
        api_version="v1", kind="ConfigMap", name=owner, uid="1", controller=True
    )
    metadata = ObjectMeta(name=name, namespace="shop", owner_references=[reference])
    return Secret(metadata=metadata)


async def until(holds: Callable[[], object]) -> None:
    deadline = monotonic() + 30
    while not holds():
        assert monotonic() < deadline, "timed out"
        await sleep(0.001)


class AsyncTwoClusters:
    """A manager of the cluster `east`, and a factory of informers of the cluster `west`."""

    def __init__(self) -> None:
        self.east, self.west = (
            FakeCluster(Namespace(metadata=ObjectMeta(name="shop")), config_map("a", place))
            for place in ("east", "west")
        )
        self.k, self.k_west = (
            cluster.clientset(AsyncClientset) for cluster in (self.east, self.west)
        )
        self.manager = AsyncManager(self.k, name="example.com/shop")
        self.factory = self.k_west.informers()
        self.seen: list[AsyncContext[ConfigMap]] = []
        self.failures: list[Exception] = []
        self.task: Task

    async def reconcile(self, context: AsyncContext[ConfigMap]) -> None:
        self.seen.append(context)
        if self.failures:
            raise self.failures.pop()

    def places(self) -> list[str]:
        """Where each reconciled object was, as its content says; it is cleared."""
        seen, self.seen[:] = [*self.seen], []
        return sorted(
            f"{each.request} {each.object.data['value'] if each.object else 'is gone'}"
            for each in seen
        )

    async def __aenter__(self) -> Self:
        self.task = spawn(self.manager.run, "manager")
        return self

    async def __aexit__(self, *_: object) -> None:
        self.manager.stop()
        assert await self.task.join(60), "it does not stop"
        await self.factory.shutdown()
        await self.k.aclose()
        await self.k_west.aclose()


def reasons(cluster: FakeCluster) -> list[str]:
    events = cluster.clientset(Clientset).events_v1.events("shop").list().items
    return sorted(event.reason for event in events)


async def test_informers_carry_the_clientset_they_came_from() -> None:
    both = AsyncTwoClusters()
    maps = both.factory.core_v1.config_maps()
    assert maps.client is both.k_west
    assert both.factory.join(AsyncInformerFactory).metadata(maps.resource).client is both.k_west
    assert both.manager.informer(ConfigMap).client is both.k
    assert AsyncInformerFactory(both.k.rest).metadata(maps.resource).client is both.k.rest
    await both.k.aclose()
    await both.k_west.aclose()


async def test_a_controller_of_objects_elsewhere_works_in_their_cluster() -> None:
    both = AsyncTwoClusters()
    maps = both.factory.core_v1.config_maps()
    both.manager.controller("maps", both.reconcile).for_(maps)
    async with both:
        await until(lambda: both.seen)
        [context] = both.seen
        assert type(context.request) is Request
        assert context.object is not None
        assert context.object.data["value"] == "west"
        assert context.clientset is both.k_west
        await context.clientset.create(config_map("b", "own"))
        assert maps.lister.get("shop", "b").data["value"] == "own"  # the cache of that cluster
        context.recorder.event(context.object, "Normal", "Seen", "seen")
        both.manager.recorder.event(context.object, "Normal", "Home", "at home")
    assert (reasons(both.east), reasons(both.west)) == (["Home"], ["Seen"])


async def test_objects_of_one_name_in_two_clusters_are_two() -> None:
    both = AsyncTwoClusters()
    controller = both.manager.controller("maps", both.reconcile).for_(ConfigMap).owns(Secret)
    controller._for(both.factory.core_v1.config_maps()).owns(both.factory.core_v1.secrets())
    async with both:
        await until(lambda: len(both.seen) == 2)
        contexts = {each.object.data["value"]: each for each in both.seen if each.object}
        east, west = contexts["east"], contexts["west"]
        assert (east.clientset, west.clientset) == (both.k, both.k_west)
        assert type(east.request) is Request
        assert east.request != west.request
        assert west.request != east.request
        assert (*east.request,) == (*west.request,) == ("shop", "a")
        for context, reason in ((east, "East"), (west, "West")):
            context.recorder.event(context.object, "Normal", reason, "seen")
        both.places()
        await both.k_west.create(owned_secret("s", "a"))  # owners are in the cluster of the owned
        await until(lambda: both.seen)
        assert both.places() == ["shop/a west"]
        await both.k.create(owned_secret("s", "missing"))
        await until(lambda: both.seen)
        assert both.places() == ["shop/missing is gone"]
        await both.k.update(config_map("a", "new"))
        await until(lambda: both.seen)
        assert both.places() == ["shop/a new"]
    assert (reasons(both.east), reasons(both.west)) == (["East"], ["West"])


async def test_a_retry_stays_in_its_cluster() -> None:
    both = AsyncTwoClusters()
    controller = both.manager.controller("maps", both.reconcile).for_(ConfigMap)
    controller._for(both.factory.core_v1.config_maps())
    async with both:
        await until(lambda: len(both.seen) == 2)
        both.places()
        both.failures = [RuntimeError("once more")]
        await both.k_west.update(config_map("a", "newer"))
        await until(lambda: len(both.seen) == 2)
        assert both.places() == ["shop/a newer", "shop/a newer"]


async def test_a_source_elsewhere_names_objects_of_the_first_cluster() -> None:
    both = AsyncTwoClusters()
    controller = both.manager.controller("maps", both.reconcile).for_(ConfigMap)
    controller.watches(both.factory.core_v1.secrets(), lambda _: [Request("shop", "a")])
    async with both:
        await until(lambda: both.seen)
        assert both.places() == ["shop/a east"]
        await both.k_west.create(owned_secret("s", "x"))
        await until(lambda: both.seen)
        assert both.seen[0].clientset is both.k
        assert both.places() == ["shop/a east"]


async def test_a_client_without_a_clientset_gets_one() -> None:
    both = AsyncTwoClusters()
    maps: Any = AsyncInformerFactory(both.k_west.rest).dynamic
    informer = await maps("configmaps", model=ConfigMap)
    both.manager.controller("maps", both.reconcile).for_(informer)
    async with both:
        await until(lambda: both.seen)
        [context] = both.seen
        assert type(context.clientset) is AsyncClientset
        assert context.clientset.rest is both.k_west.rest
        await informer.stop()


def test_requests_are_equal_in_one_cluster_only() -> None:
    east, west = object(), object()
    plain = Request("shop", "a")
    there = ClusterRequest.of(plain, west)
    assert there == ClusterRequest.of(plain, west)
    assert hash(there) == hash(ClusterRequest.of(plain, west))
    assert there not in {plain, ClusterRequest.of(plain, east)}
    assert plain not in {there}
    assert str(there) == "shop/a"


def test_other_sources_need_not_tell_their_client() -> None:
    source: Any = SimpleNamespace(client="of another library")
    assert client_of(source) is None
    assert client_of(object()) is None
