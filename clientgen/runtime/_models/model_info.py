"""Facts about a model class that its users ask for: fields, zero value, what it leads to.

They are computed when they are first asked for, so that importing models costs nothing here.
"""

from __future__ import annotations

import types
from datetime import UTC, datetime
from functools import cache, partial
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    TypeGuard,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)

import msgspec
from msgspec import Raw, Struct

from .base import ModelBase, ModelMeta, construct
from .empties import EMPTIES, unfilled
from .quantity import Quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = [
    "ByClass",
    "Field",
    "bare",
    "fields_of",
    "filler",
    "has_any_kind",
    "is_dict_class",
    "is_sensitive",
    "is_zero_time",
    "known_model",
    "leading_to",
    "zero",
]

V = TypeVar("V")


class Field(Struct, frozen=True):
    """One field of a model, its type resolved."""

    name: str
    wire: str
    type: Any
    required: bool
    models: tuple[type[ModelBase], ...]
    """The models the type mentions, in a list or map or by itself."""
    empty: Callable[[], object] | None = None
    """The function that makes the value of an optional list or map that was sent empty."""


class ZeroTime(datetime):
    """The class of the value of a required time that was not sent."""

    __slots__ = ()


_ZERO_TIME = ZeroTime(1, 1, 1, tzinfo=UTC)
_ZEROES: dict[Any, Callable[[], Any]] = {
    list: list,
    dict: dict,
    datetime: lambda: _ZERO_TIME,
    Quantity: lambda: Quantity("0"),
    Raw: lambda: Raw(b"null"),
    **{scalar: scalar for scalar in (str, bytes, bool, int, float)},
}


def is_zero_time(value: object) -> bool:
    """Tell whether a time stands for one that was not sent; it goes back as null, as Go's does.

    What is computed from it is of its class too, but is a time like others.
    """
    return isinstance(value, ZeroTime) and value == _ZERO_TIME


class ByClass(dict[type, V]):
    """A value for each class, computed when the first object of the class is met.

    Variants with unknown fields are not remembered, and treated as their model is: a server could
    send other fields every time.
    """

    def __init__(
        self,
        find: Callable[[type[ModelBase]], V],
        find_other: Callable[[type], V],
        initial: Mapping[type, V] | None = None,
    ) -> None:
        """Find out of models by `find`, of others by `find_other`; `initial` classes are known."""
        super().__init__(initial or {})
        self._find = find
        self._find_other = find_other

    def __missing__(self, kind: type) -> V:
        if "__unknown__" in kind.__dict__:
            return self[known_model(kind)]
        model = cast("type[Any]", kind)
        value = self._find(model) if issubclass(kind, ModelBase) else self._find_other(model)
        self[kind] = value
        return value


@cache
def fields_of(model: type[ModelBase]) -> dict[str, Field]:
    """Return the fields by wire name."""
    return {f.encode_name: _field(f) for f in msgspec.structs.fields(known_model(model))}


def _field(info: msgspec.structs.FieldInfo) -> Field:
    annotation = unfilled(info.type)
    empty = None if info.required else EMPTIES.get(cast("type", info.default_factory))
    models = tuple(_models_in(annotation))
    return Field(info.name, info.encode_name, annotation, info.required, models, empty)


def known_model(model: type[ModelBase]) -> type[ModelBase]:
    """Return the model itself for one of its hidden variants, and any other model as it is."""
    return getattr(model, "__model__", model)


def bare(annotation: Any) -> Any:
    """Return the type inside `Annotated`."""
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def zero(annotation: Any) -> Any:
    """Make what Go would have for a value nobody sent: empty text, 0, False, an empty object."""
    return _zero_maker(annotation)()


@cache
def _zero_maker(annotation: Any) -> Callable[[], Any]:
    plain = bare(annotation)
    origin = get_origin(plain) or plain
    if origin in {Union, types.UnionType}:
        alternatives = get_args(plain)
        return (lambda: None) if type(None) in alternatives else _zero_maker(alternatives[0])
    if isinstance(origin, ModelMeta):
        return filler(cast("type[ModelBase]", origin))
    return _ZEROES.get(origin, lambda: None)


def filler(model: type[ModelBase], made: type[ModelBase] | None = None) -> Callable[[], ModelBase]:
    """Return what makes a `model`, or its variant `made`, of which nothing was sent."""
    make = made or model
    required = {f.name: _zero_maker(f.type) for f in fields_of(model).values() if f.required}
    if not required:
        return partial(construct, make)
    return lambda: construct(make, **{name: maker() for name, maker in required.items()})


def _models_in(annotation: Any) -> Iterator[type[ModelBase]]:
    plain = bare(annotation)
    if isinstance(plain, ModelMeta):
        yield cast("type[ModelBase]", plain)
    for inner in get_args(plain):
        yield from _models_in(inner)


@cache
def _reachable(model: type[ModelBase]) -> frozenset[type[ModelBase]]:
    """Return the model and all that can be inside it; only JSONSchemaProps is inside itself."""
    models: set[type[ModelBase]] = set()
    waiting = [known_model(model)]
    while waiting:
        one = waiting.pop()
        if one not in models:
            models.add(one)
            waiting.extend(inner for f in fields_of(one).values() for inner in f.models)
    return frozenset(models)


def leading_to(
    model: type[ModelBase], wanted: Callable[[type[ModelBase]], bool]
) -> tuple[str, ...]:
    """Return the attributes under which there may be a model that is `wanted`."""
    return tuple(
        f.name
        for f in fields_of(model).values()
        if any(wanted(inside) for inner in f.models for inside in _reachable(inner))
    )


@cache
def is_sensitive(model: type[ModelBase]) -> bool:
    """Tell whether the model, or one inside it, has values no message may show.

    An object of any kind may be a Secret.
    """
    return any(model.__sensitive__ or has_any_kind(model) for model in _reachable(model))


def has_any_kind(model: type[ModelBase]) -> bool:
    """Tell whether a field of the model holds `Unstructured` objects."""
    return any(_mentions_any_kind(f.type) for f in fields_of(model).values())


def _mentions_any_kind(annotation: Any) -> bool:
    if is_dict_class(annotation):
        return True
    return any(_mentions_any_kind(inner) for inner in get_args(annotation))


def is_dict_class(annotation: Any) -> TypeGuard[type[dict[str, Any]]]:
    """Tell whether a type is a class of dicts of its own, as `Unstructured` is."""
    return isinstance(annotation, type) and issubclass(annotation, dict) and annotation is not dict
