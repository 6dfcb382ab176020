"""Custom objects, compared with the schemas of definitions in the same manifests.

A server that does not have a kind yet says nothing about its objects, not even in a dry run. What
is wrong here, a server refuses in every server-side apply: fields that are not declared, and values
of wrong types. Required fields, defaults and rules are left to the server.
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

__all__ = ["schema_problems"]

# The server has its own schema for these, and for the status it depends on the call.
_ROOT: Final = ("apiVersion", "kind", "metadata", "status")
_KEEPS: Final = "x-kubernetes-preserve-unknown-fields"
_EMBEDDED: Final = ("apiVersion", "kind", "metadata")
_SCALARS: Final = {
    str: ("string",),
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("integer", "number"),
}
_NAMES: Final = {str: "string", bool: "boolean", int: "integer", float: "number"}


def schema_problems(objects: Sequence[SetObject], *, strict: bool) -> list[str]:
    """Say what servers will refuse in objects whose definitions are among the objects.

    Args:
        objects: the set.
        strict: whether fields that no schema declares are problems.
    """
    schemas = _schemas(objects)
    problems: list[str] = []
    for each in objects:
        schema = schemas.get(each.gvk)
        if schema is not None:
            problems += _problems(each, schema, strict)
    return problems


def _schemas(objects: Iterable[SetObject]) -> dict[GroupVersionKind, Schema]:
    """The schemas of the kinds that the definitions among the objects define."""
    found: dict[GroupVersionKind, Schema] = {}
    for each in objects:
        gvk = each.gvk
        if group_kind(gvk.group, gvk.kind) != CRD_KIND or gvk.version != "v1":
            continue
        spec = mapping(each.body().get("spec"))
        if spec.get("preserveUnknownFields"):
            continue
        kind = mapping(spec.get("names")).get("kind")
        for version in map(mapping, _listed(spec.get("versions"))):
            schema = mapping(version.get("schema")).get("openAPIV3Schema")
            if schema:
                defined = GroupVersionKind(
                    str(spec.get("group")), str(version.get("name")), str(kind)
                )
                found[defined] = mapping(schema)
    return found


def _problems(source: SetObject, schema: Schema, strict: bool) -> Iterator[str]:
    kind, body = source.gvk.kind, source.body()
    name = f"{kind} {mapping(body.get('metadata')).get('name') or ''}".rstrip()
    checker = _Checker(kind, strict)
    keeps = bool(schema.get(_KEEPS))
    for mistake in checker.in_object(body, schema, (), known=_ROOT, keeps=keeps):
        yield f"{source.manifest.at(mistake.path)}: {name}: {mistake}"


class _Checker:
    def __init__(self, kind: str, strict: bool) -> None:
        self._kind = kind
        self._strict = strict

    def in_object(
        self,
        value: Mapping[str, Any],
        schema: Schema,
        path: FieldPath,
        *,
        known: Sequence[str] = (),
        keeps: bool = False,
    ) -> Iterator[TypeMismatch]:
        """Go through the fields of an object.

        Args:
            value: the object.
            schema: its schema.
            path: the way to it.
            known: the fields that are not looked at.
            keeps: whether something around it keeps unknown fields.
        """
        declared = mapping(schema.get("properties"))
        others = schema.get("additionalProperties")
        # As server-side apply does: an object that declares nothing may have anything.
        is_open = keeps or not declared or "additionalProperties" in schema
        for name, inner in value.items():
            if name in known:
                continue
            if name in declared:
                yield from self._in_value(inner, mapping(declared[name]), (*path, name), keeps)
            elif others:
                yield from self._in_value(inner, mapping(others), (*path, name), keeps)
            elif self._strict and not is_open:
                near = get_close_matches(str(name), list(declared), 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                what = f"the definition of {self._kind} has no such field{hint}"
                yield TypeMismatch((*path, name), what)

    def _in_value(
        self, value: object, schema: Schema, path: FieldPath, keeps: bool
    ) -> Iterator[TypeMismatch]:
        if value is None:  # the server takes it for absent, or says which field may not be null
            return
        keeps = keeps or bool(schema.get(_KEEPS))
        wanted = schema.get("type")
        what = _mismatch(value, schema)
        if what:
            yield TypeMismatch(path, what)
        elif isinstance(value, dict) and wanted == "object":
            known = _EMBEDDED if schema.get("x-kubernetes-embedded-resource") else ()
            inner = cast("dict[str, Any]", value)
            yield from self.in_object(inner, schema, path, known=known, keeps=keeps)
        elif isinstance(value, list) and wanted == "array":
            items = mapping(schema.get("items"))
            for index, item in enumerate(cast("list[object]", value)):
                yield from self._in_value(item, items, (*path, index), keeps)


def _mismatch(value: object, schema: Schema) -> str:
    """Say that a value is of another type than its field; empty if it is not."""
    wanted = schema.get("type")
    kind = type(value)
    if isinstance(value, (dict, list)):
        got, fits = ("object", "object") if isinstance(value, dict) else ("array", "array")
        if schema.get("x-kubernetes-int-or-string"):
            return f"expected integer or string, got {got}"
        return "" if wanted in {fits, None} else f"expected {wanted}, got {got}"
    if wanted is None or kind not in _SCALARS or wanted in _SCALARS[kind]:
        is_part = wanted == "integer" and isinstance(value, float) and not value.is_integer()
        return "expected integer, got number" if is_part else ""
    quotes = "; write it in quotes" if wanted == "string" else ""
    return f"expected {wanted}, got {_NAMES[kind]}{quotes}"


def _listed(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
