"""Converts one object from JSON: strictly and fast at first, leniently where that fails.

The objects are models, or `Unstructured`, which this module knows only as a class of dicts.
"""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import Raw

from .decode_error import DecodeError
from .encoder import encode
from .json_names import readable
from .lenient_decoder import check_usable, decoder_of, read_leniently
from .meta_v1 import PartialObjectMetadata, PartialObjectMetadataList
from .model import Model
from .model_info import is_sensitive
from .raw_copy import unpin
from .read_times import has_other_times, keep_times

__all__ = [
    "AnyObject",
    "decode",
    "decode_error",
    "from_dict",
    "malformed",
    "read",
    "read_either_way",
    "to_dict",
]

AnyObject: TypeAlias = Model | dict[str, Any]
"""A model, or a dict of one of the classes of dicts."""

M = TypeVar("M", bound=AnyObject)

_EXCERPT = 80
# In their place, a server may send whole objects.
_OF_ANY_KIND = (PartialObjectMetadata, PartialObjectMetadataList)

malformed = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""The errors of what is no JSON object."""


def decode(data: bytes, model: type[M], *, usable: bool = False) -> M:
    """Decode one object.

    Args:
        data: JSON.
        model: the class to decode into: a model, or `Unstructured`.
        usable: whether to require metadata that a client can continue with.

    Raises:
        DecodeError: `data` is not a JSON object, or its metadata is not usable. No other content is
            an error.
    """
    decoded = read(data, model, usable)
    unpin(decoded, {})
    return decoded


def to_dict(obj: object) -> dict[str, Any]:
    """Convert a model to plain dicts, lists and scalars: the data that `encode` would write."""
    data = encode(obj)
    try:
        decoded: dict[str, Any] = msgspec.json.decode(data)
    except UnicodeDecodeError:  # kept to the byte in raw JSON
        decoded = msgspec.json.decode(data.decode("utf-8", "replace"))
    return decoded


def from_dict(model: type[M], value: object) -> M:
    """Create a model from plain dicts, lists and scalars, as they come from JSON.

    Raises:
        DecodeError: `value` is not a mapping.
        ValueError: a datetime has no time zone.
        TypeError: something in `value` has no JSON form.
    """
    return decode(encode(value), model)


def read(data: bytes, model: type[M], usable: bool) -> M:
    """Read one object, or a list. Raw JSON in it is a view of `data`.

    Raises:
        DecodeError: as in `decode`.
    """
    try:
        decoded: M = read_either_way(data, model, usable)
    except malformed as error:
        better = readable(data)
        if better == data:
            raise decode_error(data, model, error) from None
        return read(better, model, usable)
    return decoded


def read_either_way(data: bytes | Raw, model: type[Any], usable: bool = False) -> Any:
    """Read one object strictly or, if that fails, leniently.

    Raises:
        One of `malformed`.
    """
    try:
        decoded = decoder_of(model).decode(data)
    except msgspec.ValidationError:
        decoded = read_leniently(data, model)
        if usable:
            check_usable(decoded, model)
    if has_other_times(data, model):
        keep_times(decoded, data)
    return decoded


def decode_error(data: bytes, model: type[Any], error: Exception) -> DecodeError:
    """Create an error with the beginning of the body, unless it may be secret."""
    what = _reason(error)
    if not issubclass(model, Model) or is_sensitive(model) or issubclass(model, _OF_ANY_KIND):
        return DecodeError(f"not a JSON {model.__name__}: {what}")
    excerpt = data[:_EXCERPT].decode("utf-8", "replace")
    return DecodeError(f"not a JSON {model.__name__}: {what}: {excerpt!r}")


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deep"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    # msgspec's words name places and types, never values.
    return str(error)
