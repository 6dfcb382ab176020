"""The result of copying files to or from a container."""

from __future__ import annotations

from msgspec import Struct


class CopyResult(Struct, frozen=True, kw_only=True):
    """The number of copied files, their total size in bytes, and the names of skipped files."""

    files: int
    size: int
    skipped: tuple[str, ...] = ()
