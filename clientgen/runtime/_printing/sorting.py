"""Sorting by any path, as `kubectl get --sort-by` does.

k8s.io/kubectl: pkg/cmd/get/sorter.go.
"""

from __future__ import annotations

from functools import cmp_to_key
from typing import TYPE_CHECKING, Any, TypeVar

from clientgen import _jsonpath

from .._models.arguments import type_of
from .._models.quantity import Quantity
from .object_json import tree_of_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

T = TypeVar("T")


def sort_by(objects: Iterable[T], path: str) -> list[T]:
    """Sort objects by a field, as `kubectl get --sort-by=PATH`: `sort_by(pods, ".status.phase")`.

    Numbers are sorted as numbers. Texts that are quantities are sorted as quantities (`900m` before
    `1`), and other texts by their characters. Objects without the field come first. Equal objects
    keep their order. Of several values, the first counts.

    Args:
        objects: the objects; a list of the server counts as its items.
        path: a path, with or without braces and the leading dot.

    Raises:
        ValueError: the path cannot be read, no object has the field, or the values cannot be
            sorted: they are booleans, lists or objects, or of different types.
        TypeError: something is not an object.
    """
    items = list(objects)
    return sorted_by_path(items, [tree_of_object(each) for each in items], path)


def sorted_by_path(items: Sequence[T], trees: Sequence[Any], path: str) -> list[T]:
    """Sort items by a path in the JSON of each.

    Raises:
        ValueError: as `sort_by`.
    """
    steps = _jsonpath.parse(_jsonpath.relaxed(path))
    found = [_jsonpath.run(steps, tree, _jsonpath.Budget())[:1] for tree in trees]
    if items and not any(found):
        raise ValueError(f"couldn't find any field with path {path!r} in the list of objects")
    for values in found:
        _check_sortable(values, path)
    order = sorted(range(len(items)), key=cmp_to_key(_comparison(found, path)))
    return [items[at] for at in order]


def _check_sortable(values: Sequence[Any], path: str) -> None:
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (str, int, float, type(None))):
            why = f"a value is {type_of(value)}, not text or a number"
            raise ValueError(f"cannot sort by {path!r}: {why}")  # noqa: TRY004 - as for paths


def _comparison(found: Sequence[Sequence[Any]], path: str) -> Callable[[int, int], int]:
    """Return a comparison of the values at two positions."""
    quantities = [_quantity(values[0]) if values else None for values in found]

    def compare(one: int, other: int) -> int:
        if not found[one] or not found[other]:
            return len(found[one]) - len(found[other])
        left: Any = found[one][0]
        right: Any = found[other][0]
        if quantities[one] is not None and quantities[other] is not None:
            left, right = quantities[one], quantities[other]
        if left is None or right is None:
            return (left is not None) - (right is not None)
        if isinstance(left, str) != isinstance(right, str):
            raise ValueError(f"cannot sort by {path!r}: some values are text, and some are numbers")
        return int(left > right) - int(left < right)

    return compare


def _quantity(value: Any) -> Quantity | None:
    if not isinstance(value, str):
        return None
    try:
        return Quantity(value)
    except ValueError:
        return None
