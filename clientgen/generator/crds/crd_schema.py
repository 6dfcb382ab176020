"""The structural schema of a kind, out of its Python class.

Fields are required as they are in Python; a default of Python's is one of the server's too, because
a client leaves it off the wire: the server fills in the same value, and every other client sees it.
An empty default (None, "", 0, False, [], {}) is what absence reads as, and is not filled in.
Descriptions are docstrings, but for those of generated packages. Models of other modules are
inlined, as in every CRD.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final, cast, get_args, get_origin

from clientgen._problems import Problems
from clientgen.generator.crds.annotation_schemas import (
    ANYTHING,
    Schema,
    UnsupportedTypeError,
    allows_none,
    metas,
    named,
    plain,
    scalar,
)
from clientgen.generator.crds.constraints import (
    Constraint,
    Places,
    apply,
    from_marker,
    from_metas,
    kinds_of,
)
from clientgen.generator.crds.field_defaults import put_default
from clientgen.generator.crds.immutability_rules import UNCHANGED, group_rule
from clientgen.generator.crds.known import add_facts, is_generated
from clientgen.generator.crds.limit_checks import check_limits
from clientgen.generator.crds.tag_rules import TagWriter, is_of_fields, said
from clientgen.generator.crds.union_schemas import union_schema
from clientgen.generator.genclient_markers import strip_markers
from clientgen.generator.kubebuilder.kubebuilder_markers import (
    KubebuilderMarker,
    Said,
    parse_markers,
)
from clientgen.generator.python_types.class_reader import read_class
from clientgen.generator.python_types.class_records import TypeClass, TypeField
from clientgen.generator.python_types.loaded_modules import loaded
from clientgen.runtime._models.meta_v1 import ObjectMeta
from clientgen.runtime._models.model import Model
from clientgen.runtime._models.union_stand_ins import members_of
from clientgen.runtime._models.unions import BadUnionError, choice_of

_TYPE_META: Final = {
    "apiVersion": "The group and version this object is written in.",
    "kind": "The kind of this object.",
}
# The metadata that the author of an embedded object may set; servers fill in the rest.
_EMBEDDED_META: Final = frozenset(
    ["annotations", "finalizers", "generateName", "labels", "name", "namespace", "ownerReferences"]
)
_WITHOUT_END: Final = (
    "a schema cannot refer to itself: use `Raw`, or take anything here by "
    "`+kubebuilder:validation:Schemaless` and `+kubebuilder:pruning:PreserveUnknownFields`"
)


@dataclass(frozen=True, slots=True)
class Part:
    """A schema, and where each part of it was written, by the path that leads to the part."""

    schema: Schema
    places: Places = field(default_factory=dict[tuple[str, ...], str])

    def copy(self) -> Part:
        """One that may be changed."""
        return Part(deepcopy(self.schema), dict(self.places))


@dataclass(frozen=True, slots=True)
class _Field:
    """The schema of a field, whether it is required, and the tags that compare it with others."""

    part: Part
    required: bool
    tags: tuple[Said, ...] = ()


class SchemaBuilder:
    """Makes schemas; what is wrong goes to `problems`. A class is looked at once."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._made: dict[type[Model], Part] = {}
        self._open: list[type[Model]] = []

    def kind(self, kind: TypeClass) -> Part:
        """The schema of a kind; the fields that every object has are left to the server."""
        self._open.append(kind.cls)
        part = self._object(kind, top=True)
        self._open.pop()
        return part

    def _object(
        self, type_class: TypeClass, *, top: bool = False, only: frozenset[str] | None = None
    ) -> Part:
        part = Part({"type": "object"}, {(): type_class.where})
        has_texts = not is_generated(type_class.cls)  # a pod template would have 200 kB of them
        if has_texts:
            _describe(part.schema, type_class.docstring)
        properties: dict[str, Schema] = {}
        required: list[str] = []
        tags: list[tuple[str, Said]] = []
        optional = _is_optional(type_class.cls)
        for type_field in type_class.fields:
            if only is not None and type_field.wire_name not in only:
                continue
            made = self._field(type_field, optional=optional, top=top, has_texts=has_texts)
            properties[type_field.wire_name] = made.part.schema
            _add_places(part, ("properties", type_field.wire_name), made.part)
            if made.required:
                required.append(type_field.wire_name)
            tags += [(type_field.wire_name, tag) for tag in made.tags]
        if properties:
            part.schema["properties"] = properties
        if required:
            part.schema["required"] = sorted(required)
        TagWriter(part.schema, part.places, self._problems).of_fields(tags)
        add_facts(type_class.cls, part.schema)
        self._say_of_class(part, type_class)
        return part

    def _say_of_class(self, part: Part, type_class: TypeClass) -> None:
        markers = parse_markers(type_class.markers, self._problems, "type")
        part.places.update(apply(part.schema, _constraints(markers), self._problems))
        TagWriter(part.schema, part.places, self._problems).of_value(said(markers))
        for marker in markers:
            rule = group_rule(marker, part.schema, self._problems)
            if rule:
                _add_rule(part, rule, marker.where)
        check_limits(part.schema, type_class.where, self._problems)

    def _field(
        self, type_field: TypeField, *, optional: bool, top: bool, has_texts: bool
    ) -> _Field:
        markers = parse_markers(type_field.markers, self._problems, "field")
        named = {marker.name: marker for marker in markers}
        required = self._is_required(type_field, named, optional=optional)
        if top and type_field.wire_name in ("apiVersion", "kind", "metadata"):
            self._check_type_meta(type_field, markers)
            return _Field(Part(_type_meta(type_field.wire_name), {(): type_field.where}), False)
        if "validation:Schemaless" in named:
            part = Part({}, {(): type_field.where})
        else:
            part = self._annotation(type_field.annotation, type_field.where)
        if has_texts:
            _describe(part.schema, type_field.docstring)
        part.places[()] = type_field.where
        part.places.update(apply(part.schema, _constraints(markers), self._problems))
        tags = said(markers)
        writer = TagWriter(part.schema, part.places, self._problems, name=type_field.wire_name)
        writer.of_value(tag for tag in tags if not is_of_fields(tag))
        if "immutable" in named:
            _add_rule(part, dict(UNCHANGED), named["immutable"].where)
        if "default" in named:
            part.places["default",] = named["default"].where
        _open_embedded(part.schema)
        put_default(part.schema, type_field, named.get("default"), self._problems)
        check_limits(part.schema, type_field.where, self._problems)
        return _Field(part, required, tuple(filter(is_of_fields, tags)))

    def _is_required(
        self, type_field: TypeField, named: Mapping[str, KubebuilderMarker], *, optional: bool
    ) -> bool:
        if "required" in named and "optional" in named:
            what = "it is marked as both required and optional"
            self._problems.add(named["optional"].where, what, "remove one of the two")
        if "required" in named or "optional" in named:
            return "required" in named
        return type_field.required and not optional

    def _check_type_meta(self, type_field: TypeField, markers: Iterable[KubebuilderMarker]) -> None:
        for marker in markers:
            if marker.name not in ("required", "optional"):
                what = f"`+{marker.written}` cannot be used on `{type_field.wire_name}` of a kind"
                self._problems.add(marker.where, what, "the server checks that field itself")

    def _annotation(self, annotation: Any, where: str) -> Part:
        try:
            part = self._plain(plain(annotation), where)
        except UnsupportedTypeError as error:
            self._problems.add(where, error.what, error.hint)
            return Part({ANYTHING: True}, {(): where})
        part.places[()] = where
        constraints = from_metas(metas(annotation), part.schema, where)
        part.places.update(apply(part.schema, constraints, self._problems))
        check_limits(part.schema, where, self._problems)
        return part

    def _plain(self, annotation: Any, where: str) -> Part:
        members = members_of(annotation)
        if members:
            return self._union(members, where)
        schema = scalar(annotation)
        if schema is not None:
            return Part(schema)
        origin = get_origin(annotation) or annotation
        if origin is list:
            return self._list(get_args(annotation), where)
        if origin is dict:
            return self._dict(get_args(annotation), where)
        return self._model(origin)

    def _union(self, members: tuple[type[Any], ...], where: str) -> Part:
        try:
            choice = choice_of(members)
        except BadUnionError as error:
            raise UnsupportedTypeError(error.what, error.hint) from None
        parts = [self._model(cast("type[Model]", model)) for model in choice.models.values()]
        part = Part(union_schema(choice, [each.schema for each in parts]))
        for inner in parts:
            _add_places(part, (), Part({}, {k: v for k, v in inner.places.items() if len(k) > 1}))
        for number in range(len(part.schema["x-kubernetes-validations"])):
            part.places["x-kubernetes-validations", str(number)] = where
        return part

    def _list(self, arguments: tuple[Any, ...], where: str) -> Part:
        items = self._annotation(arguments[0] if arguments else Any, where)
        _open_to_null(items.schema, arguments)
        part = Part({"type": "array", "items": items.schema})
        _add_places(part, ("items",), items)
        return part

    def _dict(self, arguments: tuple[Any, ...], where: str) -> Part:
        key, value = arguments or (str, Any)
        if scalar(plain(key)) is None or "string" not in kinds_of(scalar(plain(key)) or {}):
            what = f"the keys of an object must be strings, not `{named(plain(key))}`"
            raise UnsupportedTypeError(what, "write `dict[str, ...]`")
        values = self._annotation(value, where)
        if values.schema == {ANYTHING: True}:
            return Part({"type": "object", ANYTHING: True})
        _open_to_null(values.schema, (value,))
        part = Part({"type": "object", "additionalProperties": values.schema})
        _add_places(part, ("additionalProperties",), values)
        return part

    def _model(self, model: type[Model]) -> Part:
        if model in self._open:
            circle = " -> ".join(each.__name__ for each in (*self._open, model))
            raise UnsupportedTypeError(f"its type contains itself: {circle}", _WITHOUT_END)
        if model not in self._made:
            self._made[model] = self._new_model(model)
        return self._made[model].copy()

    def _new_model(self, model: type[Model]) -> Part:
        type_class = read_class(model, self._problems)
        self._open.append(model)
        part = self._object(type_class, only=_EMBEDDED_META if model is ObjectMeta else None)
        self._open.pop()
        return part


def _is_optional(cls: type[Model]) -> bool:
    """Return whether its module says that fields are optional."""
    module = loaded(cls.__module__)
    markers = module.source.markers if module else ()
    parsed = parse_markers(markers, Problems(), "module")  # `declared_kinds` tells its problems
    return any(marker.name == "optional" for marker in parsed)


def _constraints(markers: Iterable[KubebuilderMarker]) -> list[Constraint]:
    return [constraint for marker in markers if (constraint := from_marker(marker))]


def _add_places(part: Part, path: tuple[str, ...], inner: Part) -> None:
    for inner_path, where in inner.places.items():
        part.places[(*path, *inner_path)] = where


def _add_rule(part: Part, rule: Schema, where: str) -> None:
    rules: list[Schema] = part.schema.setdefault("x-kubernetes-validations", [])
    part.places["x-kubernetes-validations", str(len(rules))] = where
    rules.append(rule)


def _type_meta(name: str) -> Schema:
    if name == "metadata":
        return {"type": "object"}
    return {"description": _TYPE_META[name], "type": "string"}


def _describe(schema: Schema, docstring: str) -> None:
    text = strip_markers(inspect.cleandoc(docstring)).strip()
    if text:
        schema["description"] = text


def _open_to_null(schema: Schema, annotations: Iterable[Any]) -> None:
    """An item or a value of a map that may be None is null on the wire: it cannot be absent."""
    if any(allows_none(annotation) for annotation in annotations):
        schema["nullable"] = True


def _open_embedded(schema: Schema) -> None:
    """The server itself checks these fields of embedded objects, and takes no other rules."""
    if schema.get("x-kubernetes-embedded-resource"):
        properties = schema.get("properties", {})
        for name in ("apiVersion", "kind", "metadata"):
            if name in properties:
                properties[name] = _type_meta(name)
