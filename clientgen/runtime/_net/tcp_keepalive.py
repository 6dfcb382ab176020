"""Options of TCP sockets: detecting that the other side is gone, and forgetting unsent bytes."""

from __future__ import annotations

import socket
import struct
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio.trsock import TransportSocket

# As in Go, the first probe is sent after 15 seconds without data. Go gives up after nine lost
# probes. These values detect a dead peer, or a firewall that has dropped the connection, after 39
# seconds: 15 s, then three probes at 8 s.
_OPTION_VALUES = (
    (socket.SOL_SOCKET, "SO_KEEPALIVE", 1),
    (socket.IPPROTO_TCP, "TCP_KEEPIDLE", 15),
    (socket.IPPROTO_TCP, "TCP_KEEPALIVE", 15),  # the name on macOS
    (socket.IPPROTO_TCP, "TCP_KEEPINTVL", 8),
    (socket.IPPROTO_TCP, "TCP_KEEPCNT", 3),
    # The time for unacknowledged data, in milliseconds; only Linux has it.
    (socket.IPPROTO_TCP, "TCP_USER_TIMEOUT", 37_000),
)

KEEPALIVE: tuple[tuple[int, int, int], ...] = tuple(
    (level, getattr(socket, name), value)
    for level, name, value in _OPTION_VALUES
    if hasattr(socket, name)
)
"""The socket options that make the operating system probe silent connections."""


def forget_unsent_bytes(connection: socket.socket | TransportSocket | None) -> None:
    """Make the next `close` reset the connection.

    Otherwise the operating system goes on sending what it has, for minutes if the network is down.
    """
    if connection is not None:
        with suppress(OSError):  # the socket may be closed already
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
