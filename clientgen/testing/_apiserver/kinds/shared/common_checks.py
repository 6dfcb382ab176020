"""Small checks that the rules of many kinds share; each yields Causes for a field."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
    too_long,
)
from clientgen._apimachinery.name_syntax import (
    Rule,
    driver_name_problems,
    label_value_problems,
    port_name_problems,
    qualified_name_problems,
    range_problems,
)
from clientgen._json import part, parts, texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_REASON: Final = re.compile("[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
_MAX_REASON_LENGTH: Final = 1024
_MAX_MESSAGE_LENGTH: Final = 32768
_MAX_DRIVER_LENGTH: Final = 63
PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
_OPERATORS: Final = ("DoesNotExist", "Exists", "In", "NotIn")


def text(field: str, value: str | None, *rules: Rule, needed: bool = True) -> Iterator[Cause]:
    """Check a text by rules, and require it if it is needed."""
    if not value:
        if needed:
            yield required(field)
        return
    for rule in rules:
        for problem in rule(value):
            yield invalid_value(field, value, problem)


def matches(field: str, value: str, rule: Rule) -> Iterator[Cause]:
    """Check a text by a rule, even when it is empty."""
    for problem in rule(value):
        yield invalid_value(field, value, problem)


def driver_name(field: str, name: str | None) -> Iterator[Cause]:
    """Check the name of a storage driver, which has at most 63 characters."""
    if name and len(name.encode()) > _MAX_DRIVER_LENGTH:
        yield too_long(field, f"may not be more than {_MAX_DRIVER_LENGTH} bytes")
    yield from text(field, name, driver_name_problems)


def one_of(
    field: str, value: str | None, known: Iterable[str], *, needed: bool = True
) -> Iterator[Cause]:
    """One of a few known words."""
    if value is None and not needed:
        return
    words = list(known)
    if (value or "") not in words:
        yield not_supported(field, value or "", words)


def not_found(field: str, value: object) -> Cause:
    """Report that the object of a reference does not exist."""
    return Cause("FieldValueNotFound", f'Not found: "{value}"', field)


def unique(field: str, values: Iterable[object], suffix: str = "") -> Iterator[Cause]:
    """No value stands twice."""
    seen: set[object] = set()
    for index, value in enumerate(values):
        if value in seen:
            yield duplicate(f"{field}[{index}]{suffix}", value)
        seen.add(value)


def is_not_negative(field: str, value: int | None) -> Iterator[Cause]:
    """Check that a number is at least 0."""
    if value is not None and value < 0:
        yield invalid_value(field, value, "must be greater than or equal to 0")


def port_number(field: str, value: int) -> Iterator[Cause]:
    """Check the number of a port."""
    for problem in range_problems(value, 1, 65535):
        yield invalid_value(field, value, problem)


def port_reference(field: str, value: int | str) -> Iterator[Cause]:
    """Check the number or the name of a port."""
    if isinstance(value, str):
        yield from matches(field, value, port_name_problems)
    else:
        yield from port_number(field, value)


def immutable(
    field: str, new: object, old: object, why: str = "field is immutable"
) -> Iterator[Cause]:
    """Check that a value does not change."""
    if new != old:
        yield invalid_value(field, new, why)


def relative_path(field: str, path: str) -> Iterator[Cause]:
    """Check that a path does not lead upwards."""
    if path.startswith("/"):
        yield invalid_value(field, path, "must be a relative path")
    if ".." in path.split("/"):
        yield invalid_value(field, path, "must not contain '..'")


def conditions_causes(
    conditions: list[dict[str, Any]], field: str, *, transitions: bool = True
) -> Iterator[Cause]:
    """Check the conditions of a status (`meta/v1.Condition`)."""
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        at, kind = f"{field}[{index}]", condition.get("type") or ""
        yield from matches(f"{at}.type", kind, qualified_name_problems)
        if kind in seen:
            yield duplicate(f"{at}.type", kind)
        seen.add(kind)
        yield from one_of(f"{at}.status", condition.get("status"), ("False", "True", "Unknown"))
        yield from is_not_negative(f"{at}.observedGeneration", condition.get("observedGeneration"))
        if transitions and not condition.get("lastTransitionTime"):
            yield required(f"{at}.lastTransitionTime")
        yield from _reason(condition.get("reason") or "", f"{at}.reason")
        if len(condition.get("message") or "") > _MAX_MESSAGE_LENGTH:
            yield too_long(f"{at}.message", f"may not be more than {_MAX_MESSAGE_LENGTH} bytes")


def _reason(reason: str, field: str) -> Iterator[Cause]:
    if not reason:
        yield required(field)
        return
    if not _REASON.fullmatch(reason):
        why = (
            "a condition reason must start with alphabetic character, optionally followed by a "
            "string of alphanumeric characters or '_,:', and must end with an alphanumeric "
            f"character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',"
            f"  or 'ReasonA:ReasonB', regex used for validation is '{_REASON.pattern}')"
        )
        yield invalid_value(field, reason, why)
    if len(reason) > _MAX_REASON_LENGTH:
        yield too_long(field, f"may not be more than {_MAX_REASON_LENGTH} bytes")


# ------------------------------------------------------------------------ label selectors


def selector_causes(selector: Mapping[str, Any] | None, field: str) -> Iterator[Cause]:
    """Check a label selector."""
    if selector is None:
        return
    for key, value in part(selector, "matchLabels").items():
        yield from matches(f"{field}.matchLabels", key, qualified_name_problems)
        yield from matches(f"{field}.matchLabels", value, label_value_problems)
    for index, requirement in enumerate(parts(selector, "matchExpressions")):
        yield from _requirement(requirement, f"{field}.matchExpressions[{index}]")


def _requirement(requirement: dict[str, Any], field: str) -> Iterator[Cause]:
    operator, values = requirement.get("operator"), texts(requirement, "values")
    if operator in ("In", "NotIn") and not values:
        why = "must be specified when `operator` is 'In' or 'NotIn'"
        yield required(f"{field}.values", why)
    elif operator in ("Exists", "DoesNotExist") and values:
        why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        yield forbidden_value(f"{field}.values", why)
    elif operator not in _OPERATORS:
        yield invalid_value(f"{field}.operator", operator or "", "not a valid selector operator")
    yield from matches(f"{field}.key", requirement.get("key") or "", qualified_name_problems)
    for index, value in enumerate(values):
        yield from matches(f"{field}.values[{index}]", value, label_value_problems)
