"""Columns of tables, which name, describe and compute their cells.

A kind's table is a tuple of columns; each computes its cell from a `View` of the object, so that
what a column is called and what it shows stand side by side. Descriptions are the documentation of
a field of the served spec where that has any (`doc`), and otherwise texts of clientgen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from clientgen.runtime._printing import human_durations

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

NONE: Final = "<none>"
UNSET: Final = "<unset>"
_MAX_SHOWN: Final = 3


def dig(value: Any, *keys: str) -> Any:
    """Return the value at `keys` inside nested objects; None where one of them is missing."""
    found = value
    for key in keys:
        if not isinstance(found, dict):
            return None
        found = cast("dict[str, Any]", found).get(key)
    return found


def members(value: Any, *keys: str) -> dict[str, Any]:
    """The object that stands at `keys`; empty where it is missing."""
    found: dict[str, Any] = dig(value, *keys) or {}
    return found


class View:
    """One object as a table looks at it: its fields, and the time ages are counted to."""

    def __init__(self, obj: dict[str, Any], now: datetime) -> None:
        self.obj = obj
        self.now = now

    @property
    def name(self) -> str:
        """The object's name; empty in the bookmarks of a watch."""
        return str(self.at("metadata", "name") or "")

    @property
    def terminating(self) -> bool:
        """Whether deletion was asked for."""
        return self.at("metadata", "deletionTimestamp") is not None

    def at(self, *keys: str) -> Any:
        """Return the value at `keys`; None where one of them is missing."""
        return dig(self.obj, *keys)

    def text(self, *keys: str) -> str:
        """Return the value at `keys` as text; empty where it is missing."""
        return str(self.at(*keys) or "")

    def members(self, *keys: str) -> dict[str, Any]:
        """The object at `keys`; empty where it is missing."""
        return members(self.obj, *keys)

    def items(self, *keys: str) -> list[Any]:
        """The list at `keys`; empty where it is missing."""
        found: list[Any] = self.at(*keys) or []
        return found

    def since(self, *keys: str) -> str:
        """Return the time since the timestamp at `keys`."""
        return human_durations.since(self.at(*keys), self.now)


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        about: the description, unless the spec documents the field at `doc`.
        cell: the cell of an object, given its View.
        doc: dotted path of the field the column is about.
        priority: 0 is always shown, 1 only in wide output.
    """

    name: str
    about: str
    cell: Callable[[Any], object]
    type: str = "string"
    format: str = ""
    priority: int = 0
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Printer:
    """The columns of a kind's Table, and the order of its rows.

    Attributes:
        conditions: the row's conditions, such as that a Pod has run to its end.
        order: the key rows are sorted by; None keeps the order of the list.
        beyond: cells past the last declared column, which some tables have.
    """

    columns: tuple[Column, ...]
    view: type[View] = View
    conditions: Callable[[Any], list[dict[str, Any]] | None] | None = None
    order: Callable[[dict[str, Any]], Any] | None = None
    beyond: tuple[Callable[[Any], object], ...] = ()

    def cells(self, view: View) -> list[object]:
        """The cells of one row."""
        return [
            *(column.cell(view) for column in self.columns),
            *(cell(view) for cell in self.beyond),
        ]


# ------------------------------------------------------------------ the usual cells


def field(path: str, missing: object = "") -> Callable[[View], object]:
    """The value at a dotted path as it stands, or `missing`."""
    keys = path.split(".")

    def cell(view: View) -> object:
        found = view.at(*keys)
        return missing if found is None or found == "" else found

    return cell


def flag(path: str) -> Callable[[View], object]:
    """A boolean in words; `<unset>` when it is not there."""
    keys = path.split(".")

    def cell(view: View) -> object:
        found = view.at(*keys)
        return UNSET if found is None else str(bool(found))

    return cell


def size(*paths: str) -> Callable[[View], object]:
    """Return a cell with the number of items of the lists or maps at dotted paths together."""
    routes = [path.split(".") for path in paths]
    return lambda view: sum(len(view.at(*keys) or ()) for keys in routes)


def since(path: str, missing: str = human_durations.UNKNOWN) -> Callable[[View], object]:
    """Return a cell with the time since the timestamp at a dotted path."""
    keys = path.split(".")
    return lambda view: view.since(*keys) if view.at(*keys) else missing


def some_of(texts: Sequence[str], total: int, *, missing: str = "") -> str:
    """The first few of `total` texts, and how many more there are."""
    shown = ",".join(texts[:_MAX_SHOWN])
    if total > _MAX_SHOWN:
        return f"{shown} + {total - _MAX_SHOWN} more..."
    return shown or missing


NAME: Final = Column(
    "Name",
    "What tells the object from others of its kind, within its namespace if it has one.",
    lambda view: view.name,
    format="name",
    doc="metadata.name",
)
AGE: Final = Column(
    "Age",
    "The time since the object was created.",
    since("metadata.creationTimestamp"),
    doc="metadata.creationTimestamp",
)
PLAIN: Final = Printer(
    (
        NAME,
        Column(
            "Created At",
            AGE.about,
            field("metadata.creationTimestamp", "0001-01-01T00:00:00Z"),
            type="date",
            doc=AGE.doc,
        ),
    )
)
"""The table of kinds without columns of their own."""
