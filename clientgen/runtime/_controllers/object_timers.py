"""When the timer of an object fires. Times are arguments; nothing here waits."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

from .._models.arguments import type_of

if TYPE_CHECKING:
    from collections.abc import Callable


class TimerRule:
    """The times of a timer: see `AsyncController.timer`."""

    def __init__(
        self,
        every: float | None,
        idle: float | None,
        delay: float | None,
        jitter: float,
        draw: Callable[[], float] = random.random,
    ) -> None:
        if every is None and idle is None:
            raise ValueError("a timer needs every= or idle=, in seconds")
        self._every = None if every is None else checked_seconds("every", every)
        self._idle = None if idle is None else checked_seconds("idle", idle)
        self._delay = None if delay is None else checked_seconds("delay", delay, least=0.0)
        self._jitter = checked_seconds("jitter", jitter, least=0.0)
        self._draw = draw

    @property
    def idle(self) -> float | None:
        """The seconds without a change before the timer fires."""
        return self._idle

    def first(self) -> float:
        """Return the seconds until the timer of a new object is due."""
        if self._delay is not None:
            return self._delay
        return self._interval() if self._idle is None else self._idle

    def blocked_until(self, now: float, changed: float) -> float | None:
        """Return when a timer that is due may fire; None if it may fire now.

        Args:
            now: The time.
            changed: When the object was changed, or seen for the first time.
        """
        idle_at = changed + (self._idle or 0.0)
        return idle_at if now < idle_at else None

    def after(self, due: float, now: float) -> float | None:
        """Return when a timer that fired is due again; None if only a change makes it due.

        A timer that could not fire for several intervals fires once.
        """
        if self._every is None:
            return None
        following = due + self._interval()
        if following <= now:
            following += math.ceil((now - following) / self._every) * self._every
        return following if following > now else following + self._every

    def _interval(self) -> float:
        assert self._every is not None
        return self._every * (1 + self._jitter * self._draw())


def checked_seconds(name: str, value: object, *, least: float | None = None) -> float:
    """Check a number of seconds: above 0, or with `least`, at least that many.

    Raises:
        TypeError: It is not a number.
        ValueError: It is too small, or not finite.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number, not {type_of(value)}")
    is_large_enough = value > 0 if least is None else value >= least
    if not is_large_enough or not math.isfinite(value):
        bound = "above 0" if least is None else f"{least:g} or more"
        raise ValueError(f"{name}={value}: it must be {bound}, and finite")
    return float(value)
