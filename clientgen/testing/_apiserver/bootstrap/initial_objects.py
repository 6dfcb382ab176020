"""The objects that every API server makes when it starts, and that clients expect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..kinds.core.service_allocation import NETWORK
from .api_services import api_services
from .flow_control import flow_control

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NAMESPACES: Final = ("default", "kube-system", "kube-public", "kube-node-lease")
_PRIORITIES: Final = (
    (
        "system-node-critical",
        2_000_001_000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
    (
        "system-cluster-critical",
        2_000_000_000,
        (
            "Used for system critical pods that must run in the cluster, but can be moved to "
            "another node if necessary."
        ),
    ),
)
_KUBERNETES: Final[dict[str, Any]] = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {
        "name": "kubernetes",
        "namespace": "default",
        "labels": {"component": "apiserver", "provider": "kubernetes"},
    },
    "spec": {
        "type": "ClusterIP",
        "clusterIP": str(NETWORK[1]),
        "ports": [{"name": "https", "port": 443, "targetPort": 6443, "protocol": "TCP"}],
    },
}

_PORT: Final = {"name": "https", "port": 6443, "protocol": "TCP"}
_ADDRESS: Final = "192.0.2.1"
"""The address of the server in a cluster; clients of this one use that of their kubeconfig."""
_ENDPOINTS: Final[dict[str, Any]] = {
    "apiVersion": "v1",
    "kind": "Endpoints",
    "metadata": {
        "name": "kubernetes",
        "namespace": "default",
        "labels": {"endpointslice.kubernetes.io/skip-mirror": "true"},
    },
    "subsets": [{"addresses": [{"ip": _ADDRESS}], "ports": [_PORT]}],
}
_SLICE: Final[dict[str, Any]] = {
    "apiVersion": "discovery.k8s.io/v1",
    "kind": "EndpointSlice",
    "metadata": {
        "name": "kubernetes",
        "namespace": "default",
        "labels": {"kubernetes.io/service-name": "kubernetes"},
    },
    "addressType": "IPv4",
    "endpoints": [{"addresses": [_ADDRESS], "conditions": {"ready": True}}],
    "ports": [_PORT],
}
_IP_ADDRESS: Final[dict[str, Any]] = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "IPAddress",
    "metadata": {
        "name": str(NETWORK[1]),
        "labels": {
            "ipaddress.kubernetes.io/ip-family": "IPv4",
            "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        },
    },
    "spec": {"parentRef": {"resource": "services", "namespace": "default", "name": "kubernetes"}},
}


def initial_objects(served: Iterable[tuple[str, str]], now: str) -> Iterator[dict[str, Any]]:
    """List the objects, in an order in which they can be stored.

    Args:
        served: the groups and versions there are.
        now: the time, as it stands in objects.
    """
    for name in _NAMESPACES:
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    yield from (_KUBERNETES, _ENDPOINTS, _SLICE, _IP_ADDRESS, _service_cidr(now))
    for name, value, description in _PRIORITIES:
        yield {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": value,
            "description": description,
        }
    yield from flow_control(now)
    yield from api_services(served, now)


def control_plane_settings(now: str) -> Iterator[dict[str, Any]]:
    """List the ConfigMaps of kube-system that components of a control plane read.

    Args:
        now: the time, as it stands in objects.
    """
    yield _config("extension-apiserver-authentication", {})
    since = now.partition("T")[0]
    yield _config("kube-apiserver-legacy-service-account-token-tracking", {"since": since})


def _service_cidr(now: str) -> dict[str, Any]:
    ready = {
        "type": "Ready",
        "status": "True",
        "lastTransitionTime": now,
        "reason": "",
        "message": "Kubernetes default Service CIDR is ready",
    }
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "ServiceCIDR",
        "metadata": {"name": "kubernetes"},
        "spec": {"cidrs": [str(NETWORK)]},
        "status": {"conditions": [ready]},
    }


def _config(name: str, data: dict[str, str]) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "kube-system"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
