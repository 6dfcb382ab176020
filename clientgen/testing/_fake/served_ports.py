"""Ports of containers that functions of a test serve: port-forward."""

from __future__ import annotations

import logging
import socket
import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from clientgen.runtime._streams import channels
from clientgen.runtime._streams.port_channels import opening

from .sessions import MOST_WAITING, Input, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from .._apiserver.verbs.connect import PortRequest

    PortHandler: TypeAlias = "Callable[[PortConnection], object]"

__all__ = ["ForwardedPorts", "PortConnection", "piped_to", "served"]

_log = logging.getLogger("clientgen.testing")

_PIECE: Final = 1 << 15
_DIAL: Final = 10.0


class PortConnection:
    """A connection to a port of a container. A function of the test serves it.

    Attributes:
        namespace: The namespace of the pod.
        pod: The name of the pod.
        port: The number of the port.
        read: Waits for so many bytes, or for the end, and returns them; none at the end.
        read1: Waits for some bytes, and returns all that are there; none at the end.
        readline: Waits for a line, and returns it with its end; none at the end.
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
        """Whether the client is gone. Writing then raises BrokenPipeError."""
        return self._is_reset or self._session.is_closed

    def reset(self) -> None:
        """Note that the client is gone."""
        self._is_reset = True
        self.input.end()

    def write(self, data: bytes | str) -> None:
        """Send bytes, and wait while the client does not read.

        Raises:
            BrokenPipeError: The client is gone.
        """
        encoded = data.encode() if isinstance(data, str) else data
        for start in range(0, len(encoded), _PIECE):
            if self._is_reset:
                raise BrokenPipeError("the client is gone")
            self._session.send(self._framed(encoded[start : start + _PIECE]))


class ForwardedPorts(Session):
    """The connections to ports of one pod that a WebSocket carries, one for each port."""

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
            for kind, data in map(channels.split, opening(connection.port)):
                self.send(channels.message(2 * number + kind, data))
            threading.Thread(
                target=self._run, args=[number], name=f"clientgen {connection!r}", daemon=True
            ).start()

    def feed(self, message: bytes) -> None:
        """Take a message from the client; those that mean nothing are ignored."""
        if not message:
            return
        number, kind = divmod(message[0], 2)
        if kind == 0 and number < len(self._connections):
            self._connections[number].input.feed(message[1:])

    @property
    def is_full(self) -> bool:
        """Whether a function has much to read."""
        return any(each.input.waiting > MOST_WAITING for each in self._connections)

    def close(self) -> None:
        """Note that the client is gone."""
        super().close()
        for connection in self._connections:
            connection.input.end()

    def _run(self, number: int) -> None:
        connection = self._connections[number]
        error = served(self._handlers.get(connection.port), connection)
        with suppress(BrokenPipeError):
            if error:
                self.send(channels.message(2 * number + 1, error.encode()))
        with self.changed:
            self._running -= 1
            is_last = not self._running
        if is_last:
            self.finish()


def served(handler: PortHandler | None, connection: PortConnection) -> str:
    """Have a function serve a connection; gives the error that the client gets, if there is one."""
    began = f"error forwarding port {connection.port} to pod {connection.pod}"
    if handler is None:
        return f"{began}: connection refused: nothing listens there"
    try:
        handler(connection)
    except BrokenPipeError:
        return ""
    except OSError as error:
        return f"{began}: {error}"
    except Exception as error:  # noqa: BLE001 - whatever the function of the test raises
        _log.exception("%r failed", connection)
        return f"{began}: {type(error).__name__}: {error}"
    return ""


def piped_to(address: str) -> PortHandler:
    """Return a function that passes connections on to a server, such as `127.0.0.1:5432`.

    Raises:
        ValueError: It is no address.
    """
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isdecimal()):
        raise ValueError(f'{address!r} is not an address such as "127.0.0.1:5432"')

    def pipe(connection: PortConnection) -> None:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_DIAL) as server:
            server.settimeout(None)
            sending = threading.Thread(target=_send, args=[connection, server], daemon=True)
            sending.start()
            try:
                while data := server.recv(_PIECE):
                    connection.write(data)
            finally:
                connection.input.end()
                sending.join()

    return pipe


def _send(connection: PortConnection, server: socket.socket) -> None:
    with suppress(OSError):
        while data := connection.read1():
            server.sendall(data)
        if connection.is_closed:
            server.shutdown(socket.SHUT_RDWR)
        else:
            server.shutdown(socket.SHUT_WR)
