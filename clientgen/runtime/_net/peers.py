"""Counts the connections of a server, and the memory of their bodies and answers, by peer.

The limits of a server apply to all peers together. A single peer may use only a part of each limit,
so that a pod that floods the port of a webhook does not lock out the API server.
"""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import contextmanager
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from . import endpoint_limits as limits

if TYPE_CHECKING:
    from collections.abc import Generator

C = TypeVar("C")

_NETWORK_BITS = 64  # a machine may choose the other bits of its IPv6 address


class Peers(Generic[C]):
    """Admits connections and reserves memory, within the limits of the server and of each peer.

    When a limit of the server is reached, connections of the largest peer are closed. Threads may
    share an instance.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._peer_of: dict[C, str] = {}
        # Connections without a running request, by peer; the oldest first.
        self._idle: dict[str, dict[C, None]] = {}
        self._connection_count: Counter[str] = Counter()
        self._reserved: dict[C, tuple[str, int]] = {}
        # Connections that receive a body or send an answer. A slow peer can delay them.
        self._transferring: dict[C, None] = {}
        self._reserved_bytes: Counter[str] = Counter()

    def admit(self, connection: C, peer: str) -> tuple[bool, C | None]:
        """Count a new connection, if there is room.

        Returns:
            Whether there is room, and the connection that the caller must close to make room: an
            idle connection of the peer with the most connections.
        """
        with self._lock:
            is_full = len(self._peer_of) >= limits.MAX_CONNECTIONS
            largest_peer = peer
            if is_full:
                largest_peer, most = self._connection_count.most_common(1)[0]
                # Close a connection of the largest peer only if that peer keeps at least as many
                # connections as this peer will have.
                if most <= self._connection_count[peer] + 1:
                    return False, None
            victim: C | None = None
            if is_full or self._connection_count[peer] >= limits.MAX_CONNECTIONS_PER_PEER:
                victim = next(iter(self._idle.get(largest_peer, ())), None)
                if victim is None:
                    return False, None
                self._remove(victim)
            self._peer_of[connection] = peer
            self._connection_count[peer] += 1
            self._idle.setdefault(peer, {})[connection] = None
            return True, victim

    def remove(self, connection: C) -> None:
        """Remove a connection that has ended."""
        with self._lock:
            self._remove(connection)

    @contextmanager
    def answering(self, connection: C) -> Generator[bool]:
        """Protect a connection from `admit` in a `with` block, while its request is answered.

        Yields whether the connection still exists.
        """
        with self._lock:
            peer = self._peer_of.get(connection, "")
            exists = connection in self._peer_of
            self._idle.get(peer, {}).pop(connection, None)
        try:
            yield exists
        finally:
            with self._lock:
                if connection in self._peer_of:
                    self._idle.setdefault(peer, {})[connection] = None

    def reserve(self, connection: C, size: int) -> tuple[bool, list[C]]:
        """Reserve memory for a part of a body, or for an answer.

        Returns:
            Whether there is memory, and the connections that the caller must close to make room.
            These receive a body or send an answer, and belong to the peer that uses the most
            memory.
        """
        victims: list[C] = []
        with self._lock:
            peer = self._peer_of.get(connection)
            if (
                peer is None
                or self._reserved_bytes[peer] + size > limits.MAX_BUFFERED_BYTES_PER_PEER
            ):
                return False, victims
            while self._reserved_bytes.total() + size > limits.MAX_BUFFERED_BYTES:
                largest_peer, most = self._reserved_bytes.most_common(1)[0]
                victim = next(
                    (
                        each
                        for each in self._transferring
                        if self._reserved[each][0] == largest_peer
                    ),
                    None,
                )
                # Close no connection of a peer that uses less memory than this peer would use.
                if victim is None or most <= self._reserved_bytes[peer] + size:
                    return False, victims
                self._release(victim)
                self._remove(victim)
                victims.append(victim)
            _, before = self._reserved.get(connection, (peer, 0))
            self._reserved[connection] = peer, before + size
            self._transferring[connection] = None
            self._reserved_bytes[peer] += size
            return True, victims

    def mark_body_complete(self, connection: C) -> None:
        """Note that the body of a request has arrived. The peer cannot delay it any more."""
        with self._lock:
            self._transferring.pop(connection, None)

    def release(self, connection: C) -> None:
        """Release the memory of a connection, after its request or its answer is done."""
        with self._lock:
            self._release(connection)

    def _release(self, connection: C) -> None:
        self._transferring.pop(connection, None)
        if connection in self._reserved:
            _subtract(self._reserved_bytes, *self._reserved.pop(connection))

    def _remove(self, connection: C) -> None:
        peer = self._peer_of.pop(connection, None)
        if peer is None:
            return
        _subtract(self._connection_count, peer, 1)
        idle = self._idle.get(peer, {})
        idle.pop(connection, None)
        if not idle:
            self._idle.pop(peer, None)


def _subtract(counter: Counter[str], key: str, amount: int) -> None:
    counter[key] -= amount
    if not counter[key]:
        del counter[key]


def peer_of(address: Any) -> str:
    """Return the peer of a socket address: its IP address, or the /64 network of an IPv6 address.

    Peers of Unix sockets are not distinguished.
    """
    host = "" if isinstance(address, (str, bytes)) else str(address[0])
    try:
        ip = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(ip, IPv6Address):
        return str(ip.ipv4_mapped or ip.packed[: _NETWORK_BITS // 8].hex())
    return str(ip)
