"""A clock that moves only when a test moves it."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FakeClock"]

_START: Final = datetime(2026, 1, 1, tzinfo=UTC)


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

    def _move(self, by: timedelta, seconds: float) -> None:
        with self._lock:
            self._now += by
            self._elapsed += seconds
            waiters = list(self._waiters.values())
        for wake in waiters:
            wake()

    @property
    def waiters(self) -> int:
        """The number of its listeners: each cluster, and each waiting request."""
        with self._lock:
            return len(self._waiters)

    def on_move(self, wake: Callable[[], object]) -> Callable[[], None]:
        """Call `wake` whenever the clock has moved. Returns a function that ends this."""
        key = object()
        with self._lock:
            self._waiters[key] = wake

        def forget() -> None:
            with self._lock:
                self._waiters.pop(key, None)

        return forget


def _aware(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone; write datetime(..., tzinfo=UTC)")
    return moment.astimezone(UTC)
