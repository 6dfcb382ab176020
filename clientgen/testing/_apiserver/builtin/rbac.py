"""Rules of roles and bindings (rbac.authorization.k8s.io).

https://kubernetes.io/docs/reference/access-authn-authz/rbac/: rules are on resources or on paths,
never on both; what a binding refers to stays as it was created.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
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
from clientgen._apimachinery.optional_parts import part, parts, texts

from .validating import checks, checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["label_requirement_causes", "requirement_values_causes"]

_GROUP: Final = "rbac.authorization.k8s.io"
_SUBJECTS: Final = ("ServiceAccount", "User", "Group")
_WITH_VALUES: Final = ("In", "NotIn")
_WITHOUT_VALUES: Final = ("Exists", "DoesNotExist")


@checks(_GROUP, "roles")
def _role_causes(role: dict[str, Any]) -> Iterator[Cause]:
    for index, rule in enumerate(parts(role, "rules")):
        yield from _rule_causes(rule, f"rules[{index}]", namespaced=True)


@checks(_GROUP, "clusterroles")
def _cluster_role_causes(role: dict[str, Any]) -> Iterator[Cause]:
    if role.get("aggregationRule") is not None:
        yield from _aggregation_causes(role["aggregationRule"])
    for index, rule in enumerate(parts(role, "rules")):
        yield from _rule_causes(rule, f"rules[{index}]", namespaced=False)


# --------------------------------------------------------------------------------- roles


def _rule_causes(rule: Mapping[str, Any], field: str, *, namespaced: bool) -> list[Cause]:
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


def _aggregation_causes(rule: Mapping[str, Any]) -> list[Cause]:
    selectors, field = rule.get("clusterRoleSelectors"), "aggregationRule.clusterRoleSelectors"
    if not selectors:
        why = "at least one clusterRoleSelector required if aggregationRule is non-nil"
        return [required(field, why)]
    causes: list[Cause] = []
    for index, selector in enumerate(selectors):
        path = f"{field}[{index}]"
        found = _selector_causes(selector, path)
        if found:
            found.append(invalid_value(path, None, "invalid label selector."))
        causes += found
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
        if operator not in (*_WITH_VALUES, *_WITHOUT_VALUES):
            why = "not a valid selector operator"
            causes.append(invalid_value(f"{path}.operator", operator, why))
        causes += label_requirement_causes(requirement, path)
    return causes


def label_requirement_causes(requirement: Mapping[str, Any], field: str) -> list[Cause]:
    """What is wrong with one requirement on labels, its operator left aside."""
    causes = requirement_values_causes(requirement, field)
    key = requirement.get("key") or ""
    causes += [invalid_value(f"{field}.key", key, each) for each in qualified_name_problems(key)]
    for index, value in enumerate(texts(requirement, "values")):
        problems = label_value_problems(value)
        causes += [invalid_value(f"{field}.values[{index}]", value, each) for each in problems]
    return causes


def requirement_values_causes(requirement: Mapping[str, Any], field: str) -> list[Cause]:
    """Whether a requirement has values exactly when its operator compares with some."""
    operator, values = requirement.get("operator"), requirement.get("values")
    if operator in _WITH_VALUES and not values:
        why = "must be specified when `operator` is 'In' or 'NotIn'"
        return [required(f"{field}.values", why)]
    if operator in _WITHOUT_VALUES and values:
        why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        return [forbidden_value(f"{field}.values", why)]
    return []


# ------------------------------------------------------------------------------ bindings


@checks(_GROUP, "rolebindings")
def _role_binding_causes(binding: dict[str, Any]) -> Iterator[Cause]:
    yield from _reference_causes(part(binding, "roleRef"), ("Role", "ClusterRole"))
    for index, subject in enumerate(parts(binding, "subjects")):
        yield from _subject_causes(subject, f"subjects[{index}]", namespaced=True)


@checks(_GROUP, "clusterrolebindings")
def _cluster_role_binding_causes(binding: dict[str, Any]) -> Iterator[Cause]:
    yield from _reference_causes(part(binding, "roleRef"), ("ClusterRole",))
    for index, subject in enumerate(parts(binding, "subjects")):
        yield from _subject_causes(subject, f"subjects[{index}]", namespaced=False)


@checks_change(_GROUP, "rolebindings", "clusterrolebindings")
def _other_role_causes(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    reference = part(new, "roleRef")
    if reference != part(old, "roleRef"):
        shown = {
            "APIGroup": reference.get("apiGroup", ""),
            "Kind": reference.get("kind", ""),
            "Name": reference.get("name", ""),
        }
        yield invalid_value("roleRef", shown, "cannot change roleRef")


def _reference_causes(reference: Mapping[str, Any], kinds: tuple[str, ...]) -> list[Cause]:
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


def _subject_causes(subject: Mapping[str, Any], field: str, *, namespaced: bool) -> list[Cause]:
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
