# Derived from _async/standstill_alarm.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Alarms by a clock, and for who waits by a clock of a test that nobody moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._clock import on_move, real_seconds, standstill_of
from ._primitives import Event, call_later, from_clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._clock import Clock, Standstill

__all__ = ["alarm_at", "alarm_at_standstill", "alarm_once"]


def alarm_at(clock: Clock, moment: float, alarm: Callable[[], object]) -> Callable[[], object]:
    """Call something when a clock has come to a moment; again whenever it moves on from there.

    Returns what ends this.
    """
    seconds = real_seconds(clock, moment)
    if seconds is not None:
        return call_later(seconds, alarm)
    ring = from_clock(alarm)

    def moved() -> None:
        if clock.monotonic() >= moment:
            ring()

    forget = on_move(clock, moved, moment)
    moved()  # it may have been moved meanwhile
    return forget


def alarm_once(clock: Clock, moment: float, alarm: Callable[[str], object]) -> Callable[[], object]:
    """Call something once: at a moment of a clock, or when a FakeClock stands still for too long.

    It is called with a sentence that says so in the second case, else with an empty one. Returns
    what ends this.
    """
    over = Event()

    def ring(why: str = "") -> None:
        if not over.is_set():
            over.set()
            alarm(why)

    ends = alarm_at(clock, moment, ring), alarm_at_standstill(clock, ring)

    def end() -> None:
        over.set()
        for each in ends:
            each()

    return end


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
