"""TCP keepalive: detects connections whose other side is gone."""

from __future__ import annotations

import socket

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
