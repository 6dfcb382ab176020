"""JSON as the API server reads it, duplicate fields included.

msgspec reads a good document several times faster than anything that looks at each pair, but keeps
silent about keys that stand twice. So the keys are counted: writing the value again and counting
`":` in both texts tells whether one was lost. Only then, or when msgspec refuses, is the text read
slowly, by the rules of Go: broken UTF-8 and lone surrogates become U+FFFD, NaN is no number.
"""

from __future__ import annotations

import math
import re
from json import JSONDecodeError, JSONDecoder
from typing import TYPE_CHECKING, Any, Final

import msgspec

from clientgen._json import is_array, is_object
from clientgen._yaml.loader import BadText

from .depth import MAX_DEPTH, TOO_DEEP, check_depth

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BadText", "load_json"]

_KEY: Final = b'":'
_ESCAPED: Final = b"\\u"
_KEY_WANTED: Final = "looking for beginning of object key string"
_WANTED: Final = {
    "Expecting property name enclosed in double quotes": _KEY_WANTED,
    "Illegal trailing comma before end of object": _KEY_WANTED,
    "Illegal trailing comma before end of array": "looking for beginning of value",
    "Expecting ':' delimiter": "after object key",
    "Extra data": "after top-level value",
    "Expecting value": "looking for beginning of value",
    "Invalid control character at": "in string literal",
}
_EXACT: Final = 2**63
_MAX_DIGITS: Final = 20
_LONG: Final = re.compile(rb"\d{19}")
"""What may be an integer of more than 63 bits, which msgspec keeps."""


class _Pairs(list[tuple[str, Any]]):
    """An object as it stands, nothing lost."""


def load_json(body: bytes, *, filling: bool = False, whole: bool = False) -> tuple[Any, list[str]]:
    """Read `body`; gives the value and the paths of the fields that stand twice.

    Args:
        body: the text, UTF-8.
        filling: what stands twice is filled in twice, as where a Go struct is decoded into; else
            the last wins.
        whole: 1.0 is read as 1, as where the number is written back by Go before its type matters.

    Raises:
        BadText: it is not JSON, or nested too deep.
    """
    value, duplicates = _loaded(body, filling, whole)
    # Empty objects, which managedFields are full of, have nothing below them.
    if body.count(b"{") + body.count(b"[") - body.count(b"{}") >= MAX_DEPTH:
        check_depth(value)
    return value, duplicates


def _loaded(body: bytes, filling: bool, whole: bool) -> tuple[Any, list[str]]:
    try:
        value = (_WHOLE if whole else _AS_WRITTEN).decode(body)
        complete = msgspec.json.encode(value).count(_KEY) == body.count(_KEY)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        complete, value = False, None
    if complete and _ESCAPED not in body and not (whole and _LONG.search(body)):
        return value, []
    return _load_slowly(body.decode("utf-8", "replace"), filling, whole)


def _load_slowly(text: str, filling: bool, whole: bool) -> tuple[Any, list[str]]:
    reader = JSONDecoder(
        object_pairs_hook=_Pairs,
        parse_float=_whole_number if whole else _number,
        parse_int=_integer,
        parse_constant=_no_constant,
    )
    try:
        read: Any = reader.decode(text)
        builder = _Building(_merged if filling else _last)
        return builder.build(read, ""), builder.duplicates
    except JSONDecodeError as error:
        raise BadText(_why(error)) from None
    except RecursionError:
        raise BadText(TOO_DEEP) from None


class _Building:
    """Makes dicts of pairs, and records repeated keys."""

    def __init__(self, both: Callable[[Any, Any], Any]) -> None:
        self._twice: dict[str, None] = {}
        self._resolve_duplicate = both

    @property
    def duplicates(self) -> list[str]:
        """The paths of the fields that stand twice."""
        return list(self._twice)

    def build(self, read: Any, path: str) -> Any:
        if isinstance(read, _Pairs):
            return self._object(read, path)
        if is_array(read):
            return [self.build(item, f"{path}[{index}]") for index, item in enumerate(read)]
        return _well_formed(read) if isinstance(read, str) else read

    def _object(self, pairs: _Pairs, path: str) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for raw, item in pairs:
            key = _well_formed(raw)
            where = f"{path}.{key}" if path else key
            value = self.build(item, where)
            if key in made:
                self._twice[where] = None
                value = self._resolve_duplicate(made[key], value)
            made[key] = value
        return made


def _last(_old: Any, new: Any) -> Any:
    return new


def _merged(old: Any, new: Any) -> Any:
    """Fill what is there already, as decoding twice into one Go value does."""
    if is_object(old) and is_object(new):
        merged: dict[str, Any] = dict(old)
        for key, value in new.items():
            merged[key] = _merged(merged[key], value) if key in merged else value
        return merged
    if is_array(old) and is_array(new):
        filled = [_merged(was, item) for was, item in zip(old, new, strict=False)]
        return filled + new[len(filled) :]
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


def _whole_number(text: str) -> float | int:
    """Read a number as it is written back: 1.0 comes out as 1."""
    value = _number(text)
    return int(value) if value.is_integer() and abs(value) < _EXACT else value


def _integer(text: str) -> int | float:
    """Integers beyond 64 bits are floats to Go."""
    value = int(text) if len(text) <= _MAX_DIGITS else _number(text)
    return value if -_EXACT <= value < _EXACT else float(value)


def _no_constant(text: str) -> float:
    raise BadText(f"invalid character {text.lstrip('-')[0]!r} looking for beginning of value")


_AS_WRITTEN: Final = msgspec.json.Decoder(float_hook=_number)
_WHOLE: Final = msgspec.json.Decoder(float_hook=_whole_number)


def _why(error: JSONDecodeError) -> str:
    """Return Python's error in the words of Go."""
    text, at = error.doc, error.pos
    if error.msg.startswith("Unterminated string") or at >= len(text.rstrip(" \t\r\n")):
        return "unexpected end of JSON input"
    if error.msg.startswith("Illegal trailing comma"):
        at += 1 + len(text[at + 1 :]) - len(text[at + 1 :].lstrip())
    if error.msg.startswith("Invalid \\"):
        return f"invalid escape sequence `{text[at : at + 2]}` in string"
    if error.msg == "Expecting ',' delimiter":
        return f"invalid character {_quoted_character(text[at])} after {_before(text, at)}"
    wanted = _WANTED.get(error.msg, "looking for beginning of value")
    return f"invalid character {_quoted_character(text[at])} {wanted}"


def _before(text: str, at: int) -> str:
    """Return whether a comma is missing in an object or in a list: a bracket that is left open."""
    depth = 0
    for character in reversed(text[:at]):
        depth += (character in "]}") - (character in "[{")
        if depth < 0:
            return "array element" if character == "[" else "object key:value pair"
    return "object key:value pair"


def _quoted_character(character: str) -> str:
    return "'\\''" if character == "'" else repr(character).replace("'\"'", "'\"'")
