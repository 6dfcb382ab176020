"""Readable signatures of models: short types, and a line for each field."""

from __future__ import annotations

from inspect import Signature
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Union, get_args, get_origin

from msgspec import Struct

from .shared_texts import unsharing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from inspect import Parameter

_MAX_LINE_CHARS: Final = 80


class _ShownText(str):
    """The text of an annotation or a default. Signatures show it without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class _ModelSignature(Signature):
    """A signature that prints a line for each parameter, unless all parameters fit into one."""

    __slots__ = ()

    def __str__(self) -> str:
        line = super().__str__()
        if len(line) <= _MAX_LINE_CHARS:
            return line
        fields = "".join(f"    {each},\n" for each in self.parameters.values())
        return f"(\n    *,\n{fields})"


def short_signature(signature: Signature, constants: Mapping[str, object]) -> Signature:
    """Return the signature of a model with short annotations: `list[Container]`, without modules.

    Defaults from a factory are shown as their value: `[]`, `ObjectMeta()`. Names, kinds and other
    defaults of the parameters do not change.

    Args:
        signature: the signature from msgspec. All its parameters are keyword-only.
        constants: the values of constant fields, by name.
    """
    parameters = signature.parameters.values()
    return _ModelSignature([_short_parameter(each, constants) for each in parameters])


def _short_parameter(parameter: Parameter, constants: Mapping[str, object]) -> Parameter:
    return parameter.replace(
        annotation=_ShownText(type_text(parameter.annotation)),
        default=_readable_default(parameter, constants),
    )


def _readable_default(parameter: Parameter, constants: Mapping[str, object]) -> object:
    if parameter.name in constants:
        return constants[parameter.name]
    factory = getattr(parameter.default, "factory", None)
    if isinstance(factory, type):
        if issubclass(factory, list):
            return _ShownText("[]")
        if issubclass(factory, dict):
            return _ShownText("{}")
    model = _without_annotated(parameter.annotation)
    if factory is not None and isinstance(model, type) and issubclass(model, Struct):
        return _ShownText(f"{model.__name__}()")
    return parameter.default


def type_text(annotation: Any) -> str:
    """Return the text of an annotation with short names: `list[Container]`."""
    annotation = unsharing(_without_annotated(annotation))
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Union or origin is UnionType:
        return " | ".join(map(type_text, inner))
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, inner))}]"
    if annotation is type(None):
        return "None"
    name = getattr(origin or annotation, "__name__", None) or str(annotation)
    return f"{name}[{', '.join(map(type_text, inner))}]" if inner else name


def _without_annotated(annotation: Any) -> Any:
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
