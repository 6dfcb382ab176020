"""Caches of what was made of texts.

JSON values are texts here, too: they are known by a digest of their JSON, so they themselves are
not kept. Objects with the same members in another order are different values.
"""

from __future__ import annotations

from functools import lru_cache, wraps
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from msgspec import json

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_ENTRIES: Final = 4096
_MAX_TEXT_CHARS: Final = 1024
_UNREADABLE: Final = (TypeError, ValueError, OverflowError, RecursionError)
_LEAST_BYTES: Final = 256
"""Smaller values are converted faster than they are looked up."""
_MOST_BYTES: Final = 1 << 15
"""What is made of larger values might fill the memory."""
_FIXED: Final = b""
_SIZE: Final = 1024

_Made = TypeVar("_Made")


def cached_if_short(make: Callable[[str], _Made]) -> Callable[[str], _Made]:
    """Cache the results of a function for the last few thousand short texts."""
    cached = lru_cache(_MAX_ENTRIES)(make)

    @wraps(make)
    def made(text: str) -> _Made:
        return cached(text) if len(text) <= _MAX_TEXT_CHARS else make(text)

    return made


def encoded(value: object) -> bytes:
    """Return a value as JSON; empty if JSON has no such value."""
    try:
        return json.encode(value)
    except _UNREADABLE:
        return b""


class ContentCache(Generic[_Made]):
    """What was made of the last few values that are not large; any thread may use it.

    Args:
        size: how many results are kept at least; twice as many are kept at most.
    """

    def __init__(self, size: int = _SIZE) -> None:
        self._size = size
        self._new: dict[bytes, _Made] = {}
        self._old: dict[bytes, _Made] = {}

    def get(self, text: bytes) -> _Made | None:
        """Return what was made of the value with this JSON; None if that is not known."""
        if not 0 < len(text) <= _MOST_BYTES:
            return None
        digest = _digest(text)
        made = self._new.get(digest)
        return self._old.get(digest) if made is None else made

    def put(self, text: bytes, made: _Made) -> None:
        """Keep what was made of the value with this JSON, unless it has none, or much."""
        if not 0 < len(text) <= _MOST_BYTES:
            return
        if len(self._new) >= self._size:  # no lock: another thread may do the same, or not
            self._old, self._new = self._new, {}
        self._new[_digest(text)] = made


class Conversions:
    """The JSON that values were converted to. Values of no or few bytes are not kept."""

    def __init__(self) -> None:
        self._made = ContentCache[bytes]()

    def get(self, text: bytes) -> bytes | None:
        """Return the JSON that this JSON becomes; None if that is not known."""
        if len(text) < _LEAST_BYTES:
            return None
        made = self._made.get(text)
        return text if made == _FIXED else made

    def put(self, text: bytes, made: object) -> None:
        """Keep what a value has become."""
        if len(text) < _LEAST_BYTES:
            return
        result = encoded(made)
        if result == text:
            self._made.put(text, _FIXED)
        elif 0 < len(result) <= _MOST_BYTES:
            self._made.put(text, result)


def _digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).digest()
