"""Options that govern reconciliations. test_governed_controllers_threads derives the threads."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, Self

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap, Namespace, Secret
from kubeapi.meta.v1 import ObjectMeta
from prometheus_client import CollectorRegistry

from clientgen.runtime._async._primitives import Event, Task, sleep, spawn
from clientgen.runtime.aio import AsyncContext, AsyncController, AsyncManager
from clientgen.runtime.controllers import ItemExponentialFailure, Request, Result, owned_by
from clientgen.runtime.errors import LeadershipLost, ReconcileTimeout, TerminalError
from clientgen.testing import FakeClock, FakeCluster, LocalServer


async def until(holds: Callable[[], object]) -> None:
    """Wait for something to become true."""
    deadline = monotonic() + 30
    while not holds():
        assert monotonic() < deadline, "timed out"
        await sleep(0.001)


def config_map(name: str, **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace="shop"), data=data)


class AsyncProgram:
    """A manager that runs beside the test, with metrics."""

    def __init__(self, cluster: FakeCluster | None = None, **options: Any) -> None:
        self.cluster = cluster or FakeCluster(Namespace(metadata=ObjectMeta(name="shop")))
        self.maps = self.cluster.clientset(Clientset).core_v1.config_maps("shop")
        self.k = self.cluster.clientset(AsyncClientset)
        self.registry = CollectorRegistry()
        self.options = options
        self.manager = self.new_manager()
        self.error: BaseException | None = None
        self.task: Task

    def new_manager(self) -> AsyncManager:
        address = "127.0.0.1:0"
        return AsyncManager(self.k, metrics=address, registry=self.registry, **self.options)

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
        assert await self.task.join(60), "it does not stop"
        await self.k.aclose()

    def metric(self, name: str, controller: str = "maps") -> float | None:
        labels = {"controller": controller}
        return self.registry.get_sample_value(f"controller_runtime_{name}", labels)


# ---- timeout, attempts, on_error --------------------------------------------------------------


async def test_a_reconciliation_that_takes_too_long_is_ended_and_tried_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = FakeClock()
    program = AsyncProgram(clock=clock, controllers={"timeout": 60.0})
    seen: list[tuple[int, Exception | None]] = []

    async def reconcile(context: AsyncContext[ConfigMap]) -> None:
        seen.append((context.attempt, context.last_error))
        if len(seen) < 3:
            assert not context.is_stopping
            await until(lambda: context.is_stopping)  # threads return, tasks are cancelled

    at_once = ItemExponentialFailure[Request](0.0)
    program.manager.controller("maps", reconcile, limiter=at_once).for_(ConfigMap)
    program.maps.create(config_map("a"))
    async with program:
        for attempt in (1, 2):
            await until(lambda: len(seen) == attempt)  # noqa: B023 - called at once
            clock.step(60.0)
            await until(lambda: program.metric("reconcile_timeouts_total") == attempt)  # noqa: B023
        await until(lambda: len(seen) == 3)
        program.maps.patch("a", {"data": {"b": "c"}})
        await until(lambda: len(seen) == 4)
    assert [number for number, _ in seen] == [1, 2, 3, 1]
    assert [type(error) for _, error in seen[1:3]] == [ReconcileTimeout, ReconcileTimeout]
    assert seen[2][1].__traceback__ is None
    assert seen[3][1] is None
    assert program.metric("reconcile_errors_total") == 2
    assert "maps: reconcile did not end within 60 s" in caplog.text
    assert program.error is None


async def send_forever(k: AsyncClientset, kind: str, note: Callable[[object], bool]) -> None:
    """Read from a server that sends nothing after a while, or send requests."""
    maps = k.core_v1.config_maps("shop")
    if kind == "watch":
        async for event in maps.watch(resource_version="0"):
            note(event)
    elif kind == "wait":
        await maps.wait("a", until=note)
    elif kind == "stream":
        async with k.raw_stream("GET", "/api/v1/configmaps?watch=true") as stream:
            async for chunk in stream:
                note(chunk)
    while True:
        note(await maps.list())


@pytest.mark.parametrize("kind", ["watch", "wait", "requests", "stream"])
async def test_requests_and_streams_end_with_the_reconciliation(kind: str) -> None:
    """Over a socket: a thread ends although it reads from a server that sends nothing."""
    begun: list[object] = []
    ended: list[BaseException] = []

    def note(what: object) -> bool:
        begun.append(what)
        return False

    async def reconcile(request: Request) -> None:
        try:
            await send_forever(k, kind, note)
        except BaseException as error:
            ended.append(error)
            raise

    with LocalServer(FakeCluster(config_map("a"))) as server:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            for seconds in (0.5, 5.0, 50.0):  # a busy machine may need long to begin
                ended.clear()
                controller = AsyncController("maps", reconcile, timeout=seconds, max_attempts=1)
                controller.queue.add(Request("shop", "a"))
                task = spawn(controller.run, "controller")
                await until(lambda: ended)
                controller.stop()
                assert await task.join(30)
                if begun:
                    break
            assert await k.core_v1.config_maps("shop").list()  # the limit is over
    assert begun


async def test_the_last_attempt_is_terminal_and_on_error_may_write_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    program = AsyncProgram()
    told: list[tuple[int, str, bool]] = []
    fails = True

    async def reconcile(context: AsyncContext[ConfigMap]) -> None:
        if fails:
            raise ValueError(f"no {context.attempt}")

    async def on_error(context: AsyncContext[ConfigMap], error: Exception) -> None:
        told.append((context.attempt, str(error), context.is_last_attempt))
        if context.attempt == 2:
            raise OSError("on_error fails, too")
        if context.is_last_attempt:
            assert context.object
            await program.k.core_v1.config_maps("shop").patch("a", {"data": {"why": str(error)}})

    controller = program.manager.controller("maps", reconcile, on_error=on_error, max_attempts=3)
    controller.for_(ConfigMap).when(lambda event: event.kind == "add" or "go" in event.object.data)
    program.maps.create(config_map("a"))
    async with program:
        await until(lambda: program.maps.get("a").data.get("why") == "no 3")
        await until(lambda: program.metric("terminal_reconcile_errors_total") == 1)
        assert told == [(1, "no 1", False), (2, "no 2", False), (3, "no 3", True)]
        assert program.metric("reconcile_errors_total") == 3
        assert len(controller.queue._state._waiting) == 0
        program.maps.patch("a", {"data": {"go": ""}})
        await until(lambda: len(told) == 6)
        assert told[3] == (1, "no 1", False)
    assert "maps: on_error failed for <" in caplog.text
    last = "will not be retried before a change: attempt 3 was the last one: ValueError('no 3')"
    assert f"maps: reconciling shop/a failed, and {last}" in caplog.text


async def test_on_error_decides_when_it_is_tried_again() -> None:
    clock = FakeClock()
    replies: list[Result | None] = [Result(requeue_after=500), Result(), None]
    told: list[str] = []

    async def reconcile(request: Request) -> None:
        raise (ValueError, ValueError, LeadershipLost, TerminalError)[len(told)]("no")

    async def on_error(request: Request, error: Exception) -> Result | None:
        told.append(type(error).__name__)
        return replies.pop(0)

    controller = AsyncController("maps", reconcile, on_error=on_error, clock=clock, timeout=9)
    state = controller.queue._state
    request = Request("shop", "a")
    controller.queue.add(request)
    task = spawn(controller.run, "controller")
    await until(lambda: state.next_ready == 500.0)
    assert controller._attempts.begin(request).number == 2
    clock.step(500.0)
    await until(lambda: len(told) == 2 and not state.processing)
    assert (len(state), state.next_ready) == (0, None)  # it is not tried again
    assert controller._attempts.begin(request).number == 1
    controller.queue.add(request)
    await until(lambda: state.next_ready)  # the loss of leadership: it is not told, and tried again
    assert told == ["ValueError", "ValueError"]
    controller.stop()
    assert await task.join(30)
    assert clock.waiters == 0


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"workers": 0}, ValueError, "at least one worker"),
        ({"workers": 1.5}, TypeError, "workers must be a whole number, not a float"),
        ({"timeout": 0}, ValueError, "timeout=0: it must be more than 0"),
        ({"timeout": float("nan")}, ValueError, "timeout=nan"),
        ({"timeout": "1m"}, TypeError, "timeout must be a number, not a str"),
        ({"debounce": -1}, ValueError, "debounce=-1: it must be 0 or more"),
        ({"per_object_rate": 0.0}, ValueError, "per_object_rate=0: it must be more than 0"),
        ({"own_writes_wake": None}, TypeError, "own_writes_wake is a bool, not None"),
        ({"max_attempts": 0}, ValueError, "max_attempts must be 1 or more"),
        ({"max_attempt": 3}, TypeError, "unexpected option 'max_attempt'; the options are"),
    ],
)
async def test_wrong_options_are_refused(options: Any, error: type[Exception], match: str) -> None:
    async def reconcile(request: Any) -> None: ...

    program = AsyncProgram()
    with pytest.raises(error, match=match):
        AsyncController("maps", reconcile, **options)
    with pytest.raises(error, match=match):
        program.manager.controller("maps", reconcile, **options)
    with pytest.raises(error, match=match):
        AsyncManager(program.k, controllers=options)
    await program.k.aclose()


# ---- debounce and rate ------------------------------------------------------------------------


async def test_quick_changes_are_one_and_a_stream_of_changes_does_not_starve() -> None:
    clock = FakeClock()
    program = AsyncProgram(clock=clock)
    seen: list[float] = []
    events: list[Any] = []

    async def reconcile(context: AsyncContext[ConfigMap]) -> None:
        seen.append(clock.monotonic())

    def note(event: Any) -> bool:
        events.append(event)
        return True

    program.maps.create(config_map("a"))
    controller = program.manager.controller("maps", reconcile, debounce=0.5)
    controller.for_(ConfigMap).when(note)
    async with program:
        await until(lambda: seen == [0.0])  # what is listed is not delayed
        for number in range(21):
            program.maps.patch("a", {"data": {"n": str(number)}})
        await until(lambda: len(events) == 22)
        clock.step(0.5)
        await until(lambda: len(seen) == 2)
        for number in range(16):  # 8 changes a second, without end
            program.maps.patch("a", {"data": {"m": str(number)}})
            await until(lambda: len(events) == 23 + number)  # noqa: B023 - called at once
            clock.step(0.125)
        await until(lambda: len(seen) >= 5)
    assert seen[1] == 0.5
    assert len(seen) <= 6
    assert program.registry.get_sample_value("workqueue_retries_total", {"name": "maps"}) == 0


async def test_an_object_is_not_reconciled_more_often_than_its_rate() -> None:
    clock = FakeClock()
    seen: list[tuple[str, float]] = []

    async def reconcile(request: Request) -> Result:
        seen.append((request.name, clock.monotonic()))
        return Result(requeue_after=0.001)

    controller = AsyncController("maps", reconcile, clock=clock, per_object_rate=0.5)
    controller.queue.add(Request("shop", "a"))
    task = spawn(controller.run, "controller")
    await until(lambda: controller.queue._state.next_ready == 2.0)
    controller.queue.add(Request("shop", "a"))
    clock.step(1.0)
    controller.queue.add(Request("shop", "b"))
    await until(lambda: controller.queue._state.processing == 0 and len(seen) == 2)
    clock.step(1.0)
    await until(lambda: len(seen) == 3)
    assert seen == [("a", 0.0), ("b", 1.0), ("a", 2.0)]
    controller.stop()
    assert await task.join(30)


# ---- own writes -------------------------------------------------------------------------------


@pytest.mark.parametrize("over_http", [False, True])
async def test_own_writes_do_not_wake_their_own_controller(over_http: bool) -> None:
    """Each reconciliation changes the object, and would go on forever."""
    program = AsyncProgram()
    seen: list[str] = []
    others: list[str | None] = []
    with LocalServer(program.cluster) as server:
        if over_http:
            await program.k.aclose()
            program.k = AsyncClientset.from_config(server.kubeconfig)
            program.manager = program.new_manager()

        async def reconcile(context: AsyncContext[ConfigMap]) -> None:
            seen.append(context.name)
            if context.object is None:
                return
            count = str(len(seen))
            maps, secrets = (
                program.k.core_v1.config_maps("shop"),
                program.k.core_v1.secrets("shop"),
            )
            await maps.patch(context.name, {"data": {"count": count}})
            await maps.edit(context.name, lambda each: each.data.update(edited=count))
            await maps.apply(config_map(context.name, applied=count), force=True)
            owned = Secret(
                metadata=ObjectMeta(name="s", owner_references=[owned_by(context.object)]),
                data={"count": count.encode()},
            )
            await secrets.apply(owned, force=True)

        async def other(context: AsyncContext[ConfigMap]) -> None:
            others.append(context.object.data.get("applied") if context.object else None)

        controller = program.manager.controller("maps", reconcile, own_writes_wake=False)
        controller.for_(ConfigMap).owns(Secret)
        program.manager.controller("other", other).for_(ConfigMap)
        program.maps.create(config_map("a"))
        secrets = program.cluster.clientset(Clientset).core_v1.secrets("shop")

        def has_come(count: int) -> bool:
            """Whether the caches have the writes of a reconciliation, and all is quiet."""
            if len(seen) != count or len(controller.queue) or controller.queue._state.processing:
                return False
            written = (program.maps.get("a"), secrets.get("s"))
            told = [
                int(cache.resource_version) >= int(obj.metadata.resource_version)
                and not cache._processor.backlog
                for cache, obj in zip(controller.informers, written, strict=True)
            ]
            return written[0].data.get("applied") == str(count) and all(told)

        async with program:
            await until(lambda: has_come(1))
            await until(lambda: others[-1:] == ["1"])  # another controller is told
            program.maps.patch("a", {"data": {"theirs": "1"}})
            await until(lambda: has_come(2))
            secrets.patch("s", {"metadata": {"labels": {"theirs": "1"}}})
            await until(lambda: has_come(3))
            secrets.delete("s")
            await until(lambda: has_come(4))
            program.maps.delete("a")
            await until(lambda: len(seen) >= 5)
    assert program.error is None


# ---- leaders ----------------------------------------------------------------------------------


async def test_a_controller_without_leader_runs_in_every_replica() -> None:
    program = AsyncProgram(leader_election="shop")
    seen: list[str] = []
    begun = Event()

    async def reconcile(context: AsyncContext[ConfigMap]) -> None:
        assert not context.is_stopping
        seen.append(context.name)
        begun.set()
        await until(lambda: context.is_stopping)

    async def lead(context: AsyncContext[ConfigMap]) -> None:
        seen.append("leads")

    program.manager.controller("all", reconcile, needs_leader=False).for_(ConfigMap)
    program.manager.controller("maps", lead).for_(ConfigMap)
    program.cluster.fail("create", "leases.coordination.k8s.io", 500, times=None)
    program.maps.create(config_map("a"))
    async with program:
        await until(begun.is_set)
        assert not program.manager.is_leader
    assert (seen, program.error) == (["a"], None)


# ---- pauses, reconcile_all, and controllers that come and go ----------------------------------


async def test_a_paused_controller_collects_one_request_for_each_object() -> None:
    program = AsyncProgram()
    seen: list[str] = []

    async def reconcile(context: AsyncContext[ConfigMap]) -> None:
        seen.append(context.name)

    controller = program.manager.controller("maps", reconcile, workers=2).for_(ConfigMap)
    program.maps.create(config_map("a"))
    program.maps.create(config_map("b"))
    async with program:
        await until(lambda: sorted(seen) == ["a", "b"])
        controller.pause()
        for number in range(5):
            program.maps.patch("a", {"data": {"n": str(number)}})
        program.maps.delete("b")
        await until(lambda: len(controller.queue) == 2)
        labels = {"name": "maps"}
        assert program.registry.get_sample_value("workqueue_depth", labels) == 2
        paused = {"controller": "maps"}
        assert program.registry.get_sample_value("controller_paused", paused) == 1
        assert controller.is_paused
        assert len(seen) == 2
        controller.resume()
        await until(lambda: sorted(seen) == ["a", "a", "b", "b"])
        assert program.registry.get_sample_value("controller_paused", paused) == 0
        controller.reconcile_all()
        await until(lambda: len(seen) == 5)
        assert seen[4] == "a"
        controller.pause()
        controller.reconcile_all()
    assert len(seen) == 5  # it ends, although it is paused
    assert program.error is None


async def test_controllers_come_and_go_while_the_manager_runs(
    caplog: pytest.LogCaptureFixture,
) -> None:
    program = AsyncProgram(leader_election="shop", sync_timeout=0.2)
    seen: list[str] = []
    begun, may_end = Event(), Event()

    async def first(context: AsyncContext[ConfigMap]) -> None:
        seen.append(f"first {context.name}")

    async def second(context: AsyncContext[Secret]) -> None:
        assert context.object
        patched = await program.k.core_v1.secrets("shop").patch("s", {"data": {"a": "eA=="}})
        seen.append(f"second {patched.metadata.name}")
        begun.set()
        await until(lambda: may_end.is_set() or context.is_stopping)

    stays = program.manager.controller("stays", first).for_(ConfigMap)
    stays.start()  # the manager starts it later
    program.maps.create(config_map("a"))
    secret = Secret(metadata=ObjectMeta(name="s", namespace="shop"))
    program.cluster.clientset(Clientset).core_v1.secrets("shop").create(secret)
    for verb in ("list", "watch"):
        program.cluster.fail(verb, "secrets", 403, times=None)
    async with program:
        await until(lambda: seen == ["first a"])
        with pytest.raises(ValueError, match="called 'stays' already"):
            program.manager.controller("stays", first)
        comes = (
            program.manager.controller("comes", second)
            .for_(Secret)
            .watches(ConfigMap, lambda each: [])
        )
        assert not comes.informers[0].is_started
        comes.start()
        comes.start()
        await until(lambda: "; waiting on" in caplog.text)  # and the others go on
        program.maps.patch("a", {"data": {"b": "c"}})
        await until(lambda: seen == ["first a", "first a"])
        program.cluster.clear_reactions()
        await until(begun.is_set)  # it writes: the permit of the term is its own
        secrets, maps = comes.informers
        await program.manager.remove(comes)
        assert secrets.is_stopped
        assert not maps.is_stopped
        with pytest.raises(LookupError, match="it was removed"):
            comes.start()
        with pytest.raises(LookupError, match="it was removed"):
            await program.manager.remove(comes)
        assert program.manager.seconds_without_watch == 0

        program.manager.lister(Secret)  # now the program uses the informer, too
        may_end.set()
        begun.clear()
        again = program.manager.controller("comes", second).for_(Secret)
        again.start()
        await until(begun.is_set)
        await program.manager.remove(again)
        assert not again.informers[0].is_stopped
        never = program.manager.controller("never", second).for_(Secret)
        await program.manager.remove(never)
        program.manager.controller("forgotten", second).for_(Secret)
        program.maps.patch("a", {"data": {"b": "d"}})
        await until(lambda: seen.count("first a") == 3)
    assert program.error is None
    assert "Controller 'forgotten'> was never started: call start()" in caplog.text
    with pytest.raises(RuntimeError, match="is stopping"):
        program.manager.controller("late", first)
