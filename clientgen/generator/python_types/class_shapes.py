"""The shapes of the user's classes, of which manifests are generated.

Classes that no manifest can be named after (classes inside others, those of other libraries) are
objects with any keys.
"""

from __future__ import annotations

import re
import types
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from clientgen._gvk import GroupVersion, GroupVersionKind
from clientgen.generator.ir import (
    META_V1,
    EnumType,
    Field,
    Imported,
    ListType,
    MapType,
    Model,
    ModelId,
    ModelType,
    PythonAttribute,
    PythonClass,
    Scalar,
    TypeRef,
    UnionType,
)
from clientgen.generator.python_types.class_records import ApiKind, TypeClass, TypeField, TypeModule
from clientgen.generator.python_types.field_annotations import unalias
from clientgen.generator.sources.used_packages import shared_types
from clientgen.runtime._models import model as runtime_model
from clientgen.runtime._models.base import ModelMeta
from clientgen.runtime._models.meta_v1 import ModelList
from clientgen.runtime._models.model import Raw
from clientgen.runtime._models.quantity import Quantity

_SCALARS: Mapping[Any, Scalar] = {
    str: Scalar.STRING,
    int: Scalar.INTEGER,
    float: Scalar.NUMBER,
    bool: Scalar.BOOLEAN,
    bytes: Scalar.BYTES,
    datetime: Scalar.TIME,
    Quantity: Scalar.QUANTITY,
    Raw: Scalar.JSON,
    type(None): Scalar.NULL,
}
_ANY_OBJECT = MapType(Scalar.JSON)
_META_MODULE = "clientgen.runtime._models.meta_v1"
_part_of_models = re.compile(r"(.*\.models)_\d+").fullmatch


def shapes_of(
    modules: Iterable[TypeModule], kinds: Iterable[ApiKind], imported: Imported
) -> tuple[Model, ...]:
    """The shapes of the classes of some modules, by the models that they are.

    Args:
        modules: the modules of the user.
        kinds: the kinds among their classes.
        imported: every class that exists already, those of other packages included.
    """
    reader = _Reader(imported)
    gvks = {ModelId(kind.group_version, kind.kind): kind.gvk for kind in kinds}
    classes = {PythonClass(m.name, type_.name): type_ for m in modules for type_ in m.classes}
    return tuple(
        reader.shape(model, classes[cls], gvks.get(model))
        for model, cls in sorted(imported.classes.items())
        if cls in classes and not issubclass(classes[cls].cls, ModelList)
    )


class _Reader:
    """Reads annotations of fields."""

    def __init__(self, imported: Imported) -> None:
        self._models: dict[PythonClass, list[ModelId]] = {}
        for model, cls in sorted(imported.classes.items()):
            self._models.setdefault(cls, []).append(model)

    def shape(self, model: ModelId, type_: TypeClass, gvk: GroupVersionKind | None) -> Model:
        fields = [self._field(field, model.group_version) for field in type_.fields]
        return Model(model, tuple(fields), gvk, open_ended=type_.cls.__open_ended__)

    def _field(self, field: TypeField, home: GroupVersion) -> Field:
        nullable = _is_nullable(field.annotation)
        attribute = PythonAttribute(field.attribute, nullable, self._has_names(field.annotation))
        type_ = self._type(field.annotation, home)
        return Field(field.wire_name, type_, description=field.docstring, attribute=attribute)

    def _type(self, annotation: Any, home: GroupVersion) -> TypeRef:
        annotation = unalias(annotation)
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            is_micro = runtime_model.MICRO in arguments
            return Scalar.MICRO_TIME if is_micro else self._type(arguments[0], home)
        if origin is Literal:
            texts = all(isinstance(value, str) for value in arguments)
            return EnumType(tuple(arguments)) if texts else Scalar.INTEGER
        if origin is list and arguments:
            return ListType(self._type(arguments[0], home))
        if origin is dict and arguments:
            return MapType(self._type(arguments[-1], home))
        if origin in {Union, types.UnionType}:
            return self._union(arguments, home)
        return self._named(annotation, home)

    def _union(self, arguments: Iterable[Any], home: GroupVersion) -> TypeRef:
        members = tuple(self._members(arguments, home))
        if any(isinstance(member, EnumType) for member in members):  # it may be any string
            members = tuple(member for member in members if member is not Scalar.STRING)
        return members[0] if len(members) == 1 else UnionType(members)

    def _members(self, arguments: Iterable[Any], home: GroupVersion) -> Iterator[TypeRef]:
        """Yield all but null, which any value of a manifest may be."""
        for argument in arguments:
            if argument is not type(None):
                yield self._type(argument, home)

    def _named(self, annotation: Any, home: GroupVersion) -> TypeRef:
        if annotation in _SCALARS:
            return _SCALARS[annotation]
        return self._model(annotation, home) or _ANY_OBJECT

    def _model(self, annotation: Any, home: GroupVersion) -> ModelType | None:
        """The model that a class is, if a module can import it by a name."""
        module, name = getattr(annotation, "__module__", ""), getattr(annotation, "__name__", "")
        if module == _META_MODULE and ModelId(META_V1, name) in shared_types():
            return ModelType(ModelId(META_V1, name))
        part = _part_of_models(module)
        models = self._models.get(PythonClass(part[1] if part else module, name))
        if not models:
            return None
        same_home = [model for model in models if model.group_version == home]
        return ModelType((same_home or models)[0])

    def _has_names(self, annotation: Any) -> bool:
        """Return whether a module can import every class that a type names."""
        annotation = unalias(annotation)
        if isinstance(annotation, ModelMeta):
            return self._model(annotation, META_V1) is not None
        return all(map(self._has_names, get_args(annotation)))


def _is_nullable(annotation: Any) -> bool:
    annotation = unalias(annotation)
    if get_origin(annotation) is Annotated:
        return _is_nullable(get_args(annotation)[0])
    return type(None) in get_args(annotation)
