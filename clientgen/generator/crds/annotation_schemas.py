r"""The schemas of Python annotations in a CustomResourceDefinition, before markers apply.

| Python | schema |
|---|---|
| `str`, `bool`, `float` | string, boolean, number |
| `int` | integer, int64 |
| `bytes` | string, byte (base64) |
| `Time`, `MicroTime` | string, date-time |
| `Quantity`, `IntOrString` | int-or-string; of quantities with their pattern |
| `Literal["a", "b"]` | one of these; an open `Literal["a", "b"] \| str` is any string |
| `list[T]`, `dict[str, T]`, a model | array, object with any names, object |
| `Raw`, `Any` | anything; kept as it is |
| `T \| None` | as `T`: that a field may be absent is not part of its type |
"""

from __future__ import annotations

import types
from copy import deepcopy
from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Final, Literal, TypeAlias, Union, get_args, get_origin

import msgspec

from clientgen.generator.python_types.field_annotations import unalias
from clientgen.runtime._models.model import Model
from clientgen.runtime._models.quantity import Quantity

Schema: TypeAlias = dict[str, Any]

ANYTHING: Final = "x-kubernetes-preserve-unknown-fields"
INT_OR_STRING: Final = "x-kubernetes-int-or-string"
# The quantities that Kubernetes accepts: a decimal number with a suffix or an exponent.
_DIGITS: Final = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
_QUANTITY: Final = rf"^(\+|-)?{_DIGITS}(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?{_DIGITS}))?$"


class UnsupportedTypeError(Exception):
    """A type a CustomResourceDefinition has no words for; what is wrong, and what to write."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


def _int_or_string() -> Schema:
    return {"anyOf": [{"type": "integer"}, {"type": "string"}], INT_OR_STRING: True}


_SCALARS: Final[dict[Any, Schema]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer", "format": "int64"},
    float: {"type": "number"},
    bytes: {"type": "string", "format": "byte"},
    datetime: {"type": "string", "format": "date-time"},
    Quantity: {**_int_or_string(), "pattern": _QUANTITY},
    msgspec.Raw: {ANYTHING: True},
    Any: {ANYTHING: True},
    object: {ANYTHING: True},
}


def plain(annotation: Any) -> Any:
    """The type inside `Annotated`, without `| None`, and without the `Annotated` in that."""
    while True:
        annotation = unalias(annotation)
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        else:
            members = union(annotation)
            if len(members) != 1 or members[0] is annotation:
                return annotation
            annotation = members[0]


def metas(annotation: Any) -> tuple[msgspec.Meta, ...]:
    """List the metadata that `Annotated` attaches to a value, outermost last; not to its items."""
    annotation = unalias(annotation)
    if get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        return (*metas(inner), *(entry for entry in metadata if isinstance(entry, msgspec.Meta)))
    members = union(annotation)
    return metas(members[0]) if len(members) == 1 and members[0] is not annotation else ()


def union(annotation: Any) -> tuple[Any, ...]:
    """The alternatives but None; the annotation itself where there are none to choose from."""
    annotation = unalias(annotation)
    if get_origin(annotation) not in (Union, types.UnionType):
        return (annotation,)
    return tuple(member for member in get_args(annotation) if member is not type(None))


def allows_none(annotation: Any) -> bool:
    """Return whether None is one of the alternatives."""
    annotation = unalias(annotation)
    if get_origin(annotation) is Annotated:
        return allows_none(get_args(annotation)[0])
    is_union = get_origin(annotation) in (Union, types.UnionType)
    return is_union and type(None) in get_args(annotation)


def scalar(annotation: Any) -> Schema | None:
    """The schema of a plain annotation that holds no other; None if it is a list, map or model.

    Raises:
        UnsupportedTypeError: there is no such schema.
    """
    members = union(annotation)
    if len(members) > 1:
        return _either([plain(member) for member in members])
    if get_origin(annotation) is Literal:
        return _choice(get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _choice([member.value for member in annotation])
    if _is_container(annotation):
        return None
    schema = _SCALARS.get(annotation)
    if schema is None:
        supported = "str, int, float, bool, bytes, Time, MicroTime, Quantity, IntOrString, Raw, Any"
        hint = f"write a model, a list, a dict, a Literal, or one of {supported}"
        raise UnsupportedTypeError(f"`{named(annotation)}` has no schema", hint)
    return deepcopy(schema)


def _is_container(annotation: Any) -> bool:
    kind = get_origin(annotation) or annotation
    return kind in (list, dict) or (isinstance(kind, type) and issubclass(kind, Model))


def _choice(values: Any) -> Schema:
    listed = list(dict.fromkeys(values))
    kinds: set[Any] = set(map(type, listed))
    if kinds == {str}:
        return {"type": "string", "enum": listed}
    if kinds == {int}:
        return {"type": "integer", "format": "int64", "enum": listed}
    what = "its values must be all strings or all integers"
    raise UnsupportedTypeError(what, "use one type for all of them")


def _either(members: list[Any]) -> Schema:
    """Return the schema that several types have in common."""
    open_ended = [_open(member, members) for member in members]
    kinds: tuple[Any, ...] = tuple(dict.fromkeys(open_ended))
    if Any in kinds or msgspec.Raw in kinds or object in kinds:
        return {ANYTHING: True}
    if len(kinds) == 1:
        return scalar(open_ended[0]) or {}
    if int in kinds and all(map(_is_number_or_text, kinds)):
        return _int_or_string()
    if set(kinds) == {int, float}:
        return dict(_SCALARS[float])
    if Quantity in kinds and all(kind in (Quantity, str, int, float) for kind in kinds):
        return deepcopy(_SCALARS[Quantity])
    if all(get_origin(kind) is Literal for kind in kinds):
        return _choice([value for choice in open_ended for value in get_args(choice)])
    shown = " | ".join(named(member) for member in members)
    hint = "write one type; `int | str` is the only choice an API has; `Raw` takes anything"
    raise UnsupportedTypeError(f"`{shown}` has no schema", hint)


def _open(member: Any, members: list[Any]) -> Any:
    """An enumeration is open if its type stands beside it."""
    values = get_args(member) if get_origin(member) is Literal else ()
    kinds: set[Any] = set(map(type, values))
    return kinds.pop() if len(kinds) == 1 and kinds <= set(members) else member


def _is_number_or_text(kind: Any) -> bool:
    return kind in (int, str) or (
        get_origin(kind) is Literal and all(isinstance(member, str) for member in get_args(kind))
    )


def named(annotation: Any) -> str:
    """An annotation as its author would write it."""
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation.__qualname__
    return str(annotation).replace("typing.", "")
