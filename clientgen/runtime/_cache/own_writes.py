"""Shows the program's own writes in a cache before the watch delivers them.

A cache has two states. The *watched* state is what the watch has delivered; handlers get only this
state. The *shown* state is what readers get: the watched state, with the program's own writes on
top that the watch has not delivered yet. An object whose states differ has an overlay.

Resource versions of one collection can be compared as numbers (KEP-5504, GA in Kubernetes 1.35;
the versions of older servers are numbers of etcd and behave alike). So:

- A response whose version the watch has already passed changes nothing.
- Events that are older than the write go to handlers, but do not change the shown state.
- The overlay is dropped when the watch passes the version of the write.

The response to a deletion often has no version, but has a uid. The object is hidden until the watch
delivers the deletion of this uid. A watch with selectors may never deliver this deletion. Then the
next object that the program creates gives a bound: its version is higher than the version of the
deletion, if the create was sent after the response to the deletion. (Other writes give no bound,
because a write that changes nothing returns an old version.)

A list of the latest state that was requested after the response to the write shows the effect of
the write, so the overlay is dropped. This also covers a server that was restored from a backup.

This module makes decisions only; callers hold the lock of the cache.
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
    as_fill,
    differences,
)
from .fill import Fill
from .keys import meta_namespace_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from .._models.meta_v1 import ObjectMeta
    from .indexer import Indexer

T = TypeVar("T")

MAX_OVERLAYS = 10_000
"""The maximum number of overlays of an informer. Above it, the oldest ones are dropped."""

MAX_OVERLAY_SECONDS = 600.0
"""The maximum age of an overlay while a watch delivers events."""

MAX_UNSURE_OVERLAY_SECONDS = 60.0
"""The maximum age of an overlay that may never end, because the watch has selectors."""

# The maximum age of an overlay that may never end, if it hides an object that was probably created
# later.
_MAX_REPLACED_OVERLAY_SECONDS = 10.0
# The interval of searches for old overlays.
_DROP_INTERVAL_SECONDS = 1.0
# Versions of KEP-5504 fit into 128 bits.
_MAX_VERSION_DIGITS = 39
# Bounds of dropped overlays stay in the heap for a while. They are removed when the heap has this
# many entries more than twice the number of overlays.
_MAX_STALE_BOUNDS = 64


def version_number(text: str) -> int | None:
    """Return a resource version as a number; None if it cannot be compared."""
    is_number = text.isascii() and text.isdigit() and len(text) <= _MAX_VERSION_DIGITS
    return int(text) if is_number and text[0] != "0" else None


class SentWrite:
    """A write that was sent: what was known about the object then, and what has happened since."""

    __slots__ = (
        "deleted_uids",
        "floor",
        "key",
        "known",
        "known_uids",
        "last_versions",
        "progress",
        "scope",
        "sequence",
        "written_uids",
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
        self.floor = scope.highest_written
        """The highest version in responses to own writes when the write was sent."""
        self.deleted_uids: set[str] = set()
        """The uids of the deletions that the watch has delivered since the write was sent."""
        self.written_uids: set[str] = set()
        """The uids in responses to other own writes since the write was sent."""
        self.last_versions: dict[str, int] = {}
        """By uid: the highest version at which an object of this name is known to have existed."""
        self.known_uids: set[str] = set()
        """The uids of objects of this name that were known when the write was sent."""

    def note_version(self, uid: str, version: int | None) -> None:
        """Note a version at which an object of this name existed."""
        if version is not None:
            self.last_versions[uid] = max(self.last_versions.get(uid, 0), version)

    def is_after(self, uid: str, version: int | None) -> bool:
        """Return whether the write was sent after an object became known."""
        if uid in self.known_uids:
            return True
        return version is not None and version <= max(self.floor, self.progress or 0)


class _Scope:
    """The collection of one reflector: one namespace, or all namespaces."""

    __slots__ = (
        "by_version",
        "highest_written",
        "is_latest",
        "is_read",
        "next_drop",
        "read_sequence",
        "unbounded_deletions",
        "version",
    )

    def __init__(self) -> None:
        # The watch has delivered everything up to this resource version.
        self.version = ""
        self.is_read = False
        # Whether the last list was the latest state, and the sequence when it was requested.
        self.is_latest = False
        self.read_sequence = 0
        # The highest version in responses to own writes.
        self.highest_written = 0
        # A heap of the overlays that end at a version: version, sequence, key.
        self.by_version: list[tuple[int, int, str]] = []
        # The time of the next search for old overlays.
        self.next_drop = 0.0
        # The sequences of the deletions without a bound, by key.
        self.unbounded_deletions: dict[str, int] = {}


class _Overlay(Generic[T]):
    """An object whose shown state differs from the watched state."""

    __slots__ = (
        "bound",
        "changes",
        "created_at",
        "deleted_uids",
        "earlier_uids",
        "floor",
        "is_ended",
        "is_pinned",
        "own",
        "own_version",
        "scope",
        "seen_version",
        "sequence",
        "uid",
        "unseen_uids",
        "version",
        "watched",
    )

    def __init__(
        self, scope: _Scope, sequence: int, created_at: float, uid: str, watched: T | None
    ) -> None:
        self.scope = scope
        self.sequence = sequence
        self.created_at = created_at
        self.uid = uid
        self.watched = watched
        # The version of the last write; None if the object was deleted at an unknown version.
        self.version: int | None = None
        # Whether the server was restored from a backup. Then only an event of the object ends the
        # overlay.
        self.is_pinned = False
        self.own: T | None = None
        # None after the watch has delivered a newer state.
        self.own_version: int | None = None
        # A version at which a deleted object existed.
        self.seen_version: int | None = None
        # The uids of deleted objects. There are several if deletions overlapped and the order of
        # the objects is not known.
        self.deleted_uids = {uid}
        # The deleted objects of which the watch has not delivered an event.
        self.unseen_uids = set[str]() if watched and _metadata(watched).uid == uid else {uid}
        # Whether the watch delivered a deletion that selectors may have caused.
        self.is_ended = False
        # Changes of parts of the object: the version of the write, the uid, and the change.
        self.changes: list[tuple[int, str, Callable[[T], T]]] = []
        # A version that is newer than the deletion.
        self.bound: int | None = None
        # A version that is older than the write.
        self.floor = 0
        # The uids of earlier objects of this name. They are deleted, too.
        self.earlier_uids: frozenset[str] = frozenset()

    @property
    def is_gone(self) -> bool:
        """Whether the object was deleted, and the overlay waits for its deletion event."""
        return self.version is None

    @property
    def is_seen(self) -> bool:
        """Whether the watch has delivered an event of each deleted object."""
        return not self.unseen_uids

    @property
    def is_sure(self) -> bool:
        """Whether the overlay certainly ends, because the watch will pass a version."""
        return (self.version is not None or self.bound is not None) and not self.is_pinned

    @property
    def is_replaced(self) -> bool:
        """Whether the watch has delivered another object of this name, perhaps a later one."""
        if self.watched is None:
            return False
        metadata = _metadata(self.watched)
        version = version_number(metadata.resource_version)
        is_other = metadata.uid not in self.deleted_uids and metadata.uid not in self.earlier_uids
        return is_other and version is not None and version > self.floor

    def shown(self) -> T | None:
        """Return the object that readers get."""
        if self.is_gone:
            return None
        obj = self.watched if self.own_version is None else self.own
        for _, uid, change in self.changes:
            if obj is not None and _metadata(obj).uid == uid:
                obj = change(obj)
        return obj

    def is_past(self, event_type: str, uid: str, version: int | None, *, selective: bool) -> bool:
        """Return whether an event of the object is at least as new as the write."""
        if version is None:
            return True
        bound = self.bound if self.is_gone else self.version
        if bound is not None and version >= bound:
            return True
        if not self.is_gone or uid in self.earlier_uids:
            return False
        if uid not in self.deleted_uids:
            return self.is_seen  # then this object was created after the deletion of the other
        self.unseen_uids.discard(uid)
        # A watch with selectors also delivers a deletion when an object is not selected any more.
        self.is_ended = event_type == "DELETED"
        if not self.is_ended or selective:
            return False
        self.deleted_uids.discard(uid)
        return not self.deleted_uids

    def is_older(self, uid: str, version: int) -> bool:
        """Return whether the object in a response is older than the deletion.

        The write and the deletion overlapped. Objects with the same name exist one after another.
        If the order of two objects is not known, the deleted object is assumed to be the earlier
        one.
        """
        if uid in self.deleted_uids or uid in self.earlier_uids or version <= self.floor:
            return True
        return self.seen_version is not None and version < self.seen_version

    def note_watched(self, obj: T | None, version: int | None) -> None:
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
        indexer: The store of the shown state.
        namespaces: The namespaces with their own watches; empty if one watch has all namespaces.
        selective: Whether the informer has selectors.
        changing: Whether namespaces are added and removed. Then `namespaces` may be empty.
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
        # The writes that are being sent, by key. Creates without a name have the key "".
        self._sent: dict[str, set[SentWrite]] = {}
        # Counts overlays, to compare the order of overlays with the order of writes.
        self._sequence = 0
        # Objects that became visible to readers without an event, and objects that only readers
        # have seen: see `take_revealed`.
        self._revealed: dict[str, T] = {}
        self._lost: list[T] = []

    def __len__(self) -> int:
        """Return the number of objects whose shown state differs from the watched state."""
        return len(self._overlays)

    # ---- the watched state --------------------------------------------------------------------

    def watched(self) -> list[T]:
        """Return the objects of the watched state, as handlers know them."""
        return [*self._watched_objects().values()]

    def resync(self) -> list[Updated[T]]:
        """Return a notification for every object that handlers know."""
        return apply_resync(self.watched())

    def take_revealed(self) -> list[Notification[T]]:
        """Return notifications about objects that readers and handlers saw at different times.

        Handlers get an object again if an overlay hid it from readers at its last notification, and
        the overlay was dropped without an event. Handlers get an addition and a deletion of an
        object that readers have seen and the watch never delivered.
        """
        revealed, self._revealed = self._revealed, {}
        lost, self._lost = self._lost, []
        of_lost = [each for obj in lost for each in (Added(obj), Deleted(obj))]
        return [*of_lost, *(Updated(obj, obj) for obj in revealed.values())]

    def begin_read(self, namespace: str | None, *, latest: bool) -> None:
        """Note that a list is being requested, and whether it is the latest state."""
        scope = self._scopes[namespace or ""]
        scope.read_sequence, scope.is_latest = self._sequence, latest

    def needs_latest(self, namespace: str | None) -> bool:
        """Return whether the next list must be the latest state, to end unbounded overlays."""
        scope = self._scopes[namespace or ""]
        return any(not each.is_sure for each in self._overlays.values() if each.scope is scope)

    def has_read(self, namespace: str | None) -> bool:
        """Return whether a collection has been read."""
        return self._scopes[namespace or ""].is_read

    def version_of(self, namespace: str | None) -> str:
        """Return the version up to which the cache has the changes of a collection."""
        return self._scopes[namespace or ""].version

    def add_namespace(self, namespace: str) -> None:
        """Watch one more namespace."""
        self._scopes[namespace] = _Scope()

    def remove_namespace(self, namespace: str) -> list[T]:
        """Forget a namespace, its objects and own writes. Handlers are not notified.

        Returns:
            The objects that handlers know.
        """
        scope, before = self._scopes[namespace], self._watched_objects()
        forgotten = [obj for obj in before.values() if _metadata(obj).namespace == namespace]
        for key in [key for key, overlay in self._overlays.items() if overlay.scope is scope]:
            del self._overlays[key]
        for sent in [sent for group in self._sent.values() for sent in group]:
            if sent.scope is scope:
                self.end_write(sent)
        for key, obj in [*self._revealed.items()]:
            if _metadata(obj).namespace == namespace:
                del self._revealed[key]
        self._lost = [obj for obj in self._lost if _metadata(obj).namespace != namespace]
        del self._scopes[namespace]
        stored = self.indexer.stored
        kept = {key: obj for key, obj in stored.items() if _metadata(obj).namespace != namespace}
        self._keep(kept)
        return forgotten

    def forget(self, is_kept: Callable[[str], bool]) -> list[T]:
        """Forget the objects for whose uid `is_kept` returns false. Handlers are not notified.

        Returns:
            The objects that handlers know.
        """

        def stays(obj: T) -> bool:
            return is_kept(_metadata(obj).uid)

        forgotten = [obj for obj in self._watched_objects().values() if not stays(obj)]
        kept = {key: obj for key, obj in self.indexer.stored.items() if stays(obj)}
        for key, overlay in [*self._overlays.items()]:
            # An overlay may be of another object than the watched one, which had the same name.
            if overlay.watched is not None and not stays(overlay.watched):
                overlay.watched = None
            if is_kept(overlay.uid):
                continue
            if overlay.watched is None or overlay.is_gone:
                del self._overlays[key]
                _put(kept, key, overlay.watched)
            else:  # it goes on hiding the watched object, which the program has deleted
                overlay.own, overlay.changes = None, []
        for key in [key for key, obj in self._revealed.items() if not stays(obj)]:
            del self._revealed[key]
        self._lost = [obj for obj in self._lost if stays(obj)]
        self._keep(kept)
        return forgotten

    def _keep(self, entries: dict[str, T]) -> None:
        """Drop all entries of the cache but these, which are watched or shown."""
        if entries != self.indexer.stored:
            fill: Fill[T] = Fill()
            fill.put_unchanged(entries)
            self.indexer.swap(fill, self.indexer.resource_version)

    def fill_empty(self) -> None:
        """Note that no namespace is watched, so that the cache is empty."""
        if not self.indexer.populated:
            self.indexer.swap(Fill(), "")

    def apply_event(self, event_type: str, obj: T) -> Notification[T] | None:
        """Apply a watch event, and return the notification as `deltas.apply_event` does."""
        if event_type == "BOOKMARK" or not (self._overlays or self._sent):
            return apply_event(self.indexer, event_type, obj)
        key, metadata = meta_namespace_key(obj), _metadata(obj)
        version = version_number(metadata.resource_version)
        self._note_event(event_type, key, metadata.uid, version)
        overlay = self._overlays.get(key)
        if overlay is None:
            return apply_event(self.indexer, event_type, obj)
        old = overlay.watched
        overlay.note_watched(None if event_type == "DELETED" else obj, version)
        if overlay.is_past(event_type, metadata.uid, version, selective=self._is_selective):
            del self._overlays[key]
            self._show(key, overlay.watched)
        else:
            self._show(key, overlay.shown())
        self.indexer.advance(metadata.resource_version)
        if event_type == "DELETED":
            return None if old is None else Deleted(obj)
        return Added(obj) if old is None else Updated(old, obj)

    def note_progress(self, namespace: str | None, version: str, now: float) -> None:
        """Note that the watch of a collection has delivered everything up to a version."""
        scope = self._scopes[namespace or ""]
        if not version:
            return
        before, scope.version = scope.version, version
        if not self._overlays:
            return
        number, previous = version_number(version), version_number(before)
        if number is None or (previous is not None and number < previous):
            self._drop_all(scope)  # the versions cannot be compared
            return
        heap = scope.by_version
        while heap and heap[0][0] <= number:
            _, sequence, key = heappop(heap)
            overlay = self._overlays.get(key)
            if overlay is not None and overlay.sequence == sequence and not overlay.is_pinned:
                self._drop(key, overlay)
        self._drop_old(scope, now)

    def replace(
        self, namespace: str | None, objects: Iterable[T] | Fill[T], version: str
    ) -> list[Notification[T]]:
        """Replace a collection by a list, and return notifications as `deltas.apply_replace`."""
        scope = self._scopes[namespace or ""]
        is_initial = not scope.is_read
        scope.is_read, scope.version = True, version
        is_only = len(self._scopes) == 1 and is_initial != self.indexer.populated
        if is_only and not (self._overlays or self._sent):
            return apply_replace(self.indexer, objects, version)
        before, fill = self._watched_objects(), as_fill(objects)
        if len(self._scopes) > 1:
            fill.put_unchanged(self._objects_outside(before, scope))
        listed = fill.entries
        if self._sent:
            self._note_list(before, listed)
        notifications = differences(before, fill, is_initial=is_initial)
        settled = self._settle_overlays(scope, fill, version_number(version))
        stored = self.indexer.swap(fill, version)
        for key in settled:
            self._reveal(key, before.get(key), listed.get(key), stored.get(key))
        return notifications

    def _settle_overlays(self, scope: _Scope, fill: Fill[T], number: int | None) -> set[str]:
        """Drop the overlays that a list ends, and return their keys. Put the others on top."""
        listed, settled = fill.entries, set[str]()
        for key, overlay in [*self._overlays.items()]:
            if overlay.scope is scope and self._is_settled(overlay, listed.get(key), number):
                del self._overlays[key]
                settled.add(key)
                continue
            if overlay.scope is scope:
                overlay.note_watched(listed.get(key), number)
            shown = overlay.shown()
            if shown is None:
                fill.discard(key)
            else:
                fill.put(key, shown)
        return settled

    def _is_settled(self, overlay: _Overlay[T], listed: T | None, number: int | None) -> bool:
        """Return whether a list is at least as new as the write of an overlay."""
        scope = overlay.scope
        if number is None or (scope.is_latest and overlay.sequence <= scope.read_sequence):
            return True
        limit = overlay.bound if overlay.version is None else overlay.version
        if limit is not None and number >= limit:
            return True
        if overlay.version is not None:
            return False
        if listed is not None:
            return overlay.is_seen and _metadata(listed).uid not in overlay.deleted_uids
        if self._is_selective or overlay.seen_version is None or len(overlay.deleted_uids) > 1:
            return False
        return number >= overlay.seen_version

    def _objects_outside(self, before: Mapping[str, T], scope: _Scope) -> dict[str, T]:
        """Return the objects of the other namespaces, which a list does not change."""
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

    def unchanged(self, key: str, item: Any) -> T | None:
        """Return the watched entry of an item that a list repeats; None if the item is new.

        The item has the uid and the resource version of the entry.
        """
        entry, metadata = self._watched(key), _metadata(item)
        if entry is None or not metadata.resource_version:
            return None
        known = _metadata(entry)
        same_version = known.resource_version == metadata.resource_version
        return entry if same_version and known.uid == metadata.uid else None

    def _watched(self, key: str) -> T | None:
        overlay = self._overlays.get(key)
        return self.indexer.stored.get(key) if overlay is None else overlay.watched

    def _note_event(self, event_type: str, key: str, uid: str, version: int | None) -> None:
        """Note an event in the writes that are being sent."""
        if event_type != "DELETED":
            for sent in self._sent.get(key, ()):
                sent.note_version(uid, version)
            return
        for name in (key, ""):
            for sent in self._sent.get(name, ()):
                sent.deleted_uids.add(uid)

    def _note_list(self, before: Mapping[str, T], listed: Mapping[str, T]) -> None:
        """Note a list in the writes that are being sent."""
        deleted_uids = [*_deleted_uids(before, listed)]
        for key, group in self._sent.items():
            obj = listed.get(key)
            for sent in group:
                sent.deleted_uids.update(deleted_uids)
                if obj is not None:
                    metadata = _metadata(obj)
                    sent.note_version(metadata.uid, version_number(metadata.resource_version))

    # ---- own writes ---------------------------------------------------------------------------

    def begin_write(self, namespace: str, key: str) -> SentWrite | None:
        """Note that a write is being sent. Call `end_write` after it.

        Args:
            namespace: The namespace of the object; empty for cluster-scoped objects.
            key: The key of the object; empty if the server chooses the name.

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
            sent.note_version(*known)
            sent.known_uids.add(known[0])
        overlay = self._overlays.get(key)
        if overlay is not None:
            sent.known_uids |= overlay.deleted_uids | overlay.earlier_uids
            sent.note_version(overlay.uid, overlay.version)
        self._sent.setdefault(key, set()).add(sent)
        return sent

    def end_write(self, sent: SentWrite) -> None:
        """Note that a write has ended, with or without a response."""
        group = self._sent.get(sent.key, set())
        group.discard(sent)
        if not group:
            self._sent.pop(sent.key, None)

    def show_written(
        self,
        sent: SentWrite,
        obj: T,
        now: float,
        *,
        selected: bool | None = True,
        is_create: bool = False,
    ) -> None:
        """Show the object in the response to a write.

        Args:
            sent: The write.
            obj: The object in the response, as an entry of the store.
            now: The time.
            selected: Whether the selectors select the object; None if that is unknown.
            is_create: Whether the write has created the object.
        """
        key, metadata = meta_namespace_key(obj), _metadata(obj)
        scope = self._scope_of(metadata.namespace)
        if scope is None or scope is not sent.scope:  # the namespace was removed meanwhile
            return
        version = version_number(metadata.resource_version)
        progress = version_number(scope.version)
        if version is None or (scope.version and progress is None):
            self._drop_overlay_of(key)
            return
        overlay = self._overlays.get(key)
        is_restored = _is_restored(sent, metadata.uid, version, selected, is_create) or (
            overlay is not None and overlay.is_pinned
        )
        scope.highest_written = version if is_restored else max(scope.highest_written, version)
        for other in self._sent.get(key, ()):
            if other is not sent:
                other.note_version(metadata.uid, version)
                other.written_uids.add(metadata.uid)
        if is_create and not is_restored:
            self._bound_deletions(scope, sent, version)
        shown = self.indexer.stored.get(key) if overlay is None else overlay.shown()
        own = obj if selected or (selected is None and shown is not None) else None
        if overlay is not None and _is_later(overlay, sent, metadata.uid, version):
            if not is_restored:
                self._note_earlier_write(key, overlay, own, metadata.uid, version)
            return
        if not is_restored and progress is not None and version <= progress:
            if overlay is not None and (overlay.is_gone or sent.sequence >= overlay.sequence):
                # The object was created again, or the server was restored from a backup.
                self._drop(key, overlay)
            return
        added = self._add_overlay(key, scope, metadata.uid, now)
        added.version = added.own_version = version
        added.own, added.is_pinned = own, is_restored
        self._wait_for_version(key, added)

    def show_written_part(
        self, key: str, uid: str, version: str, change: Callable[[T], T], now: float
    ) -> None:
        """Show a written part of an object, such as its scale.

        `change` returns a copy of the object with the part. The copy keeps its older resource
        version, so that the server refuses an update that is based on the copy.
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
            overlay = self._add_overlay(key, scope, uid, now)
        elif overlay.version is None or number <= (overlay.own_version or 0):
            return
        else:
            overlay.sequence = self._next_sequence()
        overlay.version = max(overlay.version or 0, number)
        overlay.changes.append((number, uid, change))
        overlay.changes.sort(key=lambda each: each[0])
        self._wait_for_version(key, overlay)

    def _note_earlier_write(
        self, key: str, overlay: _Overlay[T], own: T | None, uid: str, version: int
    ) -> None:
        """Note the object of a write whose response came after the response to a later write."""
        if overlay.is_gone:
            if uid in overlay.deleted_uids:
                overlay.seen_version = max(overlay.seen_version or 0, version)
            return
        progress = version_number(overlay.scope.version) or 0
        is_newer = version > max(overlay.own_version or 0, progress)
        if (
            overlay.changes and overlay.uid == uid and is_newer
        ):  # the later response contained only a part
            overlay.own, overlay.own_version = own, version
            overlay.changes = [each for each in overlay.changes if each[0] > version]
            self._show(key, overlay.shown())

    def hide_deleted(
        self,
        sent: SentWrite,
        key: str,
        namespace: str,
        uid: str,
        now: float,
        *,
        version: int | None = None,
    ) -> None:
        """Hide a deleted object.

        Args:
            sent: The deletion.
            key: The key of the object.
            namespace: The namespace of the object; empty for cluster-scoped objects.
            uid: The uid in the response. If it is empty, the object is the one that was known when
                the deletion was sent.
            now: The time.
            version: A version at which the object existed, if the response has one.
        """
        uid = uid or (sent.known[0] if sent.known else "")
        scope, overlay = self._scope_of(namespace), self._overlays.get(key)
        if scope is None or scope is not sent.scope or not uid:
            return
        sent.note_version(uid, version)
        if self._is_deletion_watched(sent, key, uid):
            return
        if self._has_successor(sent, key, uid):
            if overlay is not None:
                overlay.earlier_uids |= {uid}
            return
        if overlay is not None and overlay.is_gone and _is_unordered(overlay, sent, uid):
            overlay.sequence, overlay.created_at, overlay.bound = self._next_sequence(), now, None
            overlay.deleted_uids.add(uid)
            overlay.unseen_uids.add(uid)
        else:
            overlay = self._add_overlay(key, scope, uid, now)
            overlay.seen_version = sent.last_versions.get(uid)
        if uid in sent.deleted_uids:
            overlay.unseen_uids.discard(uid)
        overlay.earlier_uids |= sent.known_uids - overlay.deleted_uids
        overlay.floor = max(overlay.floor, sent.floor, sent.progress or 0)
        scope.unbounded_deletions[key] = overlay.sequence
        self._show(key, None)

    def _is_deletion_watched(self, sent: SentWrite, key: str, uid: str) -> bool:
        """Return whether the watch delivered the deletion before the response came.

        A watch with selectors also delivers a deletion of an object that still exists, but is not
        selected any more.
        """
        if uid not in sent.deleted_uids or not self._is_selective:
            return uid in sent.deleted_uids
        watched = self._watched(key)
        return watched is not None and _metadata(watched).uid != uid

    def _has_successor(self, sent: SentWrite, key: str, uid: str) -> bool:
        """Return whether the name has an object that was created after the deleted object.

        Objects with the same name exist one after another, so their versions determine the order.
        An object that was known before the deletion was sent is the earlier one. If no versions are
        known, an object that the program has written since is assumed to be the later one.
        """
        overlay, watched = self._overlays.get(key), self._watched(key)
        if overlay is not None:
            other, version = (
                overlay.uid,
                overlay.seen_version if overlay.is_gone else overlay.version,
            )
            is_own = overlay.sequence > sent.sequence and not overlay.is_gone
        elif watched is not None:
            other = _metadata(watched).uid
            version = version_number(_metadata(watched).resource_version)
            is_own = other in sent.written_uids
        else:
            return False
        # A restore of the server's data may bring back an object that was the earlier one.
        if other == uid or sent.is_after(other, version):
            return False
        if overlay is not None and uid in overlay.earlier_uids:
            return True
        last_version = sent.last_versions.get(uid)
        return is_own if last_version is None or version is None else version > last_version

    def _bound_deletions(self, scope: _Scope, created: SentWrite, version: int) -> None:
        """Set the version of a create as the bound of deletions that ended before the create."""
        for key, sequence in [*scope.unbounded_deletions.items()]:
            if sequence > created.sequence:
                break
            del scope.unbounded_deletions[key]
            overlay = self._overlays.get(key)
            if overlay is not None and overlay.sequence == sequence:
                overlay.bound = version
                self._push(key, overlay, version)

    def _add_overlay(self, key: str, scope: _Scope, uid: str, now: float) -> _Overlay[T]:
        """Create an overlay. It is the last in `_overlays`, which are in the order of age."""
        watched = self._watched(key)
        before = self._overlays.pop(key, None)
        self._revealed.pop(key, None)
        overlay = self._overlays[key] = _Overlay[T](scope, self._next_sequence(), now, uid, watched)
        if before is not None:
            overlay.floor = max(before.floor, before.version or 0)
            overlay.earlier_uids = (before.earlier_uids | before.deleted_uids) - {uid}
        scope.unbounded_deletions.pop(key, None)
        if len(self._overlays) > MAX_OVERLAYS:
            oldest = next(iter(self._overlays))
            self._drop(oldest, self._overlays[oldest])
        return overlay

    def _next_sequence(self) -> int:
        self._sequence += 1
        return self._sequence

    def _wait_for_version(self, key: str, overlay: _Overlay[T]) -> None:
        """Show an overlay until the watch passes its version."""
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
        """Show an object to readers; None hides it. Does nothing before the first list."""
        if not self.indexer.populated or self.indexer.stored.get(key) is obj:
            return
        if obj is None:
            self.indexer.remove(key)
        else:
            self.indexer.upsert(obj)

    def _drop_overlay_of(self, key: str) -> None:
        overlay = self._overlays.get(key)
        if overlay is not None:
            self._drop(key, overlay)

    def _drop(self, key: str, overlay: _Overlay[T]) -> None:
        """Drop an overlay without an event: show the watched state of its object."""
        del self._overlays[key]
        stored = self.indexer.stored.get(key)
        self._show(key, overlay.watched)
        self._reveal(key, overlay.watched, overlay.watched, stored)

    def _drop_all(self, scope: _Scope) -> None:
        for key, overlay in [*self._overlays.items()]:
            if overlay.scope is scope:
                self._drop(key, overlay)

    def _drop_old(self, scope: _Scope, now: float) -> None:
        """Drop overlays whose versions the watch does not seem to reach."""
        oldest = next(iter(self._overlays.values()), None)
        if (
            oldest is None
            or now - oldest.created_at <= _MAX_REPLACED_OVERLAY_SECONDS
            or now < scope.next_drop
        ):
            return
        scope.next_drop = now + _DROP_INTERVAL_SECONDS
        for key, overlay in [*self._overlays.items()]:
            if overlay.scope is scope and self._is_old(overlay, now - overlay.created_at):
                self._drop(key, overlay)

    def _is_old(self, overlay: _Overlay[T], age: float) -> bool:
        if age > MAX_OVERLAY_SECONDS or (overlay.is_pinned and age > MAX_UNSURE_OVERLAY_SECONDS):
            return True
        if overlay.is_sure:
            return False
        return (overlay.is_replaced and age > _MAX_REPLACED_OVERLAY_SECONDS) or (
            overlay.is_ended and age > MAX_UNSURE_OVERLAY_SECONDS
        )

    def _reveal(self, key: str, notified: T | None, now: T | None, shown: T | None) -> None:
        """Notify handlers of a change that only readers see, because it has no event.

        A controller may have relied on an object that only readers saw. Without a notification of
        its deletion, the controller would not create the object again.

        Args:
            key: The key of the object.
            notified: The state of the last notification.
            now: The state that readers see from now on.
            shown: The state that readers saw until now.
        """
        if now is None:
            if notified is None and shown is not None:
                self._lost.append(shown)
        elif _is_same(notified, now) and not _is_same(shown, now):
            self._revealed[key] = now


def _is_later(overlay: _Overlay[Any], sent: SentWrite, uid: str, version: int) -> bool:
    """Return whether the write of an overlay is later than the write whose response came now.

    Writes may overlap. A write that was sent after the overlay was created is the later one, even
    if its version is lower: then the server was restored from a backup.
    """
    if sent.sequence >= overlay.sequence:
        return False
    return overlay.is_older(uid, version) if overlay.version is None else overlay.version >= version


def _is_unordered(overlay: _Overlay[Any], sent: SentWrite, uid: str) -> bool:
    """Return whether the order of two deleted objects is not known."""
    if overlay.sequence <= sent.sequence or uid in overlay.deleted_uids:
        return False
    is_known = sent.last_versions.get(uid) is not None and overlay.seen_version is not None
    return not is_known and not sent.is_after(overlay.uid, overlay.seen_version)


def _is_restored(
    sent: SentWrite, uid: str, version: int, selected: bool | None, is_create: bool
) -> bool:
    """Return whether the server was restored from a backup.

    A write gets a version that is higher than all versions that the watch delivered before the
    write was sent. Only a write that changes nothing has a lower version. After such a write, the
    cache has exactly the state in the response.
    """
    if sent.progress is None or version > sent.progress:
        return False
    known = sent.known
    if is_create:
        return True
    if selected is None:
        return known is not None and known[0] == uid and (known[1] or 0) > version
    return known != (uid, version) if selected else known is not None


def _deleted_uids(before: Mapping[str, Any], listed: Mapping[str, Any]) -> Iterable[str]:
    """Yield the uids of objects that a list no longer has."""
    for key, obj in before.items():
        uid, current = _metadata(obj).uid, listed.get(key)
        if current is None or _metadata(current).uid != uid:
            yield uid


def _put(objects: dict[str, T], key: str, obj: T | None) -> None:
    if obj is None:
        objects.pop(key, None)
    else:
        objects[key] = obj


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two values are the same state of the same object."""
    if one is None or other is None:
        return one is other
    first, second = _metadata(one), _metadata(other)
    return first.uid == second.uid and first.resource_version == second.resource_version


def _metadata(obj: Any) -> ObjectMeta:
    metadata: ObjectMeta = obj.metadata
    return metadata
