"""Where a value out of a manifest is not as its class says.

What a server sends is read whatever it is (`lenient`); what people write is held against the class,
and everything that is wrong with it is told.
"""

from __future__ import annotations

import types
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeAlias, Union, cast, get_args, get_origin

import msgspec
from msgspec import Struct

from .lenient import decoder_of
from .model import ModelMeta
from .shapes import bare, fields_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .model import Model

__all__ = ["FieldPath", "Misfit", "misfits", "shown"]

FieldPath: TypeAlias = tuple[str | int, ...]
"""Keys and indices that lead to something in an object."""


class Misfit(Struct, frozen=True):
    """Something that is wrong, and the way to it; as text: `spec.replicas: ...`."""

    path: FieldPath
    what: str

    def __str__(self) -> str:
        return f"{shown(self.path)}: {self.what}" if self.path else self.what


def misfits(value: Mapping[str, Any], model: type[Model], *, strict: bool) -> Iterator[Misfit]:
    """What is wrong with an object, in the order it stands.

    Args:
        value: the object as JSON.
        model: its class.
        strict: whether unknown fields are wrong, and required ones that are missing.
    """
    yield from _Fitting(strict).misfits(value, model, ())


def shown(path: FieldPath) -> str:
    """A path as Kubernetes writes it: `spec.containers[0].image`, `metadata.labels[app]`."""
    text = ""
    for step in path:
        plain = isinstance(step, str) and step.isidentifier()
        text += f".{step}" if plain else f"[{step}]"
    return text.removeprefix(".")


class _Fitting:
    def __init__(self, strict: bool) -> None:
        self._strict = strict

    def misfits(self, value: object, annotation: Any, path: FieldPath) -> Iterator[Misfit]:
        """Go into what does not fit, to what is wrong in it."""
        if value is None:
            return
        try:
            decoder_of(annotation).decode(msgspec.json.encode(value))
        except msgspec.ValidationError as error:
            kind = _alternative(annotation, value)
            if isinstance(kind, ModelMeta) and isinstance(value, dict):
                found_in = cast("dict[str, object]", value)
                yield from self._in_model(found_in, cast("type[Model]", kind), path)
                return
            found = [*self._in_container(value, kind, path)]
            yield from found
            if not found and not _holds_gaps(value):
                yield Misfit(path, _why(error, value))

    def _in_model(
        self, value: dict[str, object], model: type[Model], path: FieldPath
    ) -> Iterator[Misfit]:
        fields = fields_of(model)
        for name, inner in value.items():
            if name in fields:
                yield from self.misfits(inner, fields[name].type, (*path, name))
            elif self._strict and not model.__open_ended__:
                near = get_close_matches(name, fields, 1)
                hint = f"; did you mean {near[0]}?" if near else ""
                what = f"there is no such field in {model.__name__}{hint}"
                yield Misfit((*path, name), what)
        if self._strict:
            missing = [f.wire for f in fields.values() if f.required and f.wire not in value]
            for name in missing:
                yield Misfit((*path, name), "it is required, and missing")

    def _in_container(self, value: object, kind: Any, path: FieldPath) -> Iterator[Misfit]:
        origin, inner = get_origin(kind), get_args(kind)
        if origin is list and isinstance(value, list):
            for index, item in enumerate(cast("list[object]", value)):
                yield from self.misfits(item, inner[0], (*path, index))
        elif origin is dict and isinstance(value, dict):
            for key, item in cast("dict[str, Any]", value).items():
                yield from self.misfits(item, inner[1], (*path, key))


def _alternative(annotation: Any, value: object) -> Any:
    """The type that a value is meant to be of: of a union, the one JSON calls the same."""
    plain = bare(annotation)
    if not isinstance(plain, types.UnionType) and get_origin(plain) is not Union:
        return plain
    of_value: object = value.__class__
    members = [_alternative(one, value) for one in get_args(plain) if one is not type(None)]
    return next((one for one in members if _json_type(one) is of_value), members[0])


def _json_type(kind: Any) -> Any:
    if isinstance(kind, ModelMeta):
        return dict
    return get_origin(kind) or kind


def _holds_gaps(value: object) -> bool:
    """Whether it may only seem wrong: null is what is absent, and what is unknown is kept."""
    if isinstance(value, dict):
        value = [*cast("dict[str, Any]", value).values()]
    return isinstance(value, list) and any(
        each is None or isinstance(each, (dict, list)) for each in cast("list[object]", value)
    )


def _why(error: Exception, value: object) -> str:
    """Say what was expected in msgspec's words, which never show the value."""
    what = str(error).partition(" - at `")[0]
    what = what[:1].lower() + what[1:]
    expected = what.removeprefix("expected `").partition("`")[0].split(" | ")
    if "str" in expected and not isinstance(value, (str, dict, list)):
        return f"{what}; write it in quotes"
    return what
