"""The table of Events, which are the same objects in two groups under different field names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .columns import NAME, Column, Printer, View, field

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PRINTERS"]


class _Event(View):
    """An Event of the core group; the other group's names are in the subclass."""

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
        """How often it happened."""
        if self.at("series") is not None:
            return int(self.at("series", "count") or 0)
        return int(self.at(self.count_key) or 1)

    @property
    def target(self) -> str:
        """What it is about: `pod/web-0`."""
        name = self.text(self.object_key, "name")
        kind = self.text(self.object_key, "kind").lower()
        return f"{kind}/{name}" if name else kind

    @property
    def reporter(self) -> str:
        """Who told it: the component, and where that runs."""
        component = self.text(self.source_key, "component") or self.text(self.reporter_key)
        instance = self.text(self.source_key, "host") or self.text("reportingInstance")
        return f"{component}, {instance}" if instance else component

    @property
    def message(self) -> str:
        """What happened."""
        return self.text(self.message_key).strip()


class _NewEvent(_Event):
    """An Event of `events.k8s.io`."""

    first_key = "deprecatedFirstTimestamp"
    last_key = "deprecatedLastTimestamp"
    count_key = "deprecatedCount"
    source_key = "deprecatedSource"
    reporter_key = "reportingController"
    object_key = "regarding"
    message_key = "note"


def _columns(event: type[_Event]) -> tuple[Column, ...]:
    def wide(name: str, about: str, cell: Callable[[Any], object], doc: str = "") -> Column:
        return Column(name, about, cell, priority=1, doc=doc)

    return (
        Column(
            "Last Seen",
            "The time since it last happened.",
            lambda view: view.last_seen,
            doc=event.last_key,
        ),
        Column("Type", "Normal or Warning.", field("type"), doc="type"),
        Column("Reason", "What happened, in a word.", field("reason"), doc="reason"),
        Column("Object", "What it is about.", lambda view: view.target, doc=event.object_key),
        wide("Subobject", "The part of that.", field(f"{event.object_key}.fieldPath")),
        wide("Source", "Who told it.", lambda view: view.reporter, event.source_key),
        Column("Message", "What happened.", lambda view: view.message, doc=event.message_key),
        wide(
            "First Seen",
            "The time since it first happened.",
            lambda view: view.first_seen,
            event.first_key,
        ),
        wide("Count", "How often it happened.", lambda view: view.times, event.count_key),
        Column(NAME.name, NAME.about, NAME.cell, format="name", priority=1, doc=NAME.doc),
    )


PRINTERS: Final = {
    ("", "Event"): Printer(_columns(_Event), view=_Event),
    ("events.k8s.io", "Event"): Printer(_columns(_NewEvent), view=_NewEvent),
}
