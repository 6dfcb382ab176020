"""Custom columns: `NAME:.metadata.name,IMAGE:.spec.containers[*].image`.

k8s.io/kubectl: pkg/cmd/get/customcolumn.go.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

from clientgen import _jsonpath

from .._models.arguments import type_of
from .._models.table_text import print_cell
from .go_texts import sprint

Columns: TypeAlias = "str | Mapping[str, str | Callable[[Any], object]]"
"""Columns: kubectl's text, or the headers with their paths or functions of the object."""

_NONE: Final = "<none>"
# What a comma may be inside of, in the path of a column. An unclosed quote is left to the path.
_PIECES: Final = re.compile(r"'[^']*'|\"[^\"]*\"|[\[\],]")


@dataclass(frozen=True)
class Column:
    """A column: its header, and the text of its cell for an object and the object's JSON."""

    header: str
    cell: Callable[[Any, Mapping[str, Any]], str]


def read_columns(columns: Columns) -> list[Column]:
    """Return the columns.

    Raises:
        ValueError: a path cannot be read, or there are no columns.
        TypeError: `columns` is of a wrong type.
    """
    if isinstance(columns, str):
        found = [_column_of_text(each) for each in _split(columns)]
    elif isinstance(cast("object", columns), Mapping):
        found = [_column(header, what) for header, what in columns.items()]
    else:
        raise TypeError(f"columns are text or a mapping, not {type_of(columns)}")
    if not found:
        raise ValueError("custom columns need at least one column, such as NAME:.metadata.name")
    return found


def _split(text: str) -> list[str]:
    """Split at commas outside of brackets and quotes."""
    parts: list[str] = []
    start, depth = 0, 0
    for matched in _PIECES.finditer(text):
        depth += {"[": 1, "]": -1}.get(matched[0], 0)
        if matched[0] == "," and depth <= 0:
            parts.append(text[start : matched.start()])
            start, depth = matched.end(), 0
    return [*parts, text[start:]]


def _column_of_text(text: str) -> Column:
    header, colon, path = text.partition(":")
    if not colon or not path.strip():
        shown = print_cell(text[:60])
        raise ValueError(f"unexpected custom-columns spec: {shown!r}, expected <header>:<path>")
    return _column(header, path)


def _column(header: str, what: str | Callable[[Any], object]) -> Column:
    if not isinstance(what, str):
        if not callable(what):
            raise TypeError(f"column {header}: needs a path or a function, not {type_of(what)}")
        return Column(header, lambda obj, _: _cell_of_result(what(obj)))
    try:
        steps = _jsonpath.parse(_jsonpath.relaxed(what))
    except ValueError as error:
        raise ValueError(f"column {header}: {error}") from None

    def cell(_: Any, tree: Mapping[str, Any]) -> str:
        found = _jsonpath.run(steps, tree, _jsonpath.Budget())
        return ",".join([print_cell(sprint(each)) for each in found]) if found else _NONE

    return Column(header, cell)


def _cell_of_result(result: object) -> str:
    return _NONE if result is None or result == "" else print_cell(sprint(result))
