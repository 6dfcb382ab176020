"""Writes YAML for people, in block style. Texts of several lines are literal blocks.

This module writes the YAML itself, because the output of a library may change with its version.
Texts are quoted if a reader of YAML could read them as a number, a date or a word such as `no`.
"""

from __future__ import annotations

import json
import re
import textwrap
from typing import TYPE_CHECKING, Any, Final

import yaml

from clientgen._json import is_array, is_object

from .composer import TAG
from .yaml_scalars import plain_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MIN_WIDTH: Final = 40
_PLAIN: Final = re.compile(r"[A-Za-z0-9_./$(<][^\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff]*")
_PRINTABLE: Final = re.compile(r"[\n\x20-\x7e\xa1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]*")
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_BASIC: Final = 0xFFFF
_TEXT: Final = f"{TAG}str"
_RESOLVER: Final[Any] = yaml.resolver.Resolver()


def write_yaml(value: Mapping[str, Any], *, sort_keys: bool = True, width: int | None = 96) -> str:
    """Return JSON-like data as one YAML document.

    Args:
        value: the data.
        sort_keys: whether to sort keys; otherwise they keep their order.
        width: the maximum length of lines, in characters. Longer texts are folded at spaces. None
            folds no text.
    """
    return "".join(f"{line}\n" for line in _Writer(sort_keys, width).map(value, 0))


class _Writer:
    """Creates the lines of values, with their indentation."""

    def __init__(self, sort_keys: bool, width: int | None) -> None:
        self._sort_keys = sort_keys
        self._width = width

    def map(self, value: Mapping[str, Any], indent: int) -> Iterator[str]:
        margin = " " * indent
        for key in sorted(value) if self._sort_keys else value:
            yield from self._entry(f"{margin}{_scalar(key)}:", value[key], indent)

    def _entry(self, start: str, value: Any, indent: int) -> Iterator[str]:
        """Yield the lines of a value after its key. Items of lists are not indented more."""
        if value and is_object(value):
            yield start
            yield from self.map(value, indent + 2)
        elif value and is_array(value):
            yield start
            yield from self._list(value, indent)
        else:
            yield from self._leaf(start, value, indent + 2)

    def _list(self, value: list[Any], indent: int) -> Iterator[str]:
        margin = " " * indent
        for item in value:
            if item and is_object(item):
                inner = self.map(item, indent + 2)
            elif item and is_array(item):
                inner = self._list(item, indent + 2)
            else:
                yield from self._leaf(f"{margin}-", item, indent + 2)
                continue
            yield f"{margin}- {next(inner)[indent + 2 :]}"
            yield from inner

    def _leaf(self, start: str, value: Any, indent: int) -> Iterator[str]:
        block = self._block(value, len(start), indent) if isinstance(value, str) else None
        if block is None:
            yield f"{start} {_scalar(value)}"
            return
        sign, lines = block
        yield f"{start} {sign}"
        yield from (f"{' ' * indent}{line}" if line else "" for line in lines)

    def _block(self, text: str, used: int, indent: int) -> tuple[str, list[str]] | None:
        """Return a text as a block, literal or folded; None if it cannot or need not be one."""
        if not _PRINTABLE.fullmatch(text):
            return None
        if "\n" in text:
            return _literal(text)
        if self._width is None or used + len(text) <= self._width:
            return None
        if text != text.strip() or "  " in text or " " not in text:
            return None
        width = max(self._width - indent, _MIN_WIDTH)
        lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
        return ">-", lines


def _literal(text: str) -> tuple[str, list[str]] | None:
    """Return a literal block; None if readers of YAML could lose white space."""
    lines = text.split("\n")
    ends = not lines[-1]
    body = lines[:-1] if ends else lines
    if not body[-1] or any(line != line.rstrip() for line in body):
        return None
    # If the first line does not show the indentation, the block states it.
    start = "2" if body[0][:1] in ("", " ") else ""
    return f"|{start}{'' if ends else '-'}", body


def _scalar(value: Any) -> str:
    if isinstance(value, float):
        mantissa, sign, exponent = repr(value).partition("e")
        # Without a point, readers of YAML 1.1 read `1e-05` as text.
        return f"{mantissa}{'' if '.' in mantissa or not sign else '.0'}{sign}{exponent}"
    if not isinstance(value, str):
        return json.dumps(value)  # integers, true, false, null, and empty lists and objects
    if not value or not _PRINTABLE.fullmatch(value) or "\n" in value or not _is_text(value):
        return _escaped(value)
    return value if _is_plain(value) else "'" + value.replace("'", "''") + "'"


def _is_text(text: str) -> bool:
    """Return whether readers of YAML 1.1 and of YAML 1.2 read an unquoted text as a text."""
    if not isinstance(plain_value(text), str):
        return False
    return bool(_RESOLVER.resolve(yaml.ScalarNode, text, (True, False)) == _TEXT)


def _is_plain(text: str) -> bool:
    """Return whether a text has only characters that need no quotes."""
    if not _PLAIN.fullmatch(text) or text != text.strip():
        return False
    return not (": " in text or " #" in text or text.endswith(":"))


def _escaped(text: str) -> str:
    inside = "".join(_ESCAPES.get(char) or _visible(char) for char in text)
    return f'"{inside}"'


def _visible(char: str) -> str:
    if _PRINTABLE.fullmatch(char):
        return char
    code = ord(char)
    return f"\\u{code:04x}" if code <= _BASIC else f"\\U{code:08x}"
