"""A clock that stands still until a test moves it."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FakeClock"]

_START: Final = datetime(2026, 1, 1, tzinfo=UTC)


class FakeClock:
    """Tells the time it was given; give it to a FakeCluster.

    What waits by this clock waits until `step` or `set` has moved it far enough, and then goes on
    at once: the end of a watch, a delayed answer, the timeout of a call in process. Threads may
    share it.
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
        """The seconds that this clock was moved forward so far."""
        with self._lock:
            return self._elapsed

    def step(self, seconds: float) -> None:
        """Move on, and wake who waits.

        Raises:
            ValueError: `seconds` is negative; `set` can turn the time of day back.
        """
        if seconds < 0:
            raise ValueError(f"time does not go back: step({seconds!r})")
        self._move(timedelta(seconds=seconds), seconds)

    def set(self, now: datetime) -> None:
        """Set the time of day, and wake who waits.

        Durations end by as much as the time of day moves forward; when it is turned back, as an
        administrator may do, they stay as they are.

        Raises:
            ValueError: `now` does not say its zone.
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
        """How many listen to its moves: each cluster, and each request that waits."""
        with self._lock:
            return len(self._waiters)

    def on_move(self, wake: Callable[[], object]) -> Callable[[], None]:
        """Have `wake` called whenever the clock has moved; gives what ends that."""
        key = object()
        with self._lock:
            self._waiters[key] = wake

        def forget() -> None:
            with self._lock:
                self._waiters.pop(key, None)

        return forget


def _aware(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} does not say its zone: datetime(..., tzinfo=UTC)")
    return moment.astimezone(UTC)
