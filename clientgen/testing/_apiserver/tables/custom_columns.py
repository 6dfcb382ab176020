"""Tables of custom resources: the columns their definitions ask for, or name and age.

Each column has a JSONPath; of several values it finds the first counts (Kubernetes documentation,
"Additional printer columns").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen import _jsonpath
from clientgen.runtime._printing.go_texts import go_text
from clientgen.runtime._printing.human_durations import since

from .columns import AGE, NAME, Column, Printer, View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


def printer_of(declared: Iterable[Mapping[str, Any]]) -> Printer:
    """The printer for `additionalPrinterColumns`.

    A path that cannot be read ends the table: the columns after it are left out too, as the API
    server does.
    """
    columns = list(_readable(declared))
    return Printer((NAME, *(columns if declared else [_CREATED])))


_CREATED = Column(AGE.name, AGE.about, AGE.cell, type="date", doc=AGE.doc)


def _readable(declared: Iterable[Mapping[str, Any]]) -> Iterable[Column]:
    for column in declared:
        try:
            _jsonpath.parse(column["jsonPath"])
        except ValueError:
            return
        yield _column(column)


def _column(declared: Mapping[str, Any]) -> Column:
    path = declared["jsonPath"]
    fallback = f"Custom resource definition column (in JSONPath format): {path}"
    return Column(
        declared["name"],
        declared.get("description") or fallback,
        _cell(path, declared["type"]),
        type=declared["type"],
        format=declared.get("format", ""),
        priority=declared.get("priority", 0),
    )


def _cell(path: str, kind: str) -> Callable[[View], object]:
    convert = _CONVERSIONS.get(kind, _nothing)

    def cell(view: View) -> object:
        found = _jsonpath.evaluate(path, view.obj)
        return convert(found[0], view) if found else None

    return cell


# Cells for values in a column of each type; a value of another type is not shown.


def _string(value: Any, _: View) -> str:
    return go_text(value)


def _integer(value: Any, _: View) -> int | None:
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _number(value: Any, _: View) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _boolean(value: Any, _: View) -> bool | None:
    return value if isinstance(value, bool) else None


def _date(value: Any, view: View) -> str | None:
    if not isinstance(value, str):
        return None
    try:
        return since(value, view.now)
    except ValueError:
        return "<invalid>"


def _nothing(_value: Any, _: View) -> None:
    return None


_CONVERSIONS: dict[str, Callable[[Any, View], object]] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "date": _date,
}
