"""Sharing keys, in tasks here, in threads in test_sharding_threads.py, which is derived."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from kubeapi import AsyncClientset

from clientgen.runtime._async._primitives import sleep
from clientgen.runtime.aio import AsyncSharding
from clientgen.runtime.errors import ConnectionLost
from clientgen.testing import FakeClock, FakeCluster

pytestmark = pytest.mark.usefixtures("no_task_is_left")

KEYS = [f"default/pod-{count}" for count in range(40)]
LEASES = "leases.coordination.k8s.io"


async def until(holds: Callable[[], object]) -> None:
    while not holds():
        await sleep(0.001)


class AsyncStage:
    """A cluster, its clock, and replicas; who is cut off reaches nothing."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.cluster = FakeCluster(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}},
            clock=self.clock,
        )
        self.replicas: list[AsyncSharding] = []
        self.rounds: dict[str, int] = {}
        self.cut_off: set[str] = set()
        self.changes: list[tuple[str, tuple[str, ...]]] = []

    def replica(self, identity: str, **options: Any) -> AsyncSharding:
        k = self.cluster.clientset(AsyncClientset)
        made = AsyncSharding(
            k,
            "shop",
            "default",
            identity,
            clock=self.clock,
            on_change=lambda members: self.changes.append((identity, members)),
            **options,
        )
        given, send = made._round, made._leases._rest.send

        async def counted() -> None:
            await given()
            self.rounds[identity] = self.rounds.get(identity, 0) + 1

        async def cut(*args: Any, **options: Any) -> Any:
            if identity in self.cut_off:
                raise ConnectionLost("cut off")
            return await send(*args, **options)

        made._round = counted
        made._leases._rest.send = cut
        self.replicas.append(made)
        return made

    async def pass_time(self, seconds: float) -> None:
        """Let time pass; nobody's keys are another's at any time."""
        for _ in range(round(seconds / 2)):
            alive = [each for each in self.replicas if each._tasks and not each._stopping.is_set()]
            await until(lambda alive=alive: self.clock.waiters >= 1 + 2 * len(alive))
            before = dict(self.rounds)
            self.clock.step(2.0)
            self.check()
            await until(
                lambda alive=alive, before=before: all(
                    self.rounds[each.identity] > before[each.identity] for each in alive
                )
            )
            self.check()

    def check(self) -> None:
        for key in KEYS:
            owners = [each.identity for each in self.replicas if each.owns(key)]
            assert len(owners) <= 1, (key, owners)

    def shares(self) -> dict[str, int]:
        return {each.identity: sum(each.owns(key) for key in KEYS) for each in self.replicas}

    async def begin(self, *identities: str) -> list[AsyncSharding]:
        made = [self.replica(identity) for identity in identities]
        for each in made:
            each.start()
        await until(lambda: all(self.rounds.get(each.identity) for each in made))
        return made

    async def end(self) -> None:
        for each in self.replicas:
            if not each._stopping.is_set():
                await each.stop()


async def test_one_replica_owns_everything_at_once() -> None:
    stage = AsyncStage()
    (a,) = await stage.begin("a")
    assert a.members == ("a",)
    assert a.owner("x") == "a"
    assert stage.shares() == {"a": len(KEYS)}
    assert await a.wait_until_settled(1.0)
    await stage.end()
    assert stage.shares() == {"a": 0}
    await until(lambda: stage.changes == [("a", ("a",)), ("a", ())])
    assert stage.cluster.writes[-1].verb == "delete"


async def test_each_key_has_one_owner_and_all_agree() -> None:
    stage = AsyncStage()
    a, b, c = await stage.begin("a", "b", "c")
    await stage.pass_time(18)
    shares = stage.shares()
    assert sum(shares.values()) == len(KEYS)
    assert min(shares.values()) > 3
    for key in KEYS:
        assert a.owner(key) == b.owner(key) == c.owner(key)
        assert [each.identity for each in (a, b, c) if each.owns(key)] == [a.owner(key)]
    await stage.end()


async def test_a_joining_replica_gets_its_share_without_double_ownership() -> None:
    stage = AsyncStage()
    (a,) = await stage.begin("a")
    await stage.pass_time(18)
    (b,) = await stage.begin("b")
    assert stage.shares() == {"a": len(KEYS), "b": 0}
    await stage.pass_time(4)
    shares = stage.shares()
    assert sum(shares.values()) == len(KEYS)
    assert min(shares.values()) > len(KEYS) / 4
    both = {("a", ("a", "b")), ("b", ("a", "b"))}  # either may be told first
    await until(lambda: both <= {*stage.changes})
    assert stage.changes[0] == ("a", ("a",))
    assert {*stage.changes[1:]} == both
    await stage.end()
    assert (a.members, b.members) == ((), ())


async def test_a_leaving_replica_hands_over_at_once() -> None:
    stage = AsyncStage()
    a, b = await stage.begin("a", "b")
    await stage.pass_time(20)
    await b.stop()
    assert stage.shares()["b"] == 0
    await stage.pass_time(4)
    assert stage.shares() == {"a": len(KEYS), "b": 0}
    assert a.members == ("a",)
    await stage.end()


async def test_a_dead_replica_is_replaced_after_its_lease() -> None:
    stage = AsyncStage()
    await stage.begin("a", "b")
    await stage.pass_time(20)
    stage.cut_off.add("b")
    await stage.pass_time(8)
    assert sum(stage.shares().values()) == len(KEYS)
    await stage.pass_time(4)
    shares = stage.shares()
    assert shares["b"] == 0
    assert 0 < shares["a"] < len(KEYS)
    await until(lambda: ("b", ()) in stage.changes)
    await stage.pass_time(8)
    assert stage.shares() == {"a": len(KEYS), "b": 0}
    stage.cut_off.clear()  # it comes back, as one that joins
    await stage.pass_time(6)
    assert stage.shares()["b"] > 0
    assert sum(stage.shares().values()) == len(KEYS)
    await stage.end()


async def test_a_replica_whose_process_stood_still_owns_nothing() -> None:
    stage = AsyncStage()
    (a,) = await stage.begin("a")
    await stage.pass_time(20)
    stage.clock.advance_to(stage.clock.monotonic() + 10.0)
    assert not a.owns("x")
    assert a.members == ()
    await stage.end()


async def test_a_lease_nobody_renews_is_removed_in_the_end() -> None:
    stage = AsyncStage()
    a, b = await stage.begin("a", "b")
    stage.cut_off.add("b")
    await stage.pass_time(148)
    assert len((await a._leases.list("", 10.0)).items) == 2
    await stage.pass_time(6)
    assert len((await a._leases.list("", 10.0)).items) == 1
    stage.cut_off.clear()
    await stage.pass_time(20)
    assert stage.shares()["b"] > 0
    assert b.members == ("a", "b")
    await stage.end()


async def test_a_replica_sends_two_requests_in_two_seconds() -> None:
    stage = AsyncStage()
    await stage.begin("a")
    stage.cluster.clear_actions()
    await stage.pass_time(20)
    assert [action.verb for action in stage.cluster.actions] == ["update", "list"] * 10
    await stage.end()


async def test_it_is_a_context_that_is_entered_once() -> None:
    stage = AsyncStage()
    replica = stage.replica("a")
    async with replica:
        with pytest.raises(RuntimeError, match="was already started"):
            replica.start()
    with pytest.raises(RuntimeError, match="was already started"):
        replica.start()


async def test_names_that_cannot_be_used() -> None:
    k = AsyncStage().cluster.clientset(AsyncClientset)
    for name in ("", "a b", "x" * 47):
        with pytest.raises(ValueError, match="is not valid as the name of a lease"):
            AsyncSharding(k, name)
