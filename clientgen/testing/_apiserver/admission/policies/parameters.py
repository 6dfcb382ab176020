"""Parameters of policies: the objects that the `paramRef` of a binding names or selects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.labels import selects
from clientgen._json import part

from ...storage.store import key_of
from ...storage.versioned_view import VersionedView

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...served_resources import Resource
    from ...storage.cluster_state import ClusterState

_SCOPED = "paramRef.namespace must not be provided for a cluster-scoped `paramKind`"
_UNSCOPED = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
_NONE = "no params found for policy binding with `Deny` parameterNotFoundAction"


class Misconfigured(Exception):  # noqa: N818 - an answer, not a defect
    """A policy or a binding that cannot be used for a request."""


def param_resource(spec: Mapping[str, Any], cluster: ClusterState) -> Resource | None:
    """Return the resource of the `paramKind` of a policy; None for a policy without one.

    Raises:
        Misconfigured: it is not served.
    """
    kind = spec.get("paramKind")
    if kind is None:
        return None
    group, _, version = str(kind.get("apiVersion") or "").rpartition("/")
    name = str(kind.get("kind") or "")
    resource = cluster.registry.of_kind(group, version, name)
    if resource is None:
        shown = f"{group}/{version}, Kind={name}"
        raise Misconfigured(f"failed to find resource referenced by paramKind: '{shown}'")
    return resource


def params_of(
    resource: Resource | None, binding: Mapping[str, Any], namespace: str, cluster: ClusterState
) -> list[dict[str, Any] | None]:
    """Return the parameters of a binding for requests in a namespace.

    Args:
        resource: of the policy's `paramKind`.
        binding: the spec of the binding.
        namespace: of the request.
        cluster: where the parameters are.

    Returns:
        One None if the policy runs without parameters, nothing if it does not run.

    Raises:
        Misconfigured: `paramRef` does not fit, or there are none and that denies the request.
    """
    reference = binding.get("paramRef")
    if resource is None or reference is None:
        return [None]
    found = _Search(resource, cluster, _namespace(resource, reference, namespace)).found(reference)
    if not found and reference.get("parameterNotFoundAction") == "Deny":
        raise Misconfigured(_NONE)
    return list(found)


def _namespace(resource: Resource, reference: Mapping[str, Any], namespace: str) -> str:
    named = str(reference.get("namespace") or "")
    if not resource.namespaced:
        if named:
            raise Misconfigured(_SCOPED)
        return ""
    if not named and not namespace:
        raise Misconfigured(_UNSCOPED)
    return named or namespace


@dataclass(frozen=True, slots=True)
class _Search:
    resource: Resource
    cluster: ClusterState
    namespace: str

    def found(self, reference: Mapping[str, Any]) -> list[dict[str, Any]]:
        registry = self.cluster.registry
        collection = self.cluster.store.collection(registry.storage_of(self.resource))
        view = VersionedView.of(self.resource, registry)
        name = reference.get("name")
        if name:
            record = collection.records.get(key_of(self.namespace, name))
            return [] if record is None else [view.value(record)]
        selector = part(reference, "selector")
        return [
            view.value(record)
            for record in collection.now(self.namespace)
            if selects(selector, record.labels)
        ]
