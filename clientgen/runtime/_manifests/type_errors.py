"""Mistakes in manifests: values that do not have the type of their field.

Data from a server is always read (`lenient_decoder`). Manifests are written by people, so they are
checked, and every mistake is reported.
"""

from __future__ import annotations

import types
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, Union, cast, get_args, get_origin

import msgspec
from msgspec import Struct

from .._models.base import ModelMeta
from .._models.lenient_decoder import decoder_of
from .._models.model_info import bare, fields_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .._models.model import Model

__all__ = ["FieldPath", "TypeMismatch", "shown", "type_mismatches"]

FieldPath: TypeAlias = tuple[str | int, ...]
"""Keys and indices that lead to something in an object."""


class TypeMismatch(Struct, frozen=True):
    """Something that is wrong, and the way to it; as text: `spec.replicas: ...`."""

    path: FieldPath
    what: str

    def __str__(self) -> str:
        return f"{shown(self.path)}: {self.what}" if self.path else self.what


def type_mismatches(
    value: Mapping[str, Any], model: type[Model], *, strict: bool, partial: bool = False
) -> Iterator[TypeMismatch]:
    """Yield the mismatches of an object with its class, in the object's order.

    Args:
        value: the object as JSON.
        model: its class.
        strict: whether unknown fields are wrong, and required ones that are missing.
        partial: whether required fields may be missing nevertheless.
    """
    yield from _Checker(strict, partial=partial).type_mismatches(value, model, ())


def shown(path: FieldPath) -> str:
    """A path as Kubernetes writes it: `spec.containers[0].image`, `metadata.labels[app]`."""
    text = ""
    for step in path:
        plain = isinstance(step, str) and step.isidentifier()
        text += f".{step}" if plain else f"[{step}]"
    return text.removeprefix(".")


class _Checker:
    def __init__(self, strict: bool, *, partial: bool = False) -> None:
        self._strict = strict
        self._partial = partial

    def type_mismatches(
        self, value: object, annotation: Any, path: FieldPath
    ) -> Iterator[TypeMismatch]:
        """Go into what does not fit, to what is wrong in it."""
        if value is None:
            return
        try:
            decoder_of(annotation).decode(msgspec.json.encode(value))
        except msgspec.ValidationError as error:
            kind = _alternative(annotation, value)
            if _json_type(kind) is not value.__class__ or not isinstance(value, (dict, list)):
                yield TypeMismatch(path, _why(error, value))
                return
            members = cast("dict[str, Any] | list[Any]", value)
            if isinstance(kind, ModelMeta) and isinstance(members, dict):
                yield from self._in_model(members, cast("type[Model]", kind), path)
            else:
                yield from self._in_container(members, kind, path)
                yield from _limits(members, annotation, path)

    def _in_model(
        self, value: dict[str, object], model: type[Model], path: FieldPath
    ) -> Iterator[TypeMismatch]:
        fields = fields_of(model)
        for name, inner in value.items():
            if name in fields:
                field = fields[name]
                fitting = self._in_partial if field.name in model.__partial__ else self
                yield from fitting.type_mismatches(inner, field.type, (*path, name))
            elif self._strict and not model.__open_ended__:
                near = get_close_matches(name, fields, 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                what = f"there is no such field in {model.__name__}{hint}"
                yield TypeMismatch((*path, name), what)
        if self._strict and not self._partial:
            missing = [f.wire for f in fields.values() if f.required and f.wire not in value]
            for name in missing:
                yield TypeMismatch((*path, name), "it is required, and missing")

    @property
    def _in_partial(self) -> _Checker:
        """The same where what classes require may be missing."""
        return _Checker(self._strict, partial=True)

    def _in_container(
        self, value: dict[str, Any] | list[Any], kind: Any, path: FieldPath
    ) -> Iterator[TypeMismatch]:
        """Go through what is in a list or map; null is what is absent, and need not fit."""
        inner = get_args(kind)[-1]
        steps = value.items() if isinstance(value, dict) else enumerate(value)
        for step, item in steps:
            yield from self.type_mismatches(item, inner, (*path, step))


def _limits(
    value: dict[str, Any] | list[Any], annotation: Any, path: FieldPath
) -> Iterator[TypeMismatch]:
    """Say if a list or map is too long or too short, whatever is in it."""
    metas = (m for m in get_args(annotation)[1:] if isinstance(m, msgspec.Meta))
    kind = dict[str, Any] if isinstance(value, dict) else list[Any]
    for meta in metas if get_origin(annotation) is Annotated else ():
        try:
            msgspec.convert(value, Annotated[kind, meta])
        except msgspec.ValidationError as error:
            yield TypeMismatch(path, _why(error, value))


def _alternative(annotation: Any, value: object) -> Any:
    """The type that a value is meant to be of: of a union, the one JSON calls the same."""
    plain = bare(annotation)
    if not isinstance(plain, types.UnionType) and get_origin(plain) is not Union:
        return plain
    of_value: object = value.__class__
    members = [
        _alternative(member, value) for member in get_args(plain) if member is not type(None)
    ]
    return next((member for member in members if _json_type(member) is of_value), members[0])


def _json_type(kind: Any) -> Any:
    if isinstance(kind, ModelMeta):
        return dict
    return get_origin(kind) or kind


def _why(error: Exception, value: object) -> str:
    """Say what was expected in msgspec's words, which never show the value."""
    what = str(error).partition(" - at `")[0]
    what = what[:1].lower() + what[1:]
    expected = what.removeprefix("expected `").partition("`")[0].split(" | ")
    if "str" in expected and not isinstance(value, (str, dict, list)):
        return f"{what}; write it in quotes"
    return what
