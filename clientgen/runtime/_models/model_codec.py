"""Converts JSON to objects and back.

The strict decoder, which is fast, is tried first. Data that does not fit the model is then decoded
leniently (`decoder`). Raw JSON is copied out of the body: msgspec returns a view, which would keep
the whole body in memory.
"""

from __future__ import annotations

from typing import Any, Generic, TypeAlias, TypeVar, cast

import msgspec
from msgspec import Raw, Struct

from .decode_error import DecodeError
from .decoder import decode, decode_error, from_dict, malformed, read, read_either_way, to_dict
from .deep_copy import deep_copy
from .encoder import encode
from .gc_pause import GcPaused
from .json_names import replace_half_surrogates
from .lenient_decoder import WantedDecoder, decoder_of
from .meta_v1 import ModelList, PartialObjectMetadata, Status
from .model import NO_RAW, Literal, Model
from .model_info import is_path_view, viewed_model
from .once import once
from .raw_copy import unpin
from .read_times import has_other_times
from .tables import Table
from .unstructured import Object
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
M = TypeVar("M", bound=Object)
L = TypeVar("L", bound=ModelList[Any])

WatchEventType: TypeAlias = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]
"""The type of a watch event. Newer servers may send other strings."""


class WatchEvent(Struct, Generic[T], gc=False):
    """One event of a watch.

    `object` is an instance of the watched model. For BOOKMARK it has metadata only, and is a
    PartialObjectMetadata if views are watched. For ERROR it is a Status, which a watch raises as an
    error instead.
    """

    type: WatchEventType
    object: T


class _Line(Struct):
    """A watch event whose object is not decoded yet."""

    type: WatchEventType = cast("WatchEventType", "")
    object: Raw = NO_RAW


_line_decoder = msgspec.json.Decoder(_Line)


def decode_list(data: bytes, list_model: type[L], *, usable: bool = False) -> L:
    """Decode a list, or a page of a list.

    The cyclic garbage collector is paused during this, because models contain no cycles. Equal
    `fieldsV1` values are stored once.

    Args:
        data: JSON.
        list_model: the list class to decode into.
        usable: whether to require metadata that a client can continue with, as in `decode`.

    Raises:
        DecodeError: `data` is not a JSON object, or its metadata is not usable.
    """
    with GcPaused():
        decoded = read(data, list_model, usable)
        unpin(decoded, {})
    return decoded


def decode_event(line: bytes, model: type[M]) -> WatchEvent[Any]:
    """Decode one event of a watch on objects of `model`.

    Raises:
        DecodeError: `line` is not a JSON object, or contains no usable object.
    """
    try:
        event = _decode_line(line, model)
    except malformed as error:
        repaired = replace_half_surrogates(line)
        if repaired == line:
            raise decode_error(line, model, error) from None
        return decode_event(repaired, model)
    unpin(event.object, {})
    return event


def decode_events(lines: bytes, model: type[M]) -> list[WatchEvent[Any]]:
    """Decode several events of a watch on objects of `model`, one per line.

    As in `decode_list`, garbage collection is paused, and equal `fieldsV1` are stored once.

    Raises:
        DecodeError: as in `decode_event`.
    """
    with GcPaused():
        events = _decode_lines(lines, model)
        pool: dict[int, Raw] = {}
        for event in events:
            unpin(event.object, pool)
    return events


def _decode_lines(lines: bytes, model: type[M]) -> list[WatchEvent[Any]]:
    """Decode all lines at once if they are plain events that fit the model, else one by one."""
    try:
        events = _event_decoder(model).decode_lines(lines)
    except (*malformed, msgspec.ValidationError):
        events = []
    if (
        events
        and _SPECIAL_TYPES.isdisjoint([event.type for event in events])
        and not has_other_times(lines, model)
    ):
        return events
    return [decode_event(line, model) for line in lines.split(b"\n") if line]


def unknown_fields(obj: Model) -> dict[str, Raw]:
    """Return the fields that the server sent and the model lacks, by wire name."""
    unknown = {
        wire: getattr(obj, attribute) for wire, attribute in unknown_attributes(type(obj)).items()
    }
    return {wire: value for wire, value in unknown.items() if isinstance(value, Raw)}


@once
def _event_decoder(model: Any) -> msgspec.json.Decoder[WatchEvent[Any]] | WantedDecoder:
    wanted: Any = getattr(model, "__wanted__", None)
    if wanted is None:
        return decoder_of(WatchEvent[model])

    def convert(event: WatchEvent[Any]) -> WatchEvent[Any]:
        return WatchEvent(event.type, model.of_wanted(event.object))

    return WantedDecoder(WatchEvent[wanted], convert)


def _decode_line(line: bytes, model: type[M]) -> WatchEvent[Any]:
    try:
        event = _event_decoder(model).decode(line)
    except msgspec.ValidationError:
        return _decode_in_steps(line, model)
    is_plain = event.type not in _SPECIAL_TYPES and not has_other_times(line, model)
    return event if is_plain else _decode_in_steps(line, model)


def _decode_in_steps(line: bytes, model: type[M]) -> WatchEvent[Any]:
    """Decode a line in two steps: its type, then its object."""
    event = _line_decoder.decode(line)
    if event.type == "BOOKMARK":
        return WatchEvent(event.type, _decode_bookmark(event.object, model))
    if event.type == "ERROR":
        return WatchEvent(event.type, read_either_way(event.object, Status))
    return WatchEvent(event.type, read_either_way(event.object, model, usable=True))


def _decode_bookmark(data: Raw, model: type[M]) -> Any:
    """Decode the object of a bookmark: an object of the watched kind with metadata only.

    For some kinds, servers fill the other fields with noise (Kubernetes API concepts: watch
    bookmarks). A table is decoded as a whole, because its row has the metadata of the object. A
    view may lack the annotations, which say that a streaming list has ended.
    """
    if issubclass(model, Table):
        return read_either_way(data, model, usable=True)
    is_view = viewed_model(model) is not None or is_path_view(model)
    partial = read_either_way(data, PartialObjectMetadata, usable=is_view)
    return partial if is_view else read_either_way(Raw(encode(partial)), model, usable=True)


_SPECIAL_TYPES = frozenset({"BOOKMARK", "ERROR"})
