"""The table of Events, which are the same objects in two groups under different field names."""

from __future__ import annotations

from dataclasses import replace
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
    def part(self) -> str:
        """The part of that object."""
        return self.text(self.object_key, "fieldPath")

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


def _columns(*, documented: bool) -> tuple[Column, ...]:
    """The columns; the fields of `events.k8s.io` are documented as deprecated, columns are not."""

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


PRINTERS: Final = {
    ("", "Event"): Printer(_columns(documented=True), view=_Event),
    ("events.k8s.io", "Event"): Printer(_columns(documented=False), view=_NewEvent),
}
