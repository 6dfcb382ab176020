"""Bodies of responses, decompressed piece by piece and limited in size.

The limit applies to the decompressed size: a few kilobytes of gzip can become gigabytes of JSON.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

from .status_codes import FIRST_REDIRECT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_RESPONSE_BYTES = 1 << 30
"""The default of `max_response_bytes`."""

# The maximum size of the body of an error response. The rest is not read.
_MAX_ERROR_BYTES = 1 << 20
_PIECE_BYTES = 1 << 20
# Smaller pieces are joined, because each Python object needs additional memory.
_SMALL_BYTES = 1 << 12
# The argument `wbits` of zlib for data with a header of gzip, of zlib, or without a header.
_GZIP_WBITS, _ZLIB_WBITS, _RAW_WBITS = 31, 15, -15
_WBITS = {"gzip": _GZIP_WBITS, "x-gzip": _GZIP_WBITS, "deflate": _ZLIB_WBITS}
# The low half of the first byte of a zlib header is the method. This is the only method.
_ZLIB_METHOD = 8


class Inflater:
    """Decompresses a body.

    Every method raises:
        ValueError: the encoding is unknown, or the data does not have this encoding.
    """

    def __init__(self, encoding: str) -> None:
        wbits = _WBITS.get(encoding.strip().lower())
        if wbits is None:
            raise ValueError(f"its encoding is {encoding[:40]!r}, which was not requested")
        self._encoding = encoding
        self._wbits = wbits
        self._stream: Any = None  # an object of zlib, whose type has no public name

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Decompress the next bytes of the body. Yields pieces of at most 1 MiB."""
        while data:
            if self._stream is None or self._stream.eof:
                self._stream = zlib.decompressobj(self._wbits_for(data))
            yield from self._decompress(self._stream, data)
            data = self._stream.unused_data

    def finish(self) -> None:
        """Check that the compressed data is complete."""
        if self._stream is not None and not self._stream.eof:
            raise ValueError(f"its {self._encoding} data ends too early")

    def _wbits_for(self, data: bytes) -> int:
        """Return the `wbits` of zlib. Some servers send "deflate" without the header of zlib."""
        has_no_header = self._wbits == _ZLIB_WBITS and data[0] & 15 != _ZLIB_METHOD
        return _RAW_WBITS if has_no_header else self._wbits

    def _decompress(self, stream: Any, data: bytes) -> Iterator[bytes]:
        is_full = True
        while is_full or data:
            try:
                piece = stream.decompress(data, _PIECE_BYTES)
            except zlib.error:
                raise ValueError(f"its {self._encoding} data is not valid") from None
            data, is_full = stream.unconsumed_tail, len(piece) == _PIECE_BYTES
            if piece:
                yield piece


def inflater_for(status: int, headers: Mapping[str, str]) -> Inflater | None:
    """Return the decompressor of a response; None if the body is not compressed.

    Raises:
        ValueError: a successful response has an encoding that the request did not accept.
    """
    encoding = headers.get("content-encoding", "")
    if not encoding or encoding.lower() == "identity":
        return None
    try:
        return Inflater(encoding)
    except ValueError:
        if status < FIRST_REDIRECT:
            raise
        return None


class BodyReader:
    """Collects the body of one response.

    The body of an error response is cut at the limit, because its status code is still useful.

    Every method raises:
        ValueError: the body is larger than the limit, or its encoding is wrong.

    Attributes:
        limit: the bytes that the body may have.
    """

    def __init__(self, status: int, headers: Mapping[str, str], limit: int) -> None:
        self._is_error = status >= FIRST_REDIRECT
        self._inflater = inflater_for(status, headers)
        self.limit = min(limit, _MAX_ERROR_BYTES) if self._is_error else limit
        self._size = 0
        self._is_cut = False
        self._pieces: list[bytes | bytearray] = []

    def feed(self, chunk: bytes) -> bool:
        """Add the next bytes. Returns whether to read more."""
        try:
            for piece in self._inflater.pieces(chunk) if self._inflater else (chunk,):
                self._take(piece)
        except ValueError:
            self._is_cut = self._is_error
            if not self._is_cut:
                raise
        return not self._is_cut

    def whole(self) -> bytes:
        """Return the body. Call this after the last `feed`."""
        if self._inflater is not None and not self._is_error:
            self._inflater.finish()
        return b"".join(self._pieces)

    def _take(self, piece: bytes) -> None:
        self._size += len(piece)
        self._append(piece)
        if self._size > self.limit:
            raise ValueError(f"it is larger than {self.limit} bytes (see max_response_bytes)")

    def _append(self, piece: bytes) -> None:
        """Join a piece to a small last piece, so that a body of tiny chunks needs few objects."""
        last = self._pieces[-1] if self._pieces else b""
        if not last or len(last) >= _SMALL_BYTES:
            self._pieces.append(piece)
        elif isinstance(last, bytearray):
            last += piece
        else:
            self._pieces[-1] = bytearray(last) + piece
