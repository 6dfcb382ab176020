"""Deep copies of models, many times faster than `copy.deepcopy`.

Immutable values are shared: strings, numbers, times, quantities, raw JSON. Objects, lists and maps
are copied. The cache of an informer is shared and read-only: copy objects before you change them.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from copy import copy
from datetime import datetime
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar, Union, cast, get_args, get_origin

from msgspec import Raw, Struct

from .base import ModelBase, assign
from .empties import EmptyDict, EmptyList, UnsetDict, UnsetList
from .model_info import ByClass, bare, fields_of, known_model
from .quantity import Quantity

__all__ = ["deep_copy"]

T = TypeVar("T")
Copier: TypeAlias = Callable[[Any], Any]

_UNCHANGING = {str, int, float, bool, bytes, datetime, Quantity, Raw, type(None)}


def deep_copy(obj: T) -> T:
    """Copy a model, or a value made of models, lists and dicts. Mutable parts are not shared.

    Unknown fields, and values that do not fit the model, are copied, too.
    """
    copied: T = _copy(obj)
    return copied


def _copy(value: Any) -> Any:
    return _copiers[value.__class__](value)


def _copy_list(values: list[Any]) -> list[Any]:
    return [_copiers[value.__class__](value) for value in values]


def _copy_dict(values: dict[Any, Any]) -> dict[Any, Any]:
    return {key: _copiers[value.__class__](value) for key, value in values.items()}


def _share(value: Any) -> Any:
    return value


def _copier(kind: type[ModelBase]) -> Copier:
    """Return a copy function: msgspec copies the object, a loop copies its mutable parts."""
    fields = fields_of(known_model(kind)).values()
    names = tuple(f.name for f in fields if not _unchanging(f.type))
    shallow = cast("Any", Struct).__copy__
    if not names:
        return cast("Copier", shallow)
    read = attrgetter(*names, "__class__")  # one more, so that it gives a tuple for any number

    def copy_model(model: Any) -> Any:
        copied = shallow(model)
        for name, value in zip(names, read(model), strict=False):
            if value is not None:
                assign(copied, name, _copiers[value.__class__](value))
        return copied

    return copy_model


def _copy_as(kind: Callable[[Any], Any], copy: Copier) -> Copier:
    return lambda values: kind(copy(values))


def _other_copier(kind: type) -> Copier:
    """Return a copy function for values that are no models. Dicts of a class remain of it."""
    if issubclass(kind, dict):
        return _copy_mapping
    return _copy_list if issubclass(kind, list) else _share


def _copy_mapping(values: dict[Any, Any]) -> dict[Any, Any]:
    copied = copy(values)
    for key, value in values.items():
        copied[key] = _copiers[value.__class__](value)
    return copied


_copiers = ByClass[Copier](
    _copier,
    _other_copier,
    {
        list: _copy_list,
        dict: _copy_dict,
        **{kind: _copy_as(kind, _copy_list) for kind in (EmptyList, UnsetList)},
        **{kind: _copy_as(kind, _copy_dict) for kind in (EmptyDict, UnsetDict)},
    },
)


def _unchanging(annotation: Any) -> bool:
    plain = bare(annotation)
    if get_origin(plain) in {Union, types.UnionType}:
        return all(_unchanging(alternative) for alternative in get_args(plain))
    return plain in _UNCHANGING
