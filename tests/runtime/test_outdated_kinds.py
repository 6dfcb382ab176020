"""Kinds that are elsewhere than other programs left on disk; the tests of threads are derived."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap
from support.definitions import custom_definition, custom_version

from clientgen.runtime.conditions import deleted
from clientgen.runtime.errors import NoResourceMatch, NotFound, WaitTimeout
from clientgen.runtime.models import Unstructured
from clientgen.testing import LocalServer

GROUP = "example.com"
NAME = "foos.example.com"
V1 = custom_version("v1", subresources={"status": {}})
V2 = custom_version("v2", storage=True, subresources={"status": {}})
SERVES_V2 = custom_definition(GROUP, "Foo", V2)
CLUSTER_SCOPED = custom_definition(GROUP, "Foo", V1, scope="Cluster")


def foo(version: str = "v1", **metadata: str) -> dict[str, Any]:
    return {
        "apiVersion": f"{GROUP}/{version}",
        "kind": "Foo",
        "metadata": {"name": "a", **metadata},
    }


class World:
    """A server, and programs that share what they know of its resources."""

    def __init__(self, server: LocalServer, folder: Path) -> None:
        self.server = server
        self.folder = folder
        self.targets: list[str] = []
        handle = server.cluster.server.handle

        def noting(request: Any) -> Any:
            self.targets.append(request.target.partition("?")[0])
            return handle(request)

        server.cluster.server.handle = noting  # type: ignore[method-assign]

    def program(self) -> Any:
        self.targets.clear()
        return AsyncClientset.from_config(self.server.kubeconfig, discovery_cache=self.folder)

    def redefine(self, *objects: dict[str, Any]) -> None:
        with self.server.cluster.clientset(Clientset) as k:
            k.apiextensions_v1.custom_resource_definitions().delete(NAME)
        self.server.cluster.add(*objects)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with LocalServer() as server:
        yield World(server, tmp_path / "discovery")


async def remember(world: World) -> None:
    """Let a program leave on disk that there are Foos, namespaced and in v1."""
    world.server.cluster.add(custom_definition(GROUP, "Foo", V1))
    async with world.program() as k:
        assert (await k.dynamic.resource(NAME).resource()).version == "v1"


async def each(foos: Any) -> None:
    assert [one.metadata.name async for one in foos.each()] == ["a"]


async def watch(foos: Any) -> None:
    async with foos.watch() as events:
        async for event in events:
            assert event.object.api_version == "example.com/v2"
            break


async def wait_for_all(foos: Any) -> None:
    with pytest.raises(WaitTimeout):
        await foos.wait(until=deleted, timeout=0)


async def wait_for_one(foos: Any) -> None:
    with pytest.raises(WaitTimeout, match="its deletion was not requested"):
        await foos.wait("a", until=deleted, timeout=0)


async def see(foos: Any) -> None:
    assert (await foos.wait("a", until=lambda one: True, timeout=0)).metadata.name == "a"


CALLS = {
    "get": lambda foos: foos.get("a"),
    "list": lambda foos: foos.list(),
    "table": lambda foos: foos.table(),
    "create": lambda foos: foos.create({"metadata": {"name": "b"}}),
    "apply": lambda foos: foos.apply({"metadata": {"name": "a"}}),
    "patch": lambda foos: foos.patch("a", {"metadata": {"labels": {"b": "c"}}}),
    "edit": lambda foos: foos.edit("a", lambda one: None),
    "delete": lambda foos: foos.delete("a"),
    "delete_collection": lambda foos: foos.delete_collection(namespace="default"),
    "status": lambda foos: foos.status("a").patch({"status": {"b": "c"}}),
    "metadata": lambda foos: foos.metadata.get("a"),
    "each": each,
    "watch": watch,
    "wait_for_all": wait_for_all,
    "wait_for_one": wait_for_one,
    "see": see,
}


@pytest.mark.parametrize("call", CALLS)
async def test_a_name_leads_to_the_version_that_is_served_now(world: World, call: str) -> None:
    await remember(world)
    world.redefine(SERVES_V2, foo("v2", namespace="default"))
    async with world.program() as k:
        await CALLS[call](k.dynamic.resource(NAME))
    async with world.program() as k:
        await k.dynamic.resource(NAME).list()
        assert world.targets == ["/apis/example.com/v2/foos"]  # the file on disk is right


@pytest.mark.parametrize("call", ["get", "delete", "wait_for_one", "see"])
async def test_a_name_leads_to_the_scope_of_now(world: World, call: str) -> None:
    await remember(world)
    world.redefine(CLUSTER_SCOPED, foo())
    async with world.program() as k:
        await CALLS[call](k.dynamic.resource(NAME))


async def test_a_version_that_is_asked_for_by_name_is_no_other_one(world: World) -> None:
    await remember(world)
    world.redefine(SERVES_V2)
    for name in ("foos.v1.example.com", "example.com/v1/Foo"):
        async with world.program() as k:
            with pytest.raises(NoResourceMatch, match=r"foos\.v2\.example\.com"):
                await k.dynamic.resource(name).list()


async def test_the_clients_of_a_category_notice_it_too(world: World) -> None:
    await remember(world)
    async with world.program() as k:
        (foos,) = await k.dynamic.resources(NAME)
        world.redefine(CLUSTER_SCOPED, foo())
        assert (await foos.get("a")).metadata.name == "a"
        world.redefine(SERVES_V2)
        with pytest.raises(NoResourceMatch, match=r"foos\.v2\.example\.com"):
            await foos.list()


async def test_calls_of_unknown_kinds_find_the_scope_of_now(world: World) -> None:
    await remember(world)
    world.redefine(CLUSTER_SCOPED, foo())
    for call in ("apply", "delete"):
        async with world.program() as k:
            if call == "apply":
                assert (await k.apply(Unstructured(foo()))).metadata.name == "a"
                with pytest.raises(WaitTimeout):
                    await k.wait(Unstructured(foo()), until=deleted, timeout=0)
            else:
                await k.delete(foo())
                assert not (await k.dynamic.resource(NAME).list()).items


async def test_a_wait_of_an_unknown_kind_finds_the_scope_of_now(world: World) -> None:
    await remember(world)
    world.redefine(CLUSTER_SCOPED, foo())
    async with world.program() as k:
        with pytest.raises(WaitTimeout):
            await k.wait(Unstructured(foo()), until=deleted, timeout=0)


async def test_a_subresource_that_is_new_is_found(world: World) -> None:
    world.server.cluster.add(custom_definition(GROUP, "Foo", custom_version("v1")))
    async with world.program() as k:
        await k.dynamic.resource(NAME).resource()
    world.redefine(custom_definition(GROUP, "Foo", V1), foo(namespace="default"))
    async with world.program() as k:
        status = k.dynamic.resource(NAME).status("a")
        assert (await status.patch({"status": {"b": "c"}}))["status"] == {"b": "c"}


async def test_an_informer_watches_the_version_of_now(world: World) -> None:
    await remember(world)
    world.redefine(SERVES_V2)
    async with world.program() as k:
        informer = await k.informers().dynamic(NAME)
        assert informer.resource.version == "v2"


async def test_an_object_that_is_missing_makes_nobody_ask_for_resources(world: World) -> None:
    await remember(world)
    async with world.program() as k:
        foos = k.dynamic.resource(NAME)
        for call in (foos.get, foos.delete, partial(k.get, ConfigMap)):
            with pytest.raises(NotFound):
                await call("b")
        assert not {"/api", "/apis"} & set(world.targets)


async def test_a_kind_that_stays_unknown_is_not_asked_for_without_end(world: World) -> None:
    await remember(world)
    async with world.program() as k:
        world.server.cluster.react("list", "foos", 404, times=20)
        foos = k.dynamic.resource(NAME)
        for _ in range(10):
            with pytest.raises(NotFound):
                await foos.list()
        assert world.targets.count("/apis") == 5
