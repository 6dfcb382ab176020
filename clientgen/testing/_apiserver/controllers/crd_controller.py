"""The controller of CustomResourceDefinitions: it serves and removes custom resources."""

from __future__ import annotations

from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, json, to_builtins

from clientgen import _apiextensions
from clientgen._json import part, texts

from .. import apply
from ..kinds.apiextensions import CLEANUP, DEFINITIONS
from ..requests.request_options import DeleteOptions
from ..storage.versioned_view import VersionedView
from ..verbs.delete import Deletion

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..served_resources import Resource
    from ..storage.cluster_state import ClusterState
    from ..storage.store import Change, Record

_RETRY_INTERVAL_SECONDS: Final = 1.0
_DRAIN_SECONDS: Final = 1.0
_DEFINITIONS: Final = ("apiextensions.k8s.io", "customresourcedefinitions")


class Definitions:
    """Serves what CustomResourceDefinitions define, and removes it with them."""

    def __init__(self, cluster: ClusterState) -> None:
        self._cluster = cluster
        self._collection = cluster.store.collection(DEFINITIONS)
        self._collection.watch(self._changed)
        self._specs: dict[str, bytes] = {}
        """A digest of what each definition said when it was last looked at."""

    def _changed(self, change: Change) -> None:
        name = change.record.name
        if change.after is None:
            self._specs.pop(name, None)
            self._cluster.registry.undefine(name)
            self._end_watches(name)
            self._reconsider_others(name)
        else:
            self._cluster.later(0.0, lambda: self._settle(name))

    def _settle(self, name: str) -> None:
        record = self._collection.records.get(name)
        if record is None:
            return
        value = record.value()
        if value["metadata"].get("deletionTimestamp"):
            self._finish(name, record, value)
        elif self._specs.get(name) != _digest(value) or not value["status"].get("conditions"):
            self._establish(name, record, value)

    def _reconsider_others(self, name: str) -> None:
        """Look again at the other definitions of the group: they may wait for a name."""
        for each in self._rivals(name):
            self._cluster.later(0.0, partial(self._reconsider, each.name))

    def _rivals(self, name: str) -> Iterator[Record]:
        """The other definitions of the group, which is part of every definition's name."""
        _, _, group = name.partition(".")
        for each in self._collection.now():
            if each.name != name and each.name.partition(".")[2] == group:
                yield each

    def _others(self, name: str) -> list[dict[str, Any]]:
        """Read the names of the rivals; to read their schemas too would take a while."""
        read = (json.decode(each.data, type=_Named) for each in self._rivals(name))
        return [to_builtins(each) for each in read]

    def _reconsider(self, name: str) -> None:
        record = self._collection.records.get(name)
        value = record.value() if record else {}
        if record is not None and not value["metadata"].get("deletionTimestamp"):
            self._establish(name, record, value)

    def _is_served(self, name: str) -> bool:
        return self._cluster.registry.is_defined(name)

    def _serve(self, name: str, value: dict[str, Any]) -> None:
        """Serve what a definition says now. Open watches end."""
        first = not self._is_served(name)
        self._cluster.registry.define(_apiextensions.read(value, self._cluster.spec.schemas))
        if first:
            store = self._cluster.store
            store.collection(name).compact(store.version)
        else:
            self._end_watches(name)

    def _end_watches(self, name: str) -> None:
        """End the open watches soon: their resource is served in another way, or no longer."""
        for end in self._cluster.store.collection(name).watches():
            self._cluster.later(_DRAIN_SECONDS, end)

    def _establish(self, name: str, record: Record, value: dict[str, Any]) -> None:
        status = _apiextensions.status_of(value, self._others(name), self._cluster.now())
        accepted = part(part(value, "status"), "acceptedNames")
        digest = _digest(value)
        is_same = self._specs.get(name) == digest and status["acceptedNames"] == accepted
        self._specs[name] = digest
        if _holds(status, "Established") and not (is_same and self._is_served(name)):
            self._serve(name, {**value, "status": status})
        if status == value.get("status"):
            return
        if _holds(status, "Established") and not _holds(part(value, "status"), "Established"):
            value = self._put(value, _apiextensions.installing(status), record.form)
        self._put(value, status, record.form)
        if _gave_up(accepted, status["acceptedNames"]):
            self._reconsider_others(name)

    def _put(self, old: dict[str, Any], status: dict[str, Any], form: str) -> dict[str, Any]:
        """Write a status, in the name of the server itself."""
        registry = self._cluster.registry
        resource = registry.any_version(*_DEFINITIONS)
        assert resource is not None, "it has objects"
        old = VersionedView.of(resource, registry).titled(old)
        value = {**old, "metadata": {**old["metadata"]}, "status": status}
        version = resource.api_version
        writer = apply.Writer("kube-apiserver", version, "status", self._cluster.now())
        apply.updated(old, value, writer, lambda version: registry.schema_of(resource, version))
        self._collection.put(value, form)
        return value

    def _finish(self, name: str, record: Record, value: dict[str, Any]) -> None:
        """Remove the instances of a definition that is going, then the definition."""
        if CLEANUP not in texts(value["metadata"], "finalizers"):
            return
        self._cluster.registry.mark_ending(name, ending=True)
        status = _apiextensions.ending(value, self._cluster.now(), begun=True)
        if status != value.get("status"):
            value = self._put(value, status, record.form)
        instances = self._cluster.store.collection(name)
        resource = self._instances(name)
        if resource is not None:
            deletion = Deletion(
                self._cluster,
                VersionedView.of(resource, self._cluster.registry, converts=False),
                DeleteOptions(),
            )
            for each in instances.now():
                deletion.delete(each)
        if instances.records:
            self._cluster.later(_RETRY_INTERVAL_SECONDS, lambda: self._settle(name))
            return
        self._leave(name, value, record.form)

    def _leave(self, name: str, value: dict[str, Any], form: str) -> None:
        """Remove a definition without instances, unless it has finalizers of others."""
        metadata = value["metadata"]
        rest = [each for each in texts(metadata, "finalizers") if each != CLEANUP]
        if rest:
            metadata["finalizers"] = rest
            self._cluster.registry.mark_ending(name, ending=False)
            self._put(value, _apiextensions.ended(value, self._cluster.now()), form)
        else:
            del metadata["finalizers"]
            self._collection.remove(name)
            self._cluster.store.drop(name)

    def _instances(self, name: str) -> Resource | None:
        for resource in self._cluster.registry.custom_resources():
            if resource.group_resource == name:
                return resource
        return None


def _digest(value: Mapping[str, Any]) -> bytes:
    return sha256(json.encode(value["spec"], order="sorted")).digest()


class _Spec(Struct, frozen=True):
    group: str = ""


class _Status(Struct, frozen=True):
    acceptedNames: dict[str, Any] = {}  # noqa: N815 - as on the wire


class _Named(Struct):
    """The parts of a definition that others with the same names need."""

    spec: _Spec = _Spec()
    status: _Status = _Status()


def _gave_up(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Return whether a definition goes without a name that it had."""
    return any(value and after.get(name) != value for name, value in before.items())


def _holds(status: dict[str, Any], condition: str) -> bool:
    return any(
        each["type"] == condition and each["status"] == "True"
        for each in status.get("conditions") or ()
    )
