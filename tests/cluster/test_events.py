"""The event recorder: both APIs take what it writes."""

from __future__ import annotations

import pytest
from clusterkit.objects import config_map
from clusterkit.together import async_until
from kubeapi import AsyncClientset

from clientgen.runtime.aio import AsyncEventRecorder
from clientgen.runtime.models import ObjectMeta

pytestmark = pytest.mark.cluster


async def test_events_of_the_new_api(kube: AsyncClientset, namespace: str) -> None:
    about = await kube.core_v1.config_maps(namespace).create(config_map("shop"))
    async with AsyncEventRecorder(kube, "example.com/tester", instance="tester-1") as recorder:
        for note in ("first", "second", "third"):
            recorder.event(about, "Normal", "Tested", note, action="Testing")
        recorder.event(about, "Warning", "Long", "é" * 2000, related=about)
    events = (await kube.events_v1.events(namespace).list()).items
    by_reason = {event.reason: event for event in events}
    tested = by_reason["Tested"]
    assert tested.series is not None
    assert tested.series.count == 3
    assert tested.note == "first"
    assert tested.action == "Testing"
    assert tested.regarding is not None
    assert tested.regarding.uid == about.metadata.uid
    assert tested.reporting_controller == "example.com/tester"
    assert by_reason["Long"].note == "é" * 512
    assert recorder.dropped == 0


async def test_events_of_the_old_api(kube: AsyncClientset, namespace: str) -> None:
    about = await kube.core_v1.config_maps(namespace).create(config_map("shop"))
    async with AsyncEventRecorder(kube, "tester", api="v1") as recorder:
        recorder.event(about, "Normal", "Tested", "again", annotations={"a": "b"})

        async def is_written() -> bool:
            return len((await kube.core_v1.events(namespace).list()).items) == 1

        await async_until(is_written)
        recorder.event(about, "Normal", "Tested", "again")
    (event,) = (await kube.core_v1.events(namespace).list()).items
    assert (event.count, event.message, event.type) == (2, "again", "Normal")
    assert event.metadata.name.startswith("shop.")
    assert event.metadata.annotations == {"a": "b"}
    assert event.involved_object.uid == about.metadata.uid
    assert recorder.dropped == 0


async def test_an_event_in_a_namespace_that_is_not_there_is_dropped(
    kube: AsyncClientset, namespace: str
) -> None:
    about = config_map("shop")
    about.metadata = ObjectMeta(name="shop", namespace=f"{namespace}-none")
    async with AsyncEventRecorder(kube, "tester") as recorder:
        recorder.event(about, "Normal", "Tested", "")
    assert recorder.dropped == 1
