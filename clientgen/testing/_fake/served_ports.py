"""Ports of fake containers for port-forward. Functions of a test serve the ports."""

from __future__ import annotations

import logging
import socket
import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from clientgen.runtime._streams import channels
from clientgen.runtime._streams.port_channels import opening_messages

from .sessions import MAX_BUFFERED_BYTES, Input, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from .._apiserver.verbs.connect import PortRequest

    PortHandler: TypeAlias = "Callable[[PortConnection], object]"

_log = logging.getLogger("clientgen.testing")

_CHUNK_BYTES: Final = 1 << 15
_CONNECT_TIMEOUT_SECONDS: Final = 10.0


class PortConnection:
    """A connection to a port of a container. A function of the test serves it.

    Attributes:
        namespace: the namespace of the pod.
        pod: the name of the pod.
        port: the number of the port.
        read: `read(size)` waits for `size` bytes or the end of the input; `read()` waits for the
            end.
        read1: waits for some bytes, and returns all bytes that have arrived; empty at the end.
        readline: waits for a line, and returns it with its newline; empty at the end.
    """

    def __init__(
        self, request: PortRequest, port: int, session: Session, framed: Callable[[bytes], bytes]
    ) -> None:
        self.namespace, self.pod, self.port = request.namespace, request.pod, port
        self.input = Input(session)
        self.read, self.read1 = self.input.read, self.input.read1
        self.readline = self.input.readline
        self._session = session
        self._framed = framed
        self._is_reset = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} to port {self.port} of {self.namespace}/{self.pod}>"

    @property
    def is_closed(self) -> bool:
        """Whether the client has disconnected. Writing then raises BrokenPipeError."""
        return self._is_reset or self._session.is_closed

    def reset(self) -> None:
        """Note that the client has closed this connection."""
        self._is_reset = True
        self.input.end()

    def write(self, data: bytes | str) -> None:
        """Send bytes. Waits while the client does not read.

        Raises:
            BrokenPipeError: the client has disconnected.
        """
        encoded = data.encode() if isinstance(data, str) else data
        for start in range(0, len(encoded), _CHUNK_BYTES):
            if self._is_reset:
                raise BrokenPipeError("the client has disconnected")
            self._session.send(self._framed(encoded[start : start + _CHUNK_BYTES]))


class ForwardedPorts(Session):
    """Connections to ports of one pod over a WebSocket, one for each port."""

    def __init__(
        self, request: PortRequest, subprotocol: str, handlers: Mapping[int, PortHandler]
    ) -> None:
        super().__init__(subprotocol)
        self._request = request
        self._handlers = handlers
        self._connections = [
            PortConnection(request, port, self, partial(channels.message, 2 * number))
            for number, port in enumerate(request.ports)
        ]
        self._running = len(self._connections)

    def begin(self) -> None:
        """Start the functions of the ports."""
        for number, connection in enumerate(self._connections):
            for kind, data in map(channels.split, opening_messages(connection.port)):
                self.send(channels.message(2 * number + kind, data))
            threading.Thread(
                target=self._run, args=[number], name=f"clientgen {connection!r}", daemon=True
            ).start()

    def feed(self, message: bytes) -> None:
        """Receive a message from the client; messages of unknown channels are ignored."""
        if not message:
            return
        number, kind = divmod(message[0], 2)
        if kind == 0 and number < len(self._connections):
            self._connections[number].input.feed(message[1:])

    @property
    def is_full(self) -> bool:
        """Whether the client must wait until a function has read more."""
        return any(each.input.buffered_bytes > MAX_BUFFERED_BYTES for each in self._connections)

    def close(self) -> None:
        """Note that the client has disconnected."""
        super().close()
        for connection in self._connections:
            connection.input.end()

    def _run(self, number: int) -> None:
        connection = self._connections[number]
        error = serve(self._handlers.get(connection.port), connection)
        with suppress(BrokenPipeError):
            if error:
                self.send(channels.message(2 * number + 1, error.encode()))
        with self.changed:
            self._running -= 1
            is_last = not self._running
        if is_last:
            self.finish()


def serve(handler: PortHandler | None, connection: PortConnection) -> str:
    """Let a function serve a connection.

    Returns the error for the client; empty without an error.
    """
    prefix = f"error forwarding port {connection.port} to pod {connection.pod}"
    if handler is None:
        return f"{prefix}: connection refused: the test declared no server for this port"
    try:
        handler(connection)
    except BrokenPipeError:
        return ""
    except OSError as error:
        return f"{prefix}: {error}"
    except Exception as error:  # noqa: BLE001 - the test's function may raise anything
        _log.exception("%r failed", connection)
        return f"{prefix}: {type(error).__name__}: {error}"
    return ""


def pipe_to(address: str) -> PortHandler:
    """Return a function that connects a port to a server, such as `127.0.0.1:5432`.

    Raises:
        ValueError: `address` is not `host:port`.
    """
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isdecimal()):
        raise ValueError(f"{address!r} is not an address; write host and port: '127.0.0.1:5432'")

    def pipe(connection: PortConnection) -> None:
        with socket.create_connection(
            (host.strip("[]"), int(port)), timeout=_CONNECT_TIMEOUT_SECONDS
        ) as server:
            server.settimeout(None)
            sending = threading.Thread(
                target=_send_to_server, args=[connection, server], daemon=True
            )
            sending.start()
            try:
                while data := server.recv(_CHUNK_BYTES):
                    connection.write(data)
            finally:
                connection.input.end()
                sending.join()

    return pipe


def _send_to_server(connection: PortConnection, server: socket.socket) -> None:
    with suppress(OSError):
        while data := connection.read1():
            server.sendall(data)
        if connection.is_closed:
            server.shutdown(socket.SHUT_RDWR)
        else:
            server.shutdown(socket.SHUT_WR)
