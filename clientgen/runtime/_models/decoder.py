"""Decodes one object from JSON: strictly and fast first, leniently if that fails.

Objects are models or dicts of a subclass, such as `Unstructured`, which imports this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import msgspec
from msgspec import Raw

from .decode_error import DecodeError
from .encoder import encode
from .json_names import replace_half_surrogates
from .lenient_decoder import check_usable, decoder_of, read_leniently
from .meta_v1 import PartialObjectMetadata, PartialObjectMetadataList
from .model import Model
from .model_info import is_sensitive
from .raw_copy import unpin
from .read_times import has_other_times, keep_times

if TYPE_CHECKING:
    from .views import PartOf

    AnyObject: TypeAlias = Model | dict[str, Any] | PartOf[Any]
else:
    AnyObject = Model | dict[str, Any]  # views are models
"""A model, or an object without a class: a dict of a subclass such as `Unstructured`."""

M = TypeVar("M", bound=AnyObject)

_MAX_EXCERPT_BYTES = 80
# A server may send whole objects, also Secrets, where a client expects these classes.
_OF_ANY_KIND = (PartialObjectMetadata, PartialObjectMetadataList)

malformed = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""The exceptions that msgspec raises for data that is not JSON."""


def decode(data: bytes, model: type[M], *, usable: bool = False) -> M:
    """Decode one object.

    Args:
        data: JSON.
        model: the class to decode into: a model, or `Unstructured`.
        usable: whether to require metadata that a client can continue with.

    Raises:
        DecodeError: `data` is not a JSON object, or its metadata is not usable. Any other content
            is accepted.
    """
    decoded = read(data, model, usable)
    unpin(decoded, {})
    return decoded


def to_dict(obj: object) -> dict[str, Any]:
    """Convert a model to plain dicts, lists and scalars: the data that `encode` would write."""
    data = encode(obj)
    try:
        decoded: dict[str, Any] = msgspec.json.decode(data)
    except UnicodeDecodeError:  # raw JSON is sent byte for byte, and may not be UTF-8
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
    """Read one object, or a list. Raw JSON in the result is a view of `data`.

    Raises:
        DecodeError: as in `decode`.
    """
    try:
        decoded: M = read_either_way(data, model, usable)
    except malformed as error:
        repaired = replace_half_surrogates(data)
        if repaired == data:
            raise decode_error(data, model, error) from None
        return read(repaired, model, usable)
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
    """Create the error. It quotes the beginning of the body, unless the body may be secret."""
    reason = _reason_of(error)
    if not issubclass(model, Model) or is_sensitive(model) or issubclass(model, _OF_ANY_KIND):
        return DecodeError(f"not a JSON {model.__name__}: {reason}")
    excerpt = data[:_MAX_EXCERPT_BYTES].decode("utf-8", "replace")
    return DecodeError(f"not a JSON {model.__name__}: {reason}: {excerpt!r}")


def _reason_of(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    # msgspec's messages contain paths and types, never values.
    return str(error)
