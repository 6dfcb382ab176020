"""Compressed caches: objects read as from a cache of whole objects, and survive damage.

`test_compressed_caches_threads` does the same with threads.
"""

from __future__ import annotations

import json
import logging
from typing import Any, Self

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap
from support.compressed import flip
from support.informers import CONFIG_MAPS, History, config, value_of

from clientgen.runtime import drop_managed_fields, errors
from clientgen.runtime._async._primitives import run_blocking, sleep
from clientgen.runtime._cache import recent_objects
from clientgen.runtime._cache.compressed import CompressedEntry, CompressedStorage
from clientgen.runtime._cache.compression import Packer
from clientgen.runtime._cache.mutation_detector import CacheMutationError
from clientgen.runtime.aio import AsyncManager, AsyncSharedInformer
from clientgen.runtime.models import encode
from clientgen.testing import FakeClock, FakeCluster, LocalServer

FOREVER = 20.0
MANY = 60  # more than the samples of a dictionary


def body(obj: ConfigMap, **more: Any) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(encode(obj))
    return {**tree, **more}


class Cached:
    """A cluster, and an informer of config maps in it whose cache is compressed.

    Where clocks are moved, the cluster is in this process: a step of a clock waits for threads.
    """

    def __init__(
        self, *objects: Any, over_http: bool = False, handlers: Any = None, **options: Any
    ) -> None:
        self.over_http = over_http
        self.clock = FakeClock()
        self.cluster = FakeCluster(*objects, clock=self.clock)
        self.server = LocalServer(self.cluster)
        self.seen = History()
        self.handlers = handlers or self.seen.handlers
        self.options = options

    async def __aenter__(self) -> Self:
        if self.over_http:
            self.server.__enter__()
            self.k = AsyncClientset.from_config(self.server.kubeconfig)
        else:
            self.k = self.cluster.clientset(AsyncClientset)
        options = {"storage": "compressed", "clock": self.clock, **self.options}
        self.factory = self.k.informers(**options)
        self.informer = self.factory.core_v1.config_maps()
        handler = self.informer.add_handler(**self.handlers)
        self.factory.start()
        assert await handler.wait_for_sync(FOREVER)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.factory.shutdown()
        await self.k.aclose()
        if self.over_http:
            self.server.__exit__(None, None, None)

    def entry(self, key: str) -> CompressedEntry:
        entry: CompressedEntry = self.informer.indexer.stored[key]
        return entry

    def forget_recent(self) -> None:
        """Let everything be decoded again."""
        self.informer._storage._recent = recent_objects.RecentObjects()

    async def until(self, condition: Any) -> None:
        for _ in range(4000):
            if condition():
                return
            self.clock.step(0.1)
            await sleep(0.005)
        pytest.fail("it does not happen")


# ---- the objects -------------------------------------------------------------------------------


def odd_objects() -> list[Any]:
    """What a server may send: unknown fields, text of the world, no labels."""
    plain = [config(f"plain-{number}", str(number), app="web") for number in range(MANY)]
    newer = body(config("newer", "ünï ☸", app="db"), fromTheFuture={"weight": 7})
    return [*plain, newer, config("elsewhere", "1", "shop")]


@pytest.mark.parametrize("streams", [True, False], ids=["streamed", "listed"])
@pytest.mark.parametrize("kind", ["models", "unstructured"])
async def test_objects_read_as_from_a_cache_of_whole_objects(streams, kind):
    async with Cached(*odd_objects(), over_http=True) as made:
        read: dict[str, dict[str, bytes]] = {}
        if not streams:
            made.cluster.fail("watch", "configmaps", 422, times=None)
        for form in ("full", "compressed"):
            async with made.k.informers(storage=form) as factory:
                if kind == "models":
                    informer: Any = factory.core_v1.config_maps()
                else:
                    informer = factory.unstructured(CONFIG_MAPS)
                factory.start()
                await factory.wait_for_sync(FOREVER)
                objects = {each.metadata.name: each for each in informer.lister.list()}
                read[form] = {name: encode(obj) for name, obj in objects.items()}
                assert len(informer.indexer) == len(objects) == MANY + 2
                entries = informer.indexer.stored.values()
        assert read["compressed"] == read["full"]
        assert {type(entry) for entry in entries} == {CompressedEntry}
        assert len({id(entry.labels) for entry in entries}) == 3  # equal labels are shared


async def test_selecting_decodes_nothing_and_readers_share_what_they_read():
    async with Cached(config("a", "1", app="web"), config("b", "2", app="db")) as made:
        made.forget_recent()
        lister, recent = made.informer.lister, made.informer._storage._recent
        assert lister.list("app=none") == []
        assert sorted(made.informer.indexer.keys()) == ["default/a", "default/b"]
        assert len(recent) == 0
        [found] = lister.in_namespace("default").list({"app": "db"})
        assert (value_of(found), len(recent)) == ("2", 1)
        assert lister.get("default", "b") is found
        made.informer.add_index("value", lambda obj: [value_of(obj)])
        assert made.informer.indexer.by_index("value", "2") == [found]


async def test_a_transform_changes_what_is_kept():
    async with Cached(*odd_objects(), over_http=True, transform=drop_managed_fields) as made:
        await made.k.core_v1.config_maps("default").create(config("own", "1"))
        made.forget_recent()
        listed = made.informer.lister.list()
        assert len(listed) == MANY + 3
        assert not any(each.metadata.managed_fields for each in listed)


# ---- damage ------------------------------------------------------------------------------------


async def test_a_damaged_object_is_reported_and_read_again(caplog):
    objects = [config(f"a-{number}", "1") for number in range(MANY)]
    async with Cached(*objects) as made:
        caplog.set_level(logging.INFO)
        made.seen.told.clear()
        made.forget_recent()
        entry = made.entry("default/a-50")
        entry.packed = flip(entry.packed, 333)
        lister = made.informer.lister
        with pytest.raises(errors.CacheCorrupted, match=r"^ConfigMap default/a-50 is corrupted"):
            await run_blocking(lambda: lister.get("default", "a-50"))  # in another thread
        with pytest.raises(errors.CacheCorrupted):
            made.informer.lister.list()
        assert value_of(made.informer.lister.get("default", "a-49")) == "1"
        await made.until(lambda: made.entry("default/a-50") is not entry)
        assert value_of(made.informer.lister.get("default", "a-50")) == "1"
        assert len(made.informer.lister.list()) == MANY
        await made.until(lambda: made.seen.told)
        assert made.seen.told == ["add a-50 1"]  # its earlier state is unknown
        reports = [each for each in caplog.records if each.levelno >= logging.WARNING]
        assert [each.getMessage().partition(":")[0] for each in reports] == [
            "ConfigMap default/a-50 is corrupted in the cache"
        ]
        assert made.informer.handler_errors == 0


async def test_a_damaged_dictionary_costs_no_object():
    objects = [config(f"a-{number}", "1" * number) for number in range(MANY)]
    async with Cached(*objects) as made:
        made.seen.told.clear()
        made.forget_recent()
        dictionary = made.entry("default/a-50").packed.dictionary
        others = Packer()
        for number in range(40):
            others.pack(b'{"another":"text %d"}' % number)
        dictionary._content = others._dictionary._content
        with pytest.raises(errors.CacheCorrupted):
            made.informer.lister.get("default", "a-50")
        await made.until(lambda: made.entry("default/a-50").packed.dictionary is not dictionary)
        assert sorted(map(value_of, made.informer.lister.list())) == sorted(
            "1" * number for number in range(MANY)
        )
        await made.until(lambda: "add a-50 " + "1" * 50 in made.seen.told)
        assert made.informer.handler_errors == 0


async def test_handlers_of_damaged_objects_are_told_the_next_state():
    updated: list[str] = []
    passing: list[str] = []
    deleted: list[Any] = []
    handlers = {
        "on_update": lambda _, new: updated.append(new.metadata.name),
        "on_delete_unknown": deleted.append,
    }
    objects = [config("a", "1", app="web"), config("b", "1", app="web")]
    async with Cached(*objects, handlers=handlers) as made:
        await made.informer.add_handler(
            on_add=lambda obj, _: passing.append(f"add {obj.metadata.name}"),
            on_delete=lambda obj: passing.append(f"delete {obj.metadata.name}"),
            filter=lambda obj: obj.metadata.labels.get("app") == "web",
        ).wait_for_sync(FOREVER)
        made.forget_recent()
        # Nothing comes from the server until both objects have changed.
        rule = made.cluster.fail("watch", "configmaps", 503, times=None)
        made.cluster.drop_watches()
        other = made.cluster.clientset(AsyncClientset).core_v1.config_maps("default")
        await other.update(config("a", "2", app="db"))
        await other.delete("b")
        made.cluster.compact()
        for key in ("default/a", "default/b"):
            entry = made.entry(key)
            entry.packed = flip(entry.packed, 99)
            with pytest.raises(errors.CacheCorrupted):
                made.informer.indexer.get(key)
        rule.remove()
        await made.until(lambda: updated and deleted and len(passing) == 4)
        assert updated == ["a"]
        assert sorted(passing) == ["add a", "add b", "delete a", "delete b"]
        [tombstone] = deleted
        assert tombstone.key == "default/b"
        assert (tombstone.object.metadata.labels, tombstone.object.data) == ({"app": "web"}, {})
        assert made.informer.handler_errors == 0


async def test_nothing_is_decoded_for_handlers_that_do_not_take_it(monkeypatch):
    decoded: list[str] = []
    whole = CompressedStorage.decode

    def decode(storage: CompressedStorage[Any], entry: CompressedEntry) -> Any:
        decoded.append(entry.name)
        return whole(storage, entry)

    monkeypatch.setattr(CompressedStorage, "decode", decode)
    told: list[str] = []
    handlers = {"on_delete": lambda obj: told.append(obj.metadata.name)}
    async with Cached(config("a", "1"), config("b", "1"), handlers=handlers) as made:
        made.cluster.add(config("a", "2"))
        await made.cluster.clientset(AsyncClientset).core_v1.config_maps("default").delete("b")
        await made.until(lambda: told)
    assert (decoded, told) == (["b"], ["b"])


# ---- what readers share ------------------------------------------------------------------------


async def test_changes_of_shared_objects_are_found(monkeypatch):
    monkeypatch.setenv("CLIENTGEN_CACHE_MUTATION_DETECTOR", "true")
    monkeypatch.setattr(recent_objects, "MAX_OBJECTS", 1)
    async with Cached(config("a", "1"), config("b", "1"), config("c", "1")) as made:
        for name in ("a", "b", "c"):  # "a" and "b" are no longer shared at the end
            obj = made.informer.lister.get("default", name)
            if name != "b":
                obj.data["value"] = "mine"
        with pytest.raises(CacheMutationError) as caught:
            await made.factory.shutdown()
        assert '/data/value: "1" -> "mine"' in str(caught.value)
        assert sorted(each.key for each in caught.value.mutations) == ["default/a", "default/c"]
        caught.value.mutations.clear()  # so that the end raises nothing


# ---- the option --------------------------------------------------------------------------------


async def test_a_form_is_chosen_for_a_manager_a_factory_or_an_informer():
    def is_compressed(informer: AsyncSharedInformer[Any]) -> bool:
        return isinstance(informer._storage, CompressedStorage)

    k = FakeCluster().clientset(AsyncClientset)
    manager = AsyncManager(k, informers={"storage": "compressed"})
    factory = k.informers(storage="compressed")
    joined = factory.join(type(factory))
    tabs = factory.unstructured(CONFIG_MAPS)
    for each in (factory.core_v1.pods(), joined.core_v1.nodes(), tabs):
        assert is_compressed(each)
    assert is_compressed(manager.informers.core_v1.pods())
    assert is_compressed(k.informers().core_v1.pods(storage="compressed"))
    assert not is_compressed(factory.core_v1.pods(storage="full"))
    assert not is_compressed(factory.metadata(CONFIG_MAPS))
    assert factory.core_v1.pods() is factory.core_v1.pods(storage="compressed")
    with pytest.raises(ValueError, match="storage='compressed' is for whole objects"):
        factory.metadata(CONFIG_MAPS, storage="compressed")
    for refused in (k.informers, factory.core_v1.pods):
        with pytest.raises(ValueError, match="storage='gzip' does not exist: write 'full' or 'c"):
            refused(storage="gzip")
    await factory.shutdown()
    await k.aclose()
