"""Which pod and port stand behind a Service or a workload, by kubectl's rules.

kubectl: pkg/cmd/portforward/portforward.go, pkg/polymorphichelpers/attachablepodforobject.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._conditions.json_fields import condition_of, items, number, part, text
from .._http.resource import Resource
from .._models.arguments import named
from ..errors import OperationRefused
from .rollouts import WORKLOADS, selector_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._conditions.json_fields import Json

__all__ = ["FORWARDED", "WORDS", "best_pod", "check_target_port", "pod_port", "pod_selector"]

FORWARDED: Final = {
    **WORKLOADS,
    ("apps/v1", "ReplicaSet"): Resource("apps", "v1", "replicasets", "ReplicaSet"),
    ("v1", "Service"): Resource("", "v1", "services", "Service"),
}
WORDS: Final = "ports are forwarded to a Service, Deployment, ReplicaSet, StatefulSet or DaemonSet"

_MOST_PORT: Final = 65535
_NO_ADDRESS: Final = "None"


def check_target_port(port: object) -> int | str:
    """Return the number or the name of a port.

    Raises:
        ValueError: It is neither.
    """
    if isinstance(port, str) and port:
        return port
    if isinstance(port, int) and not isinstance(port, bool) and 0 < port <= _MOST_PORT:
        return port
    shown = repr(port) if isinstance(port, (int, str)) else named(port)
    raise ValueError(f"port must be a number from 1 to {_MOST_PORT}, or a name, not {shown}")


def pod_selector(obj: Json, subject: str) -> str:
    """Return the label selector of the pods behind an object.

    Raises:
        OperationRefused: It has none.
    """
    if text(obj, "kind") == "Service":
        labels = part(obj, "spec", "selector")
        selector = ",".join(f"{name}={value}" for name, value in labels.items())
    else:
        selector = selector_of(obj)
    if not selector:
        raise OperationRefused(f"{subject} has no selector, so that no Pod stands behind it")
    return selector


def best_pod(pods: Iterable[Json], subject: str) -> Json:
    """Return a Pod that runs, one that is ready rather than another.

    Raises:
        OperationRefused: None runs.
    """
    running = [
        pod
        for pod in pods
        if text(pod, "status", "phase") == "Running"
        and not text(pod, "metadata", "deletionTimestamp")
    ]
    if not running:
        raise OperationRefused(f"{subject} has no Pod that runs")
    return next((pod for pod in running if _is_ready(pod)), running[0])


def pod_port(obj: Json, pod: Json, port: int | str, subject: str) -> int:
    """Return the number of the port in the pod.

    Raises:
        OperationRefused: There is no such port.
    """
    if text(obj, "kind") == "Service":
        port = _target_of(obj, port, subject)
    if isinstance(port, int):
        return port
    for container in items(pod, "spec", "containers"):
        for each in items(container, "ports"):
            if text(each, "name") == port:
                return number(each, "containerPort")
    name = text(pod, "metadata", "name")
    raise OperationRefused(f"Pod {name} of {subject} has no port that is called {port!r}")


def _target_of(service: Json, port: int | str, subject: str) -> int | str:
    """Return the port of the pods to which a port of a Service leads."""
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
