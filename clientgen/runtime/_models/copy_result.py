"""The result of copying files to or from a container."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["CopyResult"]


class CopyResult(Struct, frozen=True, kw_only=True):
    """What was copied: the number of files, their size in bytes, and the names of what was not."""

    files: int
    size: int
    skipped: tuple[str, ...] = ()
