"""Decisions of an event recorder: which events are combined, and which are written.

Two APIs keep events. For events.k8s.io/v1 (client-go: tools/events) what is alike becomes a series
whose count is written when it begins and ends, and now and then between. For core/v1 (client-go:
tools/record) every repetition updates a count; many that differ in their message only are combined,
and who tells too much about one object is not heard.

No waiting, no clock: monotonic time comes in as numbers, the time of day to write as datetimes.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar, cast

from msgspec import Struct

from .._http.path_segments import is_name
from .._http.resource import Resource

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

__all__ = ["CORE_EVENTS", "EVENTS", "Correlator", "EventReport", "Reference", "Series", "Write"]

EVENTS: Final = Resource("events.k8s.io", "v1", "events", "Event")
"""The resource of events, by default."""
CORE_EVENTS: Final = Resource("", "v1", "events", "Event")
"""The older resource of events."""

MOST_KEYS: Final = 4096
"""The most kinds of events that are remembered."""
NOTE_BYTES: Final = 1024
SHORT: Final = 128

# core/v1
SIMILAR: Final = 10
SIMILAR_SECONDS: Final = 600.0
BURST: Final = 25
REFILL_SECONDS: Final = 300.0
COMBINED: Final = "(combined from similar events): "

# events.k8s.io/v1
REFRESH_SECONDS: Final = 1800.0
FINISH_SECONDS: Final = 360.0

_NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LONGEST_NAME: Final = 253

K = TypeVar("K")
V = TypeVar("V")


class Reference(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An object that an event is about."""

    api_version: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    resource_version: str = ""
    field_path: str = ""

    @classmethod
    def to(cls, obj: Any) -> Reference:
        """Refer to a model, to a dict as the API has it, or to what another reference refers to.

        Raises:
            ValueError: It does not say its apiVersion, its kind or its name.
        """
        get, kind = _getter(obj), type(cast("object", obj)).__name__
        metadata = get("metadata")
        inner = get if metadata is None else _getter(metadata)
        made = cls(
            api_version=get("apiVersion") or "",
            kind=get("kind") or "",
            namespace=inner("namespace") or "",
            name=inner("name") or "",
            uid=inner("uid") or "",
            resource_version=inner("resourceVersion") or "",
            field_path=get("fieldPath") or "",
        )
        if not (is_name(made.api_version) and is_name(made.kind) and is_name(made.name)):
            raise ValueError(
                f"no event can be about a {kind} without an apiVersion, a kind and a name: {made}"
            )
        return made

    @property
    def wire(self) -> dict[str, str]:
        """As the API has it."""
        names = dict(zip(self.__struct_fields__, self.__struct_encode_fields__, strict=True))
        return {wire: value for name, wire in names.items() if (value := getattr(self, name))}


_ATTRIBUTES: Final = {
    "apiVersion": "api_version",
    "resourceVersion": "resource_version",
    "fieldPath": "field_path",
}


def _getter(obj: Any) -> Callable[[str], Any]:
    if isinstance(obj, Mapping):
        return cast("Mapping[str, Any]", obj).get
    return lambda name: getattr(obj, _ATTRIBUTES.get(name, name), None)


class EventReport(Struct, frozen=True, kw_only=True):
    """A report to a recorder."""

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
    """A request that is to be sent."""

    namespace: str
    name: str
    body: dict[str, Any]
    """The whole event."""
    patch: dict[str, Any] | None = None
    """The change of an event that exists; if it is gone, it is created again."""


class EventWriter(Protocol):
    """The rules by which a recorder writes events."""

    def happened(self, what: EventReport, now: float) -> Write | None:
        """Return the request that writes the report, if any."""
        ...

    def due(self, now: float, *, everything: bool = False) -> list[Write]:
        """List the requests that are due; with `everything`, also those that would come later."""
        ...

    @property
    def next_due(self) -> float | None:
        """When to ask that."""
        ...


def micro(time: datetime) -> str:
    """A MicroTime: always six digits."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def seconds(time: datetime) -> str:
    """A Time."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def event_name(obj: str, nanoseconds: int) -> str | None:
    """Return the name of an event about an object; None if it is not a valid name."""
    name = f"{obj}.{nanoseconds:x}"
    return name if len(name) <= _LONGEST_NAME and _NAME.fullmatch(name) else None


def shortened(text: str, most: int = NOTE_BYTES) -> str:
    """As much of a text as the server takes, in bytes, of whole characters."""
    data = text.encode()
    return text if len(data) <= most else data[:most].decode(errors="ignore")


class LruCache(Generic[K, V]):
    """A dict of the keys that were used last."""

    def __init__(self, most: int = MOST_KEYS) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        """Look up a key, which counts as use."""
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key]

    def put(self, key: K, value: V) -> None:
        """Keep a value; the one that was not used for longest may go."""
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._most:
            self._values.popitem(last=False)

    def drop(self, key: K) -> None:
        """Forget a key."""
        self._values.pop(key, None)

    def items(self) -> list[tuple[K, V]]:
        """List all items."""
        return [*self._values.items()]


# ---- events.k8s.io/v1 -------------------------------------------------------------------------


class _Run(Struct):
    """Some events that are alike."""

    write: Write
    count: int
    written: int
    """The count that the server has."""
    last: datetime
    last_at: float


class Series:
    """The rules of events.k8s.io/v1: what is alike is one event, and a series from the second on.

    Notes do not count for what is alike.
    """

    def __init__(self, most_keys: int = MOST_KEYS) -> None:
        self._runs: LruCache[Hashable, _Run] = LruCache(most_keys)
        self._next_refresh: float | None = None
        self._next_finish: float | None = None

    def __len__(self) -> int:
        return len(self._runs)

    def happened(self, what: EventReport, now: float) -> Write | None:
        """The first one is written, and that there is a second; more are counted."""
        if self._next_refresh is None or self._next_finish is None:
            self._next_refresh, self._next_finish = now + REFRESH_SECONDS, now + FINISH_SECONDS
        key = (
            (what.type, what.action, what.reason, what.controller, what.instance),
            (what.regarding, what.related),
        )
        run = self._runs.get(key)
        if run is None:
            write = Write(namespace=what.namespace, name=what.name, body=_event(what))
            self._runs.put(key, _Run(write, 1, 1, what.time, now))
            return write
        run.count, run.last, run.last_at = run.count + 1, what.time, now
        return _series(run) if run.count == 2 else None  # noqa: PLR2004

    def due(self, now: float, *, everything: bool = False) -> list[Write]:
        """Counts that have grown, every half hour; and the last ones of what has ended."""
        writes: list[Write] = []
        if self._next_finish is not None and now >= self._next_finish:
            self._next_finish = now + FINISH_SECONDS
            for key, run in self._runs.items():
                if run.last_at <= now - FINISH_SECONDS:
                    writes += _grown(run)
                    self._runs.drop(key)
        refreshes = self._next_refresh is not None and now >= self._next_refresh
        if refreshes or everything:
            self._next_refresh = now + REFRESH_SECONDS
            writes += [write for _, run in self._runs.items() for write in _grown(run)]
        return writes

    @property
    def next_due(self) -> float | None:
        """When `due` has something to say, at the earliest."""
        if self._next_refresh is None or self._next_finish is None or not self._runs:
            return None
        return min(self._next_refresh, self._next_finish)


def _grown(run: _Run) -> list[Write]:
    return [_series(run)] if run.count > run.written else []


def _series(run: _Run) -> Write:
    run.written = run.count
    series = {"count": run.count, "lastObservedTime": micro(run.last)}
    write = run.write
    body, patch = {**write.body, "series": series}, {"series": series}
    return Write(namespace=write.namespace, name=write.name, body=body, patch=patch)


def _event(what: EventReport) -> dict[str, Any]:
    body: dict[str, Any] = {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": _metadata(what),
        "eventTime": micro(what.time),
        "reportingController": what.controller,
        "reportingInstance": what.instance,
        "action": what.action,
        "reason": what.reason,
        "regarding": what.regarding.wire,
        "note": what.note,
        "type": what.type,
    }
    return {**body, "related": what.related.wire} if what.related else body


def _metadata(what: EventReport) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": what.name, "namespace": what.namespace}
    return {**metadata, "annotations": dict(what.annotations)} if what.annotations else metadata


# ---- core/v1 ----------------------------------------------------------------------------------


class _Similar(Struct):
    """Messages of events that differ in nothing else."""

    messages: set[str]
    last_at: float


class _Bucket(Struct):
    """The events that there may still be about an object: a burst, then one in five minutes."""

    tokens: float
    updated: float

    def take(self, now: float) -> bool:
        earned = max(0.0, now - self.updated) / REFILL_SECONDS
        self.tokens, self.updated = min(float(BURST), self.tokens + earned), now
        if self.tokens < 1.0:
            return False
        self.tokens -= 1.0
        return True


class _Counted(Struct):
    """An event that was seen before."""

    name: str
    count: int
    first: datetime


class Correlator:
    """The rules of core/v1: combine, count, and hear nobody who says too much, in this order."""

    next_due: float | None = None

    def __init__(self, most_keys: int = MOST_KEYS) -> None:
        self._similar: LruCache[Hashable, _Similar] = LruCache(most_keys)
        self._counted: LruCache[Hashable, _Counted] = LruCache(most_keys)
        self._buckets: LruCache[Hashable, _Bucket] = LruCache(most_keys)

    def happened(self, what: EventReport, now: float) -> Write | None:
        """The event or its count, or nothing if the object has had more than its share."""
        about = what.regarding
        source = (what.controller, what.instance)
        subject = (about.kind, about.namespace, about.name, about.uid, about.api_version)
        group = (source, subject, what.type, what.reason)
        message, key = what.note, (group, about.field_path, what.note)
        if self._is_combined(group, message, now):
            message, key = shortened(COMBINED + message), (group, "", "")
        counted = self._counted.get(key)
        if counted is None:
            entry = _Counted(what.name, 1, what.time)
        else:
            entry = _Counted(counted.name, counted.count + 1, counted.first)
        self._counted.put(key, entry)
        if not self._may_speak((source, subject, what.type), now):
            return None
        return _core_write(what, entry, message)

    def due(self, now: float, *, everything: bool = False) -> list[Write]:  # noqa: ARG002
        """Nothing: every count was written."""
        return []

    def _is_combined(self, group: Hashable, message: str, now: float) -> bool:
        similar = self._similar.get(group)
        if similar is None or now - similar.last_at > SIMILAR_SECONDS:
            similar = _Similar(set(), now)
        similar.last_at = now
        self._similar.put(group, similar)
        if message in similar.messages:
            return False
        if len(similar.messages) >= SIMILAR - 1:
            return True
        similar.messages.add(message)
        return False

    def _may_speak(self, key: Hashable, now: float) -> bool:
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = _Bucket(float(BURST), now)
            self._buckets.put(key, bucket)
        return bucket.take(now)


def _core_write(what: EventReport, entry: _Counted, message: str) -> Write:
    counted = {"count": entry.count, "lastTimestamp": seconds(what.time), "message": message}
    body: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {**_metadata(what), "name": entry.name},
        "involvedObject": what.regarding.wire,
        "reason": what.reason,
        "type": what.type,
        "source": {"component": what.controller, "host": what.instance},
        "reportingComponent": what.controller,
        "reportingInstance": what.instance,
        "firstTimestamp": seconds(entry.first),
        **counted,
    }
    if what.related:
        body["related"] = what.related.wire
    patch = counted if entry.count > 1 else None
    return Write(namespace=what.namespace, name=entry.name, body=body, patch=patch)
