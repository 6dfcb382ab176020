"""Labels, their selectors, and annotations (apimachinery: api/validation, labels)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part, parts, texts

from .failures import Cause, invalid_value, too_long
from .name_syntax import label_value_problems, qualified_name_problems

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAX_ANNOTATION_BYTES: Final = 256 * 1024


def labels_causes(labels: Mapping[str, str] | None, field: str) -> list[Cause]:
    """Check labels, keys and values."""
    return [
        invalid_value(field, text, problem)
        for key, value in (labels or {}).items()
        for text, problems in (
            (key, qualified_name_problems(key)),
            (value, label_value_problems(value)),
        )
        for problem in problems
    ]


def annotations_causes(annotations: Mapping[str, str] | None, field: str) -> list[Cause]:
    """Check annotations: their keys, and their total size."""
    held = annotations or {}
    causes = [
        invalid_value(field, key, problem)
        for key in held
        for problem in qualified_name_problems(key.lower())
    ]
    size = sum(len(key.encode()) + len(value.encode()) for key, value in held.items())
    if size > _MAX_ANNOTATION_BYTES:
        causes.append(too_long(field, f"may not be more than {_MAX_ANNOTATION_BYTES} bytes"))
    return causes


def selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Return whether a valid LabelSelector matches labels; an empty one matches all."""
    wanted = part(selector, "matchLabels")
    return all(labels.get(key) == value for key, value in wanted.items()) and all(
        _fits(requirement, labels.get(requirement.get("key", "")))
        for requirement in parts(selector, "matchExpressions")
    )


def _fits(requirement: Mapping[str, Any], value: str | None) -> bool:
    operator, values = requirement.get("operator"), texts(requirement, "values")
    if operator == "In":
        return value in values
    if operator == "NotIn":
        return value not in values
    return (value is not None) == (operator == "Exists")
