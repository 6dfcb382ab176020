"""What every API server makes when it starts, and clients expect to find."""

from __future__ import annotations

from typing import Any, Final

from .services import NETWORK

__all__ = ["BOOTSTRAP"]

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

BOOTSTRAP: Final[list[dict[str, Any]]] = [
    *(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        for name in _NAMESPACES
    ),
    _KUBERNETES,
    *(
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": value,
            "description": description,
        }
        for name, value, description in _PRIORITIES
    ),
]
"""Bodies to create objects from, in an order that works."""
