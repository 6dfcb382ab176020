"""Connections to a local port, for threads; the counterpart of the module in `_async`."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._primitives import Function

__all__ = ["LocalConnection", "LocalListener"]

_HOST = "127.0.0.1"
_PIECE = 1 << 16
_GRACE = 5.0  # for threads whose connection is broken off


class LocalConnection:
    """A connection that a program on this machine has made."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def read(self) -> bytes:
        """Return the next bytes; none at the end, and after `abort`."""
        try:
            return self._sock.recv(_PIECE)
        except OSError:
            return b""

    def write(self, data: bytes) -> None:
        """Send bytes, and wait while the program does not read.

        Raises:
            OSError: The program is gone.
        """
        self._sock.sendall(data)

    def abort(self) -> None:
        """Break the connection off."""
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection, after what was written."""
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_WR)


class LocalListener:
    """Accepts connections of this machine, and serves each in a thread of its own."""

    def __init__(self, serve: Function[[LocalConnection], None]) -> None:
        self._serve = serve
        self._listening: socket.socket | None = None
        self._changed = threading.Condition()
        self._connections: set[LocalConnection] = set()
        self._is_closed = False

    def start(self, port: int) -> int:
        """Begin to listen, at any free port for 0; gives the port.

        Raises:
            OSError: It cannot be listened on, for example because another program does so.
        """
        self._listening = socket.create_server((_HOST, port), backlog=128)
        bound: int = self._listening.getsockname()[1]
        self._accepting = threading.Thread(
            target=self._accept, args=[self._listening], name="clientgen-ports", daemon=True
        )
        self._accepting.start()
        return bound

    def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                sock, _ = listening.accept()
            except OSError:  # closed
                return
            self.adopt(sock)
            if self._is_closed:
                return

    def adopt(self, sock: socket.socket) -> None:
        """Serve a connection that is there already; none after `close`."""
        connection = LocalConnection(sock)
        with self._changed:
            if self._is_closed:
                sock.close()
                return
            self._connections.add(connection)
        threading.Thread(
            target=self._run, args=[connection, sock], name="clientgen-port", daemon=True
        ).start()

    def _run(self, connection: LocalConnection, sock: socket.socket) -> None:
        try:
            self._serve(connection)
        finally:
            connection.abort()
            sock.close()
            with self._changed:
                self._connections.discard(connection)
                self._changed.notify_all()

    def close(self) -> None:
        """Listen no longer, and break the connections off."""
        with self._changed:
            self._is_closed = True
            for connection in self._connections:
                connection.abort()
        if self._listening is not None:
            self._wake(self._listening)
            self._accepting.join(_GRACE)
            self._listening.close()
        with self._changed:
            self._changed.wait_for(lambda: not self._connections, _GRACE)

    def _wake(self, listening: socket.socket) -> None:
        """Have `accept` return: closing the socket does not, on every system."""
        with suppress(OSError):
            socket.create_connection(listening.getsockname(), timeout=_GRACE).close()
