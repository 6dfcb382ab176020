"""Time as something that can be given: decisions ask a clock, so tests can set it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol

__all__ = ["SYSTEM_CLOCK", "Clock", "SystemClock"]


class Clock(Protocol):
    """Tells the time in both ways."""

    def now(self) -> datetime:
        """The time of day, aware of its zone: what goes into objects."""
        ...

    def monotonic(self) -> float:
        """Seconds that only ever go up: what durations are measured with."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The time of day, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds since some moment in the past."""
        return time.monotonic()


SYSTEM_CLOCK = SystemClock()
