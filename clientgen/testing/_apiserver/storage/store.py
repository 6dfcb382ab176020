"""Stored objects: encoded JSON under one version counter, their history, their watchers.

A collection holds the objects of one group and plural, whatever version they are read in. A stored
object is its JSON without `kind` and `apiVersion`, which the reader puts in front: a list is made
by joining bytes, and an event is encoded once for all who watch. Every write takes the next version
and records a Change, for watches and for lists of older versions.

Facts: docs/internals/kubernetes-semantics.md, 1.2.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import deque
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import json

from clientgen._apimachinery.failures import Failure, unclassified
from clientgen._text_cache import ContentCache, encoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from clientgen.runtime._clock import Clock

    from ..conversion_reviews import Conversion

MAX_HISTORY_EVENTS: Final = 10_000
"""The most changes that a collection remembers."""
MAX_HISTORY_SECONDS: Final = 300.0
"""The seconds that changes are remembered; the real server compacts every five minutes."""
MAX_HISTORY_BYTES: Final = 64 << 20
"""The most bytes of replaced and removed objects that a collection remembers."""
MAX_OBJECT_BYTES: Final = 1536 << 10
"""The most bytes of one object: the limit of a request to etcd."""
_MAX_SENT_BYTES: Final = 2 << 20
"""Objects of this size are not even sent to etcd."""
MAX_STORED_BYTES: Final = 2 << 30
"""The most bytes of all objects: etcd's default quota."""
_MAX_CACHED_LINES: Final = 256
"""The most changes whose lines for watches are kept; slower watches encode them again."""

_NO_LABELS: Final[Mapping[str, str]] = {}
_LABELS: Final = ContentCache["Mapping[str, str]"](4096)
_decode = json.decode
_encode = json.encode


def key_of(namespace: str, name: str) -> str:
    """The key of an object in its collection; keys sort as the server lists."""
    return f"{namespace}/{name}" if namespace else name


class Record:
    """One stored version of an object; it never changes.

    `data` is the JSON without kind and apiVersion; `form` says in which version's shape it is, for
    the few kinds whose versions differ.
    """

    __slots__ = (
        "conversions",
        "data",
        "fields",
        "form",
        "key",
        "labels",
        "owners",
        "uid",
        "version",
    )

    def __init__(self, key: str, value: dict[str, Any], version: int, form: str) -> None:
        metadata = value["metadata"]
        self.key = key
        self.uid: str = metadata["uid"]
        self.owners: tuple[str, ...] = tuple(
            each["uid"] for each in metadata.get("ownerReferences") or () if each.get("uid")
        )
        """The uids that ownerReferences name."""
        self.labels: Mapping[str, str] = _shared(metadata.get("labels") or _NO_LABELS)
        self.version = version
        self.form = form
        # Custom resources (only they have a shape in their form) are maps to the server: sorted.
        data = _encode(
            {name: part for name, part in value.items() if name not in ("kind", "apiVersion")},
            order="sorted" if "#" in form else None,
        )
        # A copy: the encoder's own bytes keep the room that it made for more of them.
        self.data: bytes = bytes(memoryview(data))
        self.fields: dict[str, dict[str, str]] | None = None
        """Selectable fields by API version, once somebody asked."""
        self.conversions: dict[str, Conversion] | None = None
        """What a webhook makes of it in other forms, once somebody asked."""

    @property
    def namespace(self) -> str:
        """The namespace of the object; empty outside of namespaces."""
        return self.key.rpartition("/")[0]

    @property
    def name(self) -> str:
        """The name of the object."""
        return self.key.rpartition("/")[2]

    def value(self) -> dict[str, Any]:
        """The object without kind and apiVersion; a copy of the caller's own."""
        value: dict[str, Any] = _decode(self.data)
        return value

    @property
    def is_going(self) -> bool:
        """Whether it was deleted, and finalizers or a grace period hold it."""
        return b'"deletionTimestamp"' in self.data and bool(
            self.value()["metadata"].get("deletionTimestamp")
        )

    def at(self, version: int) -> Record:
        """The same content, said to be of another version (a deletion's, say)."""
        value = self.value()
        value["metadata"]["resourceVersion"] = str(version)
        record = Record(self.key, value, version, self.form)
        record.conversions = self.conversions
        return record


def _shared(labels: Mapping[str, str]) -> Mapping[str, str]:
    """Return the same labels of another object, if there is one: replicas have the same."""
    text = encoded(labels)
    known = _LABELS.get(text)
    if known is None:
        known = dict(labels)
        _LABELS.put(text, known)
    return known


class Change:
    """One write: what was there before, and what is there now.

    `after` of a deletion is None and `last` the final state, which carries the deletion's version.
    """

    __slots__ = ("_departed", "_encoded", "_is_recent", "after", "before", "moment", "version")

    def __init__(
        self, version: int, before: Record | None, after: Record | None, moment: float
    ) -> None:
        self.version = version
        self.before = before
        self.after = after
        self.moment = moment
        self._departed: Record | None = None
        self._encoded: dict[tuple[str, bytes], bytes] = {}
        self._is_recent = True

    @property
    def weight(self) -> int:
        """The bytes that only this change keeps."""
        return len(self.before.data) if self.before is not None else 0

    @property
    def record(self) -> Record:
        """The object the change is about, as it is now, or as it was last."""
        record = self.after or self.before
        assert record is not None
        return record

    def departed(self) -> Record:
        """The old content with the version of this change, for those who no longer see it."""
        if self._departed is not None:
            return self._departed
        assert self.before is not None
        record = self.before.at(self.version)
        if self._is_recent:
            self._departed = record
        return record

    def encoded(self, kind: str, form: bytes, make: Callable[[], bytes]) -> bytes:
        """The event as a line, made once for all watchers that see it in the same form."""
        line = self._encoded.get((kind, form))
        if line is None:
            line = make()
            if self._is_recent:
                self._encoded[kind, form] = line
        return line

    def age(self) -> None:
        """Drop the lines: most watches have them."""
        self._is_recent = False
        self._encoded.clear()
        self._departed = None


class Collection:
    """The objects of one group and plural."""

    def __init__(self, name: str, store: Store) -> None:
        self.name = name
        self.records: dict[str, Record] = {}
        self.forgotten = store.compacted
        """The version up to which changes are gone."""
        self.changed_at = store.version
        self._keys: list[str] = []
        self._history: deque[Change] = deque()
        self._weight = 0
        self._store = store
        self._watchers: list[tuple[Callable[[Change], None], Callable[[], None] | None]] = []

    # ------------------------------------------------------------------------- reading

    def now(self, namespace: str = "") -> list[Record]:
        """All objects, or those of a namespace, in the order of their keys."""
        records = self.records
        return [records[key] for key in self._keys_of(namespace)]

    def _keys_of(self, namespace: str) -> list[str]:
        if not namespace:
            return self._keys
        low = bisect_left(self._keys, f"{namespace}/")
        high = bisect_left(self._keys, f"{namespace}0")  # "0" is the character after "/"
        return self._keys[low:high]

    def at(self, version: int, namespace: str = "") -> list[Record] | None:
        """The objects as they were at a version; None when that is forgotten."""
        if version < self.forgotten:
            return None
        if version >= self.changed_at:
            return self.now(namespace)
        past: dict[str, Record | None] = {}
        for change in reversed(self._history):
            if change.version <= version:
                break
            past[change.record.key] = change.before
        state = {**self.records, **past}
        prefix = f"{namespace}/" if namespace else ""
        return [
            record
            for key in sorted(state)
            if key.startswith(prefix) and (record := state[key]) is not None
        ]

    def since(self, version: int) -> Iterator[Change] | None:
        """The changes after a version, oldest first; None when some are forgotten."""
        if version < self.forgotten:
            return None
        start = bisect_right(self._history, version, key=lambda change: change.version)
        return (self._history[index] for index in range(start, len(self._history)))

    # ------------------------------------------------------------------------- writing

    def put(self, value: dict[str, Any], form: str) -> Record:
        """Store an object under the next version, which is written into it.

        The caller has checked that this is allowed.

        Raises:
            Failure: 500, as etcd says it: the object is too large, or there is no room.
        """
        metadata = value["metadata"]
        key = key_of(metadata.get("namespace", ""), metadata["name"])
        version = self._store.version + 1
        metadata["resourceVersion"] = str(version)
        record = Record(key, value, version, form)
        before = self.records.get(key)
        self._store.take_room(record, before)
        if self._store.journal is not None:
            self._store.note(self.name, record, before)
        self._store.advance()
        if before is None:
            insort(self._keys, key)
        self.records[key] = record
        self._happened(Change(version, before, record, self._store.clock.monotonic()))
        return record

    def remove(self, key: str) -> Record:
        """Remove an object. The event has the state that was stored last."""
        if self._store.journal is not None:
            self._store.journal.remove(self.name, self.records[key], self._store.version + 1)
        before = self.records.pop(key)
        del self._keys[bisect_left(self._keys, key)]
        self._store.stored -= len(before.data)
        version = self._store.advance()
        self._happened(Change(version, before, None, self._store.clock.monotonic()))
        return before

    def restore(self, records: Mapping[str, Record]) -> None:
        """Begin with objects of another store, which have no history here."""
        self.records = dict(records)
        self._keys = sorted(records)

    def announce(self) -> None:
        """Tell the watchers of all objects, as of objects that are new."""
        moment = self._store.clock.monotonic()
        for record in self.now():
            change = Change(record.version, None, record, moment)
            for watcher, _ in tuple(self._watchers):
                watcher(change)
            self._store.tell(self, change)

    def _happened(self, change: Change) -> None:
        self.changed_at = change.version
        self._history.append(change)
        self._weight += change.weight
        if len(self._history) > _MAX_CACHED_LINES:
            self._history[-_MAX_CACHED_LINES - 1].age()
        self._forget(change.moment - self._store.history_seconds)
        for watcher, _ in tuple(self._watchers):
            watcher(change)
        self._store.tell(self, change)

    def _forget(self, before: float) -> None:
        history, store = self._history, self._store
        while history and (
            len(history) > store.history_events
            or history[0].moment < before
            or self._weight > store.history_bytes
        ):
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        change = self._history.popleft()
        self.forgotten = max(self.forgotten, change.version)
        self._weight -= change.weight

    def compact(self, version: int) -> None:
        """Forget the changes up to a version."""
        self.forgotten = max(self.forgotten, version)
        while self._history and self._history[0].version <= version:
            self._forget_oldest()

    # ------------------------------------------------------------------------ watching

    def watch(
        self, watcher: Callable[[Change], None], ended: Callable[[], None] | None = None
    ) -> Callable[[], None]:
        """Have every later change told to `watcher`, until the returned function is called.

        `ended` is what ends a client's watch, see `watches`.
        """
        entry = (watcher, ended)
        self._watchers.append(entry)

        def stop() -> None:
            if entry in self._watchers:
                self._watchers.remove(entry)

        return stop

    def watches(self) -> tuple[Callable[[], None], ...]:
        """Return what ends each of the watches that clients have open now."""
        return tuple(ended for _, ended in self._watchers if ended is not None)


class Journal(Protocol):
    """Where writes are kept beyond the end of the process. Both methods raise a Failure."""

    def put(self, collection: str, record: Record, /) -> None:
        """Keep an object that is about to be stored."""
        ...

    def remove(self, collection: str, record: Record, version: int, /) -> None:
        """Keep that an object is about to be removed, by a write of this version."""
        ...


class Store:
    """The collections of a server, and the version that they share."""

    def __init__(
        self,
        clock: Clock,
        *,
        history_events: int = MAX_HISTORY_EVENTS,
        history_seconds: float = MAX_HISTORY_SECONDS,
        history_bytes: int = MAX_HISTORY_BYTES,
    ) -> None:
        self.clock = clock
        self.history_events = history_events
        self.history_seconds = history_seconds
        self.history_bytes = history_bytes
        self.stored = 0
        """The bytes of all objects."""
        self.version = 1
        self.compacted = 0
        self.journal: Journal | None = None
        """Where writes are kept beyond the end of the process."""
        self._collections: dict[str, Collection] = {}
        self._waiting: dict[Callable[[], None], None] = {}
        self._listeners: list[Callable[[Collection, Change], None]] = []

    def collection(self, name: str) -> Collection:
        """The collection of that name; it is there as soon as somebody asks."""
        collection = self._collections.get(name)
        if collection is None:
            collection = self._collections[name] = Collection(name, self)
        return collection

    def drop(self, name: str) -> None:
        """Remove an empty collection and its history."""
        self._collections.pop(name, None)

    def collections(self) -> Iterable[Collection]:
        """All collections there are."""
        return tuple(self._collections.values())

    def numbers(self) -> dict[str, int]:
        """Return the number of objects in each collection."""
        return {name: len(each.records) for name, each in self._collections.items()}

    def take_room(self, record: Record, before: Record | None) -> None:
        """Count the size of an object that replaces `before`.

        Raises:
            Failure: 500, in the words of etcd.
        """
        size = len(record.data)
        if size > _MAX_SENT_BYTES:
            why = f"trying to send message larger than max ({size} vs. {_MAX_SENT_BYTES})"
            raise unclassified(f"rpc error: code = ResourceExhausted desc = {why}")
        if size + len(record.key) > MAX_OBJECT_BYTES:
            raise unclassified("etcdserver: request is too large")
        more = size - (len(before.data) if before is not None else 0)
        if more > 0 and self.stored + more > MAX_STORED_BYTES:
            raise unclassified("etcdserver: mvcc: database space exceeded")
        self.stored += more

    def note(self, collection: str, record: Record, before: Record | None) -> None:
        """Write an object into the journal. If that fails, its room is free again.

        Raises:
            Failure: 500, the journal cannot be written.
        """
        assert self.journal is not None
        try:
            self.journal.put(collection, record)
        except Failure:
            self.stored -= len(record.data) - (len(before.data) if before is not None else 0)
            raise

    def advance(self) -> int:
        """Take the next version, and wake all that wait for it."""
        self.version += 1
        if self._waiting:
            waiting, self._waiting = self._waiting, {}
            for wake in waiting:
                wake()
        return self.version

    def on_advance(self, wake: Callable[[], None]) -> None:
        """Have `wake` called once, at the next write."""
        self._waiting[wake] = None

    def on_change(self, listener: Callable[[Collection, Change], None]) -> None:
        """Have every change of every collection told to `listener`."""
        self._listeners.append(listener)

    def tell(self, collection: Collection, change: Change) -> None:
        """Tell the listeners of a change."""
        for listener in self._listeners:
            listener(collection, change)

    def skip_to(self, version: int) -> None:
        """Continue with a later version, and forget those before it."""
        self.version = max(self.version, version)
        self.compact()

    def compact(self) -> None:
        """Forget all history, as the real server does every five minutes."""
        self.compacted = self.version
        for collection in self._collections.values():
            collection.compact(self.version)
