"""The event recorder against a cluster, in tasks here, in threads in test_recorder_threads.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import Pod
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime._async._primitives import sleep
from clientgen.runtime.aio import AsyncEventRecorder
from clientgen.runtime.errors import ConnectionLost, Forbidden
from clientgen.testing import FakeClock, FakeCluster

pytestmark = pytest.mark.usefixtures("no_task_is_left")

POD = Pod(metadata=ObjectMeta(name="web-0", namespace="shop", uid="u"))


async def until(holds: Callable[[], object]) -> None:
    while not holds():
        await sleep(0.001)


class AsyncStage:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.cluster = FakeCluster(POD, clock=self.clock)
        self.k = self.cluster.clientset(AsyncClientset)

    def recorder(self, **options: Any) -> AsyncEventRecorder:
        options = {"clock": self.clock, "random": lambda: 0.5, "instance": "c-1", **options}
        return AsyncEventRecorder(self.k, "c", **options)

    def wrote(self) -> list[str]:
        return [action.verb for action in self.cluster.writes]


async def test_events_are_written_and_what_is_alike_becomes_a_series() -> None:
    stage = AsyncStage()
    async with stage.recorder() as recorder:
        for note in ("to a", "to b", "to c"):
            recorder.event(POD, "Normal", "Bound", note, action="Binding")
        recorder.event(POD, "Warning", "Failed", "x" * 2000, related=POD)
    events = (await stage.k.events_v1.events("shop").list()).items
    bound, failed = sorted(events, key=lambda event: event.reason or "")
    assert (bound.note, bound.action, bound.type) == ("to a", "Binding", "Normal")
    assert bound.series is not None
    assert bound.series.count == 3
    assert bound.event_time == stage.clock.now()
    assert (bound.reporting_controller, bound.reporting_instance) == ("c", "c-1")
    assert bound.regarding is not None
    assert (bound.regarding.kind, bound.regarding.uid) == ("Pod", "u")
    assert failed.series is None
    assert failed.note == "x" * 1024
    assert failed.action == "Failed"
    assert failed.related is not None
    assert failed.related.name == "web-0"
    assert recorder.dropped == 0
    assert stage.wrote() == ["create", "patch", "create", "patch"]


async def test_the_older_api_counts() -> None:
    stage = AsyncStage()
    async with stage.recorder(api="v1") as recorder:
        recorder.event(POD, "Normal", "Bound", "to a", annotations={"a": "b"})
        recorder.event(POD, "Normal", "Bound", "to a")
    (event,) = (await stage.k.core_v1.events("shop").list()).items
    assert (event.count, event.message, event.reason) == (2, "to a", "Bound")
    assert event.metadata.annotations == {"a": "b"}
    assert event.involved_object.name == "web-0"
    assert event.source is not None
    assert event.source.component == "c"
    assert event.first_timestamp == stage.clock.now()


async def test_an_event_that_has_gone_is_written_anew() -> None:
    stage = AsyncStage()
    async with stage.recorder(api="v1") as recorder:
        recorder.event(POD, "Normal", "Bound", "to a")
        await until(lambda: stage.wrote() == ["create"])
        name = (await stage.k.core_v1.events("shop").list()).items[0].metadata.name
        await stage.k.core_v1.events("shop").delete(name)
        recorder.event(POD, "Normal", "Bound", "to a")
    (event,) = (await stage.k.core_v1.events("shop").list()).items
    assert (event.metadata.name, event.count) == (name, 2)


async def test_network_failures_are_retried_and_refusals_are_not() -> None:
    stage = AsyncStage()
    stage.cluster.react("create", "events.events.k8s.io", ConnectionLost, times=2)
    async with stage.recorder() as recorder:
        recorder.event(POD, "Normal", "Bound", "to a")
        for count in (1, 2):
            await until(lambda count=count: len(stage.wrote()) == count)
            await until(lambda: stage.clock.waiters == 2)
            stage.clock.step(11.2)
            assert len(stage.wrote()) == count
            stage.clock.step(0.1)
        await until(lambda: len(stage.wrote()) == 3)
        refused = stage.cluster.react("create", "events.events.k8s.io", Forbidden)
        recorder.event(POD, "Normal", "Other", "")
        await until(lambda: recorder.dropped == 1)
        assert refused.hits == 1
    assert len((await stage.k.events_v1.events("shop").list()).items) == 1


async def test_it_gives_up_after_twelve_tries() -> None:
    stage = AsyncStage()
    lost = stage.cluster.react("create", "events", ConnectionLost)
    async with stage.recorder(api="v1") as recorder:
        recorder.event(POD, "Normal", "Bound", "to a")
        for count in range(1, 12):
            await until(lambda count=count: lost.hits == count and stage.clock.waiters == 2)
            stage.clock.step(5.0 if count == 1 else 10.0)
        await until(lambda: recorder.dropped == 1)
    assert lost.hits == 12


async def test_recording_never_waits_and_drops_what_does_not_fit() -> None:
    stage = AsyncStage()
    recorder = stage.recorder(queue_size=3)
    for count in range(5):
        recorder.event(POD, "Normal", f"R{count}", "")
    assert recorder.dropped == 2
    async with recorder:
        await until(lambda: len(stage.wrote()) == 3)
    recorder.event(POD, "Normal", "Late", "")
    assert recorder.dropped == 3
    assert stage.wrote() == ["create"] * 3


async def test_invalid_events_are_dropped(caplog: pytest.LogCaptureFixture) -> None:
    stage = AsyncStage()
    async with stage.recorder() as recorder:
        recorder.event(object(), "Normal", "R", "")
        recorder.event(POD, "Bad", "R", "")  # type: ignore[arg-type]
        recorder.event(POD, "Normal", "", "")
        recorder.event(POD, "Normal", "R", "", related={"kind": "Pod"})
    assert recorder.dropped == 4
    assert stage.wrote() == []
    assert len(caplog.records) == 4


async def test_series_are_refreshed_by_the_clock() -> None:
    stage = AsyncStage()
    async with stage.recorder() as recorder:
        for _ in range(4):
            recorder.event(POD, "Normal", "Bound", "")
        await until(lambda: stage.wrote() == ["create", "patch"])
        await until(lambda: stage.clock.waiters == 2)
        stage.clock.step(360.0)
        await until(lambda: stage.wrote() == ["create", "patch", "patch"])
        (event,) = (await stage.k.events_v1.events("shop").list()).items
        assert event.series is not None
        assert event.series.count == 4


async def test_stopping_does_not_wait_for_ever() -> None:
    stage = AsyncStage()
    stage.cluster.delay(100.0, "create", "events.events.k8s.io")
    recorder = stage.recorder()
    recorder.start()
    recorder.event(POD, "Normal", "Bound", "")
    recorder.event(POD, "Normal", "Other", "")
    await until(lambda: stage.clock.waiters == 2)
    assert not await recorder.stop(timeout=0.0)
    assert recorder.dropped >= 1
    stage.clock.step(100.0)  # a thread is still at it


async def test_stopping_ends_the_wait_for_another_try() -> None:
    stage = AsyncStage()
    stage.cluster.react("create", "events.events.k8s.io", ConnectionLost)
    async with stage.recorder() as recorder:
        recorder.event(POD, "Normal", "Bound", "")
        await until(lambda: stage.clock.waiters == 2)
    assert recorder.dropped == 1


async def test_objects_of_the_whole_cluster_have_their_events_in_default() -> None:
    stage = AsyncStage()
    stage.cluster.add({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}})
    async with stage.recorder() as recorder:
        recorder.event(
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "N"}}, "Normal", "R", ""
        )
    (event,) = (await stage.k.events_v1.events("default").list()).items
    assert len(event.metadata.name) == 36  # N is no part of a name


async def test_there_are_two_apis() -> None:
    with pytest.raises(ValueError, match="api must be"):
        AsyncStage().recorder(api="v2")
