"""Ages of objects, as kubectl prints them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from .._conditions.json_fields import text
from .human_durations import human_duration, since
from .object_json import tree_of_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._models.unstructured import Object


def since_or_invalid(then: str | None, now: datetime | None) -> str:
    """Return the time since a timestamp, to now by default; `<invalid>` if it is none."""
    try:
        return since(then, datetime.now(UTC) if now is None else now)
    except ValueError:
        return "<invalid>"


def moment_text(then: str, now: datetime | None) -> str:
    """Return a time with its age: `2026-11-25T12:00:00Z (5m ago)`."""
    return f"{then} ({since_or_invalid(then, now)} ago)" if then else "<unknown>"


def age_of(tree: Mapping[str, Any], now: datetime | None) -> str:
    """Return the age of an object by its JSON."""
    return since_or_invalid(text(tree, "metadata", "creationTimestamp"), now)


def age(obj: Object | Mapping[str, Any] | datetime, *, now: datetime | None = None) -> str:
    """Return an age as kubectl prints it: `42s`, `2m5s`, `3h20m`, `5d`, `2y10d`.

    Args:
        obj: an object, whose age counts from its creationTimestamp; or a time, with a time zone.
        now: the time that the age is counted to; by default the current time.

    Returns:
        The age; `<unknown>` for an object without a creationTimestamp, and `<invalid>` for a time
        more than a second in the future.

    Raises:
        ValueError: a time has no time zone.
        TypeError: `obj` is neither an object nor a time.
    """
    if not isinstance(obj, datetime):
        return age_of(tree_of_object(obj), now)
    if obj.tzinfo is None:
        raise ValueError("the time needs a time zone, such as datetime.now(UTC)")
    return human_duration(((datetime.now(UTC) if now is None else now) - obj).total_seconds())
