"""Checks that msgspec can decode a model, also with values that newer servers add.

msgspec checks a class when it decodes the first answer: in a running controller, that is too late.
So this module tries it.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

import msgspec

from clientgen.generator.python_types.field_annotations import models_in, unalias
from clientgen.runtime._models.empties import as_declared
from clientgen.runtime._models.encoder import encode
from clientgen.runtime._models.lenient_decoder import decoder_of
from clientgen.runtime._models.model import Model, Raw
from clientgen.runtime._models.model_info import fields_of
from clientgen.runtime._models.variants import Auto

_UNIONS = (Union, types.UnionType)
_STRICT = (
    "cannot read values that a later version adds: its Literal is from `typing`",
    "import `Literal` from clientgen.runtime.models; type checkers treat it the same",
)


def undecodable(cls: type[Model]) -> Iterator[tuple[str, str, str]]:
    """Yield the problems of the fields of a class.

    Args:
        cls: a class whose annotations are all known to be types of an API.

    Yields:
        The attribute ("" for the whole class), what is wrong with it, and what to write.
    """
    try:
        fields = msgspec.structs.fields(cls)
    except Exception as error:  # noqa: BLE001 - evaluates what the user wrote
        hint = "define the classes that it uses at the top level of the module"
        yield "", f"cannot be decoded: {_error_text(error)}", hint
        return
    if cls.__struct_config__.array_like or cls.__struct_config__.tag:
        hint = "leave `array_like` and `tag` out: API objects are plain JSON objects"
        yield "", "is no object of an API on the wire", hint
    for field in fields:
        refused = _refused_field(field, as_declared(field.type))
        if refused:
            yield field.name, *refused


def _refused_field(field: msgspec.structs.FieldInfo, annotation: Any) -> tuple[str, str] | None:
    if _is_strict(annotation):
        return _STRICT
    refused = _refusal(annotation)
    if refused:
        hint = "put `Annotated` directly around the type that it describes"
        return f"cannot be decoded: {refused}", hint
    if field.default is not msgspec.NODEFAULT:
        return _refused_default(lambda: field.default, annotation)
    if field.default_factory is not msgspec.NODEFAULT:
        make = cast("Callable[[], object]", field.default_factory)
        return _refused_default(make, annotation) or _refused_auto(field, make)
    return None


def _refused_auto(field: msgspec.structs.FieldInfo, make: object) -> tuple[str, str] | None:
    """Check that an object with `auto` can be empty: return the problem and a hint, or None.

    A status may: only controllers write it, and until then it reads as zero.
    """
    if not isinstance(make, Auto) or field.encode_name == "status":
        return None
    name = make.model.__name__
    needed = [field.name for field in fields_of(make.model).values() if field.required]
    if not needed:
        return None
    what = f"is made by `auto({name})`, but there is no {name} without `{'`, `'.join(needed)}`"
    return what, f"write `{field.name}: {name}`, which requires a value when the object is created"


def _refused_default(make: Callable[[], object], annotation: Any) -> tuple[str, str] | None:
    """Return the problem of a field's default value and a hint; None if it is right."""
    if isinstance(make, Auto):
        if make.model in models_in(annotation):
            return None
        name = make.model.__name__
        return (
            f"is made by `auto({name})`, which is not its type",
            "write `auto` with the class of the field",
        )
    value = make()  # one that raises was told
    if isinstance(value, Raw) and not bytes(value):
        return None
    wrong = _not_of(annotation, value)
    if wrong:
        hint = "write a value of its type, or `| None = None`"
        return f"has a default that is not of its type: {wrong}", hint
    if encode(value) != encode(make()):
        hint = "write `| None = None`, and set the value where you create objects"
        return "has a default that changes with each call, which a server cannot fill in", hint
    return None


def _not_of(annotation: Any, value: object) -> str:
    try:
        decoder_of(annotation).decode(encode(value))
    except (ValueError, TypeError) as error:
        return str(error).partition("\n")[0]
    return ""


def _is_strict(annotation: Any) -> bool:
    """Return whether a Literal of typing stands there, without `| str` or `| int` beside it."""
    annotation = unalias(annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in _UNIONS and (str in arguments or int in arguments):
        return False
    return origin is Literal or any(map(_is_strict, arguments))


def _refusal(annotation: Any) -> str:
    try:
        msgspec.json.Decoder(_outline(annotation))
    except Exception as error:  # noqa: BLE001 - of any constraint that does not fit
        return _error_text(error)
    return ""


def _outline(annotation: Any) -> Any:
    """An annotation without the models in it, whose own fields are looked at by themselves."""
    annotation = unalias(annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if isinstance(origin or annotation, type) and issubclass(origin or annotation, Model):
        return dict
    if origin is Annotated:
        return Annotated[(_outline(arguments[0]), *arguments[1:])]
    if origin is Literal or not arguments:
        return annotation
    inside = tuple(map(_outline, arguments))
    return Union[inside] if origin in _UNIONS else origin[inside]  # noqa: UP007 - of a tuple


def _error_text(error: Exception) -> str:
    """Return the message of an error without its type, which the line shows, and without advice."""
    return str(error).partition("\n")[0].partition(" - type `")[0].partition(". ")[0]
