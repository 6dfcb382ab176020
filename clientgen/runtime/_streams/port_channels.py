"""The channels of port-forward over a WebSocket, without I/O.

With `v4.channel.k8s.io`, channel 0 carries the data of the port, and channel 1 carries errors. The
first message of each channel is the port number, as two bytes in little-endian order. A WebSocket
carries one connection. See pkg/kubelet of Kubernetes: cri/streaming/portforward/websocket.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._models.arguments import type_of
from ..errors import ConnectionFailed, ResponseBroken

if TYPE_CHECKING:
    from ..errors import RequestInfo

SUBPROTOCOL: Final = "v4.channel.k8s.io"
DATA: Final = 0
ERRORS: Final = 1

_PORT_BYTES: Final = 2
_MAX_PORT: Final = 65535
_MAX_ERROR_BYTES: Final = 4096


def check_port(name: str, port: object, *, least: int = 1) -> int:
    """Check a port number, and return it.

    Raises:
        ValueError: `port` is not a number from `least` to 65535.
    """
    if isinstance(port, int) and not isinstance(port, bool) and least <= port <= _MAX_PORT:
        return port
    shown = repr(port) if isinstance(port, (int, str)) else type_of(port)
    raise ValueError(f"{name} must be a number from {least} to {_MAX_PORT}, not {shown}")


def opening_messages(port: int) -> list[bytes]:
    """Return the first messages of a server."""
    number = port.to_bytes(_PORT_BYTES, "little")
    return [bytes((DATA,)) + number, bytes((ERRORS,)) + number]


class PortReader:
    """Reads the messages of one connection."""

    def __init__(self, port: int, info: RequestInfo) -> None:
        self._number = port.to_bytes(_PORT_BYTES, "little")
        self._info = info
        self._begun: set[int] = set()
        self._error = bytearray()

    def feed(self, message: bytes) -> bytes:
        """Read a message. Returns the data of the port in the message, which may be empty.

        Raises:
            ResponseBroken: The first message of a channel is not the port number.
        """
        if not message or message[0] not in (DATA, ERRORS):
            return b""
        channel, data = message[0], message[1:]
        if channel not in self._begun:
            self._begin(channel, data)
            return b""
        if channel == DATA:
            return data
        self._error += data[: _MAX_ERROR_BYTES - len(self._error)]
        return b""

    def _begin(self, channel: int, number: bytes) -> None:
        if number != self._number:
            raise ResponseBroken(f"{self._info}: the server forwards another port than requested")
        self._begun.add(channel)

    @property
    def error(self) -> str:
        """The error message of the node; empty without an error."""
        return self._error.decode("utf-8", "replace").strip()


def check_refused(reader: PortReader, info: RequestInfo) -> None:
    """Check that the node has reported no error.

    Raises:
        ConnectionFailed: The node has reported an error.
    """
    if reader.error:
        raise ConnectionFailed(f"{info}: {reader.error}")
