"""Paths into a schema, as `fieldPath` of a rule and `selectableFields` have them.

`.spec.color`, `.spec['color']`: members by name, keys of maps by name; never items of lists.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .structure import Structure

__all__ = ["resolve"]

_TOKEN: Final = re.compile(r"'(?:[^'\\]|\\.)*'|[.\[\]]|[^.\[\]]+")
_ESCAPES: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "'": "'", "\\": "\\"
}  # fmt: skip


def resolve(path: str, structure: Structure, *, brackets: bool = True) -> tuple[str, Structure]:
    """Where a path leads: its usual spelling, and the schema that is there.

    Raises:
        ValueError: it leads nowhere; the text says why.
    """
    tokens = iter(_TOKEN.findall(path))
    spelt, found = "", structure
    for token in tokens:
        if token == "[" and not brackets:
            raise ValueError("array notation is not allowed")
        if token not in (".", "["):
            raise ValueError(f"expected [ or . but got: {token}")
        name = _next(tokens)
        if token == "[":
            name = _unquoted(name)
        spelt, found = _enter(spelt, found, name)
        if token == "[" and (closing := _next(tokens)) != "]":
            raise ValueError(f"expected ] but got {closing}")
    return spelt, found


def _next(tokens: Iterator[str]) -> str:
    for token in tokens:
        return token
    raise ValueError("unexpected end of JSON path")


def _unquoted(token: str) -> str:
    if len(token) < 2 or token[0] != "'" or token[-1] != "'":
        raise ValueError(f"expected single quoted string but got {token}")

    def unescaped(found: re.Match[str]) -> str:
        if found[1] not in _ESCAPES:
            raise ValueError(f"invalid string literal: invalid escape char {found[0]}")
        return _ESCAPES[found[1]]

    return re.sub(r"\\(.)", unescaped, token[1:-1])


def _enter(spelt: str, structure: Structure, name: str) -> tuple[str, Structure]:
    if structure.raw.get("properties") is not None:
        found = structure.properties.get(name)
        spelt = f"{spelt}.{name}" if spelt else name
    else:
        found = structure.additional
        spelt = f"{spelt}[{name}]"
    if found is None:
        raise ValueError("does not refer to a valid field")
    return spelt, found
