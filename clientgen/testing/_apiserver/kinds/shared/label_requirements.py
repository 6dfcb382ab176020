"""Requirements on labels, as selectors of several kinds have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, forbidden_value, invalid_value, required
from clientgen._apimachinery.name_syntax import label_value_problems, qualified_name_problems
from clientgen._json import texts

if TYPE_CHECKING:
    from collections.abc import Mapping

_WITH_VALUES: Final = ("In", "NotIn")
_WITHOUT_VALUES: Final = ("Exists", "DoesNotExist")
OPERATORS: Final = (*_WITH_VALUES, *_WITHOUT_VALUES)


def label_requirement_causes(requirement: Mapping[str, Any], field: str) -> list[Cause]:
    """List the mistakes in a requirement on labels, apart from its operator."""
    causes = requirement_values_causes(requirement, field)
    key = requirement.get("key") or ""
    causes += [invalid_value(f"{field}.key", key, each) for each in qualified_name_problems(key)]
    for index, value in enumerate(texts(requirement, "values")):
        problems = label_value_problems(value)
        causes += [invalid_value(f"{field}.values[{index}]", value, each) for each in problems]
    return causes


def requirement_values_causes(requirement: Mapping[str, Any], field: str) -> list[Cause]:
    """Check that a requirement has values if its operator compares with some, and only then."""
    operator, values = requirement.get("operator"), requirement.get("values")
    if operator in _WITH_VALUES and not values:
        why = "must be specified when `operator` is 'In' or 'NotIn'"
        return [required(f"{field}.values", why)]
    if operator in _WITHOUT_VALUES and values:
        why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        return [forbidden_value(f"{field}.values", why)]
    return []
