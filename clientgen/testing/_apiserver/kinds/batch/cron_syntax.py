"""The syntax of cron schedules: names for whole schedules, and the fields of the others.

https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax
"""

from __future__ import annotations

from typing import Final

NICKNAMES: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_MONTHS: Final = (
    *("jan", "feb", "mar", "apr", "may", "jun"),
    *("jul", "aug", "sep", "oct", "nov", "dec"),
)
_DAYS: Final = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
FIELDS: Final[tuple[tuple[int, int, dict[str, int]], ...]] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, {name: number for number, name in enumerate(_MONTHS, 1)}),
    (0, 6, {name: number for number, name in enumerate(_DAYS)}),
)
"""Minute, hour, day, month and weekday: the least and the greatest number, and their names."""
