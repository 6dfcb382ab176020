"""Warns of synchronous calls that block an event loop.

The calls work, because a program may make them on purpose while it starts. The first call is logged
as a warning: without it, the mistake would show only when the program is busy. Notebooks get no
warning, because their event loop waits for the cell anyway.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .request import HttpRequest

_warned: set[bool] = set()


def blocks_a_loop() -> bool:
    """Return whether an event loop is running in this thread."""
    events = sys.modules.get("asyncio.events")  # programs without a loop need not load asyncio
    return events is not None and events._get_running_loop() is not None


def warn_of_blocking(request: HttpRequest) -> None:
    """Log that a request blocks the event loop: once in a process, and never in a notebook."""
    if _warned or "ipykernel" in sys.modules:
        return
    _warned.add(True)
    import logging  # imported late: most programs never log this

    words = (
        "%s blocks the running event loop until the server responds: use the asyncio clientset, "
        "or call this one with asyncio.to_thread (logged once)"
    )
    logging.getLogger("clientgen.runtime.connections").warning(words, request.info)
