"""Schemas of values that are no objects, lists or maps."""

from __future__ import annotations

import re
from collections.abc import Mapping

from clientgen._openapi.schema import Schema
from clientgen.generator.ir import EnumType, Scalar, TypeRef, UnionType

_FORMATS: Mapping[tuple[str, str], Scalar] = {
    ("string", "byte"): Scalar.BYTES,
    ("string", "date-time"): Scalar.TIME,
}
_TYPES: Mapping[str, Scalar] = {
    "string": Scalar.STRING,
    "integer": Scalar.INTEGER,
    "number": Scalar.NUMBER,
    "boolean": Scalar.BOOLEAN,
}
_SEVERAL = 2
# Patterns by which custom resources show a type: a Quantity by its suffixes, in every definition
# that is made of Go types; a MicroTime, if at all, by the six digits that each value has to have.
_SUFFIXES = ("[KMGTPE]i", "[numkMGTPE]")
_SIX_DIGITS = re.compile(r"\\\.(?:\[0-9\]|\\d)\{6\}")


def scalar(schema: Schema) -> TypeRef:
    """The type of a value; what may be anything is JSON."""
    kind, form = schema.type, schema.format
    if schema.is_int_or_string:
        suffixed = all(suffixes in schema.pattern for suffixes in _SUFFIXES)
        return Scalar.QUANTITY if suffixed else Scalar.INT_OR_STRING
    if not kind:
        return _alternatives(schema)
    values = {str(value) for value in schema.enum if value is not None}
    if kind == "string" and values:
        return EnumType(tuple(sorted(values)))
    if form == "date-time" and _SIX_DIGITS.search(schema.pattern):
        return Scalar.MICRO_TIME
    return _FORMATS.get((kind, form)) or _TYPES.get(kind, Scalar.JSON)


def _alternatives(schema: Schema) -> TypeRef:
    """One of several scalars that JSON tells apart, or anything."""
    kinds = sorted({part.type for part in schema.one_of or schema.any_of})
    if kinds == ["integer", "string"]:
        return Scalar.INT_OR_STRING
    if len(kinds) < _SEVERAL or not all(kind in _TYPES for kind in kinds):
        return Scalar.JSON
    return UnionType(tuple(_TYPES[kind] for kind in kinds))


def or_null(schema: Schema, type_: TypeRef) -> TypeRef:
    """The type with null beside it, where the schema says that it is a value."""
    if not schema.nullable or type_ is Scalar.JSON:
        return type_
    members = type_.members if isinstance(type_, UnionType) else (type_,)
    return UnionType((*members, Scalar.NULL))
