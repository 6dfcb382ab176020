"""Lists and maps that are written out with members of several types, which API servers refuse.

The library has no such check. It is made on the checked expression, a `CheckedExpr` message, whose
fields https://github.com/google/cel-spec/blob/master/proto/cel/expr/checked.proto numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.decoding.messages import bytes_of, fields_of, number_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clientgen._apimachinery.decoding.messages import Wire

_EXEMPT: Final = ("format", "construct")
"""Functions whose arguments may be mixed: `format`, and constructors (`constructors`)."""
_TYPE_MAP, _EXPRESSION, _SOURCE = 3, 4, 5
_ID, _SELECT, _CALL, _LIST, _STRUCT, _LOOP = 2, 5, 6, 7, 8, 9
_POSITIONS: Final = 4
_PRIMITIVES: Final = ("", "bool", "int", "uint", "double", "string", "bytes")
_WELL_KNOWN: Final = ("", "any", "google.protobuf.Timestamp", "google.protobuf.Duration")


def mixed_literals(serialized: bytes) -> list[tuple[int, str]]:
    """Return where members have another type than the first one, and what the types are.

    Args:
        serialized: a checked expression, an `Any` that holds a `CheckedExpr`.
    """
    checked = _message(serialized).get(2, [b""])[0]
    return list(_Literals(bytes_of(checked)).found())


def _message(wire: Wire) -> dict[int, list[Wire]]:
    fields: dict[int, list[Wire]] = {}
    for number, value in fields_of(bytes_of(wire)):
        fields.setdefault(number, []).append(value)
    return fields


@dataclass(frozen=True, slots=True)
class _Member:
    """An expression in a literal."""

    id: int
    is_optional: bool = False


class _Literals:
    """Goes through the nodes of an expression."""

    def __init__(self, checked: bytes) -> None:
        message = _message(checked)
        self._types = dict(map(_entry, message.get(_TYPE_MAP, ())))
        source = _message(message.get(_SOURCE, [b""])[0])
        self._positions = dict(map(_entry, source.get(_POSITIONS, ())))
        self._root = message.get(_EXPRESSION, [b""])[0]

    def found(self) -> Iterator[tuple[int, str]]:
        rows: list[list[_Member]] = []
        waiting: list[tuple[Wire, bool]] = [(self._root, False)]
        while waiting:
            wire, exempt = waiting.pop()
            node = _message(wire)
            if not exempt:
                rows += _rows(node)
            waiting += reversed(list(_children(node)))
        for row in rows:
            yield from self._mixed(row)

    def _mixed(self, row: list[_Member]) -> Iterator[tuple[int, str]]:
        first = self._type(row[0]) if row else ""
        for member in row[1:]:
            other = self._type(member)
            if other != first:
                position = self._positions.get(member.id, 0)
                assert isinstance(position, int)
                yield position, f"expected type '{first}' but found '{other}'"
                return

    def _type(self, member: _Member) -> str:
        shown = _type(self._types.get(member.id, b""))
        if member.is_optional and shown.startswith("optional_type("):
            return shown[len("optional_type(") : -1]
        return shown


def _entry(wire: Wire) -> tuple[int, Any]:
    message = _message(wire)
    return number_of(message.get(1, [0])[0]), message.get(2, [0])[0]


def _id(wire: Wire) -> int:
    return number_of(_message(wire).get(_ID, [0])[0])


def _rows(node: dict[int, list[Wire]]) -> Iterator[list[_Member]]:
    """Yield the expressions that need one type: items, keys, values."""
    for wire in node.get(_LIST, ()):
        items = _message(wire)
        optional = _packed(items.get(2, []))
        yield [_Member(_id(item), at in optional) for at, item in enumerate(items.get(1, ()))]
    for wire in node.get(_STRUCT, ()):
        entries = [_message(entry) for entry in _message(wire).get(2, ())]
        maps = [entry for entry in entries if 3 in entry]  # noqa: PLR2004 - the key of a map
        yield [_Member(_id(entry[3][0])) for entry in maps]
        yield [_Member(_id(entry[4][0]), bool(entry.get(5))) for entry in maps if 4 in entry]  # noqa: PLR2004


def _packed(wires: list[Wire]) -> set[int]:
    found: set[int] = set()
    for wire in wires:
        found |= {wire} if isinstance(wire, int) else set(wire)  # one byte each, below 128
    return found


def _children(node: dict[int, list[Wire]]) -> Iterator[tuple[Wire, bool]]:
    for wire in node.get(_SELECT, ()):
        yield from ((inner, False) for inner in _message(wire).get(1, ()))
    for wire in node.get(_CALL, ()):
        call = _message(wire)
        function = text_of(call.get(2, [b""])[0])
        exempt = function.startswith(_EXEMPT)
        yield from ((inner, False) for inner in call.get(1, ()))
        yield from ((inner, exempt) for inner in call.get(3, ()))
    for wire in node.get(_LIST, ()):
        yield from ((inner, False) for inner in _message(wire).get(1, ()))
    for wire in node.get(_STRUCT, ()):
        for entry in map(_message, _message(wire).get(2, ())):
            yield from ((inner, False) for number in (3, 4) for inner in entry.get(number, ()))
    for wire in node.get(_LOOP, ()):
        loop = _message(wire)
        yield from ((inner, False) for at in (2, 4, 5, 6, 7) for inner in loop.get(at, ()))


def _type(wire: Wire) -> str:  # noqa: PLR0911 - one line for each sort of type
    """Return a type as cel-go writes it."""
    for number, value in fields_of(bytes_of(wire)):
        match number:
            case 2:
                return "null"
            case 3:
                return _PRIMITIVES[number_of(value)]
            case 5:
                return _WELL_KNOWN[number_of(value)]
            case 6:
                return f"list({_type(_message(value).get(1, [b''])[0])})"
            case 7:
                inner = _message(value)
                key, member = inner.get(1, [b""])[0], inner.get(2, [b""])[0]
                return f"map({_type(key)}, {_type(member)})"
            case 9:
                return text_of(value)
            case 14:
                inner = _message(value)
                params = ", ".join(map(_type, inner.get(2, ())))
                name = text_of(inner.get(1, [b""])[0])
                return f"{name}({params})" if params else name
            case _:
                return "dyn"
    return "dyn"
