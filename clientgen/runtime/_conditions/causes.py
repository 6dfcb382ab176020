"""The Pods of a workload, whose states explain why the workload is not ready."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from .._http.resource import Resource
from .._models.model import Model
from .._models.model_codec import to_dict
from .json_fields import Json, items, kind_of, part, text
from .pods import judge_pod, pod_causes

if TYPE_CHECKING:
    from collections.abc import Iterable

PODS: Final = Resource("", "v1", "pods", "Pod")
"""The resource of Pods."""

_WORKLOADS: Final = frozenset(
    {"DaemonSet.apps", "Deployment.apps", "Job.batch", "ReplicaSet.apps", "StatefulSet.apps"}
)
_OPERATORS: Final = {"In": "in", "NotIn": "notin"}


def may_have_pods(kind: str) -> bool:
    """Return whether a kind with this name may be a workload."""
    return any(each.partition(".")[0] == kind for each in _WORKLOADS)


def pods_of(obj: Any) -> tuple[str, str] | None:
    """Return the namespace and the label selector of a workload's Pods; None for other kinds."""
    value = to_dict(obj) if isinstance(obj, Model) else cast("Json", obj)
    namespace = text(value, "metadata", "namespace")
    selector = selector_of(value)
    if kind_of(value) not in _WORKLOADS or not namespace or not selector:
        return None
    return namespace, selector


def selector_of(obj: Json) -> str:
    """Format the label selector of a workload's Pods; empty if the workload has no selector."""
    selector = part(obj, "spec", "selector")
    terms = [f"{key}={value}" for key, value in part(selector, "matchLabels").items()]
    for each in items(selector, "matchExpressions"):
        key, operator = text(each, "key"), text(each, "operator")
        if operator in _OPERATORS:
            values = cast("list[object]", each.get("values") or [])
            terms.append(f"{key} {_OPERATORS[operator]} ({','.join(map(str, values))})")
        else:
            terms.append(f"!{key}" if operator == "DoesNotExist" else key)
    return ",".join(terms)


def describe_worst_pod(pods: Iterable[Any]) -> str:
    """Describe a Pod that is not ready, preferably a failed Pod; empty if all Pods are ready."""
    verdicts = [
        (judge_pod(pod), pod) for pod in pods if not text(pod, "metadata", "deletionTimestamp")
    ]
    bad = [(verdict, pod) for verdict, pod in verdicts if not verdict.met]
    if not bad:
        return ""
    _, pod = min(bad, key=lambda each: (not each[0].failed, "; " not in each[0].why))
    return f"Pod {text(pod, 'metadata', 'name')}: {pod_causes(pod)}"
