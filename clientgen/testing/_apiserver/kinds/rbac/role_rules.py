"""The rules of roles, and the references of bindings.

A rule is on resources or on paths, never on both; the role of a binding cannot change
(https://kubernetes.io/docs/reference/access-authn-authz/rbac/).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    invalid_value,
    not_supported,
    required,
)
from clientgen._apimachinery.name_syntax import (
    label_value_problems,
    path_segment_problems,
    qualified_name_problems,
    subdomain_problems,
)
from clientgen._json import part, parts

from ..defaults import set_empty
from ..shared.label_requirements import OPERATORS, label_requirement_causes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_GROUP: Final = "rbac.authorization.k8s.io"
_SUBJECTS: Final = ("ServiceAccount", "User", "Group")


def rule_causes(rule: Mapping[str, Any], field: str, *, namespaced: bool) -> list[Cause]:
    """List the mistakes in a rule."""
    causes: list[Cause] = []
    if not rule.get("verbs"):
        causes.append(required(f"{field}.verbs", "verbs must contain at least one value"))
    paths = rule.get("nonResourceURLs")
    if paths:
        why = ""
        if namespaced:
            why = "namespaced rules cannot apply to non-resource URLs"
        elif any(rule.get(each) for each in ("apiGroups", "resources", "resourceNames")):
            why = "rules cannot apply to both regular resources and non-resource URLs"
        return [*causes, invalid_value(f"{field}.nonResourceURLs", paths, why)] if why else causes
    if not rule.get("apiGroups"):
        why = "resource rules must supply at least one api group"
        causes.append(required(f"{field}.apiGroups", why))
    if not rule.get("resources"):
        why = "resource rules must supply at least one resource"
        causes.append(required(f"{field}.resources", why))
    return causes


def aggregation_causes(rule: Mapping[str, Any]) -> list[Cause]:
    """List the mistakes in an aggregation rule."""
    selectors, field = rule.get("clusterRoleSelectors"), "aggregationRule.clusterRoleSelectors"
    if not selectors:
        why = "at least one clusterRoleSelector required if aggregationRule is non-nil"
        return [required(field, why)]
    causes: list[Cause] = []
    for index, selector in enumerate(selectors):
        path = f"{field}[{index}]"
        in_selector = _selector_causes(selector, path)
        if in_selector:
            in_selector.append(invalid_value(path, None, "invalid label selector."))
        causes += in_selector
    return causes


def _selector_causes(selector: Mapping[str, Any], field: str) -> list[Cause]:
    causes: list[Cause] = []
    labels = f"{field}.matchLabels"
    for key, value in sorted(part(selector, "matchLabels").items()):
        causes += [invalid_value(labels, key, each) for each in qualified_name_problems(key)]
        causes += [invalid_value(labels, value, each) for each in label_value_problems(value)]
    for index, requirement in enumerate(parts(selector, "matchExpressions")):
        path = f"{field}.matchExpressions[{index}]"
        operator = requirement.get("operator") or ""
        if operator not in OPERATORS:
            why = "not a valid selector operator"
            causes.append(invalid_value(f"{path}.operator", operator, why))
        causes += label_requirement_causes(requirement, path)
    return causes


def reference_causes(reference: Mapping[str, Any], kinds: tuple[str, ...]) -> list[Cause]:
    """List the mistakes in the reference to a role."""
    group, kind, name = (reference.get(part) or "" for part in ("apiGroup", "kind", "name"))
    causes: list[Cause] = []
    if group != _GROUP:
        causes.append(not_supported("roleRef.apiGroup", group, [_GROUP]))
    if kind not in kinds:
        causes.append(not_supported("roleRef.kind", kind, kinds))
    if not name:
        return [*causes, required("roleRef.name")]
    problems = path_segment_problems(name)
    return causes + [invalid_value("roleRef.name", name, each) for each in problems]


def subject_causes(subject: Mapping[str, Any], field: str, *, namespaced: bool) -> list[Cause]:
    """List the mistakes in a subject."""
    group, kind, name = (subject.get(part) or "" for part in ("apiGroup", "kind", "name"))
    causes: list[Cause] = [] if name else [required(f"{field}.name")]
    if kind not in _SUBJECTS:
        return [*causes, not_supported(f"{field}.kind", kind, _SUBJECTS)]
    expected = "" if kind == "ServiceAccount" else _GROUP
    if kind == "ServiceAccount" and name:
        problems = subdomain_problems(name)
        causes += [invalid_value(f"{field}.name", name, each) for each in problems]
    if group != expected:
        causes.append(not_supported(f"{field}.apiGroup", group, [expected]))
    if kind == "ServiceAccount" and not namespaced and not subject.get("namespace"):
        causes.append(required(f"{field}.namespace"))
    return causes


def role_change_causes(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    """Refuse another role in an existing binding."""
    reference = part(new, "roleRef")
    if reference != part(old, "roleRef"):
        shown = {
            "APIGroup": reference.get("apiGroup", ""),
            "Kind": reference.get("kind", ""),
            "Name": reference.get("name", ""),
        }
        yield invalid_value("roleRef", shown, "cannot change roleRef")


def set_role_group(reference: dict[str, Any]) -> None:
    """Complete the reference to a role."""
    set_empty(reference, apiGroup=_GROUP)


def set_subject_group(subject: dict[str, Any]) -> None:
    """Complete the reference to a user or a group."""
    if subject.get("kind") in ("User", "Group"):
        set_empty(subject, apiGroup=_GROUP)
