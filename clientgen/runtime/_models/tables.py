"""Tables: the server returns objects as the columns that `kubectl get` prints.

https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
"""

from __future__ import annotations

from typing import Any

from .meta_v1 import ModelList
from .model import Literal, Model, constant, field
from .table_text import table_text
from .unstructured import Unstructured  # noqa: TC001 - msgspec evaluates annotations


class TableColumnDefinition(Model):
    """A column of a table."""

    name: str
    """The name that people read, such as `READY`."""
    type: Literal["boolean", "integer", "number", "string"] | str
    """The OpenAPI type of its cells."""
    format: str = ""
    """The OpenAPI format of its cells. It is `name` for the column with the objects' names."""
    description: str = ""
    """An explanation of the column."""
    priority: int = 0
    """0 for columns that are always shown; higher for columns that only `-o wide` shows."""


class TableRowCondition(Model):
    """A condition of a row."""

    type: Literal["Completed"] | str
    """The aspect: `Completed` if the object has finished."""
    status: Literal["False", "True", "Unknown"] | str
    """Whether the condition holds."""
    reason: str = ""
    """The reason, as one CamelCase word for programs."""
    message: str = ""
    """A human-readable explanation of the reason."""


class TableRow(Model):
    """A row of a table: one object."""

    cells: list[Any] = field(default_factory=lambda: [])  # noqa: PIE807 - as in ModelList
    """The values, one for each column: texts, numbers, booleans or None."""
    conditions: list[TableRowCondition] = field(default_factory=list)
    """Conditions of the row."""
    object: Unstructured | None = None
    """The object. By default only its metadata, as a PartialObjectMetadata."""


class Table(ModelList[TableRow]):
    """A list of objects, or one object, as a table. Iterating it yields its rows.

    To request tables, pass this class as the class of objects or lists.
    """

    api_version: str = constant("meta.k8s.io/v1", name="apiVersion")
    kind: str = constant("Table")
    column_definitions: list[TableColumnDefinition] = field(default_factory=list)
    """The columns. In a watch, only the first event has them."""
    items: list[TableRow] = field(default_factory=lambda: [], name="rows")  # noqa: PIE807 - above
    """The rows."""

    @property
    def rows(self) -> list[TableRow]:
        """The rows; the same as `items`."""
        return self.items

    def to_text(
        self, *, wide: bool = False, headers: bool = True, namespaces: bool | None = None
    ) -> str:
        """Print the table as `kubectl get` does. `str(table)` prints it with the defaults.

        Args:
            wide: print all columns, as `kubectl get -o wide` does.
            headers: print the names of the columns. A table without rows has no text at all.
            namespaces: print the namespace of each row. None prints them if the rows are of several
                namespaces.
        """
        return table_text(
            self.column_definitions,
            self.items,
            wide=wide,
            headers=headers,
            namespaces=namespaces,
        )

    def __str__(self) -> str:
        return self.to_text()


def annotations_of(obj: Any) -> dict[str, str]:
    """Return the annotations of a watched object. For a table, use the object in its row."""
    if isinstance(obj, Table):
        objects = [row.object for row in obj.items]
        return objects[0].metadata.annotations if objects and objects[0] is not None else {}
    annotations: dict[str, str] = obj.metadata.annotations
    return annotations
