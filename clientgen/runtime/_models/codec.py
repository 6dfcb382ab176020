"""JSON to models and back.

Reading is strict and fast first; what is not as the model says is then read leniently, never
refused. Raw JSON is copied out of what was read: msgspec keeps a view, which would keep the whole
body alive.
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
"""What a line of a watch tells. What a newer server may send besides is a text like any other."""


class WatchEvent(Struct, Generic[T], gc=False):
    """One line of a watch.

    `object` is of the watched model, after BOOKMARK with metadata only, and a Status after ERROR,
    which a watch raises instead.
    """

    type: WatchEventType
    object: T


class _Line(Struct):
    """A line of a watch whose object is not decoded yet."""

    type: WatchEventType = cast("WatchEventType", "")
    object: Raw = NO_RAW


_line = msgspec.json.Decoder(_Line)
_malformed = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def decode(data: bytes, model: type[M], *, usable: bool = False) -> M:
    """Read one object.

    Args:
        data: JSON.
        model: the class to make of it.
        usable: whether its metadata has to be such that a client can go on with it.

    Raises:
        DecodeError: `data` is not a JSON object, or of no use. Nothing else a server may send is
            an error.
    """
    decoded = _read(data, model, usable)
    unpin(decoded, {})
    return decoded


def decode_list(data: bytes, list_model: type[L], *, usable: bool = False) -> L:
    """Read a list, or a page of one, in one go.

    The cyclic garbage collector rests meanwhile, as models hold no cycles. Equal `fieldsV1` are
    kept once.

    Raises:
        DecodeError: `data` is not a JSON object, or of no use, as for `decode`.
    """
    with GcPaused():
        decoded = _read(data, list_model, usable)
        unpin(decoded, {})
    return decoded


def decode_event(line: bytes, model: type[M]) -> WatchEvent[Any]:
    """Read one line of a watch on objects of `model`.

    Raises:
        DecodeError: `line` is not a JSON object, or holds none that a client can go on with.
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
    """Read some lines of a watch on objects of `model` in one go, as `decode_list` does.

    Raises:
        DecodeError: as `decode_event`.
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
    """Return what `encode` would write as plain dicts, lists and scalars."""
    data = encode(obj)
    try:
        decoded: dict[str, Any] = msgspec.json.decode(data)
    except UnicodeDecodeError:  # kept to the byte in raw JSON
        decoded = msgspec.json.decode(data.decode("utf-8", "replace"))
    return decoded


def from_dict(model: type[M], value: object) -> M:
    """Read a model from plain dicts, lists and scalars, as from JSON.

    Raises:
        DecodeError: `value` is not a mapping.
        ValueError: a datetime has no zone.
        TypeError: something in `value` has no JSON form.
    """
    return decode(encode(value), model)


def unknown_fields(obj: Model) -> dict[str, Raw]:
    """Return the fields the server sent and the model does not know, by their wire name."""
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
    """Read a line in two steps: its type, then its object."""
    event = _line.decode(line)
    if event.type == "BOOKMARK":
        return WatchEvent(event.type, _bookmarked(event.object, model))
    if event.type == "ERROR":
        return WatchEvent(event.type, _read_either_way(event.object, Status))
    return WatchEvent(event.type, _read_either_way(event.object, model, usable=True))


def _bookmarked(data: Raw, model: type[Model]) -> Any:
    """An object of the watched kind that has metadata and nothing else.

    The rest of a bookmark is noise for some kinds (Kubernetes API concepts: watch bookmarks).
    """
    partial = _read_either_way(data, PartialObjectMetadata)
    return _read_either_way(Raw(encode(partial)), model, usable=True)


_SPECIAL = frozenset({"BOOKMARK", "ERROR"})


def _decode_error(data: bytes, model: type[Model], error: Exception) -> DecodeError:
    """Say what is wrong, with the beginning of the body unless it may be secret."""
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
