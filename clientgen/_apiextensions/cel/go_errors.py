"""The words of cel-go, which API servers use, for errors that the library here words differently.

Facts: docs/internals/kubernetes-semantics.md, 1.13.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SELECT: Final = "Applying SELECT to non-message type"
_INDEX: Final = "Invalid container type:"
_TIMEZONE: Final = "Invalid timezone"
_ZONE: Final = re.compile(r"""\.\s*get[A-Z]\w+\(\s*['"]([^'"\\:]*)['"]\s*\)""")
_INDEXED: Final = re.compile(r"\[\s*(\w+)\s*\]")
_CHAIN: Final = re.compile(r"(?<![\w.\])}])[A-Za-z_]\w*(?:\s*\??\.\s*[A-Za-z_]\w*(?!\s*[\w(]))+")
_MEMBER: Final = re.compile(r"\.\s*([A-Za-z_]\w*)(?!\s*[\w(])")
_LITERAL: Final = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\"""")
_NOTHING: Final[dict[str, Any]] = {}
_TYPES: Final = {
    "int64": "int",
    "uint64": "uint",
    "null": "null_type",
    "timestamp": "google.protobuf.Timestamp",
    "duration": "google.protobuf.Duration",
}


def _no_overload(match: re.Match[str]) -> str:
    call = re.fullmatch(r"(?:\(([^)]*)\)\.)?([A-Za-z.]\w*(?:\.\w+)*)\((.*)\)", match[1])
    if call is None:
        return "no such overload"
    kinds = [kind for kind in ([call[1]] if call[1] else []) + call[3].split(", ") if kind]
    shown = ", ".join(_TYPES.get(kind, kind) for kind in kinds)
    return f"no such overload: {call[2]}({shown})"


def _key(match: re.Match[str]) -> str:
    text = match[1]
    if text.startswith('"'):
        text = re.sub(r"\\(.)", r"\1", text[1:-1])
    return f"no such key: {text}"


def _index_type(match: re.Match[str]) -> str:
    kind = match[1]
    if kind == "double":  # Go tells the number, which the library does not
        return "unsupported index value in list"
    return f"unsupported index type '{_TYPES.get(kind, kind)}' in list"


_PATTERN_WORDS: Final = {
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "unexpected )": "unexpected )",
    "trailing \\": "trailing backslash at end of expression",
    "no argument for repetition operator": "missing argument to repetition operator",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid repetition size": "invalid repeat count",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
    "invalid escape sequence": "invalid escape sequence",
    "invalid character class range": "invalid character class range",
}
"""What RE2 for C++ says of patterns, and Go."""


def pattern_error(error: str | bytes) -> str:
    """Return RE2's error of a pattern in the words of Go."""
    text = error.decode(errors="replace") if isinstance(error, bytes) else error
    why, _, part = text.partition(": ")
    return f"error parsing regexp: {_PATTERN_WORDS.get(why, why)}: `{part}`"


_WORDS: Final[tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]] = (
    (re.compile(r"Key not found in map : (.*)", re.DOTALL), _key),
    (re.compile(r"Index error: index=(-?\d+) size=\d+"), r"index out of bounds: \1"),
    (
        re.compile(r"No matching overloads found : <iter_range>"),
        "got 'types.String', expected iterable type",
    ),
    (re.compile(r"No matching overloads found : (.*)", re.DOTALL), _no_overload),
    (re.compile(r"divide by zero"), "division by zero"),
    (
        re.compile(r"cannot convert string to (\w+)"),
        r"type conversion error from 'string' to '\1'",
    ),
    (
        re.compile(r"String to (Timestamp|Duration) conversion failed"),
        r"type conversion error from 'string' to 'google.protobuf.\1'",
    ),
    (re.compile(r"Type conversion error from"), "type conversion error from"),
    (
        re.compile(r"invalid regular expression: (.*)", re.DOTALL),
        lambda match: pattern_error(match[1]),
    ),
    (re.compile(r"(?:int64|double) out of uint64 range"), "unsigned integer overflow"),
    (re.compile(r"(?:uint64|double) out of int64 range"), "integer overflow"),
    (re.compile(r"Index error: expected integer type, got (\w+)"), _index_type),
)


def go_error(error: str, text: str, values: Mapping[str, Any]) -> str:
    """Return an error in the words of cel-go.

    Args:
        error: in the words of the library.
        text: the expression.
        values: its variables.
    """
    if error == _SELECT:
        return f"no such key: {_selected(text, values)}"
    if error.startswith(_INDEX):
        keys = _INDEXED.findall(text)
        return f"no such key: {keys[-1] if keys else ''}"
    if error == _TIMEZONE:
        return _unknown_zone(text)
    for pattern, words in _WORDS:
        if pattern.match(error):
            return pattern.sub(words, error, count=1)
    return error


def _unknown_zone(text: str) -> str:
    """Return the error of a time zone, with its name if that is the only one in the expression."""
    zones = set(_ZONE.findall(text))
    if len(zones) != 1:
        return "unknown time zone"
    return f"unknown time zone {zones.pop()}"


def _selected(text: str, values: Mapping[str, Any]) -> str:
    """Return the member that something without members was asked for.

    The library does not tell it. Members of variables are followed; in loops, where the values are
    not known, the last member is the best guess.
    """
    plain = _LITERAL.sub("''", text)
    for chain in _CHAIN.finditer(plain):
        name, *members = re.split(r"\s*\??\.\s*", chain[0])
        value = values.get(name, values)
        for member in members if value is not values else ():
            if not is_object(value) and not is_array(value):
                return member
            value = value.get(member, _NOTHING) if is_object(value) else _NOTHING
    members = _MEMBER.findall(plain)
    return members[-1] if members else ""
