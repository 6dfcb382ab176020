"""SIGTERM and SIGINT.

The first signal calls the listeners and restores the previous signal handlers. So a second signal
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

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)

_listeners: dict[object, Callable[[], object]] = {}
_previous_handlers: dict[signal.Signals, Any] = {}


def on_stop_signal(listener: Callable[[], object]) -> Callable[[], None]:
    """Call `listener` once at SIGTERM or SIGINT. Returns a function that removes the listener.

    A signal handler calls the listener, between any two instructions of the main thread. The signal
    handlers are installed by the first call in the main thread, because Python allows no other
    thread to install them.
    """
    key = object()
    _listeners[key] = listener
    _install_handlers()

    def remove() -> None:
        _listeners.pop(key, None)
        if not _listeners:
            _restore_handlers()

    return remove


def on_stop_signal_outside_tests(
    clock: Clock, listener: Callable[[], object]
) -> Callable[[], None]:
    """Call `on_stop_signal`, except in tests with a FakeClock.

    In a test, a signal is meant for the test run: the first SIGTERM must end the run, and not only
    stop a manager.
    """
    return _remove_nothing if isinstance(clock, SteppedClock) else on_stop_signal(listener)


def _remove_nothing() -> None:
    """Do nothing: no listener was added."""


def _install_handlers() -> None:
    if _previous_handlers or threading.current_thread() is not threading.main_thread():
        return
    for number in _SIGNALS:
        # None is a handler that was not installed by Python. Python cannot restore such a handler.
        if signal.getsignal(number) is not None:
            _previous_handlers[number] = signal.signal(number, _call_listeners)


def _restore_handlers() -> None:
    if threading.current_thread() is threading.main_thread():
        for number, handler in _previous_handlers.items():
            signal.signal(number, handler)
        _previous_handlers.clear()


def _call_listeners(number: int, _: FrameType | None) -> None:
    listeners = list(_listeners.values())
    _listeners.clear()
    _restore_handlers()
    for listener in listeners:
        listener()
    # The last listener was removed in another thread, which cannot restore handlers. The signal has
    # its previous effect.
    if not listeners:
        signal.raise_signal(number)
