"""The WebSocket protocol, without I/O: the handshake, and frames.

The library `websockets` reads and writes the frames. The handshake is a request like every other
one, so that TLS, proxies, credentials and refusals are those of all requests. See RFC 6455.
"""

from __future__ import annotations

import base64
import hashlib
import logging
import os
from typing import TYPE_CHECKING, Any

from ..errors import ResponseBroken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._http.request import Headers
    from ..errors import RequestInfo

__all__ = ["MAX_MESSAGE", "SWITCHING_PROTOCOLS", "Frames", "Handshake", "accept_key"]

SWITCHING_PROTOCOLS = 101
MAX_MESSAGE = 16 << 20
"""The most bytes of a message; more ends the connection."""

_KEY_BYTES = 16
_MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_NORMAL = 1000
_GOOD = (_NORMAL, 1005)  # and no code at all
# The library's own logger writes what frames contain, which may be secret.
_SILENT = logging.Logger("clientgen.websocket", logging.CRITICAL + 1)  # noqa: LOG001 - nobody can turn it on


def accept_key(key: str) -> str:
    """Return the answer to a client's key."""
    digest = hashlib.sha1(f"{key}{_MAGIC}".encode(), usedforsecurity=False).digest()
    return base64.b64encode(digest).decode()


class Handshake:
    """The request that asks for a WebSocket, and what its answer has to be.

    Args:
        subprotocols: What the client speaks, the best first.
    """

    def __init__(self, subprotocols: Sequence[str]) -> None:
        self._subprotocols = tuple(subprotocols)
        self._key = base64.b64encode(os.urandom(_KEY_BYTES)).decode()

    def headers_for(self, given: Headers) -> Headers:
        """Return the headers of the request, with those that are given for it."""
        spoken = ", ".join(self._subprotocols)
        names = {name.lower() for name, _ in given}
        return (
            *given,
            # A kubelet, which may get these headers, refuses every media type.
            *(() if "accept" in names else (("Accept", "*/*"),)),
            ("Connection", "Upgrade"),
            ("Upgrade", "websocket"),
            ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", self._key),
            *((("Sec-WebSocket-Protocol", spoken),) if spoken else ()),
        )

    def agreed(self, status: int, headers: Mapping[str, str], info: RequestInfo) -> str:
        """Return the subprotocol on which both sides agree.

        Raises:
            ResponseBroken: The answer does not open a WebSocket that this client speaks.
        """
        if status != SWITCHING_PROTOCOLS:
            raise ResponseBroken(
                f"{info}: the server answered {status} instead of opening a WebSocket"
            )
        if headers.get("sec-websocket-accept", "").strip() != accept_key(self._key):
            raise ResponseBroken(f"{info}: the server's answer to the WebSocket handshake is wrong")
        subprotocol = headers.get("sec-websocket-protocol", "").strip()
        if subprotocol not in (self._subprotocols or ("",)):
            wanted = ", ".join(self._subprotocols)
            raise ResponseBroken(
                f"{info}: the server speaks none of the subprotocols {wanted}; it may be too old"
            )
        return subprotocol


class Frames:
    """One side of an open WebSocket: bytes from the other side, and bytes for it.

    Args:
        is_server: Whether it is the server's side.

    Attributes:
        is_over: Whether the other side said that it sends no more, or broke the rules.
    """

    def __init__(self, *, is_server: bool = False) -> None:
        # Few programs open a WebSocket.
        from websockets.frames import Close, Opcode
        from websockets.protocol import CLIENT, OPEN, SERVER, Protocol

        self._protocol = Protocol(
            SERVER if is_server else CLIENT, max_size=MAX_MESSAGE, logger=_SILENT
        )
        self._is_open = OPEN
        self._data = (Opcode.BINARY, Opcode.TEXT, Opcode.CONT)
        self._close, self._read_close = Opcode.CLOSE, Close.parse
        self._ending = ""
        self._parts: list[Any] = []
        self.is_over = False

    def receive(self, data: bytes) -> list[bytes]:
        """Take bytes from the other side; gives the messages that are complete with them."""
        if not self.is_over:
            self._protocol.receive_data(data)
        messages: list[bytes] = []
        for event in self._protocol.events_received():
            frame: Any = event
            if frame.opcode == self._close:
                self._end(self._read_close(frame.data))
            elif frame.opcode in self._data:
                self._parts.append(frame.data)
                if frame.fin:
                    parts, self._parts = self._parts, []
                    messages.append(bytes(parts[0]) if len(parts) == 1 else b"".join(parts))
        if self._protocol.parser_exc is not None:
            self.is_over = True
            self._ending = f"it broke the WebSocket protocol: {self._protocol.parser_exc}"
        return messages

    def _end(self, close: Any) -> None:
        self.is_over = True
        if close.code not in _GOOD:
            self._ending = f"{close.code} {close.reason}".rstrip()

    def send(self, message: bytes | str) -> None:
        """Have a message, binary or text, be among the bytes for the other side.

        Raises:
            ConnectionError: One of the sides has closed the WebSocket.
        """
        if self._protocol.state is not self._is_open:
            raise ConnectionError("the WebSocket is closed")
        if isinstance(message, str):
            self._protocol.send_text(message.encode())
        else:
            self._protocol.send_binary(message)

    def close(self, code: int = _NORMAL, reason: str = "") -> None:
        """Say that this side sends no more."""
        if self._protocol.state is self._is_open:
            self._protocol.send_close(code, reason)

    def take(self) -> bytes:
        """Return the bytes for the other side that were not taken before."""
        return b"".join(self._protocol.data_to_send())

    @property
    def ending(self) -> str:
        """How the other side ended it, as text; empty for a normal end."""
        return self._ending
