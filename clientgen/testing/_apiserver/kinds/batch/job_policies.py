"""When jobs count as failed or succeeded before all of their pods have said so."""

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
from clientgen._apimachinery.optional_parts import part, parts

from ..shared.checks import is_not_negative, matches, unique

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = [
    "counted",
    "failure_policy_causes",
    "indexed_causes",
    "managed_by_causes",
    "success_policy_causes",
]

_ACTIONS: Final = ("Count", "FailIndex", "FailJob", "Ignore")
_MOST_RULES: Final = 20
_MOST_CODES: Final = 255
_MOST_PATTERNS: Final = 20
_MOST_INDEX_BYTES: Final = 64 * 1024
_LONGEST_MANAGER: Final = 63
_MOST_PARALLEL: Final = 100_000
_MANY: Final = 100_000
_PARALLEL_FOR_MANY: Final = 10_000
_FAILED_FOR_MANY: Final = 10_000


def managed_by_causes(name: str, field: str) -> Iterator[Cause]:
    """What is wrong with the name of a job's controller."""
    if not name:
        yield required(field)
    else:
        domain, slash, path = name.partition("/")
        if not domain or not slash or not path:
            said = 'must be a domain-prefixed path (such as "acme.io/foo")'
            yield invalid_value(field, name, said)
    if len(name.encode()) > _LONGEST_MANAGER:
        yield too_long(field, f"may not be more than {_LONGEST_MANAGER} bytes")


def indexed_causes(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    """What is wrong with numbers that belong to jobs whose pods have indexes."""
    failed, per_index = spec.get("maxFailedIndexes"), spec.get("backoffLimitPerIndex")
    if failed is not None and per_index is None:
        yield required(f"{field}.backoffLimitPerIndex", "when maxFailedIndexes is specified")
    mode = spec.get("completionMode")
    if mode == "Indexed":
        yield from _numbers(spec, field, failed, per_index)
    if mode in (None, "NonIndexed"):
        for member in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if spec.get(member) is not None:
                said = "requires indexed completion mode"
                yield invalid_value(f"{field}.{member}", spec[member], said)


def _numbers(
    spec: dict[str, Any], field: str, failed: int | None, per_index: int | None
) -> Iterator[Cause]:
    completions, parallelism = spec.get("completions"), spec.get("parallelism") or 0
    if completions is None:
        yield required(f"{field}.completions", "when completion mode is Indexed")
    if parallelism > _MOST_PARALLEL:
        said = f"must be less than or equal to {_MOST_PARALLEL} when completion mode is Indexed"
        yield invalid_value(f"{field}.parallelism", parallelism, said)
    if completions is not None and failed is not None and failed > completions:
        said = "must be less than or equal to completions"
        yield invalid_value(f"{field}.maxFailedIndexes", failed, said)
    if failed is not None and failed > _MANY:
        said = f"must be less than or equal to {_MANY}"
        yield invalid_value(f"{field}.maxFailedIndexes", failed, said)
    if per_index is None or completions is None or completions <= _MANY:
        return
    above = f"when completions are above {_MANY} and used with backoff limit per index"
    if failed is None:
        said = f"must be specified when completions is above {_MANY}"
        yield required(f"{field}.maxFailedIndexes", said)
    if parallelism > _PARALLEL_FOR_MANY:
        said = f"must be less than or equal to {_PARALLEL_FOR_MANY} {above}"
        yield invalid_value(f"{field}.parallelism", parallelism, said)
    if failed is not None and failed > _FAILED_FOR_MANY:
        said = f"must be less than or equal to {_FAILED_FOR_MANY} {above}"
        yield invalid_value(f"{field}.maxFailedIndexes", failed, said)


# -------------------------------------------------------------------------------- failure


def failure_policy_causes(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    """What is wrong with what happens when pods fail."""
    rules = parts(part(spec, "podFailurePolicy"), "rules")
    if len(rules) > _MOST_RULES:
        yield too_many(f"{field}.rules", len(rules), _MOST_RULES)
    pod = part(part(spec, "template"), "spec")
    members = ("containers", "initContainers")
    names = {each.get("name") for member in members for each in parts(pod, member)}
    for index, rule in enumerate(rules):
        at = f"{field}.rules[{index}]"
        yield from _word(rule.get("action") or "", _ACTIONS, f"{at}.action")
        if rule.get("action") == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
            said = "requires the backoffLimitPerIndex to be set"
            yield invalid_value(f"{at}.action", "FailIndex", said)
        codes, patterns = rule.get("onExitCodes"), parts(rule, "onPodConditions")
        if codes is not None:
            yield from _codes(codes, f"{at}.onExitCodes", names)
        yield from _patterns(patterns, f"{at}.onPodConditions")
        if codes is not None and patterns:
            yield omitted(at, "specifying both OnExitCodes and OnPodConditions is not supported")
        elif codes is None and not patterns:
            yield omitted(at, "specifying one of OnExitCodes and OnPodConditions is required")


def _word(word: str, known: tuple[str, ...], field: str) -> Iterator[Cause]:
    if not word:
        listed = " ".join(f'"{each}"' for each in known)
        yield required(field, f"valid values: [{listed}]")
    elif word not in known:
        yield not_supported(field, word, known)


def _codes(codes: dict[str, Any], field: str, names: Collection[object]) -> Iterator[Cause]:
    operator, name = codes.get("operator") or "", codes.get("containerName")
    yield from _word(operator, ("In", "NotIn"), f"{field}.operator")
    if name is not None and name not in names:
        said = "must be one of the container or initContainer names in the pod template"
        yield invalid_value(f"{field}.containerName", name, said)
    values: list[int] = codes.get("values") or []
    if not values:
        yield invalid_value(f"{field}.values", values, "at least one value is required")
    elif len(values) > _MOST_CODES:
        yield too_many(f"{field}.values", len(values), _MOST_CODES)
    for index, value in enumerate(values):
        if operator == "In" and value == 0:
            said = "must not be 0 for the In operator"
            yield invalid_value(f"{field}.values[{index}]", value, said)
    yield from unique(f"{field}.values", values)
    if values != sorted(values):
        yield invalid_value(f"{field}.values", values, "must be ordered")


def _patterns(patterns: list[dict[str, Any]], field: str) -> Iterator[Cause]:
    if len(patterns) > _MOST_PATTERNS:
        yield too_many(field, len(patterns), _MOST_PATTERNS)
    for index, pattern in enumerate(patterns):
        at = f"{field}[{index}]"
        yield from matches(f"{at}.type", pattern.get("type") or "", qualified_name_problems)
        states = ("False", "True", "Unknown")
        yield from _word(pattern.get("status") or "", states, f"{at}.status")


# -------------------------------------------------------------------------------- success


def success_policy_causes(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    """What is wrong with when a job counts as done."""
    policy, rules = spec["successPolicy"], parts(spec["successPolicy"], "rules")
    if spec.get("completionMode") != "Indexed":
        yield invalid_value(field, policy, "requires indexed completion mode")
        return
    if not rules:
        said = "at least one rules must be specified when the successPolicy is specified"
        yield required(f"{field}.rules", said)
    if len(rules) > _MOST_RULES:
        yield too_many(f"{field}.rules", len(rules), _MOST_RULES)
    for index, rule in enumerate(rules):
        yield from _success(rule, spec.get("completions") or 0, f"{field}.rules[{index}]")


def _success(rule: dict[str, Any], completions: int, field: str) -> Iterator[Cause]:
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    if count is None and indexes is None:
        said = "at least one of succeededCount or succeededIndexes must be specified"
        yield required(field, said)
    total = 0
    if indexes is not None:
        at = f"{field}.succeededIndexes"
        if len(indexes.encode()) > _MOST_INDEX_BYTES:
            yield too_long(at, f"may not be more than {_MOST_INDEX_BYTES} bytes")
        total, problem = counted(indexes, completions)
        if problem:
            yield invalid_value(at, indexes, f"error parsing succeededIndexes: {problem}")
    if count is None:
        return
    at = f"{field}.succeededCount"
    yield from is_not_negative(at, count)
    if count > completions:
        what = "the number of specified completions"
        said = f"must be less than or equal to {completions} ({what})"
        yield invalid_value(at, count, said)
    if indexes is not None and count > total:
        what = "the number of indexes in the specified succeededIndexes field"
        yield invalid_value(at, count, f"must be less than or equal to {total} ({what})")


def counted(indexes: str, completions: int) -> tuple[int, str]:
    """How many indexes a text such as `1,3-5` names, and what is wrong with it."""
    total, last = 0, -1
    for span in indexes.split(",") if indexes else ():
        ends = span.split("-")
        if len(ends) > 2:  # noqa: PLR2004 - a first and a last
            said = "violates the requirement that an index interval can have at most two parts"
            return 0, f"the fragment \"{span}\" {said} separated by '-'"
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
