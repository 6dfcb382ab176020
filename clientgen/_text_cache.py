"""A cache for functions of short texts."""

from __future__ import annotations

from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_ENTRIES: Final = 4096
_MAX_TEXT_CHARS: Final = 1024

_Made = TypeVar("_Made")


def cached_if_short(make: Callable[[str], _Made]) -> Callable[[str], _Made]:
    """Cache the results of a function for the last few thousand short texts."""
    cached = lru_cache(_MAX_ENTRIES)(make)

    @wraps(make)
    def made(text: str) -> _Made:
        return cached(text) if len(text) <= _MAX_TEXT_CHARS else make(text)

    return made
