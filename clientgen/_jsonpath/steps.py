"""The steps of a path: functions from values to values."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from .source import Place

Values: TypeAlias = "list[Any]"
Step: TypeAlias = "Callable[[Values, Budget], Values]"

# Recursive descents below each other select polynomially many values. `..` visits about 300 values
# of a Pod.
MAX_VALUES: Final = 10_000_000
_COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
OPERATORS: Final = tuple(_COMPARISONS)


class Budget:
    """The number of values that an evaluation may still visit."""

    def __init__(self) -> None:
        self._left = MAX_VALUES

    def spend(self, values: int) -> None:
        """Count visited values.

        Raises:
            ValueError: the evaluation has visited too many values.
        """
        self._left -= values
        if self._left < 0:
            raise ValueError(f"the JSONPath visits more than {MAX_VALUES:,} values")


def run(steps: Sequence[Step], value: Any, budget: Budget) -> Values:
    """Return the values that the steps select in a value.

    Raises:
        ValueError: a step cannot be applied to a value, or the budget is spent.
    """
    values = [value]
    for step in steps:
        values = step(values, budget)
    return values


def _of_each(select: Callable[[Any], Iterable[Any]]) -> Step:
    """Create the step that selects values in each value. Null has no parts, as in client-go."""

    def step(values: Values, budget: Budget) -> Values:
        found: Values = []
        for value in values:
            before = len(found)
            if value is not None:
                found.extend(select(value))
            budget.spend(1 + len(found) - before)
        return found

    return step


def literal(value: str | float | bool) -> Step:
    """Select the value itself."""

    def step(_values: Values, budget: Budget) -> Values:
        budget.spend(1)
        return [value]

    return step


def field(name: str) -> Step:
    """Select the field of objects that have it."""

    def step(values: Values, budget: Budget) -> Values:
        budget.spend(len(values))
        return [value[name] for value in values if isinstance(value, dict) and name in value]

    return step


def wildcard() -> Step:
    """Select all items of lists, and all values of objects."""
    return _of_each(_children)


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value).values()
    return cast("list[object]", value) if isinstance(value, list) else ()


def everything() -> Step:
    """Select a value and all values inside it that have parts, parents first."""

    def step(values: Values, budget: Budget) -> Values:
        found: Values = []
        for value in values:
            for each in _descendants(value):
                budget.spend(1)
                found.append(each)
        return found

    return step


def _descendants(value: Any) -> Iterator[Any]:
    # A stack, because the nesting of objects may be deeper than Python's calls.
    rest = [value]
    while rest:
        each = rest.pop()
        if each and isinstance(each, (dict, list, str)):  # text has characters, in client-go
            yield each
            rest.extend(reversed([*_children(each)]))


def index(at: int, place: Place) -> Step:
    """Select an item of each list. Negative numbers count from the end."""

    def select(value: Any) -> Values:
        items = _checked_list(value, place)
        if not -len(items) <= at < len(items):
            raise place.error(f"array index out of bounds: index {at}, length {len(items)}")
        return [items[at]]

    return _of_each(select)


def slice_of(start: int | None, end: int | None, stride: int | None, place: Place) -> Step:
    """Select a part of each list."""

    def select(value: Any) -> Values:
        items = _checked_list(value, place)
        first, last = (_absolute(each, len(items)) for each in (start or 0, end))
        if first != last:  # client-go allows empty slices anywhere
            _check_bounds(first, last, len(items), place)
        return items[first:last:stride]

    return _of_each(select)


def _absolute(at: int | None, length: int) -> int:
    if at is None:
        return length
    return at + length if at < 0 else at


def _check_bounds(first: int, last: int, length: int, place: Place) -> None:
    if not 0 <= first < length:
        raise place.error(f"array index out of bounds: index {first}, length {length}")
    if not 0 <= last <= length:
        raise place.error(f"array index out of bounds: index {last - 1}, length {length}")
    if first > last:
        raise place.error(f"starting index {first} is greater than ending index {last}")


def _checked_list(value: Any, place: Place) -> Values:
    if not isinstance(value, list):
        raise place.error(f"{_kind(value)} is not an array")
    return cast("list[object]", value)


def _kind(value: Any) -> str:
    kinds = {"dict": "an object", "str": "a string", "bool": "a boolean", "list": "an array"}
    return kinds.get(value.__class__.__name__, "a number")


def union(parts: Sequence[Sequence[Step]]) -> Step:
    """Select what the first part selects, then what the second part selects, and so on."""

    def step(values: Values, budget: Budget) -> Values:
        found: Values = []
        for part in parts:
            selected = values
            for part_step in part:
                selected = part_step(selected, budget)
            found.extend(selected)
        return found

    return step


def existing(operand: Sequence[Step], place: Place) -> Step:
    """Select the items of lists in which a path selects a value."""

    def is_wanted(item: Any, budget: Budget) -> bool:
        return bool(run(operand, item, budget))

    return _filter(is_wanted, place)


def compared(left: Sequence[Step], comparison: str, right: Sequence[Step], place: Place) -> Step:
    """Select the items of lists for which a comparison is true."""
    compare = _COMPARISONS[comparison]

    def is_wanted(item: Any, budget: Budget) -> bool:
        lefts = run(left, item, budget)
        rights = run(right, item, budget) if lefts else []
        if not rights:
            return False
        if len(lefts) > 1 or len(rights) > 1:
            raise place.error("can only compare one element at a time")
        _check_comparable(lefts[0], rights[0], comparison, place)
        return compare(lefts[0], rights[0])

    return _filter(is_wanted, place)


def _check_comparable(left: Any, right: Any, comparison: str, place: Place) -> None:
    kinds = [bool if isinstance(each, bool) else _scalar(each) for each in (left, right)]
    is_order = comparison not in {"==", "!="}
    if kinds[0] is not kinds[1] or kinds[0] is None or (is_order and kinds[0] is bool):
        shown = f"{_kind(left)} {comparison} {_kind(right)}"
        raise place.error(f"incompatible types for comparison: {shown}")


def _scalar(value: Any) -> type | None:
    if isinstance(value, str):
        return str
    return float if isinstance(value, (int, float)) else None


def _filter(is_wanted: Callable[[Any, Budget], bool], place: Place) -> Step:
    def step(values: Values, budget: Budget) -> Values:
        found: Values = []
        for value in values:
            items = [] if value is None else _checked_list(value, place)
            budget.spend(1 + len(items))
            found.extend(item for item in items if is_wanted(item, budget))
        return found

    return step
