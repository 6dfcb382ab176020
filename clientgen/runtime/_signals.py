"""SIGTERM and SIGINT.

The first signal is the wish; from then on signals do what they did before, so that a second one
ends a program that does not stop. (controller-runtime: pkg/manager/signals.)
"""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any, Final

from ._clock import SteppedClock

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from ._clock import Clock

__all__ = ["on_stop_signal", "on_stop_signal_by"]

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)

_listeners: dict[object, Callable[[], object]] = {}
_before: dict[signal.Signals, Any] = {}


def on_stop_signal(listener: Callable[[], object]) -> Callable[[], None]:
    """Have something called, once, when the program is told to stop; gives what ends that.

    It is called by a signal handler, which can happen anywhere: see `from_outside`. Signals are
    listened to from when the first who asks does so in the main thread; Python allows no other.
    """
    key = object()
    _listeners[key] = listener
    _listen()

    def forget() -> None:
        _listeners.pop(key, None)
        if not _listeners:
            _restore()

    return forget


def on_stop_signal_by(clock: Clock, listener: Callable[[], object]) -> Callable[[], None]:
    """Do the same for a program that runs by a clock.

    With a FakeClock it listens to no signal: it is part of a test, and signals are for who runs the
    tests. Else the first SIGTERM would stop a manager, and not the run.
    """
    return _nothing if isinstance(clock, SteppedClock) else on_stop_signal(listener)


def _nothing() -> None:
    """There is nothing to end."""


def _listen() -> None:
    if _before or threading.current_thread() is not threading.main_thread():
        return
    for number in _SIGNALS:
        # None is a handler that was not set by Python, and cannot be restored by it.
        if signal.getsignal(number) is not None:
            _before[number] = signal.signal(number, _stop)


def _restore() -> None:
    if threading.current_thread() is threading.main_thread():
        for number, handler in _before.items():
            signal.signal(number, handler)
        _before.clear()


def _stop(number: int, _: FrameType | None) -> None:
    listeners = list(_listeners.values())
    _listeners.clear()
    _restore()
    for listener in listeners:
        listener()
    if not listeners:  # they left in another thread, where nothing can be restored
        signal.raise_signal(number)
