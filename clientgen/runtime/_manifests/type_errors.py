"""Finds mistakes in manifests: values that do not have the type of their field.

Data from a server is never refused (`lenient_decoder`). Manifests are written by people, so this
module reports every mistake.
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

FieldPath: TypeAlias = tuple[str | int, ...]
"""The keys and indices that lead to a value in an object."""


class TypeMismatch(Struct, frozen=True):
    """A mistake and its path. `str` shows both: `spec.replicas: ...`."""

    path: FieldPath
    what: str

    def __str__(self) -> str:
        return f"{path_text(self.path)}: {self.what}" if self.path else self.what


def type_mismatches(
    value: Mapping[str, Any], model: type[Model], *, strict: bool, partial: bool = False
) -> Iterator[TypeMismatch]:
    """Yield the mismatches of an object with its class, in the object's order.

    Args:
        value: the object as JSON.
        model: the class of the object.
        strict: whether unknown fields and missing required fields are mistakes.
        partial: whether required fields may be missing, even if `strict`.
    """
    yield from _Checker(strict, partial=partial).type_mismatches(value, model, ())


def path_text(path: FieldPath) -> str:
    """Return a path in Kubernetes' notation: `spec.containers[0].image`, `metadata.labels[app]`."""
    text = ""
    for step in path:
        plain = isinstance(step, str) and step.isidentifier()
        text += f".{step}" if plain else f"[{step}]"
    return text.removeprefix(".")


class _Checker:
    """Compares values with types. Values that the strict decoder accepts have no mistakes."""

    def __init__(self, strict: bool, *, partial: bool = False) -> None:
        self._strict = strict
        self._partial = partial

    def type_mismatches(
        self, value: object, annotation: Any, path: FieldPath
    ) -> Iterator[TypeMismatch]:
        """Yield the mismatches in a value, at the innermost values that do not fit."""
        if value is None:
            return
        try:
            decoder_of(annotation).decode(msgspec.json.encode(value))
        except msgspec.ValidationError as error:
            kind = _expected_type(annotation, value)
            if _json_type(kind) is not value.__class__ or not isinstance(value, (dict, list)):
                yield TypeMismatch(path, _reason(error, value))
                return
            members = cast("dict[str, Any] | list[Any]", value)
            if isinstance(kind, ModelMeta) and isinstance(members, dict):
                yield from self._check_model(members, cast("type[Model]", kind), path)
            else:
                yield from self._check_container(members, kind, path)
                yield from _check_limits(members, annotation, path)

    def _check_model(
        self, value: dict[str, object], model: type[Model], path: FieldPath
    ) -> Iterator[TypeMismatch]:
        fields = fields_of(model)
        for name, inner in value.items():
            if name in fields:
                field = fields[name]
                checker = self._partial_checker if field.name in model.__partial__ else self
                yield from checker.type_mismatches(inner, field.type, (*path, name))
            elif self._strict and not model.__open_ended__:
                near = get_close_matches(name, fields, 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                message = f"{model.__name__} has no such field{hint}"
                yield TypeMismatch((*path, name), message)
        if self._strict and not self._partial:
            missing = [f.wire for f in fields.values() if f.required and f.wire not in value]
            for name in missing:
                yield TypeMismatch((*path, name), "the required field is missing")

    @property
    def _partial_checker(self) -> _Checker:
        """The checker for partial objects, which may lack required fields."""
        return _Checker(self._strict, partial=True)

    def _check_container(
        self, value: dict[str, Any] | list[Any], kind: Any, path: FieldPath
    ) -> Iterator[TypeMismatch]:
        """Yield the mismatches of the values in a list or map. Null is never a mismatch."""
        inner = get_args(kind)[-1]
        steps = value.items() if isinstance(value, dict) else enumerate(value)
        for step, item in steps:
            yield from self.type_mismatches(item, inner, (*path, step))


def _check_limits(
    value: dict[str, Any] | list[Any], annotation: Any, path: FieldPath
) -> Iterator[TypeMismatch]:
    """Yield a mismatch if a list or map has too many or too few entries."""
    metas = (m for m in get_args(annotation)[1:] if isinstance(m, msgspec.Meta))
    kind = dict[str, Any] if isinstance(value, dict) else list[Any]
    for meta in metas if get_origin(annotation) is Annotated else ():
        try:
            msgspec.convert(value, Annotated[kind, meta])
        except msgspec.ValidationError as error:
            yield TypeMismatch(path, _reason(error, value))


def _expected_type(annotation: Any, value: object) -> Any:
    """Return the expected type: for a union, the member with the same JSON type as the value."""
    plain = bare(annotation)
    if not isinstance(plain, types.UnionType) and get_origin(plain) is not Union:
        return plain
    of_value: object = value.__class__
    members = [
        _expected_type(member, value) for member in get_args(plain) if member is not type(None)
    ]
    return next((member for member in members if _json_type(member) is of_value), members[0])


def _json_type(kind: Any) -> Any:
    if isinstance(kind, ModelMeta):
        return dict
    return get_origin(kind) or kind


def _reason(error: Exception, value: object) -> str:
    """Return msgspec's message about the expected type. It never contains the value."""
    message = str(error).partition(" - at `")[0]
    message = message[:1].lower() + message[1:]
    expected = message.removeprefix("expected `").partition("`")[0].split(" | ")
    if "str" in expected and not isinstance(value, (str, dict, list)):
        return f"{message}; write it in quotes"
    return message
