"""Webhooks that convert custom resources: the server in memory asks them as a real server does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from support.conversion_cases import (
    CONVERSIONS,
    GROUP,
    ConversionCase,
    Definitions,
    converted,
    definition,
)
from support.webhook_backend import TestBackend
from support.webhook_cases import asking, namespaces_of, recorded

from clientgen._gvk import GroupVersionResource
from clientgen.runtime import MergePatch, errors
from clientgen.runtime.models import Unstructured
from clientgen.testing import FakeClock, FakeCluster, LocalServer


@pytest.fixture(scope="module")
def definitions() -> Iterator[Definitions]:
    with TestBackend() as backend:
        ask = asking(FakeCluster().clientset(Clientset))
        yield Definitions(ask, backend, namespaces_of(ask, "clientgen-test-conversion")())


@pytest.mark.parametrize("case", CONVERSIONS, ids=[case.name for case in CONVERSIONS])
def test_the_answers_are_those_of_a_real_server(
    definitions: Definitions, case: ConversionCase
) -> None:
    assert definitions.outcome(case) == recorded()[f"conversion: {case.name}"]


# ---- in the process ---------------------------------------------------------------------------


class Converter:
    """Converts, and counts the objects of each review; waits if it is told to."""

    def __init__(self) -> None:
        self.reviews: list[int] = []
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.broken = False

    def answer(self, path: str, body: bytes) -> tuple[int, bytes]:
        review = json.loads(body)
        self.reviews.append(len(review["request"]["objects"]))
        if self.broken:
            return 500, b"broken"
        return 200, json.dumps(converted(review)).encode()


class Broken:
    """It is not to be asked."""

    def answer(self, path: str, body: bytes) -> tuple[int, bytes]:
        raise AssertionError(f"asked {path}: {body!r}")


class AsyncConverter(Converter):
    async def answer(self, path: str, body: bytes) -> tuple[int, bytes]:  # type: ignore[override]
        self.asked.set()
        await self.go_on.wait()
        return super().answer(path, body)


def crd() -> dict[str, Any]:
    with_url = definition(CONVERSIONS[0], 0, TestBackend())
    webhook = with_url["spec"]["conversion"]["webhook"]
    webhook["clientConfig"] = {"service": {"namespace": "default", "name": "hook"}}
    return with_url


CRD = crd()


def new_cluster(backend: Any, clock: FakeClock | None = None) -> FakeCluster:
    cluster = FakeCluster(CRD, clock=clock or FakeClock())
    cluster.service("default/hook", backend)
    return cluster


def thing(version: str, name: str = "a", **spec: Any) -> Unstructured:
    return Unstructured(
        {
            "apiVersion": f"{GROUP}/{version}",
            "kind": "Thing0",
            "metadata": {"name": name, "namespace": "default"},
            "spec": spec,
        }
    )


class Things:
    """The things of a namespace in one version."""

    def __init__(self, k: Any, version: str, namespace: str = "default") -> None:
        self._namespace = namespace
        self._resource = k.dynamic.resource(GroupVersionResource(GROUP, version, "things0"))

    def __getattr__(self, name: str) -> Any:
        return partial(getattr(self._resource, name), namespace=self._namespace)


def test_threads_read_lists_and_watch_another_version() -> None:
    converter = Converter()
    cluster = new_cluster(converter)
    cluster.add(*(thing("v1", name, one=name) for name in "abc"))
    k = cluster.clientset(Clientset)
    listed = Things(k, "v2").list()
    assert [each["spec"] for each in listed.items] == [{"two": name} for name in "abc"]
    assert converter.reviews == [3]  # all at once
    assert Things(k, "v2").get("a")["spec"] == {"two": "a"}
    assert converter.reviews == [3]  # and once for all
    with Things(k, "v2").watch(resource_version=listed.metadata.resource_version) as watch:
        cluster.add(thing("v1", "a", one="x"))
        event = next(iter(watch))
        assert (event.type, event.object["spec"]) == ("MODIFIED", {"two": "x"})
    assert converter.reviews == [3, 1]


def test_an_object_that_is_added_in_another_version_keeps_the_fields_of_that() -> None:
    converter = Converter()
    cluster = new_cluster(converter)
    cluster.add(thing("v2", two="x"))
    k = cluster.clientset(Clientset)
    assert Things(k, "v2").get("a")["spec"] == {"two": "x"}
    assert converter.reviews == []
    assert Things(k, "v1").get("a")["spec"] == {"one": "x"}
    assert converter.reviews == [1]


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_a_write_that_changes_nothing_stores_the_object_in_the_stored_version(version: str) -> None:
    cluster = new_cluster(Converter())
    cluster.add(thing("v2", two="x"))
    things = Things(cluster.clientset(Clientset), version)
    read = things.get("a")
    first = things.update(deepcopy(read))
    assert first["metadata"].pop("resourceVersion") > read["metadata"].pop("resourceVersion")
    assert first == read
    second = things.update(things.get("a"))
    assert second == things.get("a")
    cluster.service("default/hook", Broken())
    assert Things(cluster.clientset(Clientset), "v1").get("a")["spec"] == {"one": "x"}


async def test_many_watches_ask_once() -> None:
    converter = AsyncConverter()
    cluster = new_cluster(converter)
    k = cluster.clientset(AsyncClientset)
    start = (await Things(k, "v1").list()).metadata.resource_version

    async def first_two(version: str) -> list[tuple[str, Any]]:
        seen: list[tuple[str, Any]] = []
        async with Things(k, version).watch(resource_version=start) as watch:
            async for event in watch:
                seen.append((event.type, event.object["spec"]))
                if len(seen) == 2:
                    return seen
        return seen

    watching = [asyncio.create_task(first_two(version)) for version in ("v1", "v2", "v2", "v2")]
    cluster.add(thing("v1", one="x"))
    await Things(k, "v1").patch("a", MergePatch({"spec": {"one": "y"}}))
    plain, *others = await asyncio.gather(*watching)
    assert plain == [("ADDED", {"one": "x"}), ("MODIFIED", {"one": "y"})]
    assert others == 3 * [[("ADDED", {"two": "x"}), ("MODIFIED", {"two": "y"})]]
    assert sum(converter.reviews) == 2


async def test_events_keep_their_order_while_a_webhook_is_asked() -> None:
    converter = AsyncConverter()
    cluster = new_cluster(converter)
    k = cluster.clientset(AsyncClientset)
    cluster.add(thing("v1", one="0"))
    converter.go_on.clear()
    seen: list[tuple[str, Any]] = []

    async def watch_all() -> None:
        async with Things(k, "v2").watch() as watch:
            async for event in watch:
                seen.append((event.type, event.object["spec"]["two"]))
                if event.type == "DELETED":
                    return

    watching = asyncio.create_task(watch_all())
    await converter.asked.wait()
    cluster.add(thing("v1", one="1"))
    await Things(k, "v1").delete("a")
    assert seen == []
    converter.go_on.set()
    await watching
    assert seen == [("ADDED", "0"), ("MODIFIED", "1"), ("DELETED", "1")]


async def test_a_watch_ends_with_the_error_of_a_webhook() -> None:
    converter = AsyncConverter()
    converter.broken = True
    cluster = new_cluster(converter)
    cluster.add(thing("v1", one="0"))
    k = cluster.clientset(AsyncClientset, max_retries=0)
    with pytest.raises(errors.ApiError, match="an error on the server"):
        await anext(aiter(Things(k, "v2").watch()))
    with pytest.raises(errors.ApiError, match=r"conversion webhook for .* failed"):
        await Things(k, "v2").list()
    converter.broken = False
    assert (await Things(k, "v2").get("a"))["spec"] == {"two": "0"}


async def test_a_webhook_that_hangs_is_given_up() -> None:
    clock, converter = FakeClock(), AsyncConverter()
    converter.go_on.clear()
    cluster = new_cluster(converter, clock)
    cluster.add(thing("v1", one="0"))
    k = cluster.clientset(AsyncClientset, timeout=None, max_retries=0)
    getting = asyncio.create_task(Things(k, "v2").get("a"))
    await converter.asked.wait()
    clock.step(30)
    with pytest.raises(errors.ApiError, match="context deadline exceeded"):
        await getting
    converter.go_on.set()
    assert (await Things(k, "v2").get("a"))["spec"] == {"two": "0"}


async def test_work_behind_requests_converts_nothing() -> None:
    converter = AsyncConverter()
    converter.broken = True
    cluster = new_cluster(converter)
    kept = thing("v1", one="0")
    kept["metadata"]["finalizers"] = ["example.com/wait"]
    other = thing("v1", "b", one="1")
    for each in (kept, other):
        each["metadata"]["namespace"] = "shop"
    cluster.add(kept, other)
    k = cluster.clientset(AsyncClientset, max_retries=0)
    await k.core_v1.namespaces().delete("shop")
    [left] = (await Things(k, "v1", "shop").list()).items
    assert left["spec"] == {"one": "0"}
    assert left["metadata"]["deletionTimestamp"]
    converter.broken = False
    patch = MergePatch({"metadata": {"finalizers": None}})
    await Things(k, "v2", "shop").patch("a", patch)
    assert (await Things(k, "v1", "shop").list()).items == []


async def test_a_delete_keeps_what_the_other_version_has() -> None:
    cluster = new_cluster(AsyncConverter())
    kept = thing("v1", one="0")
    kept["metadata"]["finalizers"] = ["example.com/wait"]
    cluster.add(kept)
    k = cluster.clientset(AsyncClientset)
    await Things(k, "v2").delete("a")
    left = await Things(k, "v1").get("a")
    assert left["spec"] == {"one": "0"}
    assert left["metadata"]["deletionTimestamp"]


def test_watches_over_http_are_converted_too() -> None:
    converter = Converter()
    with LocalServer(new_cluster(converter)) as server:
        k: Clientset
        with Clientset.from_config(server.kubeconfig) as k:
            with Things(k, "v2").watch() as watch:
                server.cluster.add(thing("v1", one="0"))
                event = next(iter(watch))
                assert (event.type, event.object["spec"]) == ("ADDED", {"two": "0"})
            assert [each["spec"] for each in Things(k, "v2").list().items] == [{"two": "0"}]
    assert converter.reviews == [1]
