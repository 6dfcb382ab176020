"""The rules of an event recorder: which events are aggregated, and which are written.

Two APIs store events. For events.k8s.io/v1 (client-go: tools/events), equal events become a series:
its count is written when the series begins and ends, and every half hour. For core/v1 (client-go:
tools/record), each repetition updates a count; many events that differ only in their message are
combined, and a spam filter drops events if an object has too many.

Nothing here waits or reads a clock: monotonic times and the times to write are arguments.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from msgspec import Struct

from .._http.path_segments import is_name
from .._http.resource import Resource

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

EVENTS: Final = Resource("events.k8s.io", "v1", "events", "Event")
"""The resource of events.k8s.io/v1, the default."""
CORE_EVENTS: Final = Resource("", "v1", "events", "Event")
"""The resource of core/v1."""

MAX_KEYS: Final = 4096
"""The maximum number of different events that are remembered."""
MAX_NOTE_BYTES: Final = 1024
MAX_SHORT_CHARACTERS: Final = 128

# core/v1
MAX_SIMILAR: Final = 10
SIMILAR_INTERVAL_SECONDS: Final = 600.0
SPAM_BURST: Final = 25
SPAM_REFILL_SECONDS: Final = 300.0
COMBINED_PREFIX: Final = "(combined from similar events): "

# events.k8s.io/v1
REFRESH_INTERVAL_SECONDS: Final = 1800.0
FINISH_INTERVAL_SECONDS: Final = 360.0

_NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_MAX_NAME_CHARACTERS: Final = 253

K = TypeVar("K")
V = TypeVar("V")


class Reference(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A reference to the object of an event."""

    api_version: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    resource_version: str = ""
    field_path: str = ""

    @classmethod
    def to(cls, obj: Any) -> Reference:
        """Create a reference to a model or to a dict in the API's form, or copy a reference.

        Raises:
            ValueError: The object has no apiVersion, kind or name.
        """
        get, kind = _field_reader(obj), type(cast("object", obj)).__name__
        metadata = get("metadata")
        inner = get if metadata is None else _field_reader(metadata)
        reference = cls(
            api_version=get("apiVersion") or "",
            kind=get("kind") or "",
            namespace=inner("namespace") or "",
            name=inner("name") or "",
            uid=inner("uid") or "",
            resource_version=inner("resourceVersion") or "",
            field_path=get("fieldPath") or "",
        )
        if not (
            is_name(reference.api_version) and is_name(reference.kind) and is_name(reference.name)
        ):
            raise ValueError(
                f"the object of an event needs an apiVersion, a kind and a name, but {kind} has"
                f" {reference}"
            )
        return reference

    @property
    def wire(self) -> dict[str, str]:
        """The reference as JSON."""
        names = dict(zip(self.__struct_fields__, self.__struct_encode_fields__, strict=True))
        return {wire: value for name, wire in names.items() if (value := getattr(self, name))}


_ATTRIBUTES: Final = {
    "apiVersion": "api_version",
    "resourceVersion": "resource_version",
    "fieldPath": "field_path",
}


def _field_reader(obj: Any) -> Callable[[str], Any]:
    if isinstance(obj, Mapping):
        return cast("Mapping[str, Any]", obj).get
    return lambda name: getattr(obj, _ATTRIBUTES.get(name, name), None)


class EventReport(Struct, frozen=True, kw_only=True):
    """An event that a program reports to a recorder."""

    regarding: Reference
    type: str
    reason: str
    note: str
    action: str
    related: Reference | None
    annotations: Mapping[str, str]
    name: str
    """The name of the event."""
    time: datetime
    controller: str
    instance: str

    @property
    def namespace(self) -> str:
        """The namespace of the event."""
        return self.regarding.namespace or "default"


class Write(Struct, kw_only=True):
    """A request to send: the creation or the update of an event."""

    namespace: str
    name: str
    body: dict[str, Any]
    """The whole event."""
    patch: dict[str, Any] | None = None
    """The change of an existing event; None to create it. A deleted event is created again."""


def micro_time(time: datetime) -> str:
    """Format a MicroTime, always with six digits."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def second_time(time: datetime) -> str:
    """Format a Time."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def event_name(obj: str, nanoseconds: int) -> str | None:
    """Return the name of an event about an object; None if it is not a valid name."""
    name = f"{obj}.{nanoseconds:x}"
    return name if len(name) <= _MAX_NAME_CHARACTERS and _NAME.fullmatch(name) else None


def truncate(text: str, max_size: int = MAX_NOTE_BYTES) -> str:
    """Truncate a text to a number of bytes, at a character boundary."""
    data = text.encode()
    return text if len(data) <= max_size else data[:max_size].decode(errors="ignore")


class LruCache(Generic[K, V]):
    """A dict that drops the least recently used key when it is full."""

    def __init__(self, max_size: int = MAX_KEYS) -> None:
        self._max_size = max_size
        self._values: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        """Look up a key, and mark it as used."""
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key]

    def put(self, key: K, value: V) -> None:
        """Store a value. A full cache drops the least recently used value."""
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._max_size:
            self._values.popitem(last=False)

    def drop(self, key: K) -> None:
        """Forget a key."""
        self._values.pop(key, None)

    def items(self) -> list[tuple[K, V]]:
        """List all items."""
        return [*self._values.items()]


# ---- events.k8s.io/v1 -------------------------------------------------------------------------


class _EventSeries(Struct):
    """A series of equal events."""

    write: Write
    count: int
    written: int
    """The count that the server has."""
    last: datetime
    last_at: float


class Series:
    """The rules of events.k8s.io/v1: equal events are written as one event.

    The second of these events starts a series. Events that differ only in their notes are equal.
    """

    def __init__(self, max_keys: int = MAX_KEYS) -> None:
        self._series_by_key: LruCache[Hashable, _EventSeries] = LruCache(max_keys)
        self._next_refresh: float | None = None
        self._next_finish: float | None = None

    def __len__(self) -> int:
        return len(self._series_by_key)

    def report(self, event: EventReport, now: float) -> Write | None:
        """Return the write of the first event, or of the series after the second event.

        Later events are only counted.
        """
        if self._next_refresh is None or self._next_finish is None:
            self._next_refresh, self._next_finish = (
                now + REFRESH_INTERVAL_SECONDS,
                now + FINISH_INTERVAL_SECONDS,
            )
        key = (
            (event.type, event.action, event.reason, event.controller, event.instance),
            (event.regarding, event.related),
        )
        series = self._series_by_key.get(key)
        if series is None:
            write = Write(namespace=event.namespace, name=event.name, body=_event_body(event))
            self._series_by_key.put(key, _EventSeries(write, 1, 1, event.time, now))
            return write
        series.count, series.last, series.last_at = series.count + 1, event.time, now
        return _series_write(series) if series.count == 2 else None  # noqa: PLR2004

    def due(self, now: float, *, everything: bool = False) -> list[Write]:
        """Return the writes that are due.

        A count that has grown is written every half hour, and when its series has ended.
        """
        writes: list[Write] = []
        if self._next_finish is not None and now >= self._next_finish:
            self._next_finish = now + FINISH_INTERVAL_SECONDS
            for key, series in self._series_by_key.items():
                if series.last_at <= now - FINISH_INTERVAL_SECONDS:
                    writes += _grown_count(series)
                    self._series_by_key.drop(key)
        refreshes = self._next_refresh is not None and now >= self._next_refresh
        if refreshes or everything:
            self._next_refresh = now + REFRESH_INTERVAL_SECONDS
            writes += [
                write for _, series in self._series_by_key.items() for write in _grown_count(series)
            ]
        return writes

    @property
    def next_due(self) -> float | None:
        """The earliest time at which `due` may return requests."""
        if self._next_refresh is None or self._next_finish is None or not self._series_by_key:
            return None
        return min(self._next_refresh, self._next_finish)


def _grown_count(series: _EventSeries) -> list[Write]:
    return [_series_write(series)] if series.count > series.written else []


def _series_write(series: _EventSeries) -> Write:
    series.written = series.count
    patch = {"series": {"count": series.count, "lastObservedTime": micro_time(series.last)}}
    write = series.write
    body = {**write.body, **patch}
    return Write(namespace=write.namespace, name=write.name, body=body, patch=patch)


def _event_body(event: EventReport) -> dict[str, Any]:
    body: dict[str, Any] = {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": _metadata(event),
        "eventTime": micro_time(event.time),
        "reportingController": event.controller,
        "reportingInstance": event.instance,
        "action": event.action,
        "reason": event.reason,
        "regarding": event.regarding.wire,
        "note": event.note,
        "type": event.type,
    }
    return {**body, "related": event.related.wire} if event.related else body


def _metadata(event: EventReport) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": event.name, "namespace": event.namespace}
    return {**metadata, "annotations": dict(event.annotations)} if event.annotations else metadata


# ---- core/v1 ----------------------------------------------------------------------------------


class _Similar(Struct):
    """The messages of events that are equal otherwise."""

    messages: set[str]
    last_at: float


class _Bucket(Struct):
    """The spam filter's budget of an object: a burst of events, then one event in five minutes."""

    tokens: float
    updated: float

    def take(self, now: float) -> bool:
        earned = max(0.0, now - self.updated) / SPAM_REFILL_SECONDS
        self.tokens, self.updated = min(float(SPAM_BURST), self.tokens + earned), now
        if self.tokens < 1.0:
            return False
        self.tokens -= 1.0
        return True


class _Counted(Struct):
    """An event that was written before, and its count."""

    name: str
    count: int
    first: datetime


class Correlator:
    """The rules of core/v1: combine, count, and filter spam, in this order."""

    next_due: float | None = None

    def __init__(self, max_keys: int = MAX_KEYS) -> None:
        self._similar: LruCache[Hashable, _Similar] = LruCache(max_keys)
        self._counted: LruCache[Hashable, _Counted] = LruCache(max_keys)
        self._buckets: LruCache[Hashable, _Bucket] = LruCache(max_keys)

    def report(self, event: EventReport, now: float) -> Write | None:
        """Return the event or its new count; None if the spam filter drops it."""
        about = event.regarding
        source = (event.controller, event.instance)
        subject = (about.kind, about.namespace, about.name, about.uid, about.api_version)
        group = (source, subject, event.type, event.reason)
        message, key = event.note, (group, about.field_path, event.note)
        if self._must_combine(group, message, now):
            message, key = truncate(COMBINED_PREFIX + message), (group, "", "")
        counted = self._counted.get(key)
        if counted is None:
            entry = _Counted(event.name, 1, event.time)
        else:
            entry = _Counted(counted.name, counted.count + 1, counted.first)
        self._counted.put(key, entry)
        if not self._passes_spam_filter((source, subject, event.type), now):
            return None
        return _core_write(event, entry, message)

    def due(self, now: float, *, everything: bool = False) -> list[Write]:  # noqa: ARG002
        """Return nothing: counts are written at once."""
        return []

    def _must_combine(self, group: Hashable, message: str, now: float) -> bool:
        similar = self._similar.get(group)
        if similar is None or now - similar.last_at > SIMILAR_INTERVAL_SECONDS:
            similar = _Similar(set(), now)
        similar.last_at = now
        self._similar.put(group, similar)
        if message in similar.messages:
            return False
        if len(similar.messages) >= MAX_SIMILAR - 1:
            return True
        similar.messages.add(message)
        return False

    def _passes_spam_filter(self, key: Hashable, now: float) -> bool:
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = _Bucket(float(SPAM_BURST), now)
            self._buckets.put(key, bucket)
        return bucket.take(now)


def _core_write(event: EventReport, entry: _Counted, message: str) -> Write:
    counted = {"count": entry.count, "lastTimestamp": second_time(event.time), "message": message}
    body: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {**_metadata(event), "name": entry.name},
        "involvedObject": event.regarding.wire,
        "reason": event.reason,
        "type": event.type,
        "source": {"component": event.controller, "host": event.instance},
        "reportingComponent": event.controller,
        "reportingInstance": event.instance,
        "firstTimestamp": second_time(entry.first),
        **counted,
    }
    if event.related:
        body["related"] = event.related.wire
    patch = counted if entry.count > 1 else None
    return Write(namespace=event.namespace, name=entry.name, body=body, patch=patch)
