"""Own writes against a model: any order of writes, answers, events, lists and restores.

The server is simulated, so that every message can be held back for as long as hypothesis likes.
CLIENTGEN_OWN_WRITES_STEPS and CLIENTGEN_OWN_WRITES_EXAMPLES make it look longer.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from clientgen.runtime._cache.deltas import Added, Deleted, Updated
from clientgen.runtime._cache.indexer import Indexer
from clientgen.runtime._cache.own_writes import (
    LONGEST_SECONDS,
    UNSURE_SECONDS,
    OwnWrites,
    SentWrite,
)

STEPS = int(os.environ.get("CLIENTGEN_OWN_WRITES_STEPS", "60"))
EXAMPLES = int(os.environ.get("CLIENTGEN_OWN_WRITES_EXAMPLES", "150"))

KEYS = ("a/one", "a/two", "b/one")


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
class Pending:
    """An own write that the server has done and not answered yet."""

    sent: SentWrite
    key: str
    obj: Obj
    index: int  # in the history of the key
    what: str


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
        self.pending: list[Pending] = []
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

    @rule(
        key=st.sampled_from(KEYS),
        app=st.sampled_from(["web", "web", "db"]),
        at_once=st.booleans(),
    )
    def write(self, key: str, app: str, at_once: bool) -> None:
        is_create = key not in self.server.objects
        sent = self._sending(key, named=not is_create)
        obj = self.server.write(key, app)
        self._done(sent, key, obj, "create" if is_create else "update", at_once)

    @rule(key=st.sampled_from(KEYS))
    def write_nothing_new(self, key: str) -> None:
        if key in self.server.objects:
            sent = self._sending(key)
            self._done(sent, key, self.server.objects[key], "update", True)

    @rule(key=st.sampled_from(KEYS), at_once=st.booleans())
    def delete(self, key: str, at_once: bool) -> None:
        if key in self.server.objects:
            sent = self._sending(key)
            self._done(sent, key, self.server.delete(key), "delete", at_once)

    @rule()
    def delete_and_recreate(self) -> None:
        for what in (self.delete, self.write):
            what(KEYS[0], **({"app": "web"} if what == self.write else {}), at_once=True)

    def _sending(self, key: str, *, named: bool = True) -> SentWrite:
        self.has_written = True
        sent = self.store.sending(key.partition("/")[0], key if named else "")
        assert sent is not None
        return sent

    def _done(self, sent: SentWrite, key: str, obj: Obj, what: str, at_once: bool) -> None:
        index = len(self.server.history[key]) - 1
        pending = Pending(sent, key, obj, index, what)
        # Who writes an object twice at the same time has no last write.
        if any(each.key == key for each in self.pending):
            at_once = True
            for each in [each for each in self.pending if each.key == key]:
                self._answer(each)
        self.pending.append(pending)
        if at_once:
            self._answer(pending)

    @precondition(lambda self: self.pending)
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        self._answer(data.draw(st.sampled_from(self.pending)))

    @precondition(lambda self: self.pending)
    @rule(data=st.data())
    def lose_an_answer(self, data: st.DataObject) -> None:
        pending = data.draw(st.sampled_from(self.pending))
        self.pending.remove(pending)
        self.store.over(pending.sent)

    def _answer(self, pending: Pending) -> None:
        self.pending.remove(pending)
        key, obj, sent = pending.key, pending.obj, pending.sent
        if pending.what == "delete":
            namespace = key.partition("/")[0]
            self.store.deleted(sent, key, namespace, obj.metadata.uid, self.now)
        else:
            is_create = pending.what == "create"
            self.store.wrote(sent, obj, self.now, selected=obj.is_selected, is_create=is_create)
        self.store.over(sent)
        self.own[key] = max(self.own[key], pending.index)
        self._tell(self.store.take_revealed())

    # ---- lists and watches --------------------------------------------------------------------

    @rule(which=st.sampled_from([0, 1]), ago=st.integers(0, 5))
    def begin_list(self, which: int, ago: int) -> None:
        stream = self.streams[which]
        latest = self.store.needs_latest(stream.namespace) or stream.is_dead
        if stream.at is None and self.has_written:
            latest = True
        self.store.reads(stream.namespace, latest=latest)
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
            told = self.store.apply_event("ADDED" if old is None else "MODIFIED", new)
        elif old is not None:
            was = old.metadata
            meta = Meta(was.name, was.namespace, was.uid, str(event.version), was.labels)
            told = self.store.apply_event("DELETED", Obj(meta, old.number))
        else:
            told = None
        self._tell([told] if told is not None else [])

    def _passed(self, stream: Stream) -> None:
        self.store.passed(stream.namespace, str(stream.at), self.now)
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
        for pending in self.pending:
            self.store.over(pending.sent)
        self.pending = []
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
        for pending in [*self.pending]:
            self._answer(pending)
        for which, stream in enumerate(self.streams):
            if stream.needs_list:
                if stream.listing is None:
                    self.begin_list(which, 0)
                self.finish_list(which)
            self.bookmark(which)
        self.reads_are_not_behind_own_writes()
        self.now += UNSURE_SECONDS + 1
        for stream in self.streams:
            self._passed(stream)
        truth = {key: obj.number for key, obj in self.server.objects.items() if obj.is_selected}
        assert {self._key(obj): obj.number for obj in self.indexer.list()} == truth
        assert {key: obj.number for key, obj in self.known.items()} == truth
        self.now += LONGEST_SECONDS
        for stream in self.streams:
            self._passed(stream)
        assert len(self.store) == 0


class OwnWritesWithoutSelectors(OwnWritesModel):
    is_selective = False


for model in (OwnWritesModel, OwnWritesWithoutSelectors):
    model.TestCase.settings = settings(
        max_examples=EXAMPLES,
        stateful_step_count=STEPS,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
TestOwnWritesModel = OwnWritesModel.TestCase
TestOwnWritesWithoutSelectors = OwnWritesWithoutSelectors.TestCase
