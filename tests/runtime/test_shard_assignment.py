"""What replicas decide; and that no key has two owners, whatever the network and the clocks do."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from support.examples import try_examples

from clientgen.runtime._controllers.election import Election, LeaseRequest, Timing
from clientgen.runtime._controllers.lease_fields import Lease
from clientgen.runtime._controllers.shard_assignment import (
    CLAIMS,
    SLOTS,
    Shards,
    ShardView,
    assigned_member,
    ranges_of,
    slot_of_uid,
)
from clientgen.runtime._models.meta_v1 import ObjectMeta
from clientgen.runtime._models.model_codec import deep_copy

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
KEYS = [f"key-{count}" for count in range(12)]
ALL = (1 << SLOTS) - 1


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 9, 17, 40])
def test_all_replicas_get_equal_shares_and_few_slots_move(count: int) -> None:
    members = [f"replica-{number}" for number in range(count)]
    before = [assigned_member(slot, reversed(members)) for slot in range(SLOTS)]
    shares = [before.count(member) for member in members]
    assert max(shares) - min(shares) <= 1
    after = [assigned_member(slot, [*members, "new"]) for slot in range(SLOTS)]
    moved = sum(one != other for one, other in zip(before, after, strict=True))
    assert moved <= max(3 * SLOTS / (count + 1), 20)


def test_without_replicas_there_is_no_owner() -> None:
    with pytest.raises(ValueError, match="no replica"):
        assigned_member(0, [])


def test_the_ranges_of_all_replicas_are_the_whole_and_agree_with_the_hash() -> None:
    members = ("a", "b", "c")
    ranges = {
        member: ranges_of(
            sum(1 << s for s in range(SLOTS) if assigned_member(s, members) == member)
        )
        for member in members
    }
    for count in range(200):
        uid = f"{count:08x}-0000-4000-8000-000000000000"
        metadata = ObjectMeta(uid=uid)
        holders = [member for member in members if ranges[member].has(metadata)]
        assert holders == [assigned_member(slot_of_uid(uid), members)]
    assert ranges_of((1 << SLOTS) - 1).ranges == ((0, 1 << 64),)


@dataclass
class Server:
    leases: dict[str, Lease] = field(default_factory=dict)
    version: int = 0

    def handle(self, ask: LeaseRequest, name: str) -> Lease | str | None:
        there = self.leases.get(name)
        if ask.verb == "get":
            return deep_copy(there) if there else None
        assert ask.lease is not None
        if (ask.verb == "create") != (there is None):
            return "refused"
        if there is not None and there.metadata.resource_version != (
            ask.lease.metadata.resource_version
        ):
            return "refused"
        self.version += 1
        stored = deep_copy(ask.lease)
        stored.metadata.resource_version = str(self.version)
        self.leases[name] = stored
        return deep_copy(stored)


class Replica:
    """Renews and lists; each answer comes whenever the test wants, or never."""

    def __init__(self, identity: str, now: float, timing: Timing) -> None:
        self.now = now
        self.election = Election("default", f"lease-{identity}", identity, timing)
        self.shards = Shards(self.election)
        self.asked: LeaseRequest | None = None
        self.reply: Any = None
        self.is_replied = False
        self.list_sent = 0.0
        self.list: list[Lease] | None = None

    @property
    def time(self) -> datetime:
        return NOON + timedelta(seconds=self.now)

    def renew(self, server: Server) -> None:
        """The next step of a try."""
        if self.asked is None:
            self.asked = self.election.attempt(self.now, self.time)
        elif not self.is_replied:
            self.reply, self.is_replied = server.handle(self.asked, self.election.name), True
            return
        elif isinstance(self.reply, str):
            self.asked = self.election.on_failure(self.asked, self.now)
        else:
            self.asked = self.election.on_response(self.asked, self.reply, self.now, self.time)
        self.is_replied = False

    def lose(self) -> None:
        if self.asked is not None:
            self.asked, self.is_replied = self.election.on_failure(self.asked, self.now), False

    def ask_for_list(self, server: Server) -> None:
        self.list_sent = self.now
        self.list = [deep_copy(lease) for lease in server.leases.values()]

    def hear_list(self, server: Server) -> None:
        if self.list is not None:
            for garbage in self.shards.update_leases(self.list, self.list_sent, self.now):
                self._collect(server, garbage)
            self.list = None

    def _collect(self, server: Server, garbage: Lease) -> None:
        there = server.leases.get(garbage.metadata.name)
        if there and there.metadata.resource_version == garbage.metadata.resource_version:
            del server.leases[garbage.metadata.name]

    def round(self, server: Server) -> None:
        """A whole renewal and list."""
        self.renew(server)
        while self.asked is not None:
            self.renew(server)
        self.ask_for_list(server)
        self.hear_list(server)


class Replicas(RuleBasedStateMachine):
    """Three of them; clocks change rates, requests and answers are late or lost, some leave."""

    @initialize(
        offsets=st.lists(st.floats(0, 1e6), min_size=3, max_size=3),
        durations=st.lists(st.sampled_from([15, 30]), min_size=3, max_size=3),
    )
    def begin(self, offsets: list[float], durations: list[int]) -> None:
        self.server = Server()
        # Even durations that differ are safe, where all deadlines stay below all durations.
        self.replicas = [
            Replica(name, offset, Timing(duration, 10.0, 2.0))
            for name, offset, duration in zip("abc", offsets, durations, strict=True)
        ]

    @rule(
        seconds=st.floats(0.1, 12.0),
        rates=st.lists(st.floats(1.0, 1.499), min_size=3, max_size=3),
    )
    def time_passes(self, seconds: float, rates: list[float]) -> None:
        for replica, rate in zip(self.replicas, rates, strict=True):
            replica.now += seconds * rate

    @rule(seconds=st.floats(4.0, 40.0), busy=st.sets(st.integers(0, 2)))
    def some_go_on_as_usual(self, seconds: float, busy: set[int]) -> None:
        """Those who are not busy stand still."""
        for _ in range(round(seconds / 2)):
            for index, replica in enumerate(self.replicas):
                replica.now += 2.0
                if index in busy and replica.asked is None:
                    replica.round(self.server)
                self.no_key_has_two_owners()

    @rule()
    def all_go_on_for_long(self) -> None:
        """Whatever came before, everything has an owner in the end."""
        for replica in self.replicas:
            replica.lose()
        for _ in range(30):
            for replica in self.replicas:
                replica.now += 2.0
                while replica.asked is not None:
                    replica.renew(self.server)
                replica.round(self.server)
                self.no_key_has_two_owners()
        for key in KEYS:
            assert any(each.shards.owns(key, each.now) for each in self.replicas), key

    @rule(index=st.integers(0, 2))
    def a_step_of_a_renewal(self, index: int) -> None:
        self.replicas[index].renew(self.server)

    @rule(index=st.integers(0, 2))
    def an_answer_is_lost(self, index: int) -> None:
        self.replicas[index].lose()

    @rule(index=st.integers(0, 2))
    def a_list_is_read(self, index: int) -> None:
        self.replicas[index].ask_for_list(self.server)

    @rule(index=st.integers(0, 2))
    def a_list_arrives(self, index: int) -> None:
        self.replicas[index].hear_list(self.server)

    @rule(index=st.integers(0, 2))
    def one_leaves_and_another_comes(self, index: int) -> None:
        before = self.replicas[index]
        if before.asked is None:
            self.server.leases.pop(before.election.name, None)
            identity = f"{before.election.identity}x"
            self.replicas[index] = Replica(identity, before.now, before.election.timing)

    @invariant()
    def no_key_has_two_owners(self) -> None:
        replicas = getattr(self, "replicas", ())
        for key in KEYS:
            owners = [r.election.identity for r in replicas if r.shards.owns(key, r.now)]
            assert len(owners) <= 1, (key, owners)


TestReplicas = Replicas.TestCase
TestReplicas.settings = try_examples(60, stateful_step_count=40)


class Hasty(Shards):
    """Owns its share as soon as it has claimed it, whatever the others claim."""

    def view(self, now: float) -> ShardView:
        view = super().view(now)
        return ShardView(view.members, self._assigned if view.members else 0)


def test_ownership_overlaps_if_the_claims_of_others_are_ignored() -> None:
    """The replicas would pass easily if nobody ever owned anything."""
    server = Server()
    old, new = (Replica(name, 0.0, Timing()) for name in "ab")
    for _ in range(10):
        old.now += 2.0
        old.round(server)
    assert old.shards.view(old.now) == ShardView(("a",), (1 << SLOTS) - 1, is_settled=True)
    new.shards.__class__ = Hasty
    new.round(server)
    assert [k for k in KEYS if old.shards.owns(k, old.now) and new.shards.owns(k, new.now)]
    new.shards.__class__ = Shards
    assert not any(new.shards.owns(key, new.now) for key in KEYS)


def test_a_joining_replica_waits_for_the_claims_of_the_others() -> None:
    server = Server()
    old, new = (Replica(name, 0.0, Timing()) for name in "ab")
    for replica in (old, old, new, new):
        replica.round(server)
    assert new.shards.view(0.0) == ShardView(("a", "b"), 0)
    old.round(server)  # it learns of the other, and gives up half at once
    kept = old.shards.view(0.0).slots
    assert kept.bit_count() == SLOTS // 2
    new.round(server)
    assert new.shards.view(0.0).slots == 0  # the lease still claims everything
    old.round(server)
    new.round(server)
    assert new.shards.view(0.0) == ShardView(("a", "b"), ~kept & ALL, is_settled=True)
    assert old.shards.view(0.0).slots == kept


def test_a_replica_owns_nothing_when_its_renewal_or_list_is_old() -> None:
    server = Server()
    replica = Replica("a", 0.0, Timing())
    replica.round(server)
    replica.round(server)
    assert replica.shards.view(9.9).slots == ALL
    assert replica.shards.next_change(9.9) == 10.0
    assert replica.shards.view(10.0) == ShardView()


def test_the_objects_of_a_silent_replica_are_read_before_it_counts_as_dead() -> None:
    server = Server()
    live, silent = (Replica(name, 0.0, Timing()) for name in "ab")
    for replica in (live, silent, live, silent, live, silent):
        replica.round(server)
    for now in (4.0, 8.0):
        live.now = now
        live.round(server)
    half = live.shards.needed_ranges(8.0)
    assert half is not None
    assert half == ranges_of(live.shards.view(8.0).slots)
    live.now = 15.0  # the lease was last seen to change at 4
    live.round(server)
    assert live.shards.needed_ranges(15.0) == ranges_of(ALL)
    assert live.shards.view(15.0).slots.bit_count() == SLOTS // 2
    for now in (20.0, 22.0):
        live.now = now
        live.round(server)
    assert live.shards.view(22.0) == ShardView(("a",), ALL, is_settled=True)


def test_a_lease_without_claims_that_can_be_read_claims_everything() -> None:
    server = Server()
    replica, other = Replica("a", 0.0, Timing()), Replica("b", 0.0, Timing())
    other.round(server)
    for text in ("", "x", "-"):
        server.leases["lease-b"].metadata.annotations[CLAIMS] = text
        replica.round(server)
        replica.round(server)
        assert replica.shards.view(0.0).slots == 0
