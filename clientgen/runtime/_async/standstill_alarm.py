"""An alarm for who waits by a clock of a test that nobody moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._clock import standstill_of
from ._primitives import Event, call_later

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._clock import Clock, Standstill

__all__ = ["alarm_at_standstill"]


def alarm_at_standstill(clock: Clock, alarm: Callable[[str], object]) -> Callable[[], object]:
    """Call something with a sentence when a FakeClock has stood still for too long.

    Returns what ends this. Other clocks move by themselves, and nothing is called.
    """
    standstill = standstill_of(clock)
    return (lambda: None) if standstill is None else _Looks(standstill, alarm).end


class _Looks:
    def __init__(self, standstill: Standstill, alarm: Callable[[str], object]) -> None:
        self._standstill = standstill
        self._alarm = alarm
        self._over = Event()
        self._cancel = call_later(standstill.interval, self._look)

    def end(self) -> None:
        """Look no more."""
        self._over.set()
        self._cancel()

    def _look(self) -> None:
        if self._over.is_set():
            return
        why = self._standstill.look()
        if why:
            self._alarm(why)
            return
        self._cancel = call_later(self._standstill.interval, self._look)
        if self._over.is_set():  # ended by another thread meanwhile
            self._cancel()
