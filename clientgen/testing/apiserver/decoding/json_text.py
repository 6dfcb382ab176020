"""JSON as the API server reads it, duplicate fields included.

msgspec reads a good document several times faster than anything that looks at each pair, but keeps
silent about keys that stand twice. So the keys are counted: writing the value again and counting
`":` in both texts tells whether one was lost. Only then, or when msgspec refuses, is the text read
slowly, by the rules of Go: broken UTF-8 and lone surrogates become U+FFFD, NaN is no number.
"""

from __future__ import annotations

import math
from json import JSONDecodeError, JSONDecoder
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BadText", "load_json"]

_KEY: Final = b'":'
_ESCAPED: Final = b"\\u"
_LITERALS: Final = {"t": "true", "f": "false", "n": "null"}
_STRING_ENDS: Final = '"'
_WANTED: Final = {
    "Expecting property name enclosed in double quotes": "looking for beginning of object key string",
    "Illegal trailing comma before end of object": "looking for beginning of object key string",
    "Illegal trailing comma before end of array": "looking for beginning of value",
    "Expecting ':' delimiter": "after object key",
    "Extra data": "after top-level value",
    "Expecting value": "looking for beginning of value",
    "Invalid control character at": "in string literal",
}
_TOO_DEEP: Final = "exceeded max depth"


class BadText(ValueError):
    """The text is not JSON (or YAML); says why as the server would."""


class _Pairs(list[tuple[str, Any]]):
    """An object as it stands, nothing lost."""


def load_json(body: bytes, *, merging: bool = False) -> tuple[Any, list[str]]:
    """Read `body`; gives the value and the paths of the fields that stand twice.

    Args:
        body: the text, UTF-8.
        merging: what stands twice is merged, as where a Go struct is filled; else the last wins.

    Raises:
        BadText: it is not JSON.
    """
    try:
        value = msgspec.json.decode(body)
        whole = msgspec.json.encode(value).count(_KEY) == body.count(_KEY)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        whole = False
        value = None
    if whole and _ESCAPED not in body:
        return value, []
    return _load_slowly(body.decode("utf-8", "replace"), merging=merging)


def _load_slowly(text: str, *, merging: bool) -> tuple[Any, list[str]]:
    try:
        read: Any = _READER.decode(text)
        found = _Building(_merged if merging else _last)
        return found.build(read, ""), found.duplicates
    except JSONDecodeError as error:
        raise BadText(_why(error)) from None
    except RecursionError:
        raise BadText(_TOO_DEEP) from None


class _Building:
    """Makes dicts of pairs, and takes down what stands twice."""

    def __init__(self, both: Callable[[Any, Any], Any]) -> None:
        self.duplicates: list[str] = []
        self._both = both

    def build(self, read: Any, path: str) -> Any:
        if isinstance(read, _Pairs):
            return self._object(read, path)
        if isinstance(read, list):
            items: list[Any] = read
            return [self.build(item, f"{path}[{index}]") for index, item in enumerate(items)]
        return _well_formed(read) if isinstance(read, str) else read

    def _object(self, pairs: _Pairs, path: str) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for raw, item in pairs:
            key = _well_formed(raw)
            where = f"{path}.{key}" if path else key
            value = self.build(item, where)
            if key in made:
                if where not in self.duplicates:
                    self.duplicates.append(where)
                value = self._both(made[key], value)
            made[key] = value
        return made


def _last(_old: Any, new: Any) -> Any:
    return new


def _merged(old: Any, new: Any) -> Any:
    """Fill what is there already, as decoding twice into one Go value does."""
    if isinstance(old, dict) and isinstance(new, dict):
        kept: dict[str, Any] = dict(old)
        for key, value in new.items():
            kept[key] = _merged(kept[key], value) if key in kept else value
        return kept
    if isinstance(old, list) and isinstance(new, list):
        before: list[Any] = old
        after: list[Any] = new
        filled = [_merged(was, item) for was, item in zip(before, after, strict=False)]
        return filled + after[len(filled) :]
    return new


def _well_formed(text: str) -> str:
    """Replace lone surrogates, as Go does."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise BadText(f"json: cannot unmarshal number {text} into Go value of type float64")
    return value


def _integer(text: str) -> int | float:
    """Integers beyond 64 bits are floats to Go."""
    most_digits = 19
    value = int(text) if len(text) <= most_digits + 1 else _number(text)
    return value if -(2**63) <= value < 2**63 else float(value)


def _no_constant(text: str) -> float:
    raise BadText(f"invalid character {text.lstrip('-')[0]!r} looking for beginning of value")


_READER: Final = JSONDecoder(
    object_pairs_hook=_Pairs,
    parse_float=_number,
    parse_int=_integer,
    parse_constant=_no_constant,
)


def _why(error: JSONDecodeError) -> str:
    """Say in the words of Go what Python found."""
    text, at = error.doc, error.pos
    if error.msg.startswith("Unterminated string") or at >= len(text.rstrip(" \t\r\n")):
        return "unexpected end of JSON input"
    if error.msg.startswith("Invalid \\"):
        return f"invalid escape sequence `{text[at : at + 2]}` in string"
    if error.msg == "Expecting ',' delimiter":
        return f"invalid character {_shown(text[at])} after {_before(text, at)}"
    wanted = _WANTED.get(error.msg, "looking for beginning of value")
    return f"invalid character {_shown(text[at])} {wanted}"


def _before(text: str, at: int) -> str:
    """Tell whether a comma is missing in an object or in a list: a bracket that is left open."""
    depth = 0
    for character in reversed(text[:at]):
        depth += (character in "]}") - (character in "[{")
        if depth < 0:
            return "array element" if character == "[" else "object key:value pair"
    return "object key:value pair"


def _shown(character: str) -> str:
    return "'\\''" if character == "'" else repr(character).replace("'\"'", "'\"'")
