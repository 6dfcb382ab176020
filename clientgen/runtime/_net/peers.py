"""The connections of a server by who has made them, and what their bodies and answers take.

A server's limits are for all clients together. One of them, say a pod that reaches the port of a
webhook, may take a part of each only: there is always room for the API server.
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

__all__ = ["Peers", "peer_of"]

C = TypeVar("C")

_NETWORK = 64  # bits of an IPv6 address: a machine may choose the others


class Peers(Generic[C]):
    """Counts the connections of peers, and the bytes of their bodies and answers.

    Threads may share it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._peer_of: dict[C, str] = {}
        self._waiting: dict[str, dict[C, None]] = {}  # for a client, the oldest first
        self._count: Counter[str] = Counter()
        self._kept: dict[C, tuple[str, int]] = {}
        self._moving: dict[C, None] = {}  # a body or an answer; it is up to the client
        self._bytes: Counter[str] = Counter()

    def admit(self, connection: C, peer: str) -> tuple[bool, C | None]:
        """Count a new connection, if there is room.

        Returns whether there is, and the connection that has to make room: one that waits for a
        client which has many.
        """
        with self._lock:
            is_full = len(self._peer_of) >= limits.CONNECTIONS
            crowd = peer
            if is_full:
                crowd, most = self._count.most_common(1)[0]
                if most <= self._count[peer] + 1:
                    return False, None
            victim: C | None = None
            if is_full or self._count[peer] >= limits.CONNECTIONS_OF_PEER:
                victim = next(iter(self._waiting.get(crowd, ())), None)
                if victim is None:
                    return False, None
                self._remove(victim)
            self._peer_of[connection] = peer
            self._count[peer] += 1
            self._waiting.setdefault(peer, {})[connection] = None
            return True, victim

    def remove(self, connection: C) -> None:
        """Note the end of a connection."""
        with self._lock:
            self._remove(connection)

    @contextmanager
    def answering(self, connection: C) -> Generator[bool]:
        """Note that a request of a connection is answered meanwhile: it makes no room.

        Gives whether it is still there.
        """
        with self._lock:
            peer = self._peer_of.get(connection, "")
            is_there = connection in self._peer_of
            self._waiting.get(peer, {}).pop(connection, None)
        try:
            yield is_there
        finally:
            with self._lock:
                if connection in self._peer_of:
                    self._waiting.setdefault(peer, {})[connection] = None

    def keep(self, connection: C, size: int) -> tuple[bool, list[C]]:
        """Count bytes of a body that is being read or of an answer, if there is memory for them.

        Returns whether there is, and the connections that have to make room: those that read a body
        or send an answer, of the client whose bodies and answers take the most.
        """
        victims: list[C] = []
        with self._lock:
            peer = self._peer_of.get(connection)
            if peer is None or self._bytes[peer] + size > limits.BODY_BYTES_OF_PEER:
                return False, victims
            while self._bytes.total() + size > limits.BODY_BYTES:
                crowd, most = self._bytes.most_common(1)[0]
                victim = next((each for each in self._moving if self._kept[each][0] == crowd), None)
                if victim is None or most <= self._bytes[peer] + size:
                    return False, victims
                self._drop(victim)
                self._remove(victim)
                victims.append(victim)
            _, before = self._kept.get(connection, (peer, 0))
            self._kept[connection] = peer, before + size
            self._moving[connection] = None
            self._bytes[peer] += size
            return True, victims

    def read(self, connection: C) -> None:
        """Note that all of a body has come."""
        with self._lock:
            self._moving.pop(connection, None)

    def drop(self, connection: C) -> None:
        """Note that a connection's body is not needed any more, or that its answer is sent."""
        with self._lock:
            self._drop(connection)

    def _drop(self, connection: C) -> None:
        self._moving.pop(connection, None)
        if connection in self._kept:
            _subtract(self._bytes, *self._kept.pop(connection))

    def _remove(self, connection: C) -> None:
        peer = self._peer_of.pop(connection, None)
        if peer is None:
            return
        _subtract(self._count, peer, 1)
        waiting = self._waiting.get(peer, {})
        waiting.pop(connection, None)
        if not waiting:
            self._waiting.pop(peer, None)


def _subtract(counter: Counter[str], key: str, amount: int) -> None:
    counter[key] -= amount
    if not counter[key]:
        del counter[key]


def peer_of(address: Any) -> str:
    """Return who has connected, by the address of a socket, which has none on a Unix socket."""
    host = "" if isinstance(address, (str, bytes)) else str(address[0])
    try:
        ip = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(ip, IPv6Address):
        return str(ip.ipv4_mapped or ip.packed[: _NETWORK // 8].hex())
    return str(ip)
