"""Chooses the pod and the port for port-forward to a Service or a workload, as kubectl does.

kubectl: pkg/cmd/portforward/portforward.go, pkg/polymorphichelpers/attachablepodforobject.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._conditions.json_fields import condition_of, items, number, part, text
from .._http.resource import Resource
from .._models.arguments import type_of
from ..errors import OperationRefused
from .rollouts import WORKLOADS, selector_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._conditions.json_fields import Json

FORWARDED: Final = {
    **WORKLOADS,
    ("apps/v1", "ReplicaSet"): Resource("apps", "v1", "replicasets", "ReplicaSet"),
    ("v1", "Service"): Resource("", "v1", "services", "Service"),
}
FORWARDED_MESSAGE: Final = (
    "ports are forwarded to a Service, Deployment, ReplicaSet, StatefulSet or DaemonSet"
)

# The kinds whose selector is labels, without expressions.
_LABEL_SELECTORS: Final = ("ReplicationController", "Service")
_MAX_PORT: Final = 65535
_NO_ADDRESS: Final = "None"


def check_target_port(port: object) -> int | str:
    """Check a port, and return it.

    Raises:
        ValueError: `port` is neither a port number nor a name.
    """
    if isinstance(port, str) and port:
        return port
    if isinstance(port, int) and not isinstance(port, bool) and 0 < port <= _MAX_PORT:
        return port
    shown = repr(port) if isinstance(port, (int, str)) else type_of(port)
    raise ValueError(f"port must be a number from 1 to {_MAX_PORT}, or a name, not {shown}")


def pod_selector(obj: Json, subject: str) -> str:
    """Return the label selector of the pods behind an object.

    Raises:
        OperationRefused: The object has no selector.
    """
    if text(obj, "kind") in _LABEL_SELECTORS:
        labels = part(obj, "spec", "selector")
        selector = ",".join(f"{name}={value}" for name, value in labels.items())
    else:
        selector = selector_of(obj)
    if not selector:
        raise OperationRefused(f"{subject} has no selector, so it selects no Pods")
    return selector


def best_pod(pods: Iterable[Json], subject: str) -> Json:
    """Return a running Pod, preferably a ready Pod.

    Raises:
        OperationRefused: No Pod is running.
    """
    running = [
        pod
        for pod in pods
        if text(pod, "status", "phase") == "Running"
        and not text(pod, "metadata", "deletionTimestamp")
    ]
    if not running:
        raise OperationRefused(f"{subject} has no running Pod")
    return next((pod for pod in running if _is_ready(pod)), running[0])


def pod_port(obj: Json, pod: Json, port: int | str, subject: str) -> int:
    """Return the port number in the pod.

    Raises:
        OperationRefused: The Service or the pod has no such port.
    """
    if text(obj, "kind") == "Service":
        port = _target_port(obj, port, subject)
    if isinstance(port, int):
        return port
    for container in items(pod, "spec", "containers"):
        for each in items(container, "ports"):
            if text(each, "name") == port:
                return number(each, "containerPort")
    name = text(pod, "metadata", "name")
    raise OperationRefused(f"Pod {name} of {subject} has no port named {port!r}")


def _target_port(service: Json, port: int | str, subject: str) -> int | str:
    """Return the target port of a port of a Service."""
    for each in items(service, "spec", "ports"):
        if port not in (number(each, "port"), text(each, "name")):
            continue
        target = each.get("targetPort")
        if text(service, "spec", "clusterIP") == _NO_ADDRESS or not target:
            return number(each, "port")
        return target if isinstance(target, str) else number(each, "targetPort")
    known = ", ".join(str(number(each, "port")) for each in items(service, "spec", "ports"))
    raise OperationRefused(f"{subject} has no port {port!r}; it has {known or 'none'}")


def _is_ready(pod: Json) -> bool:
    return text(condition_of(pod, "Ready"), "status") == "True"
