"""Objects without a class, metadata and tables as type checkers must see them; never run.

Lines that must not type-check carry an ignore; an ignore that is not needed is an error too.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeVar, assert_type

from kubeapi import Clientset
from kubeapi.apps.v1 import Deployment
from kubeapi.apps.v1.resources import DEPLOYMENTS

from clientgen.runtime.aio import AsyncInformerFactory, AsyncSharedInformer
from clientgen.runtime.models import (
    Object,
    OwnerReference,
    PartialObjectMetadata,
    PartialObjectMetadataList,
    Table,
    TableColumnDefinition,
    TableRow,
    Unstructured,
    UnstructuredList,
    decode,
    deep_copy,
    from_dict,
)

T = TypeVar("T", bound=Object)


def metadata(obj: Unstructured) -> None:
    assert_type(obj["spec"], Any)
    assert_type(obj.name, str)
    meta = obj.metadata
    assert_type(meta.resource_version, str)
    assert_type(meta.generation, int | None)
    assert_type(meta.creation_timestamp, datetime | None)
    assert_type(meta.labels, dict[str, str])
    assert_type(meta.finalizers, list[str])
    assert_type(meta.owner_references, list[OwnerReference])
    meta.name = "web"
    meta.labels["app"] = "web"
    meta.labels = {"app": "web"}
    meta.generation = "3"  # type: ignore[assignment]  # pyright: ignore[reportAttributeAccessIssue]
    meta.nmae = "web"  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    obj.spec  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]  # noqa: B018


def conversions(obj: Unstructured, deployment: Deployment) -> None:
    assert_type(obj.to(Deployment), Deployment)
    assert_type(Unstructured.of(deployment), Unstructured)
    assert_type(Unstructured.of(obj), Unstructured)
    assert_type(deep_copy(obj), Unstructured)
    assert_type(decode(b"{}", Unstructured), Unstructured)
    assert_type(from_dict(Unstructured, {}), Unstructured)
    obj.to(Unstructured)  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]


def lists(objects: UnstructuredList, table: Table) -> None:
    for obj in objects:
        assert_type(obj, Unstructured)
    assert_type(objects.metadata.continue_, str)
    for row in table:
        assert_type(row, TableRow)
        assert_type(row.object, Unstructured | None)
    assert_type(table.rows[0].cells, list[Any])
    assert_type(table.column_definitions, list[TableColumnDefinition])


def informers(factory: AsyncInformerFactory, k: Clientset) -> None:
    whole = factory.informer(DEPLOYMENTS, Unstructured, UnstructuredList)
    assert_type(whole, AsyncSharedInformer[Unstructured])
    assert_type(whole.lister.get("shop", "web"), Unstructured)
    whole.add_index("replicas", lambda obj: [str(obj["spec"]["replicas"])])
    parts = factory.informer(DEPLOYMENTS, PartialObjectMetadata, PartialObjectMetadataList)
    assert_type(parts.lister.list(), list[PartialObjectMetadata])
    mixed = PartialObjectMetadataList
    factory.informer(DEPLOYMENTS, Unstructured, mixed)  # type: ignore[misc]  # pyright: ignore[reportArgumentType]
    deployment = k.apps_v1.deployments("shop").get("web")
    k.apps_v1.deployments("shop").apply(Unstructured.of(deployment))


def copied(obj: T) -> T:
    """Functions of users may be bound to the same."""
    return deep_copy(obj)


def functions(obj: Unstructured, deployment: Deployment) -> None:
    assert_type(copied(obj), Unstructured)
    assert_type(copied(deployment), Deployment)
    copied({})  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
