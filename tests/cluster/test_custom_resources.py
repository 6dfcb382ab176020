"""Custom resources, which the server treats otherwise than its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Unpack

import pytest
from clusterkit.together import async_collect, async_take, async_together
from clusterkit.widgets import (
    WIDGETS,
    Widget,
    WidgetList,
    WidgetStatus,
    widget,
)
from kubeapi import AsyncClientset
from kubeapi.autoscaling.v1.manifests import ScaleManifest
from kubeapi.autoscaling.v1.models import Scale

from clientgen.runtime import (
    ApplyOptions,
    DeleteCollectionOptions,
    DeleteOptions,
    EachOptions,
    EditOptions,
    GetOptions,
    JsonPatch,
    ListOptions,
    MergePatch,
    Patch,
    PatchOptions,
    StrategicMergePatch,
    WatchOptions,
    WriteOptions,
)
from clientgen.runtime.aio import AsyncResourceClient, AsyncSubresource, AsyncWatch
from clientgen.runtime.errors import (
    BadRequest,
    Conflict,
    Invalid,
    NotFound,
    UnsupportedMediaType,
)
from clientgen.runtime.models import Status, from_dict, to_dict

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("widgets")]


class AsyncWidgetClient(AsyncResourceClient):
    """As the generator would write it."""

    resource = WIDGETS

    async def get(self, name: str, **options: Unpack[GetOptions]) -> Widget:
        return await self._get(Widget, name, options)

    async def list(self, **options: Unpack[ListOptions]) -> WidgetList:
        return await self._list(WidgetList, options)

    def each(self, **options: Unpack[EachOptions]) -> AsyncIterator[Widget]:
        return self._each(WidgetList, options)

    def watch(self, **options: Unpack[WatchOptions]) -> AsyncWatch[Widget]:
        return self._watch(Widget, options)

    async def create(self, body: Widget, **options: Unpack[WriteOptions]) -> Widget:
        return await self._create(Widget, body, options)

    async def update(self, body: Widget, **options: Unpack[WriteOptions]) -> Widget:
        return await self._update(Widget, body, options)

    async def patch(self, name: str, patch: Patch, **options: Unpack[PatchOptions]) -> Widget:
        return await self._patch(Widget, name, patch, options)

    async def edit(
        self, name: str, change: Callable[[Widget], object], **options: Unpack[EditOptions]
    ) -> Widget:
        return await self._edit(Widget, name, change, options)

    async def apply(
        self, body: Widget | Mapping[str, object], **options: Unpack[ApplyOptions]
    ) -> Widget:
        return await self._apply(Widget, body, options)

    async def delete(self, name: str, **options: Unpack[DeleteOptions]) -> Widget | Status:
        return await self._delete(Widget, name, options)

    async def delete_collection(
        self, **options: Unpack[DeleteCollectionOptions]
    ) -> WidgetList | Status:
        return await self._delete_collection(WidgetList, options)

    def status(self, name: str) -> AsyncSubresource[Widget, Mapping[str, object]]:
        return self._subresource(Widget, name, "status")

    def scale(self, name: str) -> AsyncSubresource[Scale, ScaleManifest]:
        return self._subresource(Scale, name, "scale")


def newer(name: str) -> Widget:
    """A widget with fields that the model does not know."""
    spec = {"color": "red", "secretTwist": 7, "anything": {"a": [1, {"b": None}], "n": None}}
    return from_dict(Widget, {**to_dict(widget(name)), "spec": spec})


async def test_every_verb_works(kube: AsyncClientset, namespace: str) -> None:
    widgets = AsyncWidgetClient(kube.rest, namespace)
    made = await widgets.create(widget("one", color="red", replicas=1))
    assert (made.api_version, made.kind) == (WIDGETS.api_version, "Widget")
    assert await widgets.get("one") == made
    made.spec.color = "blue"
    updated = await widgets.update(made)
    assert (updated.spec.color, updated.metadata.generation) == ("blue", 2)
    patched = await widgets.patch("one", MergePatch({"spec": {"replicas": 2}}))
    assert patched.spec.replicas == 2
    replaced = JsonPatch([{"op": "replace", "path": "/spec/color", "value": "green"}])
    assert (await widgets.patch("one", replaced)).spec.color == "green"
    applied = await widgets.apply(widget("two", color="red"), field_manager="me")
    assert applied.spec.color == "red"
    listed = await widgets.list()
    assert [(each.kind, each.metadata.name) for each in listed] == [
        ("Widget", "one"),
        ("Widget", "two"),
    ]
    names = [each.metadata.name async for each in widgets.each(limit=1)]
    assert names == ["one", "two"]
    answer = await widgets.delete("one")
    assert isinstance(answer, Status)
    collection = await widgets.delete_collection()
    assert isinstance(collection, WidgetList)
    assert [each.metadata.name for each in collection] == ["two"]
    with pytest.raises(NotFound):
        await widgets.get("one")


async def test_all_namespaces_are_listed_together(kube: AsyncClientset, namespace: str) -> None:
    await AsyncWidgetClient(kube.rest, namespace).create(widget("one"))
    everywhere = await AsyncWidgetClient(kube.rest).list()
    assert namespace in {each.metadata.namespace for each in everywhere}


async def test_declared_fields_select(kube: AsyncClientset, namespace: str) -> None:
    widgets = AsyncWidgetClient(kube.rest, namespace)
    await widgets.create(widget("one", color="red"))
    await widgets.create(widget("two", color="blue"))
    matching = await widgets.list(field_selector="spec.color=blue")
    assert [each.metadata.name for each in matching] == ["two"]
    with pytest.raises(BadRequest):
        await widgets.list(field_selector="spec.replicas=1")


async def test_changes_are_watched(kube: AsyncClientset, namespace: str) -> None:
    widgets = AsyncWidgetClient(kube.rest, namespace)
    await widgets.create(widget("one", color="red"))
    async with widgets.watch(field_selector="spec.color=red", timeout=20) as watch:
        (added,) = await async_take(1, watch)
        await widgets.patch("one", MergePatch({"spec": {"color": "blue"}}))
        (gone,) = await async_take(1, watch)
    assert (added.type, added.object.spec.color) == ("ADDED", "red")
    assert (gone.type, gone.object.spec.color) == ("DELETED", "red")
    assert await async_collect(widgets.watch(resource_version="", timeout_seconds=1)) != []


async def test_strategic_patches_are_not_supported(kube: AsyncClientset, namespace: str) -> None:
    widgets = AsyncWidgetClient(kube.rest, namespace)
    await widgets.create(widget("one"))
    with pytest.raises(UnsupportedMediaType) as caught:
        await widgets.patch("one", StrategicMergePatch({"spec": {"color": "red"}}))
    assert caught.value.code == 415


async def test_an_update_needs_a_version(kube: AsyncClientset, namespace: str) -> None:
    widgets = AsyncWidgetClient(kube.rest, namespace)
    made = await widgets.create(widget("one"))
    stale = made.metadata.resource_version
    made.metadata.resource_version = ""
    with pytest.raises(Invalid, match=r"metadata\.resourceVersion"):
        await widgets.update(made)
    await widgets.patch("one", MergePatch({"spec": {"color": "red"}}))
    made.metadata.resource_version = stale
    made.spec.color = "blue"
    with pytest.raises(Conflict):
        await widgets.update(made)


async def test_the_schema_is_enforced(kube: AsyncClientset, namespace: str) -> None:
    widgets = AsyncWidgetClient(kube.rest, namespace)
    with pytest.raises(Invalid) as caught:
        await widgets.create(widget("one", color="mauve", replicas=-1))
    fields = {cause.field: cause.reason for cause in caught.value.causes}
    assert fields["spec.color"] == "FieldValueNotSupported"
    assert fields["spec.replicas"] == "FieldValueInvalid"
    unknown = {**to_dict(newer("one")), "bogus": 1}
    with pytest.raises(BadRequest, match='unknown field "bogus"'):
        await widgets.create(from_dict(Widget, unknown), field_validation="Strict")


async def test_a_status_and_a_scale_are_written_by_themselves(
    kube: AsyncClientset, namespace: str
) -> None:
    widgets = AsyncWidgetClient(kube.rest, namespace)
    made = await widgets.create(widget("one", replicas=1))
    made.status = WidgetStatus(replicas=1, label_selector="a=b")
    made.spec.replicas = 9
    written = await widgets.status("one").update(made)
    assert (written.spec.replicas, written.status.replicas) == (1, 1)
    scale = await widgets.scale("one").get()
    assert (scale.spec.replicas, scale.status.selector) == (1, "a=b")
    scale.spec.replicas = 3
    assert (await widgets.scale("one").update(scale)).spec.replicas == 3
    patched = await widgets.scale("one").patch(MergePatch({"spec": {"replicas": 4}}))
    assert patched.spec.replicas == 4
    assert (await widgets.get("one")).spec.replicas == 4


async def test_an_edit_keeps_what_the_model_does_not_know(
    kube: AsyncClientset, namespace: str
) -> None:
    widgets = AsyncWidgetClient(kube.rest, namespace)
    made = await widgets.create(newer("one"))
    before = to_dict(made)
    assert before["spec"]["secretTwist"] == 7

    def change(it: Widget) -> None:
        it.spec.color = "blue"

    edited = to_dict(await widgets.edit("one", change))
    assert edited["spec"] == {**before["spec"], "color": "blue"}


async def test_an_update_keeps_what_the_model_does_not_know(
    kube: AsyncClientset, namespace: str
) -> None:
    widgets = AsyncWidgetClient(kube.rest, namespace)
    made = await widgets.create(newer("one"))
    before = to_dict(made)["spec"]
    made.spec.color = "blue"
    updated = to_dict(await widgets.update(made))
    assert updated["spec"] == {**before, "color": "blue"}


@pytest.mark.parametrize("weight", [60.0, -1.0, 2.5])
async def test_an_update_of_what_was_read_is_no_change(
    kube: AsyncClientset, namespace: str, weight: float
) -> None:
    """The server keeps 60 of 60.0, and would take 60.0 for another number."""
    widgets = AsyncWidgetClient(kube.rest, namespace)
    await widgets.create(widget("one", weight=weight))
    before = await widgets.get("one")
    assert before.spec.weight == weight
    await widgets.update(await widgets.get("one"))
    assert await widgets.get("one") == before


async def test_editors_who_know_less_lose_nothing_of_each_other(
    kube: AsyncClientset, namespace: str
) -> None:
    """One counts in a field that the others do not know, while they change what they know."""
    widgets = AsyncWidgetClient(kube.rest, namespace)
    await widgets.create(newer("one"))

    def next_color(it: Widget) -> None:
        it.spec.color = {"red": "green", "green": "blue", "blue": "red"}[it.spec.color or "red"]

    async def count() -> None:
        for number in range(20):
            patch = MergePatch({"spec": {"anything": {f"n{number}": number}}})
            await widgets.patch("one", patch)

    async def paint() -> None:
        for _ in range(10):
            try:
                await widgets.edit("one", next_color)
            except Conflict:
                continue

    await async_together([count, paint, paint])
    spec = to_dict(await widgets.get("one"))["spec"]
    assert spec["secretTwist"] == 7
    assert {f"n{number}": number for number in range(20)}.items() <= spec["anything"].items()
