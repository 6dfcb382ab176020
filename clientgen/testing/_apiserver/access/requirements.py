"""Checks of the selectors that access reviews hold (`resourceAttributes.labelSelector`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, Failure, invalid_value, required
from clientgen._json import parts

from ..kinds.shared.label_requirements import label_requirement_causes, requirement_values_causes
from ..server_selectors import field_terms, label_test

if TYPE_CHECKING:
    from collections.abc import Mapping

_WITH_VALUES: Final = ("In", "NotIn")
_WITHOUT_VALUES: Final = ("Exists", "DoesNotExist")
_IGNORED: Final = "ignored due to parse error"


def _field_requirement_causes(requirement: Mapping[str, Any], field: str) -> list[Cause]:
    missing = [] if requirement.get("key") else [required(f"{field}.key", "must be specified")]
    return missing + requirement_values_causes(requirement, field)


def selector_attributes_causes(attributes: Mapping[str, Any], field: str) -> list[Cause]:
    """List the mistakes in the selectors of a review's `resourceAttributes`."""
    causes: list[Cause] = []
    for name, check in (
        ("fieldSelector", _field_requirement_causes),
        ("labelSelector", label_requirement_causes),
    ):
        selector = attributes.get(name)
        if selector is None:
            continue
        path = f"{field}.{name}"
        raw, requirements = selector.get("rawSelector"), parts(selector, "requirements")
        if raw and requirements:
            why = "may not specified at the same time as requirements"
            causes.append(invalid_value(f"{path}.rawSelector", raw, why))
        elif not raw and not requirements:
            why = f"when {path} is specified, requirements or rawSelector is required"
            causes.append(required(f"{path}.requirements", why))
        for index, requirement in enumerate(requirements):
            causes += check(requirement, f"{path}.requirements[{index}]")
    return causes


def selector_error(attributes: Mapping[str, Any], field: str) -> str:
    """The `evaluationError` for selectors that the authorizer cannot use; empty when it can."""
    texts = (
        _error(attributes.get(name), f"{field}.{name}", readable, operators)
        for name, readable, operators in (
            ("fieldSelector", field_terms, _usable_field),
            ("labelSelector", label_test, _usable_label),
        )
    )
    return "; ".join(text for text in texts if text)


def _error(selector: Mapping[str, Any] | None, path: str, readable: Any, usable: Any) -> str:
    if selector is None:
        return ""
    if selector.get("rawSelector"):
        return "" if _reads(selector["rawSelector"], readable) else f"{path} {_IGNORED}"
    requirements = selector["requirements"]
    good = sum(map(usable, requirements))
    if good == len(requirements):
        return ""
    return f"{path} partially {_IGNORED}" if good else f"{path} {_IGNORED}"


def _reads(text: str, readable: Any) -> bool:
    try:
        readable(text)
    except Failure:
        return False
    return True


def _usable_field(requirement: Mapping[str, Any]) -> bool:
    # A field is compared with one value; there is no set of them in a field selector.
    return requirement.get("operator") in _WITH_VALUES and len(requirement["values"]) == 1


def _usable_label(requirement: Mapping[str, Any]) -> bool:
    return requirement.get("operator") in (*_WITH_VALUES, *_WITHOUT_VALUES)
