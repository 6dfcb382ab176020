"""Clocks. Code that depends on the time gets a clock, which tests can set."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable


class Clock(Protocol):
    """Returns the time of day, and seconds for measuring durations."""

    def now(self) -> datetime:
        """The time of day with its time zone, for the timestamps of objects."""
        ...

    def monotonic(self) -> float:
        """Seconds that never decrease, for measuring durations."""
        ...


@runtime_checkable
class SteppedClock(Clock, Protocol):
    """A clock that stands still until a test moves it."""

    def on_move(self, wake: Callable[[], object], until: float | None = None) -> Callable[[], None]:
        """Call `wake` after each move of the clock. Returns a function that removes the listener.

        Args:
            wake: called after each move.
            until: the moment at which the caller gives up waiting; None if the caller never gives
                up.
        """
        ...

    def on_wait(
        self,
        wake: Callable[[], object],
        due: Callable[[], float | None],
        is_over: Callable[[], bool],
    ) -> Callable[[], None]:
        """Call `wake` after each move, for a thread or task that waits.

        Args:
            wake: called after each move.
            due: returns the moment that ends the wait; None if only something else ends it.
            is_over: returns whether something else has ended the wait.
        """
        ...


class Standstill(Protocol):
    """Detects that a stepped clock stands still, so that a wait for it may be endless."""

    interval: float
    """The real seconds between two calls of `check`."""

    def check(self) -> str:
        """Return an error message if the clock has stood still for too long, else an empty text."""
        ...


@runtime_checkable
class _WatchedClock(SteppedClock, Protocol):
    def standstill(self) -> Standstill | None:
        """Start to detect that the clock stands still; None if it may stand still forever."""
        ...


class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        """The time of day, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """The seconds since an arbitrary moment in the past."""
        return time.monotonic()


SYSTEM_CLOCK = SystemClock()
"""The clock of the machine, which is the default wherever a clock can be given."""

# Linux, and its name on macOS. `time.monotonic` stands still there while the machine sleeps. On
# other systems, `time.monotonic` goes on.
_SLEEP_CLOCK = "CLOCK_MONOTONIC" if sys.platform == "darwin" else "CLOCK_BOOTTIME"


class LeaseClock(SystemClock):
    """The clock of the machine, which goes on while the machine is suspended.

    Waits by this clock may end late after a suspension, because event loops and locks have another
    clock. So its times are looked at again after each wait.
    """

    def __init__(self) -> None:
        self._identity: int | None = getattr(time, _SLEEP_CLOCK, None)
        try:
            self.monotonic()
        except OSError:  # the system does not have this clock
            self._identity = None

    def monotonic(self) -> float:
        """The seconds since an arbitrary moment in the past."""
        return time.monotonic() if self._identity is None else time.clock_gettime(self._identity)


_LEASE_CLOCK = LeaseClock()


def lease_clock(clock: Clock) -> Clock:
    """Return the clock by which leases are measured: `LeaseClock` for the clock of the machine."""
    return _LEASE_CLOCK if clock is SYSTEM_CLOCK else clock


def real_seconds(clock: Clock, until: float) -> float | None:
    """Return the real seconds until a moment; None for a clock that only tests move."""
    if isinstance(clock, SteppedClock):
        return None
    return max(0.0, until - clock.monotonic())


def on_move(
    clock: Clock, wake: Callable[[], object], until: float | None = None
) -> Callable[[], object]:
    """Call `SteppedClock.on_move`. Does nothing for clocks that move by themselves."""
    return clock.on_move(wake, until) if isinstance(clock, SteppedClock) else _remove_nothing


def on_wait(
    clock: Clock,
    wake: Callable[[], object],
    due: Callable[[], float | None],
    is_over: Callable[[], bool],
) -> Callable[[], object]:
    """Call `SteppedClock.on_wait`. Does nothing for clocks that move by themselves."""
    return clock.on_wait(wake, due, is_over) if isinstance(clock, SteppedClock) else _remove_nothing


def standstill_of(clock: Clock) -> Standstill | None:
    """Start to detect that a clock stands still.

    Returns None for a clock that moves by itself, and for a clock that may stand still forever.
    """
    return clock.standstill() if isinstance(clock, _WatchedClock) else None


def _remove_nothing() -> None:
    """Do nothing: no listener was added."""
