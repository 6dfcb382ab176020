"""Clocks: decisions get one, so that tests can set the time."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "SYSTEM_CLOCK",
    "Clock",
    "Standstill",
    "SteppedClock",
    "SystemClock",
    "on_move",
    "on_wait",
    "real_seconds",
    "standstill_of",
]


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

    def on_wait(
        self,
        wake: Callable[[], object],
        due: Callable[[], float | None],
        is_over: Callable[[], bool],
    ) -> Callable[[], None]:
        """The same for a thread or task that waits, until `due` or until something else ends it."""
        ...


class Standstill(Protocol):
    """Watches whether a stepped clock stands still for so long that a wait by it may be endless."""

    interval: float
    """The real seconds from one look to the next."""

    def look(self) -> str:
        """Look again; gives a sentence if it has stood still for too long, else nothing."""
        ...


@runtime_checkable
class _WatchedClock(SteppedClock, Protocol):
    def standstill(self) -> Standstill | None:
        """Begin to watch; None if it may stand still for ever."""
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


def on_wait(
    clock: Clock,
    wake: Callable[[], object],
    due: Callable[[], float | None],
    is_over: Callable[[], bool],
) -> Callable[[], object]:
    """`SteppedClock.on_wait`, for any clock: others move by themselves."""
    return clock.on_wait(wake, due, is_over) if isinstance(clock, SteppedClock) else _nothing


def standstill_of(clock: Clock) -> Standstill | None:
    """Begin to watch whether a clock stands still; None for one that does not, or may."""
    return clock.standstill() if isinstance(clock, _WatchedClock) else None


def _nothing() -> None:
    """There is nothing to end."""
