"""Reads and writes small private files of the user, such as caches.

A file that another user may have written is not read. Writing replaces the whole file atomically.
Programs work without these files, so the functions return None or False if reading or writing
fails, for example in a read-only home directory.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
# Do not follow links, and do not wait for pipes. Windows has neither flag.
_READ_ONLY = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def read_private(path: Path, max_bytes: int) -> bytes | None:
    """Read a file. Returns None if it cannot be read, or if other users may have written it.

    Args:
        path: the file.
        max_bytes: the maximum size; a larger file is not read.
    """
    try:
        descriptor = os.open(path, _READ_ONLY)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if not _is_private(status) or status.st_size > max_bytes:
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(max_bytes + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return content if len(content) <= max_bytes else None


def write_private(path: Path, content: bytes) -> bool:
    """Replace a file atomically. Its mode is 0600; missing folders are created with mode 0700.

    Returns whether the file was written.
    """
    temporary = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    try:
        _make_folder(path.parent)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except (OSError, ValueError):
        return False
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        return False
    return True


def _make_folder(folder: Path) -> None:
    """Create a folder and its parents, each with mode 0700.

    `mkdir(parents=True)` would give this mode to the last folder only.
    """
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _is_private(status: os.stat_result) -> bool:
    if not stat.S_ISREG(status.st_mode):
        return False
    if not hasattr(os, "geteuid"):  # Windows
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & _OTHERS_WRITE
