"""What a model or a map has under the name of a JSON member, and whether somebody set it.

The JSON of an object does not tell: a class leaves out an empty list, whether somebody set it or
nobody did.
"""

from __future__ import annotations

from typing import cast

from msgspec import UNSET

from .base import NO_RAW, ModelBase
from .empties import UNSET_ZERO, UnsetDict, UnsetList
from .model_info import fields_of

__all__ = ["is_unset", "member"]


def member(value: object, name: str) -> object:
    """Return what a model or a map has under a wire name; None if it is neither, or has nothing."""
    if isinstance(value, ModelBase):
        field = fields_of(type(value)).get(name)
        return None if field is None else getattr(value, field.name)
    return cast("dict[str, object]", value).get(name) if isinstance(value, dict) else None


def is_unset(value: object) -> bool:
    """Report whether nobody set a value, or somebody set it to be absent."""
    if value is None or value is UNSET or value is UNSET_ZERO or value is NO_RAW:
        return True
    return isinstance(value, UnsetList | UnsetDict) or hasattr(value, "__unset__")
