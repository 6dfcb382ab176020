"""Removes the protection finalizers of unused claims and volumes, as Kubernetes' controllers do.

The API server adds a finalizer to each claim and volume. Unless a controller removes it, their
deletion never ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part, texts
from clientgen.runtime._conditions.pods import FINAL_PHASES

from .._apiserver.controllers.play.pod_state import phase_of
from .._apiserver.controllers.play.volume_binder import PROTECTED, VOLUME_PROTECTED, claims_of

if TYPE_CHECKING:
    from .._apiserver.storage.cluster_state import ClusterState
    from .._apiserver.storage.store import Change, Collection, Record

_FINALIZERS: Final = {
    "persistentvolumeclaims": PROTECTED,
    "persistentvolumes": VOLUME_PROTECTED,
}


class VolumeProtection:
    """Removes the finalizers of deleted claims and volumes that are not in use."""

    def __init__(self, cluster: ClusterState, delay: float) -> None:
        self._cluster = cluster
        self._delay = delay
        self._deleted: set[tuple[str, str]] = set()
        cluster.store.on_change(self._on_change)

    def _on_change(self, collection: Collection, change: Change) -> None:
        key = (collection.name, change.record.key)
        if collection.name in _FINALIZERS and b'"deletionTimestamp"' in change.record.data:
            self._deleted.add(key)
        if self._deleted and (collection.name in _FINALIZERS or collection.name == "pods"):
            self._cluster.later(self._delay, self._release_unused)

    def _release_unused(self) -> None:
        for name, key in sorted(self._deleted):
            collection = self._cluster.store.collection(name)
            record = collection.records.get(key)
            if record is None or not record.is_going:
                self._deleted.discard((name, key))
            elif not self._is_used(name, value := record.value()):
                self._deleted.discard((name, key))
                self._unprotect(collection, record, value)

    def _unprotect(self, collection: Collection, record: Record, value: dict[str, Any]) -> None:
        finalizers = texts(value["metadata"], "finalizers")
        remaining = [each for each in finalizers if each != _FINALIZERS[collection.name]]
        if remaining == finalizers:
            return
        value["metadata"]["finalizers"] = remaining
        if remaining:
            collection.put(value, record.form)
        else:
            collection.remove(record.key)

    def _is_used(self, name: str, value: dict[str, Any]) -> bool:
        metadata = value["metadata"]
        if name == "persistentvolumes":
            return part(value, "status").get("phase") == "Bound"
        pods = (each.value() for each in self._cluster.store.collection("pods").now())
        return any(
            pod["metadata"]["namespace"] == metadata["namespace"]
            and phase_of(pod) not in FINAL_PHASES
            and metadata["name"] in claims_of(pod)
            for pod in pods
        )
