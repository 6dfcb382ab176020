"""Signatures of models as people read them."""

from __future__ import annotations

from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

if TYPE_CHECKING:
    from inspect import Parameter, Signature

__all__ = ["readable"]


class _Words(str):
    """An annotation as text, which is shown without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def readable(signature: Signature) -> Signature:
    """Return a signature with short annotations: `list[Container]`, without modules and limits.

    Names, kinds and defaults of the parameters stay.
    """
    parameters = signature.parameters.values()
    return signature.replace(parameters=[_readable(each) for each in parameters])


def _readable(parameter: Parameter) -> Parameter:
    return parameter.replace(annotation=_Words(_words(parameter.annotation)))


def _words(annotation: Any) -> str:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _words(inner[0])
    if origin is Union or origin is UnionType:
        return " | ".join(_words(each) for each in inner)
    if annotation is type(None):
        return "None"
    name = getattr(origin or annotation, "__name__", None) or str(annotation)
    return f"{name}[{', '.join(map(_words, inner))}]" if inner else name
