"""Electors against a cluster, in tasks here, in threads in test_leader_election_threads.py."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any, Self

import pytest
from kubeapi import AsyncClientset
from kubeapi.coordination.v1 import Lease
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta
from prometheus_client import CollectorRegistry

from clientgen.runtime._async._primitives import Event, Task, sleep, spawn
from clientgen.runtime._controllers.election_metrics import PrometheusElectionMetrics
from clientgen.runtime._controllers.reconcile_loop import Request
from clientgen.runtime.aio import (
    AsyncController,
    AsyncEventRecorder,
    AsyncLeaderElector,
    AsyncSharding,
)
from clientgen.runtime.errors import Conflict, ConnectionLost, LeadershipLost
from clientgen.testing import FakeClock, FakeCluster

# Bodies of contexts are more than a statement.
# ruff: noqa: PT012
pytestmark = pytest.mark.usefixtures("no_task_is_left")


async def until(holds: Callable[[], object]) -> None:
    while not holds():
        await sleep(0.001)


class AsyncStage:
    """A cluster, its clock, and the lease that is fought for."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.cluster = FakeCluster(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}},
            clock=self.clock,
        )
        self.cut_off: set[str] = set()
        self.runs: list[AsyncRun] = []
        self.cluster.react("*", "leases.coordination.k8s.io", self._refuse)

    def _refuse(self, action: Any) -> Any:
        holder = ((action.object or {}).get("spec") or {}).get("holderIdentity")
        return ConnectionLost if holder in self.cut_off else None

    def run(self, identity: str, **options: Any) -> AsyncRun:
        k = self.cluster.clientset(AsyncClientset)
        options = {"clock": self.clock, "random": lambda: 0.0, **options}
        run = AsyncRun(AsyncLeaderElector(k, "lock", "default", identity, **options))
        self.runs.append(run)
        return run

    async def lease(self) -> Lease:
        k = self.cluster.clientset(AsyncClientset)
        return await k.coordination_v1.leases("default").get("lock")

    def wrote(self) -> list[tuple[str, str]]:
        leases = [a for a in self.cluster.writes if a.resource == "leases" and a.object]
        return [(a.verb, a.object["spec"]["holderIdentity"]) for a in leases]

    def events(self) -> list[str]:
        return [a.verb for a in self.cluster.writes if a.resource == "events"]

    async def pass_time(self, seconds: float, *runs: AsyncRun) -> None:
        """Let time pass, two seconds at a time, in which each of these does a try."""
        for _ in range(round(seconds / 2)):
            await self.tick(*runs)

    async def step(self, seconds: float) -> None:
        """Move the clock when everybody has come to wait for that."""
        await until(lambda: self.clock.waiters >= 1 + sum(run.waits for run in self.runs))
        self.clock.step(seconds)

    async def tick(self, *runs: AsyncRun) -> None:
        before = {run: run.tries for run in runs}
        await self.step(2.0)
        await until(lambda: all(run.tries > before[run] or run.task.done for run in runs))

    async def until_it_takes_over(self, run: AsyncRun) -> None:
        """Let time pass until it holds the lease, which it knows a moment after the server."""
        while (await self.lease()).spec.holder_identity != run.elector.identity:
            await self.tick(run)
        await until(lambda: run.leads)


class AsyncRun:
    """An elector that runs beside the test."""

    def __init__(self, elector: AsyncLeaderElector) -> None:
        self.elector = elector
        self.error: BaseException | None = None
        self.tries = 0
        self.task: Task | None = None
        given = elector._attempt

        async def counted(until: float | None) -> None:
            await given(until)
            self.tries += 1

        elector._attempt = counted

    async def run(self) -> None:
        try:
            await self.elector.run()
        except BaseException as error:
            self.error = error

    @property
    def waits(self) -> int:
        """How many waits of it there are when nothing goes on."""
        if self.task is None or self.task.done:
            return 0
        return 1 if self.elector._term is None else 2

    @property
    def leads(self) -> bool:
        return self.elector.is_leader

    async def __aenter__(self) -> Self:
        self.task = spawn(self.run, f"run-{self.elector.identity}")
        await until(lambda: self.tries)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.elector.stop()
        assert await self.task.join(10)


class AsyncWork:
    """What is done while leading, until it is told to end."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.told = Event()
        self.may_end = Event()
        self.may_end.set()

    async def started(self) -> None:
        self.log.append("started")
        try:
            await self.told.wait()
            await self.may_end.wait()
            self.log.append("ended")
        except BaseException:
            self.log.append("cancelled")
            raise

    def stopped(self) -> None:
        self.log.append("stopped")
        self.told.set()

    def options(self) -> dict[str, Any]:
        return {"on_started_leading": self.started, "on_stopped_leading": self.stopped}


async def test_the_first_leads_and_renews_every_two_seconds() -> None:
    stage = AsyncStage()
    async with stage.run("a") as a:
        await until(lambda: a.leads)
        assert a.elector.leader == "a"
        begun = await stage.lease()
        await stage.pass_time(20, a)
        assert a.leads
        lease = await stage.lease()
    spec = lease.spec
    assert (spec.holder_identity, spec.lease_duration_seconds) == ("a", 15)
    assert spec.lease_transitions == 0
    assert begun.spec.renew_time is not None
    assert begun.spec.renew_time == spec.acquire_time
    assert spec.renew_time == begun.spec.renew_time + timedelta(seconds=20)
    assert stage.wrote() == [("create", "a"), *[("update", "a")] * 10, ("update", "")]
    assert a.error is None


async def test_another_waits_until_it_is_released() -> None:
    stage = AsyncStage()
    async with stage.run("a") as a, stage.run("b") as b:
        await stage.pass_time(30, a, b)
        assert (a.leads, b.leads) == (True, False)
        assert b.elector.leader == "a"
        a.elector.stop()
        assert not a.leads
        assert await a.task.join(10)
        freed = await stage.lease()
        assert (freed.spec.holder_identity, freed.spec.lease_duration_seconds) == ("", 1)
        assert freed.spec.acquire_time == freed.spec.renew_time
        await stage.tick(b)
        await until(lambda: b.leads)
        assert (await stage.lease()).spec.lease_transitions == 1


async def test_a_renewal_that_arrives_late_does_not_keep_the_lease() -> None:
    stage = AsyncStage()
    async with stage.run("a") as a:
        await stage.tick(a)
        stage.cluster.fail("update", "leases.coordination.k8s.io", Conflict, times=1)
        a.elector.stop()
        assert await a.task.join(10)
    assert (await stage.lease()).spec.holder_identity == ""


async def test_without_a_release_another_waits_for_the_whole_duration() -> None:
    stage = AsyncStage()
    async with (
        stage.run("a", release_on_cancel=False) as a,
        stage.run("b") as b,
    ):
        await stage.tick(a, b)
        a.elector.stop()
        assert await a.task.join(10)
        assert (await stage.lease()).spec.holder_identity == "a"
        await stage.until_it_takes_over(b)
        assert 17 <= stage.clock.monotonic() <= 20  # 15 s after b saw what a wrote at 2 s


async def test_a_leader_that_cannot_renew_stops_before_the_next_starts() -> None:
    stage, work = AsyncStage(), AsyncWork()
    async with stage.run("a", **work.options()) as a, stage.run("b") as b:
        await stage.pass_time(4, a, b)
        stage.cut_off.add("a")
        await stage.pass_time(8, a, b)
        assert a.leads
        await stage.step(1.9)
        assert a.leads
        await stage.step(0.1)
        assert not a.leads
        assert await a.task.join(10)
        assert isinstance(a.error, LeadershipLost)
        assert work.log[:2] == ["started", "stopped"]
        assert not b.leads
        await stage.until_it_takes_over(b)
        assert 19 <= stage.clock.monotonic() <= 22  # 15 s after b saw what a wrote at 4 s
        assert (await stage.lease()).spec.lease_transitions == 1


class Writes:
    """Work that writes when it is told to, and once more when it is cancelled."""

    def __init__(self, stage: AsyncStage) -> None:
        self.k = stage.cluster.clientset(AsyncClientset)
        self.told = Event()
        self.refused: list[Exception] = []

    async def work(self) -> None:
        await self.write("first")
        try:
            await self.told.wait()
        finally:
            for verb in (self.write, self.delete, self.run_a_command):
                await self.note(verb)
            child = spawn(self.write_beside, "child")
            await child.join()
            await self.k.core_v1.config_maps("default").get("first")  # it may still read

    async def write(self, name: str = "late") -> None:
        await self.k.core_v1.config_maps("default").create({"metadata": {"name": name}})

    async def delete(self) -> None:
        await self.k.core_v1.config_maps("default").delete("first")

    async def run_a_command(self) -> None:
        await self.k.core_v1.pods("default").exec("web-0", ["reboot"])

    async def write_beside(self) -> None:
        await self.note(self.write)

    async def note(self, verb: Callable[[], Any]) -> None:
        try:
            await verb()
        except Exception as error:
            self.refused.append(error)

    def writes(self, stage: AsyncStage) -> list[str]:
        others = [a for a in stage.cluster.writes if a.resource != "leases"]
        return [f"{a.verb} {a.name or a.object['metadata']['name']}" for a in others]


async def test_work_that_goes_on_writes_nothing_after_the_lease_is_lost() -> None:
    stage = AsyncStage()
    writes = Writes(stage)
    async with stage.run("a", on_started_leading=writes.work) as a:
        await until(lambda: writes.writes(stage) == ["create first"])
        stage.cut_off.add("a")
        await stage.pass_time(8, a)
        await stage.step(2.0)
        writes.told.set()
        assert await a.task.join(10)
        assert isinstance(a.error, LeadershipLost)
    assert [type(each) for each in writes.refused] == [LeadershipLost] * 4
    assert "does not lead any more: POST /api/v1/namespaces/default/configmaps is not sent" in str(
        writes.refused[0]
    )
    assert writes.writes(stage) == ["create first"]
    await writes.write("another")  # this is no work of the leader
    assert writes.writes(stage) == ["create first", "create another"]


async def test_handlers_have_the_permit_of_the_work_that_added_them() -> None:
    """The leader's work starts an informer, which outlives the lease."""
    stage = AsyncStage()
    writes, refused = Writes(stage), Writes(stage)
    maps = writes.k.informers().core_v1.config_maps()
    told: list[str] = []

    async def note(obj: ConfigMap) -> None:
        if obj.metadata.name == "late":
            await writes.note(partial(writes.write, "of-anybody"))
            told.append("anybody")

    async def note_while_leading(obj: ConfigMap) -> None:
        if obj.metadata.name == "late":
            await refused.note(partial(refused.write, "of-the-leader"))
            told.append("leader")

    async def lead() -> None:
        maps.add_handler(lambda obj, _: note_while_leading(obj))
        maps.start()
        await maps.wait_for_sync()

    maps.add_handler(lambda obj, _: note(obj))
    async with stage.run("a", on_started_leading=lead) as a:
        await until(maps.has_synced)
        stage.cut_off.add("a")
        await stage.pass_time(8, a)
        await stage.step(2.0)
        assert await a.task.join(10)
    await writes.write("late")
    await until(lambda: len(told) == 2)
    assert writes.refused == []
    assert [type(each) for each in refused.refused] == [LeadershipLost]
    await maps.stop()


async def test_work_writes_until_its_end_when_the_elector_is_told_to_stop() -> None:
    stage = AsyncStage()
    writes = Writes(stage)

    async def write() -> None:
        await writes.told.wait()
        await writes.write("last")

    stopped = writes.told.set
    async with stage.run("a", on_started_leading=write, on_stopped_leading=stopped) as a:
        await until(lambda: a.leads)
        a.elector.stop()
        assert await a.task.join(10)
    assert a.error is None
    assert writes.writes(stage) == ["create last"]


async def test_a_request_that_waits_to_be_sent_again_is_not_sent_after_the_lease_is_lost() -> None:
    stage = AsyncStage()
    writes = Writes(stage)
    expired: list[float] = []

    async def body() -> None:
        k = stage.cluster.clientset(AsyncClientset)
        async with AsyncLeaderElector(k, "lock", "default", "a", clock=stage.clock):

            def refuse(_: Any) -> Any:
                expired.append(1.0)
                stage.cut_off.add("a")
                stage.clock.step(10.0)
                return None

            stage.cluster.fail("create", "configmaps", 503, retry_after=0, times=None)
            stage.cluster.react("create", "configmaps", refuse)
            await writes.write()

    with pytest.raises(LeadershipLost):
        await body()
    assert len(expired) == 1


async def test_what_is_started_in_one_term_goes_on_in_the_next() -> None:
    stage = AsyncStage()
    k = stage.cluster.clientset(AsyncClientset)
    about = ConfigMap(metadata=ObjectMeta(name="about", namespace="default"))
    recorder = AsyncEventRecorder(k, "c", clock=stage.clock)
    sharding = AsyncSharding(k, "shards", "default", "s", clock=stage.clock)

    def lists() -> int:
        return [(a.verb, a.resource) for a in stage.cluster.actions].count(("list", "leases"))

    async def lead(term: str) -> None:
        recorder.start()
        if term == "First":
            sharding.start()
            await until(lambda: lists() == 2)  # the second one follows its claims
        recorder.event(about, "Normal", term, "leads")

    for count, term in enumerate(("First", "Second"), 1):
        async with stage.run("a", on_started_leading=lambda term=term: lead(term)) as a:
            await until(lambda count=count: len(stage.events()) + recorder.dropped == count)
        assert a.error is None
    stage.clock.step(2.0)
    await until(lambda: lists() == 3)
    assert stage.wrote().count(("update", "s")) == 2
    await sharding.stop()
    assert await recorder.stop()
    events = await k.events_v1.events("default").list()
    assert sorted(event.reason or "" for event in events) == ["First", "Second"]


async def test_what_is_held_inside_of_the_work_is_released_after_the_lease_is_lost() -> None:
    stage, begun, told = AsyncStage(), Event(), Event()
    k = stage.cluster.clientset(AsyncClientset)
    timing = {"lease_duration": 100, "renew_deadline": 60.0, "clock": stage.clock}
    inner = AsyncLeaderElector(k, "inner", "default", "i", **timing)
    sharding = AsyncSharding(k, "shards", "default", "s", **timing)

    async def work() -> None:
        async with inner, sharding:
            await until(lambda: ("create", "s") in stage.wrote())
            begun.set()
            await told.wait()

    options = {"on_started_leading": work, "on_stopped_leading": told.set}
    async with stage.run("a", **options) as a:
        await begun.wait()
        stage.cut_off.add("a")
        stage.clock.step(10.0)
        assert await a.task.join(10)
        assert isinstance(a.error, LeadershipLost)
    leases = {
        lease.metadata.name: lease.spec.holder_identity
        for lease in await k.coordination_v1.leases("default").list()
    }
    assert leases == {"lock": "a", "inner": ""}


async def test_a_request_that_hangs_does_not_keep_it_leading() -> None:
    stage = AsyncStage()
    async with stage.run("a") as a:
        await until(lambda: a.leads)
        rule = stage.cluster.delay(60.0, "*", "leases.coordination.k8s.io", times=None)
        await stage.step(2.0)
        await until(lambda: rule.hits == 1)
        await stage.step(8.0)
        assert not a.leads
        assert await a.task.join(10)
    assert isinstance(a.error, LeadershipLost)


async def test_a_lost_answer_is_found_to_be_a_renewal() -> None:
    stage = AsyncStage()
    async with stage.run("a") as a:
        await until(lambda: a.leads)
        stage.cluster.cut("update", "leases.coordination.k8s.io", after=0)
        await stage.tick(a)
        assert a.leads
        assert [action.verb for action in stage.cluster.actions][2:] == ["update", "get", "update"]


async def test_an_outage_as_long_as_the_deadline_ends_it() -> None:
    stage = AsyncStage()
    async with stage.run("a") as a:
        await until(lambda: a.leads)
        stage.cut_off.add("a")
        await stage.pass_time(8, a)
        stage.cut_off.clear()
        assert a.leads
        await stage.step(1.9)
        assert a.leads
        stage.clock.step(0.1)
        assert not a.leads  # nothing is promised after 10 s, though a try is due just now
        assert await a.task.join(10)
    assert isinstance(a.error, LeadershipLost)


async def test_leadership_survives_an_outage_shorter_than_the_deadline() -> None:
    stage = AsyncStage()
    async with stage.run("a") as a:
        await until(lambda: a.leads)
        stage.cut_off.add("a")
        await stage.pass_time(6, a)
        stage.cut_off.clear()
        await stage.pass_time(20, a)
        assert a.leads
    assert a.error is None


async def test_work_is_given_time_to_end_while_the_lease_is_renewed() -> None:
    stage, work = AsyncStage(), AsyncWork()
    work.may_end.clear()
    async with stage.run("a", **work.options()) as a, stage.run("b") as b:
        await until(lambda: "started" in work.log)
        a.elector.stop()
        await until(lambda: "stopped" in work.log)
        assert not a.leads
        await stage.pass_time(28, a, b)
        assert (await stage.lease()).spec.holder_identity == "a"
        work.may_end.set()
        assert await a.task.join(10)
        assert work.log == ["started", "stopped", "ended"]
        assert (await stage.lease()).spec.holder_identity == ""
    assert a.error is None


async def test_an_exception_in_the_work_ends_it_and_releases_the_lease() -> None:
    stage = AsyncStage()
    stopped: list[str] = []

    async def fail() -> None:
        raise ValueError("no")

    run = stage.run("a", on_started_leading=fail, on_stopped_leading=lambda: stopped.append("x"))
    async with run as a:
        assert await a.task.join(10)
    assert isinstance(a.error, ValueError)
    assert stopped == ["x"]
    assert (await stage.lease()).spec.holder_identity == ""


async def test_leading_goes_on_when_the_callback_returns() -> None:
    stage = AsyncStage()
    log: list[str] = []
    async with stage.run("a", on_started_leading=lambda: log.append("started")) as a:
        await until(lambda: log)
        await stage.pass_time(20, a)
        assert a.leads
    assert a.error is None


async def test_a_controller_works_while_it_leads() -> None:
    stage = AsyncStage()
    seen: list[str] = []

    async def reconcile(request: Request) -> None:
        seen.append(request.name)

    controller = AsyncController("shop", reconcile)
    controller.queue.add(Request("default", "x"))
    async with stage.run("b"):
        stage.cut_off.add("b")
        async with stage.run(
            "a", on_started_leading=controller.run, on_stopped_leading=controller.stop
        ) as a:
            assert not seen
            stage.cut_off.clear()
            while not a.leads:
                await stage.step(2.0)
                await sleep(0.001)
                if stage.runs[0].task is not None:
                    stage.runs[0].elector.stop()
            await until(lambda: seen == ["x"])
    assert a.error is None
    assert controller.queue.shutting_down
    assert (await stage.lease()).spec.holder_identity == ""


async def test_on_stopped_leading_is_called_without_leadership_too() -> None:
    stage, work = AsyncStage(), AsyncWork()
    async with stage.run("a"), stage.run("b", **work.options()) as b:
        assert not b.leads
        b.elector.stop()
        assert await b.task.join(10)
        assert work.log == ["stopped"]
        assert (await stage.lease()).spec.holder_identity == "a"
    assert b.error is None


async def test_new_leaders_are_announced_in_order() -> None:
    stage = AsyncStage()
    leaders: list[str] = []

    async def note(leader: str) -> None:
        leaders.append(leader)

    async with stage.run("b", on_new_leader=note) as b:
        await until(lambda: b.leads)
        async with stage.run("a") as a:
            b.elector.stop()
            assert await b.task.join(10)
            await stage.tick(a)
            await until(lambda: a.leads)
            again = stage.run("b", on_new_leader=note)
            again.elector._announced = ""
            async with again:
                await until(lambda: leaders == ["b", "a"])


async def test_an_elector_may_run_again_but_not_twice_at_once() -> None:
    stage = AsyncStage()
    async with stage.run("a") as a:
        await until(lambda: a.leads)
        with pytest.raises(RuntimeError, match="is already running"):
            await a.elector.run()
    assert not a.leads
    async with a:
        await stage.tick()
        await until(lambda: a.leads)
    assert a.error is None


async def test_the_lease_goes_to_whoever_writes_over_it_by_hand() -> None:
    stage = AsyncStage()
    async with stage.run("a") as a:
        await until(lambda: a.leads)
        k = stage.cluster.clientset(AsyncClientset)

        def take(lease: Lease) -> None:
            lease.spec.holder_identity = "somebody"

        await k.coordination_v1.leases("default").edit("lock", take)
        await stage.step(2.0)
        assert await a.task.join(10)
        assert a.elector.leader == "somebody"
    assert isinstance(a.error, LeadershipLost)
    assert (await stage.lease()).spec.holder_identity == "somebody"


async def test_metrics_and_events_and_health() -> None:
    stage, registry = AsyncStage(), CollectorRegistry()
    events: list[tuple[str, ...]] = []

    class Recorder:
        def event(self, regarding: Any, kind: str, reason: str, note: str, *, action: str) -> None:
            events.append((regarding.metadata.name, kind, reason, note, action))

    def value(name: str) -> float | None:
        return registry.get_sample_value(name, {"name": "lock"})

    metrics = PrometheusElectionMetrics(registry)
    async with stage.run("a", metrics=metrics, recorder=Recorder()) as a:
        await until(lambda: value("leader_election_master_status") == 1.0)
        stage.cluster.cut("update", "leases.coordination.k8s.io")
        await stage.tick(a)
        assert value("leader_election_slowpath_total") == 1.0
        assert a.elector.healthy()
        assert a.elector.healthy(0.0)
    assert value("leader_election_master_status") == 0.0
    assert events == [
        ("lock", "Normal", "LeaderElection", "a became leader", "BecomeLeader"),
        ("lock", "Normal", "LeaderElection", "a stopped leading", "StopLeading"),
    ]


async def test_the_event_recorder_will_do() -> None:
    stage = AsyncStage()
    k = stage.cluster.clientset(AsyncClientset)
    recorder = AsyncEventRecorder(k, "c", clock=stage.clock)
    async with recorder, stage.run("a", recorder=recorder) as a:
        await until(lambda: a.leads)
    events = (await k.events_v1.events("default").list()).items
    assert [event.regarding and event.regarding.kind for event in events] == ["Lease"] * 2
    assert {event.note for event in events} == {"a became leader", "a stopped leading"}
    assert recorder.dropped == 0


# ---- as a context -----------------------------------------------------------------------------


async def test_the_body_is_what_leads() -> None:
    stage = AsyncStage()
    elector = stage.run("a").elector
    async with elector:
        assert elector.is_leader
        assert (await stage.lease()).spec.holder_identity == "a"
    assert not elector.is_leader
    assert (await stage.lease()).spec.holder_identity == ""


async def test_exceptions_of_the_body_are_raised() -> None:
    stage = AsyncStage()
    elector = stage.run("a").elector
    with pytest.raises(ValueError, match="mine"):
        async with elector:
            raise ValueError("mine")
    assert (await stage.lease()).spec.holder_identity == ""


async def test_a_body_that_has_lost_ends_with_an_error() -> None:
    stage = AsyncStage()
    run = stage.run("a")
    with pytest.raises(LeadershipLost):
        async with run.elector:
            stage.cut_off.add("a")
            stage.clock.step(10.0)
            assert not run.leads
            await until(run.elector._ending.is_set)
    assert (await stage.lease()).spec.holder_identity == "a"


async def test_a_context_says_what_it_does_not_take() -> None:
    stage = AsyncStage()
    with pytest.raises(TypeError, match="on_started_leading is for run"):
        async with stage.run("a", on_started_leading=print).elector:
            pass


async def test_an_elector_that_is_stopped_before_it_leads_has_no_body() -> None:
    stage = AsyncStage()
    async with stage.run("a") as a:
        await until(lambda: a.leads)
        b = stage.run("b")

        async def stop() -> None:
            await until(lambda: b.tries)
            b.elector.stop()

        stopping = spawn(stop, "stop")
        with pytest.raises(LeadershipLost, match="before it led"):
            async with b.elector:
                raise AssertionError
        assert await stopping.join(10)


async def test_a_clientset_or_its_rest_client_will_do() -> None:
    stage = AsyncStage()
    k = stage.cluster.clientset(AsyncClientset)
    elector = AsyncLeaderElector(k.rest, "lock", identity="a", clock=stage.clock)
    async with elector:
        pass
    assert stage.cluster.actions[0].namespace == "default"
    assert AsyncLeaderElector(k, "lock").identity != AsyncLeaderElector(k, "lock").identity
