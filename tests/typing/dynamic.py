"""Dynamic clients as type checkers must see them: checked by mypy and pyright, never run.

Lines that must not type-check carry an ignore; an ignore that is not needed is an error too.
"""

from __future__ import annotations

from typing import Any, assert_type

from kubeapi import AsyncClientset, Clientset
from kubeapi.apps.v1 import Deployment
from kubeapi.apps.v1.resources import DEPLOYMENTS
from kubeapi.autoscaling.v1 import Scale
from kubeapi.core.v1 import ConfigMap

from clientgen.runtime import ApiResource, Resource, Scheme, WatchEvent
from clientgen.runtime.aio import AsyncDynamicClient, AsyncDynamicResource, AsyncSharedInformer
from clientgen.runtime.models import (
    ModelList,
    PartialObjectMetadata,
    Status,
    Table,
    TableRow,
    Unstructured,
)
from clientgen.runtime.sync import (
    DynamicClient,
    DynamicResource,
    DynamicSubresource,
    MetadataClient,
    SharedInformer,
)


def resources(k: Clientset) -> None:
    d = DynamicClient(k.rest, Scheme(), namespace="shop")
    assert_type(d.resource("deploy"), DynamicResource[Any])
    assert_type(d.resource(DEPLOYMENTS), DynamicResource[Any])
    assert_type(d.resource(Deployment), DynamicResource[Deployment])
    assert_type(d.resource("deploy", model=Deployment), DynamicResource[Deployment])
    assert_type(d.resource("deploy", model=Unstructured), DynamicResource[Unstructured])
    assert_type(d.resources("all"), list[DynamicResource[Any]])
    assert_type(d.discovery.api_resources(all_versions=True), list[ApiResource])
    assert_type(d.discovery.resource("deploy", timeout=3), ApiResource)
    d.resource(3)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
    d.resource("deploy", model=int)  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]


def verbs(k: Clientset) -> None:
    maps = DynamicClient(k.rest).resource(ConfigMap)
    assert_type(maps.get("a", namespace="shop", timeout=3), ConfigMap)
    assert_type(maps.list(label_selector="a=b"), ModelList[ConfigMap])
    assert_type(maps.delete("a"), ConfigMap | Status)
    assert_type(maps.delete_collection(namespace="shop"), ModelList[ConfigMap] | Status)
    assert_type(maps.create({"metadata": {"name": "a"}}), ConfigMap)
    assert_type(maps.edit("a", lambda obj: obj.metadata), ConfigMap)
    assert_type(maps.patch("a", {"data": {"a": "b"}}), ConfigMap)
    assert_type(maps.metadata, DynamicResource[PartialObjectMetadata])
    assert_type(maps.status("a"), DynamicSubresource[ConfigMap])
    assert_type(maps.scale("a"), DynamicSubresource[Any])
    assert_type(maps.subresource("a", "scale", model=Scale), DynamicSubresource[Scale])
    assert_type(maps.subresource("a", "scale", model=Scale).get(), Scale)
    assert_type(maps.resource(), Resource)
    for obj in maps.each():
        assert_type(obj, ConfigMap)
    for event in maps.watch():
        assert_type(event, WatchEvent[ConfigMap])
    maps.create(Deployment())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    maps.get("a", limit=3)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def informers(k: Clientset) -> None:
    factory = k.informers()
    assert_type(factory.dynamic("ct"), SharedInformer[Any])
    informer = factory.dynamic("ct", model=Unstructured, namespace="shop")
    assert_type(informer, SharedInformer[Unstructured])
    assert_type(informer.lister.list(), list[Unstructured])


def clientsets(k: Clientset) -> None:
    assert_type(k.dynamic, DynamicClient)
    assert_type(k.metadata, MetadataClient)
    assert_type(k.metadata.resource("deploy"), DynamicResource[PartialObjectMetadata])
    assert_type(k.metadata.resource(Deployment).get("a"), PartialObjectMetadata)
    table = k.table("pods", namespace="shop", label_selector="a=b")
    assert_type(table, Table)
    assert_type(table.rows, list[TableRow])
    assert_type(table.to_text(wide=True), str)
    assert_type(k.create(Unstructured()), Unstructured)


async def asynchronous(k: AsyncClientset) -> None:
    d = AsyncDynamicClient(k.rest)
    maps = d.resource(ConfigMap)
    assert_type(maps, AsyncDynamicResource[ConfigMap])
    assert_type(await maps.get("a"), ConfigMap)
    assert_type(await d.resources("all"), list[AsyncDynamicResource[Any]])
    async for obj in maps.each():
        assert_type(obj, ConfigMap)
    async for event in maps.watch():
        assert_type(event.object, ConfigMap)
    assert_type(await k.informers().dynamic("ct"), AsyncSharedInformer[Any])
    assert_type(await k.table(ConfigMap), Table)
    assert_type(k.dynamic, AsyncDynamicClient)
