"""Converts JSON to models and back.

Decoding is strict and fast at first. If data does not fit the model, it is decoded leniently and
never rejected. Raw JSON is copied out of the body: msgspec keeps a view, which would keep the whole
body in memory.
"""

from __future__ import annotations

from typing import Any, Generic, TypeAlias, TypeVar, cast

import msgspec
from msgspec import Raw, Struct

from .decode_error import DecodeError
from .deep_copy import deep_copy
from .encoder import encode
from .gc_pause import GcPaused
from .json_names import readable
from .lenient_decoder import check_usable, decoder_of, read_leniently
from .meta_v1 import ModelList, PartialObjectMetadata, Status
from .model import NO_RAW, Literal, Model
from .model_info import is_sensitive
from .once import once
from .raw_copy import unpin
from .variants import unknown_attributes

__all__ = [
    "DecodeError",
    "WatchEvent",
    "WatchEventType",
    "decode",
    "decode_event",
    "decode_events",
    "decode_list",
    "deep_copy",
    "encode",
    "from_dict",
    "to_dict",
    "unknown_fields",
]

T = TypeVar("T")
M = TypeVar("M", bound=Model)
L = TypeVar("L", bound=ModelList[Any])

_EXCERPT = 80

WatchEventType: TypeAlias = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]
"""The type of a watch event. Newer servers may send other strings."""


class WatchEvent(Struct, Generic[T], gc=False):
    """One event of a watch.

    `object` is an instance of the watched model. For BOOKMARK it has metadata only. For ERROR it is
    a Status, which a watch raises as an error instead.
    """

    type: WatchEventType
    object: T


class _Line(Struct):
    """A watch event whose object is not decoded yet."""

    type: WatchEventType = cast("WatchEventType", "")
    object: Raw = NO_RAW


_line = msgspec.json.Decoder(_Line)
_malformed = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def decode(data: bytes, model: type[M], *, usable: bool = False) -> M:
    """Decode one object.

    Args:
        data: JSON.
        model: the class to decode into.
        usable: whether to require metadata that a client can continue with.

    Raises:
        DecodeError: `data` is not a JSON object, or its metadata is not usable. No other content is
            an error.
    """
    decoded = _read(data, model, usable)
    unpin(decoded, {})
    return decoded


def decode_list(data: bytes, list_model: type[L], *, usable: bool = False) -> L:
    """Decode a list, or a page of a list, at once.

    Garbage collection is paused meanwhile, because models contain no cycles. Equal `fieldsV1`
    values are stored once.

    Raises:
        DecodeError: `data` is not a JSON object, or not usable, as in `decode`.
    """
    with GcPaused():
        decoded = _read(data, list_model, usable)
        unpin(decoded, {})
    return decoded


def decode_event(line: bytes, model: type[M]) -> WatchEvent[Any]:
    """Decode one event of a watch on objects of `model`.

    Raises:
        DecodeError: `line` is not a JSON object, or contains no usable object.
    """
    try:
        event = _read_event(line, model)
    except _malformed as error:
        better = readable(line)
        if better == line:
            raise _decode_error(line, model, error) from None
        return decode_event(better, model)
    unpin(event.object, {})
    return event


def decode_events(lines: bytes, model: type[M]) -> list[WatchEvent[Any]]:
    """Decode several events of a watch on objects of `model` at once, like `decode_list`.

    Raises:
        DecodeError: as in `decode_event`.
    """
    with GcPaused():
        events = _decode_lines(lines, model)
        pool: dict[int, Raw] = {}
        for event in events:
            unpin(event.object, pool)
    return events


def _decode_lines(lines: bytes, model: type[Model]) -> list[WatchEvent[Any]]:
    try:
        events = _event_decoder(model).decode_lines(lines)
    except (*_malformed, msgspec.ValidationError):
        events = []
    if events and _SPECIAL.isdisjoint([event.type for event in events]):
        return events
    return [decode_event(line, model) for line in lines.split(b"\n") if line]


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


def unknown_fields(obj: Model) -> dict[str, Raw]:
    """Return the fields that the server sent and the model lacks, by wire name."""
    unknown = {
        wire: getattr(obj, attribute) for wire, attribute in unknown_attributes(type(obj)).items()
    }
    return {wire: value for wire, value in unknown.items() if isinstance(value, Raw)}


def _read(data: bytes, model: type[M], usable: bool) -> M:
    try:
        decoded = _read_either_way(data, model, usable)
    except _malformed as error:
        better = readable(data)
        if better == data:
            raise _decode_error(data, model, error) from None
        return _read(better, model, usable)
    return cast("M", decoded)


def _read_either_way(data: bytes | Raw, model: type[Model], usable: bool = False) -> Any:
    try:
        return decoder_of(model).decode(data)
    except msgspec.ValidationError:
        decoded = read_leniently(data, model)
    if usable:
        check_usable(decoded, model)
    return decoded


@once
def _event_decoder(model: Any) -> msgspec.json.Decoder[WatchEvent[Any]]:
    return decoder_of(WatchEvent[model])


def _read_event(line: bytes, model: type[Model]) -> WatchEvent[Any]:
    try:
        event = _event_decoder(model).decode(line)
    except msgspec.ValidationError:
        return _read_line(line, model)
    return _read_line(line, model) if event.type in _SPECIAL else event


def _read_line(line: bytes, model: type[Model]) -> WatchEvent[Any]:
    """Decode a line in two steps: its type, then its object."""
    event = _line.decode(line)
    if event.type == "BOOKMARK":
        return WatchEvent(event.type, _bookmarked(event.object, model))
    if event.type == "ERROR":
        return WatchEvent(event.type, _read_either_way(event.object, Status))
    return WatchEvent(event.type, _read_either_way(event.object, model, usable=True))


def _bookmarked(data: Raw, model: type[Model]) -> Any:
    """Return an object of the watched kind that has only metadata.

    For some kinds, the rest of a bookmark is noise (Kubernetes API concepts: watch bookmarks).
    """
    partial = _read_either_way(data, PartialObjectMetadata)
    return _read_either_way(Raw(encode(partial)), model, usable=True)


_SPECIAL = frozenset({"BOOKMARK", "ERROR"})


def _decode_error(data: bytes, model: type[Model], error: Exception) -> DecodeError:
    """Create an error with the beginning of the body, unless it may be secret."""
    what = _reason(error)
    if is_sensitive(model):
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
