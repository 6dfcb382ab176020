"""Converts a reflector's deliveries to notifications for handlers.

The rules are those of client-go's shared informers (processDeltas, RealFIFO's ReplacedAll):

- The store decides whether an object is new, not the type of the event: a second ADDED is an
  update.
- The deletion of an object that is not in the store is ignored.
- A relist yields the deletions first, each with the last known object, then updates and additions
  in the order of the list.
- An update whose object has the same resourceVersion as before is a sync: only handlers whose
  resync is due get the sync. A relist keeps such an object, and yields nothing.
- If an object was deleted and another was created under its name between two watches, handlers get
  one update from the old object to the new object, as in client-go. `Updated.is_recreated` is true.

So each key is added, updated any number of times, and deleted, before it is added again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from msgspec import Struct

from .fill import Fill
from .keys import meta_namespace_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .._models.meta_v1 import ObjectMeta
    from .indexer import Indexer

T = TypeVar("T")


class DeletedFinalStateUnknown(Struct, Generic[T], frozen=True, gc=False):
    """An object whose deletion the watch missed. A relist has noticed the deletion.

    `object` is the last state in the cache, which may be out of date; None if there is no state.
    client-go: cache.DeletedFinalStateUnknown.
    """

    key: str
    object: T | None = None


class Added(Struct, Generic[T], frozen=True, gc=False):
    """An object that was not in the cache.

    `is_initial`: whether the first list of the cache contained the object.
    """

    object: T
    is_initial: bool = False


class Updated(Struct, Generic[T], frozen=True, gc=False):
    """An object that was in the cache before. In a sync, its state has not changed."""

    old: T
    new: T

    @property
    def is_sync(self) -> bool:
        """Whether the resource versions are equal, as in resyncs and after relists."""
        return _metadata(self.old).resource_version == _metadata(self.new).resource_version

    @property
    def is_recreated(self) -> bool:
        """Whether `new` is another object of the same name: the watch missed a deletion."""
        return _metadata(self.old).uid != _metadata(self.new).uid


class Deleted(Struct, Generic[T], frozen=True, gc=False):
    """An object that the server no longer has.

    With `final_state_known`, `object` is the final state that the server sent. Otherwise a relist
    has noticed the deletion, and `object` is the last state in the cache. `key` may be empty: then
    it is the key of `object`.
    """

    object: T
    final_state_known: bool = True
    key: str = ""

    @property
    def tombstone(self) -> DeletedFinalStateUnknown[T]:
        """The object in client-go's form, for handlers that treat missed deletions differently."""
        return DeletedFinalStateUnknown(self.key or meta_namespace_key(self.object), self.object)


Notification: TypeAlias = Added[T] | Updated[T] | Deleted[T]
"""A notification for handlers."""


def apply_event(indexer: Indexer[T], event_type: str, obj: T) -> Notification[T] | None:
    """Apply a watch event (ADDED, MODIFIED, DELETED, BOOKMARK) to the store.

    Returns the notification for handlers, or None for a bookmark and for the deletion of an unknown
    object.

    Raises:
        ValueError: the event has another type, such as ERROR, which ends a watch.
    """
    version = _metadata(obj).resource_version
    match event_type:
        case "ADDED" | "MODIFIED":
            old = indexer.upsert(obj, version)
            return Added(obj) if old is None else Updated(old, obj)
        case "DELETED":
            old = indexer.remove(meta_namespace_key(obj), version)
            return None if old is None else Deleted(obj)
        case "BOOKMARK":
            indexer.advance(version)
            return None
        case _:
            raise ValueError(f"{event_type!r} is not the type of an event that changes a store")


def apply_replace(
    indexer: Indexer[T], objects: Iterable[T] | Fill[T], resource_version: str
) -> list[Notification[T]]:
    """Replace the contents of the store with a whole list.

    Returns the notifications for handlers. The first list makes initial additions.
    """
    is_initial = not indexer.populated
    fill = as_fill(objects)
    before = indexer.swap(fill, resource_version)
    return differences(before, fill, is_initial=is_initial)


def as_fill(objects: Iterable[T] | Fill[T]) -> Fill[T]:
    """Return the fill of a list."""
    if isinstance(objects, Fill):
        return objects
    fill: Fill[T] = Fill()
    for obj in objects:
        fill.add(obj)
    return fill


def differences(
    before: Mapping[str, T], fill: Fill[T], *, is_initial: bool
) -> list[Notification[T]]:
    """Return the notifications for a list that replaces the objects `before`.

    There is none for an object that is the same Python object as before.
    """
    if not before:
        return [Added(obj, is_initial) for obj in fill.entries.values()]
    listed, added = fill.entries, 0
    changes: list[Notification[T]] = []
    for key, obj in fill.changed.items():
        old = before.get(key)
        if old is None:
            added += 1
            changes.append(Added(obj, is_initial))
        elif old is not obj:
            changes.append(Updated(old, obj))
    if len(before) == len(listed) - added:
        return changes
    gone = [key for key in before if key not in listed]
    return [*(Deleted(before[key], final_state_known=False) for key in gone), *changes]


def apply_resync(objects: Iterable[T]) -> list[Updated[T]]:
    """Return a notification for every object (client-go: SyncAll)."""
    return [Updated(obj, obj) for obj in objects]


class Recovered(Struct, Generic[T], frozen=True, gc=False):
    """An object whose earlier state in the cache was corrupted, and was read again."""

    object: T


def _metadata(obj: Any) -> ObjectMeta:
    metadata: ObjectMeta = obj.metadata
    return metadata
