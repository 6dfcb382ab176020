# Derived from _async/standstill_alarm.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Timers of a clock. They also fire if a test stops moving its FakeClock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._clock import on_move, real_seconds, standstill_of
from ._primitives import Event, call_later, from_clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._clock import Clock, Standstill


def alarm_at(clock: Clock, moment: float, alarm: Callable[[], object]) -> Callable[[], object]:
    """Call `alarm` when a clock reaches a time, and again at each later move of a FakeClock.

    Returns a function that cancels the alarm.
    """
    seconds = real_seconds(clock, moment)
    if seconds is not None:
        return call_later(seconds, alarm)
    ring = from_clock(alarm)

    def moved() -> None:
        if clock.monotonic() >= moment:
            ring()

    forget = on_move(clock, moved, moment)
    moved()  # the clock may have moved before on_move was called
    return forget


def alarm_once(clock: Clock, moment: float, alarm: Callable[[str], object]) -> Callable[[], object]:
    """Call `alarm` once: at a time of a clock, or when a FakeClock has not moved for too long.

    The argument is a sentence for the error message in the second case, and empty in the first
    case. Returns a function that cancels the alarm.
    """
    is_over = Event()

    def ring(why: str = "") -> None:
        if not is_over.is_set():
            is_over.set()
            alarm(why)

    cancels = alarm_at(clock, moment, ring), alarm_at_standstill(clock, ring)

    def cancel() -> None:
        is_over.set()
        for cancel_one in cancels:
            cancel_one()

    return cancel


def alarm_at_standstill(clock: Clock, alarm: Callable[[str], object]) -> Callable[[], object]:
    """Call `alarm` with a sentence for the error message if a FakeClock has not moved for too long.

    Does nothing for other clocks, which move by themselves. Returns a function that cancels the
    alarm.
    """
    standstill = standstill_of(clock)
    return (lambda: None) if standstill is None else _StandstillPoll(standstill, alarm).cancel


class _StandstillPoll:
    """Checks at intervals of real time whether a FakeClock has not moved for too long."""

    def __init__(self, standstill: Standstill, alarm: Callable[[str], object]) -> None:
        self._standstill = standstill
        self._alarm = alarm
        self._cancelled = Event()
        self._cancel_timer = call_later(standstill.interval, self._poll)

    def cancel(self) -> None:
        """Stop checking."""
        self._cancelled.set()
        self._cancel_timer()

    def _poll(self) -> None:
        if self._cancelled.is_set():
            return
        why = self._standstill.check()
        if why:
            self._alarm(why)
            return
        self._cancel_timer = call_later(self._standstill.interval, self._poll)
        if self._cancelled.is_set():  # `cancel` has cancelled the previous timer
            self._cancel_timer()
