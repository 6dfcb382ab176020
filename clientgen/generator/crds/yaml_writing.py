"""YAML for people: block style, keys sorted, long texts in lines that fit a screen.

Written here, not by a library, so that it is the same to the byte with every version of one. Every
text that another reader of YAML could take for a number, a date or a word such as `no` is quoted.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, Final

import yaml

from clientgen.generator.sources.document import is_array, is_object
from clientgen.yaml_values import plain_value

__all__ = ["write_yaml"]

_WIDTH: Final = 96
_LEAST_WIDTH: Final = 40
_PLAIN: Final = re.compile(r"[A-Za-z0-9_./$(<][^\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff]*")
_PRINTABLE: Final = re.compile(r"[\n\x20-\x7e\xa1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]*")
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_BASIC: Final = 0xFFFF
_TEXT: Final = "tag:yaml.org,2002:str"
_RESOLVER: Final[Any] = yaml.resolver.Resolver()


def write_yaml(value: Mapping[str, Any]) -> str:
    """Write JSON-like data as one YAML document; the order of lists is kept."""
    return "".join(f"{line}\n" for line in _map(value, 0))


def _map(value: Mapping[str, Any], indent: int) -> Iterator[str]:
    margin = " " * indent
    for key in sorted(value):
        yield from _entry(f"{margin}{_scalar(key)}:", value[key], indent)


def _entry(start: str, value: Any, indent: int) -> Iterator[str]:
    """What stands behind a key; items of a list stand below it without more indentation."""
    if value and is_object(value):
        yield start
        yield from _map(value, indent + 2)
    elif value and is_array(value):
        yield start
        yield from _list(value, indent)
    else:
        yield from _leaf(start, value, indent + 2)


def _list(value: list[Any], indent: int) -> Iterator[str]:
    margin = " " * indent
    for item in value:
        if item and not isinstance(item, str | int | float):
            inner = _map(item, indent + 2) if is_object(item) else _list(item, indent + 2)
            first = next(inner)
            yield f"{margin}- {first[indent + 2 :]}"
            yield from inner
        else:
            yield from _leaf(f"{margin}-", item, indent + 2)


def _leaf(start: str, value: Any, indent: int) -> Iterator[str]:
    if isinstance(value, str):
        block = _block(value, len(start), indent)
        if block:
            sign, lines = block
            yield f"{start} {sign}"
            yield from (f"{' ' * indent}{line}" if line else "" for line in lines)
            return
    yield f"{start} {_scalar(value)}"


def _block(text: str, used: int, indent: int) -> tuple[str, list[str]] | None:
    """A text in lines of its own: literal if it has lines, folded if it is long."""
    if not _PRINTABLE.fullmatch(text) or text != text.strip() or not text:
        return None
    lines = text.split("\n")
    if any(line != line.rstrip() for line in lines):
        return None
    if len(lines) > 1:
        return "|-", lines
    width = max(_WIDTH - indent, _LEAST_WIDTH)
    if used + len(text) <= _WIDTH or "  " in text or " " not in text:
        return None
    return ">-", textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def _scalar(value: Any) -> str:
    if isinstance(value, float):
        mantissa, sign, exponent = repr(value).partition("e")
        # Without a point, readers of YAML 1.1 take `1e-05` for text.
        return f"{mantissa}{'' if '.' in mantissa or not sign else '.0'}{sign}{exponent}"
    if not isinstance(value, str):
        return json.dumps(value)  # integers, true, false, null, and what is empty
    if _is_plain(value):
        return value
    if value and _PRINTABLE.fullmatch(value) and "\n" not in value and "'" not in value:
        return f"'{value}'"
    return _escaped(value)


def _escaped(text: str) -> str:
    inside = "".join(_ESCAPES.get(char) or _visible(char) for char in text)
    return f'"{inside}"'


def _visible(char: str) -> str:
    if _PRINTABLE.fullmatch(char):
        return char
    code = ord(char)
    return f"\\u{code:04x}" if code <= _BASIC else f"\\U{code:08x}"


def _is_plain(text: str) -> bool:
    """Whether a text needs no quotes, for readers of YAML 1.1 and 1.2 alike."""
    if not _PLAIN.fullmatch(text) or text != text.strip():
        return False
    if ": " in text or " #" in text or text.endswith(":"):
        return False
    if not isinstance(plain_value(text), str):
        return False
    return bool(_RESOLVER.resolve(yaml.ScalarNode, text, (True, False)) == _TEXT)
