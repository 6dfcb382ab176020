"""A form that caches keep objects in is one class; `test_storage_threads` does the same.

One form here keeps the JSON of each object, and decodes it whenever somebody reads it. The other is
that of compressed caches, which share what was read last; `test_compressed_caches` has more of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, ConfigMapList
from msgspec import Struct
from support.informers import CONFIG_MAPS, History, config, value_of

from clientgen.runtime import drop_managed_fields, errors
from clientgen.runtime._async._primitives import sleep
from clientgen.runtime._cache.storage import MetadataStorage, Storage, storage_for
from clientgen.runtime._cache.storage_forms import storage_of
from clientgen.runtime.aio import AsyncSharedInformer
from clientgen.runtime.models import (
    PartialObjectMetadata,
    PartialObjectMetadataList,
    decode,
    encode,
)
from clientgen.testing import FakeClock, FakeCluster, LocalServer

FOREVER = 20.0


class JsonEntry(Struct, frozen=True):
    """What is read of an object without decoding it, and its JSON."""

    namespace: str
    name: str
    uid: str
    resource_version: str
    labels: dict[str, str]
    json: bytes

    @property
    def metadata(self) -> JsonEntry:
        return self


class JsonStorage(Storage[ConfigMap]):
    keeps_objects = False

    def __init__(self) -> None:
        super().__init__(ConfigMap, ConfigMapList)
        self.decoded: list[str] = []
        """The names of the objects that were decoded."""

    def encode(self, obj: ConfigMap) -> JsonEntry:
        metadata = obj.metadata
        return JsonEntry(
            metadata.namespace,
            metadata.name,
            metadata.uid,
            metadata.resource_version,
            dict(metadata.labels),
            encode(obj),
        )

    def decode(self, entry: JsonEntry) -> ConfigMap:
        self.decoded.append(entry.name)
        return decode(entry.json, ConfigMap)


def compressed() -> Storage[ConfigMap]:
    return storage_of(ConfigMap, ConfigMapList, "compressed")


both_forms = pytest.mark.parametrize("form", [JsonStorage, compressed])


class Cached:
    """A server, two clients of it, an informer with a form, and what its handler was told."""

    def __init__(
        self,
        form: Callable[[], Storage[ConfigMap]] = JsonStorage,
        *,
        streams: bool = True,
        writes_first: bool = False,
        **options: Any,
    ) -> None:
        self.cluster = FakeCluster(config("a", "1", app="web"), config("b", "1", app="db"))
        self.server = LocalServer(self.cluster)
        self.clock = FakeClock()
        self.storage = form()
        self.seen = History()
        self.options = options
        self.writes_first = writes_first
        if not streams:
            self.cluster.fail("watch", "configmaps", 422, times=1)

    async def __aenter__(self) -> Self:
        self.server.__enter__()
        self.k = AsyncClientset.from_config(self.server.kubeconfig)
        self.client = self.k.core_v1.config_maps("default")
        self.other = self.cluster.clientset(AsyncClientset).core_v1.config_maps("default")
        if self.writes_first:  # then the list is the latest state, in pages
            await self.client.create(config("own", "1"))
        self.informer = AsyncSharedInformer(
            self.k.rest,
            CONFIG_MAPS,
            ConfigMap,
            ConfigMapList,
            clock=self.clock,
            storage=self.storage,
            **self.options,
        )
        self.informer.add_index("app", lambda obj: [obj.metadata.labels.get("app", "")])
        handler = self.informer.add_handler(**self.seen.handlers, resync_period=60)
        self.informer.start()
        assert await handler.wait_for_sync(FOREVER)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.informer.stop()
        await self.k.aclose()
        self.server.__exit__(None, None, None)

    @property
    def values(self) -> dict[str, str]:
        listed = self.informer.lister.list()
        return {obj.metadata.name: value_of(obj) for obj in listed}

    async def told(self, *expected: str) -> None:
        """Wait until the handler has been told this, since it was asked last."""
        await until(lambda: len(self.seen.told) >= len(expected))
        told, self.seen.told[:] = [*self.seen.told], []
        assert sorted(told) == sorted(expected)
        assert self.seen.nonsense == []

    def hold(self) -> Any:
        """Let nothing more come from the server but answers, until the clock is moved."""
        rule = self.cluster.fail("watch", "configmaps", 503, times=None)
        self.cluster.drop_watches()
        return rule


async def until(condition: Callable[[], Any]) -> None:
    for _ in range(4000):
        if condition():
            return
        await sleep(0.005)
    pytest.fail("it does not happen")


@pytest.mark.parametrize("streams", [True, False], ids=["streamed", "listed"])
async def test_the_store_holds_entries_and_readers_get_objects(streams):
    async with Cached(streams=streams) as made:
        verbs = [action.verb for action in made.cluster.actions]
        assert ("list" in verbs) is not streams
        await made.told("first a 1", "first b 1")
        informer = made.informer
        assert {type(entry) for entry in informer.indexer.stored.values()} == {JsonEntry}
        assert made.values == {"a": "1", "b": "1"}
        assert value_of(informer.lister.get("default", "a")) == "1"
        assert informer.lister.get("default", "a") is not informer.lister.get("default", "a")
        assert informer.indexer.get("default/c") is None
        [found] = informer.indexer.by_index("app", "db")
        assert value_of(found) == "1"
        informer.add_index("value", lambda obj: [value_of(obj)])
        assert sorted(informer.indexer.index_keys("value", "1")) == ["default/a", "default/b"]


@pytest.mark.parametrize("streams", [True, False], ids=["streamed", "listed"])
async def test_the_sync_status_says_how_many_objects_have_been_read(streams):
    seen: dict[str, str] = {}

    def note(obj: ConfigMap) -> ConfigMap:
        seen[obj.metadata.name] = made.informer.sync_status
        return obj

    made = Cached(streams=streams, writes_first=True, transform=note)
    made.cluster.add(*(config(f"c-{number:04}", "1") for number in range(1_100)))
    async with made:
        of_all = "" if streams else " of about 1,103"
        assert seen["a"].endswith("not everything is here yet: 0 objects have been read")
        for name, count in ("c-0498", "500"), ("c-1099", "1,101"):
            assert seen[name].endswith(f"yet: {count}{of_all} objects have been read")
        assert made.informer.sync_status == "synced"


async def test_a_lister_decodes_only_what_it_selects():
    async with Cached() as made:
        lister = made.informer.lister
        assert isinstance(made.storage, JsonStorage)
        made.storage.decoded.clear()
        assert [obj.metadata.name for obj in lister.list({"app": "web"})] == ["a"]
        assert [obj.metadata.name for obj in lister.in_namespace("default").list("app=db")] == ["b"]
        assert lister.in_namespace("shop").list() == []
        assert made.storage.decoded == ["a", "b"]


@both_forms
async def test_handlers_and_indices_follow_the_watch(form):
    async with Cached(form) as made:
        await made.told("first a 1", "first b 1")
        made.cluster.add(config("a", "2", app="db"), config("c", "1"))
        await made.told("update a 1>2", "add c 1")
        assert sorted(made.informer.indexer.index_keys("app", "db")) == ["default/a", "default/b"]
        await made.client.delete("b")
        await made.told("delete b 1")
        assert made.values == {"a": "2", "c": "1"}


@both_forms
async def test_a_resync_tells_of_the_same_objects_again(form):
    async with Cached(form) as made:
        await made.told("first a 1", "first b 1")
        decoded: list[str] = getattr(made.storage, "decoded", [])
        decoded.clear()
        made.clock.step(60)
        await made.told("update a 1>1", "update b 1>1")
        assert sorted(decoded) == (["a", "b"] if form is JsonStorage else [])


async def test_a_relist_tells_of_missed_deletions_and_keeps_entries_that_have_not_changed():
    unknown: list[Any] = []
    transformed: list[str] = []

    def note(obj: ConfigMap) -> ConfigMap:
        transformed.append(obj.metadata.name)
        return obj

    async with Cached(transform=note) as made:
        made.informer.add_handler(on_delete_unknown=unknown.append)
        await made.client.create(config("same", "1", app="db"))
        await made.told("first a 1", "first b 1", "add same 1")
        entry, transformed[:] = made.informer.indexer.stored["default/same"], []
        rule = made.hold()
        obj = await made.client.get("a")
        obj.data["value"] = "2"
        await made.client.update(obj)
        await made.other.delete("b")
        made.cluster.compact()
        rule.remove()
        for _ in range(2000):
            if unknown:
                break
            made.clock.step(1)
            await sleep(0.005)
        await until(lambda: made.seen.known.keys() == {"default/a", "default/same"})
        assert made.values == {"a": "2", "same": "1"}
        [tombstone] = unknown
        assert tombstone.key == "default/b"
        assert value_of(tombstone.object) == "1"
        assert made.informer.indexer.stored["default/same"] is entry
        assert made.informer.indexer.index_keys("app", "db") == ["default/same"]
        assert "same" not in transformed


@both_forms
async def test_own_writes_are_in_the_cache_at_once(form):
    async with Cached(form, transform=drop_managed_fields) as made:
        await made.told("first a 1", "first b 1")
        made.hold()
        client, lister = made.client, made.informer.lister
        await client.create(config("c", "1", app="web"))
        obj = await client.get("a")
        obj.data["value"] = "2"
        await client.update(obj)
        await client.delete("b")
        assert made.values == {"a": "2", "c": "1"}
        assert sorted(made.informer.indexer.index_keys("app", "web")) == ["default/a", "default/c"]
        assert lister.get("default", "c").metadata.managed_fields == []
        with pytest.raises(errors.NotFound):
            lister.get("default", "b")
        assert made.seen.told == []  # the watch has not delivered anything


@both_forms
async def test_an_answer_of_metadata_changes_the_metadata_of_the_object(form):
    async with Cached(form) as made:
        made.hold()
        alone = made.k.dynamic.resource("configmaps").metadata
        patch = {"metadata": {"labels": {"app": "db"}}}
        await alone.patch("a", patch, namespace="default")
        obj = made.informer.lister.get("default", "a")
        assert (obj.metadata.labels, value_of(obj)) == ({"app": "db"}, "1")
        assert sorted(made.informer.indexer.index_keys("app", "db")) == ["default/a", "default/b"]


async def test_objects_that_are_decoded_for_each_reader_may_be_changed(monkeypatch):
    monkeypatch.setenv("CLIENTGEN_CACHE_MUTATION_DETECTOR", "true")
    async with Cached() as made:
        made.informer.lister.get("default", "a").data["value"] = "mine"
        assert made.values == {"a": "1", "b": "1"}


def test_a_storage_follows_from_the_class():
    assert type(storage_for(ConfigMap, ConfigMapList)) is Storage
    made = storage_for(PartialObjectMetadata, PartialObjectMetadataList)
    assert type(made) is MetadataStorage
    assert made.decoder is None  # nothing is called for an object


async def test_a_factory_shares_informers_of_one_storage():
    k = FakeCluster().clientset(AsyncClientset)
    factory, storage = k.informers(), JsonStorage()

    def informer(storage: JsonStorage | None) -> AsyncSharedInformer[ConfigMap]:
        kind: type[AsyncSharedInformer[ConfigMap]] = AsyncSharedInformer
        return factory.shared(kind, CONFIG_MAPS, ConfigMap, ConfigMapList, {}, storage=storage)

    assert informer(storage) is informer(storage)
    assert informer(storage) is not informer(None)
    await factory.shutdown()
    await k.aclose()
