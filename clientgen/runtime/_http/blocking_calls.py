"""Calls that block an event loop, which nobody notices before the program is busy.

Django refuses such calls, httpx says nothing. Here they work, since a program that starts up may
mean it, and one line in the log tells of the first. Notebooks have a loop that waits for the cell.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .request import HttpRequest

__all__ = ["blocks_a_loop", "warn_of_blocking"]

_told: set[bool] = set()


def blocks_a_loop() -> bool:
    """Tell whether an event loop is running in this thread, whose tasks have to wait."""
    events = sys.modules.get("asyncio.events")  # who has no loop need not load it
    return events is not None and events._get_running_loop() is not None


def warn_of_blocking(request: HttpRequest) -> None:
    """Log that a request blocks the loop: once in a process, and not in a notebook."""
    if _told or "ipykernel" in sys.modules:
        return
    _told.add(True)
    import logging  # most programs need not be told

    words = (
        "%s blocks the running event loop until it is answered: use the asyncio clientset there, "
        "or call this one by asyncio.to_thread (this is said once)"
    )
    logging.getLogger("clientgen.runtime.connections").warning(words, request.info)
