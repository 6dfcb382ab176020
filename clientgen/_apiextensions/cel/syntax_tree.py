"""The syntax tree of an expression, as the library represents it: a `ParsedExpr` message.

https://github.com/google/cel-spec/blob/master/proto/cel/expr/syntax.proto has the numbers of the
fields. Macros are written out there: `all`, `map` and so on are comprehensions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from clientgen._apimachinery.decoding.messages import bytes_of, fields_of, number_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from clientgen._apimachinery.decoding.messages import Wire


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal: how long it is, or an integer's value."""

    length: int = 0
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Name:
    """A variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Selected:
    """A member of something."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Call:
    """A function or an operator; what it is called on comes first among the arguments."""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """A list or a map that is written out."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Comprehension:
    """A loop over `around`, with a value that is made on the way."""

    names: tuple[str, ...]
    around: Node
    made: str
    start: Node
    condition: Node
    step: Node
    result: Node


Node: TypeAlias = "Constant | Name | Selected | Call | Listed | Comprehension"

_NOTHING: Final = Constant()
_INTEGERS: Final = (3, 4)
_TEXTS: Final = (6, 7)


def syntax_of(message: bytes) -> Node:
    """The syntax of a serialized expression, an `Any` that holds a `ParsedExpr`.

    Raises:
        BadWire: it is none.
        RecursionError: it is nested too deep.
    """
    parsed = dict(fields_of(message)).get(2, b"")
    return _node(dict(fields_of(bytes_of(parsed))).get(2, b""))


def _node(wire: Wire) -> Node:
    for number, value in fields_of(bytes_of(wire)):
        if number in _NODES:
            return _NODES[number](value)
    return _NOTHING


def _name(wire: Wire) -> Name:
    return Name(text_of(dict(fields_of(bytes_of(wire))).get(1, b"")))


def _selected(wire: Wire) -> Selected:
    return Selected(_node(dict(fields_of(bytes_of(wire))).get(1, b"")))


def _constant(wire: Wire) -> Constant:
    for number, value in fields_of(bytes_of(wire)):
        if number in _TEXTS:
            return Constant(len(bytes_of(value)))
        if number in _INTEGERS:
            return Constant(0, number_of(value))
    return Constant(0, 0)


def _call(wire: Wire) -> Call:
    parts = list(fields_of(bytes_of(wire)))
    targets = [value for number, value in parts if number == 1]
    arguments = [value for number, value in parts if number == 3]  # noqa: PLR2004 - see the address
    function = next((text_of(value) for number, value in parts if number == 2), "")  # noqa: PLR2004
    return Call(function, tuple(map(_node, [*targets, *arguments])))


def _list(wire: Wire) -> Listed:
    return Listed(tuple(_node(value) for field, value in fields_of(bytes_of(wire)) if field == 1))


def _map(wire: Wire) -> Listed:
    parts = fields_of(bytes_of(wire))
    entries = [fields_of(bytes_of(value)) for field, value in parts if field == 2]  # noqa: PLR2004
    return Listed(
        tuple(_node(value) for entry in entries for field, value in entry if field in (3, 4))
    )


def _comprehension(wire: Wire) -> Comprehension:
    parts = dict(fields_of(bytes_of(wire)))
    around, start, condition, step, result = (_node(parts.get(at, b"")) for at in (2, 4, 5, 6, 7))
    names = tuple(text_of(parts[at]) for at in (1, 8) if at in parts)
    made = text_of(parts.get(3, b""))
    return Comprehension(names, around, made, start, condition, step, result)


_NODES: Final[dict[int, Callable[[Wire], Node]]] = {
    3: _constant,
    4: _name,
    5: _selected,
    6: _call,
    7: _list,
    8: _map,
    9: _comprehension,
}
"""Readers of nodes, by field number."""
