"""What electors decide; and that two of them never lead at once, whatever the network does."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from support.examples import try_examples

from clientgen.runtime._controllers.election import Election, Leadership, LeaseRequest, Timing
from clientgen.runtime._controllers.lease_fields import Lease, LeaseSpec, changed_moment
from clientgen.runtime._http.user_agent import unique_identity
from clientgen.runtime._models.meta_v1 import ObjectMeta
from clientgen.runtime._models.model_codec import decode, deep_copy, encode, unknown_fields

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
TIMING = Timing()


def lease(holder: str, version: str = "1", **spec: Any) -> Lease:
    values = {"lease_duration_seconds": 15, "renew_time": NOON, "acquire_time": NOON, **spec}
    return Lease(
        metadata=ObjectMeta(name="lock", namespace="default", resource_version=version),
        spec=LeaseSpec(holder_identity=holder, **values),
    )


def election(identity: str = "me") -> Election:
    return Election("default", "lock", identity, TIMING)


def leading(now: float = 0.0) -> Election:
    """An election that was won at once."""
    made = election()
    ask = made.on_response(made.attempt(now, NOON), None, now, NOON)
    assert ask is not None
    assert ask.lease is not None
    ask.lease.metadata.resource_version = "1"
    assert made.on_response(ask, ask.lease, now, NOON) is None
    return made


# ---- rules ------------------------------------------------------------------------------------


def test_the_first_one_creates_the_lease() -> None:
    mine = election()
    ask = mine.attempt(100.0, NOON)
    assert ask == LeaseRequest("get", None, 100.0)
    ask = mine.on_response(ask, None, 100.5, NOON)
    assert ask is not None
    assert ask.lease is not None
    assert (ask.verb, ask.sent) == ("create", 100.5)
    assert encode(ask.lease.spec) == (
        b'{"holderIdentity":"me","leaseDurationSeconds":15,'
        b'"acquireTime":"2026-01-01T12:00:00.000000Z","renewTime":"2026-01-01T12:00:00.000000Z",'
        b'"leaseTransitions":0}'
    )
    assert ask.lease.metadata == ObjectMeta(name="lock", namespace="default")
    assert not mine.leads(100.5)
    assert mine.on_response(ask, ask.lease, 101.0, NOON) is None
    assert mine.leadership == Leadership(term=1, since=101.0, renewed=100.5, until=110.5)


def test_leading_counts_from_when_the_renewal_was_sent() -> None:
    mine = leading(0.0)
    assert mine.leads(9.999)
    assert not mine.leads(10.0)
    ask = mine.attempt(4.0, NOON)
    assert (ask.verb, ask.is_fast) == ("update", True)
    assert mine.on_response(ask, ask.lease, 9.0, NOON) is None
    assert mine.leadership == Leadership(term=1, since=0.0, renewed=4.0, until=14.0)


def test_an_answer_after_the_deadline_does_not_count() -> None:
    mine = leading(0.0)
    ask = mine.attempt(4.0, NOON)
    assert mine.on_response(ask, ask.lease, 14.0, NOON) is None
    assert not mine.leads(14.0)
    ask = mine.attempt(14.0, NOON)
    assert mine.on_response(ask, ask.lease, 14.1, NOON) is None
    assert mine.leads(14.2)
    assert not mine.leads(14.2, term=1)
    assert mine.leads(14.2, term=2)


def test_a_renewal_keeps_what_it_does_not_know_and_what_is_not_its_own() -> None:
    data = (
        b'{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"lock",'
        b'"resourceVersion":"7","labels":{"a":"b"}},"spec":{"holderIdentity":"me","novel":[1],'
        b'"leaseTransitions":3,"acquireTime":"2025-01-01T00:00:00.000000Z",'
        b'"preferredHolder":"other","strategy":"OldestEmulationVersion"}}'
    )
    mine = election()
    ask = mine.on_response(mine.attempt(0.0, NOON), decode(data, Lease), 0.0, NOON)
    assert ask is not None
    assert ask.lease is not None
    assert ask.lease.metadata.resource_version == "7"
    assert ask.lease.metadata.labels == {"a": "b"}
    spec = ask.lease.spec
    assert (spec.lease_transitions, spec.preferred_holder) == (3, "other")
    assert spec.acquire_time == datetime(2025, 1, 1, tzinfo=UTC)
    assert spec.renew_time == NOON
    assert bytes(unknown_fields(spec)["novel"]) == b"[1]"


def test_the_local_clock_alone_decides_when_a_lease_is_over() -> None:
    mine = election()
    for renewed in (NOON - timedelta(days=9), NOON + timedelta(days=9)):
        held = lease("other", renew_time=renewed)
        assert mine.on_response(mine.attempt(0.0, NOON), held, 0.0, NOON) is None
        assert mine.on_response(mine.attempt(9.0, NOON), held, 14.9, NOON) is None
        ask = mine.on_response(mine.attempt(15.0, NOON), held, 15.0, NOON)
        assert ask is not None
        assert ask.verb == "update"
        mine = election()


def test_a_record_that_changes_in_any_way_is_alive() -> None:
    mine = election()
    changes: list[dict[str, Any]] = [
        {"renew_time": NOON + timedelta(microseconds=1)},
        {"lease_transitions": 1},
        {"strategy": "x"},
        {},
    ]
    for count, change in enumerate(changes):
        now = count * 14.0
        assert (
            mine.on_response(mine.attempt(now, NOON), lease("other", **change), now, NOON) is None
        )
    same = lease("other", version="99")  # its labels have changed, or nothing
    assert mine.on_response(mine.attempt(56.9, NOON), same, 56.9, NOON) is None
    assert mine.on_response(mine.attempt(57.0, NOON), same, 57.0, NOON) is not None


def test_the_record_says_for_how_long_it_holds() -> None:
    for seconds, duration in ((60, 60), (None, 15)):
        mine = election()
        held = lease("other", lease_duration_seconds=seconds)
        assert mine.on_response(mine.attempt(0.0, NOON), held, 0.0, NOON) is None
        before = duration - 0.1
        assert mine.on_response(mine.attempt(before, NOON), held, before, NOON) is None
        assert mine.on_response(mine.attempt(duration, NOON), held, duration, NOON) is not None


@pytest.mark.parametrize("holder", ["", None, "other"])
def test_taking_over_counts_as_a_transition(holder: Any) -> None:
    mine = election()
    candidate = lease(holder, lease_transitions=4)
    mine.on_response(mine.attempt(0.0, NOON), candidate, 0.0, NOON)
    ask = mine.on_response(mine.attempt(15.0, NOON), candidate, 15.0, NOON)
    assert ask is not None
    assert ask.lease is not None
    assert ask.lease.spec.lease_transitions == 5
    assert ask.lease.spec.acquire_time == ask.lease.spec.renew_time != NOON
    assert ask.lease.metadata.resource_version == "1"
    assert candidate.spec.holder_identity == holder


def test_a_renewal_changes_the_record_though_the_clock_stands_still() -> None:
    mine = leading()
    first = mine.attempt(2.0, NOON)
    assert first.lease is not None
    assert first.lease.spec.renew_time == NOON + timedelta(microseconds=1)
    assert changed_moment(NOON, None) == changed_moment(NOON, NOON + timedelta(1)) == NOON


def test_a_renewal_that_fails_reads_first_and_then_renews() -> None:
    mine = leading()
    fast = mine.attempt(2.0, NOON)
    ask = mine.on_failure(fast, 3.0)
    assert ask == LeaseRequest("get", None, 3.0)
    assert mine.leads(3.0)
    slow = mine.on_response(ask, lease("me", "5"), 3.5, NOON)
    assert slow is not None
    assert slow.lease is not None
    assert (slow.verb, slow.is_fast, slow.sent) == ("update", False, 3.5)
    assert slow.lease.metadata.resource_version == "5"
    assert mine.on_failure(slow, 4.0) is None
    assert mine.leads(9.9)
    assert not mine.leads(10.0)


def test_a_candidate_that_observes_another_holder_stops_leading() -> None:
    mine = leading()
    ask = mine.on_failure(mine.attempt(2.0, NOON), 2.0)
    assert ask is not None
    assert mine.on_response(ask, lease("other"), 2.0, NOON) is None
    assert not mine.leads(2.0)
    assert mine.holder == "other"


@pytest.mark.parametrize("stored", [None, lease("")])
def test_a_lease_that_has_gone_or_was_freed_begins_another_term(stored: Lease | None) -> None:
    mine = leading()
    ask = mine.on_failure(mine.attempt(2.0, NOON), 2.0)
    assert ask is not None
    ask = mine.on_response(ask, stored, 2.0, NOON)
    assert ask is not None
    assert not mine.leads(2.0)
    assert mine.on_response(ask, ask.lease, 2.5, NOON) is None
    assert not mine.leads(2.5, term=1)
    assert mine.leads(2.5, term=2)


def test_only_ones_own_lease_is_released() -> None:
    mine = leading()
    mine.resign()
    assert not mine.leads(1.0)
    assert mine.release(None, 1.0, NOON) is None
    assert mine.release(lease("other"), 1.0, NOON) is None
    ask = mine.release(lease("me", "3", lease_transitions=2), 1.0, NOON)
    assert ask is not None
    assert ask.lease is not None
    assert ask.lease.metadata.resource_version == "3"
    later = "2026-01-01T12:00:00.000001Z"
    assert decode(encode(ask.lease.spec), LeaseSpec) == ask.lease.spec
    assert encode(ask.lease.spec).decode() == (
        '{"holderIdentity":"","leaseDurationSeconds":1,'
        f'"acquireTime":"{later}","renewTime":"{later}","leaseTransitions":2}}'
    )


def test_health_is_about_who_leads_and_does_not_renew() -> None:
    assert election().is_healthy(1e9, 0.0)
    mine = leading()
    assert mine.is_healthy(35.0, 20.0)
    assert not mine.is_healthy(35.1, 20.0)
    mine.resign()
    assert mine.is_healthy(99.0, 20.0)


@pytest.mark.parametrize(
    ("timing", "message"),
    [
        ((10, 10.0, 2.0), "lease_duration must be greater than renew_deadline"),
        ((15, 2.4, 2.0), r"renew_deadline must be greater than 1.2 \* retry_period"),
        ((15, 10.0, 0.0), "must be greater than 0"),
        ((15, -1.0, 2.0), "must be greater than 0"),
        ((15.5, 10.0, 2.0), "a whole number of seconds"),
    ],
)
def test_durations_have_to_go_together(timing: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Timing(*timing)


def test_the_pauses_between_tries() -> None:
    assert TIMING.between_tries(0.0) == 2.0
    assert TIMING.between_tries(1.0) == pytest.approx(4.4)


def test_identities() -> None:
    assert unique_identity() != unique_identity()
    with pytest.raises(ValueError, match="identity"):
        Election("default", "lock", "", TIMING)


# ---- never two ----------------------------------------------------------------------------------
#
# The world of the model checks: a server that keeps one lease and compares versions, candidates
# whose clocks run at their own rates, and a network in which each request and each answer is
# delivered at any time or never. A process that stands still is one of which nothing is delivered.


@dataclass
class Server:
    lease: Lease | None = None
    version: int = 0

    def handle(self, ask: LeaseRequest) -> Lease | str | None:
        if ask.verb == "get":
            return deep_copy(self.lease) if self.lease else None
        assert ask.lease is not None
        if ask.verb == "create" and self.lease is not None:
            return "AlreadyExists"
        if ask.verb == "update" and (
            self.lease is None or ask.lease.metadata.resource_version != str(self.version)
        ):
            return "Conflict"
        self.version += 1
        self.lease = deep_copy(ask.lease)
        self.lease.metadata.resource_version = str(self.version)
        return deep_copy(self.lease)


@dataclass
class Process:
    """A candidate, its clock, and the one request it waits for."""

    election: Election
    now: float
    asked: LeaseRequest | None = None
    reply: Any = None
    is_replied: bool = False
    strays: list[LeaseRequest] = field(default_factory=list)  # given up, but on their way

    @property
    def time(self) -> datetime:
        return NOON + timedelta(seconds=round(self.now))

    def ask(self, ask: LeaseRequest | None) -> None:
        self.asked, self.reply, self.is_replied = ask, None, False

    def begin(self) -> None:
        self.ask(self.election.attempt(self.now, self.time))

    def arrive(self, server: Server) -> None:
        assert self.asked is not None
        self.reply, self.is_replied = server.handle(self.asked), True

    def hear(self) -> None:
        assert self.asked is not None
        if isinstance(self.reply, str):
            self.ask(self.election.on_failure(self.asked, self.now))
        else:
            self.ask(self.election.on_response(self.asked, self.reply, self.now, self.time))

    def despair(self) -> None:
        """Give a request up, which may yet arrive."""
        assert self.asked is not None
        if not self.is_replied:
            self.strays = [*self.strays, self.asked][-1:]
        self.ask(self.election.on_failure(self.asked, self.now))

    @property
    def leads(self) -> bool:
        return self.election.leads(self.now)


# Small numbers keep the space of all histories small; 3 s of the fastest clock are 2 s of the
# slowest.
SMALL = Timing(3, 2.0, 1.0)


def two_lead(rates: tuple[float, ...], *, kind: type[Election] = Election) -> int:
    """Go through all histories; gives how many states there are, raises when two lead in one."""
    start = (
        Server(),
        [Process(kind("default", "lock", name, SMALL), 0.0) for name in "ab"[: len(rates)]],
    )
    seen = {fingerprint(*start)}
    waiting = deque([start])
    while waiting:
        state = waiting.popleft()
        for server, processes in steps(*state, rates):
            if sum(process.leads for process in processes) > 1:
                raise AssertionError(f"two lead after {len(seen)} states: {processes}")
            mark = fingerprint(server, processes)
            if mark not in seen:
                seen.add(mark)
                waiting.append((server, processes))
    return len(seen)


def steps(
    server: Server, processes: list[Process], rates: tuple[float, ...]
) -> Iterator[tuple[Server, list[Process]]]:
    """Everything that may happen next."""
    yield server, [moved(process, rate) for process, rate in zip(processes, rates, strict=True)]
    for index, process in enumerate(processes):
        for name in possible(process):
            there, here = clone(server), clone_of(process)
            if name == "arrive":
                here.arrive(there)
            elif name == "stray":
                there.handle(here.strays.pop())
            else:
                getattr(here, name)()
            yield there, [*processes[:index], here, *processes[index + 1 :]]


def possible(process: Process) -> list[str]:
    names = ["stray"] if process.strays else []
    if process.asked is None:
        return [*names, "begin"]
    if process.asked.verb != "get":  # who gives up a reading knows as much as before
        names = [*names, "despair"]
    return [*names, "hear" if process.is_replied else "arrive"]


def moved(process: Process, rate: float) -> Process:
    made = clone_of(process)
    made.now += rate
    return made


def clone(server: Server) -> Server:
    return Server(server.lease, server.version)


def clone_of(process: Process) -> Process:
    before = process.election
    made = type(before).__new__(type(before))
    made.__dict__.update(before.__dict__)
    return Process(
        made, process.now, process.asked, process.reply, process.is_replied, [*process.strays]
    )


def is_doomed(ask: LeaseRequest, server: Server) -> bool:
    """Whether a write will be refused for ever: versions do not come back."""
    if ask.verb == "create" or ask.lease is None:
        return server.lease is not None
    return ask.lease.metadata.resource_version != str(server.version)


def fingerprint(server: Server, processes: list[Process]) -> Any:
    """What counts of a state: ages instead of times, and which versions are the same."""
    names: dict[Any, int] = {}

    def same(value: Lease | None) -> Any:
        if value is None:
            return None
        version = value.metadata.resource_version
        key = names.setdefault(version or encode(value.spec), len(names))
        return (key, value.spec.holder_identity)

    def asked(process: Process, ask: LeaseRequest | None) -> Any:
        if ask is None or ask.verb == "get":
            return ask and ask.verb
        if not process.is_replied and is_doomed(ask, server):
            return ("doomed", ask.is_fast)
        return (ask.verb, same(ask.lease), min(process.now - ask.sent, 2.0), ask.is_fast)

    marks: list[Any] = [same(server.lease)]
    for process in processes:
        each = process.election
        hold = each._leadership
        reply = process.reply
        marks.append(
            (
                same(each._observed),
                min(process.now - each._observed_at, 3.0) if each._observed else None,
                max(hold.until - process.now, 0.0) if hold else None,
                asked(process, process.asked),
                process.is_replied,
                reply if isinstance(reply, str) else same(reply),
                [True for stray in process.strays if not is_doomed(stray, server)] == [True],
            )
        )
    return tuple(marks)


@pytest.mark.slow
def test_there_is_at_most_one_leader_with_bounded_clock_skew() -> None:
    assert two_lead((1.0, 1.5)) > 10_000


def test_the_check_finds_clocks_that_are_worse() -> None:
    with pytest.raises(AssertionError, match="two lead"):
        two_lead((1.0, 3.0))


class FromTheAnswer(Election):
    """Counts from when the answer came, as client-go does."""

    def _start_or_extend_term(self, sent: float, now: float) -> None:
        super()._start_or_extend_term(now, now)


class ByTheTimeWritten(Election):
    """Compares the times of others with the local clock."""

    def _is_unexpired(self, now: float) -> bool:
        assert self._observed is not None
        written = self._observed.spec.renew_time
        assert written is not None
        return now < (written - NOON).total_seconds() + 3


class Unguarded(Election):
    """Replaces whatever version there is, after a look at the lease some time ago."""

    def attempt(self, now: float, time: datetime) -> LeaseRequest:
        if self._observed and not self._is_mine(self._observed) and not self._is_unexpired(now):
            return self._update(self._observed, now, time, is_fast=True)
        return super().attempt(now, time)

    def _is_mine(self, lease: Lease) -> bool:
        return True


@pytest.mark.parametrize("kind", [FromTheAnswer, ByTheTimeWritten, Unguarded])
def test_the_check_finds_mistakes(kind: type[Election]) -> None:
    with pytest.raises(AssertionError, match="two lead"):
        two_lead((1.0, 1.5), kind=kind)


class ManyElectors(RuleBasedStateMachine):
    """Three of them, with the defaults, for a long time; clocks change rates, some release."""

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        self.server = Server()
        offsets = data.draw(st.lists(st.floats(0, 1e6), min_size=3, max_size=3))
        self.processes = [
            Process(Election("default", "lock", name, TIMING), offset)
            for name, offset in zip("abc", offsets, strict=True)
        ]

    @rule(
        seconds=st.floats(0.01, 20.0),
        rates=st.lists(st.floats(1.0, 1.499), min_size=3, max_size=3),
    )
    def time_passes(self, seconds: float, rates: list[float]) -> None:
        for process, rate in zip(self.processes, rates, strict=True):
            process.now += seconds * rate

    @rule(index=st.integers(0, 2))
    def begin_or_arrive_or_hear(self, index: int) -> None:
        process = self.processes[index]
        if process.asked is None:
            process.begin()
        elif process.is_replied:
            process.hear()
        else:
            process.arrive(self.server)

    @rule(index=st.integers(0, 2))
    def a_whole_try(self, index: int) -> None:
        process = self.processes[index]
        if process.asked is None:
            process.begin()
        while process.asked is not None:
            if not process.is_replied:
                process.arrive(self.server)
            process.hear()

    @rule(index=st.integers(0, 2))
    def an_answer_is_lost(self, index: int) -> None:
        if self.processes[index].asked is not None:
            self.processes[index].despair()

    @rule(index=st.integers(0, 2))
    def a_late_request_arrives(self, index: int) -> None:
        if self.processes[index].strays:
            self.server.handle(self.processes[index].strays.pop())

    @rule(index=st.integers(0, 2))
    def one_releases(self, index: int) -> None:
        process = self.processes[index]
        if process.asked is None:
            process.election.resign()
            stored = deep_copy(self.server.lease) if self.server.lease else None
            freeing = process.election.release(stored, process.now, process.time)
            if freeing is not None:
                self.server.handle(freeing)

    @invariant()
    def at_most_one_leads(self) -> None:
        leading = [each.election.identity for each in getattr(self, "processes", ()) if each.leads]
        assert len(leading) <= 1, leading


TestManyElectors = ManyElectors.TestCase
TestManyElectors.settings = try_examples(60, stateful_step_count=60)


def test_a_leader_comes_about() -> None:
    """The checks would be easily passed by electors that never lead."""
    server, process = Server(), Process(election(), 0.0)
    other = Process(election("other"), 0.0)
    for each in (process, other):
        each.begin()
        while each.asked is not None:
            each.arrive(server)
            each.hear()
    assert process.leads
    assert not other.leads
    assert other.election.holder == "me"
