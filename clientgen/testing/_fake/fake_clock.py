"""A clock that moves only when a test moves it."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FakeClock"]

_START: Final = datetime(2026, 1, 1, tzinfo=UTC)
_MOST_STOPS: Final = 10_000


class FakeClock:
    """A clock under the test's control. Pass it to a FakeCluster.

    Waits by this clock last until `step` or `set` has moved it far enough: the end of a watch, a
    delayed response, the timeout of an in-process call. Threads may share it.
    """

    def __init__(self, now: datetime = _START) -> None:
        self._lock = threading.Lock()
        self._now = _aware(now)
        self._elapsed = 0.0
        self._waiters: dict[object, Callable[[], object]] = {}
        self._timeouts: dict[object, float] = {}
        self._stops: list[Callable[[], float | None]] = []

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._now.isoformat()})"

    def now(self) -> datetime:
        """The time of day, in UTC."""
        with self._lock:
            return self._now

    def monotonic(self) -> float:
        """The seconds that this clock has moved forward so far."""
        with self._lock:
            return self._elapsed

    def step(self, seconds: float) -> None:
        """Move the clock forward, and end the waits that are over.

        Raises:
            ValueError: `seconds` is negative; `set` can turn the time of day back.
        """
        if seconds < 0:
            raise ValueError(f"time cannot go backwards: step({seconds!r})")
        self._move(timedelta(seconds=seconds), seconds)

    def set(self, now: datetime) -> None:
        """Set the time of day, and end the waits that are over.

        Moving it forward lets as much time pass for durations. Turning it back does not affect
        durations, as when an administrator does so.

        Raises:
            ValueError: `now` has no time zone.
        """
        difference = _aware(now) - self.now()
        self._move(difference, max(0.0, difference.total_seconds()))

    def advance_to(self, moment: float) -> None:
        """Move the clock forward to a moment of `monotonic`; it does not move backwards."""
        elapsed = self.monotonic()
        if moment > elapsed:
            self._move(timedelta(seconds=moment - elapsed), moment - elapsed)
            self._go(timedelta(), max(moment, self.monotonic()))

    def stop_at(self, due: Callable[[], float | None]) -> None:
        """Have `step` stop at each moment that `due` returns, on the way.

        So work that is due earlier is done earlier, and what follows from it begins in time.
        """
        self._stops.append(due)

    def _move(self, by: timedelta, seconds: float) -> None:
        target = self.monotonic() + seconds
        for _ in range(_MOST_STOPS):
            elapsed = self.monotonic()
            stop = self._next_stop(elapsed, target)
            if stop is None:
                break
            way = timedelta(seconds=stop - elapsed)
            by -= way
            self._go(way, stop)
        self._go(by, max(target, self.monotonic()))

    def _next_stop(self, after: float, until: float) -> float | None:
        due = [moment for each in self._stops if (moment := each()) is not None]
        return min((moment for moment in due if after < moment < until), default=None)

    def _go(self, by: timedelta, elapsed: float) -> None:
        with self._lock:
            self._now += by
            self._elapsed = elapsed
            waiters = list(self._waiters.values())
        for wake in waiters:
            wake()

    @property
    def waiters(self) -> int:
        """The number of its listeners: each cluster, and each waiting request."""
        with self._lock:
            return len(self._waiters)

    @property
    def next_timeout(self) -> float | None:
        """The next moment at which somebody gives up waiting; None if nobody does."""
        with self._lock:
            moments = [moment for moment in self._timeouts.values() if moment > self._elapsed]
        return min(moments, default=None)

    def on_move(self, wake: Callable[[], object], until: float | None = None) -> Callable[[], None]:
        """Call `wake` whenever the clock has moved. Returns a function that ends this.

        `until` is the moment at which the caller gives up waiting, if there is one.
        """
        key = object()
        with self._lock:
            self._waiters[key] = wake
            if until is not None:
                self._timeouts[key] = until

        def forget() -> None:
            with self._lock:
                self._waiters.pop(key, None)
                self._timeouts.pop(key, None)

        return forget


def _aware(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone; write datetime(..., tzinfo=UTC)")
    return moment.astimezone(UTC)
