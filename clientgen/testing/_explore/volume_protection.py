"""Ends the deletion of claims and volumes that nobody uses, as Kubernetes' controllers do.

The API server puts a finalizer on each of them. Without a controller that removes it, no deletion
would ever end.
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

__all__ = ["VolumeProtection"]

_FINALIZERS: Final = {
    "persistentvolumeclaims": PROTECTED,
    "persistentvolumes": VOLUME_PROTECTED,
}


class VolumeProtection:
    """Removes the finalizers of what is deleted and not used."""

    def __init__(self, cluster: ClusterState, delay: float) -> None:
        self._cluster = cluster
        self._delay = delay
        self._going: set[tuple[str, str]] = set()
        cluster.store.on_change(self._changed)

    def _changed(self, collection: Collection, change: Change) -> None:
        where = (collection.name, change.record.key)
        if collection.name in _FINALIZERS and b'"deletionTimestamp"' in change.record.data:
            self._going.add(where)
        if self._going and (collection.name in _FINALIZERS or collection.name == "pods"):
            self._cluster.later(self._delay, self._release)

    def _release(self) -> None:
        for name, key in sorted(self._going):
            collection = self._cluster.store.collection(name)
            record = collection.records.get(key)
            if record is None or not record.is_going:
                self._going.discard((name, key))
            elif not self._is_used(name, value := record.value()):
                self._going.discard((name, key))
                self._unprotect(collection, record, value)

    def _unprotect(self, collection: Collection, record: Record, value: dict[str, Any]) -> None:
        finalizers = texts(value["metadata"], "finalizers")
        left = [each for each in finalizers if each != _FINALIZERS[collection.name]]
        if left == finalizers:
            return
        value["metadata"]["finalizers"] = left
        if left:
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
