"""Estimates the maximum cost of a rule in advance, because a running rule cannot be stopped.

Kubernetes counts while a rule runs, and ends it at a limit. The library here only ends after
10,000 turns of loops, whatever each turn costs. So a rule is followed with sizes instead of values:
how many items the largest list has, how long the longest text is. A unit is about 20 nanoseconds,
or two bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from clientgen._json import is_array, is_object

from .syntax_tree import Call, Comprehension, Constant, Listed, Name, Node, Selected, syntax_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_COST_PER_CALL: Final = 70_000_000
"""The maximum cost of one run: a second, and 150 megabytes."""
MAX_COST_PER_OBJECT: Final = 200_000_000
"""The maximum cost of all rules of an object together."""

_MAX_LOOP_TURNS: Final = 10_000
"""After so many turns of all its loops the library ends a run."""
_RUN_COST: Final = 500
_CALL_COST: Final = 100
"""The cost of a function that is written in Python."""
_ITEM_COST: Final = 8
"""The cost of an item in a new list."""
CALL_LIMIT: Final = "operation cancelled: actual cost limit exceeded"
"""The message for a run that may cost more."""
_BUDGET: Final = "validation failed due to running out of cost budget"
_UNBOUNDED: Final = float("inf")


@dataclass(frozen=True, slots=True)
class Size:
    """The largest size that a value may have.

    Attributes:
        items: of a list or map.
        length: of a text.
        weight: characters and items, all together.
        inside: of each item; None: as the value itself.
    """

    items: float = 0
    length: float = 0
    weight: float = 1
    inside: Size | None = None

    @property
    def item(self) -> Size:
        """An item or member of it."""
        return self if self.inside is None else self.inside


_SCALAR: Final = Size()
_EMPTY: Final = Size(weight=0)
Scope: TypeAlias = "Mapping[str, Size]"


class CostLimitExceeded(Exception):  # noqa: N818 - says what was met
    """A rule that it would cost too much to run, alone or after the others."""

    def __init__(self, why: str, *, is_one_call: bool) -> None:
        super().__init__(why)
        self.is_one_call = is_one_call


class CostBudget:
    """The cost that the rules of one object may still have; when it is over, no more are run."""

    def __init__(self) -> None:
        self._remaining: float = MAX_COST_PER_OBJECT
        self.is_over = False

    def pay(self, cost: float) -> None:
        """Count in what one run may cost.

        Raises:
            CostLimitExceeded: it may cost more than a run may, or more than is left.
        """
        self._remaining -= cost
        if cost > MAX_COST_PER_CALL:
            self.is_over = True
            raise CostLimitExceeded(CALL_LIMIT, is_one_call=True)
        if self._remaining < 0:
            self.is_over = True
            raise CostLimitExceeded(_BUDGET, is_one_call=False)


def size_of(*values: Any) -> Size:
    """The size of what a rule looks at, rounded up: rules are estimated once for all alike."""
    items, length, weight = 0, 0, 0
    level: list[Any] = list(values)
    while level:
        inside: list[Any] = []
        for value in level:
            weight += 1
            if is_object(value):
                items = max(items, len(value))
                length = max(length, *map(len, value), 0)
                inside += value.values()
            elif is_array(value):
                items = max(items, len(value))
                inside += value
            elif isinstance(value, (str, bytes)):
                length = max(length, len(value))
                weight += len(value)
        level = inside
    return Size(_rounded(items), _rounded(length), _rounded(weight))


def _rounded(number: int) -> int:
    """Up to the next power of two."""
    return 1 << (number - 1).bit_length() if number else 0


def cost_of(serialized: bytes, size: Size) -> float:
    """Return an estimate of the cost of running an expression on values of a size."""
    return _cost(serialized, size)


@lru_cache(maxsize=512)
def _cost(serialized: bytes, size: Size) -> float:
    try:
        syntax = syntax_of(serialized)
        turning = _Estimate(size, turns=True)
        once = _Estimate(size, turns=False)
        at_most = once.cost(syntax) + _MAX_LOOP_TURNS * once.turn
        return _RUN_COST + size.weight / 10 + min(turning.cost(syntax), at_most)
    except RecursionError:
        return _UNBOUNDED


class _Estimate:
    """Follows an expression.

    Args:
        size: of `self` and `oldSelf`.
        turns: whether loops count as often as they turn; else `turn` says what the dearest turn of
            any loop costs.
    """

    def __init__(self, size: Size, *, turns: bool) -> None:
        self._size = size
        self._turns = turns
        self.turn = 0.0

    def cost(self, node: Node) -> float:
        """Return the cost of the whole expression."""
        return self._follow(node, {})[1]

    def _follow(self, node: Node, scope: Scope) -> tuple[Size, float]:
        match node:
            case Constant():
                is_text = node.number is None
                return Size(0, node.length, node.length) if is_text else _SCALAR, 1
            case Name():
                return scope.get(node.name, self._size), 1
            case Selected():
                size, cost = self._follow(node.operand, scope)
                return size.item, cost + 1
            case Listed():
                return self._listed(node, scope)
            case Call():
                return self._call(node, scope)
            case Comprehension():
                return self._loop(node, scope)

    def _listed(self, node: Listed, scope: Scope) -> tuple[Size, float]:
        followed = [self._follow(item, scope) for item in node.items]
        inside = _either([size for size, _ in followed])
        items = len(followed)
        weight = items + sum(size.weight for size, _ in followed)
        return Size(items, 0, weight, inside), sum(
            cost for _, cost in followed
        ) + items * _ITEM_COST

    def _call(self, node: Call, scope: Scope) -> tuple[Size, float]:
        followed = [self._follow(argument, scope) for argument in node.arguments]
        sizes = [size for size, _ in followed]
        cost = sum(own_cost for _, own_cost in followed)
        if node.function in ("lists.range", "range"):
            return _range(node.arguments, sizes, cost)
        result_size, own = _FUNCTIONS.get(node.function, _anything)(sizes)
        return result_size, cost + own

    def _loop(self, node: Comprehension, scope: Scope) -> tuple[Size, float]:
        around, cost = self._follow(node.around, scope)
        start, cost_of_start = self._follow(node.start, scope)
        turns = min(around.items, _MAX_LOOP_TURNS)
        within = {**scope, **dict.fromkeys(node.names, around.item), node.made: _EMPTY}
        added, step = self._follow(node.step, within)
        step += self._follow(node.condition, within)[1]
        made = _grown(start, added, turns)
        if added.items:
            step += made.items * _ITEM_COST / 2  # lists are copied to add to them
        result, cost_of_result = self._follow(node.result, {**scope, node.made: made})
        self.turn = max(self.turn, step)
        return result, cost + cost_of_start + cost_of_result + (turns * step if self._turns else 0)


def _grown(start: Size, added: Size, turns: float) -> Size:
    if not turns:
        return start
    return Size(
        start.items + turns * added.items,
        max(start.length, added.length),
        start.weight + turns * added.weight,
        added.inside,
    )


def _either(sizes: list[Size]) -> Size:
    if not sizes:
        return _SCALAR
    alike = any(size.inside is None and size.items for size in sizes)
    inside = [size.inside for size in sizes if size.inside is not None]
    return Size(
        max(size.items for size in sizes),
        max(size.length for size in sizes),
        max(size.weight for size in sizes),
        None if alike or not inside else _either(inside),
    )


# ------------------------------------------------------------------------------------ functions


def _range(arguments: tuple[Node, ...], sizes: list[Size], cost: float) -> tuple[Size, float]:
    last = arguments[-1] if arguments else Constant()
    if isinstance(last, Call) and last.function == "atLeastZero" and last.arguments:
        last = last.arguments[0]
    if isinstance(last, Constant):
        items: float = max(last.number or 0, 0)
    elif isinstance(last, Call) and last.function == "size":
        items = max(sizes[-1].items, sizes[-1].length)
    else:
        items = _UNBOUNDED
    return Size(items, 0, items, _SCALAR), cost + items * _ITEM_COST


def _logic(sizes: list[Size]) -> tuple[Size, float]:
    return _either(sizes), 1


def _scalar(_: list[Size]) -> tuple[Size, float]:
    return _SCALAR, 1


def _measured(sizes: list[Size]) -> tuple[Size, float]:
    # The number may be the argument of `lists.range`, so it keeps its bound.
    return Size(0, 0, 1) if not sizes else Size(sizes[0].items, sizes[0].length), 1


def _compared(sizes: list[Size]) -> tuple[Size, float]:
    return _SCALAR, 2 + min((size.weight for size in sizes), default=0) / 100


def _contained(sizes: list[Size]) -> tuple[Size, float]:
    item, items = sizes[0], sizes[-1]
    return _SCALAR, 2 + items.items + min(item.weight * items.items, items.weight) / 100


def _added(sizes: list[Size]) -> tuple[Size, float]:
    if any(size is _SCALAR for size in sizes):  # what is added to a number is one
        return _SCALAR, 2
    length, items = sum(size.length for size in sizes), sum(size.items for size in sizes)
    weight = sum(size.weight for size in sizes)
    insides = [size.item for size in sizes if size.items]
    size = Size(items, length, weight, _either(insides) if insides else None)
    return size, 2 + length / 2 + items * _ITEM_COST


def _member(sizes: list[Size]) -> tuple[Size, float]:
    return sizes[0].item if sizes else _SCALAR, 2


def _searched(sizes: list[Size]) -> tuple[Size, float]:
    text, part = sizes[0], sizes[-1]
    items = text.items * _ITEM_COST + text.weight / 10
    return _SCALAR, _CALL_COST + text.length * (1 + part.length) / 100 + items


def _matched(sizes: list[Size]) -> tuple[Size, float]:
    return Size(0, sizes[0].length, sizes[0].length), _CALL_COST + sizes[0].length + sizes[
        -1
    ].length


def _parts(sizes: list[Size]) -> tuple[Size, float]:
    length = sizes[0].length
    return Size(length + 1, 0, 2 * length, Size(0, length, length)), _CALL_COST + (
        length + 1
    ) * _ITEM_COST


def _matches(sizes: list[Size]) -> tuple[Size, float]:
    size, cost = _parts(sizes)
    return size, 20 * cost + sizes[-1].length


def _joined(sizes: list[Size]) -> tuple[Size, float]:
    length = sizes[0].weight + sizes[0].items * sizes[-1].length
    return Size(0, length, length), _CALL_COST + sizes[0].items * _ITEM_COST + length / 2


def _replaced(sizes: list[Size]) -> tuple[Size, float]:
    text, new = sizes[0].length, sizes[2].length if len(sizes) > 2 else 0  # noqa: PLR2004
    length = text + (text + 1) * new
    return Size(0, length, length), _CALL_COST + length / 2


def _written(sizes: list[Size]) -> tuple[Size, float]:
    length = sum(size.length + 2 * size.weight for size in sizes)
    return Size(0, length, length), _CALL_COST + 5 * length


def _flattened(sizes: list[Size]) -> tuple[Size, float]:
    weight = sizes[0].weight
    return Size(weight, sizes[0].length, weight), _CALL_COST + weight * _ITEM_COST


def _all_pairs(sizes: list[Size]) -> tuple[Size, float]:
    first, other = sizes[0], sizes[-1]
    return first, _CALL_COST + first.items * (other.items + other.weight / 100) * 2


def _anything(sizes: list[Size]) -> tuple[Size, float]:
    size = Size(
        sum(size.items for size in sizes),
        sum(size.length for size in sizes),
        sum(size.weight for size in sizes),
        None if any(size.inside is None and size.items for size in sizes) else _either(sizes),
    )
    return size, _CALL_COST + size.length + size.items * _ITEM_COST + size.weight / 10


_FUNCTIONS: Final[dict[str, Callable[[list[Size]], tuple[Size, float]]]] = {
    **dict.fromkeys(
        ("_&&_", "_||_", "!_", "@not_strictly_false", "_?_:_", "dyn", "atLeastZero"), _logic
    ),
    **dict.fromkeys(("_-_", "_*_", "_/_", "_%_", "-_", "int", "double", "uint", "bool"), _scalar),
    **dict.fromkeys(("_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"), _compared),
    **dict.fromkeys(("_[_]", "_[?_]", "_?._", "first", "last"), _member),
    **dict.fromkeys(("contains", "startsWith", "endsWith", "indexOf", "lastIndexOf"), _searched),
    **dict.fromkeys(("matches", "find"), _matched),
    "split": _parts,
    "findAll": _matches,
    "flatten": _flattened,
    **dict.fromkeys(("format", "strings.quote"), _written),
    **dict.fromkeys(
        ("distinct", "sets.contains", "sets.equivalent", "sets.intersects"), _all_pairs
    ),
    "@in": _contained,
    "size": _measured,
    "_+_": _added,
    "join": _joined,
    "replace": _replaced,
}
"""Results and costs of functions, by the sizes of their arguments."""
