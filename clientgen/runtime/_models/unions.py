"""Chooses the model of a union that an object in JSON is of.

- In a tagged union, each model has a constant of the same name and another value:
  `type: Literal["Http"] = constant("Http")`.
- In any other union, each model has a required field that no other model has: the object is of the
  first model whose field is there.

An object that is of none, such as one with a tag of a newer version, is kept as raw JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast, get_args

import msgspec
from msgspec import Struct

from .class_annotations import annotations_of
from .model_info import fields_of, models_in, models_within
from .once import once
from .union_stand_ins import members_of, with_stand_ins, without_stand_ins

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .base import ModelBase


class Choice(Struct, frozen=True):
    """How the model of an object is found.

    `tag` is the wire name of the constant, and `models` are by its value. Without a tag, they are
    by the wire name of the field that only they have.
    """

    tag: str
    models: dict[str, type[ModelBase]]


class BadUnionError(TypeError):
    """The models of a union cannot be told apart: what is wrong, and what to write."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(f"{what}: {hint}")
        self.what = what
        self.hint = hint


@once
def choice_of(members: tuple[type[Any], ...]) -> Choice:
    """Return how the models of a union are told apart.

    Raises:
        BadUnionError: they cannot be told apart.
    """
    models = cast("tuple[type[ModelBase], ...]", members)
    tags = _tags(models)
    if tags:
        return _tagged(tags, models)
    keys: dict[str, type[ModelBase]] = {}
    for model in models:
        others = {wire for other in models if other is not model for wire in fields_of(other)}
        own = [f.wire for f in fields_of(model).values() if f.required and f.wire not in others]
        if not own:
            what = f"no required field of `{model.__name__}` tells it from the others"
            hint = (
                'give each model a required field of its own, or a tag: `type: Literal["A"] = '
                'constant("A")`'
            )
            raise BadUnionError(what, hint)
        keys[own[0]] = model
    return Choice("", keys)


def _tags(models: tuple[type[ModelBase], ...]) -> list[str]:
    """Return the wire names of the constants that all models have, those that differ first."""
    constants = [_constants(model) for model in models]
    shared = [wire for wire in constants[0] if all(wire in each for each in constants)]
    return sorted(shared, key=lambda wire: -len({str(each[wire]) for each in constants}))


def _constants(model: type[ModelBase]) -> dict[str, object]:
    """Return the values of constants by wire name, without those of kinds."""
    fields = fields_of(model)
    is_kind = {"apiVersion", "kind", "metadata"} <= fields.keys()
    values = model.__constants__
    return {
        wire: values[field.name]
        for wire, field in fields.items()
        if field.name in values and not (is_kind and wire in ("apiVersion", "kind"))
    }


def _tagged(tags: list[str], models: tuple[type[ModelBase], ...]) -> Choice:
    tag = tags[0]
    by_value: dict[str, type[ModelBase]] = {}
    for model in models:
        value = str(_constants(model)[tag])
        first = by_value.setdefault(value, model)
        if first is not model:
            what = f"`{first.__name__}` and `{model.__name__}` have the same `{tag}`, `{value}`"
            raise BadUnionError(what, "give each model another value")
    return Choice(tag, by_value)


def chosen(members: tuple[type[Any], ...], names: Mapping[str, object]) -> type[ModelBase] | None:
    """Return the model of an object; None if it is of none.

    Args:
        members: the models of the union.
        names: the members of the object in JSON, decoded or raw.
    """
    choice = choice_of(members)
    if choice.tag:
        value = names.get(choice.tag)
        if isinstance(value, msgspec.Raw):
            value = msgspec.json.decode(value)
        return choice.models.get(value) if isinstance(value, str) else None
    return next((model for wire, model in choice.models.items() if wire in names), None)


def prepare(annotation: Any) -> Any:
    """Let msgspec read the unions in a type, and in all models inside of it.

    Returns:
        The type with stand-ins for unions.

    Raises:
        BadUnionError: the models of a union cannot be told apart.
    """
    for outer in models_in(annotation):
        for model in models_within(outer):
            _prepare(model)
    return with_stand_ins(without_stand_ins(annotation))


def _prepare(model: type[ModelBase]) -> None:
    for field in msgspec.structs.fields(model):
        changed = with_stand_ins(field.type)
        if changed is field.type:
            continue
        for members in _unions_in(field.type):
            choice_of(members)
        owner = next(each for each in model.__mro__ if field.name in annotations_of(each))
        owner.__annotations__ = {**annotations_of(owner), field.name: changed}


def _unions_in(annotation: Any) -> list[tuple[type[Any], ...]]:
    members = members_of(annotation)
    if members:
        return [members]
    return [found for inner in get_args(annotation) for found in _unions_in(inner)]
