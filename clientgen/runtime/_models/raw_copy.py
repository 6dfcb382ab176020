"""Copies raw JSON out of the response body.

msgspec returns raw JSON as a view, which keeps the whole body in memory: one cached pod would keep
the whole page of its list. Managed fields are raw JSON and half of a pod. So `unpin` runs for every
decoded object, and is optimized for managed fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from operator import attrgetter
from typing import Any, TypeAlias, cast, get_args

from msgspec import Raw

from .base import NO_RAW, ModelBase, ModelMeta, assign
from .meta_v1 import ManagedFieldsEntry, ModelList, ObjectMeta
from .model_info import ByClass, fields_of, known_model, leading_to, viewed_model

Pool: TypeAlias = dict[int, Raw]
Unpinner: TypeAlias = Callable[[Any, Pool], None]


def unpin(value: Any, pool: Pool) -> None:
    """Copy the raw JSON inside a value out of the body.

    Args:
        value: a model, or a list or dict of models.
        pool: the last copy of each length. Equal values share a copy. Neighbours in a list, such as
            the pods of a replica set, have equal fieldsV1. Comparing is faster than hashing.
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
    """Return a function that unpins a model; None if the model contains no raw JSON."""
    model = known_model(kind)
    steps = [_attribute_unpinner(name) for name in _raw_attributes(model)]
    steps += [_path_unpinner(path) for path in dict.fromkeys(_paths_to_raw(model))]
    if len(steps) <= 1:
        return steps[0] if steps else None

    def unpin_all(value: Any, pool: Pool) -> None:
        for step in steps:
            step(value, pool)

    return unpin_all


def _no_unpinner(_kind: type) -> None:
    """Return None for other classes: an `Unstructured`, for example, contains no raw JSON."""


_unpinners = ByClass[Unpinner | None](
    _unpinner, _no_unpinner, {list: _unpin_list, dict: _unpin_dict}
)


def _paths_to_raw(model: type[ModelBase]) -> Iterator[str]:
    """Yield the paths of attributes that lead from a model to objects with raw JSON."""
    metadata = fields_of(model).get("metadata")
    if metadata is not None and _has_managed_fields(metadata.type):
        yield "metadata.managed_fields"
    if issubclass(cast("type", model), ModelList):
        yield "items"
    for name in leading_to(model, _has_raw):
        yield from _object_paths(model, name)


def _has_managed_fields(kind: Any) -> bool:
    is_metadata = kind is ObjectMeta or viewed_model(kind) is ObjectMeta
    return is_metadata and "managedFields" in fields_of(kind)


def _attribute_unpinner(name: str) -> Unpinner:
    """Return a function that unpins the raw JSON in an attribute."""
    read = attrgetter(name)

    def unpin_attribute(value: Any, pool: Pool) -> None:
        raw = read(value)
        if raw.__class__ is not Raw:
            assign(value, name, _pooled_copies(raw, pool))
        elif raw is not NO_RAW:
            assign(value, name, _pooled_copy(raw, pool))

    return unpin_attribute


def _path_unpinner(path: str) -> Unpinner:
    """Return a function that unpins the value at the end of a path of attributes."""
    read, first = attrgetter(path), path.partition(".")[0]

    def unpin_path(value: Any, pool: Pool) -> None:
        try:
            child = read(value)
        except AttributeError:  # the server sent a value of another type on this path
            child = getattr(value, first)
        unpinner = _unpinners[child.__class__]
        if unpinner is not None:
            unpinner(child, pool)

    return unpin_path


def _object_paths(model: type[ModelBase], name: str) -> list[str]:
    """Return the paths from a field through objects to raw JSON or to a list or map."""
    (inside,) = (f.type for f in fields_of(model).values() if f.name == name)
    if not isinstance(inside, ModelMeta):
        return [name]
    inner = cast("type[ModelBase]", inside)
    if _raw_attributes(inner):
        return [name]
    steps = leading_to(inner, _has_raw)
    return [f"{name}.{path}" for step in steps for path in _object_paths(inner, step)]


@cache
def _raw_attributes(model: type[ModelBase]) -> tuple[str, ...]:
    return tuple(f.name for f in fields_of(model).values() if _mentions_raw(f.type))


def _has_raw(model: type[ModelBase]) -> bool:
    """Return whether a model has raw JSON, except in managed fields (see `_paths_to_raw`)."""
    return model is not ManagedFieldsEntry and bool(_raw_attributes(model))


def _mentions_raw(annotation: Any) -> bool:
    return annotation is Raw or any(_mentions_raw(inner) for inner in get_args(annotation))


def _pooled_copy(held: Raw, pool: Pool) -> Raw:
    size = len(held)
    copied = pool.get(size)
    if copied is None or copied != held:
        copied = pool[size] = held.copy()
    return copied


def _pooled_copies(held: Any, pool: Pool) -> Any:
    """Copy raw JSON in lists and maps. Other values that the server sent are returned unchanged."""
    kind: type[Any] = held.__class__
    if kind is Raw:
        return _pooled_copy(held, pool)
    if kind is list:
        return [_pooled_copies(item, pool) for item in held]
    if kind is dict:
        return {key: _pooled_copies(item, pool) for key, item in held.items()}
    return held
