"""Prints tables as `kubectl get` does.

Facts: k8s.io/cli-runtime, printers/tableprinter.go and printers/terminal.go; Go's text/tabwriter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["table_text"]

# What kubectl gives its tabwriter.
_NARROWEST, _PADDING = 6, 3
_NAMESPACE = "NAMESPACE"


class Column(Protocol):
    """A column of a table."""

    name: str
    priority: int


class Row(Protocol):
    """A row of a table."""

    cells: list[Any]
    object: Any


def table_text(
    columns: Sequence[Column],
    rows: Sequence[Row],
    *,
    wide: bool = False,
    headers: bool = True,
    namespaces: bool | None = None,
) -> str:
    """Print a table.

    Args:
        columns: the columns; cells beyond the last are left out.
        rows: the rows.
        wide: print columns of lower priority, too.
        headers: print the names of the columns; never without a row.
        namespaces: print the namespace of each row; None does if there are several.
    """
    if not rows:
        return ""
    shown = [index for index, column in enumerate(columns) if wide or not column.priority]
    places = [_namespace_of(row) for row in rows]
    if namespaces is None:
        namespaces = len(set(places)) > 1
    lines: list[list[str]] = []
    if headers:
        names = [_printed(columns[index].name.upper()) for index in shown]
        lines.append([_NAMESPACE, *names] if namespaces else names)
    for row, place in zip(rows, places, strict=True):
        cells = [_printed(row.cells[index]) for index in shown if index < len(row.cells)]
        lines.append([_printed(place), *cells] if namespaces else cells)
    return "".join(f"{line}\n" for line in _aligned(lines))


def _namespace_of(row: Row) -> str:
    metadata = getattr(row.object, "metadata", None)
    return str(getattr(metadata, "namespace", None) or "")


def _printed(cell: object) -> str:
    """Print a cell: its first line, without what a terminal would take as a command."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        line = cell.splitlines()[0] if cell else ""
        text = line if line == cell else f"{line}..."
    else:
        from json import dumps  # most programs print no tables

        text = dumps(cell, ensure_ascii=False)
    return text if text.isprintable() else "".join(_escaped(text))


def _escaped(text: str) -> Iterator[str]:
    for character in text:
        yield character if character.isprintable() else ascii(character)[1:-1]


def _aligned(lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """Pad all cells but the last of a line."""
    widths: dict[int, int] = {}
    for line in lines:
        for index, cell in enumerate(line[:-1]):
            widths[index] = max(widths.get(index, _NARROWEST), len(cell) + _PADDING)
    for line in lines:
        yield "".join(_padded(line, widths))


def _padded(line: Sequence[str], widths: dict[int, int]) -> Iterable[str]:
    last = len(line) - 1
    for index, cell in enumerate(line):
        yield cell if index == last else cell.ljust(widths[index])
