"""The fields that rules read: their types, their names in CEL, and what absence reads as."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, cast, get_args, get_origin

from clientgen._apiextensions.cel.escaped_names import spellings
from clientgen._problems import Problems
from clientgen.generator.crds.annotation_schemas import (
    Schema,
    UnsupportedTypeError,
    allows_none,
    named,
    plain,
    scalar,
)
from clientgen.generator.crds.rule_values import (
    EMPTY,
    INT64,
    Bool,
    Float,
    Int,
    List,
    Map,
    Object,
    Other,
    Str,
    Type,
    Value,
    literal,
)
from clientgen.generator.python_types.class_reader import read_class
from clientgen.generator.python_types.class_records import NO_DEFAULT, TypeClass, TypeField
from clientgen.runtime._models.meta_v1 import ObjectMeta
from clientgen.runtime._models.model import Model

_WITHOUT_TYPE: Final = Other("a value of any type")
_INT32: Final = (-(2**31), 2**31 - 1)


class FieldError(ValueError):
    """A field that rules cannot read."""


@lru_cache(maxsize=1024)
def fields_of(cls: type[Model]) -> TypeClass:
    """Return the fields of a class; `clientgen crd` tells what is wrong with them."""
    return read_class(cls, Problems())


def type_of(annotation: Any, schema: Schema | None, *, nullable: bool = False) -> Type:
    """Return the type of a value.

    Args:
        annotation: its annotation.
        schema: its schema, where there is one; it knows the limits.
        nullable: whether None is told apart by the caller; elsewhere None is a value of the type.
    """
    if schema == {} or (not nullable and allows_none(annotation)):
        return _WITHOUT_TYPE
    inner = plain(annotation)
    try:
        kind = scalar(inner)
    except UnsupportedTypeError:
        return Other(f"`{named(inner)}`")
    if kind is not None:
        return _scalar(kind if schema is None else schema, kind, named(inner))
    return _container(inner, schema)


def _container(annotation: Any, schema: Schema | None) -> Type:
    origin: Any = get_origin(annotation)
    origin = annotation if origin is None else origin
    arguments = get_args(annotation)
    if schema is not None and schema.get("type") != ("array" if origin is list else "object"):
        return _WITHOUT_TYPE
    if origin is list:
        items = None if schema is None else schema.get("items", {})
        size = None if schema is None else schema.get("maxItems")
        list_type = "" if schema is None else schema.get("x-kubernetes-list-type", "")
        return List(type_of(arguments[0], items), size, list_type in ("set", "map"))
    if origin is dict:
        values = None if schema is None else schema.get("additionalProperties", {})
        size = None if schema is None else schema.get("maxProperties")
        return Map(type_of(arguments[1], values), size)
    return Object(cast("type[Model]", origin), schema)


def _scalar(schema: Schema, by_annotation: Schema, name: str) -> Type:
    kind, form = schema.get("type"), schema.get("format", "")
    if kind != by_annotation.get("type"):
        return _WITHOUT_TYPE
    if kind == "boolean":
        return Bool()
    if kind == "integer":
        low, high = _INT32 if form == "int32" else INT64
        return Int(
            int(max(low, schema.get("minimum", low))), int(min(high, schema.get("maximum", high)))
        )
    if kind == "number":
        return Float()
    if kind == "string" and form not in ("date-time", "date", "duration", "byte"):
        return Str(schema.get("maxLength"))
    return Other(f"`{name}`")


class Reader:
    """Reads fields of objects.

    Args:
        is_policy: whether the expression is one of a policy, where objects have no types.
        is_built_in: whether the kind is not defined by a CustomResourceDefinition; then a required
            field may be absent, because Go leaves out zero values.
    """

    def __init__(self, *, is_policy: bool, is_built_in: bool) -> None:
        self._is_policy = is_policy
        self._is_built_in = is_built_in

    def field(self, base: Value, attribute: str) -> Value:
        """Return a field of an object.

        Raises:
            FieldError: the class has no such field, or rules cannot read it.
        """
        owner = base.type
        assert isinstance(owner, Object)
        declared = fields_of(owner.cls).fields
        found = next((each for each in declared if each.attribute == attribute), None)
        if found is None:
            raise FieldError(f"{owner.cls.__name__} has no field `{attribute}`")
        schema = self._schema(owner, found)
        if schema is not None and schema.get("nullable"):
            self._check_nullable(found)
        value_type = type_of(found.annotation, schema, nullable=True)
        is_required = found.required if owner.schema is None else self._required(owner, found)
        is_present = is_required and not base.optional and not self._is_built_in
        text, optional = self._selected(base, found.wire_name)
        if self._is_policy and isinstance(value_type, Float):
            text = f"double({text})"  # there, a whole number is an integer
        if is_present:
            return Value(value_type, text)
        return Value(value_type, text, optional=optional, absent=_absent(found, value_type))

    def _check_nullable(self, found: TypeField) -> None:
        """Refuse fields whose null reads differently in Python.

        Raises:
            FieldError: the field is one.
        """
        if self._is_policy:
            raise FieldError(f"`{found.attribute}` may be null, which policies see as a value")
        if not allows_none(found.annotation):
            raise FieldError(f"`{found.attribute}` may be null, which its type does not say")

    def _schema(self, owner: Object, found: TypeField) -> Schema | None:
        if owner.schema is None:
            return None
        if owner.cls is ObjectMeta and "properties" not in owner.schema:
            return None  # that of the object itself, which servers know
        properties: dict[str, Schema] = owner.schema.get("properties", {})
        return properties.get(found.wire_name, {})

    def _required(self, owner: Object, found: TypeField) -> bool:
        return found.wire_name in (owner.schema or {}).get("required", ())

    def _selected(self, base: Value, name: str) -> tuple[str, str]:
        """Return the CEL of a member that is present, and of an optional value."""
        whole = base.optional or base.text
        if not self._is_policy:
            spelt = spellings(name)
            if not spelt:
                raise FieldError(f"rules of CustomResourceDefinitions cannot read `{name}`")
            return f"{base.text}.{spelt[0]}", f"{whole}.?{spelt[0]}"
        if spellings(name)[:1] == (name,):
            return f"{base.text}.{name}", f"{whole}.?{name}"
        return f'{base.text}["{name}"]', f'{whole}[?"{name}"]'


def _absent(found: TypeField, value_type: Type) -> Any:
    """Return what Python reads if a field is absent."""
    if isinstance(value_type, Object) and (found.required or found.default is NO_DEFAULT):
        return EMPTY
    if isinstance(value_type, (List, Map)):
        if found.default is None:
            return None
        return EMPTY if found.default is NO_DEFAULT else found.default or EMPTY
    if found.default is not NO_DEFAULT:
        return found.default
    zeros: dict[type[Type], Any] = {Int: 0, Float: 0.0, Str: "", Bool: False}
    return None if allows_none(found.annotation) else zeros.get(type(value_type))


def absent_literal(value: Value) -> Value | None:
    """Return what Python reads if a value is absent, as CEL; None if CEL cannot say it."""
    if value.absent is EMPTY:
        if isinstance(value.type, List):
            return Value(replace(value.type, size=0), "[]")
        if isinstance(value.type, Map):
            return Value(replace(value.type, size=0), "{}")
        return None
    if isinstance(value.type, Map):
        return None
    return literal(value.absent)
