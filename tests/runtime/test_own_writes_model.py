"""Own writes against a model: any order of writes, answers, events, lists and restores.

The server is simulated, so that every message can be held back for as long as hypothesis likes.
Random walks, which mostly write one object, find what takes several calls that overlap.
CLIENTGEN_OWN_WRITES_STEPS, CLIENTGEN_OWN_WRITES_EXAMPLES and CLIENTGEN_OWN_WRITES_WALKS make it
look longer.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from support.examples import try_examples

from clientgen.runtime._cache.deltas import Added, Deleted, Updated
from clientgen.runtime._cache.indexer import Indexer
from clientgen.runtime._cache.own_writes import (
    MAX_OVERLAY_SECONDS,
    MAX_UNSURE_OVERLAY_SECONDS,
    OwnWrites,
    SentWrite,
)

STEPS = int(os.environ.get("CLIENTGEN_OWN_WRITES_STEPS", "60"))
EXAMPLES = int(os.environ.get("CLIENTGEN_OWN_WRITES_EXAMPLES", "150"))

WALKS = int(os.environ.get("CLIENTGEN_OWN_WRITES_WALKS", "500"))

KEYS = ("a/one", "a/two", "b/one")
T = TypeVar("T")


@dataclass
class Meta:
    name: str
    namespace: str
    uid: str
    resource_version: str
    labels: dict[str, str]


@dataclass
class Obj:
    metadata: Meta
    number: int  # which state it is, of all that there ever were

    @property
    def is_selected(self) -> bool:
        return self.metadata.labels["app"] == "web"


def pick(data: st.DataObject | Random, values: Sequence[T]) -> T:
    """Choose as hypothesis likes, or by chance."""
    if isinstance(data, Random):
        return data.choice(values)
    return data.draw(st.sampled_from(values))


def selected(obj: Obj | None) -> Obj | None:
    return obj if obj is not None and obj.is_selected else None


@dataclass
class Event:
    version: int
    key: str
    old: Obj | None
    new: Obj | None


@dataclass
class Server:
    """All objects, everything that ever happened to them, and what the watch will tell."""

    apps: tuple[str, ...]
    version: int = 10
    objects: dict[str, Obj] = field(default_factory=dict)
    history: dict[str, list[Obj | None]] = field(default_factory=lambda: {k: [None] for k in KEYS})
    log: list[Event] = field(default_factory=list)
    numbers: int = 0

    def next(self) -> int:
        self.version += 1
        return self.version

    def number(self) -> int:
        self.numbers += 1
        return self.numbers

    def write(self, key: str, app: str) -> Obj:
        old = self.objects.get(key)
        namespace, _, name = key.partition("/")
        number = self.number()
        app = app if app in self.apps else "web"
        uid = old.metadata.uid if old else f"uid-{number}"
        new = Obj(Meta(name, namespace, uid, str(self.next()), {"app": app}), number)
        self.objects[key] = new
        self._happened(key, old, new)
        return new

    def delete(self, key: str) -> Obj:
        old = self.objects.pop(key)
        self.next()
        self._happened(key, old, None)
        return old

    def _happened(self, key: str, old: Obj | None, new: Obj | None) -> None:
        self.history[key].append(new)
        self.log.append(Event(self.version, key, old, new))

    def at(self, version: int, namespace: str) -> list[Obj]:
        """The selected objects of a namespace, as of a version."""
        state: dict[str, Obj | None] = dict(self.base.items())
        for event in self.log:
            if event.version <= version:
                state[event.key] = event.new
        return [
            obj
            for key, obj in state.items()
            if obj is not None and obj.is_selected and key.startswith(namespace)
        ]

    base: dict[str, Obj] = field(default_factory=dict)


@dataclass
class Stream:
    """One namespace that is listed and watched."""

    namespace: str
    at: int | None = None  # everything up to here was delivered; None before the first list
    listing: tuple[list[Obj], int] | None = None
    needs_list: bool = True
    is_dead: bool = False  # the server was set back


@dataclass
class Call:
    """An own write. It begins, the server acts, and the answer comes: each at any time."""

    sent: SentWrite
    key: str
    what: str
    began: int  # how many calls had been answered by then
    obj: Obj | None = None  # what the server did
    index: int = 0  # in the history of the key
    answered: int = 0
    is_unseen: bool = False  # whether the cache never had the object that was deleted

    def overlaps(self, other: Call) -> bool:
        return self.began < other.answered and other.began < self.answered

    def may_be_older(self, other: Call) -> bool:
        """Return whether nothing says which of two calls the server did first.

        That is so if the deletion of an object, which nobody has seen, overlaps a write of another
        object of that name. The deletion is taken for the earlier one.
        """
        assert self.obj is not None
        assert other.obj is not None
        is_other = self.obj.metadata.uid != other.obj.metadata.uid
        is_last = self.index > other.index
        overlaps = self.overlaps(other) and other.what != "delete"
        return self.what == "delete" and self.is_unseen and is_other and is_last and overlaps


class OwnWritesModel(RuleBasedStateMachine):
    is_selective = True

    def __init__(self) -> None:
        super().__init__()
        self.server = Server(apps=("web", "db") if self.is_selective else ("web",))
        self.indexer: Indexer[Any] = Indexer({"app": lambda obj: [obj.metadata.labels["app"]]})
        self.store: OwnWrites[Any] = OwnWrites(
            self.indexer, ["a", "b"], selective=self.is_selective
        )
        self.streams = [Stream("a"), Stream("b")]
        self.calls: list[Call] = []
        self.answered: dict[str, list[Call]] = {key: [] for key in KEYS}
        self.answers = 0
        self.seen: set[str] = set()  # the uids of all objects that the cache ever had
        self.own: dict[str, int] = dict.fromkeys(KEYS, 0)
        self.known: dict[str, Obj] = {}
        self.heard: dict[str, int] = dict.fromkeys(KEYS, -1)
        self.now = 0.0
        self.has_written = False
        self.backup: tuple[int, dict[str, Obj]] | None = None

    # ---- foreign writes -----------------------------------------------------------------------

    @rule(key=st.sampled_from(KEYS), app=st.sampled_from(["web", "web", "db"]))
    def foreign_write(self, key: str, app: str) -> None:
        self.server.write(key, app)

    @rule(key=st.sampled_from(KEYS))
    def foreign_delete(self, key: str) -> None:
        if key in self.server.objects:
            self.server.delete(key)

    # ---- own writes ---------------------------------------------------------------------------

    @rule(key=st.sampled_from(KEYS), what=st.sampled_from(["create", "update", "delete"]))
    def begin(self, key: str, what: str) -> None:
        self._begin(key, what)

    def _begin(self, key: str, what: str) -> Call:
        self.has_written = True
        sent = self.store.begin_write(key.partition("/")[0], "" if what == "create" else key)
        assert sent is not None
        call = Call(sent, key, what, self.answers)
        self.calls.append(call)
        return call

    @precondition(lambda self: any(each.obj is None for each in self.calls))
    @rule(
        data=st.data(),
        app=st.sampled_from(["web", "web", "db"]),
        is_noop=st.sampled_from([False, False, True]),
    )
    def act(self, data: st.DataObject, app: str, is_noop: bool) -> None:
        waiting = [each for each in self.calls if each.obj is None]
        self._act(pick(data, waiting), app, is_noop=is_noop)

    def _act(self, call: Call, app: str, *, is_noop: bool = False) -> None:
        server, key = self.server, call.key
        if (call.what == "create") is (key in server.objects):
            self._end(call)  # it exists already, or does not exist
            return
        if call.what == "delete":
            call.obj = server.delete(key)
        elif call.what == "update" and is_noop:
            call.obj = server.objects[key]
        else:
            call.obj = server.write(key, app)
        call.index = len(server.history[key]) - 1

    @rule(
        key=st.sampled_from(KEYS),
        what=st.sampled_from(["write", "write", "delete", "nothing new"]),
        app=st.sampled_from(["web", "web", "db"]),
        is_answered=st.booleans(),
    )
    def call(self, key: str, what: str, app: str, is_answered: bool) -> None:
        is_there = key in self.server.objects
        if what != "write" and not is_there:
            return
        verb = "delete" if what == "delete" else "update" if is_there else "create"
        call = self._begin(key, verb)
        self._act(call, app, is_noop=what == "nothing new")
        if is_answered:
            self._answer(call)

    @rule()
    def delete_and_recreate(self) -> None:
        for what in ("delete", "write"):
            self.call(KEYS[0], what, "web", is_answered=True)

    @precondition(lambda self: any(each.obj for each in self.calls))
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        self._answer(pick(data, [each for each in self.calls if each.obj]))

    @precondition(lambda self: self.calls)
    @rule(data=st.data())
    def lose_an_answer(self, data: st.DataObject) -> None:
        self._end(pick(data, self.calls))

    def _end(self, call: Call) -> None:
        self.calls.remove(call)
        self.store.end_write(call.sent)

    def _answer(self, call: Call) -> None:
        key, obj, sent = call.key, call.obj, call.sent
        assert obj is not None
        uid = obj.metadata.uid
        if call.what == "delete":
            call.is_unseen = uid not in self.seen
            self.store.hide_deleted(sent, key, key.partition("/")[0], uid, self.now)
        else:
            self.seen.add(uid)
            is_create = call.what == "create"
            self.store.show_written(
                sent, obj, self.now, selected=obj.is_selected, is_create=is_create
            )
        self._end(call)
        self.answers += 1
        call.answered = self.answers
        self.answered[key].append(call)
        self.own[key] = self._last_own(self.answered[key])
        self._tell(self.store.take_revealed())

    @staticmethod
    def _last_own(calls: list[Call]) -> int:
        sure = [
            call.index for call in calls if not any(call.may_be_older(other) for other in calls)
        ]
        return max(sure)

    # ---- lists and watches --------------------------------------------------------------------

    @rule(which=st.sampled_from([0, 1]), ago=st.integers(0, 5))
    def begin_list(self, which: int, ago: int) -> None:
        stream = self.streams[which]
        latest = self.store.needs_latest(stream.namespace) or stream.is_dead
        if stream.at is None and self.has_written:
            latest = True
        self.store.begin_read(stream.namespace, latest=latest)
        version = self.server.version
        if not latest:
            version = max(version - ago, stream.at or 0)
        stream.needs_list = True
        stream.listing = (self.server.at(version, stream.namespace), version)

    @rule(which=st.sampled_from([0, 1]))
    def finish_list(self, which: int) -> None:
        stream = self.streams[which]
        if stream.listing is None:
            return
        objects, version = stream.listing
        stream.listing, stream.at = None, version
        stream.needs_list = stream.is_dead = False
        self.seen.update(obj.metadata.uid for obj in objects)
        self._tell(self.store.replace(stream.namespace, objects, str(version)))
        self._tell(self.store.take_revealed())

    @rule(which=st.sampled_from([0, 1]), count=st.integers(1, 4))
    def deliver(self, which: int, count: int) -> None:
        stream = self.streams[which]
        if stream.needs_list or stream.at is None:
            return
        at = stream.at
        waiting = [each for each in self.server.log if each.version > at]
        mine = [each for each in waiting if each.key.startswith(stream.namespace)]
        for event in mine[:count]:
            self._deliver(event)
            stream.at = event.version
        self._passed(stream)

    @rule(which=st.sampled_from([0, 1]))
    def bookmark(self, which: int) -> None:
        stream = self.streams[which]
        if stream.needs_list or stream.at is None:
            return
        self.deliver(which, len(self.server.log))
        stream.at = self.server.version
        self._passed(stream)

    def _deliver(self, event: Event) -> None:
        old, new = selected(event.old), selected(event.new)
        if new is not None:
            self.seen.add(new.metadata.uid)
            told = self.store.apply_event("ADDED" if old is None else "MODIFIED", new)
        elif old is not None:
            was = old.metadata
            meta = Meta(was.name, was.namespace, was.uid, str(event.version), was.labels)
            told = self.store.apply_event("DELETED", Obj(meta, old.number))
        else:
            told = None
        self._tell([told] if told is not None else [])

    def _passed(self, stream: Stream) -> None:
        self.store.note_progress(stream.namespace, str(stream.at), self.now)
        self._tell(self.store.take_revealed())

    @rule(seconds=st.sampled_from([1.0, 20.0]))
    def wait(self, seconds: float) -> None:
        # No watch is later than that. Else entries that cannot be compared are dropped.
        if not any(self._is_behind(stream) for stream in self.streams):
            self.now += seconds

    def _is_behind(self, stream: Stream) -> bool:
        at = stream.at
        return (
            at is None
            or stream.needs_list
            or any(
                each.version > at and each.key.startswith(stream.namespace)
                for each in self.server.log
            )
        )

    # ---- a backup -----------------------------------------------------------------------------

    @precondition(lambda self: self.backup is None)
    @rule()
    def make_backup(self) -> None:
        self.backup = (self.server.version, dict(self.server.objects))

    @precondition(lambda self: self.backup is not None)
    @rule()
    def restore(self) -> None:
        assert self.backup is not None
        for call in [*self.calls]:
            self._end(call)
        self.answered = {key: [] for key in KEYS}
        server = self.server
        (server.version, objects), self.backup = self.backup, None
        server.objects, server.base, server.log = dict(objects), dict(objects), []
        for key in KEYS:
            obj = server.objects.get(key)
            server.history[key].append(obj)
            self.own[key] = 0
            self.heard[key] = -1
        for stream in self.streams:
            stream.listing, stream.needs_list, stream.is_dead = None, True, True

    def step(self, name: str, options: dict[str, Any]) -> None:
        """Do what a rule of that name does, if it may be done now."""
        is_possible = {
            "act": any(each.obj is None for each in self.calls),
            "answer": any(each.obj for each in self.calls),
            "lose_an_answer": bool(self.calls),
            "make_backup": self.backup is None,
            "restore": self.backup is not None,
        }
        if is_possible.get(name, True):
            rule_of = getattr(self, name)
            names = inspect.signature(rule_of).parameters
            rule_of(**{each: options[each] for each in names})

    # ---- what has to hold ---------------------------------------------------------------------

    def _tell(self, notifications: list[Any]) -> None:
        for each in notifications:
            match each:
                case Added(obj):
                    key = self._key(obj)
                    assert key not in self.known, f"{key} was added twice"
                    self._hear(key, obj)
                case Updated(old, new):
                    key = self._key(new)
                    assert self.known[key].number == old.number, f"{key} was not like that"
                    self._hear(key, new)
                case Deleted(obj):
                    del self.known[self._key(obj)]

    def _hear(self, key: str, obj: Obj) -> None:
        self.known[key] = obj
        history = self.server.history[key]
        index = max(i for i, each in enumerate(history) if each and each.number == obj.number)
        assert index >= self.heard[key], f"{key} went back for handlers"
        self.heard[key] = index

    @staticmethod
    def _key(obj: Obj) -> str:
        return f"{obj.metadata.namespace}/{obj.metadata.name}"

    @invariant()
    def reads_are_not_behind_own_writes(self) -> None:
        if not all(self.store.has_read(each.namespace) for each in self.streams):
            return
        for key in KEYS:
            shown = self.indexer.get(key)
            states = self.server.history[key][self.own[key] :]
            numbers = [each.number if (each := selected(obj)) else None for obj in states]
            assert (shown.number if shown else None) in numbers, (
                f"{key}: {shown} is older than the program's last write"
            )

    @invariant()
    def indices_are_right(self) -> None:
        objects = self.indexer.list()
        assert all(obj.is_selected for obj in objects)
        indexed = self.indexer.by_index("app", "web")
        assert sorted(map(id, indexed)) == sorted(map(id, objects))
        by_namespace = [each for name in "ab" for each in self.indexer.by_index("namespace", name)]
        assert sorted(map(id, by_namespace)) == sorted(map(id, objects))

    @invariant()
    def handlers_know_the_watched_state(self) -> None:
        watched = {self._key(each): each.number for each in self.store.watched()}
        assert watched == {key: obj.number for key, obj in self.known.items()}

    def teardown(self) -> None:
        """In the end the cache and the handlers know the truth, and nothing is left over."""
        for call in [*self.calls]:
            self._answer(call) if call.obj else self._end(call)
        for which, stream in enumerate(self.streams):
            if stream.needs_list:
                if stream.listing is None:
                    self.begin_list(which, 0)
                self.finish_list(which)
            self.bookmark(which)
        self.reads_are_not_behind_own_writes()
        self.now += MAX_UNSURE_OVERLAY_SECONDS + 1
        for stream in self.streams:
            self._passed(stream)
        truth = {key: obj.number for key, obj in self.server.objects.items() if obj.is_selected}
        assert {self._key(obj): obj.number for obj in self.indexer.list()} == truth
        assert {key: obj.number for key, obj in self.known.items()} == truth
        self.now += MAX_OVERLAY_SECONDS
        for stream in self.streams:
            self._passed(stream)
        assert len(self.store) == 0


class OwnWritesWithoutSelectors(OwnWritesModel):
    is_selective = False


for model in (OwnWritesModel, OwnWritesWithoutSelectors):
    model.TestCase.settings = try_examples(
        EXAMPLES, stateful_step_count=STEPS, suppress_health_check=list(HealthCheck)
    )


def walk(model: OwnWritesModel, random: Random) -> None:
    """Do thirty steps."""
    keys = (*KEYS, *KEYS[:1] * 8)
    for which in (0, 1):
        model.begin_list(which, 0)
        model.finish_list(which)
    steps = {
        "foreign_write": 2, "foreign_delete": 2, "begin": 4, "act": 4, "call": 4, "answer": 5,
        "lose_an_answer": 0.3, "begin_list": 0.3, "finish_list": 0.6, "deliver": 3,
        "bookmark": 0.7, "wait": 0.5, "make_backup": 0.03, "restore": 0.03,
    }  # fmt: skip
    for step in random.choices([*steps], [*steps.values()], k=30):
        options: dict[str, Any] = {
            "key": random.choice(keys),
            "app": random.choice(("web", "web", "db")),
            "what": random.choice(("create", "update", "delete")),
            "which": random.choice((0, 0, 1)),
            "is_noop": random.random() < 0.2,
            "is_answered": random.random() < 0.5,
            "seconds": random.choice((1.0, 20.0)),
            "ago": random.randint(0, 5),
            "count": random.randint(1, 4),
            "data": random,
        }
        if step == "call":
            options["what"] = random.choice(("write", "write", "delete", "nothing new"))
        model.step(step, options)
        model.reads_are_not_behind_own_writes()
        model.indices_are_right()
        model.handlers_know_the_watched_state()
    model.teardown()


@pytest.mark.parametrize("kind", [OwnWritesModel, OwnWritesWithoutSelectors])
def test_calls_that_overlap(kind: type[OwnWritesModel]) -> None:
    for seed in range(WALKS):
        try:
            walk(kind(), Random(seed))
        except AssertionError as error:
            error.add_note(f"seed {seed}")
            raise


@pytest.mark.parametrize("kind", [OwnWritesModel, OwnWritesWithoutSelectors])
def test_a_deletion_of_an_object_that_a_restore_has_brought_back(
    kind: type[OwnWritesModel],
) -> None:
    model = kind()
    model.delete_and_recreate()
    model.make_backup()
    for which in (1, 0):
        model.begin_list(which, 0)
        model.finish_list(which)
    model.delete_and_recreate()
    model.restore()
    model.call("a/one", "delete", is_answered=True, app="web")
    model.reads_are_not_behind_own_writes()


TestOwnWritesModel = OwnWritesModel.TestCase
TestOwnWritesWithoutSelectors = OwnWritesWithoutSelectors.TestCase
