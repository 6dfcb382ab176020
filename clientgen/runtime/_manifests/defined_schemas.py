"""Checks custom objects against CustomResourceDefinitions in the same manifests.

A server that does not have a kind yet cannot check its objects, not even in a dry run. So this
module finds undeclared fields and values of wrong types, which the server would refuse in every
server-side apply. Required fields, defaults and rules are left to the server.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final, cast

from clientgen._gvk import GroupVersionKind

from .apply_order import CRD_KIND, group_kind
from .set_objects import mapping
from .type_errors import TypeMismatch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from .set_objects import SetObject
    from .type_errors import FieldPath

    Schema = Mapping[str, Any]

# The server checks the first three fields itself. Whether it accepts a status depends on the call.
_UNCHECKED_FIELDS: Final = ("apiVersion", "kind", "metadata", "status")
_PRESERVE_UNKNOWN_FIELDS: Final = "x-kubernetes-preserve-unknown-fields"
_EMBEDDED_UNCHECKED_FIELDS: Final = ("apiVersion", "kind", "metadata")
_SCHEMA_TYPES: Final = {
    str: ("string",),
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("integer", "number"),
}
_TYPE_NAMES: Final = {str: "string", bool: "boolean", int: "integer", float: "number"}


def schema_problems(objects: Sequence[SetObject], *, strict: bool) -> list[str]:
    """Return the problems that servers will find in objects whose definitions are in the set.

    Args:
        objects: the set.
        strict: whether undeclared fields are problems.
    """
    schemas = _defined_schemas(objects)
    problems: list[str] = []
    for each in objects:
        schema = schemas.get(each.gvk)
        if schema is not None:
            problems += _object_problems(each, schema, strict)
    return problems


def _defined_schemas(objects: Iterable[SetObject]) -> dict[GroupVersionKind, Schema]:
    """Return the schemas of the kinds that definitions among the objects define."""
    schemas_by_kind: dict[GroupVersionKind, Schema] = {}
    for each in objects:
        gvk = each.gvk
        if group_kind(gvk.group, gvk.kind) != CRD_KIND or gvk.version != "v1":
            continue
        spec = mapping(each.body().get("spec"))
        if spec.get("preserveUnknownFields"):
            continue
        kind = mapping(spec.get("names")).get("kind")
        for version in map(mapping, _as_list(spec.get("versions"))):
            schema = mapping(version.get("schema")).get("openAPIV3Schema")
            if schema:
                defined = GroupVersionKind(
                    str(spec.get("group")), str(version.get("name")), str(kind)
                )
                schemas_by_kind[defined] = mapping(schema)
    return schemas_by_kind


def _object_problems(source: SetObject, schema: Schema, strict: bool) -> Iterator[str]:
    kind, body = source.gvk.kind, source.body()
    name = f"{kind} {mapping(body.get('metadata')).get('name') or ''}".rstrip()
    checker = _Checker(kind, strict)
    keeps_unknown = bool(schema.get(_PRESERVE_UNKNOWN_FIELDS))
    for mistake in checker.check_object(
        body, schema, (), skipped=_UNCHECKED_FIELDS, keeps_unknown=keeps_unknown
    ):
        yield f"{source.manifest.at(mistake.path)}: {name}: {mistake}"


class _Checker:
    """Compares the objects of one kind with their schema."""

    def __init__(self, kind: str, strict: bool) -> None:
        self._kind = kind
        self._strict = strict

    def check_object(
        self,
        value: Mapping[str, Any],
        schema: Schema,
        path: FieldPath,
        *,
        skipped: Sequence[str] = (),
        keeps_unknown: bool = False,
    ) -> Iterator[TypeMismatch]:
        """Yield the mistakes in an object.

        Args:
            value: the object.
            schema: the schema of the object.
            path: the path of the object.
            skipped: the fields that are not checked.
            keeps_unknown: whether an outer schema keeps unknown fields.
        """
        declared = mapping(schema.get("properties"))
        others = schema.get("additionalProperties")
        # As in server-side apply, an object whose schema declares no fields may have any fields.
        is_open = keeps_unknown or not declared or "additionalProperties" in schema
        for name, inner in value.items():
            if name in skipped:
                continue
            if name in declared:
                yield from self._check_value(
                    inner, mapping(declared[name]), (*path, name), keeps_unknown
                )
            elif others:
                yield from self._check_value(inner, mapping(others), (*path, name), keeps_unknown)
            elif self._strict and not is_open:
                near = get_close_matches(str(name), list(declared), 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                message = f"the definition of {self._kind} does not declare this field{hint}"
                yield TypeMismatch((*path, name), message)

    def _check_value(
        self, value: object, schema: Schema, path: FieldPath, keeps_unknown: bool
    ) -> Iterator[TypeMismatch]:
        if value is None:  # the server drops a null, or refuses it
            return
        keeps_unknown = keeps_unknown or bool(schema.get(_PRESERVE_UNKNOWN_FIELDS))
        wanted = schema.get("type")
        mismatch = _type_mismatch(value, schema)
        if mismatch:
            yield TypeMismatch(path, mismatch)
        elif isinstance(value, dict) and wanted == "object":
            skipped = (
                _EMBEDDED_UNCHECKED_FIELDS if schema.get("x-kubernetes-embedded-resource") else ()
            )
            inner = cast("dict[str, Any]", value)
            yield from self.check_object(
                inner, schema, path, skipped=skipped, keeps_unknown=keeps_unknown
            )
        elif isinstance(value, list) and wanted == "array":
            items = mapping(schema.get("items"))
            for index, item in enumerate(cast("list[object]", value)):
                yield from self._check_value(item, items, (*path, index), keeps_unknown)


def _type_mismatch(value: object, schema: Schema) -> str:
    """Return the message that a value has a wrong type; empty if the type is right."""
    wanted = schema.get("type")
    kind = type(value)
    if isinstance(value, (dict, list)):
        got, fits = ("object", "object") if isinstance(value, dict) else ("array", "array")
        if schema.get("x-kubernetes-int-or-string"):
            return f"expected integer or string, got {got}"
        return "" if wanted in {fits, None} else f"expected {wanted}, got {got}"
    if wanted is None or kind not in _SCHEMA_TYPES or wanted in _SCHEMA_TYPES[kind]:
        is_fraction = wanted == "integer" and isinstance(value, float) and not value.is_integer()
        return "expected integer, got number" if is_fraction else ""
    quotes = "; write it in quotes" if wanted == "string" else ""
    return f"expected {wanted}, got {_TYPE_NAMES[kind]}{quotes}"


def _as_list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
