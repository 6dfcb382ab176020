"""The default admission plugins of Pods, and selectors with labels of the pod.

Those are DefaultTolerationSeconds, Priority and RuntimeClass (Kubernetes documentation, "Admission
Control"). LimitRanger, ResourceQuota, PodSecurity and ServiceAccount are not imitated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Failure, forbidden
from clientgen._json import part, parts, texts

if TYPE_CHECKING:
    from ....object_reader import ObjectReader

_CONDITIONS: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_TOLERATED_SECONDS: Final = 300
_NO_CLASS: Final[dict[str, Any]] = {}


def match_labels(pod: dict[str, Any]) -> None:
    """Add the labels of a pod that its scheduling rules name to their selectors."""
    labels, spec = part(pod["metadata"], "labels"), pod["spec"]
    affinity = part(spec, "affinity")
    terms = list(parts(spec, "topologySpreadConstraints"))
    for kind in ("podAffinity", "podAntiAffinity"):
        needed = "requiredDuringSchedulingIgnoredDuringExecution"
        preferred = "preferredDuringSchedulingIgnoredDuringExecution"
        terms += parts(part(affinity, kind), needed)
        terms += [part(each, "podAffinityTerm") for each in parts(part(affinity, kind), preferred)]
    for term in terms:
        selector: dict[str, Any] | None = term.get("labelSelector")
        if selector is None:
            continue
        for member, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")):
            for key in texts(term, member):
                if key in labels:
                    added = {"key": key, "operator": operator, "values": [labels[key]]}
                    before = parts(selector, "matchExpressions")
                    selector["matchExpressions"] = [*before, added]


def _refused(pod: dict[str, Any], why: str) -> Failure:
    return forbidden("", "pods", pod["metadata"].get("name", ""), why)


def tolerate(spec: dict[str, Any]) -> None:
    """Add the tolerations that keep a pod for five minutes on a node that is not ready."""
    tolerations = parts(spec, "tolerations")
    missing = [key for key in _CONDITIONS if not any(_tolerates(t, key) for t in tolerations)]
    added = [
        {
            "key": key,
            "operator": "Exists",
            "effect": "NoExecute",
            "tolerationSeconds": _TOLERATED_SECONDS,
        }
        for key in missing
    ]
    if added:
        spec["tolerations"] = [*tolerations, *added]


def _tolerates(toleration: dict[str, Any], key: str) -> bool:
    same_effect = toleration.get("effect", "") in ("", "NoExecute")
    return same_effect and toleration.get("key", "") in ("", key)


def set_priority(pod: dict[str, Any], reader: ObjectReader) -> None:
    """Set the priority of the pod's class.

    Raises:
        Failure: 403, if there is no such class, or the pod has another priority.
    """
    spec = pod["spec"]
    priority_class = _priority_class(pod, reader)
    priority = priority_class.get("value", 0)
    policy = priority_class.get("preemptionPolicy") or "PreemptLowerPriority"
    if priority_class and not spec.get("priorityClassName"):
        spec["priorityClassName"] = priority_class["metadata"]["name"]
    for member, value, title in (
        ("priority", priority, "integer value of priority"),
        ("preemptionPolicy", policy, "string value of PreemptionPolicy"),
    ):
        before = spec.get(member)
        if before is not None and before != value:
            why = f"the {title} ({before}) must not be provided in pod spec; "
            raise _refused(pod, f"{why}priority admission controller computed {value} from it")
        spec[member] = value


def _priority_class(pod: dict[str, Any], reader: ObjectReader) -> dict[str, Any]:
    name = pod["spec"].get("priorityClassName")
    if name:
        priority_class = reader.get("scheduling.k8s.io", "priorityclasses", "", name)
        if priority_class is None:
            raise _refused(pod, f"no PriorityClass with name {name} was found")
        return priority_class
    marked = [
        each
        for each in reader.list("scheduling.k8s.io", "priorityclasses")
        if each.get("globalDefault")
    ]
    return min(marked, key=lambda each: int(each.get("value", 0)), default=_NO_CLASS)


def set_overhead(pod: dict[str, Any], reader: ObjectReader) -> None:
    """Set the overhead of the pod's runtime class.

    Raises:
        Failure: 403, if there is no such class, or the pod has an overhead without one.
    """
    spec = pod["spec"]
    name = spec.get("runtimeClassName")
    if not name:
        if spec.get("overhead"):
            why = "Pod Overhead set without corresponding RuntimeClass defined Overhead"
            raise _refused(pod, f"pod rejected: {why}")
        return
    runtime_class = reader.get("node.k8s.io", "runtimeclasses", "", name)
    if runtime_class is None:
        raise _refused(pod, f'pod rejected: RuntimeClass "{name}" not found')
    if runtime_class.get("overhead"):
        spec["overhead"] = runtime_class["overhead"].get("podFixed", {})
