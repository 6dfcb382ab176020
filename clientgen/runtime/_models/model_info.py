"""What the codec knows of a model class: its fields, its zero value, and its two hidden kin.

Everything is found out when it is first asked for, so that importing models costs nothing here.

The hidden kin are subclasses with the name of the model:

- of the objects `auto` fields make: how the encoder tells "nobody set it" from "set and empty";
- of objects with fields the model does not know: they hold them as raw JSON, so that msgspec
  encodes, compares and copies them like any other field; and of objects that lack what the model
  requires, which they do not.
"""

from __future__ import annotations

import keyword
import types
from datetime import UTC, datetime
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, Union, cast, get_args, get_origin

import msgspec
from msgspec import Raw, Struct

from .empties import EMPTIES, unfilled
from .json_names import field_name
from .metaclass import construct, set_values
from .model import Auto, Model, ModelMeta, field
from .once import once
from .quantity import Quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = [
    "ByClass",
    "Field",
    "bare",
    "extended",
    "fields_of",
    "is_sensitive",
    "is_zero_time",
    "known_model",
    "leading_to",
    "unknown_attributes",
    "unset_kin",
    "unset_maker",
    "zero",
]

V = TypeVar("V")

# Kin with other fields are few: one for each set of names a newer server sends. The bound is for
# servers that send other names every time.
_MOST_KIN = 1024


class Field(Struct, frozen=True):
    """One field of a model, its type resolved."""

    name: str
    wire: str
    type: Any
    required: bool
    models: tuple[type[Model], ...]
    """The models the type mentions, in a list or map or by itself."""
    empty: Callable[[], object] | None = None
    """What makes the value of an optional list or map that was sent empty."""


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
    """Whether a time stands for one that was not sent; it goes back as null, as Go's does.

    What is computed from it is of its class too, but is a time like others.
    """
    return isinstance(value, ZeroTime) and value == _ZERO_TIME


class ByClass(dict[type, V]):
    """What is found out of every class of values, when the first value of it is met.

    Kin with unknown fields are not remembered, and treated as their model is: a server could send
    other fields every time.
    """

    def __init__(
        self, find: Callable[[type[Model]], V], other: V, known: Mapping[type, V] | None = None
    ) -> None:
        """Find out of models by `find`; `known` classes are known, and all others are `other`."""
        super().__init__(known or {})
        self._find = find
        self._other = other

    def __missing__(self, kind: type) -> V:
        if "__unknown__" in kind.__dict__:
            return self[known_model(kind)]
        found = self[kind] = self._find(kind) if issubclass(kind, Model) else self._other
        return found


@cache
def fields_of(model: type[Model]) -> dict[str, Field]:
    """Return the fields by wire name."""
    return {f.encode_name: _field(f) for f in msgspec.structs.fields(known_model(model))}


def _field(info: msgspec.structs.FieldInfo) -> Field:
    annotation = unfilled(info.type)
    empty = None if info.required else EMPTIES.get(cast("type", info.default_factory))
    models = tuple(_models_in(annotation))
    return Field(info.name, info.encode_name, annotation, info.required, models, empty)


def known_model(model: type[Model]) -> type[Model]:
    """Return the model itself for one of its hidden kin, and any other model as it is."""
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
        return _filler(cast("type[Model]", origin))
    return _ZEROES.get(origin, lambda: None)


def _filler(model: type[Model], made: type[Model] | None = None) -> Callable[[], Model]:
    """Return what makes a `model`, or its kin `made`, of which nothing was sent."""
    make = made or model
    required = {f.name: _zero_maker(f.type) for f in fields_of(model).values() if f.required}
    if not required:
        return partial(construct, make)
    return lambda: construct(make, **{name: maker() for name, maker in required.items()})


@once
def unset_maker(model: type[Model]) -> Callable[[], Model]:
    """Return what makes the value of an `auto` field nobody set."""
    return _filler(model, unset_kin(model))


@once
def unset_kin(model: type[Model]) -> type[Model]:
    """Return the hidden subclass of the objects `auto` fields make."""
    return _subclass(model, {"__eq__": _equals_known, "__unset__": True})


@lru_cache(_MOST_KIN)
def extended(
    model: type[Model], unknown: frozenset[str], lacking: frozenset[str] = frozenset()
) -> type[Model]:
    """Return the hidden subclass that holds the `unknown` fields, given by wire name.

    A field is an attribute of its own name where that can be had. Of what the model requires it
    may lack the attributes `lacking`: they are zero, and not sent.
    """
    names = {
        wire: wire if _usable(wire, model) else f"unknown_{index}"
        for index, wire in enumerate(sorted(unknown))
    }
    namespace: dict[str, Any] = {name: field(name=field_name(wire)) for wire, name in names.items()}
    annotations: dict[str, Any] = dict.fromkeys(names.values(), Raw)
    for each in fields_of(model).values() if lacking else ():
        if each.name in lacking:
            annotations[each.name] = each.type
            namespace[each.name] = _optional(each)
    if not unknown:
        namespace["__eq__"] = _equals_known
    hidden = {"__annotations__": annotations, "__unknown__": names, "__lacking__": lacking}
    return _subclass(model, {**namespace, **hidden})


def _optional(required: Field) -> Any:
    """Declare a field that is zero when it was not sent."""
    kind = bare(required.type)
    kind = get_origin(kind) or kind
    if isinstance(kind, ModelMeta):
        return field(default_factory=Auto(cast("type[Model]", kind)), name=required.wire)
    if kind in {list, dict}:
        return field(default_factory=kind, name=required.wire)
    return field(default=zero(required.type), name=required.wire)


def unknown_attributes(kind: type[Model]) -> dict[str, str]:
    """Return the attributes that hold unknown fields, by wire name; none for a model itself."""
    names: dict[str, str] = getattr(kind, "__unknown__", {})
    return names


def _usable(wire: str, model: type[Model]) -> bool:
    return (
        wire.isidentifier()
        and not keyword.iskeyword(wire)
        and not wire.startswith(("_", "unknown_"))
        and not hasattr(model, wire)
    )


def _subclass(model: type[Model], namespace: dict[str, Any]) -> type[Model]:
    """Make a kin: in every way but its type the model."""
    known = {
        "__module__": model.__module__,
        "__qualname__": model.__qualname__,
        "__doc__": model.__doc__,
        "__model__": model,
        "__reduce__": _reduce,
    }
    kin = ModelMeta(model.__name__, (model,), {**known, **namespace})
    return cast("type[Model]", kin)


def _equals_known(self: Model, other: object) -> bool:
    """Compare an object nobody set: it equals an object of its model that is as empty."""
    if type(other) is type(self):
        return bool(Struct.__eq__(self, other))
    if type(other) is not known_model(type(self)):
        return False
    return all(getattr(self, name) == getattr(other, name) for name in self.__struct_fields__)


def _reduce(self: Model) -> tuple[Callable[..., Model], tuple[Any, ...]]:
    """Pickle a kin by its model: the kin has no name to import it by."""
    lacking: frozenset[str] = getattr(self, "__lacking__", frozenset())
    values = set_values(self)
    for each in fields_of(type(self)).values() if lacking else ():
        if each.name in lacking and values[each.name] == zero(each.type):
            del values[each.name]
    unknown = frozenset(unknown_attributes(type(self)))
    return _restore, (known_model(type(self)), unknown, lacking, values)


def _restore(
    model: type[Model], unknown: frozenset[str], lacking: frozenset[str], values: dict[str, Any]
) -> Model:
    kin = extended(model, unknown, lacking) if unknown or lacking else unset_kin(model)
    return cast("Model", construct(kin, **values))


def _models_in(annotation: Any) -> Iterator[type[Model]]:
    plain = bare(annotation)
    if isinstance(plain, ModelMeta):
        yield cast("type[Model]", plain)
    for inner in get_args(plain):
        yield from _models_in(inner)


@cache
def _reachable(model: type[Model]) -> frozenset[type[Model]]:
    """Return the model and all that can be inside it; only JSONSchemaProps is inside itself."""
    found: set[type[Model]] = set()
    waiting = [known_model(model)]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting.extend(inner for f in fields_of(one).values() for inner in f.models)
    return frozenset(found)


def leading_to(model: type[Model], wanted: Callable[[type[Model]], bool]) -> tuple[str, ...]:
    """Return the attributes under which there may be a model that is `wanted`."""
    return tuple(
        f.name
        for f in fields_of(model).values()
        if any(wanted(inside) for inner in f.models for inside in _reachable(inner))
    )


@cache
def is_sensitive(model: type[Model]) -> bool:
    """Whether the model, or one inside it, has values no message may show."""
    return any(one.__sensitive__ for one in _reachable(model))
