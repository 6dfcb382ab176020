"""Timers, polls, messages, daemons and memos, with tasks; with threads in ..._threads.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from queue import Full
from time import monotonic
from typing import Any, NamedTuple, Self

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap, Namespace, Secret
from kubeapi.meta.v1 import ObjectMeta, OwnerReference
from prometheus_client import CollectorRegistry

from clientgen.runtime._async._primitives import Event, Task, run_blocking, sleep, spawn
from clientgen.runtime._controllers.object_timers import TimerRule
from clientgen.runtime.aio import (
    AsyncContext,
    AsyncDaemonContext,
    AsyncEvents,
    AsyncManager,
    AsyncRequestContext,
    AsyncRequestSink,
)
from clientgen.runtime.controllers import Request, changed, resource_version_changed
from clientgen.runtime.errors import LeadershipLost
from clientgen.testing import FakeClock, FakeCluster


async def until(holds: Callable[[], object]) -> None:
    deadline = monotonic() + 30
    while not holds():
        assert monotonic() < deadline, "timed out"
        await sleep(0.001)


class AsyncProgram:
    """A manager that runs beside the test."""

    def __init__(self, **options: Any) -> None:
        self.clock = FakeClock()
        self.cluster = FakeCluster(
            *(Namespace(metadata=ObjectMeta(name=each)) for each in ("shop", "bank")),
            clock=self.clock,
        )
        self.user = self.cluster.clientset(Clientset)
        self.k = self.cluster.clientset(AsyncClientset)
        self.registry = CollectorRegistry()
        self.manager = AsyncManager(
            self.k, **{"metrics": "127.0.0.1:0", "registry": self.registry, **options}
        )
        self.seen: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self.error: BaseException | None = None
        self.task: Task

    async def reconcile(self, context: AsyncContext[ConfigMap]) -> None:
        self.seen[context.name] += 1
        if self.failures[context.name]:
            raise ValueError("as told")

    async def count(self, context: AsyncRequestContext[Any]) -> None:
        self.seen[str(context.request)] += 1

    async def run(self) -> None:
        try:
            await self.manager.run()
        except BaseException as error:
            self.error = error

    async def __aenter__(self) -> Self:
        self.task = spawn(self.run, "manager")
        return self

    async def __aexit__(self, *_: object) -> None:
        self.manager.stop()
        await self.over()
        await self.k.aclose()

    async def over(self) -> None:
        assert await self.task.join(60), "it does not stop"

    async def seen_is(self, **counts: int) -> None:
        await until(lambda: all(self.seen[name] >= n for name, n in counts.items()))
        await self.rest()
        assert {name: self.seen[name] for name in counts} == counts

    async def rest(self) -> None:
        """Let all that is ready happen."""
        for _ in range(20):
            await sleep(0.001)

    async def step(self, seconds: float) -> None:
        self.clock.step(seconds)
        await self.rest()

    def create(self, name: str, namespace: str = "shop", **data: str) -> ConfigMap:
        obj = ConfigMap(metadata=ObjectMeta(name=name, namespace=namespace), data=data)
        return self.user.core_v1.config_maps(namespace).create(obj)

    def patch(self, name: str, patch: dict[str, Any]) -> None:
        self.user.core_v1.config_maps("shop").patch(name, patch)

    def delete(self, name: str) -> None:
        self.user.core_v1.config_maps("shop").delete(name)

    @property
    def errors(self) -> float:
        name = "clientgen_source_errors_total"
        return self.registry.get_sample_value(name, {"controller": "maps"}) or 0.0


# ---- timers -----------------------------------------------------------------------------------


async def test_timers_fire_beside_changes_and_leave_retries_alone() -> None:
    program = AsyncProgram()
    controller = program.manager.controller("maps", program.reconcile).for_(ConfigMap)
    controller.timer(every=60, delay=10, when=lambda each: each.metadata.name != "quiet")
    for name in ("a", "quiet", "bad"):
        program.create(name)
    async with program:
        await program.seen_is(a=1, quiet=1, bad=1)
        await program.step(5)
        program.patch("a", {"data": {"x": "1"}})
        await program.seen_is(a=2)
        await program.step(5)
        await program.seen_is(a=3, quiet=1, bad=2)  # the change at 5 s did not move the timer
        program.failures["bad"] = 1
        await program.step(60)
        await until(lambda: program.seen["bad"] >= 3)
        await program.step(600)
        await program.seen_is(a=14, quiet=1)
        # Retries come after 5 ms, 10 ms and so on; a timer would add ten more calls.
        assert program.seen["bad"] <= 3 + 17
        program.delete("a")
        await program.seen_is(a=15)
        await program.step(60)
        await program.seen_is(a=15)
        program.create("a")  # another object: its timer begins again
        await program.seen_is(a=16)
        await program.step(9.9)
        await program.seen_is(a=16)
        await program.step(0.1)
        await program.seen_is(a=17)
    assert program.error is None


async def test_idle_timers_wait_for_rest_after_each_change() -> None:
    program = AsyncProgram()
    program.manager.controller("maps", program.reconcile).for_(ConfigMap).timer(idle=30)
    program.create("a")
    async with program:
        await program.seen_is(a=1)
        await program.step(20)
        program.patch("a", {"data": {"x": "1"}})
        await program.seen_is(a=2)
        await program.step(20)  # 40 s after the start, 20 s after the change
        await program.seen_is(a=2)
        await program.step(10)
        await program.seen_is(a=3)
        await program.step(500)  # once for each change
        await program.seen_is(a=3)
        program.patch("a", {"data": {"x": "2"}})
        await program.seen_is(a=4)
        await program.step(30)
        await program.seen_is(a=5)


# ---- polls ------------------------------------------------------------------------------------


class Outside:
    """What is polled."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.polls = 0
        self.failure: Exception | None = None

    async def read(self) -> dict[str, Any]:
        self.polls += 1
        if self.failure is not None:
            raise self.failure
        return dict(self.values)

    async def read_one(self, obj: ConfigMap) -> Any:
        return (await self.read()).get(obj.metadata.name)


async def test_a_poll_wakes_what_differs_and_survives_errors(
    caplog: pytest.LogCaptureFixture,
) -> None:
    program, outside = AsyncProgram(), Outside()
    outside.values = {"a": 1, "b": 1, "a/b": 1}
    controller = program.manager.controller("maps", program.reconcile)
    controller.polls(outside.read, every=30, keys=lambda key: [Request("shop", key)])
    async with program:
        await program.seen_is(a=1, b=1)
        assert "no requests for 'a/b'" in caplog.text  # not a name; tried again at each poll
        del outside.values["a/b"]
        outside.values["a"] = 2
        await program.step(30)
        await program.seen_is(a=2, b=1)
        outside.failure = OSError("the network is down")
        await program.step(30)
        polls = outside.polls
        assert program.errors >= 2
        await program.step(1)  # sooner than the next interval
        await until(lambda: outside.polls > polls)
        outside.failure = None
        del outside.values["b"]
        await program.step(2)
        await program.seen_is(a=2, b=2)  # the failures did not make `a` look gone
    assert program.error is None


async def test_a_poll_per_object_goes_with_the_object() -> None:
    program, outside = AsyncProgram(), Outside()
    polled: list[Any] = []

    async def reconcile(context: AsyncContext[ConfigMap]) -> None:
        await program.reconcile(context)
        if context.object is not None:
            polled.append(context.polled(outside.read_one))

    controller = program.manager.controller("maps", reconcile).for_(ConfigMap)
    controller.polls_each(outside.read_one, every=30, workers=2)
    program.create("a")
    async with program:
        await until(lambda: polled and outside.polls == 1)
        outside.values["a"] = "red"
        await program.step(30)
        await until(lambda: polled[-1] == "red")
        calls = program.seen["a"]
        outside.failure = OSError("the network is down")
        await program.step(30)
        assert program.errors == 1
        await program.seen_is(a=calls)
        outside.failure = None
        outside.values["a"] = "blue"
        await program.step(1)
        await until(lambda: polled[-1] == "blue")
        program.delete("a")
        await program.rest()
        polls = outside.polls
        await program.step(100)
        assert outside.polls == polls


# ---- messages ---------------------------------------------------------------------------------


async def test_events_are_put_from_any_thread_and_are_bounded(
    caplog: pytest.LogCaptureFixture,
) -> None:
    program, events = AsyncProgram(), AsyncEvents[str](maxsize=2)
    with pytest.raises(RuntimeError, match="no controller receives these events"):
        events.put("a")
    program.manager.controller("maps", program.reconcile).receives(
        events, lambda name: [Request("shop", name)]
    )
    events.put("a")
    events.put("b")
    with pytest.raises(Full, match="2 messages wait already"):
        events.put("c")
    assert len(events) == 2
    async with program:
        await program.seen_is(a=1, b=1, c=0)
        await run_blocking(partial(events.put, "c"))
        await program.seen_is(c=1)
        events.put("a/b")
        await until(lambda: program.errors == 1)
        await run_blocking(partial(events.put, "c"))
        await program.seen_is(c=2)
    assert program.error is None
    with pytest.raises(RuntimeError, match="must not have stopped"):
        events.put("d")


async def messages(*names: str | Exception) -> AsyncIterator[str]:
    for each in names:
        if isinstance(each, Exception):
            raise each
        yield each


def named(name: str) -> list[Request]:
    return [Request("shop", name)]


async def test_messages_end_or_fail() -> None:
    program = AsyncProgram()
    runs = [messages("b", OSError("lost")), messages("c")]
    controller = program.manager.controller("maps", program.reconcile)
    controller.receives(messages("a"), named).receives(lambda: runs.pop(0), named)
    async with program:
        await program.seen_is(a=1, b=1)
        assert program.errors == 1
        await program.step(1)  # a function is called again
        await program.seen_is(c=1)
    assert program.error is None

    program = AsyncProgram()
    controller = program.manager.controller("maps", program.reconcile)
    controller.receives(messages("a", OSError("lost")), named)
    async with program:
        await program.over()
    assert isinstance(program.error, OSError)
    with pytest.raises(TypeError, match="that returns one, not "):
        AsyncProgram().manager.controller("maps", program.reconcile).receives(7, named)  # type: ignore[arg-type]


# ---- requests of other types ------------------------------------------------------------------


class Region(NamedTuple):
    cloud: str
    name: str

    def __str__(self) -> str:
        return f"{self.cloud}-{self.name}"


class Heartbeat:
    """A source of a user."""

    def __init__(self) -> None:
        self.has_ended = Event()

    async def run(self, requests: AsyncRequestSink[Region], /) -> None:
        try:
            with pytest.raises(TypeError, match="a source must return Region objects only"):
                requests.add(Request("shop", "a"))  # type: ignore[arg-type]
            requests.add(Region("b", "east"))
            await requests.wait_for_stop()
        finally:
            self.has_ended.set()


async def test_requests_are_of_any_type(caplog: pytest.LogCaptureFixture) -> None:
    program, heartbeat = AsyncProgram(), Heartbeat()

    async def reconcile(context: AsyncRequestContext[Region]) -> None:
        context.log.warning("in %s", context.request.cloud)
        await program.count(context)

    controller = program.manager.request_controller("regions", Region, reconcile)
    controller.watches(ConfigMap, lambda each: [Region("a", each.metadata.namespace)])
    controller.source(heartbeat)
    with pytest.raises(TypeError, match=r"use watches\(source, mapper\)"):
        controller.for_(program.manager.informer(ConfigMap))
    with pytest.raises(TypeError, match=r"timer\(\) makes requests that name objects"):
        controller.timer(every=1)
    program.create("x")
    program.create("y")
    async with program:
        await program.seen_is(**{"a-shop": 1, "b-east": 1})
        program.create("z", "bank")
        await program.seen_is(**{"a-bank": 1, "a-shop": 1})
        controller.watches(Secret, lambda each: [Request("shop", each.metadata.name)])  # type: ignore[list-item]
        with pytest.raises(RuntimeError, match="has already started"):
            controller.source(heartbeat)
    assert program.error is None
    assert heartbeat.has_ended.is_set()
    told = next(each for each in caplog.records if "in b" in each.getMessage())
    assert vars(told)["object"] == "b-east"


# ---- daemons ----------------------------------------------------------------------------------


class AsyncProbe:
    """Daemons that record what they do."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.alive: set[str] = set()
        self.failures = 0

    async def run(self, daemon: AsyncDaemonContext[ConfigMap]) -> None:
        me = f"{daemon.name}/{daemon.object.metadata.uid[:8]}"
        assert not any(each.startswith(f"{daemon.name}/") for each in self.alive)
        self.events.append(f"begin {me}")
        self.alive.add(me)
        daemon.memo(list).append(me)
        try:
            while not await daemon.wait_for_stop(10):
                self.events.append(f"{daemon.name} sees {daemon.object.data}")
                if self.failures:
                    self.failures -= 1
                    raise ValueError("as told")
        finally:
            self.alive.remove(me)
            self.events.append(f"end {me}")


async def test_daemons_live_as_long_as_their_objects(caplog: pytest.LogCaptureFixture) -> None:
    program, probe = AsyncProgram(namespaces=["shop", "bank"]), AsyncProbe()
    controller = program.manager.controller("maps", program.reconcile).for_(ConfigMap)
    controller.daemon(probe.run, when=lambda each: each.data.get("probe") != "no")
    first = program.create("a", x="1").metadata.uid[:8]
    program.create("quiet", probe="no")
    async with program:
        await until(lambda: probe.alive == {f"a/{first}"} and program.seen["a"])
        program.patch("a", {"data": {"x": "2"}})
        await until(lambda: program.seen["a"] == 2)
        await program.step(10)
        await until(lambda: "a sees {'x': '2'}" in probe.events)
        # An error: the daemon begins again after a second.
        probe.failures = 1
        await program.step(10)
        await until(lambda: not probe.alive)
        assert program.errors == 1
        await program.step(1)
        await until(lambda: probe.alive)
        # `when` stops to hold, and holds again.
        program.patch("a", {"data": {"probe": "no"}})
        await until(lambda: not probe.alive)
        program.patch("a", {"data": {"probe": None}})
        await until(lambda: probe.alive == {f"a/{first}"})
        # Another object of the same name.
        program.delete("a")
        second = program.create("a").metadata.uid[:8]
        await until(lambda: probe.alive == {f"a/{second}"})
        # A namespace that is not watched any more sends no deletions.
        program.create("far", "bank")
        await until(lambda: len(probe.alive) == 2)
        program.manager.remove_namespace("bank")
        await until(lambda: probe.alive == {f"a/{second}"})
    assert program.error is None
    assert not probe.alive
    assert not any("quiet" in each for each in probe.events)
    assert "still running" not in caplog.text


async def test_a_daemon_that_raises_no_ordinary_error_stops_the_manager() -> None:
    program = AsyncProgram()

    async def run(daemon: AsyncDaemonContext[ConfigMap]) -> None:
        raise KeyboardInterrupt(daemon.name)

    program.manager.controller("maps", program.reconcile).for_(ConfigMap).daemon(run)
    program.create("a")
    with suppress(KeyboardInterrupt):  # asyncio raises it in the loop, too
        async with program:
            await program.over()
        assert isinstance(program.error, KeyboardInterrupt)


async def test_a_relist_keeps_daemons_and_timers_but_not_those_of_another_object() -> None:
    program, probe = AsyncProgram(), AsyncProbe()
    controller = program.manager.controller("maps", program.reconcile).for_(ConfigMap)
    controller.daemon(probe.run).timer(every=1000)
    program.create("same")
    first = program.create("a").metadata.uid[:8]
    async with program:
        await until(lambda: len(probe.alive) == 2 and len(program.seen) == 2)
        program.cluster.drop_watches()
        program.delete("a")
        second = program.create("a").metadata.uid[:8]
        program.cluster.compact()
        for _ in range(1000):
            if f"a/{second}" in probe.alive:
                break
            await program.step(1)
        assert f"end a/{first}" in probe.events
        assert sum(each.startswith("begin same/") for each in probe.events) == 1
        timers = controller._request_sources[1]
        assert sorted(key.request.name for key in timers._beats) == ["a", "same"]
    assert not probe.alive


async def test_a_lost_lease_ends_daemons_and_sources() -> None:
    program, probe, heartbeat = AsyncProgram(leader_election="operator"), AsyncProbe(), Heartbeat()
    program.manager.controller("maps", program.reconcile).for_(ConfigMap).daemon(probe.run)
    program.manager.request_controller("regions", Region, program.count).source(heartbeat)
    program.create("a")
    async with program:
        await until(lambda: probe.alive and program.seen["b-east"])
        program.cluster.fail("update", "leases.coordination.k8s.io", 500, times=None)
        program.cluster.fail("patch", "leases.coordination.k8s.io", 500, times=None)
        while not program.task.done:
            await program.step(1)
        await program.over()
    assert isinstance(program.error, LeadershipLost)
    await until(lambda: not probe.alive and heartbeat.has_ended.is_set())


async def test_users_functions_may_fail(caplog: pytest.LogCaptureFixture) -> None:
    """No function of the program holds up other objects, or ends the controller."""
    program, probe = AsyncProgram(), AsyncProbe()

    def broken(*_: object) -> Any:
        raise ValueError("as told")

    class Bad:
        async def run(self, requests: AsyncRequestSink[Request], /) -> None:
            await requests.wait_for_stop()

        def stop(self) -> None:
            raise ValueError("as told")

    controller = program.manager.controller("maps", program.reconcile).for_(ConfigMap)
    controller.when(changed(broken)).source(Bad())
    controller.timer(every=1, when=broken).daemon(probe.run, when=broken)
    controller.polls_each(broken, every=5)
    for name in "ab":
        program.create(name)
    async with program:
        await program.seen_is(a=1, b=1)
        program.patch("a", {"data": {"x": "1"}})
        await until(lambda: program.seen["a"] == 2)
        await until(lambda: program.errors >= 2)
    assert program.error is None
    assert not probe.events
    for what in ("when=", "the predicate", "polling", "stop() of the source"):
        assert what in caplog.text


# ---- memos and predicates ---------------------------------------------------------------------


async def test_memos_go_with_their_objects() -> None:
    program = AsyncProgram()
    kept: dict[str, list[str]] = {}

    async def reconcile(context: AsyncContext[ConfigMap]) -> None:
        await program.reconcile(context)
        if context.object is None:
            with pytest.raises(LookupError, match="is gone, and its memos with it"):
                context.memo(list)
        else:
            memo: list[str] = context.memo(list)
            memo.append(context.object.metadata.uid)
            assert context.memo(list) is memo
            kept[context.name] = memo

    controller = program.manager.controller("maps", reconcile, workers=4).for_(ConfigMap)
    controller.timer(every=1000)
    timers = controller._request_sources[0]
    async with program:
        program.create("a")
        await until(lambda: program.seen["a"] == 1)
        program.patch("a", {"data": {"x": "1"}})
        await program.seen_is(a=2)
        assert len(kept["a"]) == 2
        program.delete("a")
        program.create("a")
        await until(lambda: len(kept["a"]) == 1)
        for start in range(0, 1000, 100):
            names = [f"n{start + number}" for number in range(100)]
            for name in names:
                program.create(name)
            for name in names:
                program.delete(name)
            await until(lambda names=names: all(program.seen[name] for name in names))
        await until(lambda: len(controller._memos) == 1)
        await until(lambda: len(controller._tracker) == 1)
        assert len(timers._beats) == len(timers._queue._state._waiting) == 1
    assert program.error is None
    assert len(controller._memos) == 0


async def test_a_predicate_compares_with_what_it_let_pass() -> None:
    program = AsyncProgram()
    allowed = {"now": True}
    by_x = changed(lambda each: each.data.get("x"))
    controller = program.manager.controller("maps", program.reconcile).for_(ConfigMap)
    controller.when(resource_version_changed & by_x).when(lambda _event: allowed["now"])
    other = program.manager.controller("other", program.count).for_(ConfigMap).when(by_x)
    assert other._sources[0].predicates[0] is not by_x
    program.create("a", x="1")
    async with program:
        await until(lambda: program.seen["a"] == 1)
        program.patch("a", {"data": {"y": "1"}})
        program.create("b")
        await until(lambda: program.seen["b"] == 1)
        assert program.seen["a"] == 1
        allowed["now"] = False  # the change is not lost: it passes with the next event
        program.patch("a", {"data": {"x": "2"}})
        await program.rest()
        allowed["now"] = True
        program.patch("a", {"data": {"y": "2"}})
        await program.seen_is(a=2)
        program.delete("a")
        await program.seen_is(a=3)
        program.create("a", x="2")
        await program.seen_is(a=4)
        program.patch("a", {"data": {"y": "3"}})
        await program.rest()
        await program.seen_is(a=4)


async def test_all_owners_are_reconciled() -> None:
    program = AsyncProgram()
    controller = program.manager.controller("maps", program.reconcile).for_(ConfigMap)
    controller.owns(Secret, every_owner=True)
    async with program:
        owners = [
            OwnerReference(api_version=version, kind=kind, name=name, uid="1")
            for version, kind, name in [
                ("v1", "ConfigMap", "one"),
                ("v1", "ConfigMap", "two"),
                ("v1", "Pod", "three"),
            ]
        ]
        metadata = ObjectMeta(name="s", namespace="shop", owner_references=owners)
        program.user.core_v1.secrets("shop").create(Secret(metadata=metadata))
        await program.seen_is(one=1, two=1, three=0)


# ---- decisions --------------------------------------------------------------------------------


def test_a_timer_that_is_late_makes_one_call() -> None:
    rule = TimerRule(10.0, None, None, 0.0)
    assert (rule.first(), rule.after(10.0, 10.0), rule.after(10.0, 39.0)) == (10.0, 20.0, 40.0)
    assert rule.after(10.0, 40.0) == 50.0
    jittery = TimerRule(10.0, None, 0.0, 0.5, lambda: 0.5)
    assert (jittery.first(), jittery.after(10.0, 11.0)) == (0.0, 22.5)
    for wrong in ((None, None, None, 0.0), (0.0, None, None, 0.0), (1.0, -1.0, None, 0.0)):
        with pytest.raises(ValueError, match=r"needs every= or idle=|it must be above 0"):
            TimerRule(*wrong)
    with pytest.raises(TypeError, match="every must be a number, not a str"):
        TimerRule("1", None, None, 0.0)  # type: ignore[arg-type]
