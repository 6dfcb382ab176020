"""Values as rules see them: typed by the schema, members called by their escaped names."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import is_array, is_object

from ..formats import parse_duration
from ..libraries import proto
from .escaped_names import spellings

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..structure import Structure


def typed(value: Any, structure: Structure) -> Any:
    """A JSON value for an expression to look at.

    Numbers become doubles where the schema says so, and strings the times, durations and bytes that
    their formats mean.
    """
    if is_object(value):
        return _object(value, structure)
    if is_array(value):
        items = structure.items
        return [typed(item, items) for item in value] if items else value
    if isinstance(value, str):
        convert = _STRINGS.get(structure.format) if structure.type == "string" else None
        return convert(value) if convert else value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(value, structure.type)
    return value


def _object(value: dict[str, Any], structure: Structure) -> dict[str, Any]:
    if structure.additional is not None:
        values = structure.additional
        return {name: typed(member, values) for name, member in value.items()}
    members: dict[str, Any] = {}
    for name, substructure in structure.properties.items():
        # For rules, a member that is null is absent.
        if value.get(name) is not None and (spelt := spellings(name)):
            member = typed(
                value[name], substructure.with_meta() if substructure.embedded else substructure
            )
            members |= dict.fromkeys(spelt, member)
    return members


def _number(value: float, schema_type: str) -> float:
    if schema_type == "number":
        return float(value)
    return int(value) if schema_type == "integer" else value


def _time(text: str) -> Any:
    timestamp = proto("timestamp_pb2").Timestamp()
    try:
        timestamp.FromJsonString(text.upper())
    except ValueError:
        return text
    return timestamp


def _date(text: str) -> Any:
    return _time(f"{text}T00:00:00Z")


def _duration(text: str) -> Any:
    duration = proto("duration_pb2").Duration()
    try:
        duration.FromNanoseconds(parse_duration(text))
    except ValueError:
        return text
    return duration


def _bytes(text: str) -> Any:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return text


_STRINGS: Final[dict[str, Callable[[str], Any]]] = {
    "date-time": _time,
    "date": _date,
    "duration": _duration,
    "byte": _bytes,
}
