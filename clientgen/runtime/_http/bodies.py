"""Bodies of answers as they arrive: decompressed piece by piece, and not without end.

A few kilobytes of gzip can be gigabytes of JSON, so what counts is the size of what comes out.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["MAX_RESPONSE_BYTES", "BodyReader", "Inflater", "inflater_for"]

MAX_RESPONSE_BYTES = 1 << 30
"""The largest size of one answer, unless `max_response_bytes` sets another."""

# As much of a refusal as anybody looks at.
_REFUSAL_BYTES = 1 << 20
_REDIRECT = 300
_PIECE = 1 << 20
# The `wbits` of zlib for a header of gzip, of zlib, or none.
_GZIP, _ZLIB, _BARE = 31, 15, -15
_WINDOWS = {"gzip": _GZIP, "x-gzip": _GZIP, "deflate": _ZLIB}
# The low half of the first byte of a zlib header: the method, which is always this.
_METHOD = 8


class Inflater:
    """Undoes the compression of a body.

    Raises:
        ValueError: the body is not compressed in the way it says.
    """

    def __init__(self, encoding: str) -> None:
        window = _WINDOWS.get(encoding.strip().lower())
        if window is None:
            raise ValueError(f"its encoding is {encoding[:40]!r}, which was not requested")
        self._encoding = encoding
        self._window = window
        self._stream: Any = None  # of a type of zlib's without a name

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Go through what some bytes of the body stand for, none of the pieces large."""
        while data:
            if self._stream is None or self._stream.eof:
                self._stream = zlib.decompressobj(self._window_of(data))
            yield from self._member(self._stream, data)
            data = self._stream.unused_data

    def finish(self) -> None:
        """See to it that the body was whole."""
        if self._stream is not None and not self._stream.eof:
            raise ValueError(f"its {self._encoding} data ends too early")

    def _window_of(self, data: bytes) -> int:
        """Some servers say deflate and mean it without the header of zlib."""
        return _BARE if self._window == _ZLIB and data[0] & 15 != _METHOD else self._window

    def _member(self, stream: Any, data: bytes) -> Iterator[bytes]:
        full = True
        while full or data:
            try:
                piece = stream.decompress(data, _PIECE)
            except zlib.error:
                raise ValueError(f"its {self._encoding} data is not valid") from None
            data, full = stream.unconsumed_tail, len(piece) == _PIECE
            if piece:
                yield piece


def inflater_for(status: int, headers: Mapping[str, str]) -> Inflater | None:
    """Return the decompressor of an answer; None if it is not compressed.

    Raises:
        ValueError: it is compressed in a way that nobody asked for, and is no refusal.
    """
    encoding = headers.get("content-encoding", "")
    if not encoding or encoding.lower() == "identity":
        return None
    try:
        return Inflater(encoding)
    except ValueError:
        if status < _REDIRECT:
            raise
        return None


class BodyReader:
    """Gathers one body.

    That of a refusal may be cut off, since the code says what counts.

    Raises:
        ValueError: it is larger than it may be, or not compressed in the way it says.
    """

    def __init__(self, status: int, headers: Mapping[str, str], limit: int) -> None:
        self._is_refusal = status >= _REDIRECT
        self._inflater = inflater_for(status, headers)
        self._limit = min(limit, _REFUSAL_BYTES) if self._is_refusal else limit
        self._size = 0
        self._is_cut = False
        self._pieces: list[bytes] = []

    def feed(self, chunk: bytes) -> bool:
        """Take what has arrived; gives whether more is wanted."""
        try:
            for piece in self._inflater.pieces(chunk) if self._inflater else (chunk,):
                self._take(piece)
        except ValueError:
            self._is_cut = self._is_refusal
            if not self._is_cut:
                raise
        return not self._is_cut

    def whole(self) -> bytes:
        """Give the body, after the last bytes have arrived."""
        if self._inflater is not None and not self._is_refusal:
            self._inflater.finish()
        return b"".join(self._pieces)

    def _take(self, piece: bytes) -> None:
        self._size += len(piece)
        self._pieces.append(piece)
        if self._size > self._limit:
            raise ValueError(f"it is larger than {self._limit} bytes (see max_response_bytes)")
