"""Prepares Pods for creation and update, including default admission plugins.

Those are DefaultTolerationSeconds, Priority and RuntimeClass (Kubernetes documentation, "Admission
Control"). LimitRanger, ResourceQuota, PodSecurity and ServiceAccount are not imitated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Failure, forbidden
from clientgen._apimachinery.optional_parts import part, parts, texts

from ..kinds.shared.quantities import amount
from .pod_defaults import containers_of
from .strategies import on_create, on_update

if TYPE_CHECKING:
    from ..object_reader import ObjectReader

__all__ = ["qos_class"]

_CONDITIONS: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_TOLERATED_SECONDS: Final = 300
_NO_CLASS: Final[dict[str, Any]] = {}
_GATED: Final[dict[str, Any]] = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "SchedulingGated",
    "message": "Scheduling is blocked due to non-empty scheduling gates",
    "lastProbeTime": None,
}
_COUNTED: Final = ("cpu", "memory")


@on_create("", "pods")
def _create_pod(pod: dict[str, Any], reader: ObjectReader) -> None:
    _match_labels(pod)
    _tolerate(pod["spec"])
    _prioritise(pod, reader)
    _overhead(pod, reader)
    status: dict[str, Any] = {"phase": "Pending", "qosClass": qos_class(pod["spec"])}
    pod["status"] = status
    if (pod["spec"].get("terminationGracePeriodSeconds") or 0) < 0:
        pod["spec"]["terminationGracePeriodSeconds"] = 1
    if pod["spec"].get("schedulingGates"):
        since = reader.now().strftime("%Y-%m-%dT%H:%M:%SZ")
        status["conditions"] = [{**_GATED, "lastTransitionTime": since}]


def _match_labels(pod: dict[str, Any]) -> None:
    """Make the labels of a pod that its own rules name a part of their selectors."""
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


# ------------------------------------------------------------------------------ admission


def _tolerate(spec: dict[str, Any]) -> None:
    """Pods stay five minutes on a node that is in trouble."""
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


def _prioritise(pod: dict[str, Any], reader: ObjectReader) -> None:
    spec = pod["spec"]
    found = _priority_class(pod, reader)
    priority = found.get("value", 0)
    policy = found.get("preemptionPolicy") or "PreemptLowerPriority"
    if found and not spec.get("priorityClassName"):
        spec["priorityClassName"] = found["metadata"]["name"]
    for field, value, said in (
        ("priority", priority, "integer value of priority"),
        ("preemptionPolicy", policy, "string value of PreemptionPolicy"),
    ):
        given = spec.get(field)
        if given is not None and given != value:
            why = f"the {said} ({given}) must not be provided in pod spec; "
            raise _refused(pod, f"{why}priority admission controller computed {value} from it")
        spec[field] = value


def _priority_class(pod: dict[str, Any], reader: ObjectReader) -> dict[str, Any]:
    name = pod["spec"].get("priorityClassName")
    if name:
        found = reader.get("scheduling.k8s.io", "priorityclasses", "", name)
        if found is None:
            raise _refused(pod, f"no PriorityClass with name {name} was found")
        return found
    marked = [
        each
        for each in reader.list("scheduling.k8s.io", "priorityclasses")
        if each.get("globalDefault")
    ]
    return min(marked, key=lambda each: int(each.get("value", 0)), default=_NO_CLASS)


def _overhead(pod: dict[str, Any], reader: ObjectReader) -> None:
    spec = pod["spec"]
    name = spec.get("runtimeClassName")
    if not name:
        if spec.get("overhead"):
            why = "Pod Overhead set without corresponding RuntimeClass defined Overhead"
            raise _refused(pod, f"pod rejected: {why}")
        return
    found = reader.get("node.k8s.io", "runtimeclasses", "", name)
    if found is None:
        raise _refused(pod, f'pod rejected: RuntimeClass "{name}" not found')
    if found.get("overhead"):
        spec["overhead"] = found["overhead"].get("podFixed", {})


# ------------------------------------------------------------------------------------ qos


def qos_class(spec: dict[str, Any]) -> str:
    """Guaranteed, Burstable or BestEffort, from what the containers ask for."""
    containers = [part(container, "resources") for container in containers_of(spec)]
    if spec.get("resources"):
        containers = [spec["resources"]]
    asked = [
        amount(value)
        for resources in containers
        for side in ("requests", "limits")
        for name, value in part(resources, side).items()
        if name in _COUNTED
    ]
    if not any(asked):
        return "BestEffort"
    return "Guaranteed" if all(_is_fixed(resources) for resources in containers) else "Burstable"


def _is_fixed(resources: dict[str, Any]) -> bool:
    requests, limits = part(resources, "requests"), part(resources, "limits")
    return all(
        amount(limits.get(name, 0)) > 0
        and amount(requests.get(name, limits[name])) == amount(limits[name])
        for name in _COUNTED
    )


# -------------------------------------------------------------------------------- updates


@on_update("", "pods")
def _update_pod(new: dict[str, Any], old: dict[str, Any], reader: ObjectReader) -> None:
    del reader
    for field in ("priority", "preemptionPolicy"):
        if new["spec"].get(field) is None and field in old["spec"]:
            new["spec"][field] = old["spec"][field]
    _tolerate(new["spec"])


@on_update("", "pods", "status")
def _update_status(new: dict[str, Any], old: dict[str, Any], reader: ObjectReader) -> None:
    del reader
    status = part(new, "status")
    if not status.get("qosClass"):
        status["qosClass"] = part(old, "status").get("qosClass") or qos_class(new["spec"])


@on_update("", "pods", "ephemeralcontainers")
def _update_ephemeral(new: dict[str, Any], old: dict[str, Any], reader: ObjectReader) -> None:
    del reader
    _keep_metadata(new, old)
    containers = parts(part(new, "spec"), "ephemeralContainers")
    new["spec"] = {**old["spec"], "ephemeralContainers": containers}
    if not containers:
        del new["spec"]["ephemeralContainers"]


@on_update("", "pods", "resize")
def _resize(new: dict[str, Any], old: dict[str, Any], reader: ObjectReader) -> None:
    """Only what containers ask for is changed here; others than there were are not let in later."""
    del reader
    _keep_metadata(new, old)
    spec = dict(old["spec"])
    for field in ("containers", "initContainers"):
        before, after = parts(spec, field), parts(new["spec"], field)
        if [each["name"] for each in before] != [each["name"] for each in after]:
            spec[field] = after
        elif before:
            spec[field] = [_resized(*pair) for pair in zip(before, after, strict=True)]
    new["spec"] = spec


def _keep_metadata(new: dict[str, Any], old: dict[str, Any]) -> None:
    for field in ("labels", "annotations"):
        new["metadata"].pop(field, None)
        if field in old["metadata"]:
            new["metadata"][field] = old["metadata"][field]


def _resized(container: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    taken: dict[str, Any] = {
        field: wanted[field] for field in ("resources", "resizePolicy") if field in wanted
    }
    return {**container, **taken}
