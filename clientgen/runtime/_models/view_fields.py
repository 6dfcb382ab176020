"""Completes the fields of views from their models, and checks them."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any, ClassVar, Final, Union, cast, get_args, get_origin
from typing import get_type_hints as evaluated_hints

import msgspec

from .argument_errors import field_hint
from .base import ModelBase, ModelMeta
from .class_annotations import declared_annotations
from .model_info import Field, bare, fields_of, viewed_model
from .variants import Auto, optional_field

if TYPE_CHECKING:
    from types import FrameType

_MISFIT: Final = object()


def add_fields(
    name: str, model: type[ModelBase], namespace: dict[str, Any], frame: FrameType
) -> None:
    """Complete the declarations in the body of a view with the names and defaults of the model.

    Args:
        name: The name of the view.
        model: The model.
        namespace: The body of the class; it is modified.
        frame: The frame of the class statement. Annotations name what is defined there.

    Raises:
        TypeError: The model lacks a field, or a type or default is not that of the model.
    """
    types_, known = _declared_types(name, namespace, frame), _fields_by_name(model)
    for attribute, annotation in types_.items():
        if get_origin(annotation) is ClassVar or annotation is ClassVar:
            continue
        wanted = known.get(attribute)
        where = f"{name}.{attribute}"
        if wanted is None:
            hint = field_hint(model, attribute)
            raise TypeError(f"{where}: {model.__name__} has no field {attribute!r}{hint}")
        kind = _fitted(annotation, wanted.type)
        if kind is _MISFIT:
            raise TypeError(f"{where} {_misfit(annotation, wanted, model)}")
        types_[attribute] = kind
        default = _default(model, wanted, kind)
        if attribute in namespace:
            _check_default(where, namespace[attribute], default)
        namespace[attribute] = default
    namespace["__annotations__"] = types_


def _declared_types(name: str, namespace: dict[str, Any], frame: FrameType) -> dict[str, Any]:
    """Return the evaluated annotations of a class body.

    Raises:
        TypeError: An annotation names what is not defined.
    """

    def holder() -> None: ...

    holder.__annotations__ = declared_annotations(namespace)
    known = {**frame.f_locals, **namespace}
    try:
        return evaluated_hints(holder, frame.f_globals, known, include_extras=True)
    except NameError as error:
        raise TypeError(
            f"{name}: {error}: a view needs the types of its fields at run time. Define parts"
            " before the views that use them, and import types outside of `if TYPE_CHECKING`"
        ) from None


def _fields_by_name(model: type[ModelBase]) -> dict[str, Field]:
    return {field.name: field for field in fields_of(model).values()}


def _fitted(given: Any, wanted: Any) -> Any:
    """Return the type of a model's field with the parts that a view names in it.

    Returns `_MISFIT` if the view names another type. What `Annotated` adds is taken from the model.
    """
    given, plain = bare(given), bare(wanted)
    if isinstance(given, ModelMeta) and viewed_model(cast("type", given)) is plain:
        return given
    if given == plain:
        return wanted
    members, others = get_args(given), [*get_args(plain)]
    if _shape(given) is not _shape(plain) or len(members) != len(others) or not members:
        return _MISFIT
    if _shape(plain) is not Union:
        fitted = [*map(_fitted, members, others)]
        return _MISFIT if _MISFIT in fitted else get_origin(plain)[tuple(fitted)]
    for member in members:
        found = [
            (i, fit) for i, o in enumerate(others) if (fit := _fitted(member, o)) is not _MISFIT
        ]
        if not found:
            return _MISFIT
        others[found[0][0]] = found[0][1]
    return Union[tuple(others)]  # noqa: UP007 - made at run time


def _shape(annotation: Any) -> Any:
    origin = get_origin(annotation)
    return Union if origin is types.UnionType else origin


def _default(model: type[ModelBase], wanted: Field, kind: Any) -> Any:
    """Declare a field with the value that the model has if the server did not send it."""
    field = Field(wanted.name, wanted.wire, kind, wanted.required, ())
    if wanted.required:
        return optional_field(field)
    (info,) = (each for each in msgspec.structs.fields(model) if each.name == wanted.name)
    if info.default_factory is msgspec.NODEFAULT:
        return msgspec.field(default=info.default, name=wanted.wire)
    if isinstance(info.default_factory, Auto):
        return optional_field(field)
    return msgspec.field(default_factory=info.default_factory, name=wanted.wire)


def _check_default(where: str, given: Any, default: Any) -> None:
    """Check that a field in the body of a view has no default of its own.

    Raises:
        TypeError: It has.
    """
    nothing = msgspec.NODEFAULT
    factory = getattr(given, "default_factory", nothing)
    value = getattr(given, "default", given)
    name = getattr(given, "name", None)
    if name is not None and name != default.name:
        raise TypeError(f"{where} is called {default.name!r} on the wire, not {name!r}")
    is_other = value is not nothing and (
        (default.default is nothing and value not in ([], {})) or value != default.default
    )
    if is_other or (factory is not nothing and default.default_factory is nothing):
        raise TypeError(
            f"{where} has a default of its own: a field that the server did not send has the value"
            " that the model gives it. Leave the default out"
        )


def _misfit(given: Any, wanted: Field, model: type[ModelBase]) -> str:
    from .signatures import type_text  # imported late: only messages need it

    right = type_text(wanted.type)
    parts = [each.__name__ for each in wanted.models]
    hint = f", or a class PartOf[{parts[0]}] in place of {parts[0]}" if parts else ""
    return (
        f"is declared as {type_text(given)}, but {model.__name__}.{wanted.name} is {right}:"
        f" write `{wanted.name}: {right}`{hint}"
    )
