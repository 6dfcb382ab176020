"""Tables of objects, as kubectl prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .._conditions.json_fields import kind_of, text
from .._models.table_text import align_columns, print_cell
from .._models.tables import Table
from .ages import age_of
from .columns import Column, read_columns
from .event_texts import event_cells
from .object_json import items_of, tree_of_object
from .sorting import sorted_by_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from typing import TextIO

    from .columns import Columns
    from .object_json import Objects

_EVENTS: Final = frozenset({"Event", "Event.events.k8s.io"})
_OBJECT_HEADERS: Final = ("NAME", "AGE")
_EVENT_HEADERS: Final = ("LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE")


def table(
    objects: Objects | Table,
    columns: Columns | None = None,
    *,
    sort_by: str | None = None,
    wide: bool = False,
    headers: bool = True,
    namespaces: bool | None = None,
    now: datetime | None = None,
) -> str:
    """Return a table of objects, as `kubectl get` prints it.

        table(pods, "NAME:.metadata.name,IMAGE:.spec.containers[*].image", sort_by=".metadata.name")

    With `columns`, it is the table of `kubectl get -o custom-columns=...`. Without, a `Table` has
    the columns of the server (`k.table("pods")` asks the server for it), Events have those of
    `kubectl events`, and other objects have their name and age.

    Args:
        objects: the objects, or a `Table`.
        columns: `HEADER:PATH,HEADER:PATH`, or a dict from headers to paths or to functions of the
            object, such as `{"NAME": ".metadata.name", "AGE": age}`. A column shows all values of
            its path, with commas between them.
        sort_by: the path to sort by; see `sort_by`. Rows of a `Table` have only the metadata of
            objects, unless the table was asked for with `sort_by`.
        wide: show all columns of a `Table`, as `kubectl get -o wide`.
        headers: show the headers.
        namespaces: show the namespaces, if `columns` is not given. None shows them if the objects
            are in several namespaces.
        now: the time that ages are counted to; by default the current time.

    Raises:
        ValueError: a path cannot be read, or does not fit an object, or `columns` are given for a
            `Table`.
        TypeError: something is not an object.
    """
    if isinstance(objects, Table):
        if columns is not None:
            raise ValueError("a Table has the columns of the server: give objects with `columns`")
        given = objects if sort_by is None else sort_rows(objects, sort_by)
        return given.to_text(wide=wide, headers=headers, namespaces=namespaces)
    items = items_of(objects)
    trees = [tree_of_object(each) for each in items]
    if sort_by is not None:
        order = sorted_by_path(range(len(items)), trees, sort_by)
        items, trees = [items[at] for at in order], [trees[at] for at in order]
    if columns is None:
        return _default_table(trees, headers, namespaces, now)
    return _custom_table(items, trees, read_columns(columns), headers)


def print_table(
    objects: Objects | Table,
    columns: Columns | None = None,
    *,
    sort_by: str | None = None,
    wide: bool = False,
    headers: bool = True,
    namespaces: bool | None = None,
    now: datetime | None = None,
    file: TextIO | None = None,
) -> None:
    """Print a table of objects, as `kubectl get` does. `table` returns the text.

    Args:
        objects: as for `table`.
        columns: as for `table`.
        sort_by: as for `table`.
        wide: as for `table`.
        headers: as for `table`.
        namespaces: as for `table`.
        now: as for `table`.
        file: where to print; by default the standard output.

    Raises:
        ValueError, TypeError: as `table`.
    """
    printed = table(
        objects,
        columns,
        sort_by=sort_by,
        wide=wide,
        headers=headers,
        namespaces=namespaces,
        now=now,
    )
    print(printed, end="", file=file)


def sort_rows(given: Table, path: str) -> Table:
    """Return a table with its rows sorted by a field of their objects.

    Raises:
        ValueError: as `sort_by`.
    """
    if len(given.items) > 1:
        trees = [{} if row.object is None else dict(row.object) for row in given.items]
        return Table(
            metadata=given.metadata,
            column_definitions=given.column_definitions,
            items=sorted_by_path(given.items, trees, path),
        )
    return given


def _custom_table(
    items: Sequence[Any], trees: Sequence[Mapping[str, Any]], columns: list[Column], headers: bool
) -> str:
    lines = [[print_cell(column.header) for column in columns]] if headers else []
    lines += [
        [_cell(column, obj, tree) for column in columns]
        for obj, tree in zip(items, trees, strict=True)
    ]
    return "".join(f"{line}\n" for line in align_columns(lines))


def _cell(column: Column, obj: Any, tree: Mapping[str, Any]) -> str:
    try:
        return column.cell(obj, tree)
    except RecursionError:
        raise ValueError(f"{_title(tree)}: its values are nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{_title(tree)}, column {column.header}: {error}") from None


def _title(tree: Mapping[str, Any]) -> str:
    return f"{text(tree, 'kind') or 'object'} {text(tree, 'metadata', 'name')}"


def _default_table(
    trees: Sequence[dict[str, Any]],
    headers: bool,
    namespaces: bool | None,
    now: datetime | None,
) -> str:
    if not trees:
        return ""
    kinds = {kind_of(tree) for tree in trees}
    names: tuple[str, ...] = _OBJECT_HEADERS
    if kinds <= _EVENTS:
        names, lines = _EVENT_HEADERS, [event_cells(tree, now) for tree in trees]
    else:
        lines = [[_name(tree, is_mixed=len(kinds) > 1), age_of(tree, now)] for tree in trees]
    lines = [list(names), *lines] if headers else lines
    places = [text(tree, "metadata", "namespace") for tree in trees]
    if namespaces or (namespaces is None and len(set(places)) > 1):
        places = ["NAMESPACE", *places] if headers else places
        lines = [[place, *line] for place, line in zip(places, lines, strict=True)]
    cells = [list(map(print_cell, line)) for line in lines]
    return "".join(f"{line}\n" for line in align_columns(cells))


def _name(tree: dict[str, Any], *, is_mixed: bool) -> str:
    name = text(tree, "metadata", "name")
    return f"{kind_of(tree).lower()}/{name}" if is_mixed else name
