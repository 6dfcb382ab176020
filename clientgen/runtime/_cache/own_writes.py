"""Shows the program's own writes in a cache before the watch delivers them.

A cache has two states. The *watched* state is what the watch has delivered; handlers get no other.
The *shown* state is what readers get: the watched state, and on top of it what the program wrote
and the watch has not delivered yet. An overlay per object holds the difference. An object without
an overlay is the same in both states.

Resource versions of one collection can be compared as numbers (KEP-5504, GA in Kubernetes 1.35;
the versions of older servers are numbers of etcd and behave alike). So:

- An answer whose version the watch has passed already changes nothing.
- Handlers get events that are older than the write. The shown state does not.
- The overlay is dropped when the watch passes the version of the write.

The answer to a deletion often has no version, but has a uid. The object is hidden until the watch
delivers the deletion of that uid. A watch with selectors may never do so. Then the version of the
next object that the program creates is the bound: it is higher than that of the deletion, if the
create was sent after the deletion was answered. (Other writes may change nothing; the answer to one
of those has an old version.)

A list that is the latest state, and was asked for after the write was answered, is the truth: its
overlays are dropped. That covers a server that was restored from a backup.

Decisions only; callers hold the lock of the cache.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .deltas import (
    Added,
    Deleted,
    Notification,
    Updated,
    apply_event,
    apply_replace,
    apply_resync,
    differences,
)
from .indexer import meta_namespace_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from .._models.meta_v1 import ObjectMeta
    from .indexer import Indexer

__all__ = [
    "MAX_OVERLAYS",
    "MAX_OVERLAY_SECONDS",
    "MAX_UNSURE_OVERLAY_SECONDS",
    "OwnWrites",
    "SentWrite",
    "version_number",
]

T = TypeVar("T")

MAX_OVERLAYS = 10_000
"""How many own writes of an informer may wait for the watch. Then the oldest are dropped."""

MAX_OVERLAY_SECONDS = 600.0
"""How long an overlay is kept while a watch delivers events."""

MAX_UNSURE_OVERLAY_SECONDS = 60.0
"""How long an overlay is kept if a watch with selectors may never deliver its end."""

_MAX_REPLACED_OVERLAY_SECONDS = (
    10.0  # likewise, while it hides an object that was probably created later
)
_DROP_INTERVAL_SECONDS = 1.0
# Versions of KEP-5504 fit into 128 bits.
_MAX_VERSION_DIGITS = 39
_MAX_STALE_BOUNDS = 64


def version_number(text: str) -> int | None:
    """Return a resource version as a number; None if it cannot be compared."""
    is_number = text.isascii() and text.isdigit() and len(text) <= _MAX_VERSION_DIGITS
    return int(text) if is_number and text[0] != "0" else None


class SentWrite:
    """What was known of an object when a write was sent, and what has been learned since."""

    __slots__ = (
        "alive",
        "before",
        "deleted",
        "floor",
        "key",
        "known",
        "progress",
        "scope",
        "sequence",
        "written",
    )

    def __init__(
        self,
        scope: _Scope,
        key: str,
        sequence: int,
        progress: int | None,
        known: tuple[str, int | None] | None,
    ) -> None:
        self.scope = scope
        self.key = key
        self.sequence = sequence
        self.progress = progress
        self.known = known
        self.floor = scope.written
        """The highest version in answers to own writes when it was sent."""
        self.deleted: set[str] = set()
        """The uids of the deletions that the watch has delivered since it was sent."""
        self.written: set[str] = set()
        """The uids in answers to other own writes since it was sent."""
        self.alive: dict[str, int] = {}
        """By uid: the highest version at which an object of the name is known to have existed."""
        self.before: set[str] = set()
        """The uids of objects of the name that were known when it was sent."""

    def note(self, uid: str, version: int | None) -> None:
        """Note a version at which an object of the name existed."""
        if version is not None:
            self.alive[uid] = max(self.alive.get(uid, 0), version)

    def is_after(self, uid: str, version: int | None) -> bool:
        """Tell whether an object was known before the write was sent."""
        if uid in self.before:
            return True
        return version is not None and version <= max(self.floor, self.progress or 0)


class _Scope:
    """One collection that is listed and watched: a namespace, or all of them."""

    __slots__ = (
        "by_version",
        "is_latest",
        "is_read",
        "look_at",
        "read_from",
        "unbounded",
        "version",
        "written",
    )

    def __init__(self) -> None:
        self.version = ""  # the watch has delivered everything up to it
        self.is_read = False
        self.is_latest = False
        self.read_from = 0  # the sequence when the list was asked for
        self.written = 0  # the highest version of the answers to own writes
        self.by_version: list[tuple[int, int, str]] = []
        self.look_at = 0.0  # for old overlays
        self.unbounded: dict[str, int] = {}  # deletions without a bound: keys and sequences


class _Overlay(Generic[T]):
    """An object whose shown state differs from the watched state."""

    __slots__ = (
        "at",
        "bound",
        "changes",
        "earlier",
        "floor",
        "is_ended",
        "own",
        "own_version",
        "pending",
        "pinned",
        "scope",
        "seen",
        "sequence",
        "uid",
        "unseen",
        "version",
        "watched",
    )

    def __init__(
        self, scope: _Scope, sequence: int, at: float, uid: str, watched: T | None
    ) -> None:
        self.scope = scope
        self.sequence = sequence
        self.at = at
        self.uid = uid
        self.watched = watched
        # The version of the last write; None if the object was deleted, at an unknown version.
        self.version: int | None = None
        self.pinned = False  # the server was set back: only an event of the object itself counts
        self.own: T | None = None
        self.own_version: int | None = None  # None once the watch has delivered something newer
        self.seen: int | None = None  # a version at which a deleted object existed
        # The uids of deleted objects. There are several if deletions overlapped and the order of
        # the objects is not known.
        self.pending = {uid}
        self.unseen = set[str]() if watched and _metadata(watched).uid == uid else {uid}
        self.is_ended = False  # a deletion was delivered, but selectors may be its cause
        self.changes: list[tuple[int, str, Callable[[T], T]]] = []
        self.bound: int | None = None  # a version that is newer than its deletion
        self.floor = 0  # a version that is older than this write
        self.earlier: frozenset[str] = frozenset()  # uids of the name that are gone, too

    @property
    def is_gone(self) -> bool:
        """Whether it waits until the watch delivers the deletion of its uid."""
        return self.version is None

    @property
    def is_seen(self) -> bool:
        """Whether the watch has delivered an event of each deleted object."""
        return not self.unseen

    @property
    def is_sure(self) -> bool:
        """Whether it certainly ends, because the watch will pass a version."""
        return (self.version is not None or self.bound is not None) and not self.pinned

    @property
    def is_replaced(self) -> bool:
        """Whether the watch has delivered another object of the name, which may be a later one."""
        if self.watched is None:
            return False
        metadata = _metadata(self.watched)
        version = version_number(metadata.resource_version)
        is_other = metadata.uid not in self.pending and metadata.uid not in self.earlier
        return is_other and version is not None and version > self.floor

    def shown(self) -> T | None:
        """The object that readers get."""
        if self.is_gone:
            return None
        obj = self.watched if self.own_version is None else self.own
        for _, uid, change in self.changes:
            if obj is not None and _metadata(obj).uid == uid:
                obj = change(obj)
        return obj

    def is_past(self, event_type: str, uid: str, version: int | None, *, selective: bool) -> bool:
        """Tell whether an event of the object is as new as the write."""
        if version is None:
            return True
        bound = self.bound if self.is_gone else self.version
        if bound is not None and version >= bound:
            return True
        if not self.is_gone or uid in self.earlier:
            return False
        if uid not in self.pending:
            return self.is_seen  # then it was created after the deletion of the other one
        self.unseen.discard(uid)
        # To a watch with selectors, an object that is not selected any more is deleted, too.
        self.is_ended = event_type == "DELETED"
        if not self.is_ended or selective:
            return False
        self.pending.discard(uid)
        return not self.pending

    def is_older(self, uid: str, version: int) -> bool:
        """Tell whether the object in an answer is older than the deletion, which it overlapped.

        Objects of one name exist one after the other. If the order of two is not known, the deleted
        one is taken for the earlier one.
        """
        if uid in self.pending or uid in self.earlier or version <= self.floor:
            return True
        return self.seen is not None and version < self.seen

    def note(self, obj: T | None, version: int | None) -> None:
        """Note the state that the watch has delivered."""
        self.watched = obj
        if version is None:
            return
        if self.own_version is not None and version >= self.own_version:
            self.own, self.own_version = None, None
        if self.changes:
            self.changes = [each for each in self.changes if each[0] > version]


class OwnWrites(Generic[T]):
    """The store of an informer: an indexer, and the program's own writes on top of it.

    Args:
        indexer: What readers read. Without own writes it is the watched state.
        namespaces: The namespaces that are watched separately; none if one watch has all of them.
        selective: Whether there are selectors.
        changing: Whether namespaces are added and removed; then there may be none.
    """

    def __init__(
        self,
        indexer: Indexer[T],
        namespaces: Iterable[str] = (),
        *,
        selective: bool = False,
        changing: bool = False,
    ) -> None:
        self.indexer = indexer
        self._is_selective = selective
        names = tuple(namespaces)
        self._is_scoped = bool(names) or changing
        self._scopes = {name: _Scope() for name in (names if self._is_scoped else ("",))}
        self._overlays: dict[str, _Overlay[T]] = {}
        self._sent: dict[str, set[SentWrite]] = {}  # by key; those without one at ""
        self._sequence = 0
        self._revealed: dict[str, T] = {}
        self._lost: list[T] = []

    def __len__(self) -> int:
        """Return the number of objects whose shown state differs from the watched state."""
        return len(self._overlays)

    # ---- the watched state --------------------------------------------------------------------

    def watched(self) -> list[T]:
        """Return the objects of the watched state, which handlers know."""
        return [*self._watched_objects().values()]

    def resync(self) -> list[Updated[T]]:
        """Return a notification for every object that handlers know."""
        return apply_resync(self.watched())

    def take_revealed(self) -> list[Notification[T]]:
        """Return notifications about objects that readers and handlers saw at different times.

        Handlers get an object again if readers could not see it at its last notification, and no
        later event has made it visible. They get an addition and a deletion if readers have seen an
        object that the watch never delivered.
        """
        revealed, self._revealed = self._revealed, {}
        lost, self._lost = self._lost, []
        gone = [each for obj in lost for each in (Added(obj), Deleted(obj))]
        return [*gone, *(Updated(obj, obj) for obj in revealed.values())]

    def reads(self, namespace: str | None, *, latest: bool) -> None:
        """Note that a collection is about to be read, and whether the latest state is asked for."""
        scope = self._scopes[namespace or ""]
        scope.read_from, scope.is_latest = self._sequence, latest

    def needs_latest(self, namespace: str | None) -> bool:
        """Tell whether a list has to be the latest state, as versions cannot end some overlay."""
        scope = self._scopes[namespace or ""]
        return any(not each.is_sure for each in self._overlays.values() if each.scope is scope)

    def has_read(self, namespace: str | None) -> bool:
        """Tell whether a collection was read before."""
        return self._scopes[namespace or ""].is_read

    def add_namespace(self, namespace: str) -> None:
        """Watch one more namespace."""
        self._scopes[namespace] = _Scope()

    def remove_namespace(self, namespace: str) -> list[T]:
        """Forget a namespace, its objects and own writes. Handlers are not notified.

        Returns:
            The objects that handlers knew.
        """
        scope, before = self._scopes[namespace], self._watched_objects()
        forgotten = [obj for obj in before.values() if _metadata(obj).namespace == namespace]
        for key in [key for key, overlay in self._overlays.items() if overlay.scope is scope]:
            del self._overlays[key]
        for sent in [sent for group in self._sent.values() for sent in group]:
            if sent.scope is scope:
                self.over(sent)
        for key, obj in [*self._revealed.items()]:
            if _metadata(obj).namespace == namespace:
                del self._revealed[key]
        self._lost = [obj for obj in self._lost if _metadata(obj).namespace != namespace]
        del self._scopes[namespace]
        stored = self.indexer.stored
        left = {key: obj for key, obj in stored.items() if _metadata(obj).namespace != namespace}
        if len(left) < len(stored):
            self.indexer.swap(left, self.indexer.resource_version)
        return forgotten

    def fill_empty(self) -> None:
        """Note that no namespace is watched, so that the cache is empty."""
        if not self.indexer.populated:
            self.indexer.swap({}, "")

    def apply_event(self, event_type: str, obj: T) -> Notification[T] | None:
        """Apply a watch event, like `deltas.apply_event`."""
        if event_type == "BOOKMARK" or not (self._overlays or self._sent):
            return apply_event(self.indexer, event_type, obj)
        key, metadata = meta_namespace_key(obj), _metadata(obj)
        version = version_number(metadata.resource_version)
        self._note_event(event_type, key, metadata.uid, version)
        overlay = self._overlays.get(key)
        if overlay is None:
            return apply_event(self.indexer, event_type, obj)
        old = overlay.watched
        overlay.note(None if event_type == "DELETED" else obj, version)
        if overlay.is_past(event_type, metadata.uid, version, selective=self._is_selective):
            del self._overlays[key]
            self._show(key, overlay.watched)
        else:
            self._show(key, overlay.shown())
        self.indexer.advance(metadata.resource_version)
        if event_type == "DELETED":
            return None if old is None else Deleted(obj)
        return Added(obj) if old is None else Updated(old, obj)

    def passed(self, namespace: str | None, version: str, now: float) -> None:
        """Note that the watch of a collection has delivered everything up to a version."""
        scope = self._scopes[namespace or ""]
        if not version:
            return
        before, scope.version = scope.version, version
        if not self._overlays:
            return
        number, previous = version_number(version), version_number(before)
        if number is None or (previous is not None and number < previous):
            self._drop_all(scope)  # versions that cannot be compared
            return
        heap = scope.by_version
        while heap and heap[0][0] <= number:
            _, sequence, key = heappop(heap)
            overlay = self._overlays.get(key)
            if overlay is not None and overlay.sequence == sequence and not overlay.pinned:
                self._drop(key, overlay)
        self._drop_old(scope, now)

    def replace(
        self, namespace: str | None, objects: Iterable[T], version: str
    ) -> list[Notification[T]]:
        """Replace a collection by a list; the rest is as `deltas.apply_replace`."""
        scope = self._scopes[namespace or ""]
        is_initial = not scope.is_read
        scope.is_read, scope.version = True, version
        is_only = len(self._scopes) == 1 and is_initial != self.indexer.populated
        if is_only and not (self._overlays or self._sent):
            return apply_replace(self.indexer, objects, version)
        before = self._watched_objects()
        listed = self._outside(before, scope) if len(self._scopes) > 1 else {}
        listed.update((meta_namespace_key(obj), obj) for obj in objects)
        if self._sent:
            self._note_list(before, listed)
        number = version_number(version)
        shown, freed = dict(listed) if self._overlays else listed, set[str]()
        for key, overlay in [*self._overlays.items()]:
            if overlay.scope is scope and self._is_settled(overlay, listed.get(key), number):
                del self._overlays[key]
                freed.add(key)
                continue
            if overlay.scope is scope:
                overlay.note(listed.get(key), number)
            _put(shown, key, overlay.shown())
        stored = self.indexer.swap(shown, version)
        for key in freed:
            self._reveal(key, before.get(key), listed.get(key), stored.get(key))
        return differences(before, listed, is_initial=is_initial)

    def _is_settled(self, overlay: _Overlay[T], listed: T | None, number: int | None) -> bool:
        """Tell whether a list is as new as a write."""
        scope = overlay.scope
        if number is None or (scope.is_latest and overlay.sequence <= scope.read_from):
            return True
        limit = overlay.bound if overlay.version is None else overlay.version
        if limit is not None and number >= limit:
            return True
        if overlay.version is not None:
            return False
        if listed is not None:
            return overlay.is_seen and _metadata(listed).uid not in overlay.pending
        if self._is_selective or overlay.seen is None or len(overlay.pending) > 1:
            return False
        return number >= overlay.seen

    def _outside(self, before: Mapping[str, T], scope: _Scope) -> dict[str, T]:
        """Return the objects of the other namespaces, which stay as they are."""
        scopes = self._scopes
        return {
            key: obj
            for key, obj in before.items()
            if scopes.get(_metadata(obj).namespace) is not scope
        }

    def _watched_objects(self) -> Mapping[str, T]:
        stored = self.indexer.stored
        if not self._overlays:
            return stored
        watched = dict(stored)
        for key, overlay in self._overlays.items():
            _put(watched, key, overlay.watched)
        return watched

    def _watched(self, key: str) -> T | None:
        overlay = self._overlays.get(key)
        return self.indexer.stored.get(key) if overlay is None else overlay.watched

    def _note_event(self, event_type: str, key: str, uid: str, version: int | None) -> None:
        """Note an event for the writes that are being sent."""
        if event_type != "DELETED":
            for sent in self._sent.get(key, ()):
                sent.note(uid, version)
            return
        for name in (key, ""):
            for sent in self._sent.get(name, ()):
                sent.deleted.add(uid)

    def _note_list(self, before: Mapping[str, T], listed: Mapping[str, T]) -> None:
        """Note a list for the writes that are being sent."""
        vanished = [*_vanished(before, listed)]
        for key, group in self._sent.items():
            now = listed.get(key)
            for sent in group:
                sent.deleted.update(vanished)
                if now is not None:
                    metadata = _metadata(now)
                    sent.note(metadata.uid, version_number(metadata.resource_version))

    # ---- own writes ---------------------------------------------------------------------------

    def sending(self, namespace: str, key: str) -> SentWrite | None:
        """Note that a write is being sent; `over` ends that.

        Args:
            namespace: The namespace of the object; empty if it has none.
            key: The key of the object; empty if it is not known yet.

        Returns:
            None if the namespace is not watched.
        """
        scope = self._scope_of(namespace)
        if scope is None:
            return None
        watched = self._watched(key) if key else None
        known = None
        if watched is not None:
            metadata = _metadata(watched)
            known = (metadata.uid, version_number(metadata.resource_version))
        sent = SentWrite(scope, key, self._sequence, version_number(scope.version), known)
        if known is not None:
            sent.note(*known)
            sent.before.add(known[0])
        overlay = self._overlays.get(key)
        if overlay is not None:
            sent.before |= overlay.pending | overlay.earlier
            sent.note(overlay.uid, overlay.version)
        self._sent.setdefault(key, set()).add(sent)
        return sent

    def over(self, sent: SentWrite) -> None:
        """Note that a write has ended, with or without an answer."""
        group = self._sent.get(sent.key, set())
        group.discard(sent)
        if not group:
            self._sent.pop(sent.key, None)

    def wrote(
        self,
        sent: SentWrite,
        obj: T,
        now: float,
        *,
        selected: bool | None = True,
        is_create: bool = False,
    ) -> None:
        """Show the object in the answer to a write.

        Args:
            sent: What was known when it was sent.
            obj: The object, as it is to be stored.
            now: The time.
            selected: Whether the selectors select it; None if that cannot be told.
            is_create: Whether it is a new object.
        """
        key, metadata = meta_namespace_key(obj), _metadata(obj)
        scope = self._scope_of(metadata.namespace)
        if scope is None or scope is not sent.scope:  # its namespace was removed meanwhile
            return
        version = version_number(metadata.resource_version)
        progress = version_number(scope.version)
        if version is None or (scope.version and progress is None):
            self._forget(key)
            return
        overlay = self._overlays.get(key)
        went_back = _went_back(sent, metadata.uid, version, selected, is_create) or (
            overlay is not None and overlay.pinned
        )
        scope.written = version if went_back else max(scope.written, version)
        for other in self._sent.get(key, ()):
            if other is not sent:
                other.note(metadata.uid, version)
                other.written.add(metadata.uid)
        if is_create and not went_back:
            self._bound(scope, sent, version)
        shown = self.indexer.stored.get(key) if overlay is None else overlay.shown()
        own = obj if selected or (selected is None and shown is not None) else None
        if overlay is not None and _is_later(overlay, sent, metadata.uid, version):
            if not went_back:
                self._put_below(key, overlay, own, metadata.uid, version)
            return
        if not went_back and progress is not None and version <= progress:
            if overlay is not None and (overlay.is_gone or sent.sequence >= overlay.sequence):
                self._drop(key, overlay)  # it was made again, or the server was set back
            return
        made = self._enter(key, scope, metadata.uid, now)
        made.version = made.own_version = version
        made.own, made.pinned = own, went_back
        self._wait_for(key, made)

    def wrote_part(
        self, key: str, uid: str, version: str, change: Callable[[T], T], now: float
    ) -> None:
        """Show a part of an object, such as its scale.

        `change` returns a copy with the part. The copy keeps its older resource version, so that
        an update that is based on it is refused.
        """
        number, overlay = version_number(version), self._overlays.get(key)
        shown = self.indexer.stored.get(key) if overlay is None else overlay.shown()
        if number is None or shown is None or _metadata(shown).uid != uid:
            return
        scope = self._scope_of(_metadata(shown).namespace)
        progress = None if scope is None else version_number(scope.version)
        if scope is None or progress is None or number <= progress:
            return
        if overlay is None:
            overlay = self._enter(key, scope, uid, now)
        elif overlay.version is None or number <= (overlay.own_version or 0):
            return
        else:
            overlay.sequence = self._next()
        overlay.version = max(overlay.version or 0, number)
        overlay.changes.append((number, uid, change))
        overlay.changes.sort(key=lambda each: each[0])
        self._wait_for(key, overlay)

    def _put_below(
        self, key: str, overlay: _Overlay[T], own: T | None, uid: str, version: int
    ) -> None:
        """Note the object of a write that was answered after a later write."""
        if overlay.is_gone:
            if uid in overlay.pending:
                overlay.seen = max(overlay.seen or 0, version)
            return
        progress = version_number(overlay.scope.version) or 0
        is_newer = version > max(overlay.own_version or 0, progress)
        if overlay.changes and overlay.uid == uid and is_newer:  # the later one told of a part only
            overlay.own, overlay.own_version = own, version
            overlay.changes = [each for each in overlay.changes if each[0] > version]
            self._show(key, overlay.shown())

    def deleted(
        self,
        sent: SentWrite,
        key: str,
        namespace: str,
        uid: str,
        now: float,
        *,
        version: int | None = None,
    ) -> None:
        """Hide a deleted object. Without a uid, it is the one that was known.

        Args:
            sent: What was known when the deletion was sent.
            key: The key of the object.
            namespace: Its namespace; empty if it has none.
            uid: Its uid, if the answer has one.
            now: The time.
            version: A version at which it existed, if the answer has one.
        """
        uid = uid or (sent.known[0] if sent.known else "")
        scope, overlay = self._scope_of(namespace), self._overlays.get(key)
        if scope is None or scope is not sent.scope or not uid:
            return
        sent.note(uid, version)
        if self._is_known_gone(sent, key, uid):
            return
        if self._is_followed(sent, key, uid):
            if overlay is not None:
                overlay.earlier |= {uid}
            return
        if overlay is not None and overlay.is_gone and _is_unordered(overlay, sent, uid):
            overlay.sequence, overlay.at, overlay.bound = self._next(), now, None
            overlay.pending.add(uid)
            overlay.unseen.add(uid)
        else:
            overlay = self._enter(key, scope, uid, now)
            overlay.seen = sent.alive.get(uid)
        if uid in sent.deleted:
            overlay.unseen.discard(uid)
        overlay.earlier |= sent.before - overlay.pending
        overlay.floor = max(overlay.floor, sent.floor, sent.progress or 0)
        scope.unbounded[key] = overlay.sequence
        self._show(key, None)

    def _is_known_gone(self, sent: SentWrite, key: str, uid: str) -> bool:
        """Tell whether the watch has delivered a deletion before its answer came.

        With selectors, it delivers a deletion of an object that is there but not selected.
        """
        if uid not in sent.deleted or not self._is_selective:
            return uid in sent.deleted
        watched = self._watched(key)
        return watched is not None and _metadata(watched).uid != uid

    def _is_followed(self, sent: SentWrite, key: str, uid: str) -> bool:
        """Tell whether the name has an object that was created after the deleted one.

        Objects of one name exist one after the other: a version of each tells which is the later
        one. What was known before the deletion was sent is the earlier one. Otherwise, an object
        that the program has written since is taken for the later one.
        """
        overlay, watched = self._overlays.get(key), self._watched(key)
        if overlay is not None:
            other, version = overlay.uid, overlay.seen if overlay.is_gone else overlay.version
            is_own = overlay.sequence > sent.sequence and not overlay.is_gone
            if uid in overlay.earlier:
                return True
        elif watched is not None:
            other = _metadata(watched).uid
            version = version_number(_metadata(watched).resource_version)
            is_own = other in sent.written
        else:
            return False
        if other == uid or sent.is_after(other, version):
            return False
        alive = sent.alive.get(uid)
        return is_own if alive is None or version is None else version > alive

    def _bound(self, scope: _Scope, created: SentWrite, version: int) -> None:
        """Note that the deletions that were answered before a create was sent are older than it."""
        for key, sequence in [*scope.unbounded.items()]:
            if sequence > created.sequence:
                break
            del scope.unbounded[key]
            overlay = self._overlays.get(key)
            if overlay is not None and overlay.sequence == sequence:
                overlay.bound = version
                self._push(key, overlay, version)

    def _enter(self, key: str, scope: _Scope, uid: str, now: float) -> _Overlay[T]:
        """Make a new overlay, the youngest of all."""
        watched = self._watched(key)
        before = self._overlays.pop(key, None)
        self._revealed.pop(key, None)
        overlay = self._overlays[key] = _Overlay[T](scope, self._next(), now, uid, watched)
        if before is not None:
            overlay.floor = max(before.floor, before.version or 0)
            overlay.earlier = (before.earlier | before.pending) - {uid}
        scope.unbounded.pop(key, None)
        if len(self._overlays) > MAX_OVERLAYS:
            oldest = next(iter(self._overlays))
            self._drop(oldest, self._overlays[oldest])
        return overlay

    def _next(self) -> int:
        self._sequence += 1
        return self._sequence

    def _wait_for(self, key: str, overlay: _Overlay[T]) -> None:
        """Wait until the watch passes the version of an overlay."""
        assert overlay.version is not None
        self._push(key, overlay, overlay.version)
        self._show(key, overlay.shown())

    def _push(self, key: str, overlay: _Overlay[T], version: int) -> None:
        heap = overlay.scope.by_version
        heappush(heap, (version, overlay.sequence, key))
        if len(heap) > 2 * len(self._overlays) + _MAX_STALE_BOUNDS:
            live = {(each.sequence, name) for name, each in self._overlays.items()}
            heap[:] = [each for each in heap if each[1:] in live]
            heapify(heap)

    # ---- the shown state ----------------------------------------------------------------------

    def _scope_of(self, namespace: str) -> _Scope | None:
        return self._scopes.get(namespace if self._is_scoped else "")

    def _show(self, key: str, obj: T | None) -> None:
        """Show this object to readers. Before the first list, they get nothing."""
        if not self.indexer.populated or self.indexer.stored.get(key) is obj:
            return
        if obj is None:
            self.indexer.remove(key)
        else:
            self.indexer.upsert(obj)

    def _forget(self, key: str) -> None:
        overlay = self._overlays.get(key)
        if overlay is not None:
            self._drop(key, overlay)

    def _drop(self, key: str, overlay: _Overlay[T]) -> None:
        """Show the watched state of an object, though no event for it has come."""
        del self._overlays[key]
        stored = self.indexer.stored.get(key)
        self._show(key, overlay.watched)
        self._reveal(key, overlay.watched, overlay.watched, stored)

    def _drop_all(self, scope: _Scope) -> None:
        for key, overlay in [*self._overlays.items()]:
            if overlay.scope is scope:
                self._drop(key, overlay)

    def _drop_old(self, scope: _Scope, now: float) -> None:
        """Drop overlays whose versions the watch seems never to reach."""
        oldest = next(iter(self._overlays.values()), None)
        if (
            oldest is None
            or now - oldest.at <= _MAX_REPLACED_OVERLAY_SECONDS
            or now < scope.look_at
        ):
            return
        scope.look_at = now + _DROP_INTERVAL_SECONDS
        for key, overlay in [*self._overlays.items()]:
            if overlay.scope is scope and self._is_old(overlay, now - overlay.at):
                self._drop(key, overlay)

    def _is_old(self, overlay: _Overlay[T], age: float) -> bool:
        if age > MAX_OVERLAY_SECONDS or (overlay.pinned and age > MAX_UNSURE_OVERLAY_SECONDS):
            return True
        if overlay.is_sure:
            return False
        return (overlay.is_replaced and age > _MAX_REPLACED_OVERLAY_SECONDS) or (
            overlay.is_ended and age > MAX_UNSURE_OVERLAY_SECONDS
        )

    def _reveal(self, key: str, told: T | None, now: T | None, shown: T | None) -> None:
        """Notify handlers again of an object that readers see from now on.

        That is needed if readers saw another state until now, and no event tells of the change. A
        controller may have relied on an object that only readers saw: if it got no deletion, it
        would not create the object again.
        """
        if now is None:
            if told is None and shown is not None:
                self._lost.append(shown)
        elif _is_same(told, now) and not _is_same(shown, now):
            self._revealed[key] = now


def _is_later(overlay: _Overlay[Any], sent: SentWrite, uid: str, version: int) -> bool:
    """Tell whether an overlay is of a later write than the one that is answered now.

    Writes may overlap. A write that was sent after the overlay was made is the later one, even if
    its version is lower: then the server was set back.
    """
    if sent.sequence >= overlay.sequence:
        return False
    return overlay.is_older(uid, version) if overlay.version is None else overlay.version >= version


def _is_unordered(overlay: _Overlay[Any], sent: SentWrite, uid: str) -> bool:
    """Tell whether the order of two deleted objects is not known."""
    if overlay.sequence <= sent.sequence or uid in overlay.pending:
        return False
    is_known = sent.alive.get(uid) is not None and overlay.seen is not None
    return not is_known and not sent.is_after(overlay.uid, overlay.seen)


def _went_back(
    sent: SentWrite, uid: str, version: int, selected: bool | None, is_create: bool
) -> bool:
    """Tell whether the server was set back, for example restored from a backup.

    A write gets a version that is higher than all that the watch had delivered before it was sent.
    Only a write that changed nothing has a lower one: then the cache had exactly this state.
    """
    if sent.progress is None or version > sent.progress:
        return False
    known = sent.known
    if is_create:
        return True
    if selected is None:
        return known is not None and known[0] == uid and (known[1] or 0) > version
    return known != (uid, version) if selected else known is not None


def _vanished(before: Mapping[str, Any], listed: Mapping[str, Any]) -> Iterable[str]:
    """Return the uids of objects that a list no longer has."""
    for key, obj in before.items():
        uid, now = _metadata(obj).uid, listed.get(key)
        if now is None or _metadata(now).uid != uid:
            yield uid


def _put(objects: dict[str, T], key: str, obj: T | None) -> None:
    if obj is None:
        objects.pop(key, None)
    else:
        objects[key] = obj


def _is_same(one: Any, other: Any) -> bool:
    """Tell whether two objects are the same state of the same object."""
    if one is None or other is None:
        return one is other
    first, second = _metadata(one), _metadata(other)
    return first.uid == second.uid and first.resource_version == second.resource_version


def _metadata(obj: Any) -> ObjectMeta:
    metadata: ObjectMeta = obj.metadata
    return metadata
