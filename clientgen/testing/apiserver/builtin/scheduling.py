"""What pods may say of the nodes they run on: tolerations, affinity, spread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..failures import Cause, duplicate, invalid_value, required
from ..parts import part, parts, texts
from .checks import matches, one_of, selector_causes
from .texts import label_value_problems, qualified_name_problems

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["affinity_causes", "gates_causes", "spread_causes", "tolerations_causes"]

_MOST_WEIGHT: Final = 100
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_NODE_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


def tolerations_causes(tolerations: list[dict[str, Any]], field: str) -> Iterator[Cause]:
    """What is wrong with tolerations."""
    for index, toleration in enumerate(tolerations):
        yield from _toleration(toleration, f"{field}[{index}]")


def _toleration(toleration: dict[str, Any], field: str) -> Iterator[Cause]:
    key, value = toleration.get("key") or "", toleration.get("value") or ""
    operator, effect = toleration.get("operator") or "", toleration.get("effect") or ""
    if key:
        yield from matches(f"{field}.key", key, qualified_name_problems)
    elif operator != "Exists":
        said = (
            "operator must be Exists when `key` is empty, "
            'which means "match all values and all keys"'
        )
        yield invalid_value(f"{field}.operator", operator, said)
    if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
        said = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        yield invalid_value(f"{field}.effect", effect, said)
    if operator in ("", "Equal"):
        yield from matches(f"{field}.operator", value, label_value_problems)
    elif operator == "Exists" and value:
        said = "value must be empty when `operator` is 'Exists'"
        yield invalid_value(f"{field}.operator", value, said)
    elif operator != "Exists":
        yield from one_of(f"{field}.operator", operator, ("Equal", "Exists"))
    if effect:
        yield from one_of(f"{field}.effect", effect, _EFFECTS)


def gates_causes(gates: list[dict[str, Any]], field: str) -> Iterator[Cause]:
    """What is wrong with scheduling gates."""
    seen: set[str] = set()
    for index, gate in enumerate(gates):
        name = gate.get("name") or ""
        yield from matches(f"{field}[{index}]", name, qualified_name_problems)
        if name in seen:
            yield duplicate(f"{field}[{index}]", name)
        seen.add(name)


def spread_causes(constraints: list[dict[str, Any]], field: str) -> Iterator[Cause]:
    """What is wrong with topology spread constraints."""
    for index, constraint in enumerate(constraints):
        at = f"{field}[{index}]"
        if constraint.get("maxSkew", 0) <= 0:
            said = "must be greater than zero"
            yield invalid_value(f"{at}.maxSkew", constraint.get("maxSkew", 0), said)
        if not constraint.get("topologyKey"):
            yield required(f"{at}.topologyKey", "can not be empty")
        action = constraint.get("whenUnsatisfiable")
        known = ("DoNotSchedule", "ScheduleAnyway")
        yield from one_of(f"{at}.whenUnsatisfiable", action, known)
        yield from selector_causes(constraint.get("labelSelector"), f"{at}.labelSelector")


def affinity_causes(affinity: dict[str, Any] | None, field: str) -> Iterator[Cause]:
    """What is wrong with the affinity of a pod."""
    if not affinity:
        return
    if affinity.get("nodeAffinity"):
        yield from _node_affinity(affinity["nodeAffinity"], f"{field}.nodeAffinity")
    for kind in ("podAffinity", "podAntiAffinity"):
        if affinity.get(kind):
            yield from _pod_affinity(affinity[kind], f"{field}.{kind}")


def _node_affinity(affinity: dict[str, Any], field: str) -> Iterator[Cause]:
    needed = affinity.get(_REQUIRED)
    if needed is not None:
        at = f"{field}.{_REQUIRED}.nodeSelectorTerms"
        if not needed.get("nodeSelectorTerms"):
            yield required(at, "must have at least one node selector term")
        for index, term in enumerate(parts(needed, "nodeSelectorTerms")):
            yield from _node_term(term, f"{at}[{index}]")
    for index, preferred in enumerate(parts(affinity, _PREFERRED)):
        at = f"{field}.{_PREFERRED}[{index}]"
        yield from _weight(preferred, at)
        yield from _node_term(part(preferred, "preference"), f"{at}.preference")


def _weight(preferred: dict[str, Any], field: str) -> Iterator[Cause]:
    weight = preferred.get("weight") or 0
    if not 1 <= weight <= _MOST_WEIGHT:
        yield invalid_value(f"{field}.weight", weight, "must be in the range 1-100")


def _node_term(term: dict[str, Any], field: str) -> Iterator[Cause]:
    for member in ("matchExpressions", "matchFields"):
        for index, requirement in enumerate(parts(term, member)):
            at = f"{field}.{member}[{index}]"
            yield from _node_requirement(requirement, at)
            if member == "matchExpressions":
                key = requirement.get("key") or ""
                yield from matches(f"{at}.key", key, qualified_name_problems)


def _node_requirement(requirement: dict[str, Any], field: str) -> Iterator[Cause]:
    operator, values = requirement.get("operator") or "", texts(requirement, "values")
    if operator in ("In", "NotIn") and not values:
        yield required(f"{field}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in ("Exists", "DoesNotExist") and values:
        said = "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        yield Cause("FieldValueForbidden", said, f"{field}.values")
    elif operator in ("Gt", "Lt") and len(values) != 1:
        said = "must be specified single value when `operator` is 'Lt' or 'Gt'"
        yield required(f"{field}.values", said)
    elif operator not in _NODE_OPERATORS:
        yield invalid_value(f"{field}.operator", operator, "not a valid selector operator")


def _pod_affinity(affinity: dict[str, Any], field: str) -> Iterator[Cause]:
    for index, term in enumerate(parts(affinity, _REQUIRED)):
        yield from _pod_term(term, f"{field}.{_REQUIRED}[{index}]")
    for index, preferred in enumerate(parts(affinity, _PREFERRED)):
        at = f"{field}.{_PREFERRED}[{index}]"
        yield from _weight(preferred, at)
        yield from _pod_term(part(preferred, "podAffinityTerm"), f"{at}.podAffinityTerm")


def _pod_term(term: dict[str, Any], field: str) -> Iterator[Cause]:
    yield from selector_causes(term.get("labelSelector"), f"{field}.labelSelector")
    yield from selector_causes(term.get("namespaceSelector"), f"{field}.namespaceSelector")
    key = term.get("topologyKey") or ""
    if not key:
        yield required(f"{field}.topologyKey", "can not be empty")
    yield from matches(f"{field}.topologyKey", key, qualified_name_problems)
