"""Waits for sockets. Opens no file descriptor, and so works when no file descriptor is free."""

from __future__ import annotations

import selectors
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

# The selectors for epoll and kqueue open a file descriptor. Windows has no poll.
_Selector = getattr(selectors, "PollSelector", selectors.SelectSelector)


def wait_for(*socks: socket.socket, seconds: float | None = None) -> bool:
    """Wait until one of the sockets has data or a connection. Returns False after `seconds`."""
    with _Selector() as selector:
        for sock in socks:
            selector.register(sock, selectors.EVENT_READ)
        return bool(selector.select(seconds))
