"""Garbage collection: dependents are deleted after their owners, as in a real cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import texts

from ..requests.request_options import DeleteOptions
from ..storage.versioned_view import VersionedView
from ..verbs.delete import FOREGROUND, ORPHAN, Deletion

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..storage.cluster_state import ClusterState
    from ..storage.store import Change, Collection, Record
    from .play.played_events import Recorder

_RETRY_INTERVAL_SECONDS: Final = 1.0
_COMPONENT: Final = "garbage-collector-controller"
_MAX_REMEMBERED_OWNERS: Final = 100_000  # removed objects that are remembered


class Garbage:
    """Deletes what belonged to objects that are gone, by their ownerReferences.

    https://kubernetes.io/docs/concepts/architecture/garbage-collection/. A dependent that is
    written after its owner was removed is deleted as well: controllers with an old cache do that.
    A reference to an owner that never existed is left alone: tests need not create owners.

    An owner is looked for in the dependent's own namespace, or outside of namespaces. One that
    lives in another namespace counts as absent, and an event of the dependent says so. A dependent
    without a namespace keeps such a reference: it is never collected for it.
    """

    def __init__(self, cluster: ClusterState, delay: float) -> None:
        self._cluster = cluster
        self._delay = delay
        self._dependents: dict[str, set[tuple[str, str]]] = {}
        # The uids of removed objects, the oldest first.
        self._removed: dict[str, None] = {}
        # The namespaces of objects, by uid.
        self._namespaces: dict[str, str] = {}
        self._recorder: Recorder | None = None
        cluster.store.on_change(self._changed)

    def _changed(self, collection: Collection, change: Change) -> None:
        before = change.before.owners if change.before else ()
        after = change.after.owners if change.after else ()
        record = change.record
        for uid in before:
            self._unlink(uid, (collection.name, record.key))
        for uid in after:
            self._dependents.setdefault(uid, set()).add((collection.name, record.key))
            if uid not in before and (uid in self._removed or self._is_elsewhere(uid, record)):
                self._collect_later(uid)
        if change.before is None:
            self._namespaces[record.uid] = record.namespace
            if record.uid in self._dependents:  # they were there first
                self._collect_later(record.uid)
        if change.after is None:
            self._namespaces.pop(record.uid, None)
            self._forget_oldest()
            self._removed[change.record.uid] = None
            if change.record.uid in self._dependents:
                self._collect_later(change.record.uid)
        elif b'"deletionTimestamp"' in change.after.data:
            where = (collection.name, change.after.key)
            self._cluster.later(self._delay, lambda: self._release(*where))

    @property
    def removed(self) -> frozenset[str]:
        """The uids of removed objects to which objects still refer."""
        return frozenset(uid for uid in self._dependents if uid in self._removed)

    def note_removed(self, uids: Iterable[str]) -> None:
        """Note objects that an earlier server has removed."""
        self._removed.update(dict.fromkeys(uids))

    @property
    def owners(self) -> frozenset[str]:
        """The uids that something refers to as its owner's."""
        return frozenset(self._dependents)

    def _is_elsewhere(self, uid: str, dependent: Record) -> bool:
        """Whether an owner lives in a namespace that is not the dependent's."""
        return self._namespaces.get(uid, "") not in ("", dependent.namespace)

    def _is_absent(self, uid: str, dependent: Record) -> bool:
        return uid in self._removed or (
            bool(dependent.namespace) and self._is_elsewhere(uid, dependent)
        )

    def _unlink(self, uid: str, where: tuple[str, str]) -> None:
        left = self._dependents.get(uid, set())
        left.discard(where)
        if not left:
            self._dependents.pop(uid, None)

    def _forget_oldest(self) -> None:
        if len(self._removed) >= _MAX_REMEMBERED_OWNERS:
            del self._removed[next(iter(self._removed))]

    def _collect_later(self, uid: str) -> None:
        self._cluster.later(self._delay, lambda: self._collect(uid))

    def _collect(self, uid: str) -> None:
        """Delete the dependents of an owner that is gone, or make them forget it."""
        for collection, record in self._records(uid):
            if self._is_elsewhere(uid, record):
                self._report(collection, record, uid)
            value = record.value()
            owners = _references(value)
            left = [each for each in owners if not self._is_absent(each.get("uid", ""), record)]
            if len(left) == len(owners):
                continue
            if left:
                value["metadata"]["ownerReferences"] = left
                collection.put(value, record.form)
            else:
                self._delete(collection, record, DeleteOptions(policy="Background"))

    def _report(self, collection: Collection, record: Record, uid: str) -> None:
        """Write an event about a reference to an owner of another namespace."""
        from .play.objects import Objects
        from .play.played_events import Recorder  # most clusters have no such reference

        objects = Objects(self._cluster)
        about = objects.copy(collection.name, record.key)
        if about is None:
            return
        self._recorder = self._recorder or Recorder(self._cluster, objects)
        owner = next(each for each in _references(about) if each.get("uid") == uid)
        where = f"namespace: {record.namespace}, name: {owner.get('name')}, uid: {uid}"
        shown = f"[{owner.get('apiVersion')}/{owner.get('kind')}, {where}]"
        message = f'ownerRef {shown} does not exist in namespace "{record.namespace}"'
        self._recorder.record(about, _COMPONENT, "OwnerRefInvalidNamespace", message, warning=True)

    def _release(self, name: str, key: str) -> None:
        """Finish a deletion that waits for its dependents to be deleted, or orphaned."""
        collection = self._cluster.store.collection(name)
        record = collection.records.get(key)
        if record is None:
            return
        value = record.value()
        finalizers = texts(value["metadata"], "finalizers")
        if not {FOREGROUND, ORPHAN} & set(finalizers):
            return
        if ORPHAN in finalizers:
            self._orphan(record.uid)
        elif self._block(record.uid):
            self._cluster.later(
                max(self._delay, _RETRY_INTERVAL_SECONDS), lambda: self._release(name, key)
            )
            return
        rest = [each for each in finalizers if each not in (FOREGROUND, ORPHAN)]
        if rest:
            value["metadata"]["finalizers"] = rest
            collection.put(value, record.form)
            return
        del value["metadata"]["finalizers"]
        if not value["metadata"].get("deletionGracePeriodSeconds"):
            collection.remove(key)

    def _orphan(self, uid: str) -> None:
        for collection, record in self._records(uid):
            value = record.value()
            left = [each for each in _references(value) if each.get("uid") != uid]
            value["metadata"]["ownerReferences"] = left
            if not left:
                del value["metadata"]["ownerReferences"]
            collection.put(value, record.form)

    def _block(self, uid: str) -> bool:
        """Delete the dependents; whether one that blocks its owner is still there."""
        for collection, record in self._records(uid):
            self._delete(collection, record, DeleteOptions(policy="Foreground"))
        return any(
            reference.get("uid") == uid and reference.get("blockOwnerDeletion")
            for _, record in self._records(uid)
            for reference in _references(record.value())
        )

    def _records(self, uid: str) -> list[tuple[Collection, Record]]:
        places = sorted(self._dependents.get(uid, ()))
        collections = self._cluster.store.collection
        return [(collections(name), collections(name).records[key]) for name, key in places]

    def _delete(self, collection: Collection, record: Record, options: DeleteOptions) -> None:
        resource = self._cluster.resource_of(collection.name)
        if resource is not None and not record.is_going:
            view = VersionedView.of(resource, self._cluster.registry, converts=False)
            Deletion(self._cluster, view, options).delete(record)


def _references(value: dict[str, Any]) -> list[dict[str, Any]]:
    return value["metadata"].get("ownerReferences") or []
