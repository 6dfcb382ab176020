"""Validates flow schemas and priority levels (API priority and fairness)."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from clientgen._apimachinery.name_syntax import label_problems, subdomain_problems
from clientgen._apimachinery.optional_parts import part, parts, texts

from ..kinds.shared.checks import matches, one_of, text
from .validating import checks, checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_GROUP: Final = "flowcontrol.apiserver.k8s.io"
_MOST_PRECEDENCE: Final = 10_000
_MOST_QUEUES: Final = 10_000_000
_MOST_BITS: Final = 60
_WHOLE: Final = 100
_SUBJECTS: Final = {"Group": "group", "ServiceAccount": "serviceAccount", "User": "user"}
_VERBS: Final = (
    *("create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"),
)
_MEMBERS: Final = "each member of this list must be '*' or a DNS-1123 label; "


# -------------------------------------------------------------------------------- schemas


@checks(_GROUP, "flowschemas")
def _schema(schema: dict[str, Any]) -> Iterator[Cause]:
    spec, name = part(schema, "spec"), schema["metadata"].get("name") or ""
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


def _precedence(number: int, name: str) -> Iterator[Cause]:
    at = "spec.matchingPrecedence"
    if number <= 0:
        yield invalid_value(at, number, "must be a positive value")
    if number > _MOST_PRECEDENCE:
        yield invalid_value(at, number, f"must not be greater than {_MOST_PRECEDENCE}")
    if number == 1 and name != "exempt":
        said = "only the schema named 'exempt' may have matchingPrecedence 1"
        yield invalid_value(at, number, said)


def _rule(rule: dict[str, Any], field: str) -> Iterator[Cause]:
    if not rule.get("subjects"):
        yield required(f"{field}.subjects", "subjects must contain at least one value")
    for index, subject in enumerate(parts(rule, "subjects")):
        yield from _subject(subject, f"{field}.subjects[{index}]")
    if not rule.get("resourceRules") and not rule.get("nonResourceRules"):
        said = "at least one of resourceRules and nonResourceRules has to be non-empty"
        yield required(field, said)
    for index, each in enumerate(parts(rule, "resourceRules")):
        yield from _resources(each, f"{field}.resourceRules[{index}]")
    for index, each in enumerate(parts(rule, "nonResourceRules")):
        yield from _paths(each, f"{field}.nonResourceRules[{index}]")


def _subject(subject: dict[str, Any], field: str) -> Iterator[Cause]:
    kind = subject.get("kind") or ""
    if kind not in _SUBJECTS:
        yield not_supported(f"{field}.kind", kind, _SUBJECTS)
        return
    member = _SUBJECTS[kind]
    named, at = subject.get(member), f"{field}.{member}"
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
            said = f"{unused} is forbidden when subject kind is not '{other}'"
            yield forbidden_value(f"{field}.{unused}", said)


def _namespace(name: str, field: str) -> Iterator[Cause]:
    if not name:
        yield required(field, "must specify namespace for service account")
    yield from text(field, name, label_problems, needed=False)


def _verbs(rule: dict[str, Any], field: str) -> Iterator[Cause]:
    verbs = texts(rule, "verbs")
    yield from _words(verbs, f"{field}.verbs", "verbs must contain at least one value", "verbs")
    if "*" not in verbs and not set(verbs) <= set(_VERBS):
        yield not_supported(f"{field}.verbs", verbs, _VERBS)


def _words(words: list[str], field: str, missing: str, told: str) -> Iterator[Cause]:
    if not words:
        yield required(field, missing)
    elif len(words) > 1 and "*" in words:
        yield invalid_value(field, words, f"if '*' is present, must not specify other {told}")


def _resources(rule: dict[str, Any], field: str) -> Iterator[Cause]:
    yield from _verbs(rule, field)
    supply = "resource rules must supply at least one"
    groups, resources = texts(rule, "apiGroups"), texts(rule, "resources")
    yield from _words(groups, f"{field}.apiGroups", f"{supply} api group", "api groups")
    yield from _words(resources, f"{field}.resources", f"{supply} resource", "resources")
    names, at = texts(rule, "namespaces"), f"{field}.namespaces"
    if not names and not rule.get("clusterScope"):
        said = "resource rules that are not cluster scoped must supply at least one namespace"
        yield required(at, said)
    elif "*" in names:
        yield from _words(names, at, "", "namespaces")
    else:
        for index, name in enumerate(names):
            for problem in label_problems(name):
                yield invalid_value(f"{at}[{index}]", name, _MEMBERS + problem)


def _paths(rule: dict[str, Any], field: str) -> Iterator[Cause]:
    yield from _verbs(rule, field)
    paths, at = texts(rule, "nonResourceURLs"), f"{field}.nonResourceURLs"
    missing = "nonResourceURLs must contain at least one value"
    yield from _words(paths, at, missing, "non-resource URLs")
    for index, path in enumerate(() if "*" in paths else paths):
        problem = _path_problem(path)
        if problem:
            yield invalid_value(f"{at}[{index}]", path, problem)


def _path_problem(path: str) -> str:
    found = (
        (not path, "must not be empty"),
        (not path.startswith("/"), "must start with slash"),
        (" " in path, "must not contain white-space"),
        ("//" in path, "must not contain double slash"),
        ("*" in path.removesuffix("/*"), "wildcard can only do suffix matching"),
    )
    return next((said for is_so, said in found if is_so), "")


# --------------------------------------------------------------------------------- levels


@checks(_GROUP, "prioritylevelconfigurations")
def _level(level: dict[str, Any]) -> Iterator[Cause]:
    spec, name = part(level, "spec"), level["metadata"].get("name") or ""
    kind = spec.get("type") or ""
    if (name == "exempt") != (kind == "Exempt"):
        said = "must be 'Exempt' if and only if `name` is 'exempt'"
        yield invalid_value("spec.type", kind, said)
    limited, exempt = spec.get("limited"), spec.get("exempt")
    if kind == "Exempt":
        if limited is not None:
            said = "must be nil if the type is not Limited"
            yield forbidden_value("spec.limited", said)
        yield from _shares(exempt or {}, "spec.exempt")
    elif kind == "Limited":
        if exempt is not None:
            yield forbidden_value("spec.exempt", "must be nil if the type is Limited")
        if limited is None:
            yield required("spec.limited", "must not be empty when type is Limited")
        else:
            yield from _limited(limited, "spec.limited")
    else:
        yield not_supported("spec.type", kind, ("Exempt", "Limited"))


def _shares(level: dict[str, Any], field: str) -> Iterator[Cause]:
    shares, lent = level.get("nominalConcurrencyShares"), level.get("lendablePercent")
    if shares is not None and shares < 0:
        said = "must be a non-negative integer"
        yield invalid_value(f"{field}.nominalConcurrencyShares", shares, said)
    if lent is not None and not 0 <= lent <= _WHOLE:
        said = "must be between 0 and 100, inclusive"
        yield invalid_value(f"{field}.lendablePercent", lent, said)


def _limited(level: dict[str, Any], field: str) -> Iterator[Cause]:
    yield from _shares(level, field)
    borrowed = level.get("borrowingLimitPercent")
    if borrowed is not None and borrowed < 0:
        said = "if specified, must be a non-negative integer"
        yield invalid_value(f"{field}.borrowingLimitPercent", borrowed, said)
    response, at = part(level, "limitResponse"), f"{field}.limitResponse"
    queuing, kind = response.get("queuing"), response.get("type") or ""
    if kind == "Reject":
        if queuing is not None:
            said = "must be nil if limited.limitResponse.type is not Limited"
            yield forbidden_value(f"{at}.queuing", said)
    elif kind != "Queue":
        yield from one_of(f"{at}.type", kind, ("Queue", "Reject"))
    elif queuing is None:
        said = "must not be empty if limited.limitResponse.type is Limited"
        yield required(f"{at}.queuing", said)
    else:
        yield from _queuing(queuing, f"{at}.queuing")


def _queuing(queuing: dict[str, Any], field: str) -> Iterator[Cause]:
    queues, hand = queuing.get("queues") or 0, queuing.get("handSize") or 0
    length = queuing.get("queueLengthLimit") or 0
    for member, number in (("queueLengthLimit", length), ("queues", queues), ("handSize", hand)):
        if number <= 0:
            yield invalid_value(f"{field}.{member}", number, "must be positive")
    if queues > _MOST_QUEUES:
        said = f"must not be greater than {_MOST_QUEUES}"
        yield invalid_value(f"{field}.queues", queues, said)
    if hand > 0 and hand > queues:
        said = f"should not be greater than queues ({queues})"
        yield invalid_value(f"{field}.handSize", hand, said)
    elif hand > 0 and _bits(queues, hand) > _MOST_BITS:
        said = f"required entropy bits of deckSize {queues} and handSize {hand}"
        said = f"{said} should not be greater than {_MOST_BITS}"
        yield invalid_value(f"{field}.handSize", hand, said)


def _bits(queues: int, hand: int) -> int:
    """How many bits it takes to deal a hand of queues."""
    if hand > _MOST_BITS:
        return hand
    return -int(-sum(log2(queues - number) for number in range(hand)) // 1)


@checks_change(_GROUP, "flowschemas", "prioritylevelconfigurations", part="status")
def _conditions(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    del old
    seen: set[str] = set()
    for index, condition in enumerate(parts(part(new, "status"), "conditions")):
        at, kind = f"status.conditions[{index}].type", condition.get("type") or ""
        if kind in seen:
            yield duplicate(at, kind)
        seen.add(kind)
        if not kind:
            yield required(at)
