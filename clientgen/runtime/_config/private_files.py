"""Small files of the user's that programs share, such as caches: private, and written as a whole.

A file that somebody else could have written is not read. Nothing here is needed: reading gives None
and writing gives False where it does not work, as with a home directory that is read-only.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_private", "write_private"]

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
# Neither follow a link nor wait for a pipe; Windows has neither flag.
_READ_ONLY = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def read_private(path: Path, most: int) -> bytes | None:
    """Read a file that only this user can have written; None if there is none that is usable.

    Args:
        path: the file.
        most: the largest size.
    """
    try:
        descriptor = os.open(path, _READ_ONLY)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if not _is_private(status) or status.st_size > most:
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(most + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return content if len(content) <= most else None


def write_private(path: Path, content: bytes) -> bool:
    """Replace a file in one step; the file is 0600, and folders that are made for it are 0700."""
    fresh = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    try:
        _make_folder(path.parent)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except (OSError, ValueError):
        return False
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        fresh.replace(path)
    except OSError:
        with suppress(OSError):
            fresh.unlink()
        return False
    return True


def _make_folder(folder: Path) -> None:
    """Make a folder and those above it, each for this user only (`mkdir` would do so for one)."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _is_private(status: os.stat_result) -> bool:
    if not stat.S_ISREG(status.st_mode):
        return False
    if not hasattr(os, "geteuid"):  # Windows
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & _OTHERS_WRITE
