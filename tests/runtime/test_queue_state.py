"""What a work queue decides: order, duplicates, delays, limits; against plain models."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import count
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from support.examples import try_examples

from clientgen.runtime._controllers.queue_state import LOW_PRIORITY, PriorityState, QueueState
from clientgen.runtime._controllers.rate_limiters import (
    Bucket,
    ItemExponentialFailure,
    ItemFastSlow,
    MaxOf,
    RateLimiter,
    WithMaxWait,
    default_controller_limiter,
    default_item_limiter,
)

# ---- against models ---------------------------------------------------------------------------


class FifoModel:
    """client-go's rules, in lists."""

    def __init__(self) -> None:
        self.ready: list[str] = []
        self.again: set[str] = set()
        self.busy: list[str] = []
        self.waiting: list[tuple[float, int, str]] = []
        self.numbers = count()

    def add(self, item: str, priority: int) -> None:
        if item in self.busy:
            self.again.add(item)
        elif item not in self.ready:
            self.ready.append(item)

    def wait(self, item: str, at: float, priority: int) -> None:
        earlier = [each for each in self.waiting if each[2] == item and each[0] <= at]
        if not earlier:
            self.waiting = [each for each in self.waiting if each[2] != item]
            self.waiting.append((at, next(self.numbers), item))

    def advance(self, now: float) -> None:
        due = sorted(each for each in self.waiting if each[0] <= now)
        self.waiting = [each for each in self.waiting if each[0] > now]
        for _, _, item in due:
            self.add(item, 0)

    def next_ready(self) -> float | None:
        return min((at for at, _, _ in self.waiting), default=None)

    def order(self) -> list[str]:
        return self.ready

    def take(self) -> str:
        self.busy.append(self.ready[0])
        return self.ready.pop(0)

    def done(self, item: str) -> None:
        self.busy.remove(item)
        if item in self.again:
            self.again.remove(item)
            self.ready.append(item)

    def lose(self) -> None:
        self.waiting.clear()

    def owed(self) -> set[str]:
        """What somebody still has to get."""
        return {*self.ready, *self.again, *(item for _, _, item in self.waiting)}


class PriorityModel(FifoModel):
    """controller-runtime's rules: one entry per item, with priority, insertion and time."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: dict[str, dict[str, Any]] = {}

    def add(self, item: str, priority: int) -> None:
        self._put(item, None, priority)

    def wait(self, item: str, at: float, priority: int) -> None:
        self._put(item, at, priority)

    def _put(self, item: str, at: float | None, priority: int) -> None:
        if item not in self.entries:
            number = next(self.numbers)
            self.entries[item] = {"p": priority, "n": number, "at": at, "waits": number}
            return
        entry = self.entries[item]
        if priority > entry["p"]:
            entry.update(p=priority, n=next(self.numbers))
        if entry["at"] is not None and (at is None or at < entry["at"]):
            number = next(self.numbers)
            entry.update(at=at, n=number, waits=number)

    def advance(self, now: float) -> None:
        waiting = [e for e in self.entries.values() if e["at"] is not None and e["at"] <= now]
        for entry in sorted(waiting, key=lambda e: (e["at"], e["waits"])):
            entry.update(at=None, n=next(self.numbers))

    def next_ready(self) -> float | None:
        return min((e["at"] for e in self.entries.values() if e["at"] is not None), default=None)

    def order(self) -> list[str]:
        ready = [i for i, e in self.entries.items() if e["at"] is None and i not in self.busy]
        return sorted(ready, key=lambda i: (-self.entries[i]["p"], self.entries[i]["n"]))

    def take(self) -> str:
        item = self.order()[0]
        self.busy.append(item)
        del self.entries[item]
        return item

    def done(self, item: str) -> None:
        self.busy.remove(item)

    def lose(self) -> None:
        self.entries = {i: e for i, e in self.entries.items() if e["at"] is None}

    def owed(self) -> set[str]:
        return set(self.entries)


ITEMS = st.sampled_from("abcdef")
PRIORITIES = st.sampled_from([LOW_PRIORITY, 0, 0, 7])


class FifoMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.over = False
        self.state, self.model = self.made()

    def made(self) -> tuple[QueueState[str], FifoModel]:
        return QueueState(), FifoModel()

    @rule(item=ITEMS, priority=PRIORITIES)
    def add(self, item: str, priority: int) -> None:
        self.state.add(item, self.now, priority)
        if not self.over:
            self.model.add(item, priority)

    @rule(item=ITEMS, delay=st.integers(-1, 4), priority=PRIORITIES)
    def add_after(self, item: str, delay: int, priority: int) -> None:
        self.state.add_after(item, delay, self.now, priority)
        if not self.over and delay > 0:
            self.model.wait(item, self.now + delay, priority)
        elif not self.over:
            self.model.add(item, priority)

    @rule(seconds=st.integers(1, 3))
    def time_goes_by(self, seconds: int) -> None:
        self.now += seconds
        self.model.advance(self.now)

    @precondition(lambda self: self.model.order())
    @rule()
    def take(self) -> None:
        self.state.advance(self.now)
        held = list(self.model.busy)
        item = self.state.take(self.now)
        assert item == self.model.take()
        assert item not in held

    @precondition(lambda self: self.model.busy)
    @rule(data=st.data())
    def done(self, data: st.DataObject) -> None:
        item = data.draw(st.sampled_from(self.model.busy))
        self.state.done(item, self.now)
        self.model.done(item)

    @precondition(lambda self: self.now > 10)
    @rule()
    def shut_down(self) -> None:
        self.state.advance(self.now)
        self.state.shut_down()
        self.model.lose()
        self.over = True

    @invariant()
    def agree(self) -> None:
        self.state.advance(self.now)
        assert len(self.state) == len(self.model.order())
        assert self.state.processing == len(self.model.busy)
        assert self.state.next_ready == self.model.next_ready()

    def teardown(self) -> None:
        """Everything that is owed comes out, once."""
        owed = self.model.owed()
        for item in list(self.model.busy):
            self.state.done(item, self.now)
        self.now += 100.0
        self.state.advance(self.now)
        got: list[str] = []
        while len(self.state):
            got.append(self.state.take(self.now))
        assert sorted(got) == sorted(owed)


class PriorityMachine(FifoMachine):
    def made(self) -> tuple[QueueState[str], FifoModel]:
        return PriorityState(), PriorityModel()


TestFifo = FifoMachine.TestCase
TestPriorities = PriorityMachine.TestCase
TestFifo.settings = try_examples(150, stateful_step_count=40)
TestPriorities.settings = TestFifo.settings


# ---- by example -------------------------------------------------------------------------------


def drained(state: QueueState[str], now: float) -> list[str]:
    state.advance(now)
    return [state.take(now) for _ in range(len(state))]


def test_an_item_added_while_processing_is_requeued_after_done() -> None:
    state: QueueState[str] = QueueState()
    state.add("a", 0)
    state.take(0)
    state.add("a", 0)
    state.add("a", 0)
    assert len(state) == 0
    state.done("a", 1)
    assert drained(state, 1) == ["a"]
    state.done("a", 2)
    assert drained(state, 2) == []


def test_done_once_too_often_is_an_error() -> None:
    state: QueueState[str] = QueueState()
    state.add("a", 0)
    with pytest.raises(ValueError, match="'a' is not being processed"):
        state.done("a", 0)


def test_a_delayed_item_that_is_also_added_comes_twice() -> None:
    state: QueueState[str] = QueueState()
    state.add_after("a", 5, 0)
    state.add("a", 1)
    assert drained(state, 1) == ["a"]
    state.done("a", 2)
    assert drained(state, 5) == ["a"]


def test_by_priority_an_item_that_waits_and_is_added_comes_once() -> None:
    state: QueueState[str] = PriorityState()
    state.add_after("a", 5, 0)
    state.add("a", 1)
    assert drained(state, 1) == ["a"]
    state.done("a", 2)
    assert drained(state, 50) == []


def test_priorities_are_kept_when_added_again_and_told_to_the_worker() -> None:
    state: QueueState[str] = PriorityState()
    state.add("low", 0, LOW_PRIORITY)
    state.add("one", 0)
    state.add("two", 0)
    state.add("raised", 0, LOW_PRIORITY)
    state.add("raised", 0, 0)  # to the end of those
    state.add("one", 0, LOW_PRIORITY)  # changes nothing
    assert drained(state, 0) == ["one", "two", "raised", "low"]
    assert [state.priority(item) for item in ("one", "low", "raised")] == [0, LOW_PRIORITY, 0]


@pytest.mark.parametrize("kind", [QueueState, PriorityState])
def test_places_that_changed_do_not_pile_up(kind: type[QueueState[str]]) -> None:
    state = kind()
    for delay in range(10_000, 0, -1):  # always earlier: a new place each time
        state.add_after("a", delay, 0)
    assert len(state._waiting._heap) < 200


def test_reconciling_hourly_and_often_in_between_keeps_memory_flat() -> None:
    state: PriorityState[str] = PriorityState()
    for now in range(5_000):
        state.add("a", now)
        state.take(now)
        state.done("a", now)
        state.add_after("a", 3600, now)
    assert len(state._waiting._heap) < 200
    assert len(state._ranked._heap) < 200
    assert not state._dirty
    assert len(state._waiting_priorities) == 1


# ---- limiters ---------------------------------------------------------------------------------


def delays(limiter: RateLimiter[str], n: int, item: str = "a", now: float = 0.0) -> list[float]:
    return [limiter.when(item, now) for _ in range(n)]


def test_the_default_doubles_from_5_ms_to_1000_s() -> None:
    expected = [0.005 * 2**n for n in range(18)] + [1000.0, 1000.0]
    assert delays(default_controller_limiter(), 20) == pytest.approx(expected)
    assert expected[17] == 655.36


def test_the_default_for_items_begins_with_1_ms() -> None:
    assert delays(default_item_limiter(), 3) == [0.001, 0.002, 0.004]


def test_failures_are_per_item_and_can_be_forgotten() -> None:
    limiter: ItemExponentialFailure[str] = ItemExponentialFailure(1.0, 60.0)
    assert delays(limiter, 8) == [1, 2, 4, 8, 16, 32, 60, 60]
    assert delays(limiter, 1, "b") == [1]
    assert (limiter.num_requeues("a"), limiter.num_requeues("b")) == (8, 1)
    limiter.forget("a")
    limiter.forget("never seen")
    assert limiter.num_requeues("a") == 0
    assert delays(limiter, 1) == [1]


def test_thousands_of_failures_do_not_overflow() -> None:
    limiter: ItemExponentialFailure[str] = ItemExponentialFailure(0.005, 1000.0)
    assert set(delays(limiter, 3000)[18:]) == {1000.0}
    assert limiter.num_requeues("a") == 3000


def test_fast_and_then_slow() -> None:
    limiter: ItemFastSlow[str] = ItemFastSlow(0.005, 10.0, 3)
    assert delays(limiter, 5) == [0.005] * 3 + [10.0] * 2
    limiter.forget("a")
    assert delays(limiter, 1) == [0.005]


def test_the_bucket_is_one_for_all_items() -> None:
    limiter = Bucket(10.0, 100)
    assert delays(limiter, 100) == [0.0] * 100
    assert delays(limiter, 2, "b") == pytest.approx([0.1, 0.2])
    assert limiter.when("c", 100.0) == 0.0  # it has filled up
    limiter.forget("a")
    assert limiter.num_requeues("a") == 0


def test_the_longest_of_several_all_of_which_are_asked() -> None:
    slow: ItemFastSlow[str] = ItemFastSlow(3.0, 4.0, 1)
    limiter: MaxOf[str] = MaxOf(ItemExponentialFailure(1.0), slow)
    assert delays(limiter, 4) == [3.0, 4.0, 4.0, 8.0]
    assert limiter.num_requeues("a") == 4
    limiter.forget("a")
    assert slow.num_requeues("a") == 0
    with pytest.raises(ValueError, match="needs at least one limiter"):
        MaxOf()


def test_a_longest_wait_for_any_limiter() -> None:
    limiter: WithMaxWait[str] = WithMaxWait(ItemExponentialFailure(1.0), 3.0)
    assert delays(limiter, 4) == [1, 2, 3, 3]
    assert limiter.num_requeues("a") == 4
    limiter.forget("a")
    assert delays(limiter, 1) == [1]


def test_a_limiter_for_anything_is_one_for_strings() -> None:
    anything: RateLimiter[Hashable] = default_controller_limiter()
    assert delays(anything, 1) == [0.005]
