"""The WebSocket protocol without I/O: the handshake and frames.

The library `websockets` reads and writes the frames. The handshake is an ordinary request, so that
TLS, proxies, credentials and error responses work as for other requests. See RFC 6455.
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

SWITCHING_PROTOCOLS = 101
MAX_MESSAGE = 16 << 20
"""The maximum size of a message, in bytes. A larger message ends the connection."""

_MAX_MESSAGE_FRAMES = 1 << 16  # frames may be empty, so the size of a message does not limit them
_LENGTH_BITS = 0x7F  # in the second byte of a frame: the length, or a marker of a longer length
_MASKED = 0x80
_WIDE_LENGTH = 126  # the length is in the next 2 bytes; with 127, in the next 8 bytes
_MAX_HEADER_BYTES = 14
_EMPTY = memoryview(b"")
_PONG = b"\x8a"  # the first byte of a pong frame
_KEY_BYTES = 16
_HANDSHAKE_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_NORMAL = 1000
_NORMAL_CODES = (_NORMAL, 1005)  # 1005: the close frame has no code
# The library logs the contents of frames, which may be secret. This logger is outside of the
# hierarchy, so that no configuration can enable it.
_SILENT = logging.Logger("clientgen.websocket", logging.CRITICAL + 1)  # noqa: LOG001 - see above


def accept_key(key: str) -> str:
    """Return the server's `Sec-WebSocket-Accept` for a client's key."""
    digest = hashlib.sha1(f"{key}{_HANDSHAKE_GUID}".encode(), usedforsecurity=False).digest()
    return base64.b64encode(digest).decode()


class Handshake:
    """Builds the request that opens a WebSocket, and checks the response.

    Args:
        subprotocols: The subprotocols that the client supports, the preferred first.
    """

    def __init__(self, subprotocols: Sequence[str]) -> None:
        self._subprotocols = tuple(subprotocols)
        self._key = base64.b64encode(os.urandom(_KEY_BYTES)).decode()

    def headers_for(self, given: Headers) -> Headers:
        """Return the given headers with the headers of the handshake."""
        subprotocols = ", ".join(self._subprotocols)
        names = {name.lower() for name, _ in given}
        return (
            *given,
            # The API server may pass the headers to a kubelet, which only accepts `*/*`.
            *(() if "accept" in names else (("Accept", "*/*"),)),
            ("Connection", "Upgrade"),
            ("Upgrade", "websocket"),
            ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", self._key),
            *((("Sec-WebSocket-Protocol", subprotocols),) if subprotocols else ()),
        )

    def chosen_subprotocol(self, status: int, headers: Mapping[str, str], info: RequestInfo) -> str:
        """Check the response, and return the subprotocol that the server has chosen.

        Raises:
            ResponseBroken: The response does not open a WebSocket, or the subprotocol is unknown.
        """
        if status != SWITCHING_PROTOCOLS:
            raise ResponseBroken(
                f"{info}: the server answered {status} instead of opening a WebSocket"
            )
        if headers.get("sec-websocket-accept", "").strip() != accept_key(self._key):
            raise ResponseBroken(f"{info}: the server's WebSocket handshake has a wrong accept key")
        subprotocol = headers.get("sec-websocket-protocol", "").strip()
        if subprotocol not in (self._subprotocols or ("",)):
            wanted = ", ".join(self._subprotocols)
            raise ResponseBroken(
                f"{info}: the server supports none of the subprotocols {wanted}; it may be too old"
            )
        return subprotocol


class Frames:
    """One side of an open WebSocket: decodes bytes from the peer, and encodes bytes for the peer.

    Args:
        is_server: Whether this is the server's side.

    Attributes:
        is_over: Whether the peer has sent a close frame, or has violated the protocol.
        received: The number of frames received.
        has_answers: Whether the next `take` may return pongs, or the response to a close frame.
    """

    def __init__(self, *, is_server: bool = False) -> None:
        # Imported here, because few programs open a WebSocket.
        from websockets.frames import Close, Opcode
        from websockets.protocol import CLIENT, OPEN, SERVER, Protocol

        self._protocol = Protocol(
            SERVER if is_server else CLIENT, max_size=MAX_MESSAGE, logger=_SILENT
        )
        self._is_open = OPEN
        self._data = (Opcode.BINARY, Opcode.TEXT, Opcode.CONT)
        self._close, self._read_close = Opcode.CLOSE, Close.parse
        self._close_reason = ""
        self._parts: list[Any] = []
        self._part_count = 0
        self._outgoing: list[bytes] = []
        self._pong = b""
        self._bytes_to_skip = 0  # the rest of a frame, which is not received yet
        self._incomplete_header = b""  # the end of the last data
        self.is_over = self.has_answers = False
        self.received = 0

    def split_frames(self, data: memoryview, max_frames: int) -> tuple[memoryview, memoryview]:
        """Split bytes from the peer after at most `max_frames` frames, before they are received.

        Reads the headers of frames only, which takes little time. Pass each byte only once.
        """
        offset, end = self._bytes_to_skip, len(data)
        while max_frames and offset < end:
            if self._incomplete_header:
                size = _frame_size(
                    memoryview(
                        self._incomplete_header + bytes(data[offset : offset + _MAX_HEADER_BYTES])
                    ),
                    0,
                )
            else:
                size = _frame_size(data, offset)
            if not size:
                self._incomplete_header += bytes(data[offset:])
                offset = end
                break
            offset += size - len(self._incomplete_header)
            self._incomplete_header = b""
            max_frames -= 1
        self._bytes_to_skip = max(0, offset - end)
        # An empty slice would keep the whole buffer in memory.
        return (data, _EMPTY) if offset >= end else (data[:offset], data[offset:])

    def receive(self, data: bytes | memoryview) -> list[bytes]:
        """Read bytes from the peer. Returns the messages that the bytes complete."""
        if not self.is_over:
            self._protocol.receive_data(cast("bytes", data))  # a memoryview works, too
            self._collect()
        messages: list[bytes] = []
        for event in self._protocol.events_received():
            frame: Any = event
            self.received += 1
            if frame.opcode == self._close:
                self.has_answers = True
                self._note_close(self._read_close(frame.data))
            elif frame.opcode not in self._data:
                self.has_answers = True
            else:
                self._part_count += 1
                if frame.data or frame.fin:
                    self._parts.append(frame.data)
                if frame.fin:
                    parts, self._parts, self._part_count = self._parts, [], 0
                    messages.append(bytes(parts[0]) if len(parts) == 1 else b"".join(parts))
        if self._part_count > _MAX_MESSAGE_FRAMES:
            self.is_over = True
            self._close_reason = f"a message has more than {_MAX_MESSAGE_FRAMES} frames"
        if self._protocol.parser_exc is not None:
            self.is_over = self.has_answers = True
            self._close_reason = f"a WebSocket protocol error: {self._protocol.parser_exc}"
        return messages

    def _note_close(self, close: Any) -> None:
        self.is_over = True
        if close.code not in _NORMAL_CODES:
            self._close_reason = f"{close.code} {close.reason}".rstrip()

    def send(self, message: bytes | str) -> None:
        """Encode a binary or text message for the peer; `take` returns its bytes.

        Raises:
            ConnectionError: The WebSocket is closed.
        """
        if self._protocol.state is not self._is_open:
            raise ConnectionError("the WebSocket is closed")
        if isinstance(message, str):
            self._protocol.send_text(message.encode())
        else:
            self._protocol.send_binary(message)

    def close(self, code: int = _NORMAL, reason: str = "") -> None:
        """Encode a close frame for the peer, unless the WebSocket is closed."""
        if self._protocol.state is self._is_open:
            self._protocol.send_close(code, reason)

    def take(self) -> bytes:
        """Return the bytes to send that were not returned before."""
        self.has_answers = False
        self._collect()
        # A pong may precede any frame, but must not follow a close frame.
        data = b"".join((self._pong, *self._outgoing))
        self._pong, self._outgoing = b"", []
        return data

    def _collect(self) -> None:
        """Collect the frames to send, but only the latest pong.

        A pong answers all earlier pings (RFC 6455, 5.5.3). So pongs do not pile up if a peer sends
        pings faster than pongs can be sent.
        """
        for frame in self._protocol.data_to_send():
            if frame.startswith(_PONG):
                self._pong = frame
            else:
                self._outgoing.append(frame)

    @property
    def close_reason(self) -> str:
        """Why the peer ended the WebSocket, as text; empty for a normal end."""
        return self._close_reason


def _frame_size(data: memoryview, offset: int) -> int:
    """Return the size of the frame that begins at `offset`; 0 if its header is incomplete."""
    begin = offset + 2
    if begin > len(data):
        return 0
    second = data[offset + 1]
    size = second & _LENGTH_BITS
    head = 2 if second < _MASKED else 6
    if size < _WIDE_LENGTH:
        return head + size
    wide = 2 if size == _WIDE_LENGTH else 8
    if begin + wide > len(data):
        return 0
    return head + wide + int.from_bytes(data[begin : begin + wide])
