"""A queue with pauses, against a model: each item comes as early as it may, and never earlier."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.examples import try_examples

from clientgen.runtime._controllers.paced_state import PacedState

INTERVAL = 4.0
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "add_after", "debounce", "done", "wait"]),
        st.sampled_from("ab"),
        st.integers(0, 7),
    ),
    max_size=30,
)


@try_examples(300)
@given(STEPS)
def test_an_item_comes_when_its_pause_is_over(steps: list[tuple[str, str, int]]) -> None:
    state: PacedState[str] = PacedState(None, INTERVAL)
    now = 0.0
    due: dict[str, float] = {}
    begun: dict[str, float] = {}
    busy: set[str] = set()
    for what, item, seconds in [*steps, *[("done", "a", 0), ("done", "b", 0), ("wait", "a", 20)]]:
        earliest = max(now, begun.get(item, -INTERVAL) + INTERVAL)
        if what == "wait":
            now += seconds
        elif what == "done" and item in busy:
            state.done(item, now)
            busy.remove(item)
        elif what == "add":
            state.add(item, now)
            due[item] = min(due.get(item, earliest), earliest)
        elif what in {"add_after", "debounce"}:
            getattr(state, what)(item, float(seconds), now)
            at = max(earliest, now + seconds)
            due[item] = min(due.get(item, at), at)
        state.advance(now)
        expected = {each for each, at in due.items() if at <= now and each not in busy}
        taken = {state.take(now) for _ in range(len(state))}
        assert taken == expected
        for each in taken:
            assert now >= begun.get(each, -INTERVAL) + INTERVAL
            begun[each] = now
            del due[each]
        busy |= taken
    assert not due


def test_pauses_that_are_over_are_forgotten() -> None:
    state: PacedState[int] = PacedState(None, INTERVAL)
    for number in range(1000):
        state.add(number, float(number))
        state.done(state.take(float(number)), float(number))
    assert len(state._free_at) <= INTERVAL + 1
