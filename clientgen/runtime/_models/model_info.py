"""Facts about model classes: their fields, their zero values, the models inside of them.

The facts are computed on first use, so that importing models is fast.
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
from .empties import EMPTIES, as_declared
from .quantity import Quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

V = TypeVar("V")


class Field(Struct, frozen=True):
    """A field of a model, with its resolved type."""

    name: str
    wire: str
    type: Any
    required: bool
    models: tuple[type[ModelBase], ...]
    """The models in the type: the type itself, or those in a list, map or union."""
    empty: Callable[[], object] | None = None
    """For an optional list or map: the class of the value if it was sent empty."""


class ZeroTime(datetime):
    """The class of the value of a required time that was not sent."""

    __slots__ = ()


_ZERO_TIME = ZeroTime(1, 1, 1, tzinfo=UTC)
_ZERO_MAKERS: dict[Any, Callable[[], Any]] = {
    list: list,
    dict: dict,
    datetime: lambda: _ZERO_TIME,
    Quantity: lambda: Quantity("0"),
    Raw: lambda: Raw(b"null"),
    **{scalar: scalar for scalar in (str, bytes, bool, int, float)},
}


def is_zero_time(value: object) -> bool:
    """Return whether a time is the zero value of a required field. It is sent as null, as in Go.

    A time that was computed from the zero value has the same class, but is an ordinary time.
    """
    return isinstance(value, ZeroTime) and value == _ZERO_TIME


class ByClass(dict[type, V]):
    """A value for each class, computed on first use.

    Variants with unknown fields have the value of their model and are not stored: a server could
    send other unknown fields every time, and the dict would grow without limit.
    """

    def __init__(
        self,
        find: Callable[[type[ModelBase]], V],
        find_other: Callable[[type], V],
        initial: Mapping[type, V] | None = None,
    ) -> None:
        """Compute values with `find` for models, and with `find_other` for other classes."""
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
    """Return the fields of a model by wire name."""
    return {f.encode_name: _field_info(f) for f in msgspec.structs.fields(known_model(model))}


def _field_info(info: msgspec.structs.FieldInfo) -> Field:
    annotation = as_declared(info.type)
    empty = None if info.required else EMPTIES.get(cast("type", info.default_factory))
    models = tuple(models_in(annotation))
    return Field(info.name, info.encode_name, annotation, info.required, models, empty)


def known_model(model: type[ModelBase]) -> type[ModelBase]:
    """Return the model of a hidden variant. Any other model is returned as it is."""
    return getattr(model, "__model__", model)


def viewed_model(kind: type[Any]) -> type[ModelBase] | None:
    """Return the model of a view, or of a part of a view; None for other classes."""
    viewed: type[ModelBase] | None = getattr(kind, "__viewed__", None)
    return viewed


def is_view(kind: type[Any]) -> bool:
    """Return whether a class is a view of a kind."""
    return viewed_model(kind) is not None and hasattr(kind, "__has_kind__")


def is_path_view(kind: type[Any]) -> bool:
    """Return whether the objects of a class without fields have only the members at some paths."""
    return hasattr(kind, "__paths__")


def is_metadata_view(kind: type[Any]) -> bool:
    """Return whether a class is a view of a kind without fields beside the metadata."""
    return is_view(kind) and kind.__struct_fields__ == ("metadata",)


def bare(annotation: Any) -> Any:
    """Return the type inside `Annotated`."""
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def zero(annotation: Any) -> Any:
    """Create the zero value of a type, as in Go: an empty string, 0, False, an empty object."""
    return _zero_maker(annotation)()


@cache
def _zero_maker(annotation: Any) -> Callable[[], Any]:
    plain = bare(annotation)
    origin = get_origin(plain) or plain
    if origin in {Union, types.UnionType}:
        alternatives = get_args(plain)
        return (lambda: None) if type(None) in alternatives else _zero_maker(alternatives[0])
    if isinstance(origin, ModelMeta):
        return zero_model_maker(cast("type[ModelBase]", origin))
    return _ZERO_MAKERS.get(origin, lambda: None)


def zero_model_maker(
    model: type[ModelBase], variant: type[ModelBase] | None = None
) -> Callable[[], ModelBase]:
    """Return a function that creates a zero value of `model`, as an object of class `variant`."""
    created = variant or model
    required = {f.name: _zero_maker(f.type) for f in fields_of(model).values() if f.required}
    if not required:
        return partial(construct, created)
    return lambda: construct(created, **{name: maker() for name, maker in required.items()})


def models_in(annotation: Any) -> Iterator[type[ModelBase]]:
    """Yield the models in a type."""
    plain = bare(annotation)
    if isinstance(plain, ModelMeta):
        yield cast("type[ModelBase]", plain)
    for inner in get_args(plain):
        yield from models_in(inner)


@cache
def models_within(model: type[ModelBase]) -> frozenset[type[ModelBase]]:
    """Return the model and all models inside of it, at any depth.

    This is a loop instead of a recursion, because JSONSchemaProps contains itself.
    """
    models: set[type[ModelBase]] = set()
    unvisited = [known_model(model)]
    while unvisited:
        current = unvisited.pop()
        if current not in models:
            models.add(current)
            unvisited.extend(inner for f in fields_of(current).values() for inner in f.models)
    return frozenset(models)


def leading_to(
    model: type[ModelBase], wanted: Callable[[type[ModelBase]], bool]
) -> tuple[str, ...]:
    """Return the attributes that may contain, at any depth, a model that `wanted` accepts."""
    return tuple(
        f.name
        for f in fields_of(model).values()
        if any(wanted(inside) for inner in f.models for inside in models_within(inner))
    )


@cache
def is_sensitive(model: type[ModelBase]) -> bool:
    """Return whether the model, or a model inside of it, has values that no message may show.

    A field for objects of any kind is sensitive, because such an object may be a Secret.
    """
    inside = models_within(model)
    # The JSON of an object has more than its view.
    viewed = filter(None, map(viewed_model, inside))
    return any(each.__sensitive__ or has_any_kind(each) for each in inside) or any(
        map(is_sensitive, viewed)
    )


def has_any_kind(model: type[ModelBase]) -> bool:
    """Return whether a field of the model holds `Unstructured` objects."""
    return any(_holds_any_kind(f.type) for f in fields_of(model).values())


def _holds_any_kind(annotation: Any) -> bool:
    if is_dict_class(annotation):
        return True
    return any(_holds_any_kind(inner) for inner in get_args(annotation))


def is_dict_class(annotation: Any) -> TypeGuard[type[dict[str, Any]]]:
    """Return whether a type is a subclass of dict, such as `Unstructured`."""
    return isinstance(annotation, type) and issubclass(annotation, dict) and annotation is not dict
