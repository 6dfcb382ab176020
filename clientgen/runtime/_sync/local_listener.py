"""Connections to a local port, for threads. `_async/local_listener.py` has the same names."""

from __future__ import annotations

import logging
import socket
import threading
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from .._net.socket_wait import wait_for

if TYPE_CHECKING:
    from ._primitives import Function

logger = logging.getLogger("clientgen.runtime.ports")

_HOST = "127.0.0.1"
_MAX_READ_BYTES = 1 << 16
_CLOSE_TIMEOUT_SECONDS = 5.0  # how long `close` waits for its threads
_ACCEPT_RETRY_SECONDS = 1.0  # the pause after a failed accept


class LocalConnection:
    """A connection from a program on this machine."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def read(self) -> bytes:
        """Return the next bytes; empty bytes at the end of the stream and after `abort`."""
        try:
            return self._sock.recv(_MAX_READ_BYTES)
        except OSError:
            return b""

    def write(self, data: bytes) -> None:
        """Send bytes. Waits while the program does not read.

        Raises:
            OSError: The program has closed the connection.
        """
        self._sock.sendall(data)

    def abort(self) -> None:
        """Close the connection at once."""
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection after all written bytes have been sent."""
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_WR)


class LocalListener:
    """Accepts connections to a loopback port, and serves each connection in a new thread.

    Args:
        serve: Called with each connection. The connection is aborted when the function returns or
            raises.
    """

    def __init__(self, serve: Function[[LocalConnection], None]) -> None:
        self._serve = serve
        self._accepting: threading.Thread | None = None
        self._changed = threading.Condition()
        self._connections: set[LocalConnection] = set()
        self._is_closed = False

    def start(self, port: int) -> int:
        """Listen on a port; 0 chooses a free port. Returns the port.

        Raises:
            OSError: The port cannot be listened on, for example because another program uses it.
            RuntimeError: No thread can be started.
        """
        with ExitStack() as undo:
            listening = undo.enter_context(socket.create_server((_HOST, port), backlog=128))
            listening.setblocking(False)
            woken, waker = map(undo.enter_context, socket.socketpair())
            accepting = threading.Thread(
                target=self._accept, args=[listening, woken], name="clientgen-ports", daemon=True
            )
            bound: int = listening.getsockname()[1]
            accepting.start()
            undo.pop_all()
        self._accepting, self._waker = accepting, waker
        return bound

    def _accept(self, listening: socket.socket, woken: socket.socket) -> None:
        """Accept connections until `close`."""
        has_failed = False
        with listening, woken:
            while wait_for(listening, woken) and not self._is_closed:
                try:
                    sock, _ = listening.accept()
                    sock.setblocking(True)
                    self.adopt(sock)
                except (BlockingIOError, ConnectionAbortedError):
                    continue
                except (OSError, RuntimeError) as error:  # no free descriptors, or no new thread
                    if not has_failed:
                        port = listening.getsockname()[1]
                        logger.warning("local port %d: cannot accept connections: %s", port, error)
                    has_failed = True
                    wait_for(woken, seconds=_ACCEPT_RETRY_SECONDS)
                else:
                    has_failed = False

    def adopt(self, sock: socket.socket) -> None:
        """Serve a connection that the caller has accepted. After `close`, close it instead.

        Raises:
            RuntimeError: No thread can be started; the connection is closed.
        """
        connection = LocalConnection(sock)
        with self._changed:
            if self._is_closed:
                sock.close()
                return
            self._connections.add(connection)
        try:
            threading.Thread(
                target=self._run, args=[connection, sock], name="clientgen-port", daemon=True
            ).start()
        except RuntimeError:
            self._end(connection, sock)
            raise

    def _run(self, connection: LocalConnection, sock: socket.socket) -> None:
        try:
            self._serve(connection)
        finally:
            connection.abort()
            self._end(connection, sock)

    def _end(self, connection: LocalConnection, sock: socket.socket) -> None:
        sock.close()
        with self._changed:
            self._connections.discard(connection)
            self._changed.notify_all()

    def close(self) -> None:
        """Stop listening, and abort all connections."""
        with self._changed:
            self._is_closed = True
            for connection in self._connections:
                connection.abort()
        if self._accepting is not None:
            with suppress(OSError):  # the accepting thread has ended by itself
                self._waker.send(b"!")
            self._accepting.join(_CLOSE_TIMEOUT_SECONDS)
            self._waker.close()
        with self._changed:
            self._changed.wait_for(lambda: not self._connections, _CLOSE_TIMEOUT_SECONDS)
