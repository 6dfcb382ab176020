"""Bodies of responses, decompressed piece by piece and limited in size.

The limit applies to the decompressed size: a few kilobytes of gzip can be gigabytes of JSON.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["MAX_RESPONSE_BYTES", "BodyReader", "Inflater", "inflater_for"]

MAX_RESPONSE_BYTES = 1 << 30
"""The default of `max_response_bytes`."""

# The most bytes to read of an error response: an error message needs no more.
_MAX_ERROR_BYTES = 1 << 20
_REDIRECT = 300
_PIECE_BYTES = 1 << 20
# Pieces that are smaller are joined, because each object has a cost of its own.
_SMALL_BYTES = 1 << 12
# The `wbits` of zlib for a header of gzip, of zlib, or none.
_GZIP, _ZLIB, _BARE = 31, 15, -15
_WINDOWS = {"gzip": _GZIP, "x-gzip": _GZIP, "deflate": _ZLIB}
# The low half of the first byte of a zlib header is the method, which is always this.
_METHOD = 8


class Inflater:
    """Decompresses a body.

    Every method raises:
        ValueError: the encoding is unknown, or the data does not have it.
    """

    def __init__(self, encoding: str) -> None:
        window = _WINDOWS.get(encoding.strip().lower())
        if window is None:
            raise ValueError(f"its encoding is {encoding[:40]!r}, which was not requested")
        self._encoding = encoding
        self._window = window
        self._stream: Any = None  # of a type of zlib's without a name

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Decompress the next bytes of the body. Yields pieces of at most 1 MiB."""
        while data:
            if self._stream is None or self._stream.eof:
                self._stream = zlib.decompressobj(self._window_of(data))
            yield from self._member(self._stream, data)
            data = self._stream.unused_data

    def finish(self) -> None:
        """Check that the compressed data is complete."""
        if self._stream is not None and not self._stream.eof:
            raise ValueError(f"its {self._encoding} data ends too early")

    def _window_of(self, data: bytes) -> int:
        """Return the `wbits` of zlib. Some servers send "deflate" without the header of zlib."""
        return _BARE if self._window == _ZLIB and data[0] & 15 != _METHOD else self._window

    def _member(self, stream: Any, data: bytes) -> Iterator[bytes]:
        full = True
        while full or data:
            try:
                piece = stream.decompress(data, _PIECE_BYTES)
            except zlib.error:
                raise ValueError(f"its {self._encoding} data is not valid") from None
            data, full = stream.unconsumed_tail, len(piece) == _PIECE_BYTES
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
        if status < _REDIRECT:
            raise
        return None


class BodyReader:
    """Collects the body of one response.

    The body of an error response is cut at a limit instead of refused: the status code matters.

    Every method raises:
        ValueError: the body is larger than the limit, or its encoding is wrong.
    """

    def __init__(self, status: int, headers: Mapping[str, str], limit: int) -> None:
        self._is_refusal = status >= _REDIRECT
        self._inflater = inflater_for(status, headers)
        self._limit = min(limit, _MAX_ERROR_BYTES) if self._is_refusal else limit
        self._size = 0
        self._is_cut = False
        self._pieces: list[bytes | bytearray] = []

    def feed(self, chunk: bytes) -> bool:
        """Add the next bytes. Returns whether to read more."""
        try:
            for piece in self._inflater.pieces(chunk) if self._inflater else (chunk,):
                self._take(piece)
        except ValueError:
            self._is_cut = self._is_refusal
            if not self._is_cut:
                raise
        return not self._is_cut

    def whole(self) -> bytes:
        """Return the body after the last bytes."""
        if self._inflater is not None and not self._is_refusal:
            self._inflater.finish()
        return b"".join(self._pieces)

    def _take(self, piece: bytes) -> None:
        self._size += len(piece)
        self._append(piece)
        if self._size > self._limit:
            raise ValueError(f"it is larger than {self._limit} bytes (see max_response_bytes)")

    def _append(self, piece: bytes) -> None:
        """Add a piece to the last one if that is small: a body of tiny chunks keeps few objects."""
        last = self._pieces[-1] if self._pieces else b""
        if not last or len(last) >= _SMALL_BYTES:
            self._pieces.append(piece)
        elif isinstance(last, bytearray):
            last += piece
        else:
            self._pieces[-1] = bytearray(last) + piece
