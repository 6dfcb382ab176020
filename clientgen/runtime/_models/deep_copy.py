"""Deep copies of models, many times faster than `copy.deepcopy`.

Objects, lists and maps are copied. Immutable values are shared: strings, numbers, times, quantities
and raw JSON. Objects in the cache of an informer are shared and read-only: copy them before you
change them.
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

T = TypeVar("T")
Copier: TypeAlias = Callable[[Any], Any]

_IMMUTABLE_TYPES = {str, int, float, bool, bytes, datetime, Quantity, Raw, type(None)}


def deep_copy(obj: T) -> T:
    """Copy a model, or a value made of models, lists and dicts. Mutable parts are not shared.

    Unknown fields, and values that do not fit the model, are copied as well.
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
    """Return the copy function of a model: it copies the object, then its mutable parts."""
    fields = fields_of(known_model(kind)).values()
    names = tuple(f.name for f in fields if not _is_immutable(f.type))
    shallow = cast("Any", Struct).__copy__
    if not names:
        return cast("Copier", shallow)
    read = attrgetter(*names, "__class__")  # two or more names make the result a tuple

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
    """Return the copy function of other values. Subclasses of dict keep their class."""
    if issubclass(kind, dict):
        return _copy_mapping
    return _copy_list if issubclass(kind, list) else _share


def _copy_mapping(values: dict[Any, Any]) -> dict[Any, Any]:
    copied = copy(values)  # `copy` keeps the class
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


def _is_immutable(annotation: Any) -> bool:
    plain = bare(annotation)
    if get_origin(plain) in {Union, types.UnionType}:
        return all(_is_immutable(alternative) for alternative in get_args(plain))
    return plain in _IMMUTABLE_TYPES
