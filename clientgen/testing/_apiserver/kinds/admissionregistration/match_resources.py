"""The requests that webhooks and policies are about: rules, selectors, conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apiextensions import PolicyExpressions
from clientgen._apimachinery.failures import Cause, duplicate, invalid_value, required, too_many
from clientgen._apimachinery.name_syntax import path_segment_problems, qualified_name_problems
from clientgen._json import parts, texts

from ..defaults import TypeDefaults, set_missing
from ..shared.common_checks import matches, one_of, selector_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPERATIONS: Final = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_SCOPES: Final = ("*", "Cluster", "Namespaced")
_MAX_CONDITIONS: Final = 64
_VERSIONS: Final = ("v1", "v1beta1", "v1alpha1")

RULE_TYPES: Final = {
    f"admissionregistration.{version}.RuleWithOperations": TypeDefaults(
        fill=lambda rule: set_missing(rule, scope="*")
    )
    for version in _VERSIONS
}
"""The defaults of the rules of webhooks."""
MATCH_TYPES: Final = {
    **{
        f"admissionregistration.{version}.NamedRuleWithOperations": TypeDefaults(
            fill=lambda rule: set_missing(rule, scope="*")
        )
        for version in _VERSIONS
    },
    **{
        f"admissionregistration.{version}.MatchResources": TypeDefaults(
            fill=lambda match: set_missing(
                match, matchPolicy="Equivalent", namespaceSelector={}, objectSelector={}
            )
        )
        for version in _VERSIONS
    },
}
"""The defaults of the requests that policies and bindings are about."""


def rule_causes(rule: dict[str, Any], field: str) -> Iterator[Cause]:
    """Check a rule on operations and resources."""
    operations = texts(rule, "operations")
    yield from _word_causes(operations, f"{field}.operations", "operations")
    for index, operation in enumerate(operations):
        yield from one_of(f"{field}.operations[{index}]", operation, _OPERATIONS)
    yield from _word_causes(texts(rule, "apiGroups"), f"{field}.apiGroups", "API groups")
    versions = texts(rule, "apiVersions")
    yield from _word_causes(versions, f"{field}.apiVersions", "API versions")
    for index, version in enumerate(versions):
        if not version:
            yield required(f"{field}.apiVersions[{index}]")
    yield from _resources(texts(rule, "resources"), f"{field}.resources")
    yield from one_of(f"{field}.scope", rule.get("scope"), _SCOPES, needed=False)


def _word_causes(words: list[str], field: str, told: str) -> Iterator[Cause]:
    if not words:
        yield required(field)
    if len(words) > 1 and "*" in words:
        yield invalid_value(field, words, f"if '*' is present, must not specify other {told}")


def _resources(resources: list[str], field: str) -> Iterator[Cause]:
    if not resources:
        yield required(field)
    whole: set[str] = set()
    everywhere: set[str] = set()
    plain = False
    for index, text in enumerate(resources):
        at, (name, slash, part) = f"{field}[{index}]", text.partition("/")
        if not text:
            yield required(at)
            continue
        if not slash:
            plain = text != "*"
            continue
        if name in whole:
            why = f"if '{name}/*' is present, must not specify {text}"
            yield invalid_value(at, text, why)
        if part in everywhere:
            why = f"if '*/{part}' is present, must not specify {text}"
            yield invalid_value(at, text, why)
        whole |= {name} if part == "*" else set()
        everywhere |= {part} if name == "*" else set()
    if len(resources) > 1 and "*/*" in resources:
        why = "if '*/*' is present, must not specify other resources"
        yield invalid_value(field, resources, why)
    if plain and "*" in resources:
        why = "if '*' is present, must not specify other resources without subresources"
        yield invalid_value(field, resources, why)


def match_resources_causes(match: dict[str, Any] | None, field: str) -> Iterator[Cause]:
    """Check the requests that a policy or a binding is about."""
    if match is None:
        return
    policy = match.get("matchPolicy")
    if policy is None:
        yield required(f"{field}.matchPolicy")
    yield from one_of(f"{field}.matchPolicy", policy, ("Equivalent", "Exact"), needed=False)
    for member in ("namespaceSelector", "objectSelector"):
        if match.get(member) is None:
            yield required(f"{field}.{member}")
        yield from selector_causes(match.get(member), f"{field}.{member}")
    for member in ("resourceRules", "excludeResourceRules"):
        for index, rule in enumerate(parts(match, member)):
            at = f"{field}.{member}[{index}]"
            yield from _names(texts(rule, "resourceNames"), f"{at}.resourceNames")
            yield from rule_causes(rule, at)


def _names(names: list[str], field: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for index, name in enumerate(names):
        yield from matches(f"{field}[{index}]", name, path_segment_problems)
        if name in seen:
            yield duplicate(f"{field}[{index}]", name)
        seen.add(name)


def condition_causes(
    conditions: list[dict[str, Any]], field: str, *, params: bool = False
) -> Iterator[Cause]:
    """Check conditions on requests, which are expressions without variables of a policy."""
    expressions = PolicyExpressions(params=params)
    if len(conditions) > _MAX_CONDITIONS:
        yield too_many(field, len(conditions), _MAX_CONDITIONS)
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        at, name = f"{field}[{index}]", condition.get("name") or ""
        expression = (condition.get("expression") or "").strip()
        if not expression:
            yield required(f"{at}.expression")
        elif problem := expressions.problem(expression, "bool"):
            yield invalid_value(f"{at}.expression", expression, problem)
        if not name:
            yield required(f"{at}.name")
            continue
        yield from matches(f"{at}.name", name, qualified_name_problems)
        if name in seen:
            yield duplicate(f"{at}.name", name)
        seen.add(name)
