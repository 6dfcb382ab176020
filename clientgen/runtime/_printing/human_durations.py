"""Spans of time as people read them: `42s`, `2m5s`, `3h20m`, `5d`, `2y10d`.

The larger the span, the coarser the text; the bounds are those of Kubernetes' tables.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

UNKNOWN: Final = "<unknown>"

_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
_YEAR: Final = 365 * _DAY
# Below this many seconds: the unit to count, its letter, and the smaller unit that is told too.
_STEPS: Final = (
    (2 * _MINUTE, 1, "s", None),
    (10 * _MINUTE, _MINUTE, "m", (1, "s")),
    (3 * _HOUR, _MINUTE, "m", None),
    (8 * _HOUR, _HOUR, "h", (_MINUTE, "m")),
    (2 * _DAY, _HOUR, "h", None),
    (8 * _DAY, _DAY, "d", (_HOUR, "h")),
    (2 * _YEAR, _DAY, "d", None),
    (8 * _YEAR, _YEAR, "y", (_DAY, "d")),
)


def human_duration(seconds: float) -> str:
    """A span as text; slightly negative spans count as 0, because clocks differ."""
    whole = int(seconds)
    if whole < -1:
        return "<invalid>"
    whole = max(whole, 0)
    for below, unit, letter, smaller in _STEPS:
        if whole < below:
            return _in_units(whole, unit, letter, smaller)
    return f"{whole // _YEAR}y"


def _in_units(whole: int, unit: int, letter: str, smaller: tuple[int, str] | None) -> str:
    count, rest = divmod(whole, unit)
    if smaller is None or rest < smaller[0]:
        return f"{count}{letter}"
    return f"{count}{letter}{rest // smaller[0]}{smaller[1]}"


def moment(text: str | None) -> datetime | None:
    """A timestamp of an object (RFC 3339); None when it is not there.

    Raises:
        ValueError: it is no timestamp.
    """
    if not text:
        return None
    found = datetime.fromisoformat(text)
    if found.tzinfo is None or "T" not in text:
        raise ValueError(f"{text!r} has no time zone or no time of day")
    try:
        return found.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{text!r} is before the first year or after the last year") from None


def since(text: str | None, now: datetime) -> str:
    """Return the time since a timestamp; `<unknown>` without one."""
    then = moment(text)
    return UNKNOWN if then is None else human_duration((now - then).total_seconds())
