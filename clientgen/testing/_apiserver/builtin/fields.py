"""Fields of built-in kinds that field selectors may name.

Facts: docs/internals/kubernetes-semantics.md, 1.2 ("Selectors").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.optional_parts import part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..resources import Resource

__all__ = ["field_values", "known_fields"]

_FIELDS: Final[Mapping[tuple[str, str], Mapping[str, str]]] = {
    ("batch", "jobs"): {"status.successful": "status.succeeded"},
}
"""Fields that a selector may name, and where their values are."""

_NUMBERS: Final = frozenset({"status.successful"})


def known_fields(resource: Resource) -> frozenset[str]:
    """The fields that can be selected by, beyond name and namespace."""
    return frozenset(_FIELDS.get((resource.group, resource.plural), ()))


def field_values(resource: Resource, obj: dict[str, Any]) -> dict[str, str]:
    """The values of those fields, as text; empty where an object has none."""
    declared = _FIELDS.get((resource.group, resource.plural), {})
    return {field: _text(field, _at(obj, path)) for field, path in declared.items()}


def _at(obj: dict[str, Any], path: str) -> Any:
    *above, last = path.split(".")
    for name in above:
        obj = part(obj, name)
    return obj.get(last)


def _text(field: str, value: Any) -> str:
    if field in _NUMBERS:
        return str(value or 0)
    return "" if value is None else str(value)
