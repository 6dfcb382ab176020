"""The two hidden variants of a model class: subclasses with the name of the model.

- The unset variant is the class of the objects that `auto` fields create. It shows the encoder
  that an empty object is unset, not set to be empty.
- The extended variant is the class of objects with unknown fields or without required fields. It
  declares unknown fields as raw JSON, so that msgspec encodes, compares and copies them like any
  other field.
"""

from __future__ import annotations

import keyword
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast, get_origin

from msgspec import Raw, Struct, field

from .base import ModelBase, ModelMeta, construct, set_values
from .json_names import field_name
from .model_info import bare, fields_of, known_model, zero, zero_model_maker
from .once import once
from .union_stand_ins import members_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .model_info import Field

# A newer server needs few extended variants: one for each set of unknown fields. The limit protects
# from servers that send other unknown fields every time.
_MAX_VARIANTS = 1024


class Auto:
    """Creates the value of an unset `auto` field: an empty object that is not sent.

    The class of the object is the unset variant, so that the encoder can distinguish the object
    from an empty object that was assigned. The latter is sent as `{}`.
    """

    __slots__ = ("_make", "model")

    def __init__(self, model: type[ModelBase]) -> None:
        self.model = model
        self._make: Callable[[], ModelBase] | None = None

    def __call__(self) -> ModelBase:
        """Create an unset object."""
        if self._make is None:
            self._make = unset_maker(self.model)
        return self._make()


@once
def unset_maker(model: type[ModelBase]) -> Callable[[], ModelBase]:
    """Return a function that creates the value of an unset `auto` field."""
    return zero_model_maker(model, unset_variant(model))


@once
def unset_variant(model: type[ModelBase]) -> type[ModelBase]:
    """Return the hidden subclass for the objects that `auto` fields create."""
    return _subclass(model, {"__eq__": _equals_known, "__unset__": True})


@lru_cache(_MAX_VARIANTS)
def extended(
    model: type[ModelBase], unknown: frozenset[str], lacking: frozenset[str] = frozenset()
) -> type[ModelBase]:
    """Return the hidden subclass for objects with unknown fields or without required fields.

    Args:
        model: the model.
        unknown: the wire names of the unknown fields. An unknown field is an attribute of the same
            name if that is possible.
        lacking: the required attributes that were not sent. They have their zero values. An
            attribute with its zero value is not sent.
    """
    names = {
        wire: wire if _can_be_attribute(wire, model) else f"unknown_{index}"
        for index, wire in enumerate(sorted(unknown))
    }
    namespace: dict[str, Any] = {name: field(name=field_name(wire)) for wire, name in names.items()}
    annotations: dict[str, Any] = dict.fromkeys(names.values(), Raw)
    for each in fields_of(model).values() if lacking else ():
        if each.name in lacking:
            annotations[each.name] = each.type
            namespace[each.name] = optional_field(each)
    if not unknown:
        namespace["__eq__"] = _equals_known
    class_members = {"__annotations__": annotations, "__unknown__": names, "__lacking__": lacking}
    return _subclass(model, {**namespace, **class_members})


def optional_field(required: Field) -> Any:
    """Declare a required field as optional, with its zero value as the default."""
    kind = next(iter(members_of(required.type)), bare(required.type))
    kind = get_origin(kind) or kind
    if isinstance(kind, ModelMeta):
        return field(default_factory=Auto(cast("type[ModelBase]", kind)), name=required.wire)
    if kind in {list, dict}:
        empty = cast("Callable[[], Any]", kind)
        return field(default_factory=empty, name=required.wire)
    return field(default=zero(required.type), name=required.wire)


def unknown_attributes(kind: type[ModelBase]) -> dict[str, str]:
    """Return the attributes with unknown fields, by wire name; empty for other classes."""
    names: dict[str, str] = getattr(kind, "__unknown__", {})
    return names


def _can_be_attribute(wire: str, model: type[ModelBase]) -> bool:
    return (
        wire.isidentifier()
        and not keyword.iskeyword(wire)
        # Names that begin with `_` are private; names that begin with `unknown_` are generated.
        and not wire.startswith(("_", "unknown_"))
        and not hasattr(model, wire)
    )


def _subclass(model: type[ModelBase], namespace: dict[str, Any]) -> type[ModelBase]:
    """Create a variant: a subclass with the name and module of the model."""
    members = {
        "__module__": model.__module__,
        "__qualname__": model.__qualname__,
        "__doc__": model.__dict__["__doc__"],
        "__model__": model,
        "__reduce__": _reduce,
    }
    make: Any = type(model)
    return cast("type[ModelBase]", make(model.__name__, (model,), {**members, **namespace}))


def _equals_known(self: ModelBase, other: object) -> bool:
    """Compare an object of a variant. It equals an object of its model with the same values."""
    if type(other) is type(self):
        return bool(Struct.__eq__(self, other))
    if type(other) is not known_model(type(self)):
        return False
    return all(getattr(self, name) == getattr(other, name) for name in self.__struct_fields__)


def _reduce(self: ModelBase) -> tuple[Callable[..., ModelBase], tuple[Any, ...]]:
    """Pickle an object of a variant with its model, because the variant cannot be imported."""
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
