"""Generated informers on a cluster in the process: tasks here, threads in ..._threads.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from kubeapi import AsyncClientset, AsyncInformerFactory, Clientset
from kubeapi.core.v1 import ConfigMap, Container, Namespace, Node, Pod, PodList, PodSpec
from kubeapi.core.v1.async_informers import AsyncPodInformer
from kubeapi.core.v1.listers import NodeLister, PodLister
from kubeapi.core.v1.resources import PODS
from kubeapi.meta.v1 import ObjectMeta

from clientgen._gvk import GroupVersionResource
from clientgen.runtime._async._primitives import sleep
from clientgen.runtime.errors import NotFound
from clientgen.testing import FakeCluster


def pod(name: str, namespace: str = "shop", **labels: str) -> Pod:
    return Pod(
        metadata=ObjectMeta(name=name, namespace=namespace, labels=labels),
        spec=PodSpec(containers=[Container(name="main", image="nginx")]),
    )


def cluster_with(*objects: Any) -> tuple[FakeCluster, AsyncClientset]:
    cluster = FakeCluster(*objects)
    return cluster, cluster.clientset(AsyncClientset)


async def until(holds: Callable[[], object]) -> None:
    while not holds():
        await sleep(0.001)


async def synced(factory: AsyncInformerFactory) -> None:
    factory.start()
    assert all((await factory.wait_for_sync(timeout=30)).values())


async def test_a_factory_keeps_what_its_listers_read() -> None:
    node = Node(metadata=ObjectMeta(name="n1"))
    _, k = cluster_with(node, pod("web-0", app="web"), pod("db-0", app="db"), pod("x", "other"))
    async with k, k.informers(namespace="shop") as factory:
        pods, nodes = factory.core_v1.pods(), factory.core_v1.nodes()
        await synced(factory)

        assert (type(pods.lister), type(nodes.lister)) == (PodLister, NodeLister)
        assert sorted(pod.metadata.name for pod in pods.lister.list()) == ["db-0", "web-0"]
        assert [pod.metadata.name for pod in pods.lister.list("app=web")] == ["web-0"]
        assert pods.lister.get("shop", "web-0").metadata.labels == {"app": "web"}
        assert pods.lister.in_namespace("shop").get("db-0").metadata.name == "db-0"
        assert nodes.lister.get("n1").metadata.name == "n1"
        with pytest.raises(NotFound, match='pods "x" not found'):
            pods.lister.get("other", "x")


async def test_handlers_are_told_what_happens_to_objects_of_their_kind() -> None:
    cluster, k = cluster_with(pod("old"))
    user = cluster.clientset(Clientset)
    told: list[str] = []
    async with k, k.informers() as factory:
        factory.core_v1.pods().add_handler(
            on_add=lambda pod, is_initial: told.append(f"+{pod.metadata.name} {is_initial}"),
            on_update=lambda old, new: told.append(
                f"{old.metadata.labels} > {new.metadata.labels}"
            ),
            on_delete=lambda pod: told.append(f"-{pod.metadata.name}"),
        )
        await synced(factory)
        cluster.add(pod("new"))
        user.core_v1.pods("shop").edit("new", lambda pod: pod.metadata.labels.update(a="b"))
        user.core_v1.pods("shop").delete("old", grace_period_seconds=0)
        await until(lambda: told[-1:] == ["-old"])

    assert told == ["+old True", "+new False", "{} > {'a': 'b'}", "-old"]


async def test_there_is_one_informer_per_kind_and_options_however_it_is_asked_for() -> None:
    cluster, k = cluster_with(pod("web-0"))
    async with k, k.informers(namespace="shop") as factory:
        pods = factory.core_v1.pods()

        assert factory.core_v1.pods() is pods
        assert factory.core_v1.pods(namespace="shop") is pods
        assert factory.for_resource("v1/pods") is pods
        assert factory.for_resource(PODS.gvr) is pods
        assert factory.core_v1.pods(namespace=None) is not pods
        assert factory.core_v1.pods(label_selector="a=b") is not pods
        await synced(factory)

    asked = [str(action) for action in cluster.actions if action.verb in {"list", "watch"}]
    assert len([each for each in asked if each == "watch pods shop"]) == 2
    assert len([each for each in asked if each == "watch pods"]) == 1


async def test_an_informer_of_no_class_does_for_nobody_who_wants_its_lister() -> None:
    _, k = cluster_with()
    factory = k.informers()
    plain = factory.informer(PODS, Pod, PodList)
    pods = factory.core_v1.pods()

    assert type(pods) is AsyncPodInformer
    assert factory.core_v1.pods() is pods
    assert factory.informer(PODS, Pod, PodList) is plain
    await factory.shutdown()
    await k.aclose()


async def test_the_options_of_a_factory_are_those_of_its_informers() -> None:
    namespaces = [Namespace(metadata=ObjectMeta(name=name)) for name in ("one", "two", "three")]
    cluster, k = cluster_with(*namespaces)
    user = cluster.clientset(Clientset).core_v1
    for namespace, name, app in ("one", "a", "x"), ("one", "b", "y"), ("two", "c", "x"):
        labelled = ObjectMeta(name=name, labels={"app": app})
        user.config_maps(namespace).create(ConfigMap(metadata=labelled))
    user.config_maps("three").create(ConfigMap(metadata=ObjectMeta(name="d", labels={"app": "x"})))
    options = k.informers(
        namespace=["one", "two"], label_selector="app=x", strip_managed_fields=True
    )
    async with k, options as factory:
        config_maps = factory.core_v1.config_maps()
        await synced(factory)

        cached = config_maps.lister.list()
        assert sorted(each.metadata.name for each in cached) == ["a", "c"]
        assert all(not each.metadata.managed_fields for each in cached)
        assert user.config_maps("one").get("a").metadata.managed_fields


async def test_resources_without_an_informer_are_named() -> None:
    _, k = cluster_with()
    factory = k.informers()

    for unknown in ("v1/bindings", "v2/pods", "apps/v1/pods", "pods"):
        with pytest.raises(LookupError):
            factory.for_resource(unknown)
    with pytest.raises(LookupError, match=r"shop\.example\.com/v1/crates"):
        factory.for_resource(GroupVersionResource("shop.example.com", "v1", "crates"))
    nonsense: dict[str, Any] = {"namespaces": "shop"}
    with pytest.raises(
        TypeError, match="unexpected option 'namespaces'; the options are field_sel"
    ):
        factory.core_v1.pods(**nonsense)
    await factory.shutdown()
    await k.aclose()


async def test_a_kind_of_the_whole_cluster_is_not_narrowed_by_namespace() -> None:
    cluster, k = cluster_with(Node(metadata=ObjectMeta(name="n1")))
    async with k, k.informers(namespace="shop") as factory:
        nodes = factory.for_resource("v1/nodes")
        await synced(factory)

        assert [node.metadata.name for node in nodes.lister.list()] == ["n1"]
    assert repr(factory.core_v1).startswith("AsyncCoreV1Informers(")
    assert cluster.actions[0].namespace == ""
