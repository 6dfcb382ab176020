"""Views: the type checker knows the fields that they have, and that there are no others."""

from __future__ import annotations

from typing import assert_type

from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap, Container, Pod, PodSpec

from clientgen.runtime._cache.listers import Lister
from clientgen.runtime.aio import AsyncContext, AsyncManager, AsyncSharedInformer
from clientgen.runtime.conditions import deleted
from clientgen.runtime.controllers import Request
from clientgen.runtime.models import ModelList, Unstructured
from clientgen.runtime.sync import SharedInformer
from clientgen.runtime.views import PartOf, View, view_of


class PlaceContainer(PartOf[Container]):
    name: str
    image: str | None


class PlaceSpec(PartOf[PodSpec]):
    node_name: str | None
    containers: list[PlaceContainer]


class PodPlace(View[Pod]):
    spec: PlaceSpec


class MapName(View[ConfigMap]):
    """The metadata only."""


def clients(k: Clientset) -> None:
    places = k.core_v1.pods("shop").view(PodPlace)
    place = places.get("web")
    assert_type(place, PodPlace)
    assert_type(place.metadata.name, str)
    assert_type(place.metadata.labels, dict[str, str])
    assert_type(place.spec.node_name, str | None)
    assert_type(place.spec.containers[0].image, str | None)
    assert_type(places.list(), ModelList[PodPlace])
    for event in places.watch():
        assert_type(event.object.spec, PlaceSpec)
    assert_type(places.wait("web", until=lambda it: it.spec.node_name), PodPlace)
    assert_type(places.wait("web", until=deleted), PodPlace | None)
    assert_type(places.full(place), Pod)
    assert_type(k.full(place), Pod)
    assert_type(k.get(PodPlace, "web"), PodPlace)
    assert_type(k.list(PodPlace), ModelList[PodPlace])

    print(place.status)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownArgumentType, reportUnknownMemberType]
    print(place.spec.hostname)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownArgumentType, reportUnknownMemberType]
    print(place.metadata.annotations)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownArgumentType, reportUnknownMemberType]
    place.spec = place.spec  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    places.create(place)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    k.core_v1.pods("shop").update(place)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    k.create(place)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType, reportCallIssue]
    k.patch(place, {})  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    k.edit(place, print)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]


def caches(k: Clientset) -> None:
    informer = k.informers().view(PodPlace)
    assert_type(informer, SharedInformer[PodPlace])
    assert_type(informer.lister, Lister[PodPlace])
    informer.add_index("node", lambda place: [place.spec.node_name or ""])
    informer.add_index("host", lambda place: [place.spec.hostname])  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownLambdaType, reportUnknownMemberType]


async def controllers(k: AsyncClientset) -> None:
    async def reconcile(context: AsyncContext[PodPlace]) -> None:
        assert_type(context.object, PodPlace | None)

    manager = AsyncManager(k)
    assert_type(manager.informer(PodPlace), AsyncSharedInformer[PodPlace])
    controller = manager.controller("places", reconcile).for_(PodPlace)
    controller.owns(MapName)
    controller.watches(MapName, lambda it: [Request(it.metadata.namespace, it.metadata.name)])
    controller.watches(MapName, lambda it: [Request("", it.data)])  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


def by_paths(k: Clientset) -> None:
    size = view_of(["spec.size"])
    assert_type(size, type[Unstructured])
    tabs = k.dynamic.resource("crontabs", model=size)
    assert_type(tabs.get("a"), Unstructured)
    assert_type(k.informers().dynamic("crontabs", model=size), SharedInformer[Unstructured])
    view_of([b"spec"])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
    k.core_v1.pods("shop").view(size)  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
