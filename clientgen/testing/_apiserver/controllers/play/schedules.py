"""Schedules of CronJobs: when the next time is.

https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from ...kinds.batch.cron_syntax import FIELDS, NICKNAMES

_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600}
_MAX_DELAY_SECONDS: Final = 1e9
_MAX_DAYS: Final = 366 * 5
_WINDOWS: Final = (
    timedelta(hours=1),
    timedelta(days=1),
    timedelta(days=31),
    timedelta(days=_MAX_DAYS),
)


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a CronJob runs.

    Attributes:
        minutes: the minutes.
        hours: the hours.
        days: the days of the month.
        months: the months.
        weekdays: the days of the week; 0 is Sunday.
        any_day: whether a day has to be in both sets of days, because one of them is `*`.
        every: the time between two runs, in place of all that; 0 if there is none.
        zone: the time zone.
    """

    minutes: frozenset[int] = frozenset()
    hours: frozenset[int] = frozenset()
    days: frozenset[int] = frozenset()
    months: frozenset[int] = frozenset()
    weekdays: frozenset[int] = frozenset()
    any_day: bool = True
    every: float = 0.0
    zone: tzinfo = UTC

    def next(self, after: datetime) -> datetime | None:
        """Return the first time after a moment; None if there is none in five years."""
        if self.every:
            return (after + timedelta(seconds=self.every)).replace(microsecond=0)
        start = after.astimezone(self.zone).replace(tzinfo=None, second=0, microsecond=0)
        for number in range(_MAX_DAYS):
            day = (start + timedelta(days=number)).date()
            if not self._has_day(day.month, day.day, day.isoweekday() % 7):
                continue
            for hour in sorted(self.hours):
                for minute in sorted(self.minutes):
                    local = datetime(day.year, day.month, day.day, hour, minute)  # noqa: DTZ001
                    found = local.replace(tzinfo=self.zone).astimezone(UTC)
                    if found > after:
                        return found
        return None

    def _has_day(self, month: int, day: int, weekday: int) -> bool:
        if month not in self.months:
            return False
        of_month, of_week = day in self.days, weekday in self.weekdays
        return (of_month and of_week) if self.any_day else (of_month or of_week)

    def latest(self, after: datetime, until: datetime) -> datetime | None:
        """Return the last time after a moment, up to another moment."""
        if self.every:
            runs = int((until - after).total_seconds() // self.every)
            return after + timedelta(seconds=runs * self.every) if runs else None
        for window in _WINDOWS:
            found = None
            each = self.next(max(after, until - window))
            while each is not None and each <= until:
                found, each = each, self.next(each)
            if found is not None:
                return found
        return None


def read_zone(name: str | None) -> tzinfo | None:
    """Return a time zone; None if there is none of that name."""
    try:
        return ZoneInfo(name) if name else UTC
    except (ValueError, OSError, KeyError):
        return None


def read_schedule(text: str, zone: tzinfo) -> Schedule | None:
    """Return a schedule; None if it cannot be read."""
    if text.startswith("@every "):
        found = re.findall(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)", text)
        seconds = sum(float(number) * _UNITS[unit] for number, unit in found)
        return Schedule(every=float(max(1, round(min(seconds, _MAX_DELAY_SECONDS)))))
    fields = NICKNAMES.get(text, text).split()
    if len(fields) != len(FIELDS):
        return None
    try:
        minutes, hours, days, months, weekdays = (
            _numbers(each, *limits) for each, limits in zip(fields, FIELDS, strict=True)
        )
    except ValueError:
        return None
    any_day = fields[2][0] in "*?" or fields[4][0] in "*?"
    return Schedule(minutes, hours, days, months, weekdays, any_day=any_day, zone=zone)


def _numbers(text: str, least: int, most: int, names: dict[str, int]) -> frozenset[int]:
    found: set[int] = set()
    for each in text.split(","):
        span, slash, step = each.partition("/")
        first, dash, last = span.partition("-")
        if span in ("*", "?"):
            low, high = least, most
        else:
            low = _number(first, names)
            high = _number(last, names) if dash else (most if slash else low)
        width = int(step[:9]) if slash else 1
        if width < 1:
            raise ValueError(each)
        found.update(range(max(low, least), min(high, most) + 1, width))
    return frozenset(found)


def _number(text: str, names: dict[str, int]) -> int:
    return names[text.lower()] if text.lower() in names else int(text[:9])
