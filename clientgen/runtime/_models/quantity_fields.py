"""Converts strings and numbers in fields of quantities: `"100m"`, `2`, `0.5`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from .quantity import Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# The annotations of fields that hold only quantities, so that a string must be a quantity.
_TYPES: Final = (Quantity, Quantity | None, dict[str, Quantity], list[Quantity])
_TYPE_NAMES: Final = frozenset(
    ("Quantity", "Quantity|None", "Quantities", "dict[str,Quantity]", "list[Quantity]")
)


def quantity_fields(annotations: Mapping[str, object]) -> frozenset[str]:
    """Return the attributes of a class that hold quantities."""
    return frozenset(name for name, annotation in annotations.items() if _is_quantity(annotation))


def given_quantities(
    model: str, fields: frozenset[str], values: Mapping[str, object]
) -> Iterator[tuple[str, object]]:
    """Yield the arguments of a model's constructor that are quantities, converted.

    Raises:
        ValueError: a string is not a quantity; the message names the model and the field.
    """
    for name in fields & values.keys():
        try:
            yield name, to_quantities(values[name])
        except ValueError as error:
            raise ValueError(f"{model}.{name}: {error}") from None


def to_quantities(value: Any) -> Any:
    """Convert strings and numbers, also in a list or map. Other values are returned unchanged."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return Quantity(value)
    if isinstance(value, dict):
        quantities = cast("dict[str, Any]", value)
        converted: dict[str, Any] = {key: to_quantities(item) for key, item in quantities.items()}
        # A dict that holds only quantities is not copied: the caller may add entries to it later.
        is_changed = any(converted[key] is not item for key, item in quantities.items())
        return converted if is_changed else quantities
    if isinstance(value, list):
        return [to_quantities(item) for item in cast("list[object]", value)]
    return value


def _is_quantity(annotation: object) -> bool:
    return (
        "Quantit" in annotation and annotation.replace(" ", "") in _TYPE_NAMES
        if isinstance(annotation, str)
        else annotation in _TYPES
    )
