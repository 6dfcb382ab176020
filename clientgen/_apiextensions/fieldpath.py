"""Paths into a schema, as `fieldPath` of a rule and `selectableFields` have them.

`.spec.color`, `.spec['color']`: members by name, keys of maps by name; never items of lists.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .structure import Structure

_WORD: Final = re.compile(r"'(?:[^'\\]|\\.)*'|[.\[\]]|[^.\[\]]+")
_ESCAPES: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "'": "'", "\\": "\\",
}  # fmt: skip


def resolve(path: str, structure: Structure, *, brackets: bool = True) -> tuple[str, Structure]:
    """Return the usual spelling of a path, and the schema that it leads to.

    Raises:
        ValueError: it leads nowhere; the text says why.
    """
    words = iter(_WORD.findall(path))
    spelt, subschema = "", structure
    for word in words:
        if word == "[" and not brackets:
            raise ValueError("array notation is not allowed")
        if word not in (".", "["):
            raise ValueError(f"expected [ or . but got: {word}")
        name = _next(words)
        if word == "[":
            name = _unquoted(name)
        spelt, subschema = _enter(spelt, subschema, name)
        if word == "[" and (closing := _next(words)) != "]":
            raise ValueError(f"expected ] but got {closing}")
    return spelt, subschema


def _next(words: Iterator[str]) -> str:
    for word in words:
        return word
    raise ValueError("unexpected end of JSON path")


def _unquoted(word: str) -> str:
    if not re.fullmatch("'.*'", word, re.DOTALL):
        raise ValueError(f"expected single quoted string but got {word}")

    def unescaped(match: re.Match[str]) -> str:
        if match[1] not in _ESCAPES:
            raise ValueError(f"invalid string literal: invalid escape char {match[0]}")
        return _ESCAPES[match[1]]

    return re.sub(r"\\(.)", unescaped, word[1:-1])


def _enter(spelt: str, structure: Structure, name: str) -> tuple[str, Structure]:
    if structure.raw.get("properties") is not None:
        child = structure.properties.get(name)
        spelt = f"{spelt}.{name}" if spelt else name
    else:
        child = structure.additional
        spelt = f"{spelt}[{name}]"
    if child is None:
        raise ValueError("does not refer to a valid field")
    return spelt, child
