"""The pods of DaemonSets."""

from __future__ import annotations

from typing import Any, Final

from clientgen._json import part, parts, texts

from .pod_control import from_template

HASH: Final = "controller-revision-hash"
_FIELD: Final = "metadata.name"
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
TOLERATIONS: Final[tuple[dict[str, Any], ...]] = tuple(
    {"key": f"node.kubernetes.io/{name}", "operator": "Exists", "effect": effect}
    for name, effect in (
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
    )
)
"""What every pod of a DaemonSet tolerates."""
_NETWORK: Final = {
    "key": "node.kubernetes.io/network-unavailable",
    "operator": "Exists",
    "effect": "NoSchedule",
}


def new_daemon_pod(
    daemon_set: dict[str, Any], node: str, digest: str, generation: str
) -> dict[str, Any]:
    """Return the pod for a node; the scheduler is told by an affinity where it goes."""
    pod = from_template(daemon_set["spec"]["template"], daemon_set["metadata"]["name"])
    labels = {**part(pod["metadata"], "labels"), HASH: digest}
    if generation:
        labels["pod-template-generation"] = generation
    pod["metadata"]["labels"] = labels
    spec = pod["spec"]
    own = [*TOLERATIONS, *([_NETWORK] if spec.get("hostNetwork") else [])]
    given = parts(spec, "tolerations")
    spec["tolerations"] = [*given, *(dict(each) for each in own if each not in given)]
    _bind_to(spec, node)
    return pod


def _bind_to(spec: dict[str, Any], node: str) -> None:
    affinity = spec.setdefault("affinity", {})
    of_node = affinity.setdefault("nodeAffinity", {})
    here = {"key": _FIELD, "operator": "In", "values": [node]}
    terms = parts(part(of_node, _REQUIRED), "nodeSelectorTerms") or [{}]
    of_node[_REQUIRED] = {"nodeSelectorTerms": [{**each, "matchFields": [here]} for each in terms]}


def node_of(pod: dict[str, Any]) -> str:
    """Return the node of a pod, or the one that it is for."""
    spec = pod["spec"]
    if spec.get("nodeName"):
        return str(spec["nodeName"])
    required = part(part(part(spec, "affinity"), "nodeAffinity"), _REQUIRED)
    for term in parts(required, "nodeSelectorTerms"):
        for each in parts(term, "matchFields"):
            if each.get("key") == _FIELD and texts(each, "values"):
                return texts(each, "values")[0]
    return ""
