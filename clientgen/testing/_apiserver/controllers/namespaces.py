"""Namespaces that are being deleted are emptied, as the controller manager does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..requests.request_options import DeleteOptions
from ..storage.versioned_view import VersionedView
from ..verbs.delete import Deletion

if TYPE_CHECKING:
    from ..storage.cluster_state import ClusterState
    from ..storage.store import Change

_RETRY_INTERVAL_SECONDS: Final = 1.0


class Namespaces:
    """Empties namespaces that are going."""

    def __init__(self, cluster: ClusterState, delay: float) -> None:
        self._cluster = cluster
        self._delay = delay
        self._collection = cluster.store.collection("namespaces")
        self._collection.watch(self._changed)

    def _changed(self, change: Change) -> None:
        if change.after is not None and b'"deletionTimestamp"' in change.after.data:
            name = change.after.name
            self._cluster.later(self._delay, lambda: self._empty(name))

    def _empty(self, name: str) -> None:
        record = self._collection.records.get(name)
        value = record.value() if record else {}
        if record is None or not value["metadata"].get("deletionTimestamp"):
            return
        if self._remaining(name):
            self._cluster.later(
                max(self._delay, _RETRY_INTERVAL_SECONDS), lambda: self._empty(name)
            )
            return
        spec = value.setdefault("spec", {})
        spec["finalizers"] = [each for each in spec.get("finalizers") or () if each != "kubernetes"]
        if not spec["finalizers"]:
            del spec["finalizers"]
            if not value["metadata"].get("finalizers"):
                self._collection.remove(name)
                return
        if value != record.value():
            self._collection.put(value, record.form)

    def _remaining(self, namespace: str) -> bool:
        """Delete the content. Return whether some of it stays for now."""
        left = False
        for resource in tuple(self._cluster.registry.namespaced()):
            collection = self._cluster.store.collection(self._cluster.registry.storage_of(resource))
            records = collection.now(namespace)
            if records:
                options = DeleteOptions(grace=0, policy="Background")
                deletion = Deletion(
                    self._cluster,
                    VersionedView.of(resource, self._cluster.registry, converts=False),
                    options,
                )
                for record in records:
                    deletion.delete(record)
                left = left or bool(collection.now(namespace))
        return left
