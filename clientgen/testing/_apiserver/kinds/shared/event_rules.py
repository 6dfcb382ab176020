"""Events: the same objects in two groups, under different names of members."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, required
from clientgen._apimachinery.name_syntax import qualified_name_problems

from ...tables.columns import NAME, Column, View, field
from .common_checks import matches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MIN_SERIES_COUNT: Final = 2
_REFERENCE: Final = (
    "kind",
    "namespace",
    "name",
    "uid",
    "apiVersion",
    "resourceVersion",
    "fieldPath",
)
RENAMED: Final = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}
"""The members of a core Event that have another name in events.k8s.io."""
FIXED: Final = (
    ("regarding", "involvedObject"),
    ("reason", "reason"),
    ("note", "message"),
    ("type", "type"),
    ("eventTime", "eventTime"),
    ("action", "action"),
    ("related", "related"),
    ("reportingController", "reportingController"),
    ("reportingInstance", "reportingInstance"),
    ("deprecatedCount", "count"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedSource", "source"),
)
"""Members that cannot change, by their names in events.k8s.io and in error messages."""


def reference_fields(member: str) -> list[str]:
    """List the fields of the reference to the object that an event is about."""
    return [f"{member}.{name}" for name in _REFERENCE]


# ------------------------------------------------------------------------------- validation


def namespace_causes(event: dict[str, Any], about: dict[str, Any]) -> Iterator[Cause]:
    """Check that an event is in the namespace of the object that it is about."""
    namespace = about.get("namespace") or ""
    own = event["metadata"].get("namespace")
    if namespace != own and not (not namespace and own == "default"):
        at = "involvedObject.namespace"
        yield invalid_value(at, namespace, "does not match event.namespace")


def reporter_causes(event: dict[str, Any], reporter: str) -> Iterator[Cause]:
    """Check the members that an event with an `eventTime` has; `reporter` is one of them."""
    series = event.get("series")
    if series is not None and (series.get("count") or 0) < _MIN_SERIES_COUNT:
        yield invalid_value("series.count", "", "should be at least 2")
    if series is not None and not series.get("lastObservedTime"):
        yield required("series.lastObservedTime")
    if not event.get(reporter):
        yield required(reporter)
    yield from matches(reporter, event.get(reporter) or "", qualified_name_problems)
    for name, most, needed in (
        ("reportingInstance", 128, True),
        ("action", 128, True),
        ("reason", 128, True),
        ("message", 1024, False),
    ):
        value = event.get(name) or event.get("note" if name == "message" else name) or ""
        if needed and not value:
            yield required(name)
        if len(value) > most:
            yield invalid_value(name, "", f"can have at most {most} characters")


# ------------------------------------------------------------------------------------ table


class EventView(View):
    """An Event of the core group; a subclass has the names of the other group."""

    first_key = "firstTimestamp"
    last_key = "lastTimestamp"
    count_key = "count"
    source_key = "source"
    reporter_key = "reportingComponent"
    object_key = "involvedObject"
    message_key = "message"

    @property
    def first_seen(self) -> str:
        """The time since it was first recorded."""
        return self.since(self.first_key if self.at(self.first_key) else "eventTime")

    @property
    def last_seen(self) -> str:
        """The time since it was last recorded."""
        if self.at("series") is not None:
            return self.since("series", "lastObservedTime")
        return self.since(self.last_key) if self.at(self.last_key) else self.first_seen

    @property
    def times(self) -> int:
        """The number of times that it happened."""
        if self.at("series") is not None:
            return int(self.at("series", "count") or 0)
        return int(self.at(self.count_key) or 1)

    @property
    def target(self) -> str:
        """The object of the event: `pod/web-0`."""
        name = self.text(self.object_key, "name")
        kind = self.text(self.object_key, "kind").lower()
        return f"{kind}/{name}" if name else kind

    @property
    def part(self) -> str:
        """The part of that object."""
        return self.text(self.object_key, "fieldPath")

    @property
    def reporter(self) -> str:
        """The component that reported it, and the host where that runs."""
        component = self.text(self.source_key, "component") or self.text(self.reporter_key)
        instance = self.text(self.source_key, "host") or self.text("reportingInstance")
        return f"{component}, {instance}" if instance else component

    @property
    def message(self) -> str:
        """The message of the event."""
        return self.text(self.message_key).strip()


def columns(*, documented: bool) -> tuple[Column, ...]:
    """Make the columns; fields of `events.k8s.io` are documented as deprecated, columns are not."""

    def column(
        name: str, about: str, cell: Callable[[Any], object], doc: str = "", *, wide: bool = False
    ) -> Column:
        return Column(name, about, cell, priority=int(wide), doc=doc if documented else "")

    return (
        column("Last Seen", "When it last happened.", lambda it: it.last_seen, "lastTimestamp"),
        column("Type", "Normal or Warning.", field("type"), "type"),
        column("Reason", "What happened, in a word.", field("reason"), "reason"),
        column("Object", "What it is about.", lambda it: it.target, "involvedObject"),
        column("Subobject", "The part of that.", lambda it: it.part, wide=True),
        column("Source", "Who told it.", lambda it: it.reporter, "source", wide=True),
        column("Message", "What happened.", lambda it: it.message, "message"),
        column(
            "First Seen",
            "When it first happened.",
            lambda it: it.first_seen,
            "firstTimestamp",
            wide=True,
        ),
        column("Count", "How often it happened.", lambda it: it.times, "count", wide=True),
        replace(NAME, priority=1),
    )
