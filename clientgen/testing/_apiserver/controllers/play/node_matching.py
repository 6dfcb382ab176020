"""Which nodes a pod may run on: its node selector, its node affinity, and the taints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part, parts, texts

if TYPE_CHECKING:
    from collections.abc import Iterable

_UNSCHEDULABLE: Final = "node.kubernetes.io/unschedulable"


def misfit(pod: dict[str, Any], node: dict[str, Any]) -> str:
    """Return why a pod must not be on a node, in the scheduler's words; empty if it may."""
    spec = pod["spec"]
    if part(node, "spec").get("unschedulable") and not _tolerates_cordon(spec):
        return "node(s) were unschedulable"
    taint = first_untolerated(spec, node, ("NoSchedule", "NoExecute"))
    if taint is not None:
        value = f": {taint['value']}" if taint.get("value") else ": "
        return f"node(s) had untolerated taint {{{taint.get('key')}{value}}}"
    if not selects_node(spec, node):
        return "node(s) didn't match Pod's node affinity/selector"
    return ""


def _tolerates_cordon(spec: dict[str, Any]) -> bool:
    return tolerates(parts(spec, "tolerations"), {"key": _UNSCHEDULABLE, "effect": "NoSchedule"})


def first_untolerated(
    spec: dict[str, Any], node: dict[str, Any], effects: Iterable[str]
) -> dict[str, Any] | None:
    """Return the first taint of a node that a pod does not tolerate."""
    for taint in parts(part(node, "spec"), "taints"):
        if taint.get("effect", "") in tuple(effects) and not tolerates(
            parts(spec, "tolerations"), taint
        ):
            return taint
    return None


def tolerates(tolerations: Iterable[dict[str, Any]], taint: dict[str, Any]) -> bool:
    """Return whether a toleration is for a taint."""
    return any(_is_for(toleration, taint) for toleration in tolerations)


def _is_for(toleration: dict[str, Any], taint: dict[str, Any]) -> bool:
    if toleration.get("effect") and toleration["effect"] != taint.get("effect"):
        return False
    if toleration.get("key") and toleration["key"] != taint.get("key"):
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return True
    return bool(toleration.get("key")) and toleration.get("value", "") == taint.get("value", "")


def selects_node(spec: dict[str, Any], node: dict[str, Any]) -> bool:
    """Return whether a node has the labels that a pod asks for."""
    labels = part(node["metadata"], "labels")
    if not part(spec, "nodeSelector").items() <= labels.items():
        return False
    required = part(part(spec, "affinity"), "nodeAffinity").get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    )
    if not required:
        return True
    return any(_term_fits(term, node) for term in parts(required, "nodeSelectorTerms"))


def _term_fits(term: dict[str, Any], node: dict[str, Any]) -> bool:
    labels = part(node["metadata"], "labels")
    expressions, fields = parts(term, "matchExpressions"), parts(term, "matchFields")
    if not expressions and not fields:
        return False
    name = {"metadata.name": node["metadata"]["name"]}
    return all(_fits(each, labels) for each in expressions) and all(
        _fits(each, name) for each in fields
    )


def _fits(requirement: dict[str, Any], labels: dict[str, str]) -> bool:
    value, values = labels.get(requirement.get("key", "")), texts(requirement, "values")
    match requirement.get("operator"):
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt" as operator:
            return _compares(operator, value, values)
        case _:
            return False


def _compares(operator: str, value: str | None, values: list[str]) -> bool:
    try:
        have, limit = int(value or ""), int(values[0])
    except (ValueError, IndexError):
        return False
    return have > limit if operator == "Gt" else have < limit
