"""SPDY 3.1 as a server of it speaks: frames from and to a client, without I/O.

kubectl forwards ports with it. Both directions of its connection are one stream of bytes. Windows
are not kept, as in the library that kubectl and kubelets use (github.com/moby/spdystream).
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["DICTIONARY", "Data", "Opened", "Reset", "SpdyConnection", "SpdyError", "data_frame"]

_VERSION: Final = 0x8003
_SYN_STREAM: Final = 1
_SYN_REPLY: Final = 2
_RST_STREAM: Final = 3
_PING: Final = 6
_FIN: Final = 1
_HEAD: Final = struct.Struct(">HHI")
_STREAM: Final = struct.Struct(">I")
_HEADERS_AT: Final = 10  # behind two numbers of streams, the priority and the slot
_MOST_STREAM: Final = 0x7FFFFFFF
_MOST_FRAME: Final = 1 << 20
_MOST_HEADERS: Final = 1 << 16


class SpdyError(ValueError):
    """What the client sent is not SPDY 3.1."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The client has opened a stream."""

    stream: int
    headers: Mapping[str, str]
    is_last: bool
    """Whether it sends nothing on it."""


@dataclass(frozen=True, slots=True)
class Data:
    """Bytes of a stream from the client."""

    stream: int
    data: bytes
    is_last: bool


@dataclass(frozen=True, slots=True)
class Reset:
    """The client has given a stream up."""

    stream: int


class SpdyConnection:
    """The server's side of one connection.

    Attributes:
        out: Frames that answer the client, each of them whole: the driver takes and sends them.
    """

    def __init__(self) -> None:
        self.out: list[bytes] = []
        self._buffer = bytearray()
        self._inflate = zlib.decompressobj(zdict=DICTIONARY)
        self._deflate = zlib.compressobj(zdict=DICTIONARY)

    def feed(self, data: bytes) -> Iterator[Opened | Data | Reset]:
        """Take bytes from the client; gives what they say.

        Raises:
            SpdyError: They are not SPDY 3.1.
        """
        self._buffer += data
        while len(self._buffer) >= _HEAD.size:
            first, second, flagged = _HEAD.unpack_from(self._buffer)
            flags, length = flagged >> 24, flagged & 0xFFFFFF
            if length > _MOST_FRAME:
                raise SpdyError(f"a frame of {length} bytes")
            if len(self._buffer) < _HEAD.size + length:
                return
            body = bytes(self._buffer[_HEAD.size : _HEAD.size + length])
            del self._buffer[: _HEAD.size + length]
            is_last = bool(flags & _FIN)
            if not first & 0x8000:
                yield Data(first << 16 | second, body, is_last)
            elif first != _VERSION:
                raise SpdyError(f"version {first & _MOST_STREAM:#x}")
            else:
                yield from self._control(second, body, is_last=is_last)

    def _control(self, kind: int, body: bytes, *, is_last: bool) -> Iterator[Opened | Reset]:
        if kind == _PING:
            self.out.append(_control_frame(_PING, body))
        elif kind == _SYN_STREAM:
            stream = _stream_in(body)
            headers = self._read_headers(body[_HEADERS_AT:])
            self.out.append(self._reply(stream))
            yield Opened(stream, headers, is_last)
        elif kind == _RST_STREAM:
            yield Reset(_stream_in(body))

    def _read_headers(self, packed: bytes) -> dict[str, str]:
        """Unpack headers; all of a connection are packed as one text.

        Raises:
            SpdyError: They cannot be unpacked, or are too large.
        """
        try:
            block = self._inflate.decompress(packed, _MOST_HEADERS)
        except zlib.error as error:
            raise SpdyError(f"headers: {error}") from None
        if self._inflate.unconsumed_tail:
            raise SpdyError(f"more than {_MOST_HEADERS} bytes of headers")
        texts = _texts(block)
        return {name.lower(): value for name, value in zip(texts[::2], texts[1::2], strict=True)}

    def _reply(self, stream: int) -> bytes:
        headers = self._deflate.compress(_STREAM.pack(0)) + self._deflate.flush(zlib.Z_SYNC_FLUSH)
        return _control_frame(_SYN_REPLY, _STREAM.pack(stream) + headers)


def data_frame(stream: int, data: bytes, *, is_last: bool = False) -> bytes:
    """Return the frame that carries bytes of a stream to the client."""
    return struct.pack(">II", stream, (_FIN if is_last else 0) << 24 | len(data)) + data


def _control_frame(kind: int, body: bytes) -> bytes:
    return _HEAD.pack(_VERSION, kind, len(body)) + body


def _stream_in(body: bytes) -> int:
    if len(body) < _STREAM.size:
        raise SpdyError("a frame that is too short")
    number: int = _STREAM.unpack_from(body)[0]
    return number & _MOST_STREAM


def _texts(block: bytes) -> list[str]:
    """Read names and values, one after the other."""
    count = 2 * int.from_bytes(block[:4], "big")
    texts: list[str] = []
    at = 4
    while len(texts) < count:
        end = at + 4 + int.from_bytes(block[at : at + 4], "big")
        if len(block) < max(end, at + 4):
            raise SpdyError("headers that are too short")
        texts.append(block[at + 4 : end].decode("utf-8", "replace"))
        at = end
    return texts


# What both sides take as already sent when they pack headers; see
# draft-mbelshe-httpbis-spdy-00, 2.6.10.1.
_WORDS: Final = (
    "options head post put delete trace accept accept-charset accept-encoding accept-language"
    " accept-ranges age allow authorization cache-control connection content-base content-encoding"
    " content-language content-length content-location content-md5 content-range content-type date"
    " etag expect expires from host if-match if-modified-since if-none-match if-range"
    " if-unmodified-since last-modified location max-forwards pragma proxy-authenticate"
    " proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade"
    " user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url"
    " public set-cookie keep-alive origin"
)
_TEXT: Final = (
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
        *(_STREAM.pack(len(word)) + word.encode().replace(b"_", b" ") for word in _WORDS.split()),
        _TEXT.encode(),
    ]
)
