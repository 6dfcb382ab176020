"""Validates pod scheduling: tolerations, affinity, topology spread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from clientgen._apimachinery.name_syntax import (
    label_problems,
    label_value_problems,
    qualified_name_problems,
    subdomain_problems,
)
from clientgen._json import part, parts, texts

from .common_checks import matches, one_of, selector_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_WEIGHT: Final = 100
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_NODE_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


def tolerations_causes(tolerations: list[dict[str, Any]], field: str) -> Iterator[Cause]:
    """Check tolerations."""
    for index, toleration in enumerate(tolerations):
        yield from _toleration(toleration, f"{field}[{index}]")


def _toleration(toleration: dict[str, Any], field: str) -> Iterator[Cause]:
    key, value = toleration.get("key") or "", toleration.get("value") or ""
    operator, effect = toleration.get("operator") or "", toleration.get("effect") or ""
    if key:
        yield from matches(f"{field}.key", key, qualified_name_problems)
    elif operator != "Exists":
        why = (
            "operator must be Exists when `key` is empty, "
            'which means "match all values and all keys"'
        )
        yield invalid_value(f"{field}.operator", operator, why)
    if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
        why = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        yield invalid_value(f"{field}.effect", effect, why)
    if operator in ("", "Equal"):
        problems = label_value_problems(value)
        if problems:
            yield invalid_value(f"{field}.operator", value, ";".join(problems))
    elif operator == "Exists" and value:
        why = "value must be empty when `operator` is 'Exists'"
        yield invalid_value(f"{field}.operator", value, why)
    elif operator in ("Lt", "Gt"):
        yield not_supported(f"{field}.operator", operator, ("Equal", "Exists", "Lt", "Gt"))
    elif operator != "Exists":
        yield not_supported(f"{field}.operator", operator, ("Equal", "Exists"))
    if effect:
        yield from one_of(f"{field}.effect", effect, _EFFECTS)


def gates_causes(gates: list[dict[str, Any]], field: str) -> Iterator[Cause]:
    """Check scheduling gates."""
    seen: set[str] = set()
    for index, gate in enumerate(gates):
        name = gate.get("name") or ""
        yield from matches(f"{field}[{index}]", name, qualified_name_problems)
        if name in seen:
            yield duplicate(f"{field}[{index}]", name)
        seen.add(name)


def spread_causes(constraints: list[dict[str, Any]], field: str) -> Iterator[Cause]:
    """Check topology spread constraints."""
    pairs = [(each.get("topologyKey"), each.get("whenUnsatisfiable")) for each in constraints]
    last = {pair: index for index, pair in enumerate(pairs)}
    for index, constraint in enumerate(constraints):
        at = f"{field}[{index}]"
        yield from _is_positive(f"{at}.maxSkew", constraint.get("maxSkew") or 0)
        if not constraint.get("topologyKey"):
            yield required(f"{at}.topologyKey", "can not be empty")
        action = constraint.get("whenUnsatisfiable") or ""
        yield from one_of(f"{at}.whenUnsatisfiable", action, ("DoNotSchedule", "ScheduleAnyway"))
        if last[pairs[index]] > index:
            shown = f"{{{', '.join(str(word or '') for word in pairs[index])}}}"
            yield duplicate(f"{at}.{{topologyKey, whenUnsatisfiable}}", shown)
        yield from _domains(constraint, action, f"{at}.minDomains")
        for member in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            policy = constraint.get(member)
            yield from one_of(f"{at}.{member}", policy, ("Honor", "Ignore"), needed=False)
        yield from _label_keys(constraint, at)
        yield from selector_causes(constraint.get("labelSelector"), f"{at}.labelSelector")


def _is_positive(field: str, number: int) -> Iterator[Cause]:
    if number <= 0:
        yield invalid_value(field, number, "must be greater than 0")


def _domains(constraint: dict[str, Any], action: str, field: str) -> Iterator[Cause]:
    least = constraint.get("minDomains")
    if least is None:
        return
    yield from _is_positive(field, least)
    if action != "DoNotSchedule":
        why = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        yield invalid_value(field, least, why)


def _label_keys(term: dict[str, Any], field: str) -> Iterator[Cause]:
    """Keys of a pod's own labels, which are made a part of the selector."""
    selector, keys = term.get("labelSelector"), texts(term, "matchLabelKeys")
    others = texts(term, "mismatchLabelKeys")
    for member, names in (("matchLabelKeys", keys), ("mismatchLabelKeys", others)):
        at = f"{field}.{member}"
        if names and selector is None:
            yield forbidden_value(at, "must not be specified when labelSelector is not set")
            continue
        for index, name in enumerate(names):
            yield from matches(f"{at}[{index}]", name, qualified_name_problems)
    positions = {name: index for index, name in enumerate(keys)}
    mismatched = set(others)
    seen = set(part(selector or {}, "matchLabels"))
    for expression in parts(selector or {}, "matchExpressions"):
        name = expression.get("key") or ""
        if name in positions and name in seen:
            yield invalid_value(
                f"{field}[{positions[name]}]",
                name,
                "exists in both matchLabelKeys and labelSelector",
            )
        seen.add(name)
    for index, name in enumerate(keys):
        if name in mismatched:
            at = f"{field}.matchLabelKeys[{index}]"
            yield invalid_value(at, name, "exists in both matchLabelKeys and mismatchLabelKeys")


def affinity_causes(affinity: dict[str, Any] | None, field: str) -> Iterator[Cause]:
    """Check the affinity of a pod."""
    if not affinity:
        return
    if affinity.get("nodeAffinity"):
        yield from _node_affinity(affinity["nodeAffinity"], f"{field}.nodeAffinity")
    for kind in ("podAffinity", "podAntiAffinity"):
        if affinity.get(kind):
            yield from _pod_affinity(affinity[kind], f"{field}.{kind}")


def _node_affinity(affinity: dict[str, Any], field: str) -> Iterator[Cause]:
    if affinity.get(_REQUIRED) is not None:
        yield from node_selector_causes(affinity[_REQUIRED], f"{field}.{_REQUIRED}")
    for index, preferred in enumerate(parts(affinity, _PREFERRED)):
        at = f"{field}.{_PREFERRED}[{index}]"
        yield from _weight(preferred, at)
        yield from _node_term(part(preferred, "preference"), f"{at}.preference", preferred=True)


def node_selector_causes(selector: dict[str, Any], field: str) -> Iterator[Cause]:
    """Check a selector of nodes."""
    if not selector.get("nodeSelectorTerms"):
        yield required(f"{field}.nodeSelectorTerms", "must have at least one node selector term")
    for index, term in enumerate(parts(selector, "nodeSelectorTerms")):
        yield from _node_term(term, f"{field}.nodeSelectorTerms[{index}]")


def _weight(preferred: dict[str, Any], field: str) -> Iterator[Cause]:
    weight = preferred.get("weight") or 0
    if not 1 <= weight <= _MAX_WEIGHT:
        yield invalid_value(f"{field}.weight", weight, "must be in the range 1-100")


def _node_term(term: dict[str, Any], field: str, *, preferred: bool = False) -> Iterator[Cause]:
    for index, requirement in enumerate(parts(term, "matchExpressions")):
        at = f"{field}.matchExpressions[{index}]"
        yield from _node_requirement(requirement, at)
        yield from matches(f"{at}.key", requirement.get("key") or "", qualified_name_problems)
        for number, value in enumerate(() if preferred else texts(requirement, "values")):
            yield from matches(f"{at}.values[{number}]", value, label_value_problems)
    for index, requirement in enumerate(parts(term, "matchFields")):
        yield from _node_field(requirement, f"{field}.matchFields[{index}]")


def _node_field(requirement: dict[str, Any], field: str) -> Iterator[Cause]:
    operator, values = requirement.get("operator") or "", texts(requirement, "values")
    if operator not in ("In", "NotIn"):
        yield invalid_value(f"{field}.operator", operator, "not a valid selector operator")
    elif len(values) != 1:
        why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        yield required(f"{field}.values", why)
    key = requirement.get("key") or ""
    if key != "metadata.name":
        yield invalid_value(f"{field}.key", key, "not a valid field selector key")
        return
    for index, value in enumerate(values):
        yield from matches(f"{field}.values[{index}]", value, subdomain_problems)


def _node_requirement(requirement: dict[str, Any], field: str) -> Iterator[Cause]:
    operator, values = requirement.get("operator") or "", texts(requirement, "values")
    if operator in ("In", "NotIn") and not values:
        yield required(f"{field}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in ("Exists", "DoesNotExist") and values:
        why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        yield forbidden_value(f"{field}.values", why)
    elif operator in ("Gt", "Lt") and len(values) != 1:
        why = "must be specified single value when `operator` is 'Lt' or 'Gt'"
        yield required(f"{field}.values", why)
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
    for name in texts(term, "namespaces"):
        yield from matches(f"{field}.namespace", name, label_problems)
    yield from _label_keys(term, field)
    key = term.get("topologyKey") or ""
    if not key:
        yield required(f"{field}.topologyKey", "can not be empty")
    yield from matches(f"{field}.topologyKey", key, qualified_name_problems)
