"""SIGINT and SIGTERM as an event, for commands that run until they are told to stop."""

from __future__ import annotations

import signal
import threading
from functools import partial


def stop_event() -> threading.Event:
    """Return an event that SIGINT and SIGTERM set from now on. For the main thread only."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, partial(_set, stop))
    return stop


def _set(event: threading.Event, *_: object) -> None:
    event.set()
