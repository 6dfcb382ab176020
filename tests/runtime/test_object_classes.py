"""Clients, watches and informers with Unstructured, metadata and tables in place of models.

`test_object_classes_threads` runs the same, derived, on threads.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kubeapi import AsyncClientset
from kubeapi.core.v1 import Node, Secret
from kubeapi.meta.v1 import ObjectMeta
from support.examples import try_examples
from support.informers import CONFIG_MAPS, NODES, config
from support.server import reply

from clientgen.runtime import ClusterLister, Resource, drop_managed_fields, split_key
from clientgen.runtime._async._primitives import sleep, spawn
from clientgen.runtime._async.object_client import AsyncObjectClient
from clientgen.runtime._async.rest import AsyncRest
from clientgen.runtime._cache.mutation_detector import MutationDetector
from clientgen.runtime._controllers.event_aggregation import Reference
from clientgen.runtime._controllers.reconcile_loop import Request
from clientgen.runtime.aio import AsyncController, AsyncInformerFactory, AsyncSharedInformer
from clientgen.runtime.errors import NotFound, ResponseBroken
from clientgen.runtime.models import (
    OwnerReference,
    PartialObjectMetadata,
    PartialObjectMetadataList,
    Status,
    Table,
    Unstructured,
    UnstructuredList,
)
from clientgen.testing import FakeCluster, LocalServer

SECRETS = Resource("", "v1", "secrets", "Secret", namespaced=True)
THINGS = Resource("example.com", "v1", "things", "Thing", namespaced=True)
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "things.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "things", "kind": "Thing", "listKind": "Things"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
            }
        ],
    },
}


@pytest.fixture
def local() -> Iterator[LocalServer]:
    cluster = FakeCluster(
        DEFINITION,
        *(config(f"cm-{number}", str(number), app="web") for number in range(5)),
        Secret(metadata=ObjectMeta(name="s", namespace="default"), data={"password": b"hunter2"}),
        Node(metadata=ObjectMeta(name="n1")),
    )
    with LocalServer(cluster) as running:
        yield running


def objects(k: AsyncClientset, resource: Resource = CONFIG_MAPS) -> Any:
    namespace = "default" if resource.namespaced else None
    return AsyncObjectClient(k.rest, resource, namespace, Unstructured, UnstructuredList)


def metadata(k: AsyncClientset, resource: Resource = CONFIG_MAPS) -> Any:
    return AsyncObjectClient(
        k.rest, resource, "default", PartialObjectMetadata, PartialObjectMetadataList
    )


def tables(k: AsyncClientset) -> Any:
    return AsyncObjectClient(k.rest, CONFIG_MAPS, "default", Table, Table)


async def test_every_verb_takes_and_gives_objects_without_a_class(local: LocalServer) -> None:
    async with AsyncClientset.from_config(local.kubeconfig) as k:
        maps = objects(k)
        one = await maps.get("cm-1")
        assert type(one) is Unstructured
        assert (one.kind, one.api_version, one["data"]) == ("ConfigMap", "v1", {"value": "1"})
        assert (one.metadata.name, one.metadata.labels) == ("cm-1", {"app": "web"})
        one["data"]["more"] = "x"
        one.metadata.annotations["note"] = "y"
        updated = await maps.update(one)
        assert updated["data"] == {"value": "1", "more": "x"}
        assert updated.metadata.annotations == {"note": "y"}
        new = Unstructured(apiVersion="v1", kind="ConfigMap", metadata={"name": "new"})
        assert (await maps.create(new)).metadata.uid
        new["data"] = {"a": "b"}
        applied = await maps.apply(new, force=True)
        assert applied["data"] == {"a": "b"}

        def change(each: Unstructured) -> None:
            each["data"] = {"c": "d"}
            each.metadata.finalizers.append("example.com/hold")

        edited = await maps.edit("new", change)
        assert (edited["data"], edited.metadata.finalizers) == ({"c": "d"}, ["example.com/hold"])
        pending = await maps.delete("new")
        assert type(pending) is Unstructured
        assert pending.metadata.deletion_timestamp is not None
        await maps.edit("new", lambda each: each.metadata.finalizers.clear())
        gone = await maps.delete("cm-4")
        assert isinstance(gone, Status)
        with pytest.raises(NotFound):
            await maps.get("cm-4")
        deleted = await maps.delete_collection(label_selector="app=web")
        assert type(deleted) is UnstructuredList
        assert all(each.kind == "ConfigMap" for each in deleted)


async def test_lists_pages_and_watches_of_them(local: LocalServer) -> None:
    async with AsyncClientset.from_config(local.kubeconfig) as k:
        listed = await objects(k).list(label_selector="app=web")
        assert type(listed) is UnstructuredList
        assert [each.name for each in listed] == [f"cm-{number}" for number in range(5)]
        assert {(each.api_version, each.kind) for each in listed} == {("v1", "ConfigMap")}
        page = await objects(k).list(limit=2)
        assert (len(page), page.metadata.remaining_item_count) == (2, 3)
        assert page.metadata.continue_
        named = [each.name async for each in objects(k).each(limit=2)]
        assert named == [each.name for each in listed]
        version = listed.metadata.resource_version
        async with objects(k).watch(resource_version=version) as watch:
            local.cluster.add(config("cm-1", "other"))
            event = await watch.__anext__()
        assert (event.type, event.object.kind) == ("MODIFIED", "ConfigMap")
        assert event.object["data"] == {"value": "other"}


async def test_metadata_alone_is_what_the_server_sends(local: LocalServer) -> None:
    """Of Secrets, too: nothing of their data reaches the client."""
    async with AsyncClientset.from_config(local.kubeconfig) as k:
        secrets = metadata(k, SECRETS)
        one = await secrets.get("s")
        assert type(one) is PartialObjectMetadata
        assert (one.kind, one.metadata.name) == ("PartialObjectMetadata", "s")
        listed = await secrets.list()
        assert (listed.kind, len(listed)) == ("PartialObjectMetadataList", 1)
        assert [each.metadata.name async for each in metadata(k).each(limit=2)] == [
            f"cm-{number}" for number in range(5)
        ]
        edited = await secrets.edit("s", lambda each: each.metadata.labels.update(a="b"))
        assert (edited.kind, edited.metadata.labels) == ("PartialObjectMetadata", {"a": "b"})
        assert (await k.core_v1.secrets("default").get("s")).data == {"password": b"hunter2"}
        options: dict[str, Any] = {"send_initial_events": True, "bookmarks": True}
        async with secrets.watch(**options) as watch:
            added, bookmark = await watch.__anext__(), await watch.__anext__()
            assert (added.object.kind, bookmark.type) == ("PartialObjectMetadata", "BOOKMARK")
            assert bookmark.object.metadata.annotations == {"k8s.io/initial-events-end": "true"}
            assert watch.resource_version == bookmark.object.metadata.resource_version
            await secrets.delete("s")
            assert (await watch.__anext__()).type == "DELETED"
        assert type(await metadata(k).delete_collection()) is PartialObjectMetadataList


async def test_tables_are_what_the_server_prints(local: LocalServer) -> None:
    async with AsyncClientset.from_config(local.kubeconfig) as k:
        table = await tables(k).list()
        assert [column.name for column in table.column_definitions] == ["Name", "Data", "Age"]
        assert [row.cells[:2] for row in table] == [[f"cm-{number}", 1] for number in range(5)]
        assert table.rows is table.items
        assert [row.object.metadata.name for row in table] == [row.cells[0] for row in table]
        assert table.metadata.resource_version
        one = await tables(k).get("cm-3")
        assert [row.cells[0] for row in one] == ["cm-3"]
        rows = [row.cells[0] async for row in tables(k).each(limit=2)]
        assert rows == [f"cm-{number}" for number in range(5)]
        options: dict[str, Any] = {"send_initial_events": True, "bookmarks": True}
        async with tables(k).watch(**options) as watch:
            events = [await watch.__anext__() for _ in range(6)]
            assert [each.type for each in events] == 5 * ["ADDED"] + ["BOOKMARK"]
            assert [len(each.object.column_definitions) for each in events] == [3, 0, 0, 0, 0, 0]
            assert [each.object.rows[0].cells[0] for each in events[:5]] == rows
            assert watch.resource_version == table.metadata.resource_version
            local.cluster.add(config("cm-1", "other"))
            changed = await watch.__anext__()
        assert (changed.type, changed.object.rows[0].cells[:2]) == ("MODIFIED", ["cm-1", 1])


async def test_requests_say_once_what_they_accept(server: Any, config_for: Any) -> None:
    maps = {"kind": "PartialObjectMetadataList", "metadata": {}, "items": []}
    async with AsyncRest(config_for(server)) as rest:

        async def accepted(model: Any, list_model: Any) -> list[str]:
            client = AsyncObjectClient(rest, CONFIG_MAPS, "default", model, list_model)
            begun = len(server.requests)
            for body in ({"kind": model.__name__, "metadata": {"name": "a"}}, maps, maps):
                kind = list_model.__name__ if body is maps else model.__name__
                server.reply(reply(200, {**body, "kind": kind}))
            await client.get("a")
            await client.list()
            await client.delete_collection()
            requests = server.requests[begun:]
            assert all(
                [name.lower() for name, _ in each.headers].count("accept") == 1 for each in requests
            )
            return [each.header("accept") for each in requests]

        form, whole = "application/json;as={};g=meta.k8s.io;v=v1", ",application/json"
        one, several = "PartialObjectMetadata", "PartialObjectMetadataList"
        expected = [form.format(kind) + whole for kind in (one, several, several)]
        assert await accepted(PartialObjectMetadata, PartialObjectMetadataList) == expected
        assert await accepted(Table, Table) == 3 * [form.format("Table") + whole]
        for model, list_model in ((Unstructured, UnstructuredList),):
            assert await accepted(model, list_model) == 3 * ["application/json"]


async def test_a_server_without_these_representations(server: Any, config_for: Any) -> None:
    """Extension API servers may send whole objects: metadata is picked out of them."""
    pod = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}, "spec": {"x": 1}}
    items = {"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": [pod], "more": 1}
    async with AsyncRest(config_for(server)) as rest:
        server.reply(reply(200, pod))
        one = await _metadata_of(rest).get("a")
        assert (one.kind, one.metadata.name) == ("Pod", "a")
        server.reply(reply(200, items))
        (listed,) = await _metadata_of(rest).list()
        assert listed.metadata.name == "a"
        client: Any = AsyncObjectClient(rest, CONFIG_MAPS, "default", Table, Table)
        for call, body in ((lambda: client.get("a"), pod), (client.list, items)):
            server.reply(reply(200, body))
            with pytest.raises(ResponseBroken, match="makes no tables of these objects; it sent"):
                await call()


def _metadata_of(rest: AsyncRest) -> Any:
    return AsyncObjectClient(
        rest, CONFIG_MAPS, "default", PartialObjectMetadata, PartialObjectMetadataList
    )


# ---- informers --------------------------------------------------------------------------------


async def test_a_factory_has_informers_of_them(local: LocalServer) -> None:
    async with AsyncClientset.from_config(local.kubeconfig) as k:
        factory = AsyncInformerFactory(k.rest, transform=drop_managed_fields)
        whole, parts = factory.unstructured(CONFIG_MAPS), factory.metadata(SECRETS)
        things = factory.unstructured(THINGS, label_selector="a=b")
        nodes = factory.informer(NODES, Unstructured, UnstructuredList)
        assert factory.unstructured(CONFIG_MAPS) is whole
        assert await factory.dynamic(CONFIG_MAPS, model=Unstructured) is whole
        assert factory.metadata(CONFIG_MAPS) is not whole
        assert factory.unstructured(THINGS) is not things
        whole.add_index("value", lambda each: [each["data"]["value"]])
        async with factory:
            await factory.wait_for_sync(timeout=30)
            one = whole.lister.get("default", "cm-1")
            assert type(one) is Unstructured
            assert (one.kind, one["data"]) == ("ConfigMap", {"value": "1"})
            assert "managedFields" not in one["metadata"]
            assert whole.lister.get(*split_key("default/cm-1")) is one
            assert len(whole.lister.list("app=web")) == 5
            assert whole.lister.in_namespace("default").get("cm-1") is one
            assert whole.indexer.by_index("value", "3")[0].name == "cm-3"
            assert nodes.lister.get("n1").kind == "Node"
            secret = parts.lister.get("default", "s")
            assert (type(secret), secret.metadata.namespace) == (PartialObjectMetadata, "default")
            with pytest.raises(NotFound):
                whole.lister.get("default", "none")
            thing = {"apiVersion": "example.com/v1", "kind": "Thing", "spec": {"a": 1}}
            labels = {"metadata": {"name": "t", "labels": {"a": "b"}}}
            await objects(k, THINGS).create({**thing, **labels})
            while not things.lister.list():
                await sleep(0.001)
            assert things.lister.get("default", "t")["spec"] == {"a": 1}
    lister: Any = ClusterLister(nodes.indexer, NODES)
    assert lister.get("n1").name == "n1"


async def test_no_cache_holds_tables(local: LocalServer) -> None:
    async with AsyncClientset.from_config(local.kubeconfig) as k:
        with pytest.raises(TypeError, match="a cache holds objects, not tables"):
            AsyncSharedInformer(k.rest, CONFIG_MAPS, Table, Table)  # type: ignore[arg-type]


async def test_handlers_are_told_as_with_models() -> None:
    cluster, told = FakeCluster(config("a", "1")), list[str]()
    k = cluster.clientset(AsyncClientset)
    informer = AsyncSharedInformer(k.rest, CONFIG_MAPS, Unstructured, UnstructuredList)
    handler = informer.add_handler(
        lambda obj, _: told.append(f"add {obj.name} {obj['data']['value']}"),
        lambda old, new: told.append(f"update {old['data']['value']}>{new['data']['value']}"),
        lambda obj: told.append(f"delete {obj.name}"),
        filter=lambda obj: obj["data"]["value"] != "hidden",
    )
    async with informer:
        assert await handler.wait_for_sync(30)
        cluster.add(config("a", "2"))
        cluster.add(config("b", "hidden"))
        await k.core_v1.config_maps("default").delete("a")
        while len(told) < 3:
            await sleep(0.001)
    assert told == ["add a 1", "update 1>2", "delete a"]


async def test_controllers_and_recorders_take_them() -> None:
    """A controller of objects without a class that looks only at the metadata of what they own."""
    cluster, seen = FakeCluster(config("a", "1")), list[str]()
    k = cluster.clientset(AsyncClientset)
    factory = AsyncInformerFactory(k.rest)
    maps, secrets = factory.unstructured(CONFIG_MAPS), factory.metadata(SECRETS)

    async def reconcile(request: Request) -> None:
        owner = maps.lister.get(*request)
        seen.append(f"{owner.name} {len(secrets.lister.list())}")

    controller = AsyncController("maps", reconcile).for_(maps).owns(secrets)
    owned = Unstructured(apiVersion="v1", kind="Secret", metadata={"name": "s"}, data={"a": "Yg=="})
    async with factory:
        await factory.wait_for_sync(timeout=30)
        running = spawn(controller.run, "controller")
        while seen != ["a 0"]:
            await sleep(0.001)
        owner = maps.lister.get("default", "a")
        uid, version = owner.metadata.uid, owner.metadata.resource_version
        reference = OwnerReference(api_version="v1", kind="ConfigMap", name="a", uid=uid)
        reference.controller = True
        owned.metadata.owner_references.append(reference)
        await objects(k, SECRETS).create(owned)
        while seen[-1] != "a 1":
            await sleep(0.001)
        controller.stop()
        assert await running.join(30)
    about = Reference.to(owner)
    assert about == Reference(
        api_version="v1",
        kind="ConfigMap",
        namespace="default",
        name="a",
        uid=uid,
        resource_version=version,
    )


def test_changed_secrets_are_told_without_their_data() -> None:
    from clientgen.runtime._cache.deltas import Added

    detector: MutationDetector[Unstructured] = MutationDetector("things", enabled=True)
    for kind, shown in (("Secret", "<hidden>"), ("Thing", '"c2VjcmV0"')):
        obj = Unstructured(kind=kind, apiVersion="v1", metadata={"name": "a"}, data={"a": "b"})
        detector.observe(Added(obj))
        obj["data"]["a"] = "c2VjcmV0"
        (mutation,) = detector.check(0.0)
        assert (mutation.kind, mutation.changes[0].after) == (kind, shown)


# ---- any object there is ----------------------------------------------------------------------

NAMES = st.text(st.characters(codec="utf-8"), max_size=6)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(-1e15, 1e15)
    | st.text(st.characters(codec="utf-8"), max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(NAMES, JSON, max_size=4)


def meaning(value: Any) -> Any:
    """Return a JSON value as it is compared: 1 and true are different, 1 and 1.0 are not."""
    if isinstance(value, dict):
        return {name: meaning(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [meaning(item) for item in value]
    return value if not isinstance(value, int | float) else (isinstance(value, bool), value)


def own(obj: Any) -> Any:
    """Return what users wrote, without what the server adds."""
    ours = {name: value for name, value in obj.items() if name not in {"metadata"}}
    return meaning(json.loads(json.dumps(ours)))


async def test_any_object_comes_back_through_get_edit_and_update() -> None:
    """Of a kind without a schema: whatever is written is read, whatever is changed is changed."""
    cluster = FakeCluster(DEFINITION)

    @try_examples(60)
    @given(OBJECTS, OBJECTS, OBJECTS)
    def examples(first: Any, second: Any, third: Any) -> None:
        cases.append((first, second, third))

    cases: list[Any] = []
    examples()
    async with cluster.clientset(AsyncClientset) as k:
        things = objects(k, THINGS)
        for number, (first, second, third) in enumerate(cases):
            top = {"apiVersion": "example.com/v1", "kind": "Thing"}
            name = {"metadata": {"name": f"t-{number}"}}
            created = await things.create(Unstructured(spec=first, **top, **name))
            assert own(created) == meaning({**top, "spec": first})
            current = await things.get(f"t-{number}")
            assert current == created

            def change(obj: Unstructured, spec: Any = second) -> None:
                obj["spec"] = spec

            edited = await things.edit(f"t-{number}", change)
            assert own(edited) == meaning({**top, "spec": second})
            edited["spec"] = third
            updated = await things.update(edited)
            assert own(updated) == meaning({**top, "spec": third})
