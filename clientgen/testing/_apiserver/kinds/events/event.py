"""Event of events.k8s.io: the Events of the core group, with other names of members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid, invalid_value, required
from clientgen._json import part

from ...tables.columns import Printer
from ..defaults import TypeDefaults
from ..selector_fields import text
from ..shared import event_rules
from ..shared.common_checks import immutable
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...object_reader import ObjectReader
    from ...served_resources import Resource

_NEVER_MISSING: Final[dict[str, Any]] = {
    "deprecatedSource": {},
    "deprecatedFirstTimestamp": None,
    "deprecatedLastTimestamp": None,
    "eventTime": None,
    "regarding": {},
}
_SOURCE: Final = "deprecatedSource"
_OLD: Final = (
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
    (_SOURCE, "source"),
)
"""Members that only Events of the core group may have, and what messages call them."""
_MISSING_IF_EMPTY: Final = ("reportingController", "reportingInstance")


class _View(event_rules.EventView):
    first_key = "deprecatedFirstTimestamp"
    last_key = "deprecatedLastTimestamp"
    count_key = "deprecatedCount"
    source_key = "deprecatedSource"
    reporter_key = "reportingController"
    object_key = "regarding"
    message_key = "note"


class EventStrategy(Strategy):
    """The strategy for Events of this group, which are stored with those of the core group."""

    types = {
        "events.v1.Event": TypeDefaults(
            zeros={"deprecatedFirstTimestamp": None, "deprecatedLastTimestamp": None},
        )
    }
    storage = "events"
    is_converted = True
    allow_create_on_update = True
    selectable_fields = {
        **{path: text(path) for path in event_rules.reference_fields("regarding")},
        "reason": text("reason"),
        "reportingController": text("reportingController"),
        "type": text("type"),
    }
    printer = Printer(event_rules.columns(documented=False), view=_View)

    def causes(
        self,
        new: dict[str, Any],
        old: dict[str, Any] | None,
        subresource: str,
        reader: ObjectReader,
    ) -> list[Cause]:
        """List the mistakes; the error that a real server makes of them names the core group."""
        causes = super().causes(new, old, subresource, reader)
        if causes:
            raise invalid("", self.resource.kind, new["metadata"]["name"], causes)
        return causes

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the namespace, the time, who reports and the type."""
        yield from event_rules.namespace_causes(obj, part(obj, "regarding"))
        if not obj.get("eventTime"):
            yield required("eventTime")
        yield from event_rules.reporter_causes(obj, "reportingController")
        for member, name in _OLD:
            given = any(part(obj, member).values()) if member == _SOURCE else obj.get(member)
            if given:
                yield invalid_value(name, "", "needs to be unset")
        kind = obj.get("type") or ""
        if kind not in ("Normal", "Warning"):
            yield invalid_value("type", "", f"has invalid value: {kind}")

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Let only the series go on; messages name the members of core Events."""
        for own, name in event_rules.FIXED:
            yield from immutable(name, new.get(own), old.get(own))

    def from_version(self, obj: dict[str, Any], source: Resource) -> dict[str, Any]:
        """Rename the members of core Events."""
        if source.group == self.resource.group:
            return dict(obj)
        renamed = {event_rules.RENAMED.get(name, name): value for name, value in obj.items()}
        for name in _MISSING_IF_EMPTY:
            if not renamed.get(name):
                renamed.pop(name, None)
        return {**_NEVER_MISSING, **renamed}
