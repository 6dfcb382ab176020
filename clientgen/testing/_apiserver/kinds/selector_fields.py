"""Fields that field selectors may name: each is a function from an object to a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from clientgen._json import part

if TYPE_CHECKING:
    from collections.abc import Callable

SelectableField: TypeAlias = "Callable[[dict[str, Any]], str]"


def text(path: str) -> SelectableField:
    """Read the text at a dotted path; it is empty if the field is missing."""

    def read(obj: dict[str, Any]) -> str:
        value = _at(obj, path)
        return "" if value is None else str(value)

    return read


def number(path: str) -> SelectableField:
    """Read the number at a dotted path; it is 0 if the field is missing."""
    return lambda obj: str(_at(obj, path) or 0)


def switch(path: str) -> SelectableField:
    """Read the boolean at a dotted path; it is `false` if the field is missing."""
    return lambda obj: "true" if _at(obj, path) else "false"


def _at(obj: dict[str, Any], path: str) -> Any:
    *above, last = path.split(".")
    for name in above:
        obj = part(obj, name)
    return obj.get(last)
