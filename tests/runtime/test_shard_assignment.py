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
from clientgen.runtime._controllers.shard_assignment import Shards, ShardView, assigned_member
from clientgen.runtime._models.model_codec import deep_copy

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
KEYS = [f"key-{count}" for count in range(12)]


def test_a_key_moves_only_to_or_from_the_one_that_comes_or_goes() -> None:
    keys = [f"default/{count}" for count in range(2000)]
    four = {key: assigned_member(key, "abcd") for key in keys}
    five = {key: assigned_member(key, "abcde") for key in keys}
    assert {five[key] for key in keys if four[key] != five[key]} == {"e"}
    shares = [list(five.values()).count(member) for member in "abcde"]
    assert min(shares) > 320
    assert max(shares) < 480
    assert assigned_member("x", "abc") == assigned_member("x", "cab")
    with pytest.raises(ValueError):
        assigned_member("x", "")


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
    """Owns its share as soon as it has a lease."""

    def view(self, now: float) -> ShardView:
        view = super().view(now)
        return ShardView(view.members, bool(view.members))


def test_ownership_overlaps_without_the_waiting_time() -> None:
    """The replicas would pass easily if nobody ever owned anything."""
    server = Server()
    old, new = (Replica(name, 0.0, Timing()) for name in "ab")
    for _ in range(10):
        old.now += 2.0
        old.round(server)
    new.shards = Hasty(new.election)
    new.round(server)
    both = [k for k in KEYS if old.shards.owns(k, old.now) and new.shards.owns(k, new.now)]
    assert both
    new.shards.__class__ = Shards
    assert not any(new.shards.owns(key, new.now) for key in KEYS)
    old.round(server)
    assert new.shards.view(new.now).members == old.shards.view(old.now).members == ("a", "b")


def test_the_longest_duration_counts() -> None:
    server = Server()
    slow, fast = Replica("a", 0.0, Timing(60, 40.0, 2.0)), Replica("b", 0.0, Timing())
    slow.round(server)
    fast.round(server)
    for _ in range(29):
        fast.now += 2.0
        slow.now += 2.0
        slow.round(server)
        fast.round(server)
    assert not fast.shards.view(fast.now).owns
    assert fast.shards.next_change(59.0) == 60.0
    assert fast.shards.view(60.0) == ShardView(("a", "b"), owns=True)
    assert fast.shards.next_change(60.0) == 68.0
    assert fast.shards.view(68.0) == ShardView()
