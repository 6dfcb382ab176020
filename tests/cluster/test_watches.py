"""watch: what comes, from where on, and how it ends."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Any

import pytest
from clusterkit.objects import config_map, pod
from clusterkit.together import AsyncBackground, async_collect, async_take, async_until
from kubeapi import AsyncClientset
from kubeapi.core.v1.models import ConfigMap

from clientgen.runtime import MergePatch, WatchEvent
from clientgen.runtime._http import watch_progress as rules
from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime.aio import AsyncWatch
from clientgen.runtime.errors import ApiError, BadRequest, Expired, Invalid, RequestTimeout

pytestmark = pytest.mark.cluster

# No watch of a test lasts longer; one that does fails with RequestTimeout.
LONG = 20.0


def seen(events: list[WatchEvent[ConfigMap]]) -> list[tuple[str, str]]:
    return [(event.type, event.object.metadata.name) for event in events]


def label(**labels: str | None) -> MergePatch:
    return MergePatch({"metadata": {"labels": labels}})


def data(**values: str) -> MergePatch:
    return MergePatch({"data": values})


async def test_a_watch_begins_with_what_is_there_and_goes_on_with_what_happens(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("b", labels={"test": "yes"}))
    await maps.create(config_map("a", labels={"test": "yes"}))
    async with maps.watch(label_selector="test", timeout=LONG) as watch:
        assert seen(await async_take(2, watch)) == [("ADDED", "a"), ("ADDED", "b")]
        await maps.create(config_map("c", labels={"test": "yes"}))
        await maps.patch("a", data(key="value"))
        await maps.delete("b")
        events = await async_take(3, watch)
    assert seen(events) == [("ADDED", "c"), ("MODIFIED", "a"), ("DELETED", "b")]
    assert all(isinstance(event.object, ConfigMap) for event in events)
    assert events[1].object.data == {"key": "value"}
    versions = [int(event.object.metadata.resource_version) for event in events]
    assert versions == sorted(versions)
    assert watch.resource_version == str(versions[-1])


async def test_a_watch_from_a_version_shows_only_what_came_later(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("before", labels={"test": "yes"}))
    version = (await maps.list()).metadata.resource_version
    await maps.create(config_map("after", labels={"test": "yes"}))
    watch = maps.watch(label_selector="test", resource_version=version, timeout=LONG)
    async with watch:
        assert seen(await async_take(1, watch)) == [("ADDED", "after")]


async def test_one_object_is_watched_by_its_name(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("this"))
    await maps.create(config_map("that"))
    async with maps.watch(field_selector="metadata.name=this", timeout=LONG) as watch:
        assert seen(await async_take(1, watch)) == [("ADDED", "this")]
        await maps.delete("that")
        await maps.delete("this")
        assert seen(await async_take(1, watch)) == [("DELETED", "this")]


async def test_all_namespaces_are_watched_at_once(kube: AsyncClientset, namespace: str) -> None:
    watch = kube.core_v1.pods().watch(
        field_selector=f"metadata.namespace={namespace}", timeout=LONG
    )
    async with watch:
        await kube.core_v1.pods(namespace).create(pod("one"))
        (event,) = await async_take(1, watch)
    assert (event.object.metadata.name, event.object.metadata.namespace) == ("one", namespace)
    assert event.object.spec.containers[0].name == "main"


async def test_an_object_that_leaves_the_selection_is_deleted_as_it_was(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", labels={"color": "red"}))
    async with maps.watch(label_selector="color=red", timeout=LONG) as watch:
        assert seen(await async_take(1, watch)) == [("ADDED", "one")]
        left = await maps.patch("one", label(color="blue"))
        await maps.patch("one", data(unseen="yes"))
        back = await maps.patch("one", label(color="red"))
        gone, again = await async_take(2, watch)
    assert (gone.type, gone.object.metadata.labels) == ("DELETED", {"color": "red"})
    assert gone.object.metadata.resource_version == left.metadata.resource_version
    assert (again.type, again.object.data) == ("ADDED", {"unseen": "yes"})
    assert again.object.metadata.resource_version == back.metadata.resource_version


async def test_the_end_of_the_initial_events_is_a_bookmark(
    kube: AsyncClientset, namespace: str
) -> None:
    pods = kube.core_v1.pods(namespace)
    await pods.create(pod("one"))
    watch = pods.watch(
        send_initial_events=True,
        resource_version_match="NotOlderThan",
        bookmarks=True,
        timeout=LONG,
    )
    async with watch:
        added, bookmark = await async_take(2, watch)
    assert (added.type, added.object.metadata.name) == ("ADDED", "one")
    assert bookmark.type == "BOOKMARK"
    assert bookmark.object.metadata.resource_version
    assert bookmark.object.metadata.annotations == {"k8s.io/initial-events-end": "true"}
    assert watch.resource_version == bookmark.object.metadata.resource_version


async def test_bookmarks_are_kept_back_unless_they_are_wanted(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", labels={"test": "yes"}))
    watch = maps.watch(
        label_selector="test",
        send_initial_events=True,
        resource_version_match="NotOlderThan",
        timeout=LONG,
    )
    async with watch:
        await async_take(1, watch)
        await maps.delete("one")
        assert seen(await async_take(1, watch)) == [("DELETED", "one")]


async def test_initial_events_can_be_left_out(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    created = await maps.create(config_map("before", labels={"test": "yes"}))
    watch = maps.watch(
        label_selector="test",
        send_initial_events=False,
        resource_version=created.metadata.resource_version,
        resource_version_match="NotOlderThan",
        timeout=LONG,
    )
    async with watch:
        await maps.create(config_map("after", labels={"test": "yes"}))
        assert seen(await async_take(1, watch)) == [("ADDED", "after")]


async def test_a_version_that_is_too_old_is_expired(kube: AsyncClientset, namespace: str) -> None:
    watch = kube.core_v1.config_maps(namespace).watch(resource_version="1", timeout=LONG)
    with pytest.raises(Expired, match="too old resource version") as caught:
        await async_collect(watch)
    assert caught.value.code == 410


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"label_selector": "a in b"}, BadRequest),
        ({"field_selector": "data.key=value"}, BadRequest),
        ({"resource_version_match": "NotOlderThan"}, Invalid),
        ({"resource_version": "abc"}, ApiError),
    ],
)
async def test_options_the_server_does_not_understand_are_errors(
    kube: AsyncClientset, namespace: str, options: Mapping[str, Any], error: type[ApiError]
) -> None:
    watch = kube.core_v1.config_maps(namespace).watch(**options, timeout=LONG)
    with pytest.raises(error):
        await async_collect(watch)


async def test_initial_events_need_no_other_option(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", labels={"test": "yes"}))
    watch = maps.watch(label_selector="test", send_initial_events=True, timeout=LONG)
    async with watch:
        assert seen(await async_take(1, watch)) == [("ADDED", "one")]


async def test_a_watch_ends_when_its_seconds_are_over(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", labels={"test": "yes"}))
    start = monotonic()
    watch = maps.watch(label_selector="test", timeout_seconds=1, timeout=LONG)
    assert seen(await async_collect(watch)) == [("ADDED", "one")]
    assert 0.5 < monotonic() - start < 10


async def test_a_deadline_is_an_error(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    with pytest.raises(RequestTimeout):
        await async_collect(maps.watch(label_selector="test", timeout=0.3))
    with pytest.raises(RequestTimeout):  # which servers just wait for
        await async_collect(maps.watch(resource_version="999999999999999", timeout=0.3))


async def test_a_watch_is_stopped_from_elsewhere(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", labels={"test": "yes"}))
    watch = maps.watch(label_selector="test", timeout=LONG)
    names: list[str] = []

    async def read() -> None:
        async for event in watch:
            names.append(event.object.metadata.name)  # noqa: PERF401 - it is looked at meanwhile

    async def has_begun() -> bool:
        return bool(names)

    reading = AsyncBackground(read)
    await async_until(has_begun)
    start = monotonic()
    watch.stop()
    await reading.result()
    assert monotonic() - start < 5
    assert names == ["one"]
    assert await async_collect(watch) == []  # and it stays so


async def test_a_watch_that_is_stopped_before_it_begins_gives_nothing(
    kube: AsyncClientset, namespace: str
) -> None:
    watch = kube.core_v1.config_maps(namespace).watch(timeout=LONG)
    watch.stop()
    assert await async_collect(watch) == []


async def test_leaving_a_loop_lets_go_of_the_watch(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", labels={"test": "yes"}))
    async with maps.watch(label_selector="test", timeout=LONG) as watch:
        async for event in watch:
            assert event.object.metadata.name == "one"
            break
    assert await async_collect(watch) == []


async def test_a_watch_outlives_its_connections(
    kube: AsyncClientset, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server ends every connection after a second; not an event is lost or comes twice."""
    monkeypatch.setattr(rules, "MIN_STREAM_SECONDS", 1)
    opened = count_streams(kube, monkeypatch)
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", {"number": "0"}, {"test": "yes"}))
    watch = maps.watch(label_selector="test", timeout=LONG)
    reading = AsyncBackground(lambda: numbers(watch))
    written = 0

    async def write_until_reopened() -> bool:
        nonlocal written
        written += 1
        await maps.patch("one", data(number=str(written)))
        return len(opened) >= 4

    await async_until(write_until_reopened)
    await maps.delete("one")
    events = await reading.result()
    assert events == list(range(events[0], written + 1))
    assert len(events) > 4


def count_streams(kube: AsyncClientset, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The targets of all streams that are opened from now on."""
    opened: list[str] = []
    stream = kube.rest.stream

    async def count_and_stream(request: HttpRequest, *arguments: Any, **options: Any) -> Any:
        opened.append(request.target)
        return await stream(request, *arguments, **options)

    monkeypatch.setattr(kube.rest, "stream", count_and_stream)
    return opened


async def numbers(watch: AsyncWatch[ConfigMap]) -> list[int]:
    """What the data held, event by event, until the object is deleted."""
    values: list[int] = []
    async with watch:
        async for event in watch:
            if event.type == "DELETED":
                break
            values.append(int(event.object.data["number"]))
    return values


async def test_two_watches_see_the_same(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    async with (
        maps.watch(label_selector="test", timeout=LONG) as one,
        maps.watch(label_selector="test", timeout=LONG) as other,
    ):
        for name in ("a", "b", "c"):
            await maps.create(config_map(name, labels={"test": "yes"}))
        expected = [("ADDED", "a"), ("ADDED", "b"), ("ADDED", "c")]
        assert seen(await async_take(3, one)) == expected
        assert seen(await async_take(3, other)) == expected
