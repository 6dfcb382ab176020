"""Elections in which the API server chooses; derived for threads."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Self

import pytest
from kubeapi import AsyncClientset

from clientgen.runtime._async._primitives import Event, Task, sleep, spawn
from clientgen.runtime._controllers.coordination import CoordinatedElection
from clientgen.runtime._controllers.election import LeaseRequest, Timing
from clientgen.runtime._controllers.lease_fields import Lease as RuntimeLease
from clientgen.runtime._controllers.lease_fields import LeaseSpec
from clientgen.runtime.aio import AsyncLeaderElector
from clientgen.runtime.controllers import Coordination
from clientgen.runtime.errors import LeadershipLost, NotFound
from clientgen.testing import FakeClock, FakeCluster

pytestmark = pytest.mark.usefixtures("no_task_is_left")

PATIENCE = 30.0
GATES = {"CoordinatedLeaderElection": True}


class Replica:
    """A candidate, whose work ends when it is told, or when it has to step down."""

    def __init__(
        self, stage: AsyncStage, name: str, version: str = "", emulated: str | None = None
    ) -> None:
        self.name = name
        self.log = stage.log
        self.error: Exception | None = None
        self.told = Event()
        self.task: Task
        self.elector = AsyncLeaderElector(
            stage.cluster.clientset(AsyncClientset),
            "lock",
            "default",
            name,
            coordination=Coordination(version, emulated) if version else None,
            on_started_leading=self.work,
            on_stopped_leading=self.told.set,
            clock=stage.clock,
        )

    async def work(self) -> None:
        self.log.append(f"{self.name} leads")
        await self.told.wait()
        self.log.append(f"{self.name} ends")

    async def __aenter__(self) -> Self:
        self.task = spawn(self.run, self.name)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.elector.stop()
        assert await self.task.join(PATIENCE)

    async def run(self) -> None:
        try:
            await self.elector.run()
        except Exception as error:
            self.error = error


class AsyncStage:
    def __init__(self, **options: object) -> None:
        self.clock = FakeClock()
        self.cluster = FakeCluster(clock=self.clock, **options)
        self.k = self.cluster.clientset(AsyncClientset)
        self.log: list[str] = []

    async def until(self, holds: Callable[[], object], seconds: float) -> None:
        """Let time pass until something holds."""
        for _ in range(int(seconds)):
            if holds():
                return
            self.clock.step(1.0)
            while self.clock.is_moving:
                await sleep(0)
            await sleep(0.002)
        raise AssertionError(self.log)

    def spec(self, name: str = "lock") -> dict[str, object]:
        kind = "leases" if name == "lock" else "leasecandidates"
        found = self.cluster.server.cluster.get("coordination.k8s.io", kind, "default", name)
        assert found is not None
        return dict(found["spec"])


async def test_the_server_chooses_the_oldest_and_a_better_one_takes_over() -> None:
    """The holder ends its work before it gives up the lease."""
    stage = AsyncStage(feature_gates=GATES)
    async with Replica(stage, "new", "1.2.0") as new:
        await stage.until(lambda: new.elector.is_leader, 20)
        assert stage.spec()["strategy"] == "OldestEmulationVersion"
        async with Replica(stage, "newer", "1.3.0") as newer:
            await stage.until(lambda: stage.clock.monotonic() > 60, 60)
            assert stage.log == ["new leads"]
            async with Replica(stage, "old", "1.3.0", "1.1.0") as old:
                await stage.until(lambda: "old leads" in stage.log, 40)
                assert await new.task.join(PATIENCE)
                assert stage.log == ["new leads", "new ends", "old leads"]
                assert isinstance(new.error, LeadershipLost)
                assert str(new.error).endswith("steps down: the server prefers 'old'")
                assert "preferredHolder" not in stage.spec()
            await stage.until(lambda: newer.elector.is_leader, 40)
            assert "pingTime" in stage.spec("newer")
    assert (old.error, newer.error) == (None, None)


async def test_a_candidate_gives_signs_of_life_when_asked_and_every_five_minutes() -> None:
    stage = AsyncStage(feature_gates=GATES)
    async with Replica(stage, "a", "1.0.0") as a:
        await stage.until(lambda: a.elector.is_leader, 20)
        first = stage.spec("a")["renewTime"]
        await stage.until(lambda: stage.clock.monotonic() > 290, 300)
        assert stage.spec("a")["renewTime"] == first
        await stage.until(lambda: stage.spec("a")["renewTime"] != first, 20)
        assert a.elector.is_leader


@pytest.mark.parametrize("versions", [("1.2.0", "1.2.0"), ("1.2.0", "")])
async def test_without_candidates_in_the_server_the_usual_election_takes_place(
    versions: tuple[str, str],
) -> None:
    """Beside an elector without coordination, too."""
    stage = AsyncStage()
    stage.cluster.react("create", "leasecandidates", NotFound)
    async with Replica(stage, "a", versions[0]) as a:
        await stage.until(lambda: a.elector.is_leader, 10)
        async with Replica(stage, "b", versions[1]) as b:
            await stage.until(lambda: stage.clock.monotonic() > 60, 60)
            assert not b.elector.is_leader
            a.elector.stop()
            await stage.until(lambda: b.elector.is_leader, 30)
    assert stage.log == ["a leads", "a ends", "b leads", "b ends"]


async def test_a_server_that_names_nobody_is_not_waited_for_without_end() -> None:
    """It serves LeaseCandidates, and its controller does not run."""
    stage = AsyncStage()
    async with Replica(stage, "a", "1.0.0") as a:
        await stage.until(lambda: a.elector.is_leader, 40)
        assert stage.clock.monotonic() > 25
    assert a.error is None


async def test_a_failing_candidate_does_not_cost_the_lease() -> None:
    stage = AsyncStage(feature_gates=GATES)
    async with Replica(stage, "a", "1.0.0") as a:
        await stage.until(lambda: a.elector.is_leader, 20)
        stage.cluster.fail("*", "leasecandidates", 500, times=None)
        await stage.until(lambda: stage.clock.monotonic() > 100, 100)
        assert a.elector.is_leader


def test_a_lease_that_was_deleted_is_left_to_the_server_for_a_while() -> None:
    election = CoordinatedElection("default", "lock", "a", Timing())
    day = datetime(2026, 1, 1, tzinfo=UTC)
    get = LeaseRequest("get", None, 0.0)
    assert election.on_response(get, None, 0.0, day) is None
    spec = LeaseSpec(holder_identity="a", strategy="OldestEmulationVersion")
    renewal = election.on_response(get, RuntimeLease(spec=spec), 100.0, day)
    assert renewal is not None
    assert renewal.verb == "update"
    assert election.on_response(renewal, renewal.lease, 100.0, day) is None
    assert election.leads(101.0)
    assert election.on_response(get, None, 101.0, day) is None
    assert not election.leads(101.0)
    creation = election.on_response(get, None, 131.0, day)
    assert creation is not None
    assert creation.verb == "create"


def test_versions_and_names_are_checked() -> None:
    with pytest.raises(ValueError, match=r"binary_version must be a semantic version .* not 'v1'"):
        Coordination("v1")
    with pytest.raises(ValueError, match=r"emulation_version 1.10.0 is later than .* 1.9.0"):
        Coordination("1.9.0", "1.10.0")
    stage = AsyncStage()
    with pytest.raises(ValueError, match="identity 'Pod_1' is not valid with coordination"):
        Replica(stage, "Pod_1", "1.0.0")
    elector = AsyncLeaderElector(stage.k, "lock", "default", coordination=Coordination("1.0.0"))
    assert elector.identity == elector.identity.lower()
    assert "_" not in elector.identity
