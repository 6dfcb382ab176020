"""What the tests of compressed caches share."""

from __future__ import annotations

from clientgen.runtime._cache.compression import Packed


def flip(packed: Packed, bit: int) -> Packed:
    """Return compressed JSON in which one bit was flipped."""
    frame = bytearray(packed.frame)
    frame[bit // 8 % len(frame)] ^= 1 << bit % 8
    return Packed(bytes(frame), packed.size, packed.dictionary)
