"""The server side of SPDY 3.1, without I/O: frames from and to a client.

kubectl uses SPDY for port-forward. Like the library of kubectl and the kubelet
(github.com/moby/spdystream), this has no flow control (windows).
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_VERSION: Final = 0x8003
_SYN_STREAM: Final = 1
_SYN_REPLY: Final = 2
_RST_STREAM: Final = 3
_PING: Final = 6
_FIN: Final = 1
_FRAME_HEAD: Final = struct.Struct(">HHI")
_UINT32: Final = struct.Struct(">I")
_HEADERS_OFFSET: Final = 10  # the headers follow two stream numbers, the priority and the slot
_STREAM_MASK: Final = 0x7FFFFFFF
_MAX_FRAME_BYTES: Final = 1 << 20
_MAX_HEADER_BYTES: Final = 1 << 16


class SpdyError(ValueError):
    """The bytes from the client are not SPDY 3.1."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The client has opened a stream."""

    stream: int
    headers: Mapping[str, str]
    is_last: bool
    """Whether the client will send no data on the stream."""


@dataclass(frozen=True, slots=True)
class Data:
    """Bytes of a stream from the client."""

    stream: int
    data: bytes
    is_last: bool


@dataclass(frozen=True, slots=True)
class Reset:
    """The client has aborted a stream."""

    stream: int


class SpdyConnection:
    """The server's side of one connection.

    Attributes:
        out: complete frames for the client. The caller removes and sends them.
    """

    def __init__(self) -> None:
        self.out: list[bytes] = []
        self._buffer = bytearray()
        self._inflate = zlib.decompressobj(zdict=DICTIONARY)
        self._deflate = zlib.compressobj(zdict=DICTIONARY)

    def feed(self, data: bytes) -> Iterator[Opened | Data | Reset]:
        """Read bytes from the client, and yield the events in them.

        Raises:
            SpdyError: the bytes are not SPDY 3.1.
        """
        self._buffer += data
        while len(self._buffer) >= _FRAME_HEAD.size:
            first, second, flags_and_length = _FRAME_HEAD.unpack_from(self._buffer)
            flags, length = flags_and_length >> 24, flags_and_length & 0xFFFFFF
            if length > _MAX_FRAME_BYTES:
                raise SpdyError(f"a frame of {length} bytes is too large")
            if len(self._buffer) < _FRAME_HEAD.size + length:
                return
            body = bytes(self._buffer[_FRAME_HEAD.size : _FRAME_HEAD.size + length])
            del self._buffer[: _FRAME_HEAD.size + length]
            is_last = bool(flags & _FIN)
            if not first & 0x8000:
                yield Data(first << 16 | second, body, is_last)
            elif first != _VERSION:
                raise SpdyError(f"version {first & _STREAM_MASK:#x} is not supported")
            else:
                yield from self._handle_control_frame(second, body, is_last=is_last)

    def _handle_control_frame(
        self, kind: int, body: bytes, *, is_last: bool
    ) -> Iterator[Opened | Reset]:
        if kind == _PING:
            self.out.append(_control_frame(_PING, body))
        elif kind == _SYN_STREAM:
            stream = _stream_number(body)
            headers = self._read_headers(body[_HEADERS_OFFSET:])
            self.out.append(self._reply(stream))
            yield Opened(stream, headers, is_last)
        elif kind == _RST_STREAM:
            yield Reset(_stream_number(body))

    def _read_headers(self, compressed: bytes) -> dict[str, str]:
        """Decompress headers. One compression stream spans the headers of the whole connection.

        Raises:
            SpdyError: the headers cannot be decompressed, or are too large.
        """
        try:
            block = self._inflate.decompress(compressed, _MAX_HEADER_BYTES)
        except zlib.error as error:
            raise SpdyError(f"the headers cannot be decompressed: {error}") from None
        if self._inflate.unconsumed_tail:
            raise SpdyError(f"the headers are larger than {_MAX_HEADER_BYTES} bytes")
        texts = _split_header_block(block)
        return {name.lower(): value for name, value in zip(texts[::2], texts[1::2], strict=True)}

    def _reply(self, stream: int) -> bytes:
        headers = self._deflate.compress(_UINT32.pack(0)) + self._deflate.flush(zlib.Z_SYNC_FLUSH)
        return _control_frame(_SYN_REPLY, _UINT32.pack(stream) + headers)


def data_frame(stream: int, data: bytes, *, is_last: bool = False) -> bytes:
    """Return the frame that carries bytes of a stream to the client."""
    return struct.pack(">II", stream, (_FIN if is_last else 0) << 24 | len(data)) + data


def _control_frame(kind: int, body: bytes) -> bytes:
    return _FRAME_HEAD.pack(_VERSION, kind, len(body)) + body


def _stream_number(body: bytes) -> int:
    if len(body) < _UINT32.size:
        raise SpdyError("the frame is too short")
    number: int = _UINT32.unpack_from(body)[0]
    return number & _STREAM_MASK


def _split_header_block(block: bytes) -> list[str]:
    """Split a header block into names and values, which alternate."""
    count = 2 * int.from_bytes(block[:4], "big")
    texts: list[str] = []
    at = 4
    while len(texts) < count:
        end = at + 4 + int.from_bytes(block[at : at + 4], "big")
        if len(block) < max(end, at + 4):
            raise SpdyError("the headers are too short")
        texts.append(block[at + 4 : end].decode("utf-8", "replace"))
        at = end
    return texts


# The preset zlib dictionary of SPDY: draft-mbelshe-httpbis-spdy-00, 2.6.10.1.
_DICTIONARY_WORDS: Final = (
    "options head post put delete trace accept accept-charset accept-encoding accept-language"
    " accept-ranges age allow authorization cache-control connection content-base content-encoding"
    " content-language content-length content-location content-md5 content-range content-type date"
    " etag expect expires from host if-match if-modified-since if-none-match if-range"
    " if-unmodified-since last-modified location max-forwards pragma proxy-authenticate"
    " proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade"
    " user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url"
    " public set-cookie keep-alive origin"
)
_DICTIONARY_TEXT: Final = (
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505"
    "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request"
    "401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented"
    "503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00"
    " Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,"
    "application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age="
    "gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0."
)


DICTIONARY: Final = b"".join(
    [
        *(
            _UINT32.pack(len(word)) + word.encode().replace(b"_", b" ")
            for word in _DICTIONARY_WORDS.split()
        ),
        _DICTIONARY_TEXT.encode(),
    ]
)
