"""Policies that fail a job, or let it succeed, before all of its pods end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    invalid_value,
    not_supported,
    omitted,
    required,
    too_long,
    too_many,
)
from clientgen._apimachinery.name_syntax import qualified_name_problems
from clientgen._json import part, parts

from ..shared.common_checks import is_not_negative, matches, unique

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_ACTIONS: Final = ("Count", "FailIndex", "FailJob", "Ignore")
_MAX_RULES: Final = 20
_MAX_CODES: Final = 255
_MAX_PATTERNS: Final = 20
_MAX_INDEX_BYTES: Final = 64 * 1024
_MAX_MANAGER_LENGTH: Final = 63
_MAX_PARALLEL: Final = 100_000
_MANY: Final = 100_000
_PARALLEL_FOR_MANY: Final = 10_000
_FAILED_FOR_MANY: Final = 10_000


def managed_by_causes(name: str, path: str) -> Iterator[Cause]:
    """Check the name of a job's controller."""
    if not name:
        yield required(path)
    else:
        domain, slash, rest = name.partition("/")
        if not domain or not slash or not rest:
            why = 'must be a domain-prefixed path (such as "acme.io/foo")'
            yield invalid_value(path, name, why)
    if len(name.encode()) > _MAX_MANAGER_LENGTH:
        yield too_long(path, f"may not be more than {_MAX_MANAGER_LENGTH} bytes")


def indexed_causes(spec: dict[str, Any], path: str) -> Iterator[Cause]:
    """Check the numbers of jobs whose pods have indexes."""
    failed, per_index = spec.get("maxFailedIndexes"), spec.get("backoffLimitPerIndex")
    if failed is not None and per_index is None:
        yield required(f"{path}.backoffLimitPerIndex", "when maxFailedIndexes is specified")
    mode = spec.get("completionMode")
    if mode == "Indexed":
        yield from _numbers(spec, path, failed, per_index)
    if mode in (None, "NonIndexed"):
        for member in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if spec.get(member) is not None:
                why = "requires indexed completion mode"
                yield invalid_value(f"{path}.{member}", spec[member], why)


def _numbers(
    spec: dict[str, Any], path: str, failed: int | None, per_index: int | None
) -> Iterator[Cause]:
    completions, parallelism = spec.get("completions"), spec.get("parallelism") or 0
    if completions is None:
        yield required(f"{path}.completions", "when completion mode is Indexed")
    if parallelism > _MAX_PARALLEL:
        why = f"must be less than or equal to {_MAX_PARALLEL} when completion mode is Indexed"
        yield invalid_value(f"{path}.parallelism", parallelism, why)
    if completions is not None and failed is not None and failed > completions:
        why = "must be less than or equal to completions"
        yield invalid_value(f"{path}.maxFailedIndexes", failed, why)
    if failed is not None and failed > _MANY:
        why = f"must be less than or equal to {_MANY}"
        yield invalid_value(f"{path}.maxFailedIndexes", failed, why)
    if per_index is None or completions is None or completions <= _MANY:
        return
    above = f"when completions are above {_MANY} and used with backoff limit per index"
    if failed is None:
        why = f"must be specified when completions is above {_MANY}"
        yield required(f"{path}.maxFailedIndexes", why)
    if parallelism > _PARALLEL_FOR_MANY:
        why = f"must be less than or equal to {_PARALLEL_FOR_MANY} {above}"
        yield invalid_value(f"{path}.parallelism", parallelism, why)
    if failed is not None and failed > _FAILED_FOR_MANY:
        why = f"must be less than or equal to {_FAILED_FOR_MANY} {above}"
        yield invalid_value(f"{path}.maxFailedIndexes", failed, why)


# -------------------------------------------------------------------------------- failure


def failure_policy_causes(spec: dict[str, Any], path: str) -> Iterator[Cause]:
    """Check the policy for pods that fail."""
    rules = parts(part(spec, "podFailurePolicy"), "rules")
    if len(rules) > _MAX_RULES:
        yield too_many(f"{path}.rules", len(rules), _MAX_RULES)
    pod = part(part(spec, "template"), "spec")
    members = ("containers", "initContainers")
    names = {each.get("name") for member in members for each in parts(pod, member)}
    for index, rule in enumerate(rules):
        at = f"{path}.rules[{index}]"
        yield from _word(rule.get("action") or "", _ACTIONS, f"{at}.action")
        if rule.get("action") == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
            why = "requires the backoffLimitPerIndex to be set"
            yield invalid_value(f"{at}.action", "FailIndex", why)
        codes, patterns = rule.get("onExitCodes"), parts(rule, "onPodConditions")
        if codes is not None:
            yield from _codes(codes, f"{at}.onExitCodes", names)
        yield from _patterns(patterns, f"{at}.onPodConditions")
        if codes is not None and patterns:
            yield omitted(at, "specifying both OnExitCodes and OnPodConditions is not supported")
        elif codes is None and not patterns:
            yield omitted(at, "specifying one of OnExitCodes and OnPodConditions is required")


def _word(word: str, known: tuple[str, ...], path: str) -> Iterator[Cause]:
    if not word:
        listed = " ".join(f'"{each}"' for each in known)
        yield required(path, f"valid values: [{listed}]")
    elif word not in known:
        yield not_supported(path, word, known)


def _codes(codes: dict[str, Any], path: str, names: Collection[object]) -> Iterator[Cause]:
    operator, name = codes.get("operator") or "", codes.get("containerName")
    yield from _word(operator, ("In", "NotIn"), f"{path}.operator")
    if name is not None and name not in names:
        why = "must be one of the container or initContainer names in the pod template"
        yield invalid_value(f"{path}.containerName", name, why)
    values: list[int] = codes.get("values") or []
    if not values:
        yield invalid_value(f"{path}.values", values, "at least one value is required")
    elif len(values) > _MAX_CODES:
        yield too_many(f"{path}.values", len(values), _MAX_CODES)
    for index, value in enumerate(values):
        if operator == "In" and value == 0:
            why = "must not be 0 for the In operator"
            yield invalid_value(f"{path}.values[{index}]", value, why)
    yield from unique(f"{path}.values", values)
    if values != sorted(values):
        yield invalid_value(f"{path}.values", values, "must be ordered")


def _patterns(patterns: list[dict[str, Any]], path: str) -> Iterator[Cause]:
    if len(patterns) > _MAX_PATTERNS:
        yield too_many(path, len(patterns), _MAX_PATTERNS)
    for index, pattern in enumerate(patterns):
        at = f"{path}[{index}]"
        yield from matches(f"{at}.type", pattern.get("type") or "", qualified_name_problems)
        states = ("False", "True", "Unknown")
        yield from _word(pattern.get("status") or "", states, f"{at}.status")


# -------------------------------------------------------------------------------- success


def success_policy_causes(spec: dict[str, Any], path: str) -> Iterator[Cause]:
    """Check the policy for jobs that succeed early."""
    policy, rules = spec["successPolicy"], parts(spec["successPolicy"], "rules")
    if spec.get("completionMode") != "Indexed":
        yield invalid_value(path, policy, "requires indexed completion mode")
        return
    if not rules:
        why = "at least one rules must be specified when the successPolicy is specified"
        yield required(f"{path}.rules", why)
    if len(rules) > _MAX_RULES:
        yield too_many(f"{path}.rules", len(rules), _MAX_RULES)
    for index, rule in enumerate(rules):
        yield from _success(rule, spec.get("completions") or 0, f"{path}.rules[{index}]")


def _success(rule: dict[str, Any], completions: int, path: str) -> Iterator[Cause]:
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    if count is None and indexes is None:
        why = "at least one of succeededCount or succeededIndexes must be specified"
        yield required(path, why)
    total = 0
    if indexes is not None:
        at = f"{path}.succeededIndexes"
        if len(indexes.encode()) > _MAX_INDEX_BYTES:
            yield too_long(at, f"may not be more than {_MAX_INDEX_BYTES} bytes")
        total, problem = counted(indexes, completions)
        if problem:
            yield invalid_value(at, indexes, f"error parsing succeededIndexes: {problem}")
    if count is None:
        return
    at = f"{path}.succeededCount"
    yield from is_not_negative(at, count)
    if count > completions:
        what = "the number of specified completions"
        why = f"must be less than or equal to {completions} ({what})"
        yield invalid_value(at, count, why)
    if indexes is not None and count > total:
        what = "the number of indexes in the specified succeededIndexes field"
        yield invalid_value(at, count, f"must be less than or equal to {total} ({what})")


def counted(indexes: str, completions: int) -> tuple[int, str]:
    """Count the indexes that a text such as `1,3-5` names, or return its problem."""
    total, last = 0, -1
    for span in indexes.split(",") if indexes else ():
        ends = span.split("-")
        if len(ends) > 2:  # noqa: PLR2004 - a first and a last
            why = "violates the requirement that an index interval can have at most two parts"
            return 0, f"the fragment \"{span}\" {why} separated by '-'"
        for end in ends:
            if not re.fullmatch("[+]?[0-9]+", end):
                return 0, f'cannot convert string to integer for index: "{end}"'
            if int(end) >= completions:
                return 0, f'too large index: "{end}"'
        first, final = int(ends[0]), int(ends[-1])
        if len(ends) > 1 and first >= final:
            return 0, f"non-increasing order, previous: {first}, current: {final}"
        if last >= first:
            return 0, f"non-increasing order, previous: {last}, current: {first}"
        total, last = total + final - first + 1, final
    return total, ""
