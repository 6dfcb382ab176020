"""Rules for versions of a definition: schema, scale, columns and selectable fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, duplicate, invalid_value, required, too_many
from clientgen._json import listed, part

from .fieldpath import resolve
from .schema_rules import check_schema
from .structure import Structure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_COLUMN_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS: Final = (
    "byte", "date", "date-time", "double", "float", "int32", "int64", "password"
)  # fmt: skip
_SELECTABLE: Final = ("string", "boolean", "integer")
_MAX_SELECTABLE_FIELDS: Final = 8
_MAX_WARNING_LENGTH: Final = 256


def schema_in(validation: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The schema of a version, None when there is none."""
    return (validation or {}).get("openAPIV3Schema")


def check_version(
    holder: Mapping[str, Any], path: str, schema_name: str, *, status: bool
) -> Iterator[Cause]:
    """Check one version, or the fields that all versions share."""
    yield from check_schema(holder.get(schema_name), f"{path}.{schema_name}", status=status)
    scale = part(holder, "subresources").get("scale")
    if scale is not None:
        yield from _scale(scale, f"{path}.subresources.scale")
    for at, column in enumerate(listed(holder, "additionalPrinterColumns")):
        yield from _column(column, f"{path}.additionalPrinterColumns[{at}]")
    fields: list[dict[str, Any]] = holder.get("selectableFields") or []
    if fields:
        schema = schema_in(holder.get(schema_name))
        if schema is None:
            why = "may only be set when a schema is included"
            yield invalid_value(f"{path}.selectableFields", "", why)
        else:
            yield from _selectable(fields, Structure(schema), f"{path}.selectableFields")


def check_deprecation(version: Mapping[str, Any], path: str) -> Iterator[Cause]:
    """Check the warning of a deprecated version."""
    warning: str | None = version.get("deprecationWarning")
    if warning is None:
        return
    if not version.get("deprecated"):
        yield invalid_value(path, warning, "can only be set for deprecated versions")
        return
    if len(warning.encode()) > _MAX_WARNING_LENGTH:
        yield invalid_value(path, warning, "must be <= 256 characters long")
    if not warning:
        yield invalid_value(path, warning, "must not be an empty string")
    if not warning.isprintable():
        yield invalid_value(path, warning, "must only contain printable UTF-8 characters")


def _simple_path(path: str, field: str) -> Iterator[Cause]:
    if not path.startswith("."):
        yield invalid_value(field, path, "must be a simple json path starting with .")


def _scale(scale: Mapping[str, Any], path: str) -> Iterator[Cause]:
    for name, root in (("specReplicasPath", ".spec."), ("statusReplicasPath", ".status.")):
        path_text: str = scale.get(name) or ""
        if not path_text:
            yield required(f"{path}.{name}")
        else:
            why = f"should be a json path under {root[:-1]}"
            yield from _path_under(path_text, f"{path}.{name}", (root,), why)
    if selector := scale.get("labelSelectorPath"):
        why = "should be a json path under either .spec or .status"
        yield from _path_under(selector, f"{path}.labelSelectorPath", (".spec.", ".status."), why)


def _path_under(path: str, field: str, roots: tuple[str, ...], why: str) -> Iterator[Cause]:
    wrong = list(_simple_path(path, field))
    if not wrong and not path.startswith(roots):
        wrong.append(invalid_value(field, path, why))
    yield from wrong


def _column(column: Mapping[str, Any], path: str) -> Iterator[Cause]:
    if not column.get("name"):
        yield required(f"{path}.name")
    kind, form, where = column.get("type"), column.get("format"), column.get("jsonPath")
    reason = f"must be one of {','.join(_COLUMN_TYPES)}"
    if not kind:
        yield required(f"{path}.type", reason)
    elif kind not in _COLUMN_TYPES:
        yield invalid_value(f"{path}.type", kind, reason)
    if form and form not in _COLUMN_FORMATS:
        why = f"must be one of {','.join(_COLUMN_FORMATS)}"
        yield invalid_value(f"{path}.format", form, why)
    if not where:
        yield required(f"{path}.JSONPath")
    else:
        yield from _simple_path(where, f"{path}.JSONPath")


def _selectable(fields: list[dict[str, Any]], structure: Structure, path: str) -> Iterator[Cause]:
    paths: set[str] = set()
    for at, selectable in enumerate(fields):
        json_path: str = selectable.get("jsonPath") or ""
        where = f"{path}[{at}].jsonPath"
        if not json_path:
            yield required(where)
            continue
        try:
            spelt, schema = resolve(json_path, structure, brackets=False)
        except ValueError as error:
            yield invalid_value(where, json_path, f"is an invalid path: {error}")
            continue
        if spelt.partition(".")[0] == "metadata":
            yield invalid_value(where, json_path, "must not point to fields in metadata")
        if schema.type not in _SELECTABLE:
            why = (
                "must point to a field of type string, boolean or integer. "
                "Enum string fields and strings with formats are allowed."
            )
            yield invalid_value(where, json_path, why)
        if spelt in paths:
            yield duplicate(where, json_path)
        paths.add(spelt)
    if len(paths) > _MAX_SELECTABLE_FIELDS:
        yield too_many(path, len(paths), _MAX_SELECTABLE_FIELDS)
