"""How connections notice that the other side is gone although nobody said so."""

from __future__ import annotations

import socket

__all__ = ["KEEPALIVE"]

# Go probes a silent connection after 15 seconds and gives up after nine lost probes.
_VALUES = (
    (socket.SOL_SOCKET, "SO_KEEPALIVE", 1),
    (socket.IPPROTO_TCP, "TCP_KEEPIDLE", 30),
    (socket.IPPROTO_TCP, "TCP_KEEPALIVE", 30),  # the name on macOS
    (socket.IPPROTO_TCP, "TCP_KEEPINTVL", 15),
    (socket.IPPROTO_TCP, "TCP_KEEPCNT", 4),
)

KEEPALIVE: tuple[tuple[int, int, int], ...] = tuple(
    (level, getattr(socket, name), value) for level, name, value in _VALUES if hasattr(socket, name)
)
"""Socket options that make the system probe silent connections."""
