"""Waits for sockets without a file descriptor of its own, so that it works when none are free."""

from __future__ import annotations

import selectors
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

__all__ = ["wait_for"]

_Selector = getattr(selectors, "PollSelector", selectors.SelectSelector)


def wait_for(*socks: socket.socket, seconds: float | None = None) -> bool:
    """Wait until a socket has data or a connection. Returns False after `seconds` without any."""
    with _Selector() as selector:
        for sock in socks:
            selector.register(sock, selectors.EVENT_READ)
        return bool(selector.select(seconds))
