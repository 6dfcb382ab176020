"""Writes the files of an archive below one path of this machine, and nowhere else."""

from __future__ import annotations

import logging
import math
import os
import secrets
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, Final

from .._models.copy_result import CopyResult
from ..errors import CopyFailed
from .reader import ArchiveReader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from .reader import Entry

__all__ = ["PlainFile", "Unpacker"]

logger = logging.getLogger("clientgen.runtime.copy")

_PERMISSIONS: Final = 0o777  # not the bits that run programs as their owner
_OURS: Final = 0o700
_MOST_TOLD: Final = 1000
_OF_NOTHING: Final = 512  # what an empty file counts
_MOST_LATER: Final = 500_000


class Unpacker:
    """Makes a path of this machine a copy of what an archive has.

    A file is written under another name beside its place, and then renamed: what was there before
    stays until the new one is whole. Nothing is written through a link. Links are made at the end,
    if they stay within the target; others are skipped, and so are devices and FIFOs. Owners and the
    bits setuid, setgid and sticky are not kept.

    Args:
        target: Where the copy is to be.
        root: The name in the archive of what is copied.
        limit: The most bytes to write; None for no limit.
    """

    def __init__(self, target: Path, root: str, limit: int | None = None) -> None:
        self._target = target
        self._root = tuple(_parts(root))
        self._limit = limit
        self._reader = ArchiveReader()
        self._file: _NewFile | None = None
        self._folder: Path | None = None
        self._links: list[tuple[Path, int, Entry]] = []
        self._folders: list[tuple[Path, Entry]] = []
        self._files = self._size = self._counted = 0
        self._skipped: list[str] = []

    def feed(self, data: bytes) -> int:
        """Take bytes of the archive; gives how many bytes of files were written altogether.

        Raises:
            CopyFailed: The archive is broken, or wants to write elsewhere.
            OSError: A file cannot be written.
        """
        for item in self._reader.feed(data):
            if isinstance(item, tuple):
                self._begin(item)
            elif self._file is not None:
                self._size += len(item)
                if self._file.write(item):
                    self._finish_file()
        return self._size

    def finish(self) -> CopyResult:
        """Make the links, once the archive has ended.

        Raises:
            CopyFailed: The archive has not ended, or has nothing of what is copied.
            OSError: A link cannot be made.
        """
        if self._file is not None or not self._reader.is_between:
            raise CopyFailed("the archive ends in the middle of a file")
        for path, depth, entry in self._links:
            self._link(path, depth, entry)
        for path, entry in reversed(self._folders):
            path.chmod(entry.mode & _PERMISSIONS | _OURS)
            _set_time(path, entry.mtime)
        if not self._counted:
            raise CopyFailed("the archive is empty")
        return CopyResult(files=self._files, size=self._size, skipped=tuple(self._skipped))

    def close(self) -> None:
        """Remove what is not whole."""
        if self._file is not None:
            self._file.remove()
            self._file = None

    # ---- entries --------------------------------------------------------------------------------

    def _begin(self, entry: Entry) -> None:
        self._count(entry)
        below = self._below(entry.name)
        match entry.kind:
            case "directory":
                is_new = not os.path.lexists(self._target.joinpath(*below))
                path = self._made_folder(below)
                if is_new:
                    self._folders.append((path, entry))
            case "file":
                self._file = _NewFile(self._place(below), entry)
                if not entry.size:
                    self._finish_file()
            case "symlink" | "hard link" if below:
                self._links.append((self._place(below), len(below) - 1, entry))
            case "symlink" | "hard link":
                raise CopyFailed(f"it is a link; copy what it leads to: {entry.target}")
            case _:
                self._skip(entry, entry.kind)

    def _count(self, entry: Entry) -> None:
        """Count what an entry takes, before it is taken."""
        self._counted += entry.size or _OF_NOTHING
        if self._limit is not None and self._counted > self._limit:
            raise CopyFailed(f"there is more to copy than limit={self._limit} bytes")
        if len(self._links) + len(self._folders) > _MOST_LATER:
            raise CopyFailed(f"it has more than {_MOST_LATER} links and directories")

    def _below(self, name: str) -> tuple[str, ...]:
        """Return the parts of a name within what is copied.

        Raises:
            CopyFailed: It is not within that.
        """
        parts = tuple(_parts(name))
        depth = len(self._root)
        if name.startswith("/") or ".." in parts or parts[:depth] != self._root:
            raise CopyFailed(f"it has a file that was not asked for: {name!r}")
        if "\0" in name or (os.sep == "\\" and any(set(part) & {"\\", ":"} for part in parts)):
            raise CopyFailed(f"it has a name that cannot be used here: {name!r}")
        return parts[depth:]

    def _skip(self, entry: Entry, why: str) -> None:
        logger.warning("%r was not copied: %s", entry.name, why)
        if len(self._skipped) < _MOST_TOLD:
            self._skipped.append(entry.name)

    # ---- places ---------------------------------------------------------------------------------

    def _place(self, below: Sequence[str]) -> Path:
        """Return the path of a file, in a folder that exists."""
        if not below:
            self._target.parent.mkdir(parents=True, exist_ok=True)
            return self._target
        return self._made_folder(below[:-1]) / below[-1]

    def _made_folder(self, below: Sequence[str]) -> Path:
        """Make a folder, and those above it, below the target.

        Raises:
            CopyFailed: There is something else, such as a link.
        """
        path = self._target.joinpath(*below)
        if self._folder == path:
            return path
        self._target.mkdir(parents=True, exist_ok=True)
        step = self._target
        for part in below:
            step = step / part
            try:
                step.mkdir()
            except FileExistsError:
                if not stat.S_ISDIR(step.lstat().st_mode):
                    raise CopyFailed(
                        f"{str(step)!r} on this machine is not a directory; remove it first"
                    ) from None
        self._folder = path
        return path

    # ---- files and links ------------------------------------------------------------------------

    def _finish_file(self) -> None:
        assert self._file is not None
        self._file.finish()
        self._file = None
        self._files += 1

    def _link(self, path: Path, depth: int, entry: Entry) -> None:
        if entry.kind == "hard link":
            self._made(path, entry, lambda new: os.link(self._linked(entry), new))
        elif _stays_within(entry.target, depth):
            self._made(path, entry, lambda new: new.symlink_to(entry.target))
        else:
            self._skip(entry, f"the link leads out of the copy, to {entry.target!r}")

    def _linked(self, entry: Entry) -> Path:
        """Return the file of this copy to which a hard link leads.

        Raises:
            CopyFailed: It is no file below the target.
        """
        *folders, name = self._below(entry.target) or ("",)
        path = self._made_folder(folders) / name
        if not stat.S_ISREG(path.lstat().st_mode):
            raise CopyFailed(f"{entry.name!r} is a link to what is no file: {entry.target!r}")
        return path

    def _made(self, path: Path, entry: Entry, make: Callable[[Path], None]) -> None:
        """Make a link beside its place, and rename it."""
        new = _beside(path)
        try:
            make(new)
            new.replace(path)
        except OSError as error:
            with suppress(OSError):
                new.unlink()
            self._skip(entry, f"the link cannot be made: {error}")


class PlainFile:
    """Makes a path of this machine a copy of one file, whose contents are all that comes.

    Args:
        target: Where the copy is to be.
        limit: The most bytes to write; None for no limit.
    """

    def __init__(self, target: Path, limit: int | None = None) -> None:
        self._target = target
        self._limit = limit
        self._size = 0
        self._file: _NewFile | None = None

    def feed(self, data: bytes) -> int:
        """Take bytes of the file; gives how many there were altogether.

        Raises:
            CopyFailed: It is larger than the limit.
            OSError: It cannot be written.
        """
        if self._file is None:
            self._target.parent.mkdir(parents=True, exist_ok=True)
            self._file = _NewFile(self._target)
        self._size += len(data)
        if self._limit is not None and self._size > self._limit:
            raise CopyFailed(f"there is more to copy than limit={self._limit} bytes")
        self._file.write(data)
        return self._size

    def finish(self) -> CopyResult:
        """Give the file its name, once all of it has come.

        Raises:
            CopyFailed: There is a directory.
            OSError: It cannot be written.
        """
        self.feed(b"")
        assert self._file is not None
        self._file.finish()
        self._file = None
        return CopyResult(files=1, size=self._size)

    def close(self) -> None:
        """Remove what is not whole."""
        if self._file is not None:
            self._file.remove()
            self._file = None


class _NewFile:
    """A file that is being written."""

    def __init__(self, path: Path, entry: Entry | None = None) -> None:
        self._path = path
        self._entry = entry
        self._left = 0 if entry is None else entry.size
        self._new = _beside(path)
        mode = 0o666 if entry is None else 0o600
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        self._file: BinaryIO = os.fdopen(os.open(self._new, flags, mode), "wb")

    def write(self, data: memoryview | bytes) -> bool:
        """Write data; gives whether that was all."""
        self._file.write(data)
        self._left -= len(data)
        return not self._left

    def finish(self) -> None:
        """Give the file its name."""
        try:
            self._file.close()
            if self._entry is not None:
                self._new.chmod(self._entry.mode & _PERMISSIONS)
                _set_time(self._new, self._entry.mtime)
            self._new.replace(self._path)
        except IsADirectoryError:
            self.remove()
            raise CopyFailed(
                f"{str(self._path)!r} on this machine is a directory; name the file in it"
            ) from None
        except OSError:
            self.remove()
            raise

    def remove(self) -> None:
        """Remove it."""
        self._file.close()
        with suppress(OSError):
            self._new.unlink()


def _parts(name: str) -> list[str]:
    return [part for part in name.split("/") if part not in {"", "."}]


def _stays_within(target: str, depth: int) -> bool:
    """Tell whether a link leads nowhere but below the root of the copy.

    Only `..` at the beginning are followed: one behind the name of another link would lead from
    where that one leads.
    """
    parts = _parts(target)
    up = 0
    while up < len(parts) and parts[up] == "..":
        up += 1
    return not target.startswith("/") and up <= depth and ".." not in parts[up:] and bool(target)


def _beside(path: Path) -> Path:
    return path.with_name(f".clientgen-{secrets.token_hex(8)}")


def _set_time(path: Path, mtime: float) -> None:
    """Set when a file was changed, if this machine knows such times."""
    if math.isfinite(mtime):
        with suppress(OverflowError, ValueError, OSError):
            os.utime(path, (mtime, mtime))
