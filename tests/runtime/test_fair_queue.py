"""The decisions of a fleet without waiting: whose turn it is, and what is told about a cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from support.examples import try_examples

from clientgen.runtime._controllers.fair_queue import FairState
from clientgen.runtime._controllers.fleet_health import PATIENCE, REPORT_SECONDS, ClusterHealth
from clientgen.runtime._controllers.queue_state import LOW_PRIORITY

Item = tuple[str, int]
CLUSTERS = ("", "a", "b", "c")
LIMIT = 2

items = st.tuples(st.sampled_from(CLUSTERS), st.integers(0, 4))


class Metrics:
    """The depth of the queue, as metrics see it."""

    def __init__(self) -> None:
        self.waiting: set[Hashable] = set()

    def added(self, item: Hashable, _: float, /) -> None:
        self.waiting.add(item)

    def taken(self, item: Hashable, _: float, /) -> None:
        self.waiting.remove(item)

    def dropped(self, item: Hashable, /) -> None:
        self.waiting.remove(item)

    def done(self, item: Hashable, _: float, /) -> None: ...

    def retried(self) -> None: ...


def new_state(metrics: Metrics | None = None) -> FairState[Item]:
    return FairState(metrics, LIMIT, lambda item: item[0])


class Lanes(RuleBasedStateMachine):
    """A model beside the state: what is dirty, who may go, and how many a cluster has."""

    def __init__(self) -> None:
        super().__init__()
        self.metrics = Metrics()
        self.state = new_state(self.metrics)
        self.lanes: dict[str, bool] = {"": True}  # whether workers may take its items
        self.dirty: set[Item] = set()
        self.taken: dict[Item, int] = {}  # the term of its lane
        self.terms: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()

    def available(self, cluster: str) -> int:
        ready = {each for each in self.dirty if each[0] == cluster} - self.taken.keys()
        term = self.terms[cluster]
        busy = [each for each, of in self.taken.items() if each[0] == cluster and of == term]
        return max(0, min(len(ready), LIMIT - len(busy))) if self.lanes.get(cluster) else 0

    @rule(item=items)
    def add(self, item: Item) -> None:
        if item[0] in self.lanes:
            self.dirty.add(item)
        self.state.add(item, 0)

    @rule(item=items)
    def add_later(self, item: Item) -> None:
        self.state.add_after(item, 1e9, 0)

    @precondition(lambda self: len(self.state))
    @rule()
    def take(self) -> None:
        waiting = {each for each in CLUSTERS if self.available(each)}
        item = self.state.take(0)
        assert item[0] in waiting
        assert item in self.dirty
        self.dirty.remove(item)
        self.taken[item] = self.terms[item[0]]
        self.skipped.update(waiting)
        self.skipped[item[0]] = 0
        assert max(self.skipped.values()) < len(CLUSTERS), "a cluster waits for the others"

    @precondition(lambda self: self.taken)
    @rule(number=st.integers(0, 9))
    def done(self, number: int) -> None:
        item = sorted(self.taken)[number % len(self.taken)]
        del self.taken[item]
        self.state.done(item, 0)

    @rule(cluster=st.sampled_from(CLUSTERS[1:]))
    def open(self, cluster: str) -> None:
        if cluster not in self.lanes:
            self.terms[cluster] += 1
            self.lanes[cluster] = False
            self.state.open(cluster)

    @rule(cluster=st.sampled_from(CLUSTERS), held=st.booleans())
    def hold_or_release(self, cluster: str, held: bool) -> None:
        if cluster in self.lanes:
            self.lanes[cluster] = not held
        (self.state.hold if held else self.state.release)(cluster)

    @rule(cluster=st.sampled_from(CLUSTERS[1:]))
    def close(self, cluster: str) -> None:
        self.lanes.pop(cluster, None)
        self.dirty = {each for each in self.dirty if each[0] != cluster}
        self.state.close(cluster)

    @invariant()
    def workers_may_take_what_the_model_says(self) -> None:
        for each in CLUSTERS:
            if not self.available(each):
                self.skipped[each] = 0
        assert len(self.state) == sum(map(self.available, CLUSTERS))
        assert self.metrics.waiting == self.dirty


TestLanes = Lanes.TestCase
TestLanes.settings = try_examples(60, stateful_step_count=40)


def test_a_cluster_with_three_items_does_not_wait_for_ten_thousand() -> None:
    state = new_state()
    for cluster in ("busy", "small"):
        state.open(cluster)
        state.release(cluster)
    for number in range(10_000):
        state.add(("busy", number), 0)
    for number in range(3):
        state.add(("small", number), 0, LOW_PRIORITY)
    order = []
    for _ in range(6):
        order.append(state.take(0))
        state.done(order[-1], 0)
    assert sorted(each[0] for each in order) == ["busy"] * 3 + ["small"] * 3
    hanging = [state.take(0), state.take(0)]  # of `busy`, and never done
    assert len(state) == 0
    state.add(("small", 1), 0)
    assert state.take(0) == ("small", 1)
    state.done(hanging[0], 0)
    assert state.take(0)[0] == "busy"


def test_what_a_closed_cluster_had_is_gone_also_when_it_is_due_later() -> None:
    state = new_state()
    state.open("a")
    state.release("a")
    state.add(("a", 1), 0)
    working = state.take(0)
    state.add(("a", 1), 0)
    state.add_after(("a", 2), 5, 0)
    state.add(("a", 3), 0)
    assert sorted(state.close("a")) == [("a", 1), ("a", 2), ("a", 3)]
    state.add(("a", 4), 1)
    state.advance(100)
    assert (len(state), state.next_ready) == (0, None)
    state.open("a")
    state.release("a")
    state.add(("a", 1), 101)
    assert len(state) == 0  # a worker of the last term has it still
    state.done(working, 102)
    assert state.take(102) == ("a", 1)


def test_a_cluster_is_told_about_once_a_minute() -> None:
    health = ClusterHealth(0.0)
    told = [
        (now, news)
        for now in range(200)
        if (news := health.see(now, is_synced=False, disconnected=0.0)) is not None
    ]
    later = [PATIENCE + REPORT_SECONDS * number for number in (1, 2, 3)]
    assert told == [(PATIENCE, "lost"), *((now, "still lost") for now in later)]
    assert not health.is_reachable
    assert health.see(200, is_synced=True, disconnected=0.0) == "back"
    assert health.seconds(201) == 0.0
    for now in (300, 305):  # a watch that ends, and begins again
        assert health.see(now, is_synced=True, disconnected=5.0) is None
        assert health.is_reachable
        assert health.see(now + 1, is_synced=True, disconnected=0.0) is None
    assert health.see(400, is_synced=True, disconnected=30.0) == "lost"
    assert health.seconds(400) == 30.0
