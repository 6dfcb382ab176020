"""What handlers are told of events and relists: a history that makes sense, as client-go's do."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from support.examples import try_examples

from clientgen.runtime._cache.deltas import (
    Added,
    Deleted,
    DeletedFinalStateUnknown,
    Notification,
    Updated,
    apply_event,
    apply_replace,
    apply_resync,
)
from clientgen.runtime._cache.indexer import Indexer, meta_namespace_key
from tests.runtime.sample_models import Pod


def pod(name: str, version: int = 1, uid: str = "") -> Pod:
    made = Pod()
    made.metadata.name, made.metadata.namespace = name, "default"
    made.metadata.resource_version = str(version)
    made.metadata.uid = uid or name
    return made


@pytest.fixture
def indexer() -> Indexer[Pod]:
    return Indexer[Pod]()


@pytest.mark.parametrize("event_type", ["ADDED", "MODIFIED"])
def test_the_store_decides_what_is_new(indexer: Indexer[Pod], event_type: str):
    first, second = pod("a", 1), pod("a", 2)
    assert apply_event(indexer, event_type, first) == Added(first, is_initial=False)
    assert apply_event(indexer, event_type, second) == Updated(first, second)
    assert indexer.list() == [second]
    assert indexer.resource_version == "2"


def test_a_deletion_comes_with_the_final_state(indexer: Indexer[Pod]):
    apply_event(indexer, "ADDED", pod("a", 1))
    final = pod("a", 2)
    assert apply_event(indexer, "DELETED", final) == Deleted(final, final_state_known=True)
    assert (indexer.list(), indexer.resource_version) == ([], "2")


def test_a_deletion_of_what_was_not_there_is_nothing(indexer: Indexer[Pod]):
    assert apply_event(indexer, "DELETED", pod("a", 5)) is None
    assert (indexer.list(), indexer.resource_version) == ([], "5")


def test_a_bookmark_is_a_version_and_nothing_else(indexer: Indexer[Pod]):
    first = pod("a", 1)
    apply_event(indexer, "ADDED", first)
    assert apply_event(indexer, "BOOKMARK", pod("", 9)) is None
    assert (indexer.list(), indexer.resource_version) == ([first], "9")


@pytest.mark.parametrize("event_type", ["ERROR", "", "added"])
def test_other_events_are_not_for_the_store(indexer: Indexer[Pod], event_type: str):
    with pytest.raises(ValueError, match="is not the type of an event"):
        apply_event(indexer, event_type, pod("a"))
    assert (indexer.list(), indexer.resource_version) == ([], "")


def test_the_first_list_is_initial_and_later_ones_are_not(indexer: Indexer[Pod]):
    first, second = pod("a"), pod("b", 2)
    assert apply_replace(indexer, [first], "1") == [Added(first, is_initial=True)]
    assert apply_replace(indexer, [first, second], "2") == [Added(second, is_initial=False)]


def test_nothing_is_initial_after_an_empty_list(indexer: Indexer[Pod]):
    assert apply_replace(indexer, [], "1") == []
    assert apply_replace(indexer, [pod("a")], "2") == [Added(pod("a"), is_initial=False)]


def test_nothing_is_initial_after_an_event(indexer: Indexer[Pod]):
    """client-go: an event before any Replace counts as populated."""
    apply_event(indexer, "ADDED", pod("a"))
    assert apply_replace(indexer, [pod("a"), pod("b")], "2")[1] == Added(pod("b"))


def test_a_bookmark_before_the_first_list_does_not_make_it_a_later_one(indexer: Indexer[Pod]):
    apply_event(indexer, "BOOKMARK", pod("", 9))
    assert apply_replace(indexer, [pod("a")], "9") == [Added(pod("a"), is_initial=True)]


def test_after_a_relist_deletions_come_first_then_the_list_in_its_order(indexer: Indexer[Pod]):
    a, b, c, d = (pod(name) for name in "abcd")
    apply_replace(indexer, [a, b, c, d], "1")
    new, b2 = pod("new", 7), pod("b", 8)

    told = apply_replace(indexer, [new, d, b2], "9")

    assert told == [
        Deleted(a, final_state_known=False),
        Deleted(c, final_state_known=False),
        Added(new),
        Updated(b, b2),
    ]
    assert indexer.list() == [new, d, b2]
    assert indexer.resource_version == "9"


def test_a_missed_deletion_can_be_told_as_client_go_does(indexer: Indexer[Pod]):
    known = pod("a")
    apply_replace(indexer, [known], "1")
    [told] = apply_replace(indexer, [], "2")
    assert isinstance(told, Deleted)
    assert told.object is known
    assert told.tombstone == DeletedFinalStateUnknown("default/a", known)


def test_equal_versions_are_a_sync(indexer: Indexer[Pod]):
    apply_replace(indexer, [pod("a", 1), pod("b", 1)], "1")
    told = apply_replace(indexer, [pod("a", 1), pod("b", 2)], "2")
    assert [each.is_sync for each in told if isinstance(each, Updated)] == [True, False]


def test_a_resync_tells_of_every_object_and_changes_nothing(indexer: Indexer[Pod]):
    a, b = pod("a"), pod("b")
    apply_replace(indexer, [a, b], "4")
    told = apply_resync(indexer.list())
    assert told == [Updated(a, a), Updated(b, b)]
    assert all(each.is_sync for each in told)
    assert (indexer.list(), indexer.resource_version) == ([a, b], "4")


def test_an_object_made_anew_while_nobody_watched_is_an_update(indexer: Indexer[Pod]):
    """client-go goes by the key alone."""
    old, new = pod("a", 1, uid="first"), pod("a", 5, uid="second")
    apply_replace(indexer, [old], "1")
    [told] = apply_replace(indexer, [new], "5")
    assert told == Updated(old, new)
    assert isinstance(told, Updated)
    assert told.is_recreated
    assert not Updated(old, old).is_recreated


def test_an_object_listed_twice_is_notified_once(indexer: Indexer[Pod]):
    """Pages of a list whose continue token expired midway may overlap."""
    first, second = pod("a", 1), pod("a", 2)
    assert apply_replace(indexer, [first, pod("b"), second], "2") == [
        Added(second, is_initial=True),
        Added(pod("b"), is_initial=True),
    ]
    assert indexer.get("default/a") is second


# Whatever a server and a reflector do, a handler's history makes sense.


class Handler:
    """Believes what it is told, and complains about what it cannot believe."""

    def __init__(self) -> None:
        self.known: dict[str, Pod] = {}
        self.initial_is_over = False

    def take(self, told: Iterable[Notification[Pod]]) -> None:
        for each in told:
            match each:
                case Added(obj, is_initial):
                    assert not (is_initial and self.initial_is_over)
                    assert meta_namespace_key(obj) not in self.known, "added twice"
                    self.known[meta_namespace_key(obj)] = obj
                case Updated(old, new):
                    assert self.known[meta_namespace_key(new)] is old, "not what was told last"
                    self.known[meta_namespace_key(new)] = new
                case Deleted(obj):
                    known = self.known.pop(meta_namespace_key(obj))
                    assert each.final_state_known or known is obj


NAMES = st.sampled_from("abcde")


class HistoryMachine(RuleBasedStateMachine):
    """A server that changes, and a reflector that misses, repeats and relists."""

    @initialize()
    def start(self) -> None:
        self.indexer = Indexer[Pod]({"uid": lambda each: [each.metadata.uid]})
        self.handler = Handler()
        self.server: dict[str, Pod] = {}
        self.log: list[tuple[str, Pod]] = []
        self.seen = 0
        self.version = 0

    def write(self, event_type: str, name: str, uid: str = "") -> Pod:
        self.version += 1
        written = pod(name, self.version, uid or str(self.version))
        self.log.append((event_type, written))
        return written

    @rule(name=NAMES)
    def put(self, name: str) -> None:
        there = self.server.get(name)
        event_type = "MODIFIED" if there else "ADDED"
        self.server[name] = self.write(event_type, name, there.metadata.uid if there else "")

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        if there := self.server.pop(name, None):
            self.write("DELETED", name, there.metadata.uid)

    def deliver(self, event_type: str, obj: Pod) -> None:
        told = apply_event(self.indexer, event_type, obj)
        self.handler.take([told] if told else [])
        self.handler.initial_is_over = True

    @rule(count=st.integers(1, 4))
    def watch(self, count: int) -> None:
        for event_type, obj in self.log[self.seen : self.seen + count]:
            self.deliver(event_type, obj)
        self.seen = min(self.seen + count, len(self.log))

    @rule(back=st.integers(1, 6), as_added=st.booleans())
    def repeat(self, back: int, as_added: bool) -> None:
        """Go back in the log and deliver it again, perhaps as the state a new watch begins with."""
        self.seen = max(0, self.seen - back)
        for event_type, obj in self.log[self.seen : self.seen + 1]:
            self.deliver("ADDED" if as_added and event_type == "MODIFIED" else event_type, obj)

    @rule(start=st.integers(0, 4))
    def relist(self, start: int) -> None:
        listed = [*self.server.values()]
        before = {**self.handler.known}
        told = apply_replace(self.indexer, listed[start:] + listed[:start], str(self.version))
        self.handler.take(told)
        self.handler.initial_is_over = True
        self.seen = len(self.log)
        gone = [each for each in told if isinstance(each, Deleted)]
        assert told[: len(gone)] == gone
        assert {meta_namespace_key(each.object) for each in gone} == {
            key for key in before if key.rpartition("/")[2] not in self.server
        }
        assert self.handler.known == {meta_namespace_key(obj): obj for obj in listed}

    @rule()
    def resync(self) -> None:
        self.handler.take(apply_resync(self.indexer.list()))

    @rule()
    def catch_up(self) -> None:
        self.watch(len(self.log))
        assert self.handler.known.keys() == {f"default/{name}" for name in self.server}
        assert self.indexer.resource_version in ({str(self.version)} if self.log else {"", "0"})

    @invariant()
    def the_handler_knows_what_the_store_has(self) -> None:
        assert {id(each) for each in self.indexer.list()} == set(
            map(id, self.handler.known.values())
        )
        assert sorted(self.indexer.keys()) == sorted(self.handler.known)


TestHistory = HistoryMachine.TestCase
TestHistory.settings = try_examples(80, stateful_step_count=30)
