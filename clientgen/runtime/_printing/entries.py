"""Labelled lines of a description, such as `Name:  web-0`, and blocks of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeGuard, cast

from .._models.table_text import align_columns, print_cell
from .go_texts import sprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

NONE: Final = "<none>"
_MAX_WIDTH: Final = 40
_MAX_DEPTH: Final = 20


class Block(list["Entry"]):
    """Entries below a label."""


class Rows(list["list[str]"]):
    """A table below a label. The first row has the headers."""


class Words(list[str]):
    """A text or several texts, each in a line of its own, beside a label."""


Value: TypeAlias = "str | Words | Block | Rows"
Entry: TypeAlias = "tuple[str, Value]"


def written(entries: Iterable[Entry], indent: str = "") -> Iterator[str]:
    """Yield the lines of entries. Texts of a block begin in the same column."""
    entries = list(entries)
    beside = [label for label, value in entries if _is_beside(value)]
    width = min(max(map(len, beside), default=0) + 1, _MAX_WIDTH)
    for label, value in entries:
        shown = f"{print_cell(label)}:"
        if _is_beside(value):
            texts = [value] if isinstance(value, str) else list(cast("Sequence[str]", value))
            for at, text in enumerate(texts or [NONE]):
                start = shown if at == 0 else ""
                yield f"{indent}{start:<{width}}  {print_cell(text)}".rstrip()
        elif isinstance(value, Rows):
            yield f"{indent}{shown}"
            cells = [[print_cell(cell) for cell in row] for row in value]
            yield from (f"{indent}  {line}".rstrip() for line in align_columns(cells))
        else:
            yield f"{indent}{shown}"
            yield from written(cast("Block", value), f"{indent}  ")


def _is_beside(value: Value) -> TypeGuard[str | Words]:
    """Return whether a value is printed beside its label. What is empty is `<none>`."""
    return isinstance(value, (str, Words)) or not value


def pairs(values: Mapping[str, Any], between: str = "=") -> Words:
    """Return the members of a map, one in a line."""
    return Words(f"{name}{between}{sprint(value)}" for name, value in sorted(values.items()))


def entries_of(value: Mapping[str, Any], depth: int = 0) -> Block:
    """Return all fields of a JSON object. Items of lists have their index: `rules[0]`."""
    block = Block()
    for name, each in value.items():
        block += _entries_of_field(name, each, depth)
    return block


def _entries_of_field(name: str, value: Any, depth: int) -> Iterator[Entry]:
    if depth > _MAX_DEPTH:
        yield name, "..."
    elif isinstance(value, dict):
        yield name, entries_of(cast("dict[str, Any]", value), depth + 1)
    elif isinstance(value, list):
        items = cast("list[object]", value)
        if any(isinstance(each, (dict, list)) for each in items):
            for at, each in enumerate(items):
                yield from _entries_of_field(f"{name}[{at}]", each, depth + 1)
        else:
            yield name, Words(sprint(each) for each in items)
    else:
        yield name, sprint(value) or '""'
