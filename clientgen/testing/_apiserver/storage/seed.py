"""Stores objects directly, for tests and for a new server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from clientgen._apiextensions.libraries import MissingLibrary
from clientgen._json import is_object, part
from clientgen.runtime._http.path_segments import check_segment

from ..kinds.apiextensions import DEFINITIONS
from .versioned_view import VersionedView

if TYPE_CHECKING:
    from ..kinds.strategy import Strategy
    from ..served_resources import Resource
    from .cluster_state import ClusterState

_CHECKED: Final = frozenset(
    {
        DEFINITIONS,
        *(
            f"{kind}admission{part}.admissionregistration.k8s.io"
            for kind in ("validating", "mutating")
            for part in ("policies", "policybindings")
        ),
    }
)
"""Objects that decide what the server does, so that they must follow its rules."""


def put(
    cluster: ClusterState, value: dict[str, Any], *, makes_namespace: bool = True
) -> dict[str, Any]:
    """Store an object with the status, uid and times it has; its namespace is made if need be.

    Raises:
        ValueError: its kind is not served, it has no name that a path can hold, or it is a
            definition, an admission policy or a binding that the server would refuse.
        Failure: it does not fit the schema of its kind.
    """
    resource = _resource(cluster, value)
    value = {**value, "metadata": dict(_metadata(value))}
    metadata = value["metadata"]
    if not metadata.get("name"):
        raise ValueError(f"a {resource.kind} has to have a metadata.name")
    check_segment("metadata.name", metadata["name"])
    if resource.namespaced:
        if metadata.get("namespace") in (None, ""):
            metadata["namespace"] = "default"
        check_segment("metadata.namespace", metadata["namespace"])
        if makes_namespace:
            make_namespace(cluster, metadata["namespace"])
    else:
        metadata.pop("namespace", None)
    strategy = cluster.registry.strategy_of(resource)
    value, _ = strategy.codec.clean(value, cluster.spec.schemas)
    strategy.default(value)
    return _store(cluster, resource, value)


def put_complete(cluster: ClusterState, value: dict[str, Any]) -> None:
    """Store an object of the bootstrap that has its defaults, and whose namespace is there.

    It may be changed. A new server has about 200 of them, so this does only what is needed.
    """
    _store(cluster, _resource(cluster, value), value)


def _store(cluster: ClusterState, resource: Resource, value: dict[str, Any]) -> dict[str, Any]:
    strategy = cluster.registry.strategy_of(resource)
    status = part(value, "status")
    metadata = value["metadata"]
    given = {name: metadata[name] for name in ("uid", "creationTimestamp") if metadata.get(name)}
    metadata["uid"] = str(UUID(int=cluster.random.getrandbits(128), version=4))
    metadata["creationTimestamp"] = cluster.timestamp()
    metadata.update(given)
    strategy.before_create(value, cluster)
    if resource.group_resource in _CHECKED:
        _check_rules(strategy, value, cluster)
    if resource.group_resource == DEFINITIONS:
        status = part(value, "status") | {name: each for name, each in status.items() if each}
    if status:
        value["status"] = status
    view = VersionedView.of(resource, cluster.registry)
    value = strategy.round_trip(view.titled(value))
    stored, form = strategy.to_storage(value)
    if strategy.is_converted_by_webhook(form):  # when they are read: nothing waits here
        stored, form = value, strategy.form
    cluster.store.collection(cluster.registry.storage_of(resource)).put(stored, form)
    return value


def _metadata(value: dict[str, Any]) -> dict[str, Any]:
    metadata: Any = value.get("metadata") or {}
    if is_object(metadata):
        return metadata
    raise ValueError(f"metadata has to be an object, not {metadata!r}")


def _resource(cluster: ClusterState, value: dict[str, Any]) -> Resource:
    api_version, kind = str(value.get("apiVersion") or ""), str(value.get("kind") or "")
    group, _, version = api_version.rpartition("/")
    resource = cluster.registry.of_kind(group, version, kind)
    if resource is None:
        raise ValueError(
            f"{kind or 'an object without a kind'} in {api_version or 'no apiVersion'} is not "
            "served; add its CustomResourceDefinition first"
        )
    return resource


def make_namespace(cluster: ClusterState, name: str) -> None:
    """Store a namespace, unless it is there or namespaces are not served."""
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    if cluster.record("", "namespaces", "", name) is None and cluster.serves(namespace):
        put(cluster, namespace)


def _check_rules(strategy: Strategy, value: dict[str, Any], cluster: ClusterState) -> None:
    """Refuse an object here, since later requests could not say what is wrong with it."""
    try:
        causes = strategy.causes(value, None, "", cluster)
    except MissingLibrary as error:
        raise ValueError(str(error)) from None
    if causes:
        raise ValueError("; ".join(map(str, causes)))
