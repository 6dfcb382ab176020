"""Copying raw JSON out of the body it was read from.

msgspec keeps raw JSON as a view, and a view keeps the whole body alive: one retained pod would
keep the page of the list it came in. Half of a pod is its managed fields, so every call of a
decoder goes through here, and the way to them is short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from operator import attrgetter
from typing import Any, TypeAlias, cast, get_args

from msgspec import Raw

from .base import NO_RAW, ModelBase, ModelMeta
from .meta_v1 import ManagedFieldsEntry, ModelList, ObjectMeta
from .model_info import ByClass, fields_of, known_model, leading_to

__all__ = ["unpin"]

Pool: TypeAlias = dict[int, Raw]
Unpinner: TypeAlias = Callable[[Any, Pool], None]


def unpin(value: Any, pool: Pool) -> None:
    """Copy the raw JSON inside a value out of the body.

    `pool` holds the last piece of each length: neighbours in a list, the pods of one replica set
    for example, have the same fieldsV1, and comparing costs less than hashing.
    """
    unpinner = _unpinners[value.__class__]
    if unpinner is not None:
        unpinner(value, pool)


def _unpin_list(values: list[Any], pool: Pool) -> None:
    for value in values:
        unpinner = _unpinners[value.__class__]
        if unpinner is not None:
            unpinner(value, pool)


def _unpin_dict(values: dict[Any, Any], pool: Pool) -> None:
    _unpin_list(list(values.values()), pool)


def _unpinner(kind: type[ModelBase]) -> Unpinner | None:
    """Return what unpins a model: one function for each way to raw JSON, one call if possible."""
    model = known_model(kind)
    steps = [_at(name) for name in _raw_attributes(model)]
    steps += [_along(path) for path in dict.fromkeys(_paths(model))]
    if len(steps) <= 1:
        return steps[0] if steps else None

    def unpin_all(value: Any, pool: Pool) -> None:
        for step in steps:
            step(value, pool)

    return unpin_all


def _no_unpinner(_kind: type) -> None:
    """Leave values of other classes as they are; nothing in an `Unstructured` is raw."""


_unpinners = ByClass[Unpinner | None](
    _unpinner, _no_unpinner, {list: _unpin_list, dict: _unpin_dict}
)


def _paths(model: type[ModelBase]) -> Iterator[str]:
    """Yield the paths of attributes to follow from a model."""
    if (metadata := fields_of(model).get("metadata")) and metadata.type is ObjectMeta:
        yield "metadata.managed_fields"
    if issubclass(cast("type", model), ModelList):
        yield "items"
    for name in leading_to(model, _has_raw):
        yield from _straight(model, name)


def _at(name: str) -> Unpinner:
    """Return what unpins the raw JSON in one attribute."""
    read = attrgetter(name)

    def unpin_here(value: Any, pool: Pool) -> None:
        held = read(value)
        if held.__class__ is not Raw:
            setattr(value, name, _own_each(held, pool))
        elif held is not NO_RAW:
            setattr(value, name, _own(held, pool))

    return unpin_here


def _along(path: str) -> Unpinner:
    """Return what unpins what a path of attributes leads to."""
    read, first = attrgetter(path), path.partition(".")[0]

    def unpin_there(value: Any, pool: Pool) -> None:
        try:
            child = read(value)
        except AttributeError:  # on the way there is something else that the server sent
            child = getattr(value, first)
        unpinner = _unpinners[child.__class__]
        if unpinner is not None:
            unpinner(child, pool)

    return unpin_there


def _straight(model: type[ModelBase], name: str) -> list[str]:
    """Return the paths of attributes that lead on from a field through plain objects."""
    (inside,) = (f.type for f in fields_of(model).values() if f.name == name)
    if not isinstance(inside, ModelMeta):
        return [name]
    inner = cast("type[ModelBase]", inside)
    if _raw_attributes(inner):
        return [name]
    steps = leading_to(inner, _has_raw)
    return [f"{name}.{path}" for step in steps for path in _straight(inner, step)]


@cache
def _raw_attributes(model: type[ModelBase]) -> tuple[str, ...]:
    return tuple(f.name for f in fields_of(model).values() if _mentions_raw(f.type))


def _has_raw(model: type[ModelBase]) -> bool:
    """Tell whether to look for a model; managed fields are only where an object's metadata is."""
    return model is not ManagedFieldsEntry and bool(_raw_attributes(model))


def _mentions_raw(annotation: Any) -> bool:
    return annotation is Raw or any(_mentions_raw(inner) for inner in get_args(annotation))


def _own(held: Raw, pool: Pool) -> Raw:
    size = len(held)
    free_buffer = pool.get(size)
    if free_buffer is None or free_buffer != held:
        free_buffer = pool[size] = held.copy()
    return free_buffer


def _own_each(held: Any, pool: Pool) -> Any:
    """Copy the raw JSON in a list or map of it; what else the server sent is as it is."""
    kind: type[Any] = held.__class__
    if kind is Raw:
        return _own(held, pool)
    if kind is list:
        return [_own_each(item, pool) for item in held]
    if kind is dict:
        return {key: _own_each(item, pool) for key, item in held.items()}
    return held
