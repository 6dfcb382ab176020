"""What a program writes is in its caches at once; `test_own_writes_threads` does the same.

The watch is held back, so that nothing in a cache comes from it unless a test lets it go on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import pytest
from kubeapi import AsyncClientset
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import ConfigMap, Namespace
from support.informers import History, config, value_of

from clientgen.runtime import JsonPatch, drop_managed_fields, errors
from clientgen.runtime._async._primitives import Event, sleep, spawn
from clientgen.runtime._cache import own_writes as module
from clientgen.runtime._cache.deltas import Added, Deleted
from clientgen.runtime._cache.indexer import Indexer
from clientgen.runtime._http.resource import Resource
from clientgen.testing import FakeClock, FakeCluster

DEPLOYMENTS = Resource("apps", "v1", "deployments", "Deployment", namespaced=True)


class HeldStream:
    def __init__(self, inner: Any, is_held: bool) -> None:
        self.status, self.headers, self._inner = inner.status, inner.headers, inner
        self.gate = Event()
        if not is_held:
            self.gate.set()

    async def read(self) -> bytes:
        chunk: bytes = await self._inner.read()
        await self.gate.wait()
        return chunk

    def abort(self) -> None:
        self._inner.abort()
        self.gate.set()

    async def aclose(self) -> None:
        self.gate.set()
        await self._inner.aclose()


class HeldTransport:
    """Keeps the bytes of watches until they are released."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._streams: list[HeldStream] = []
        self.is_held = False
        self.answers: list[Event] = []
        """Each opens for the answer to one of the next requests."""
        self.is_done = Event()  # the server has done what such a request asks for

    def hold(self, is_held: bool = True) -> None:
        self.is_held = is_held
        for stream in self._streams:
            stream.gate.clear() if is_held else stream.gate.set()

    async def send(self, request: Any, timeout: float | None) -> Any:
        gate = self.answers.pop(0) if self.answers else None
        answer = await self._inner.send(request, timeout)
        if gate is not None:
            self.is_done.set()
            await gate.wait()
        return answer

    async def stream(self, request: Any, timeout: float | None, read_timeout: float | None) -> Any:
        inner = await self._inner.stream(request, timeout, read_timeout)
        self._streams.append(HeldStream(inner, self.is_held))
        return self._streams[-1]

    async def aclose(self) -> None:
        self.hold(False)
        await self._inner.aclose()


class World:
    """A cluster, a client whose watches can be held, and somebody else's client."""

    def __init__(self, *objects: Any) -> None:
        self.clock = FakeClock()
        self.cluster = FakeCluster(*objects, clock=self.clock)
        self.k = self.cluster.clientset(AsyncClientset)
        self.other = self.cluster.clientset(AsyncClientset)
        connections = self.k.rest.chain.connections
        self.network = connections.transport = HeldTransport(connections.transport)
        self.history = History()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.network.hold(False)
        await self.k.aclose()
        await self.other.aclose()

    async def synced(self, informer: Any) -> Any:
        informer.add_handler(**self.history.handlers)
        informer.start()
        assert await informer.wait_for_sync()
        await until(lambda: self.history.known.keys() == {*informer.indexer.keys()})
        self.network.hold()
        self.history.told.clear()
        return informer

    async def settled(self, informer: Any) -> None:
        self.network.hold(False)
        await until(lambda: not len(informer._store))
        await until(lambda: self.history.known.keys() == {*informer.indexer.keys()})
        assert self.history.nonsense == []


async def until(condition: Callable[[], Any]) -> None:
    for _ in range(2000):
        if condition():
            return
        await sleep(0.002)
    pytest.fail("it does not settle")


def values(informer: Any) -> dict[str, str]:
    return {obj.metadata.name: value_of(obj) for obj in informer.lister.list()}


async def test_every_kind_of_write_is_visible_before_the_watch_tells():
    async with World() as world, world.k.informers() as factory:
        informer = await world.synced(factory.core_v1.config_maps())
        client, lister = world.k.core_v1.config_maps("default"), informer.lister
        await client.create(config("a", "created"))
        assert value_of(lister.get("default", "a")) == "created"
        obj = await client.get("a")
        obj.data["value"] = "updated"
        await client.update(obj)
        assert value_of(lister.get("default", "a")) == "updated"
        for patch in (
            {"data": {"value": "merged"}},
            JsonPatch([{"op": "replace", "path": "/data/value", "value": "listed"}]),
        ):
            patched = await client.patch("a", patch)
            assert value_of(lister.get("default", "a")) == value_of(patched)
        await client.edit("a", lambda obj: obj.data.update(value="edited"))
        assert value_of(lister.get("default", "a")) == "edited"
        await client.apply(config("a", "applied"), force=True)
        await client.apply(config("b", "applied"))
        assert values(informer) == {"a": "applied", "b": "applied"}
        assert len(informer.lister.in_namespace("default").list()) == 2
        await client.delete("a")
        with pytest.raises(errors.NotFound):
            lister.get("default", "a")
        assert world.history.told == []
        await world.settled(informer)
        await until(lambda: world.history.told[-1:] == ["delete a applied"])
        assert world.history.told[0] == "add a created"


async def test_reads_need_no_request():
    async with World() as world, world.k.informers() as factory:
        informer = await world.synced(factory.core_v1.config_maps())
        world.cluster.clear_actions()
        await world.k.core_v1.config_maps("default").create(config("a", "1"))
        assert informer.indexer.get("default/a") is not None
        await world.settled(informer)
        assert [each.verb for each in world.cluster.actions] == ["create"]


async def test_indices_selectors_and_namespaces_hold_for_own_writes():
    async with World() as world:
        informers = [
            world.k.informers(label_selector="app=web").core_v1.config_maps(),
            world.k.informers(namespace=["other", "more"]).core_v1.config_maps(),
            world.k.informers(field_selector="metadata.name=a").core_v1.config_maps(),
        ]
        for each in informers:
            each.add_index("value", lambda obj: [obj.data["value"]])
            each.start()
            await each.wait_for_sync()
        world.network.hold()
        web = informers[0]
        client = world.k.core_v1.config_maps("default")
        await client.create(config("a", "1", app="web"))
        await client.create(config("b", "1", app="db"))
        assert [values(each) for each in informers] == [{"a": "1"}, {}, {"a": "1"}]
        await client.patch("a", {"data": {"value": "2"}})
        assert [len(web.indexer.by_index("value", each)) for each in "12"] == [0, 1]
        await client.patch("a", {"metadata": {"labels": {"app": "db"}}})
        await client.patch("b", {"metadata": {"labels": {"app": "web"}}})
        assert [values(each) for each in informers] == [{"b": "1"}, {}, {"a": "2"}]
        await world.k.core_v1.namespaces().create(Namespace(metadata={"name": "more"}))
        await world.k.core_v1.config_maps("more").create(config("c", "1", "more"))
        assert [values(each) for each in informers] == [{"b": "1"}, {"c": "1"}, {"a": "2"}]
        world.network.hold(False)
        # What was never selected is forgotten with the next bookmark.
        await until(lambda: world.clock.step(10) or not sum(len(e._store) for e in informers))
        assert [values(each) for each in informers] == [{"b": "1"}, {"c": "1"}, {"a": "2"}]
        for each in informers:
            await each.stop()


async def test_another_object_is_seen_after_one_was_deleted_that_was_not_selected() -> None:
    async with World(config("a", "1", app="db")) as world:
        factory = world.k.informers(label_selector="app=web", clock=world.clock)
        informer = await world.synced(factory.core_v1.config_maps())
        client = world.k.core_v1.config_maps("default")
        await client.delete("a")
        await world.other.core_v1.config_maps("default").create(config("a", "2", app="web"))
        world.network.hold(False)
        # It may as well have been made before the one that was deleted: that takes some seconds.
        await until(lambda: world.clock.step(1) or values(informer) == {"a": "2"})
        world.network.hold()
        await client.delete("a")
        await client.create(config("a", "3", app="web"))
        await client.delete("a")
        await client.create(config("a", "4", app="db"))
        await client.delete("a")
        await world.other.core_v1.config_maps("default").create(config("a", "5", app="web"))
        seen: list[str] = []
        informer.add_index("seen", lambda obj: seen.append(obj.data["value"]) or [])
        world.network.hold(False)
        await until(lambda: world.clock.step(1) or values(informer) == {"a": "5"})
        assert seen == ["5"]
        await factory.shutdown()


async def test_a_field_that_cannot_be_told_changes_only_what_is_there():
    pod = {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    async with World() as world:
        factory = world.k.informers(field_selector="spec.nodeName=n1")
        informer = factory.core_v1.pods()
        informer.start()
        await informer.wait_for_sync()
        world.network.hold()
        await world.k.core_v1.pods("default").create(pod)
        assert informer.lister.list() == []
        there = {**pod, "metadata": {"name": "b"}, "spec": {**pod["spec"], "nodeName": "n1"}}
        await world.k.core_v1.pods("default").create(there)
        assert [each.metadata.name for each in informer.lister.list()] == ["b"]
        await factory.shutdown()


async def test_status_scale_and_finalizers():
    labels = {"app": "web"}
    spec = {
        "selector": {"matchLabels": labels},
        "template": {
            "metadata": {"labels": labels},
            "spec": {"containers": [{"name": "c", "image": "i"}]},
        },
    }
    web = Deployment(metadata={"name": "web", "namespace": "default"}, spec=spec)
    async with World(web) as world, world.k.informers() as factory:
        typed = factory.apps_v1.deployments()
        untyped = factory.unstructured(DEPLOYMENTS)
        alone = factory.metadata(DEPLOYMENTS)
        factory.start()
        await factory.wait_for_sync()
        world.network.hold()
        client = world.k.apps_v1.deployments("default")
        before = typed.lister.get("default", "web").metadata.resource_version
        await client.status("web").patch({"status": {"replicas": 4}})
        assert typed.lister.get("default", "web").status.replicas == 4
        assert untyped.lister.get("default", "web")["status"]["replicas"] == 4
        written = alone.lister.get("default", "web").metadata.resource_version
        assert int(written) > int(before)
        await client.scale("web").patch({"spec": {"replicas": 7}})
        scaled = typed.lister.get("default", "web")
        assert (scaled.spec.replicas, scaled.metadata.resource_version) == (7, written)
        assert untyped.lister.get("default", "web")["spec"]["replicas"] == 7
        with pytest.raises(errors.Conflict):  # not all that the scale changed is known
            await client.update(scaled)
        metadata = {"finalizers": ["example.com/a"], "labels": {"a": "b"}}
        await world.k.dynamic.resource("deployments").metadata.patch(
            "web", {"metadata": metadata}, namespace="default"
        )
        for informer in (typed, untyped, alone):
            shown = informer.lister.get("default", "web").metadata
            assert ([*shown.finalizers], dict(shown.labels)) == (["example.com/a"], {"a": "b"})
        await client.delete("web")
        for informer in (typed, untyped, alone):
            assert informer.lister.get("default", "web").metadata.deletion_timestamp
        await client.patch("web", {"metadata": {"finalizers": None}})
        assert [typed.lister.list(), untyped.lister.list(), alone.lister.list()] == [[], [], []]
        world.network.hold(False)
        await until(lambda: not len(typed._store) + len(untyped._store) + len(alone._store))
        assert typed.lister.list() == []


async def test_a_collection_that_is_deleted_leaves():
    objects = [config("a", "1", app="web"), config("b", "1"), config("c", "1", app="web")]
    objects[2].metadata.finalizers = ["example.com/a"]
    async with World(*objects) as world, world.k.informers() as factory:
        informer = await world.synced(factory.core_v1.config_maps())
        await world.k.core_v1.config_maps("default").delete_collection(label_selector="app=web")
        assert values(informer) == {"b": "1", "c": "1"}
        await world.settled(informer)
        assert values(informer) == {"b": "1", "c": "1"}


async def test_what_was_not_written_is_not_shown():
    async with World(config("a", "1")) as world, world.k.informers() as factory:
        informer = await world.synced(factory.core_v1.config_maps())
        client = world.k.core_v1.config_maps("default")
        await client.create(config("b", "1"), dry_run=True)
        await client.patch("a", {"data": {"value": "2"}}, dry_run=True)
        await client.delete("a", dry_run=True)
        world.cluster.fail("create", "configmaps", errors.ConnectionLost)
        with pytest.raises(errors.ConnectionLost):
            await client.create(config("c", "1"))
        with pytest.raises(errors.AlreadyExists):
            await client.create(config("a", "2"))
        assert values(informer) == {"a": "1"}
        assert not len(informer._store)
        assert not informer._store._sent


async def test_foreign_changes_are_told_in_order_and_replace_own_ones():
    async with World(config("a", "0")) as world, world.k.informers() as factory:
        informer = await world.synced(factory.core_v1.config_maps())
        client = world.k.core_v1.config_maps("default")
        other = world.other.core_v1.config_maps("default")
        await other.patch("a", {"data": {"value": "1"}})
        await client.patch("a", {"data": {"value": "2"}})
        await other.patch("a", {"data": {"value": "3"}})
        assert values(informer) == {"a": "2"}
        late = History()
        informer.add_handler(**late.handlers)
        await until(lambda: late.told == ["first a 0"])  # as the watch has it
        await world.settled(informer)
        assert values(informer) == {"a": "3"}
        await until(lambda: len(world.history.told) == 3)
        assert world.history.told == ["update a 0>1", "update a 1>2", "update a 2>3"]


async def test_an_object_that_is_made_again_by_another_is_seen():
    async with World(config("a", "0")) as world, world.k.informers() as factory:
        informer = await world.synced(factory.core_v1.config_maps())
        await world.k.core_v1.config_maps("default").delete("a")
        await world.other.core_v1.config_maps("default").create(config("a", "1"))
        assert values(informer) == {}
        await world.settled(informer)
        assert values(informer) == {"a": "1"}
        await until(lambda: world.history.told == ["delete a 0", "add a 1"])


async def test_a_late_answer_to_an_update_does_not_show_what_was_deleted():
    async with World(config("a", "0")) as world, world.k.informers() as factory:
        informer = await world.synced(factory.core_v1.config_maps())
        client = world.k.core_v1.config_maps("default")
        world.network.hold(False)

        async def update() -> None:
            await client.patch("a", {"data": {"value": "1"}})

        world.network.answers = [gate := Event()]
        updating = spawn(update, "update")
        await until(lambda: values(informer) == {"a": "1"})  # by the watch
        world.network.hold()
        await client.delete("a")
        gate.set()
        await updating.join()
        assert values(informer) == {}
        await world.settled(informer)
        assert values(informer) == {}


async def test_a_late_answer_to_a_deletion_does_not_hide_the_next_object():
    async with World(config("a", "0", app="db")) as world:
        factory = world.k.informers(label_selector="app=web")
        informer = await world.synced(factory.core_v1.config_maps())
        client = world.k.core_v1.config_maps("default")
        world.network.hold(False)

        async def delete() -> None:
            await client.delete("a")

        world.network.answers = [gate := Event()]
        deleting = spawn(delete, "delete")
        await world.network.is_done.wait()
        await client.create(config("a", "1", app="web"))
        await until(lambda: not len(informer._store))  # the watch has told of it
        world.network.hold()
        gate.set()
        await deleting.join()
        assert values(informer) == {"a": "1"}
        await world.settled(informer)
        assert values(informer) == {"a": "1"}
        await factory.shutdown()


async def test_a_relist_does_not_go_back():
    async with World(config("a", "0")) as world, world.k.informers(clock=world.clock) as factory:
        informer = await world.synced(factory.core_v1.config_maps())
        client = world.k.core_v1.config_maps("default")
        await client.patch("a", {"data": {"value": "1"}})
        await client.create(config("b", "1"))
        await client.delete("b")
        world.cluster.compact()
        world.cluster.drop_watches()
        world.network.hold(False)
        await until(lambda: world.clock.step(1) or not len(informer._store))
        assert values(informer) == {"a": "1"}
        await world.settled(informer)
        await until(lambda: value_of(world.history.known["default/a"]) == "1")


def test_handlers_hear_of_an_object_that_only_readers_have_seen():
    """`explore` found it: a controller that relied on it would not create it again."""
    indexer: Indexer[ConfigMap] = Indexer()
    store, made = module.OwnWrites(indexer), config("b", "1")
    store.replace(None, [], "10")
    made.metadata.uid, made.metadata.resource_version = "u-1", "12"
    sent = store.begin_write("default", "default/b")
    assert sent is not None
    store.show_written(sent, made, 0.0, is_create=True)
    store.end_write(sent)
    assert indexer.get("default/b") is made

    told = store.replace(None, [], "15")  # the watch has told of neither write

    assert told == []
    assert store.take_revealed() == [Added(made), Deleted(made)]
    assert (indexer.get("default/b"), store.take_revealed()) == (None, [])


async def test_what_the_program_does_to_the_answer_does_not_touch_the_cache():
    async with World() as world, world.k.informers(transform=drop_managed_fields) as factory:
        informer = await world.synced(factory.core_v1.config_maps())
        made = await world.k.core_v1.config_maps("default").create(config("a", "1"))
        made.data["value"] = "changed"
        assert made.metadata.managed_fields
        assert values(informer) == {"a": "1"}
        assert not informer.lister.get("default", "a").metadata.managed_fields


async def test_managed_fields_are_stripped_before_anything_else_sees_an_object():
    seen: list[tuple[str, int]] = []

    def note(obj: ConfigMap) -> ConfigMap:
        seen.append((value_of(obj), len(obj.metadata.managed_fields)))
        return obj

    async with World() as world:
        maps = world.k.core_v1.config_maps("default")
        await maps.create(config("a", "listed"))
        options = world.k.informers(strip_managed_fields=True, transform=note)
        async with options as factory:
            informer = await world.synced(factory.core_v1.config_maps())
            assert factory.join(type(factory)).core_v1.config_maps() is informer
            plain = factory.join(type(factory), strip_managed_fields=False)
            assert plain.core_v1.config_maps() is not informer
            made = await maps.create(config("b", "own"))
            assert made.metadata.managed_fields
            world.network.hold(False)
            await maps.create(config("c", "last"))
            await until(lambda: ("own", 0) in seen and len(seen) >= 4)
            assert {strips for _, strips in seen} == {0}
            assert all(not each.metadata.managed_fields for each in informer.lister.list())


async def test_it_can_be_switched_off():
    async with World() as world, world.k.informers(own_writes=False) as factory:
        informer = await world.synced(factory.core_v1.config_maps())
        await world.k.core_v1.config_maps("default").create(config("a", "1"))
        assert values(informer) == {}
        world.network.hold(False)
        await until(lambda: values(informer) == {"a": "1"})


async def test_writes_before_the_first_list_are_in_it():
    async with World() as world:
        factory = world.k.informers()
        informer = factory.core_v1.config_maps()
        world.network.hold()
        factory.start()
        await world.k.core_v1.config_maps("default").create(config("a", "1"))
        with pytest.raises(errors.NotSynced):
            informer.lister.list()
        world.network.hold(False)
        await factory.wait_for_sync()
        assert values(informer) == {"a": "1"}
        await factory.shutdown()
        assert world.k.rest.chain.own_writes.has_written
        await world.k.core_v1.config_maps("default").delete("a")


async def test_an_informer_that_starts_after_a_write_asks_for_the_latest_state():
    async with World() as world:
        world.cluster.fail("watch", "configmaps", errors.Invalid)  # no streaming lists
        await world.k.core_v1.config_maps("default").create(config("a", "1"))
        async with world.k.informers() as factory:
            informer = factory.core_v1.config_maps()
            factory.start()
            await factory.wait_for_sync()
            assert values(informer) == {"a": "1"}
        lists = [each.options for each in world.cluster.actions if each.verb == "list"]
        assert [each.get("resourceVersion", "") for each in lists] == [""]


async def test_no_more_than_so_many_writes_wait_for_the_watch(monkeypatch):
    monkeypatch.setattr(module, "MAX_OVERLAYS", 3)
    async with World() as world, world.k.informers() as factory:
        informer = await world.synced(factory.core_v1.config_maps())
        for name in "abcde":
            await world.k.core_v1.config_maps("default").create(config(name, "1"))
        assert [*values(informer)] == ["c", "d", "e"]
        await world.settled(informer)
        assert len(values(informer)) == 5


async def test_versions_that_cannot_be_compared_switch_it_off():
    async with World() as world, world.k.informers() as factory:
        informer = await world.synced(factory.core_v1.config_maps())

        def answer(action: Any) -> Any:
            return {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "a", "namespace": "default", "resourceVersion": "abc"},
            }

        world.cluster.react("create", "configmaps", answer)
        await world.k.core_v1.config_maps("default").create(config("a", "1"))
        assert values(informer) == {}
        assert not len(informer._store)


async def test_writes_of_the_whole_clientset_count():
    async with World() as world, world.k.informers() as factory:
        informer = await world.synced(factory.core_v1.config_maps())
        await world.k.create(config("a", "1"))
        await world.k.apply(config("b", "1"))
        await world.k.dynamic.resource("configmaps").create(
            {"metadata": {"name": "c"}, "data": {"value": "1"}}, namespace="default"
        )
        assert [*values(informer)] == ["a", "b", "c"]
        await world.k.delete(ConfigMap, "a")
        assert [*values(informer)] == ["b", "c"]
