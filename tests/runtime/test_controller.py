"""Controllers, in tasks here and in threads in test_controller_threads.py, which is derived."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from time import monotonic
from typing import Any, Self

import pytest

from clientgen.runtime import Resource
from clientgen.runtime._async._primitives import Event, Task, sleep, spawn
from clientgen.runtime._controllers.reconcile_loop import Request, Result
from clientgen.runtime._models.meta_v1 import ObjectMeta, OwnerReference
from clientgen.runtime._models.model import Model
from clientgen.runtime.aio import AsyncController
from clientgen.testing import FakeClock

THINGS = Resource("example.com", "v1", "things", "Thing")


class Thing(Model):
    metadata: ObjectMeta


def thing(name: str, version: str = "1", owner: str = "") -> Thing:
    owners = [
        OwnerReference(
            api_version="example.com/v1", kind="Thing", name=owner, uid="", controller=True
        )
    ]
    return Thing(
        metadata=ObjectMeta(
            name=name,
            namespace="default",
            resource_version=version,
            owner_references=owners if owner else [],
        )
    )


class Told:
    """Stands for an informer: the test says what happens."""

    def __init__(self, *, synced: bool = True) -> None:
        self.resource = THINGS
        self.title = THINGS.name
        self.sync_status = "no answer yet"
        self.synced = synced
        self.started = 0
        self.handlers: list[Any] = []
        self.add: Callable[[Thing, bool], object]
        self.update: Callable[[Thing, Thing], object]
        self.delete: Callable[[Thing], object]

    def add_handler(self, on_add: Any = None, on_update: Any = None, on_delete: Any = None) -> Any:
        self.add, self.update, self.delete = on_add, on_update, on_delete
        self.handlers.append(self)
        return self

    def start(self) -> None:
        self.started += 1

    def has_synced(self) -> bool:
        return self.synced

    def remove(self) -> None:
        self.handlers.remove(self)


class AsyncRun:
    """A controller that runs beside the test, and what it has reconciled."""

    def __init__(self, **options: Any) -> None:
        self.seen: list[str] = []
        self.running: list[str] = []
        self.most = 0
        self.answers: dict[str, list[Result | Exception | None]] = {}
        self.gate = Event()
        self.gate.set()
        self.error: BaseException | None = None
        self.controller = AsyncController("things", self.reconcile, **options)
        self.task: Task

    async def reconcile(self, request: Request) -> Result | None:
        self.running.append(str(request))
        self.most = max(self.most, len(self.running))
        await self.gate.wait()
        self.running.remove(str(request))
        self.seen.append(request.name)
        answer = self.answers[request.name].pop(0) if self.answers.get(request.name) else None
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def run(self) -> None:
        try:
            await self.controller.run()
        except (TimeoutError, SystemExit) as error:
            self.error = error

    async def __aenter__(self) -> Self:
        self.task = spawn(self.run, "controller")
        return self

    async def __aexit__(self, *_: object) -> None:
        self.gate.set()
        self.controller.stop()
        assert await self.task.join(10)


async def until(holds: Callable[[], object]) -> None:
    """Wait for something to become true."""
    deadline = monotonic() + 60
    while not holds():
        assert monotonic() < deadline, "timed out"
        await sleep(0.001)


async def test_a_mapper_that_fails_for_the_old_object_is_called_for_the_new_one() -> None:
    things = Told()
    run = AsyncRun()

    def users(obj: Thing) -> list[Request]:
        if obj.metadata.resource_version == "1":
            raise LookupError("it refers to nothing yet")
        return [Request("default", "user")]

    run.controller.watches(things, users)
    async with run:
        await until(lambda: things.started)
        with pytest.raises(LookupError, match="nothing yet"):
            things.update(thing("a"), thing("a", "2"))
        await until(lambda: run.seen == ["user"])


async def test_changed_objects_are_reconciled() -> None:
    things, owned, others = Told(), Told(), Told()
    run = AsyncRun()
    run.controller.for_(things).owns(owned).watches(
        others, lambda other: [Request("default", f"of-{other.metadata.name}")]
    )
    async with run:
        await until(lambda: others.started)
        things.add(thing("a"), False)
        await until(lambda: run.seen == ["a"])
        things.update(thing("a"), thing("a", "2"))
        await until(lambda: run.seen == ["a", "a"])
        things.delete(thing("a", "2"))
        await until(lambda: run.seen == ["a", "a", "a"])
        owned.add(thing("nobody's"), False)
        owned.update(thing("x", "1", "old"), thing("x", "2", "new"))
        await until(lambda: run.seen[3:] == ["old", "new"])
        others.delete(thing("b"))
        await until(lambda: run.seen[5:] == ["of-b"])
    assert [source.handlers for source in (things, owned, others)] == [[], [], []]


async def test_nothing_is_reconciled_before_the_caches_are_full() -> None:
    things, others = Told(), Told(synced=False)
    run = AsyncRun()
    run.controller.for_(things).watches(others, lambda _: [])
    async with run:
        await until(lambda: others.started)
        things.add(thing("a"), True)
        assert len(run.controller.queue) == 1
        assert not run.seen
        others.synced = True
        await until(lambda: run.seen == ["a"])


async def test_it_gives_up_when_the_caches_stay_empty() -> None:
    clock = FakeClock()
    things = Told(synced=False)
    others = Told()
    others.title, others.sync_status = "others", "synced"
    run = AsyncRun(clock=clock, sync_timeout=60.0)
    run.controller.for_(things).watches(others, lambda _: [])
    async with run:
        await until(lambda: things.started)
        clock.step(60.0)
        assert await run.task.join(10)
    assert isinstance(run.error, TimeoutError)
    waited = "timed out after 60 s waiting for caches"
    caches = f"{THINGS.name} (no answer yet), others (synced)"
    assert str(run.error).endswith(f"Controller 'things'>: {waited}: {caches}")
    assert not things.handlers


async def test_it_can_be_stopped_while_the_caches_are_empty() -> None:
    things = Told(synced=False)
    run = AsyncRun()
    run.controller.for_(things)
    async with run:
        await until(lambda: things.started)
    assert run.error is None


async def test_changes_go_before_what_is_only_listed() -> None:
    things = Told(synced=False)
    run = AsyncRun()
    run.controller.for_(things)
    async with run:
        await until(lambda: things.started)
        things.add(thing("listed"), True)
        things.update(thing("resynced"), thing("resynced"))
        things.update(thing("changed"), thing("changed", "2"))
        things.synced = True
        await until(lambda: len(run.seen) == 3)
    assert run.seen == ["changed", "listed", "resynced"]


async def test_errors_are_logged_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "clientgen.runtime.controllers")
    clock = FakeClock()
    things = Told()
    run = AsyncRun(clock=clock)
    run.answers["a"] = [ValueError("no"), ValueError("not yet")]
    run.controller.for_(things)
    async with run:
        await until(lambda: things.started)
        things.add(thing("a"), False)
        await until(lambda: run.controller.queue._state.next_ready)
        clock.step(0.006)
        await until(lambda: len(run.seen) == 2 and run.controller.queue._state.next_ready)
        assert run.controller.queue.num_requeues(Request("default", "a")) == 2
        clock.step(0.011)
        await until(lambda: len(run.seen) == 3 and not run.controller.queue._state.processing)
        assert run.controller.queue.num_requeues(Request("default", "a")) == 0
    errors = [record for record in caplog.records if record.exc_info]
    assert [record.getMessage() for record in errors] == [
        "things: reconciling default/a failed (1)",
        "things: reconciling default/a failed (2)",
    ]


async def test_reconcile_says_when_it_wants_to_look_again() -> None:
    clock = FakeClock()
    things = Told()
    run = AsyncRun(clock=clock)
    run.answers["a"] = [Result(requeue_after=30.0)]
    run.controller.for_(things)
    async with run:
        await until(lambda: things.started)
        things.add(thing("a"), False)
        await until(lambda: run.controller.queue._state.next_ready == 30.0)
        clock.step(30.0)
        await until(lambda: run.seen == ["a", "a"])


async def test_an_event_that_comes_first_replaces_the_wait() -> None:
    """As in controller-runtime, whose priority queue has an item once: each call decides anew."""
    clock = FakeClock()
    things = Told()
    run = AsyncRun(clock=clock)
    run.answers["a"] = [Result(requeue_after=30.0), None, Result(requeue_after=30.0)]
    run.controller.for_(things)
    state = run.controller.queue._state
    async with run:
        await until(lambda: things.started)
        things.add(thing("a"), False)
        await until(lambda: state.next_ready == 30.0)
        things.update(thing("a"), thing("a", "2"))
        await until(lambda: run.seen == ["a", "a"] and not state.processing)
        assert state.next_ready is None
        clock.step(30.0)
        things.add(thing("b"), False)  # had the wait not ended, `a` would be first
        await until(lambda: "b" in run.seen)
        assert run.seen == ["a", "a", "b"]

        things.update(thing("a", "2"), thing("a", "3"))
        await until(lambda: state.next_ready == 60.0)
        clock.step(30.0)
        await until(lambda: run.seen == ["a", "a", "b", "a", "a"])


async def test_workers_run_in_parallel_but_never_on_the_same_object() -> None:
    things = Told()
    run = AsyncRun(workers=3)
    run.gate.clear()
    run.controller.for_(things)
    async with run:
        await until(lambda: things.started)
        for name in "abcde":
            things.add(thing(name), False)
        await until(lambda: len(run.running) == 3)
        things.update(thing("a"), thing("a", "2"))
        run.gate.set()
        await until(lambda: len(run.seen) == 6)
    assert run.most == 3
    assert sorted(run.seen) == ["a", "a", "b", "c", "d", "e"]


async def test_stopping_waits_for_what_is_going_on_and_begins_nothing() -> None:
    things = Told()
    run = AsyncRun()
    run.gate.clear()
    run.controller.for_(things)
    async with run:
        await until(lambda: things.started)
        things.add(thing("a"), False)
        things.add(thing("b"), False)
        await until(lambda: run.running == ["default/a"])
        run.controller.stop()
        await until(lambda: run.controller.queue.shutting_down)
        assert not run.task.done
        run.gate.set()
        assert await run.task.join(10)
    assert run.seen == ["a"]


async def test_a_system_exit_ends_it() -> None:
    things = Told()
    run = AsyncRun(workers=2)

    async def leave(request: Request) -> None:
        raise SystemExit(3)

    run.controller._calls.reconcile = leave
    run.controller.for_(things)
    async with run:
        await until(lambda: things.started)
        things.add(thing("a"), False)
        assert await run.task.join(10)
    assert isinstance(run.error, SystemExit)


async def test_an_invalid_result_counts_as_an_error(caplog: pytest.LogCaptureFixture) -> None:
    run = AsyncRun()
    answers: list[Any] = [5, None]
    run.answers["a"] = answers
    run.controller.queue.add(Request("default", "a"))
    async with run:
        await until(lambda: run.seen == ["a", "a"])
    assert "reconciling default/a failed (1)" in caplog.text


async def test_requests_that_arrive_during_stop_are_not_processed() -> None:
    run = AsyncRun()
    async with run:
        await until(lambda: run.controller.queue._getters)
        run.controller._stopping.set()
        run.controller.queue.add(Request("default", "late"))
        assert await run.task.join(10)
    assert not run.seen


async def test_a_failed_watch_registration_leaves_no_handlers() -> None:
    class Stopped(Told):
        def start(self) -> None:
            raise RuntimeError("is stopped")

    before = signal.getsignal(signal.SIGTERM)
    things, stopped = Told(), Stopped()
    controller = AsyncRun().controller.for_(things).owns(stopped)
    with pytest.raises(RuntimeError, match="is stopped"):
        await controller.run()
    assert not things.handlers
    assert not stopped.handlers
    assert signal.getsignal(signal.SIGTERM) is before


async def test_requests_may_come_from_elsewhere() -> None:
    run = AsyncRun()
    run.controller.queue.add(Request("default", "asked-for"))
    async with run:
        await until(lambda: run.seen == ["asked-for"])


async def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="needs at least one worker"):
        AsyncRun(workers=0)
    with pytest.raises(ValueError, match=r"call for_\(\) first"):
        AsyncRun().controller.owns(Told())
    run = AsyncRun()
    async with run:
        pass
    with pytest.raises(RuntimeError, match="has already run; create a new one"):
        await run.controller.run()
