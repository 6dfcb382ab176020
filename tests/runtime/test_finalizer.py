"""Finalizers: no cleanup is lost, and none is repeated after it has succeeded.

`test_finalizer_threads` has the same for threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime import JsonPatch, MergePatch
from clientgen.runtime._controllers.finalizers import FinalizerState, FinalizerStep
from clientgen.runtime.aio import AsyncFinalizer
from clientgen.runtime.errors import Conflict, ConnectionLost, InternalError, Invalid
from clientgen.runtime.models import Unstructured, deep_copy
from clientgen.runtime.views import View
from clientgen.testing import FakeCluster, LocalServer

NAME, OTHER = "example.com/copies", "other.example.com/hold"


class World:
    """A cluster over HTTP, and a user who bypasses the finalizer."""

    def __init__(self, server: LocalServer) -> None:
        self.server = server
        self.cluster = server.cluster
        self.maps = self.cluster.clientset(Clientset).core_v1.config_maps("default")
        self.cleaned: list[str] = []
        self.failures: list[Exception | bool] = []

    def k(self) -> AsyncClientset:
        return AsyncClientset.from_config(self.server.kubeconfig)

    def finalizer(self, k: AsyncClientset, name: str = NAME) -> AsyncFinalizer[ConfigMap]:
        """A new one, as after a start of the program."""
        return AsyncFinalizer(k, name, self.clean)

    async def clean(self, obj: ConfigMap) -> bool | None:
        self.cleaned.append(obj.metadata.uid)
        if self.failures:
            failure = self.failures.pop(0)
            if isinstance(failure, Exception):
                raise failure
            return failure
        return None

    def create(self, *finalizers: str) -> ConfigMap:
        metadata = ObjectMeta(name="a", finalizers=[*finalizers])
        return self.maps.create(ConfigMap(metadata=metadata))

    def delete(self) -> ConfigMap:
        deleted = self.maps.delete("a")
        assert isinstance(deleted, ConfigMap)
        return deleted

    def left(self) -> list[str] | None:
        """The finalizers of the object; None if it is gone."""
        objects = [each for each in self.maps.list() if each.metadata.name == "a"]
        return objects[0].metadata.finalizers if objects else None

    def sent(self, since: int = 0) -> list[str]:
        """The verbs of the requests over HTTP."""
        return [each.verb for each in self.cluster.actions][since:]


@pytest.fixture(scope="module")
def running() -> Iterator[LocalServer]:
    with LocalServer(FakeCluster()) as server:
        yield server


@pytest.fixture
def world(running: LocalServer) -> Iterator[World]:
    made = World(running)
    yield made
    if made.left() is not None:
        made.maps.patch("a", MergePatch({"metadata": {"finalizers": None}}))
        if made.left() is not None:
            made.maps.delete("a")
    running.cluster.clear_actions()
    running.cluster.clear_reactions()


async def test_it_is_there_before_the_work_and_removed_after_the_cleanup(world: World) -> None:
    async with world.k() as k:
        finalizer = world.finalizer(k)
        assert await finalizer.ensure(None) is None
        obj = await finalizer.ensure(world.create(OTHER))
        assert obj is not None
        assert obj.metadata.finalizers == [OTHER, NAME] == world.left()
        count = len(world.cluster.actions)
        assert await finalizer.ensure(obj) is obj
        assert world.sent(count) == []

        deleted = world.delete()
        assert await finalizer.ensure(deleted) is None
        assert (world.left(), world.cleaned) == ([OTHER], [obj.metadata.uid])
    assert repr(finalizer) == f"AsyncFinalizer({NAME!r})"


async def test_only_matching_objects_get_it_and_keep_it(world: World) -> None:
    async with world.k() as k:
        wanted: list[bool] = [False]
        finalizer = AsyncFinalizer(k, NAME, world.clean, when=lambda _obj: wanted[0])
        obj = world.create()
        count = len(world.cluster.actions)
        assert await finalizer.ensure(obj) is obj
        assert world.sent(count) == []
        wanted[0] = True
        kept = await finalizer.ensure(obj)
        assert world.left() == [NAME]
        wanted[0] = False  # a changed field destroys nothing
        assert await finalizer.ensure(kept) is kept
        assert (world.left(), world.cleaned) == ([NAME], [])
        assert await finalizer.ensure(world.delete()) is None
        assert (world.left(), world.cleaned) == (None, [obj.metadata.uid])


class MapName(View[ConfigMap]):
    """Metadata only."""


async def test_the_object_may_be_a_view(world: World) -> None:
    cleaned: list[MapName] = []

    async def clean(obj: MapName) -> None:
        cleaned.append(obj)

    async with world.k() as k:
        finalizer = AsyncFinalizer(k, NAME, clean)
        world.create(OTHER)
        seen = await finalizer.ensure(await k.get(MapName, "a"))
        assert type(seen) is MapName
        assert seen.metadata.finalizers == [OTHER, NAME] == world.left()
        world.delete()
        assert await finalizer.ensure(seen) is seen  # the cache does not know of the deletion
        assert await finalizer.ensure(await k.get(MapName, "a")) is None
    assert [type(each) for each in cleaned] == [MapName]
    assert world.left() == [OTHER]


async def test_a_failed_cleanup_is_repeated(world: World) -> None:
    async with world.k() as k:
        finalizer = world.finalizer(k)
        await finalizer.ensure(world.create())
        deleted = world.delete()
        world.failures = [RuntimeError("no route"), False]
        with pytest.raises(RuntimeError, match="no route"):
            await finalizer.ensure(deleted)
        assert world.left() == [NAME]
        assert await finalizer.ensure(deleted) is None  # it has to wait
        assert world.left() == [NAME]
        assert await finalizer.ensure(deleted) is None
    assert (world.left(), len(world.cleaned)) == (None, 3)


async def test_a_stale_cache_causes_no_second_cleanup(world: World) -> None:
    async with world.k() as k:
        first = world.finalizer(k)
        alive = await first.ensure(world.create(OTHER))
        assert alive is not None
        stale = world.delete()
        await first.ensure(stale)
        count = len(world.cluster.actions)
        for state in (stale, alive):  # older states than the deletion, too
            assert await first.ensure(deep_copy(state)) is None
        assert world.sent(count) == []

        restarted = world.finalizer(k)
        assert await restarted.ensure(stale) is None  # it asks the server
        world.maps.patch("a", MergePatch({"metadata": {"finalizers": None}}))
        restarted = world.finalizer(k)
        assert await restarted.ensure(stale) is None  # and there is none any more
    assert len(world.cleaned) == 1


async def test_another_object_of_the_name_is_not_touched(world: World) -> None:
    async with world.k() as k:
        finalizer = world.finalizer(k)
        await finalizer.ensure(world.create())
        stale = world.delete()
        world.maps.patch("a", MergePatch({"metadata": {"finalizers": None}}))
        second = world.create(NAME)
        assert await finalizer.ensure(stale) is None
        bare = deep_copy(stale)
        bare.metadata.deletion_timestamp = None
        bare.metadata.finalizers = []
        assert await world.finalizer(k).ensure(bare) is None
        assert await finalizer.ensure(second) is second
    assert (world.cleaned, world.left()) == ([], [NAME])


async def test_a_removal_that_fails_is_repeated_without_the_cleanup(world: World) -> None:
    async with world.k() as k:
        finalizer = world.finalizer(k)
        await finalizer.ensure(world.create())
        deleted = world.delete()
        world.cluster.fail("patch", "configmaps", 500)
        with pytest.raises(InternalError):
            await finalizer.ensure(deleted)
        assert world.left() == [NAME]
        alive = deep_copy(deleted)  # as a cache would show it that is far behind
        alive.metadata.deletion_timestamp = None
        assert await finalizer.ensure(alive) is None
    assert (world.left(), len(world.cleaned)) == (None, 1)


async def test_a_removal_whose_answer_was_lost_is_done(world: World) -> None:
    async with world.k() as k:
        finalizer = world.finalizer(k)
        await finalizer.ensure(world.create())
        deleted = world.delete()
        world.cluster.cut("patch", "configmaps", after=0)
        with pytest.raises(ConnectionLost):
            await finalizer.ensure(deleted)
        assert await finalizer.ensure(deleted) is None
    assert (world.left(), len(world.cleaned)) == (None, 1)


async def test_finalizers_of_others_survive_changes_in_between(world: World) -> None:
    async with world.k() as k:
        finalizer = world.finalizer(k)
        stale = world.create()
        world.maps.patch("a", MergePatch({"metadata": {"finalizers": [OTHER]}}))
        obj = await finalizer.ensure(stale)  # the version is an old one: Conflict
        assert obj is not None
        assert obj.metadata.finalizers == [OTHER, NAME]
        deleted = world.delete()

        async def clean(_: ConfigMap) -> None:
            # The finalizer has another place now, so the test of the patch fails.
            world.maps.patch("a", JsonPatch([{"op": "remove", "path": "/metadata/finalizers/0"}]))

        assert await AsyncFinalizer(k, NAME, clean).ensure(deleted) is None
    assert world.left() is None


async def test_several_finalizers(world: World) -> None:
    async with world.k() as k:
        names = [f"example.com/f{n}" for n in range(4)]
        all_of_them = [world.finalizer(k, name) for name in names]
        stale = world.create()
        for each in all_of_them:
            assert await each.ensure(stale) is not None
        assert world.left() == names
        deleted = world.delete()
        for each in (all_of_them[2], all_of_them[0], all_of_them[3], all_of_them[1]):
            assert await each.ensure(deleted) is None
    assert (world.left(), len(world.cleaned)) == (None, 4)


async def test_an_object_is_released(world: World) -> None:
    async with world.k() as k:
        finalizer = world.finalizer(k)
        obj = world.create(OTHER)
        await finalizer.release(obj)  # it has none
        assert world.cleaned == world.sent(len(world.cluster.actions)) == []
        obj = await finalizer.ensure(obj)
        assert obj is not None
        world.cluster.fail("patch", "configmaps", 500)
        with pytest.raises(InternalError):
            await finalizer.release(obj)
        assert await finalizer.ensure(obj) is not None  # it changes its mind
        for _ in range(2):
            await finalizer.release(obj)
        assert (world.left(), len(world.cleaned)) == ([OTHER], 2)

        again = await finalizer.ensure(world.maps.get("a"))
        assert again is not None
        await finalizer.release(world.delete())
    assert (world.left(), len(world.cleaned)) == ([OTHER], 3)


async def test_an_object_that_is_being_deleted_gets_none(world: World) -> None:
    async with world.k() as k:
        stale = world.create(OTHER)
        deleted = world.delete()
        for state in (deleted, stale):
            assert await world.finalizer(k).ensure(state) is None
    assert (world.cleaned, world.left()) == ([], [OTHER])


async def test_an_object_that_the_server_refuses_is_not_tried_forever(world: World) -> None:
    async with world.k() as k:
        finalizer = world.finalizer(k)
        await finalizer.ensure(world.create())
        deleted = world.delete()
        world.cluster.fail("patch", "configmaps", 422, times=2)
        with pytest.raises(Invalid):
            await finalizer.ensure(deleted)
        assert world.left() == [NAME]
        assert await finalizer.ensure(deleted) is None
    assert (world.left(), len(world.cleaned)) == (None, 1)


async def test_objects_without_a_class(world: World) -> None:
    async with world.k() as k:

        async def clean(obj: Unstructured) -> None:
            world.cleaned.append(obj.metadata.uid)

        finalizer = AsyncFinalizer(k, NAME, clean)
        obj = await finalizer.ensure(Unstructured.of(world.create()))
        assert isinstance(obj, Unstructured)
        assert await finalizer.ensure(Unstructured.of(world.delete())) is None
    assert (world.left(), world.cleaned) == (None, [obj.metadata.uid])


async def test_what_is_wrong_is_refused_before_anything_is_sent(world: World) -> None:
    async with world.k() as k:
        for wrong in ("copies", "", "example.com/", "/copies", "a/b/c", "Example.com/a", None):
            with pytest.raises(ValueError, match="is not a finalizer name; write your domain"):
                AsyncFinalizer(k, wrong, world.clean)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="cleanup must be a function, not None"):
            AsyncFinalizer(k, NAME, None)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="has no uid: it must be read from the server"):
            await world.finalizer(k).ensure(ConfigMap(metadata=ObjectMeta(name="a")))
    assert world.sent() == []


def test_the_memory_is_bounded() -> None:
    state = FinalizerState(NAME)
    metadata = ObjectMeta(finalizers=[NAME], deletion_timestamp=datetime.now(UTC))
    obj = ConfigMap(metadata=metadata)
    for number in range(10_001):
        obj.metadata.uid = str(number)
        state.remember(obj, is_removed=True)
        assert state.next_step(obj, is_live=False) is FinalizerStep.OVER
    obj.metadata.uid = "0"
    assert state.next_step(obj, is_live=False) is FinalizerStep.LOOK
    obj.metadata.uid = "1"
    assert state.next_step(obj, is_live=False) is FinalizerStep.OVER


async def test_conflicts_are_raised_in_the_end(world: World, monkeypatch: Any) -> None:
    monkeypatch.setattr(f"{AsyncFinalizer.__module__}._CONFLICT_TIMEOUT_SECONDS", 0.0)
    async with world.k() as k:
        stale = world.create()
        world.cluster.fail("patch", "configmaps", 409)
        with pytest.raises(Conflict):
            await world.finalizer(k).ensure(stale)


async def test_one_that_is_there_twice_is_removed(world: World) -> None:
    world.create(NAME, NAME)
    deleted = world.delete()
    async with world.k() as k:
        assert await world.finalizer(k).ensure(deleted) is None
    assert (world.left(), len(world.cleaned)) == (None, 1)


async def test_a_cleanup_may_change_its_object(world: World) -> None:
    async def clean(obj: ConfigMap) -> None:
        obj.metadata.finalizers.remove(NAME)
        obj.metadata.deletion_timestamp = None

    world.create(NAME)
    deleted = world.delete()
    async with world.k() as k:
        assert await AsyncFinalizer(k, NAME, clean).ensure(deleted) is None
    assert world.left() is None
