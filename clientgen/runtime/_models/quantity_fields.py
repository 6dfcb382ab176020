"""Quantities as people write them: `"100m"`, `2`, `0.5`; where they are given, they become some."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from .quantity import Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["given_quantities", "quantity_fields", "to_quantities"]

# The annotations of fields that hold quantities and nothing else: a text there can mean one only.
_TYPES: Final = (Quantity, Quantity | None, dict[str, Quantity], list[Quantity])
_TEXTS: Final = frozenset(
    ("Quantity", "Quantity|None", "Quantities", "dict[str,Quantity]", "list[Quantity]")
)


def quantity_fields(annotations: Mapping[str, object]) -> frozenset[str]:
    """Return the attributes of a class that hold quantities."""
    return frozenset(name for name, annotation in annotations.items() if _is_quantity(annotation))


def given_quantities(
    model: str, fields: frozenset[str], values: Mapping[str, object]
) -> Iterator[tuple[str, object]]:
    """Yield the quantities out of what a model is made of.

    Raises:
        ValueError: a text is no quantity; the message names the model and the field.
    """
    for name in fields & values.keys():
        try:
            yield name, to_quantities(values[name])
        except ValueError as error:
            raise ValueError(f"{model}.{name}: {error}") from None


def to_quantities(value: Any) -> Any:
    """Make quantities of texts and numbers, also of those in a list or map; leave others alone."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return Quantity(value)
    if isinstance(value, dict):
        quantities = cast("dict[str, Any]", value)
        made: dict[str, Any] = {key: to_quantities(item) for key, item in quantities.items()}
        return (
            made if any(made[key] is not item for key, item in quantities.items()) else quantities
        )
    if isinstance(value, list):
        return [to_quantities(item) for item in cast("list[object]", value)]
    return value


def _is_quantity(annotation: object) -> bool:
    return (
        annotation.replace(" ", "") in _TEXTS
        if isinstance(annotation, str)
        else annotation in _TYPES
    )
