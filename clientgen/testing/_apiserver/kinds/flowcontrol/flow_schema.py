"""FlowSchema: the requests that a priority level is for (API priority and fairness)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from clientgen._apimachinery.name_syntax import label_problems, subdomain_problems
from clientgen._json import part, parts, texts

from ...tables.columns import AGE, NAME, NONE, Column, Printer, View, field, members
from ..defaults import TypeDefaults
from ..shared.common_checks import matches, text
from ..strategy import Strategy
from .condition_types import condition_type_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_PRECEDENCE: Final = 10_000
_SUBJECTS: Final = {"Group": "group", "ServiceAccount": "serviceAccount", "User": "user"}
_VERBS: Final = (
    *("create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"),
)
_MEMBERS: Final = "each member of this list must be '*' or a DNS-1123 label; "


def _dangling(view: View) -> str:
    for condition in view.items("status", "conditions"):
        if condition.get("type") == "Dangling":
            return str(condition.get("status", ""))
    return "?"


def _order(flow_schema: dict[str, Any]) -> tuple[int, str]:
    """Sort in the order in which they are tried."""
    precedence = members(flow_schema, "spec").get("matchingPrecedence") or 0
    return precedence, flow_schema["metadata"].get("name", "")


_COLUMNS: Final = (
    NAME,
    Column(
        "PriorityLevel",
        "The priority requests get.",
        field("spec.priorityLevelConfiguration.name"),
        doc="spec.priorityLevelConfiguration.name",
    ),
    Column(
        "MatchingPrecedence",
        "When it is tried, low numbers first.",
        field("spec.matchingPrecedence", 0),
        doc="spec.matchingPrecedence",
    ),
    Column(
        "DistinguisherMethod",
        "What tells flows apart.",
        field("spec.distinguisherMethod.type", NONE),
        doc="spec.distinguisherMethod",
    ),
    AGE,
    Column("MissingPL", "Whether the priority is not there.", _dangling),
)


def _set_defaults(spec: dict[str, Any]) -> None:
    spec["matchingPrecedence"] = spec.get("matchingPrecedence") or 1000


class FlowSchemaStrategy(Strategy):
    """The strategy for FlowSchemas."""

    types = {"flowcontrol.v1.FlowSchemaSpec": TypeDefaults(fill=_set_defaults)}
    generation_fields = ("spec",)
    metadata_kept_by_status = ("labels", "annotations", "finalizers", "ownerReferences")
    printer = Printer(_COLUMNS, order=_order)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the precedence, the level and the rules."""
        spec, name = part(obj, "spec"), obj["metadata"].get("name") or ""
        yield from _precedence(spec.get("matchingPrecedence") or 0, name)
        method = spec.get("distinguisherMethod")
        known = ("ByNamespace", "ByUser")
        if method is not None and method.get("type") not in known:
            yield not_supported("spec.distinguisherMethod.type", method, known)
        level = part(spec, "priorityLevelConfiguration").get("name") or ""
        at = "spec.priorityLevelConfiguration.name"
        if not level:
            yield required(at, "must reference a priority level")
        yield from text(at, level, subdomain_problems, needed=False)
        for index, rule in enumerate(parts(spec, "rules")):
            yield from _rule(rule, f"spec.rules[{index}]")

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the conditions."""
        yield from condition_type_causes(new)


def _precedence(number: int, name: str) -> Iterator[Cause]:
    at = "spec.matchingPrecedence"
    if number <= 0:
        yield invalid_value(at, number, "must be a positive value")
    if number > _MAX_PRECEDENCE:
        yield invalid_value(at, number, f"must not be greater than {_MAX_PRECEDENCE}")
    if number == 1 and name != "exempt":
        why = "only the schema named 'exempt' may have matchingPrecedence 1"
        yield invalid_value(at, number, why)


def _rule(rule: dict[str, Any], path: str) -> Iterator[Cause]:
    if not rule.get("subjects"):
        yield required(f"{path}.subjects", "subjects must contain at least one value")
    for index, subject in enumerate(parts(rule, "subjects")):
        yield from _subject(subject, f"{path}.subjects[{index}]")
    if not rule.get("resourceRules") and not rule.get("nonResourceRules"):
        why = "at least one of resourceRules and nonResourceRules has to be non-empty"
        yield required(path, why)
    for index, each in enumerate(parts(rule, "resourceRules")):
        yield from _resources(each, f"{path}.resourceRules[{index}]")
    for index, each in enumerate(parts(rule, "nonResourceRules")):
        yield from _paths(each, f"{path}.nonResourceRules[{index}]")


def _subject(subject: dict[str, Any], path: str) -> Iterator[Cause]:
    kind = subject.get("kind") or ""
    if kind not in _SUBJECTS:
        yield not_supported(f"{path}.kind", kind, _SUBJECTS)
        return
    member = _SUBJECTS[kind]
    named, at = subject.get(member), f"{path}.{member}"
    if named is None:
        yield required(at, f"{member} is required when subject kind is '{kind}'")
    elif not named.get("name"):
        yield required(f"{at}.name")
    elif kind == "ServiceAccount" and named["name"] != "*":
        yield from matches(f"{at}.name", named["name"], subdomain_problems)
    if named is not None and kind == "ServiceAccount":
        yield from _namespace(named.get("namespace") or "", f"{at}.namespace")
    for other, unused in _SUBJECTS.items():
        if unused != member and subject.get(unused) is not None:
            why = f"{unused} is forbidden when subject kind is not '{other}'"
            yield forbidden_value(f"{path}.{unused}", why)


def _namespace(name: str, path: str) -> Iterator[Cause]:
    if not name:
        yield required(path, "must specify namespace for service account")
    yield from text(path, name, label_problems, needed=False)


def _verbs(rule: dict[str, Any], path: str) -> Iterator[Cause]:
    verbs = texts(rule, "verbs")
    yield from _word_causes(
        verbs, f"{path}.verbs", "verbs must contain at least one value", "verbs"
    )
    if "*" not in verbs and not set(verbs) <= set(_VERBS):
        yield not_supported(f"{path}.verbs", verbs, _VERBS)


def _word_causes(words: list[str], path: str, missing: str, shown: str) -> Iterator[Cause]:
    if not words:
        yield required(path, missing)
    elif len(words) > 1 and "*" in words:
        yield invalid_value(path, words, f"if '*' is present, must not specify other {shown}")


def _resources(rule: dict[str, Any], path: str) -> Iterator[Cause]:
    yield from _verbs(rule, path)
    supply = "resource rules must supply at least one"
    groups, resources = texts(rule, "apiGroups"), texts(rule, "resources")
    yield from _word_causes(groups, f"{path}.apiGroups", f"{supply} api group", "api groups")
    yield from _word_causes(resources, f"{path}.resources", f"{supply} resource", "resources")
    names, at = texts(rule, "namespaces"), f"{path}.namespaces"
    if not names and not rule.get("clusterScope"):
        why = "resource rules that are not cluster scoped must supply at least one namespace"
        yield required(at, why)
    elif "*" in names:
        yield from _word_causes(names, at, "", "namespaces")
    else:
        for index, name in enumerate(names):
            for problem in label_problems(name):
                yield invalid_value(f"{at}[{index}]", name, _MEMBERS + problem)


def _paths(rule: dict[str, Any], path: str) -> Iterator[Cause]:
    yield from _verbs(rule, path)
    paths, at = texts(rule, "nonResourceURLs"), f"{path}.nonResourceURLs"
    missing = "nonResourceURLs must contain at least one value"
    yield from _word_causes(paths, at, missing, "non-resource URLs")
    for index, url in enumerate(() if "*" in paths else paths):
        problem = _path_problem(url)
        if problem:
            yield invalid_value(f"{at}[{index}]", url, problem)


def _path_problem(path: str) -> str:
    problems = (
        (not path, "must not be empty"),
        (not path.startswith("/"), "must start with slash"),
        (" " in path, "must not contain white-space"),
        ("//" in path, "must not contain double slash"),
        ("*" in path.removesuffix("/*"), "wildcard can only do suffix matching"),
    )
    return next((why for is_so, why in problems if is_so), "")
