"""Event of the core group: something that happened to an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.name_syntax import path_segment_problems
from clientgen._json import part

from ...tables.columns import Printer
from ..defaults import TypeDefaults
from ..metadata import MetadataChecks
from ..selector_fields import text
from ..shared import event_rules
from ..shared.common_checks import immutable
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clientgen._apimachinery.failures import Cause

    from ...served_resources import Resource

_ORIGINAL: Final = {new: old for old, new in event_rules.RENAMED.items()}
_NEVER_MISSING: Final[dict[str, Any]] = {
    "involvedObject": {},
    "source": {},
    "firstTimestamp": None,
    "lastTimestamp": None,
    "reportingComponent": "",
    "reportingInstance": "",
    "eventTime": None,
}


class EventStrategy(Strategy):
    """The strategy for Events."""

    types = {
        "core.v1.Event": TypeDefaults(
            zeros={
                "eventTime": None,
                "firstTimestamp": None,
                "lastTimestamp": None,
                "reportingComponent": "",
                "reportingInstance": "",
            },
        )
    }
    is_converted = True
    metadata_checks = MetadataChecks.ANY_FINALIZER
    allow_create_on_update = True
    selectable_fields = {
        **{path: text(path) for path in event_rules.reference_fields("involvedObject")},
        "reason": text("reason"),
        "reportingComponent": text("reportingComponent"),
        "source": text("source.component"),
        "type": text("type"),
    }
    printer = Printer(event_rules.columns(documented=True), view=event_rules.EventView)

    def name_problems(self, name: str) -> list[str]:
        """Allow every name that can be part of a path."""
        return path_segment_problems(name)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the namespace and, in events of the new kind, who reports."""
        yield from event_rules.namespace_causes(obj, part(obj, "involvedObject"))
        if obj.get("eventTime"):
            yield from event_rules.reporter_causes(obj, "reportingComponent")

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Allow only a longer series for an event with an `eventTime`; others may be counted."""
        yield from event_rules.namespace_causes(new, part(new, "involvedObject"))
        if new.get("eventTime") or old.get("eventTime"):
            for _, name in event_rules.FIXED:
                own = "reportingComponent" if name == "reportingController" else name
                yield from immutable(name, new.get(own), old.get(own))

    def from_version(self, obj: dict[str, Any], source: Resource) -> dict[str, Any]:
        """Rename the members of events.k8s.io."""
        if source.group == self.resource.group:
            return dict(obj)
        return {**_NEVER_MISSING, **{_ORIGINAL.get(name, name): obj[name] for name in obj}}
