"""Time as something that can be given: decisions ask a clock, so tests can set it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SYSTEM_CLOCK", "Clock", "SteppedClock", "SystemClock", "on_move", "real_seconds"]


class Clock(Protocol):
    """Tells the time in both ways."""

    def now(self) -> datetime:
        """The time of day, aware of its zone: what goes into objects."""
        ...

    def monotonic(self) -> float:
        """Seconds that only ever go up: what durations are measured with."""
        ...


@runtime_checkable
class SteppedClock(Clock, Protocol):
    """A clock that stands still until somebody moves it, as tests do."""

    def on_move(self, wake: Callable[[], object], until: float | None = None) -> Callable[[], None]:
        """Have `wake` called whenever the clock has moved; gives what ends that.

        `until` is the moment after which there is nothing more to wait for, if there is one.
        """
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


def real_seconds(clock: Clock, until: float) -> float | None:
    """Return the real seconds until a moment of a clock; None if the clock must be moved there."""
    if isinstance(clock, SteppedClock):
        return None
    return max(0.0, until - clock.monotonic())


def on_move(
    clock: Clock, wake: Callable[[], object], until: float | None = None
) -> Callable[[], object]:
    """`SteppedClock.on_move`, for any clock: others move by themselves."""
    return clock.on_move(wake, until) if isinstance(clock, SteppedClock) else _nothing


def _nothing() -> None:
    """There is nothing to end."""
