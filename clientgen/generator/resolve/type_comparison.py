"""Compares a schema with a known type: whether it is that type, written out.

Names and types of properties are compared at every level, and what is required. What only limits
values is not: an enum is a string, and a quantity is anything that writers make of one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from clientgen._openapi.schema import Schema
from clientgen.generator.ir import (
    META_V1,
    EnumType,
    ListType,
    MapType,
    ModelId,
    ModelType,
    Scalar,
    TypeRef,
    UnionType,
)

OBJECT_META = ModelId(META_V1, "ObjectMeta")
# The properties that controller-gen writes for an embedded ObjectMeta; by default it writes none.
# `clientgen crd` writes a few more.
EMBEDDED = frozenset({"annotations", "finalizers", "labels", "name", "namespace"})
# The properties that a type for the metadata of templates has at least.
_LABELLED = frozenset({"annotations", "labels"})
# Types with fewer properties are alike by chance: `{name}`, `{key, name}`.
TELLING = 5
# The least share of properties that an older copy has of each type within its type.
_MIN_NESTED_SHARE = 0.5
_INT_AND_STRING = {"integer", "string"}
_SPECIAL = ("int-or-string", "byte", "date-time")


class CopyKind(IntEnum):
    """A relation of a schema to a type."""

    EQUAL = 0
    """The same."""
    OLDER = 1
    """An older version: it lacks properties that are newer."""
    PARTIAL = 2
    """The same or older, from a writer that never states what is required."""


Missing = tuple[str, ...]
"""Paths of properties, `spec.containers.image`, that a type has and its copy has not."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The properties of a known type."""

    model: ModelId
    types: Mapping[str, TypeRef]
    required: frozenset[str]


class Comparison:
    """Compares schemas with types, and remembers what it found until it is told to forget."""

    def __init__(
        self, shapes: Mapping[ModelId, Shape], reference: Callable[[str], TypeRef | None]
    ) -> None:
        """Compare with these types; `reference` is the type of a definition by its name."""
        self._shapes = shapes
        self._reference = reference
        # With the schema itself: while it is kept, no other one has the identity of its JSON.
        self._memo: dict[tuple[int, ModelId, CopyKind, bool], tuple[Schema, Missing | None]] = {}

    def forget(self) -> None:
        """Forget the results for schemas that are no longer needed."""
        self._memo.clear()

    def lacks(
        self, schema: Schema, model: ModelId, copy: CopyKind, *, inside: bool = False
    ) -> Missing | None:
        """The properties of the type that the schema lacks, if it is a copy otherwise.

        Args:
            schema: what an object is described by.
            model: the type.
            copy: the kind of copy to look for.
            inside: whether it is a part of a copy, which may ask for what was required once.
        """
        key = (id(schema.raw), model, copy, inside)
        if key not in self._memo:
            missing = self._object_lacks(schema, model, copy, inside=inside)
            self._memo[key] = (schema, missing)
        return self._memo[key][1]

    def _object_lacks(
        self, schema: Schema, model: ModelId, copy: CopyKind, *, inside: bool
    ) -> Missing | None:
        shape = self._shapes.get(model)
        properties, older = schema.properties, copy is not CopyKind.EQUAL
        if shape is None or (schema.type or "object") != "object" or _is_map(schema):
            return None
        if model == OBJECT_META and _is_embedded_meta(properties, shape):
            return ()
        if older and model == OBJECT_META and _LABELLED <= properties.keys() <= EMBEDDED:
            return tuple(sorted(EMBEDDED - properties.keys()))
        requires_it = _requires_the_same(schema, shape, copy, inside=inside)
        if not requires_it or not _has_properties_of(schema, shape, older=older):
            return None
        missing = sorted(shape.types.keys() - properties.keys())
        for name in sorted(properties):
            lacks = self._type_lacks(properties[name], shape.types[name], copy)
            if lacks is None:
                return None
            missing += [f"{name}.{lacking}" for lacking in lacks]
        return tuple(missing)

    def _type_lacks(self, schema: Schema, type_: TypeRef, copy: CopyKind) -> Missing | None:
        reference = schema.reference
        if reference is not None:
            return () if self._reference(reference) == type_ else None
        if copy is not CopyKind.EQUAL and _is_left_open(schema, type_):
            return ()
        if isinstance(type_, ModelType):
            return self.lacks(schema, type_.model, copy, inside=True)
        if isinstance(type_, ListType | MapType):
            inner = _inside(schema, type_)
            type_ = type_.item if isinstance(type_, ListType) else type_.value
            return None if inner is None else self._type_lacks(inner, type_, copy)
        return () if _is_value(schema, type_) else None


def _is_embedded_meta(properties: Mapping[str, Schema], shape: Shape) -> bool:
    return not properties or EMBEDDED <= properties.keys() <= shape.types.keys()


def _has_properties_of(schema: Schema, shape: Shape, *, older: bool) -> bool:
    """Return whether the names of the properties are the type's."""
    names = schema.properties.keys()
    absent = shape.types.keys() - names
    if not names <= shape.types.keys() or absent & shape.required:
        return False
    return len(names) >= _MIN_NESTED_SHARE * len(shape.types) if older else not absent


def _inside(schema: Schema, type_: ListType | MapType) -> Schema | None:
    """Return the schema of the items of a list or map, if the schema is like the type."""
    is_list = isinstance(type_, ListType)
    kind = "array" if is_list else "object"
    if (schema.type or "object") != kind or schema.properties:
        return None
    return schema.items if is_list else schema.additional


def is_telling(schema: Schema, least: int = TELLING) -> bool:
    """Return whether a schema has enough properties, on all levels, to be recognized."""
    count, waiting = 0, [schema]
    while waiting and count < least:
        properties = waiting.pop().properties
        count += len(properties)
        waiting += map(_innermost, properties.values())
    return count >= least


def _innermost(schema: Schema) -> Schema:
    """Return the schema of the items of a list or map, on the deepest level."""
    while inner := schema.items or schema.additional:
        schema = inner
    return schema


def _requires_the_same(schema: Schema, shape: Shape, copy: CopyKind, *, inside: bool) -> bool:
    """Return whether the same is required; properties with a default count as optional.

    A part of an older copy may ask for more. A partial copy requires nothing: if something in it is
    required, its writer means the rest to be optional.
    """
    properties = schema.properties
    required = frozenset(schema.required)
    if copy is CopyKind.PARTIAL:
        return not required
    stricter = inside and copy is CopyKind.OLDER
    differing = shape.required - required if stricter else shape.required ^ required
    differing &= properties.keys()
    return all(properties[name].has_default for name in differing)


def _is_left_open(schema: Schema, type_: TypeRef) -> bool:
    """Return whether anything is allowed for an object, a map or a list of objects.

    Some writers say so of quantities, of what they do not check, and of what would be too long.
    """
    if not schema.preserves_unknown or _is_int_or_string(schema):
        return False
    if schema.properties or schema.allows_additional or schema.items:
        return False
    if isinstance(type_, ListType):
        return not schema.type and isinstance(type_.item, ModelType)
    return (schema.type or "object") == "object" and isinstance(type_, ModelType | MapType)


def _is_map(schema: Schema) -> bool:
    return schema.additional is not None


def _is_value(schema: Schema, type_: EnumType | Scalar | UnionType) -> bool:
    """Return whether a schema that is no model is how some writer says this type."""
    if isinstance(type_, UnionType):
        return False
    kind, format_ = schema.type, schema.format
    plain = kind == "string" and format_ not in _SPECIAL and not _is_int_or_string(schema)
    if isinstance(type_, EnumType) or type_ is Scalar.STRING:
        return plain
    if type_ is Scalar.QUANTITY:
        return plain or _is_int_or_string(schema)
    if type_ is Scalar.INT_OR_STRING:
        return _is_int_or_string(schema)
    if type_ is Scalar.JSON:
        return kind in ("", "object") and not schema.properties and not _is_map(schema)
    wanted = {
        Scalar.BYTES: ("string", "byte"),
        Scalar.TIME: ("string", "date-time"),
        Scalar.MICRO_TIME: ("string", "date-time"),
    }
    return (kind, format_) == wanted[type_] if type_ in wanted else kind == type_.value


def _is_int_or_string(schema: Schema) -> bool:
    if schema.is_int_or_string:
        return True
    alternatives = (schema.any_of, schema.one_of)
    return any({part.type for part in parts} == _INT_AND_STRING for parts in alternatives)
