"""The WebSocket protocol, without I/O: the handshake, and frames.

The library `websockets` reads and writes the frames. The handshake is a request like every other
one, so that TLS, proxies, credentials and refusals are those of all requests. See RFC 6455.
"""

from __future__ import annotations

import base64
import hashlib
import logging
import os
from typing import TYPE_CHECKING, Any, cast

from ..errors import ResponseBroken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._http.request import Headers
    from ..errors import RequestInfo

__all__ = ["MAX_MESSAGE", "SWITCHING_PROTOCOLS", "Frames", "Handshake", "accept_key"]

SWITCHING_PROTOCOLS = 101
MAX_MESSAGE = 16 << 20
"""The most bytes of a message; more ends the connection."""

_MOST_PARTS = 1 << 16  # of a message: empty ones add nothing to its bytes
_LENGTH = 0x7F  # the bits of a frame's second byte that say how long it is, or how many bytes do
_MASKED = 0x80
_WIDE = 126  # of these bits: the length is in the next two bytes; of one more: in eight
_LONGEST_HEADER = 14
_NOTHING = memoryview(b"")
_PONG = b"\x8a"  # the first byte of its frame
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
        received: How many frames have come.
        has_answers: Whether the next `take` may have answers to pings, or to a farewell.
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
        self._count = 0
        self._for_other: list[bytes] = []
        self._pong = b""
        self._left = 0  # bytes of a frame that `cut` has seen the beginning of
        self._header = b""  # the beginning of the next one, if that was all there was
        self.is_over = self.has_answers = False
        self.received = 0

    def cut(self, data: memoryview, most: int) -> tuple[memoryview, memoryview]:
        """Cut bytes from the other side behind so many frames, before they are received.

        It looks at headers only: cutting costs little beside receiving. Each byte is cut off once.
        """
        at, end = self._left, len(data)
        while most and at < end:
            if self._header:
                size = _frame_size(
                    memoryview(self._header + bytes(data[at : at + _LONGEST_HEADER])), 0
                )
            else:
                size = _frame_size(data, at)
            if not size:
                self._header += bytes(data[at:])
                at = end
                break
            at += size - len(self._header)
            self._header = b""
            most -= 1
        self._left = max(0, at - end)
        # An empty slice would keep the memory of all that was read.
        return (data, _NOTHING) if at >= end else (data[:at], data[at:])

    def receive(self, data: bytes | memoryview) -> list[bytes]:
        """Take bytes from the other side; gives the messages that are complete with them."""
        if not self.is_over:
            self._protocol.receive_data(cast("bytes", data))  # it takes any buffer
            self._collect()
        messages: list[bytes] = []
        for event in self._protocol.events_received():
            frame: Any = event
            self.received += 1
            if frame.opcode == self._close:
                self.has_answers = True
                self._end(self._read_close(frame.data))
            elif frame.opcode not in self._data:
                self.has_answers = True
            else:
                self._count += 1
                if frame.data or frame.fin:
                    self._parts.append(frame.data)
                if frame.fin:
                    parts, self._parts, self._count = self._parts, [], 0
                    messages.append(bytes(parts[0]) if len(parts) == 1 else b"".join(parts))
        if self._count > _MOST_PARTS:
            self.is_over = True
            self._ending = f"a message has more than {_MOST_PARTS} frames"
        if self._protocol.parser_exc is not None:
            self.is_over = self.has_answers = True
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
        self.has_answers = False
        self._collect()
        # A pong may stand before any frame, but not behind a farewell.
        data = b"".join((self._pong, *self._for_other))
        self._pong, self._for_other = b"", []
        return data

    def _collect(self) -> None:
        """Keep what the protocol wrote, of pongs the latest only.

        That one answers all pings before it (RFC 6455, 5.5.3). Pings may come faster than anything
        can be sent.
        """
        for frame in self._protocol.data_to_send():
            if frame.startswith(_PONG):
                self._pong = frame
            else:
                self._for_other.append(frame)

    @property
    def ending(self) -> str:
        """How the other side ended it, as text; empty for a normal end."""
        return self._ending


def _frame_size(data: memoryview, at: int) -> int:
    """Return how many bytes a frame takes that begins there; 0 if its header is not all there."""
    begin = at + 2
    if begin > len(data):
        return 0
    second = data[at + 1]
    size = second & _LENGTH
    head = 2 if second < _MASKED else 6
    if size < _WIDE:
        return head + size
    wide = 2 if size == _WIDE else 8
    if begin + wide > len(data):
        return 0
    return head + wide + int.from_bytes(data[begin : begin + wide])
