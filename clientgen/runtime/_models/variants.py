"""The two hidden variants of a model class: subclasses with the name of the model.

- One is for the objects that `auto` fields make. By it the encoder tells "nobody set it" from "set
  and empty".
- The other is for objects with fields that the model does not know, and for objects that lack
  fields that the model requires. It holds unknown fields as raw JSON, so that msgspec encodes,
  compares and copies them like any other field.
"""

from __future__ import annotations

import keyword
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast, get_origin

from msgspec import Raw, Struct, field

from .base import ModelBase, ModelMeta, construct, set_values
from .json_names import field_name
from .model_info import bare, fields_of, filler, known_model, zero
from .once import once

if TYPE_CHECKING:
    from collections.abc import Callable

    from .model_info import Field

__all__ = ["Auto", "extended", "unknown_attributes", "unset_maker", "unset_variant"]

# Variants with other fields are few: one for each set of names a newer server sends. The bound is
# for servers that send other names every time.
_MOST_VARIANTS = 1024


class Auto:
    """Makes the value of an `auto` field nobody set: an empty object that stays off the wire.

    The object is of a hidden subclass: that is how the encoder tells it from an empty object that
    somebody set, which is sent as `{}`.
    """

    __slots__ = ("_make", "model")

    def __init__(self, model: type[ModelBase]) -> None:
        self.model = model
        self._make: Callable[[], ModelBase] | None = None

    def __call__(self) -> ModelBase:
        """Make one."""
        if self._make is None:
            self._make = unset_maker(self.model)
        return self._make()


@once
def unset_maker(model: type[ModelBase]) -> Callable[[], ModelBase]:
    """Return what makes the value of an `auto` field nobody set."""
    return filler(model, unset_variant(model))


@once
def unset_variant(model: type[ModelBase]) -> type[ModelBase]:
    """Return the hidden subclass of the objects `auto` fields make."""
    return _subclass(model, {"__eq__": _equals_known, "__unset__": True})


@lru_cache(_MOST_VARIANTS)
def extended(
    model: type[ModelBase], unknown: frozenset[str], lacking: frozenset[str] = frozenset()
) -> type[ModelBase]:
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
        return field(default_factory=Auto(cast("type[ModelBase]", kind)), name=required.wire)
    if kind in {list, dict}:
        empty = cast("Callable[[], Any]", kind)
        return field(default_factory=empty, name=required.wire)
    return field(default=zero(required.type), name=required.wire)


def unknown_attributes(kind: type[ModelBase]) -> dict[str, str]:
    """Return the attributes that hold unknown fields, by wire name; none for a model itself."""
    names: dict[str, str] = getattr(kind, "__unknown__", {})
    return names


def _usable(wire: str, model: type[ModelBase]) -> bool:
    return (
        wire.isidentifier()
        and not keyword.iskeyword(wire)
        and not wire.startswith(("_", "unknown_"))
        and not hasattr(model, wire)
    )


def _subclass(model: type[ModelBase], namespace: dict[str, Any]) -> type[ModelBase]:
    """Make a variant: a subclass that looks like the model."""
    members = {
        "__module__": model.__module__,
        "__qualname__": model.__qualname__,
        "__doc__": model.__doc__,
        "__model__": model,
        "__reduce__": _reduce,
    }
    make: Any = type(model)
    return cast("type[ModelBase]", make(model.__name__, (model,), {**members, **namespace}))


def _equals_known(self: ModelBase, other: object) -> bool:
    """Compare an object nobody set: it equals an object of its model that is as empty."""
    if type(other) is type(self):
        return bool(Struct.__eq__(self, other))
    if type(other) is not known_model(type(self)):
        return False
    return all(getattr(self, name) == getattr(other, name) for name in self.__struct_fields__)


def _reduce(self: ModelBase) -> tuple[Callable[..., ModelBase], tuple[Any, ...]]:
    """Pickle a variant by its model: the variant has no name to import it by."""
    lacking: frozenset[str] = getattr(self, "__lacking__", frozenset())
    values = set_values(self)
    for known_field in fields_of(type(self)).values() if lacking else ():
        if known_field.name in lacking and values[known_field.name] == zero(known_field.type):
            del values[known_field.name]
    unknown = frozenset(unknown_attributes(type(self)))
    return _restore, (known_model(type(self)), unknown, lacking, values)


def _restore(
    model: type[ModelBase], unknown: frozenset[str], lacking: frozenset[str], values: dict[str, Any]
) -> ModelBase:
    variant = extended(model, unknown, lacking) if unknown or lacking else unset_variant(model)
    return cast("ModelBase", construct(variant, **values))
