"""Events as `kubectl events` sorts and prints them.

k8s.io/kubectl: pkg/cmd/events.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from .._conditions.json_fields import number, part, text
from .ages import since_or_invalid
from .human_durations import moment

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from .._conditions.json_fields import Json

_TYPES: Final = frozenset({"normal", "warning"})
_NEVER: Final = datetime.min.replace(tzinfo=UTC)


def event_time(event: Mapping[str, Any]) -> datetime:
    """Return the time to sort an event by: when it was last seen.

    That is the last time of its series, else its lastTimestamp, else its eventTime. An event of
    events.k8s.io/v1 has the lastTimestamp of older clients in `deprecatedLastTimestamp`.
    """
    times = (
        text(event, "series", "lastObservedTime"),
        text(event, "lastTimestamp") or text(event, "deprecatedLastTimestamp"),
        text(event, "eventTime"),
    )
    for each in times:
        try:
            found = moment(each)
        except ValueError:  # a server may send anything
            continue
        if found is not None:
            return found
    return _NEVER


def sort_events(events: Sequence[Any]) -> list[Any]:
    """Return events, the oldest first. Events of the same time keep their order."""
    return sorted(events, key=event_time)


def event_cells(event: Json, now: datetime | None) -> list[Any]:
    """Return the cells of an event: last seen, type, reason, object, message."""
    involved = part(event, "involvedObject") or part(event, "regarding")
    return [
        last_seen(event, now),
        text(event, "type"),
        text(event, "reason"),
        f"{text(involved, 'kind')}/{text(involved, 'name')}",
        (text(event, "message") or text(event, "note")).strip(),
    ]


def last_seen(event: Json, now: datetime | None) -> str:
    """Return how long ago an event was seen, such as `5s` or `1m (x3 over 5m)`."""
    first = text(event, "firstTimestamp") or text(event, "deprecatedFirstTimestamp")
    began = since_or_invalid(text(event, "eventTime") or first, now)
    series = part(event, "series")
    count = number(event, "count") or number(event, "deprecatedCount")
    if series:
        last, count = text(series, "lastObservedTime"), number(series, "count")
    elif count > 1:
        last = text(event, "lastTimestamp") or text(event, "deprecatedLastTimestamp")
    else:
        return began
    return f"{since_or_invalid(last, now)} (x{count} over {began})"


def check_event_types(types: Collection[str]) -> frozenset[str]:
    """Return the wanted types in lower case; none for all types. kubectl ignores the case, too.

    Raises:
        ValueError: a type is neither `Normal` nor `Warning`.
    """
    wanted = frozenset(each.lower() for each in ([types] if isinstance(types, str) else types))
    if not wanted <= _TYPES:
        raise ValueError(f"the types of events are Normal and Warning, not {types!r:.60}")
    return wanted


def has_type(event: Mapping[str, Any], wanted: frozenset[str]) -> bool:
    """Return whether an event has one of the wanted types, or any type if none is wanted."""
    return not wanted or text(event, "type").lower() in wanted


def is_about(event: Mapping[str, Any], obj: Mapping[str, Any]) -> bool:
    """Return whether an event with the name of an object is about the object itself.

    An event about an older object has another uid. Kubelets use the name of the Node as its uid.
    """
    uid = text(event, "involvedObject", "uid")
    return uid in {"", text(obj, "metadata", "uid"), text(obj, "metadata", "name")}
