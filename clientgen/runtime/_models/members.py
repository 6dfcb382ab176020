"""Reads a member of a model or dict by its JSON name, and finds out whether it is set.

The JSON of an object does not show which empty lists are set, because most are left out anyway.
"""

from __future__ import annotations

from typing import cast

from msgspec import UNSET

from .base import NO_RAW, ModelBase
from .empties import UNSET_ZERO, UnsetDict, UnsetList
from .model_info import fields_of


def member(value: object, name: str) -> object:
    """Return the member with a wire name of a model or dict; None if there is no such member."""
    if isinstance(value, ModelBase):
        field = fields_of(type(value)).get(name)
        return None if field is None else getattr(value, field.name)
    return cast("dict[str, object]", value).get(name) if isinstance(value, dict) else None


def is_unset(value: object) -> bool:
    """Return whether a value is unset, or set to None."""
    if value is None or value is UNSET or value is UNSET_ZERO or value is NO_RAW:
        return True
    return isinstance(value, UnsetList | UnsetDict) or hasattr(value, "__unset__")
