"""Times that are sent back with the text that they were read from.

msgspec reads a time as a datetime, which has microseconds and no notation. msgspec could write the
time with another text: fewer digits, or `Z` for `+00:00`. For the server, this is a change. So a
time whose text would change is read as a `ReadTime`, which keeps the text.

Kubernetes writes the times of its own kinds, and of all metadata, in a single notation
(apimachinery: Time and MicroTime of meta/v1), so these times are not checked. Custom resources are
stored with the text that was sent.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, cast, get_args, get_origin

import msgspec
from msgspec import Raw

from .base import ModelBase, assign
from .meta_v1 import ModelList, ObjectMeta
from .model import MICRO
from .model_info import Field, fields_of, known_model, leading_to, viewed_model
from .once import once

_MICROSECONDS = re.compile(r"(.{19}\.[0-9]{6})[0-9]*(.*)", re.DOTALL)
_MINUTES = re.compile(rb':[0-9]{2}"')  # the end of an offset such as +02:00
_COLON, _DOT, _QUOTE, _T = b':."T'
_SIGNS = b"+-"
_NEVER, _BY_TEXT, _ALWAYS = 0, 1, 2
_MICRO_DIGITS, _ZERO_MICROS = 6, b"000000"
# The groups of Kubernetes' own kinds. Other groups in k8s.io have custom resources.
_KUBERNETES_GROUPS = frozenset(
    {"", "apps", "autoscaling", "batch", "extensions", "policy"}.union(
        f"{name}.k8s.io"
        for name in (
            "admission",
            "admissionregistration",
            "apidiscovery",
            "apiextensions",
            "apiregistration",
            "authentication",
            "authorization",
            "certificates",
            "coordination",
            "discovery",
            "events",
            "flowcontrol.apiserver",
            "imagepolicy",
            "internal.apiserver",
            "meta",
            "networking",
            "node",
            "rbac.authorization",
            "resource",
            "scheduling",
            "storage",
            "storagemigration",
        )
    )
)


class ReadTime(datetime):
    """A datetime with the text that it was read from.

    Arithmetic and `replace` return plain datetimes, because the text does not fit another time.
    """

    __slots__ = ("is_micro", "text")

    text: str
    is_micro: bool
    """Whether the time is a MicroTime."""

    def __new__(cls, *parts: Any, **named: Any) -> Any:
        """Create a plain datetime: arithmetic calls this. `_new_read_time` creates a ReadTime."""
        return datetime(*parts, **named)  # noqa: DTZ001 - the zone is among the arguments

    @property
    def plain(self) -> datetime:
        """The time without its text."""
        return datetime.combine(self.date(), self.timetz())

    def replace(self, *parts: Any, **named: Any) -> Any:
        """Return a datetime with some parts replaced."""
        return self.plain.replace(*parts, **named)

    def astimezone(self, tz: Any = None) -> Any:
        """Return the same instant in a time zone."""
        return self.plain.astimezone(tz)

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        return _new_read_time, (self.plain, self.text, self.is_micro)

    def __repr__(self) -> str:
        return repr(self.plain)


def _new_read_time(time: datetime, text: str, is_micro: bool) -> datetime:
    time_with_text: ReadTime = datetime.__new__(
        ReadTime,
        *time.timetuple()[:6],
        time.microsecond,
        time.tzinfo,
        fold=time.fold,
    )
    time_with_text.text, time_with_text.is_micro = text, is_micro
    return time_with_text


def has_other_times(data: bytes | Raw, model: type[Any]) -> bool:
    """Return whether `data` may contain times that would be written with another text.

    The ends of times are searched: `Z`, which is rare in JSON, and offsets.
    """
    check = _check_for(model)
    if check != _BY_TEXT:
        return check == _ALWAYS
    data = bytes(data)
    return _has_unusual_utc_time(data) or _has_offset(data)


def _has_unusual_utc_time(data: bytes) -> bool:
    """Return whether `data` may contain a time in UTC that msgspec would write in another way.

    msgspec writes `T12:00:00Z` or `T12:00:00.123456Z`. This runs for every decoded body, so it
    compares bytes at fixed distances from the end instead of matching a regular expression.
    """
    find = data.find
    end = find(b"Z", 20)
    while end >= 0:
        if data[end + 1] == _QUOTE:
            begin = end if data[end - 3] == _COLON else end - _MICRO_DIGITS - 1
            if data[begin - 9] != _T:
                return True
            if begin != end and (data[begin] != _DOT or data[begin + 1 : end] == _ZERO_MICROS):
                return True
        end = find(b"Z", end + 1)
    return False


def _has_offset(data: bytes) -> bool:
    """Return whether `data` may contain a time that ends in an offset or in a lower-case `z`."""
    if any(data[found.start() - 3] in _SIGNS for found in _MINUTES.finditer(data)):
        return True
    end = data.find(b'z"')
    while end >= 0 and not data[end - 1 : end].isdigit():
        end = data.find(b'z"', end + 1)
    return end >= 0


@once
def _check_for(model: type[Any]) -> int:
    """Return when decoded objects of a model need `keep_times`: _NEVER, _ALWAYS or _BY_TEXT."""
    if not issubclass(model, ModelBase):
        return _NEVER
    kind = known_model(model)
    if issubclass(cast("type", kind), ModelList) and "items" in fields_of(kind):
        (kind,) = get_args(fields_of(kind)["items"].type)
        if not isinstance(kind, type) or not issubclass(kind, ModelBase):
            return _NEVER
    if viewed_model(kind) is not None:
        return _NEVER  # a view is not sent back
    fields, constants = fields_of(kind), kind.__constants__
    if "apiVersion" in fields and "metadata" in fields:
        api_version = str(constants.get(fields["apiVersion"].name, ""))
        if api_version and api_version.rpartition("/")[0] in _KUBERNETES_GROUPS:
            return _NEVER
    # The server writes the times in metadata, also in the metadata of custom resources.
    if all(field.type is ObjectMeta for field in _fields_with_times(kind)):
        return _NEVER
    # The text does not show whether a time is a MicroTime, which is written in another way.
    return _ALWAYS if _has_micro(kind) else _BY_TEXT


def keep_times(obj: Any, data: bytes | Raw) -> None:
    """Replace times in a decoded model by ReadTimes where their text would change."""
    _keep_in(obj, msgspec.json.decode(data))


def _keep_in(value: Any, raw: Any, is_micro: bool = False) -> None:
    """Replace the times in a value that was decoded from `raw`."""
    if isinstance(value, ModelBase):
        if isinstance(raw, dict):
            _keep_in_fields(value, cast("dict[str, Any]", raw))
        return
    items, texts = value, raw
    keys: list[Any] = []
    if isinstance(value, list) and isinstance(raw, list):
        keys = [*range(len(items))]
    elif isinstance(value, dict) and isinstance(raw, dict):
        keys = [*items]
    for key in keys:
        if isinstance(items[key], datetime):
            items[key] = _with_text(items[key], texts[key], is_micro)
        else:
            _keep_in(items[key], texts[key], is_micro)


def _keep_in_fields(obj: ModelBase, raw: dict[str, Any]) -> None:
    for name, wire, is_micro in _time_attributes(known_model(type(obj))):
        value, text = getattr(obj, name), raw.get(wire)
        if isinstance(value, datetime):
            assign(obj, name, _with_text(value, text, is_micro))
        else:
            _keep_in(value, text, is_micro)


def _with_text(time: datetime, text: object, is_micro: bool) -> datetime:
    """Return a ReadTime if the time would be written with another text, else the time itself."""
    if not isinstance(text, str) or _default_text(time, is_micro) == text:
        return time
    # Nanoseconds are cut off: msgspec would round them, possibly up to the next day.
    shorter = _MICROSECONDS.sub(r"\1\2", text)
    return _new_read_time(msgspec.convert(shorter, datetime), text, is_micro)


def _default_text(time: datetime, is_micro: bool) -> str:
    if is_micro:
        return time.isoformat(timespec="microseconds").replace("+00:00", "Z")
    return msgspec.json.encode(time).decode()[1:-1]


@once
def _time_attributes(model: type[ModelBase]) -> tuple[tuple[str, str, bool], ...]:
    """Return (name, wire name, is a MicroTime) of each attribute that contains times."""
    return tuple(
        (field.name, field.wire, _is_micro(field.type)) for field in _fields_with_times(model)
    )


def _fields_with_times(model: type[ModelBase]) -> list[Field]:
    names = leading_to(model, _has_times)
    return [
        field
        for field in fields_of(model).values()
        if field.name in names or _contains_type(field.type, datetime)
    ]


def _has_times(model: type[ModelBase]) -> bool:
    return any(_contains_type(field.type, datetime) for field in fields_of(model).values())


def _has_micro(model: type[ModelBase]) -> bool:
    def has(kind: type[ModelBase]) -> bool:
        return any(_is_micro(field.type) for field in fields_of(kind).values())

    return has(model) or bool(leading_to(model, has))


def _contains_type(annotation: Any, wanted: type) -> bool:
    if annotation is wanted:
        return True
    return any(_contains_type(inner, wanted) for inner in get_args(annotation))


def _is_micro(annotation: Any) -> bool:
    if get_origin(annotation) is Annotated and MICRO in get_args(annotation):
        return True
    return any(_is_micro(inner) for inner in get_args(annotation))
