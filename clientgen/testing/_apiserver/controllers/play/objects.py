"""Objects as the components of a control plane read and write them.

Writes take the way of requests: defaults, validation and managed fields are those of the server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import parts

from ...access import ADMIN
from ...requests.api_request import Request
from ...requests.request_info import RequestInfo
from ...requests.request_options import DeleteOptions, WriteOptions
from ...storage.store import key_of
from ...storage.versioned_view import VersionedView
from ...verbs.create import Creation
from ...verbs.delete import Deletion
from ...verbs.update import Update

if TYPE_CHECKING:
    from ...storage.cluster_state import ClusterState
    from ...storage.store import Change, Collection, Record

CONTROLLER_MANAGER: Final = "kube-controller-manager"
KUBELET: Final = "kubelet"
SCHEDULER: Final = "kube-scheduler"


def key(value: dict[str, Any]) -> str:
    """Return the key of an object in its collection."""
    return key_of(value["metadata"].get("namespace", ""), value["metadata"]["name"])


def controller_of(value: dict[str, Any]) -> dict[str, Any] | None:
    """Return the reference to the owner that controls an object."""
    for reference in parts(value["metadata"], "ownerReferences"):
        if reference.get("controller"):
            return reference
    return None


def owner_reference(owner: dict[str, Any]) -> dict[str, Any]:
    """Return the reference that makes an object the controller of another."""
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


class Objects:
    """Reads and writes stored objects; kinds are named like `pods` and `deployments.apps`.

    Objects that are read are shared: who wants to change one asks for a `copy`.
    """

    def __init__(self, cluster: ClusterState) -> None:
        self._cluster = cluster
        self._views: dict[str, VersionedView | None] = {}
        self._read: dict[tuple[str, str], tuple[int, dict[str, Any]]] = {}
        self._controlled: dict[tuple[str, str], dict[str, None]] = {}

    def view(self, kind: str) -> VersionedView | None:
        """Return how the objects of a kind look; None if it is not served."""
        if kind not in self._views:
            resource = self._cluster.resource_of(kind)
            registry = self._cluster.registry
            self._views[kind] = VersionedView.of(resource, registry) if resource else None
        return self._views[kind]

    def _served(self, kind: str) -> VersionedView:
        view = self.view(kind)
        assert view is not None, f"{kind} is not served"
        return view

    def _collection(self, kind: str) -> Collection:
        return self._cluster.store.collection(self._served(kind).strategy.collection)

    # ------------------------------------------------------------------------------ reads

    def get(self, kind: str, key: str) -> dict[str, Any] | None:
        """Return an object, which the caller must not change."""
        record = self._collection(kind).records.get(key)
        return None if record is None else self._value(kind, record)

    def copy(self, kind: str, key: str) -> dict[str, Any] | None:
        """Return an object for the caller to change."""
        record = self._collection(kind).records.get(key)
        return None if record is None else self._served(kind).value(record)

    def all(self, kind: str, namespace: str = "") -> list[dict[str, Any]]:
        """Return all objects of a kind, or those of a namespace, which nobody must change."""
        return [self._value(kind, record) for record in self._collection(kind).now(namespace)]

    def count(self, kind: str) -> int:
        """Return the number of all objects of a kind."""
        return len(self._collection(kind).records)

    def controlled(self, kind: str, uid: str, namespace: str) -> list[dict[str, Any]]:
        """Return the objects that are controlled by the one with that uid, in order.

        An empty uid means those that nothing controls.
        """
        prefix = f"{namespace}/"
        keys = sorted(self._controlled.get((kind, uid), ()))
        found = (self.get(kind, each) for each in keys if each.startswith(prefix))
        return [value for value in found if value is not None]

    def _value(self, kind: str, record: Record) -> dict[str, Any]:
        known = self._read.get((kind, record.key))
        if known is not None and known[0] == record.version:
            return known[1]
        value = self._served(kind).value(record)
        self._read[kind, record.key] = (record.version, value)
        return value

    def follow(
        self, kind: str, change: Change
    ) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
        """Take note of a change; return the object before and after it."""
        before = None if change.before is None else self._value(kind, change.before)
        after = None if change.after is None else self._value(kind, change.after)
        key = change.record.key
        if before is not None:
            self._unlink(kind, _controller_uid(before), key)
        if after is not None:
            self._controlled.setdefault((kind, _controller_uid(after)), {})[key] = None
        else:
            self._read.pop((kind, key), None)
        return before, after

    def _unlink(self, kind: str, uid: str, key: str) -> None:
        controlled = self._controlled.get((kind, uid), {})
        controlled.pop(key, None)
        if not controlled:
            self._controlled.pop((kind, uid), None)

    def learn(self, kind: str) -> list[str]:
        """Take note of all objects of a kind; return their keys."""
        for value in self.all(kind):
            self._controlled.setdefault((kind, _controller_uid(value)), {})[key(value)] = None
        return list(self._collection(kind).records)

    # ----------------------------------------------------------------------------- writes

    def create(
        self, kind: str, value: dict[str, Any], manager: str = CONTROLLER_MANAGER
    ) -> dict[str, Any]:
        """Create an object.

        Raises:
            Failure: the server refuses it.
        """
        info = self._info(kind, "create", value["metadata"])
        return Creation(self._cluster, info, WriteOptions(manager=manager)).create(value).value

    def update(
        self,
        kind: str,
        value: dict[str, Any],
        manager: str = CONTROLLER_MANAGER,
        *,
        subresource: str = "",
    ) -> dict[str, Any]:
        """Replace an object, or its status.

        Raises:
            Failure: the server refuses it.
        """
        info = self._info(kind, "update", value["metadata"], subresource)
        return Update(self._cluster, info, WriteOptions(manager=manager)).update(value).value

    def update_status(
        self, kind: str, value: dict[str, Any], manager: str = CONTROLLER_MANAGER
    ) -> dict[str, Any]:
        """Replace the status of an object, and return the object."""
        return self.update(kind, value, manager, subresource="status")

    def delete(
        self,
        kind: str,
        value: dict[str, Any],
        *,
        grace: int | None = None,
        policy: str = "Background",
    ) -> None:
        """Delete an object, if it is still the same one."""
        record = self._collection(kind).records.get(key(value))
        if record is not None and record.uid == value["metadata"]["uid"]:
            options = DeleteOptions(grace=grace, policy=policy)
            Deletion(self._cluster, self._served(kind), options).delete(record)

    def put(self, kind: str, value: dict[str, Any]) -> None:
        """Store an object as it is: what a binding makes of a pod, for example."""
        self._collection(kind).put(value, self._served(kind).form)

    def _info(
        self,
        kind: str,
        verb: str,
        metadata: dict[str, Any],
        subresource: str = "",
    ) -> RequestInfo:
        strategy, namespace = self._served(kind).strategy, metadata.get("namespace", "")
        name = "" if verb == "create" else metadata["name"]
        request = Request("", "", {}, {}, b"", caller=ADMIN)
        resource = strategy.resource
        return RequestInfo(request, resource, strategy, verb, namespace, name, subresource)


def _controller_uid(value: dict[str, Any]) -> str:
    reference = controller_of(value)
    return reference.get("uid", "") if reference else ""
