"""Values of rules while they are translated: their types, their CEL, and what absence reads as."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final, TypeAlias

from clientgen.generator.crds.annotation_schemas import Schema
from clientgen.runtime._models.model import Model

INT64: Final = (-(2**63), 2**63 - 1)
EXACT: Final = 2**53
"""Integers up to here are doubles without loss."""
MAX_REQUEST: Final = 3 * 1024 * 1024
"""The size of a request: the length of a text without a limit."""

TERNARY, OR, AND, RELATION, SUM, PRODUCT, UNARY, ATOM = range(8)
"""How strongly the operators of CEL bind."""


@dataclass(frozen=True, slots=True)
class Int:
    """An integer, and between which values it is."""

    low: int = INT64[0]
    high: int = INT64[1]
    name = "an integer"


@dataclass(frozen=True, slots=True)
class Float:
    """A number."""

    name = "a number"


@dataclass(frozen=True, slots=True)
class Str:
    """A text with at most `length` characters."""

    length: int | None = None
    name = "a text"


@dataclass(frozen=True, slots=True)
class Bool:
    """True or false."""

    name = "a bool"


@dataclass(frozen=True, slots=True)
class Nothing:
    """None."""

    name = "None"


@dataclass(frozen=True, slots=True)
class Found:
    """The result of matching a pattern: a match, or None."""

    name = "a match"


@dataclass(frozen=True, slots=True)
class List:
    """A list with at most `size` items; servers ignore the order of sets and maps."""

    item: Type
    size: int | None = None
    is_unordered: bool = False
    name = "a list"


@dataclass(frozen=True, slots=True)
class Map:
    """A dict whose keys are texts."""

    value: Type
    size: int | None = None
    name = "a dict"


@dataclass(frozen=True, slots=True)
class Object:
    """An object of a model class; `schema` is its schema where there is one."""

    cls: type[Model]
    schema: Schema | None = field(default=None, hash=False, compare=False)
    is_root_meta: bool = False
    name = "an object"


@dataclass(frozen=True, slots=True)
class Request:
    """The admission request, or a part of it: attributes, with their names in CEL."""

    members: tuple[tuple[str, str, Any], ...]
    name = "the request"


@dataclass(frozen=True, slots=True)
class Other:
    """A value that can only be compared with None."""

    name: str


Type: TypeAlias = Int | Float | Str | Bool | Nothing | Found | List | Map | Object | Request | Other

SCALARS: Final = (Int, Float, Str, Bool)


class _Empty:
    """An object, list or dict without content."""

    def __repr__(self) -> str:
        return "EMPTY"


EMPTY: Final = _Empty()


@dataclass(frozen=True, slots=True)
class Value:
    """A value.

    Attributes:
        type: its type.
        text: its CEL, where it is present.
        level: how strongly the outermost operator of `text` binds.
        optional: the CEL of an optional value, where it may be absent; else empty.
        absent: what Python reads if it is absent: None, a scalar, or `EMPTY`.
        constant: the value in Python, if it is a constant.
    """

    type: Type
    text: str
    level: int = ATOM
    optional: str = ""
    absent: Any = None
    constant: Any = None

    @property
    def is_nullable(self) -> bool:
        """Whether Python reads None if it is absent."""
        return bool(self.optional) and self.absent is None

    def known(self) -> Value:
        """The value where it is present for sure."""
        return replace(self, optional="")

    def at(self, level: int) -> str:
        """Return its text as an operand of an operator that binds as strongly as `level`."""
        return self.text if self.level >= level else f"({self.text})"


def integer(low: int, high: int, text: str, level: int = ATOM) -> Value:
    """Return an integer between two values."""
    return Value(Int(low, high), text, level)


def boolean(text: str, level: int = ATOM) -> Value:
    """Return a bool."""
    return Value(Bool(), text, level)


TRUE: Final = boolean("true")
FALSE: Final = boolean("false")


def negated(value: Value) -> Value:
    """Return the opposite of a bool."""
    if value in (TRUE, FALSE):
        return FALSE if value == TRUE else TRUE
    return boolean(f"!{value.at(UNARY)}", UNARY)


def joined(values: list[Value], *, by: str) -> Value:
    """Join bools by `&&` or `||`."""
    neutral, decisive = (TRUE, FALSE) if by == "&&" else (FALSE, TRUE)
    if decisive in values:
        return decisive
    values = [value for value in values if value != neutral]
    level = AND if by == "&&" else OR
    if len(values) < 2:  # noqa: PLR2004 - nothing to join
        return values[0] if values else neutral
    return boolean(f" {by} ".join(value.at(level) for value in values), level)


def quoted(text: str) -> str:
    """Return a text as a literal of CEL.

    Raises:
        UnicodeEncodeError: it has half a surrogate pair.
    """
    text.encode()
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    code = ord(character)
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable():
        return character
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - the BMP


def literal(constant: object) -> Value | None:  # noqa: PLR0911 - a case for each type
    """Return a constant of Python; None if CEL has no such literal."""
    if isinstance(constant, Enum):
        found = literal(constant.value) if isinstance(constant, (str, int)) else None
        return None if found is None else replace(found, constant=constant)
    match constant:
        case None:
            return Value(Nothing(), "null")
        case bool():
            return TRUE if constant else FALSE
        case int() if INT64[0] < constant <= INT64[1]:
            return Value(
                Int(int(constant), int(constant)), str(int(constant)),
                UNARY if constant < 0 else ATOM, constant=int(constant),
            )  # fmt: skip
        case float() if constant - constant == 0:
            text = repr(float(constant))
            return Value(Float(), text, UNARY if constant < 0 else ATOM, constant=constant)
        case str():
            try:
                return Value(Str(len(constant)), quoted(str(constant)), constant=str(constant))
            except UnicodeEncodeError:
                return None
        case list() | tuple() | set() | frozenset() | dict():
            return _collection(constant)
        case _:
            return None


def _collection(constant: Any) -> Value | None:
    members: list[Any] = list(constant)
    is_set = isinstance(constant, (set, frozenset))
    ordered = sorted(members, key=repr) if is_set else members
    items = [literal(item) for item in ordered]
    known = [item for item in items if item is not None]
    types = {type(item.type) for item in known}
    if len(known) != len(items) or len(types) > 1 or not types <= {Int, Str, Bool, Float}:
        return None
    item_type = widest([item.type for item in known]) if known else Nothing()
    text = f"[{', '.join(item.text for item in known)}]"
    return Value(List(item_type, len(known)), text, constant=tuple(ordered))


def widest(types: list[Type]) -> Type:
    """Return a type for values of all these types, which are alike."""
    types = [each for each in types if not isinstance(each, Nothing)] or types
    numbers = [each for each in types if isinstance(each, Int)]
    if numbers:
        return Int(min(each.low for each in numbers), max(each.high for each in numbers))
    texts = [each for each in types if isinstance(each, Str)]
    if texts:
        return Str(_longest([each.length for each in texts]))
    lists = [each for each in types if isinstance(each, List)]
    if lists:
        item = widest([each.item for each in lists])
        size = _longest([each.size for each in lists])
        return List(item, size, any(each.is_unordered for each in lists))
    maps = [each for each in types if isinstance(each, Map)]
    if maps:
        return Map(widest([each.value for each in maps]), _longest([each.size for each in maps]))
    return types[0]


def _longest(sizes: list[int | None]) -> int | None:
    known = [size for size in sizes if size is not None]
    return max(known) if len(known) == len(sizes) else None


def is_alike(one: Type, other: Type) -> bool:
    """Return whether two values have one type, apart from their limits."""
    if isinstance(one, List) and isinstance(other, List):
        is_empty = isinstance(one.item, Nothing) or isinstance(other.item, Nothing)
        return is_empty or is_alike(one.item, other.item)
    if isinstance(one, Map) and isinstance(other, Map):
        return is_alike(one.value, other.value)
    return type(one) is type(other)


def has_objects(kind: Type) -> bool:
    """Return whether a value is an object, or a list or dict of values that are no scalars."""
    item = kind.item if isinstance(kind, List) else kind
    item = kind.value if isinstance(kind, Map) else item
    return not isinstance(item, (*SCALARS, Nothing))
