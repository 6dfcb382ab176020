"""Informers and listers as type checkers must see them: checked by mypy and pyright, never run.

Lines that must not type-check carry an ignore; an ignore that is not needed is an error too.
"""

from __future__ import annotations

from typing import Any, assert_type

from kubeapi import AsyncClientset, AsyncInformerFactory, Clientset, InformerFactory
from kubeapi.apps.v1 import Deployment
from kubeapi.apps.v1.informers import DeploymentInformer
from kubeapi.apps.v1.listers import DeploymentLister
from kubeapi.core.v1 import ComponentStatus, Node, Pod
from kubeapi.core.v1.async_informers import AsyncPodInformer
from kubeapi.core.v1.informers import NodeInformer, PodInformer
from kubeapi.core.v1.listers import ComponentStatusLister, NodeLister, PodLister
from kubeapi.core.v1.resources import PODS
from servicelookup import api as servicelookup
from servicelookup.api.servicelookup.v1alpha1.informers import PodToServiceInformer

from clientgen.runtime import (
    DeletedFinalStateUnknown,
    Indexer,
    NamespaceLister,
    Resource,
    drop_managed_fields,
    split_key,
)
from clientgen.runtime.aio import AsyncSharedInformer
from clientgen.runtime.sync import SharedInformer


def factories(k: Clientset) -> None:
    assert_type(k.informers(), InformerFactory)
    k.informers(
        namespace=["a", "b"],
        label_selector="app=web",
        field_selector=None,
        resync_period=30,
        transform=drop_managed_fields,
    )
    k.informers(namespaces="a")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    with k.informers(namespace="default") as factory:
        assert_type(factory, InformerFactory)
        assert_type(factory.wait_for_sync(timeout=30), dict[Resource, bool])
    factory.start()
    factory.shutdown()


def informers_are_of_their_kind(factory: InformerFactory) -> None:
    pods = factory.core_v1.pods()
    assert_type(pods, PodInformer)
    shared: SharedInformer[Pod] = pods
    print(shared.resource_version)
    assert_type(factory.apps_v1.deployments(namespace=None), DeploymentInformer)
    assert_type(factory.core_v1.nodes(field_selector="metadata.name=a"), NodeInformer)
    assert_type(factory.for_resource("apps/v1/deployments"), SharedInformer[Any])

    factory.core_v1.nodes(namespace="a")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    factory.core_v1.pods("default")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    factory.core_v1.pods(resync_period=3)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    factory.core_v1.bindings()  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    factory.core_v1.component_statuses()  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    print(factory.authentication_v1)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]


def listers_read_their_kind(factory: InformerFactory, key: str) -> None:
    pods = factory.core_v1.pods().lister
    assert_type(pods, PodLister)
    assert_type(pods.list(), list[Pod])
    assert_type(pods.list("app in (a, b)"), list[Pod])
    assert_type(pods.list({"app": "web", "tier": ["a", "b"]}), list[Pod])
    assert_type(pods.get("default", "web-0"), Pod)
    assert_type(pods.get(*split_key(key)), Pod)
    assert_type(pods.in_namespace("default"), NamespaceLister[Pod])
    assert_type(pods.in_namespace("default").get("web-0"), Pod)
    assert_type(factory.apps_v1.deployments().lister, DeploymentLister)
    pods.get("web-0")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    pods.list(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    nodes = factory.core_v1.nodes().lister
    assert_type(nodes, NodeLister)
    assert_type(nodes.get("node-1"), Node)
    nodes.get("default", "node-1")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def listers_are_made_of_any_cache(
    indexer: Indexer[Pod], other: Indexer[Deployment], statuses: ComponentStatusLister
) -> None:
    assert_type(PodLister(indexer, PODS).list(), list[Pod])
    PodLister(other, PODS)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert_type(statuses.get("scheduler"), ComponentStatus)


def handlers_take_their_kind(pods: PodInformer) -> None:
    def added(pod: Pod, is_initial: bool) -> None:
        print(pod.spec.node_name, is_initial)

    def updated(old: Pod, new: Pod) -> None:
        print(old.status.phase, new.status.phase)

    def deleted(pod: Pod) -> None:
        print(pod.metadata.name)

    def missed(tombstone: DeletedFinalStateUnknown[Pod]) -> None:
        print(tombstone.key)

    def of_node(node: Node) -> None:
        print(node.spec.pod_cidr)

    pods.add_handler(added, updated, deleted, on_delete_unknown=missed)
    pods.add_handler(filter=lambda pod: pod.spec.node_name == "a", on_delete=print)
    pods.add_handler(on_delete=of_node)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    pods.add_handler(on_add=deleted)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    pods.add_index("node", lambda pod: [pod.spec.node_name or ""])
    assert_type(pods.indexer.by_index("node", "a"), list[Pod])
    pods.add_index("node", lambda pod: [pod.spec.nodename])  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownLambdaType]


async def the_same_names_awaited(k: AsyncClientset) -> None:
    async def added(pod: Pod, is_initial: bool) -> None:
        print(await k.core_v1.nodes().get(pod.spec.node_name or ""), is_initial)

    async with k.informers(namespace="default") as factory:
        assert_type(factory, AsyncInformerFactory)
        pods = factory.core_v1.pods()
        assert_type(pods, AsyncPodInformer)
        shared: AsyncSharedInformer[Pod] = pods
        pods.add_handler(on_add=added, on_delete=print)
        assert_type(await shared.wait_for_sync(3), bool)
        assert_type(await factory.wait_for_sync(timeout=3), dict[Resource, bool])
        assert_type(pods.lister, PodLister)
        assert_type(pods.lister.get("default", "web-0"), Pod)
        assert_type(factory.for_resource("v1/pods"), AsyncSharedInformer[Any])


def factories_of_several_packages(k: Clientset, a: AsyncClientset) -> None:
    factory = k.informers()
    own = factory.join(servicelookup.InformerFactory, namespace="default")
    assert_type(own, servicelookup.InformerFactory)
    assert_type(own.servicelookup_v1alpha1.pod_to_services(), PodToServiceInformer)
    assert_type(own.join(InformerFactory), InformerFactory)
    assert_type(own.stop_soon(), None)
    factory.join(Clientset)  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
    factory.join(AsyncInformerFactory)  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
    factory.join(InformerFactory, namespaces="a")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

    async_factory = a.informers().join(servicelookup.AsyncInformerFactory)
    assert_type(async_factory, servicelookup.AsyncInformerFactory)
