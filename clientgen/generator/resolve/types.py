"""Schemas to models and types.

Everything the specification of structural schemas and Kubernetes' own documents use is understood;
a schema that says nothing about its content becomes raw JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from clientgen._apimachinery.selectable_fields import SELECTABLE_FIELDS
from clientgen._gvk import GroupVersion, GroupVersionKind
from clientgen._openapi.json_source import pointer
from clientgen._openapi.schema import Schema
from clientgen._problems import Problems
from clientgen.generator.genclient_markers import strip_markers
from clientgen.generator.ir import (
    META_V1,
    Field,
    Imported,
    ListType,
    MapType,
    Model,
    ModelId,
    ModelType,
    OlderCopy,
    Scalar,
    Skipped,
    TypeRef,
    UnionType,
)
from clientgen.generator.resolve.inline_names import Path
from clientgen.generator.resolve.inline_types import (
    DescribedModel,
    InlineObject,
    in_words,
    merge,
    retyped,
)
from clientgen.generator.resolve.known_types import KnownTypes
from clientgen.generator.resolve.placement import (
    WELL_KNOWN,
    Placement,
    is_custom,
    json_schema_union,
)
from clientgen.generator.resolve.scalar_types import or_null, scalar
from clientgen.generator.resolve.schema_sentences import Description, of_field, of_object
from clientgen.generator.resolve.schema_size import Limits
from clientgen.generator.resolve.schemas import (
    NO_FIELD,
    Properties,
    can_be_field,
    is_any_object,
    is_filled_in,
    is_free,
    with_metadata,
)
from clientgen.generator.resolve.type_lookup import imported_class, imported_from_go, named_in_go
from clientgen.generator.resolve.zeros import reads_as_zero
from clientgen.generator.sources.spec import Definition, Precedence
from clientgen.generator.sources.used_packages import meta_models

# A kind's own parts keep their names, whatever they look like.
_OWN_PARTS = ("spec", "status")
_EMPTY = Schema({})


class Types:
    """Turns definitions into models, each once and in any order."""

    def __init__(
        self,
        definitions: Mapping[str, Definition],
        problems: Problems,
        imported: Imported,
        inlined: str,
    ) -> None:
        self._definitions = definitions
        self._imported = imported
        self._inlined = inlined
        self._homes = Placement(definitions)
        self._problems = problems
        self._models: dict[ModelId, Model] = {}
        self._sources: dict[ModelId, str] = {}
        self._descriptions: dict[ModelId, str] = {}
        self._in_place: dict[ModelId, InlineObject] = {}
        self._paths: dict[ModelId, Path] = {}
        self._kinds: set[ModelId] = set()
        self._known_index = KnownTypes((), "never")
        self._older: list[OlderCopy] = []
        self._properties = Properties(definitions)
        self._limits = Limits(problems)
        self._partial: set[tuple[ModelId, str]] = set()
        self._open: set[str] = set()
        self._selectable: dict[GroupVersionKind, tuple[str, ...]] | None = None
        self.skipped: list[Skipped] = []
        """Properties that models do not have, and why."""
        self.stand_ins: set[ModelId] = set()
        """Models that are of use only where another one needs them."""

    def models(self) -> tuple[Model, ...]:
        """Every model, the inline ones of custom resources included, in order of their names."""
        names = sorted(name for name in self._definitions if self._is_model(name))
        custom = [name for name in names if is_custom(self._definitions[name])]
        for name in sorted({*names}.difference(custom)):
            self._add_definition(name)
        self._known_index = self._known_types()
        for name in custom:
            self._add_definition(name)
            self._known_index.forget()
        self._merge()
        return tuple(self._models[key] for key in sorted(self._models))

    def _merge(self) -> None:
        """Objects described in place become classes: one for each structure."""
        named = {self._homes.model_id(n) for n in self._definitions if self._is_model(n)}
        classes = merge(self._in_place, named)
        names = {key: model.id for key, model in classes.items()}
        own = {key: model for key, model in self._models.items() if key not in classes}
        self._models = {key: retyped(model, names) for key, model in own.items()}
        self._models |= {model.id: model for model in classes.values()}
        self._older = [
            replace(copy, model=names.get(copy.model, copy.model)) for copy in self._older
        ]

    def older_copies(self) -> tuple[OlderCopy, ...]:
        """Return the described types that became a known type with more properties, in order."""
        return tuple(sorted(self._older))

    def _known_types(self) -> KnownTypes:
        """Return the types that inlined objects may be copies of; custom resources need them."""
        named = list(self._models.values())
        models = chain(meta_models(), self._imported.models, named)
        return KnownTypes(models, self._inlined, self._target)

    def model_of(self, schema: Schema | None) -> ModelId | None:
        """The model a body or response refers to, if it is one."""
        name = schema.reference if schema else None
        if name is None or name not in self._definitions:
            return None
        return self._homes.model_id(name) if self._is_model(name) else None

    def find(self, group_version: GroupVersion, name: str) -> ModelId | None:
        """The model of that name in a group version."""
        wanted = ModelId(group_version, name)
        is_known = wanted in self._models or wanted in self._imported.classes
        return wanted if is_known else None

    def find_in_package(self, package: str, name: str) -> ModelId | None:
        """The model of a Go type: `k8s.io/api/autoscaling/v1` and `Scale`."""
        definition = named_in_go(self._definitions, package, name)
        if definition is None:
            return imported_from_go(self._imported, package, name)
        return self._homes.model_id(definition) if self._is_model(definition) else None

    def find_class(self, module: str, name: str) -> ModelId | None:
        """The model that a Python class is: see `imported_class`."""
        return imported_class(self._imported, module, name)

    def described(self, model: ModelId) -> tuple[str, str]:
        """The description of a model as it is written, markers and all, and where it stands."""
        return self._descriptions.get(model, ""), self._sources.get(model, "")

    def list_item(self, model: ModelId) -> ModelId | None:
        """Return the model of the items of a list kind."""
        return self._models[model].item if model in self._models else None

    def has_object_metadata(self, model: ModelId) -> bool:
        """Return whether it has metadata as objects have: a name, a namespace, a version."""
        wanted = ModelType(ModelId(META_V1, "ObjectMeta"))
        fields = self._models[model].fields if model in self._models else ()
        return any(field.name == "metadata" and field.type == wanted for field in fields)

    def selectable_fields(self, kind: GroupVersionKind) -> tuple[str, ...]:
        """Return the paths by which objects of a kind can be selected, beside name and namespace.

        Definitions of custom resources state them. Kubernetes' own do not.
        """
        if self._selectable is None:
            schemas = [each.schema for each in self._definitions.values()]
            self._selectable = {
                gvk: paths for s in schemas if (paths := s.selectable_fields) for gvk in s.kinds
            }
        return self._selectable.get(kind) or SELECTABLE_FIELDS.get((kind.group, kind.kind), ())

    def _is_model(self, name: str) -> bool:
        if name in WELL_KNOWN or json_schema_union(name):
            return False
        schema = self._definitions[name].schema
        if schema.has_properties or schema.all_of:
            return True
        # `type: object` and nothing more, under a name of its own, is Go's `struct{}`.
        return schema.type == "object" and not is_free(schema)

    def _add_definition(self, name: str) -> None:
        definition = self._definitions[name]
        gvks = definition.schema.kinds
        model = self._homes.model_id(name)
        if definition.precedence is Precedence.STAND_IN:
            self.stand_ins.add(model)
        if gvks:
            self._kinds.add(model)
        self._add(
            model,
            definition.schema,
            definition.where,
            gvks[0] if len(gvks) == 1 else None,
            custom=is_custom(definition),
        )

    def _add(
        self,
        model: ModelId,
        schema: Schema,
        where: str,
        gvk: GroupVersionKind | None = None,
        *,
        custom: bool,
    ) -> None:
        first = self._sources.setdefault(model, where)
        if first != where:
            self._problems.add(
                where,
                f"becomes {model.name} of {model.group_version}, and so does {first}",
                "Rename one of the definitions.",
            )
            return
        self._descriptions[model] = schema.description
        description = self._described(model, schema, where, gvk, custom=custom)
        self._models[model] = in_words([description], model)

    def _nested(self, schema: Schema, where: str, owner: ModelId, name: str) -> ModelId:
        """An object described in place, under a name that only says where: `merge` names it."""
        path = (*self._paths.get(owner, (owner.name,)), name)
        model = ModelId(owner.group_version, repr(path))
        self._paths[model] = path
        self._sources[model] = where
        schema = with_metadata(schema, self._definitions)
        description = self._described(model, schema, where, None, custom=True)
        pinned = owner in self._kinds and name in _OWN_PARTS
        self._in_place[model] = InlineObject(description, path, pinned)
        return model

    def _described(
        self,
        model: ModelId,
        schema: Schema,
        where: str,
        gvk: GroupVersionKind | None,
        *,
        custom: bool,
    ) -> DescribedModel:
        stated, required = self._limits.taken_over(self._properties, schema, where)
        properties = {name: part for name, part in stated.items() if can_be_field(name)}
        for name in sorted(stated.keys() - properties.keys()):
            self.skipped.append(Skipped(where + pointer("properties", name)[1:], NO_FIELD))
        required_names = {
            n for n in required if not is_filled_in(properties.get(n, _EMPTY), custom=custom)
        }
        fields: list[Field] = []
        descriptions: dict[str, Description] = {}
        for name, part in sorted(properties.items()):
            place = where + pointer("properties", name)[1:]
            type_ = self._limits.written(self.type_of(part, place, model, name), place)
            # Null is what an optional field is without a value anyway.
            type_ = or_null(part, type_) if name in required_names else type_
            filled = custom and bool(part.default) and isinstance(type_, ListType | MapType)
            filled |= not custom and type_ is Scalar.INTEGER and reads_as_zero(model, name)
            partial = (model, name) in self._partial
            fields.append(
                Field(name, type_, name in required_names, has_default=filled, partial=partial)
            )
            descriptions[name] = _description(
                part, self._sentences(part, type_, place, custom=custom)
            )
        open_ended = is_free(schema) or len(properties) < len(stated)
        inlined = Model(model, tuple(fields), gvk, "", _item(fields), open_ended)
        return DescribedModel(inlined, _description(schema, of_object(schema)), descriptions)

    def _sentences(
        self, schema: Schema, type_: TypeRef, where: str, *, custom: bool
    ) -> Iterator[str]:
        """Yield the sentences about a property; the rules of an object stand at its own class."""
        own = isinstance(type_, ModelType) and self._sources.get(type_.model) == where
        return of_field(schema, custom=custom, whole=not own)

    def type_of(self, schema: Schema, where: str, owner: ModelId, name: str) -> TypeRef:
        """The type of a property.

        Args:
            schema: the property's schema.
            where: its place, for messages.
            owner: the model it belongs to; an object described in place is named after it.
            name: the property's name, for the same.
        """
        goes_on = self._limits.enter(where)
        field_type = self._type_of(schema, where, owner, name) if goes_on else Scalar.JSON
        self._limits.leave()
        return field_type

    def _type_of(self, schema: Schema, where: str, owner: ModelId, name: str) -> TypeRef:
        reference = schema.reference
        if reference:
            return self._referenced(reference, where, owner, name)
        kind = schema.type
        if kind == "array":
            return ListType(self._element(schema.items or _EMPTY, where + "/items", owner, name))
        if kind == "object" or schema.has_properties:
            return self._object(schema, where, owner, name)
        return scalar(schema)

    def _element(self, schema: Schema, where: str, owner: ModelId, name: str) -> TypeRef:
        """The type of what is in a list or a map, where null is a value like others."""
        return or_null(schema, self.type_of(schema, where, owner, name))

    def _referenced(self, name: str, where: str, owner: ModelId, field: str) -> TypeRef:
        if name in WELL_KNOWN:
            return WELL_KNOWN[name]
        union = json_schema_union(name)
        if union and union[0] in self._definitions:
            return self._union(*union)
        if self._is_model(name):
            return ModelType(self._homes.model_id(name))
        if name in self._open:  # a list of lists of itself and the like
            return Scalar.JSON
        self._open.add(name)
        model_type = self.type_of(self._definitions[name].schema, where, owner, field)
        self._open.remove(name)
        return model_type

    def _union(self, schema_name: str, other: str) -> UnionType:
        schema = ModelType(self._homes.model_id(schema_name))
        alternatives: Mapping[str, TypeRef] = {
            "boolean": Scalar.BOOLEAN,
            "schemas": ListType(schema),
            "strings": ListType(Scalar.STRING),
        }
        return UnionType((schema, alternatives[other]))

    def _object(self, schema: Schema, where: str, owner: ModelId, name: str) -> TypeRef:
        if is_any_object(schema):
            return Scalar.JSON
        if schema.has_properties:
            recognised = self._recognised(schema, where, owner, name)
            if recognised:
                return ModelType(recognised)
            return self._in_its_place(schema, where, owner, name)
        if schema.additional:
            place = where + "/additionalProperties"
            return MapType(self._element(schema.additional, place, owner, name))
        return Scalar.JSON

    def _in_its_place(self, schema: Schema, where: str, owner: ModelId, name: str) -> TypeRef:
        with self._limits.describing(schema, where) as may_be_one:
            if not may_be_one:
                return Scalar.JSON
            return ModelType(self._nested(schema, where, owner, name))

    def _recognised(self, schema: Schema, where: str, owner: ModelId, name: str) -> ModelId | None:
        """The known type that an object described in place is a copy of."""
        if owner in self._kinds and name in _OWN_PARTS:
            return None
        match = self._known_index.recognise(schema, name)
        if match and match.missing:
            self._older.append(OlderCopy(where, match.model, match.missing))
        if match and match.partial:
            self._partial.add((owner, name))
        return match.model if match else None

    def _target(self, name: str) -> TypeRef | None:
        """Return the target of a reference in a copy: a model, or one of Kubernetes' own values."""
        if name in WELL_KNOWN:
            return WELL_KNOWN[name]
        return ModelType(self._homes.model_id(name)) if self._is_model(name) else None


def _item(fields: Iterable[Field]) -> ModelId | None:
    """The items of a list kind: `items` beside a ListMeta."""
    by_name: dict[str, Any] = {field.name: field.type for field in fields}
    items, metadata = by_name.get("items"), by_name.get("metadata")
    if metadata != ModelType(ModelId(META_V1, "ListMeta")) or not isinstance(items, ListType):
        return None
    return items.item.model if isinstance(items.item, ModelType) else None


def _description(schema: Schema, sentences: Iterable[str]) -> Description:
    """Return the API's description of something, and the rules for it."""
    return Description(_description_of(schema), " ".join(sentences))


def _description_of(schema: Schema) -> str:
    return strip_markers(schema.description) if schema.description else ""
