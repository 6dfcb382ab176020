"""What Events may say, of either group, and how they may change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, required
from clientgen._apimachinery.name_syntax import qualified_name_problems
from clientgen._apimachinery.optional_parts import part

from .checks import immutable, matches
from .validating import checks, checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_LEAST_SERIES: Final = 2
_FIXED_EVENT: Final = (
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
"""Members that an event keeps, by their names in both groups."""


@checks("", "events", again=False)
def _event(event: dict[str, Any]) -> Iterator[Cause]:
    about = part(event, "involvedObject")
    yield from _about(event, about)
    if event.get("eventTime"):
        yield from _new_event(event, "reportingComponent")


@checks_change("", "events")
def _core_event_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    """An event of the old kind may be counted on; one of the new kind only goes on in series."""
    yield from _about(new, part(new, "involvedObject"))
    if new.get("eventTime") or old.get("eventTime"):
        for _, told in _FIXED_EVENT:
            field = "reportingComponent" if told == "reportingController" else told
            yield from immutable(told, new.get(field), old.get(field))


def _about(event: dict[str, Any], about: dict[str, Any]) -> Iterator[Cause]:
    namespace = about.get("namespace") or ""
    own = event["metadata"].get("namespace")
    if namespace != own and not (not namespace and own == "default"):
        at = "involvedObject.namespace"
        yield invalid_value(at, namespace, "does not match event.namespace")


@checks("events.k8s.io", "events", again=False)
def _named_event(event: dict[str, Any]) -> Iterator[Cause]:
    yield from _about(event, part(event, "regarding"))
    if not event.get("eventTime"):
        yield required("eventTime")
    yield from _new_event(event, "reportingController")
    kind = event.get("type") or ""
    if kind not in ("Normal", "Warning"):
        yield invalid_value("type", "", f"has invalid value: {kind}")


def _new_event(event: dict[str, Any], reporter: str) -> Iterator[Cause]:
    series = event.get("series")
    if series is not None and (series.get("count") or 0) < _LEAST_SERIES:
        yield invalid_value("series.count", "", "should be at least 2")
    if series is not None and not series.get("lastObservedTime"):
        yield required("series.lastObservedTime")
    if not event.get(reporter):
        yield required(reporter)
    yield from matches(reporter, event.get(reporter) or "", qualified_name_problems)
    for field, most, needed in (
        ("reportingInstance", 128, True),
        ("action", 128, True),
        ("reason", 128, True),
        ("message", 1024, False),
    ):
        value = event.get(field) or event.get("note" if field == "message" else field) or ""
        if needed and not value:
            yield required(field)
        if len(value) > most:
            yield invalid_value(field, "", f"can have at most {most} characters")


@checks_change("events.k8s.io", "events")
def _event_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    """Only the series of an event goes on; the old names of members are those of core Events."""
    for field, told in _FIXED_EVENT:
        yield from immutable(told, new.get(field), old.get(field))
