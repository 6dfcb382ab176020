"""Prints tables as `kubectl get` does.

k8s.io/cli-runtime: printers/tableprinter.go and printers/terminal.go; Go's text/tabwriter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# The settings of kubectl's tabwriter.
_MIN_WIDTH, _PADDING = 6, 3
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
        columns: the columns. Cells without a column are left out.
        rows: the rows.
        wide: also print columns with a priority other than 0.
        headers: print the names of the columns. A table without rows has no text at all.
        namespaces: print the namespace of each row. None prints them if the rows are of several
            namespaces.
    """
    if not rows:
        return ""
    shown = [index for index, column in enumerate(columns) if wide or not column.priority]
    namespaces_of_rows = [_namespace_of(row) for row in rows]
    if namespaces is None:
        namespaces = len(set(namespaces_of_rows)) > 1
    lines: list[list[str]] = []
    if headers:
        names = [print_cell(columns[index].name.upper()) for index in shown]
        lines.append([_NAMESPACE, *names] if namespaces else names)
    for row, namespace in zip(rows, namespaces_of_rows, strict=True):
        cells = [print_cell(row.cells[index]) for index in shown if index < len(row.cells)]
        lines.append([print_cell(namespace), *cells] if namespaces else cells)
    return "".join(f"{line}\n" for line in align_columns(lines))


def _namespace_of(row: Row) -> str:
    metadata = getattr(row.object, "metadata", None)
    return str(getattr(metadata, "namespace", None) or "")


def print_cell(cell: object) -> str:
    """Print a cell: its first line, with control characters escaped."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        line = cell.splitlines()[0] if cell else ""
        text = line if line == cell else f"{line}..."
    else:
        from json import dumps  # imported late: few programs print tables

        text = dumps(cell, ensure_ascii=False)
    return text if text.isprintable() else "".join(_escape_control(text))


def _escape_control(text: str) -> Iterator[str]:
    for character in text:
        yield character if character.isprintable() else ascii(character)[1:-1]


def align_columns(lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """Align columns: pad all cells of a line except the last."""
    widths: dict[int, int] = {}
    for line in lines:
        for index, cell in enumerate(line[:-1]):
            widths[index] = max(widths.get(index, _MIN_WIDTH), len(cell) + _PADDING)
    for line in lines:
        yield "".join(_padded_cells(line, widths))


def _padded_cells(line: Sequence[str], widths: dict[int, int]) -> Iterable[str]:
    last = len(line) - 1
    for index, cell in enumerate(line):
        yield cell if index == last else cell.ljust(widths[index])
