"""Times that are written as they were read.

msgspec reads a time into a datetime, which has microseconds and forgets the notation. Written back
it has another text: fewer digits, `Z` for `+00:00`. To a server that is a change. So a time whose
text would change is read into a datetime that remembers its text.

Kubernetes writes the times of its own kinds, and of all metadata, in one notation only
(apimachinery: Time and MicroTime of meta/v1), so these need no look. Custom resources are stored as
they were sent.
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
from .model_info import Field, fields_of, known_model, leading_to
from .once import once

__all__ = ["ReadTime", "has_other_times", "keep_times"]

_PARTS = re.compile(r"(.{19}\.[0-9]{6})[0-9]*(.*)", re.DOTALL)
_MINUTES = re.compile(rb':[0-9]{2}"')  # of an offset
_COLON, _DOT, _QUOTE, _T = b':."T'
_SIGNS = b"+-"
_MILLIONTH, _NONE = 6, b"000000"
# The groups of Kubernetes' own kinds; others of k8s.io are of custom resources.
_KUBERNETES = frozenset(
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

    What is computed from it is a plain datetime: another time has another text.
    """

    __slots__ = ("is_micro", "text")

    text: str
    is_micro: bool
    """Whether it was read as a MicroTime."""

    def __new__(cls, *parts: Any, **named: Any) -> Any:
        """Make a plain datetime: arithmetic calls this."""
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
        return _restored, (self.plain, self.text, self.is_micro)

    def __repr__(self) -> str:
        return repr(self.plain)


def _restored(time: datetime, text: str, is_micro: bool) -> datetime:
    kept: ReadTime = datetime.__new__(
        ReadTime,
        *time.timetuple()[:6],
        time.microsecond,
        time.tzinfo,
        fold=time.fold,
    )
    kept.text, kept.is_micro = text, is_micro
    return kept


def has_other_times(data: bytes | Raw, model: type[Any]) -> bool:
    """Tell whether there may be times that would be written with another text.

    It looks at the ends of times: `Z`, which is rare in JSON, and offsets.
    """
    looks = _looks_of(model)
    if not looks:
        return False
    if looks > 1:
        return True
    data = bytes(data)
    return _has_other_utc(data) or _has_offset(data)


def _has_other_utc(data: bytes) -> bool:
    find = data.find
    end = find(b"Z", 20)
    while end >= 0:
        if data[end + 1] == _QUOTE:
            begin = end if data[end - 3] == _COLON else end - _MILLIONTH - 1
            if data[begin - 9] != _T:
                return True
            if begin != end and (data[begin] != _DOT or data[begin + 1 : end] == _NONE):
                return True
        end = find(b"Z", end + 1)
    return False


def _has_offset(data: bytes) -> bool:
    if any(data[found.start() - 3] in _SIGNS for found in _MINUTES.finditer(data)):
        return True
    end = data.find(b'z"')
    while end >= 0 and not data[end - 1 : end].isdigit():
        end = data.find(b'z"', end + 1)
    return end >= 0


@once
def _looks_of(model: type[Any]) -> int:
    """Return how times in a model are looked for: not, by their text, or always."""
    if not issubclass(model, ModelBase):
        return 0
    kind = known_model(model)
    if issubclass(cast("type", kind), ModelList) and "items" in fields_of(kind):
        (kind,) = get_args(fields_of(kind)["items"].type)
        if not isinstance(kind, type) or not issubclass(kind, ModelBase):
            return 0
    fields, constants = fields_of(kind), kind.__constants__
    if "apiVersion" in fields and "metadata" in fields:
        api_version = str(constants.get(fields["apiVersion"].name, ""))
        if api_version and api_version.rpartition("/")[0] in _KUBERNETES:
            return 0
    # The server writes the times in metadata, of custom resources, too.
    if all(field.type is ObjectMeta for field in _leading(kind)):
        return 0
    return 2 if _has_micro(kind) else 1


def keep_times(obj: Any, data: bytes | Raw) -> None:
    """Let the times of a model that was just read remember their texts, where these are lost."""
    _keep(obj, msgspec.json.decode(data))


def _keep(value: Any, raw: Any, is_micro: bool = False) -> None:
    """Do that for what was read from `raw`."""
    if isinstance(value, ModelBase):
        if isinstance(raw, dict):
            _keep_fields(value, cast("dict[str, Any]", raw))
        return
    items, texts = value, raw
    keys: list[Any] = []
    if isinstance(value, list) and isinstance(raw, list):
        keys = [*range(len(items))]
    elif isinstance(value, dict) and isinstance(raw, dict):
        keys = [*items]
    for key in keys:
        if isinstance(items[key], datetime):
            items[key] = _kept(items[key], texts[key], is_micro)
        else:
            _keep(items[key], texts[key], is_micro)


def _keep_fields(obj: ModelBase, raw: dict[str, Any]) -> None:
    for name, wire, is_micro in _plan(known_model(type(obj))):
        value, text = getattr(obj, name), raw.get(wire)
        if isinstance(value, datetime):
            assign(obj, name, _kept(value, text, is_micro))
        else:
            _keep(value, text, is_micro)


def _kept(time: datetime, text: object, is_micro: bool) -> datetime:
    """Return a time that remembers its text, if it would be written with another one."""
    if not isinstance(text, str) or _written(time, is_micro) == text:
        return time
    # msgspec rounds nanoseconds, which may give the next day.
    shorter = _PARTS.sub(r"\1\2", text)
    return _restored(msgspec.convert(shorter, datetime), text, is_micro)


def _written(time: datetime, is_micro: bool) -> str:
    if is_micro:
        return time.isoformat(timespec="microseconds").replace("+00:00", "Z")
    return msgspec.json.encode(time).decode()[1:-1]


@once
def _plan(model: type[ModelBase]) -> tuple[tuple[str, str, bool], ...]:
    """Return the attributes that have times, or lead to some, and their wire names."""
    return tuple((field.name, field.wire, _is_micro(field.type)) for field in _leading(model))


def _leading(model: type[ModelBase]) -> list[Field]:
    leading = leading_to(model, _has_times)
    return [
        field
        for field in fields_of(model).values()
        if field.name in leading or _mentions(field.type, datetime)
    ]


def _has_times(model: type[ModelBase]) -> bool:
    return any(_mentions(field.type, datetime) for field in fields_of(model).values())


def _has_micro(model: type[ModelBase]) -> bool:
    def has(kind: type[ModelBase]) -> bool:
        return any(_is_micro(field.type) for field in fields_of(kind).values())

    return has(model) or bool(leading_to(model, has))


def _mentions(annotation: Any, wanted: type) -> bool:
    if annotation is wanted:
        return True
    return any(_mentions(inner, wanted) for inner in get_args(annotation))


def _is_micro(annotation: Any) -> bool:
    if get_origin(annotation) is Annotated and MICRO in get_args(annotation):
        return True
    return any(_is_micro(inner) for inner in get_args(annotation))
