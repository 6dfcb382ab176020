"""Objects as a table: what `kubectl get` asks for, so that the server decides what is shown.

The answer to `Accept: application/json;as=Table;v=v1;g=meta.k8s.io`. Every built-in kind has
columns of its own, custom resources have those of their definition, and whatever is left has its
name and the time of its creation.

Facts: docs/internals/kubernetes-semantics.md, 1.7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import bad_request
from clientgen._openapi.resolved import UNKNOWN, ResolvedSchema

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from .columns import Column, Printer

_ENUMERATION: Final = "\n\nPossible enum values:"


def table(
    printer: Printer,
    schema: ResolvedSchema,
    objects: Sequence[dict[str, Any]],
    now: datetime,
    *,
    list_metadata: dict[str, Any],
    include: str = "Metadata",
    with_columns: bool = True,
    version: str = "v1",
    object_meta: ResolvedSchema = UNKNOWN,
) -> dict[str, Any]:
    """A `meta.k8s.io` Table of objects of one kind.

    Args:
        printer: the columns of the kind.
        schema: the schema of the kind.
        objects: whole objects, in the order of the list.
        now: what ages are counted to.
        list_metadata: resourceVersion, continue and remainingItemCount.
        include: `includeObject` of the request: what each row carries beside its cells, `None`,
            `Metadata` (also when empty) or the whole `Object`.
        with_columns: False for all events of a watch but the first.
        version: `v1` or `v1beta1`.
        object_meta: the schema of ObjectMeta, whose documentation, if any, describes the columns
            of custom resources.

    Raises:
        Failure: 400, when `include` is none of these.
    """
    row_object = _row_object(include, f"meta.k8s.io/{version}")
    ordered = objects if printer.order is None else sorted(objects, key=printer.order)
    return {
        "kind": "Table",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": list_metadata,
        "columnDefinitions": (
            [_definition(column, schema, object_meta) for column in printer.columns]
            if with_columns
            else None
        ),
        "rows": [_row(printer, obj, now, row_object) for obj in ordered],
    }


def check_include(include: str) -> None:
    """Check the `includeObject` of a request.

    Raises:
        Failure: 400, when there is no such value.
    """
    _row_object(include, "")


def _row_object(include: str, api_version: str) -> Callable[[dict[str, Any]], Any]:
    """Return the part of its object that a row carries."""
    if include in ("Metadata", ""):
        return lambda obj: {
            "kind": "PartialObjectMetadata",
            "apiVersion": api_version,
            "metadata": obj.get("metadata", {}),
        }
    if include == "Object":
        return lambda obj: obj
    if include == "None":
        return lambda _: None
    raise bad_request(
        f'Unable to convert to Table as requested: includeObject: Invalid value: "{include}": '
        "must be 'Metadata', 'Object', 'None', or empty"
    )


def _row(
    printer: Printer, obj: dict[str, Any], now: datetime, row_object: Callable[[Any], Any]
) -> dict[str, Any]:
    view = printer.view(obj, now)
    row: dict[str, Any] = {"cells": printer.cells(view)}
    conditions = printer.conditions and printer.conditions(view)
    if conditions:
        row["conditions"] = conditions
    row["object"] = row_object(obj)
    return row


def _definition(
    column: Column, schema: ResolvedSchema, object_meta: ResolvedSchema
) -> dict[str, Any]:
    described = _documentation(schema, column.doc) or _documentation(
        object_meta, column.doc.removeprefix("metadata.")
    )
    return {
        "name": column.name,
        "type": column.type,
        "format": column.format,
        "description": described or column.about,
        "priority": column.priority,
    }


def _documentation(schema: ResolvedSchema, path: str) -> str:
    """Return the documentation of a field, without the list of values that documents add to it."""
    text = ""
    for key in path.split("."):
        child = schema.properties.get(key)
        if child is None:
            return ""
        # A description beside a reference is the field's own, that in the reference the type's.
        text = schema.stated(key).description or child.description
        schema = child
    return text.partition(_ENUMERATION)[0]
