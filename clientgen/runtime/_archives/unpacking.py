"""Writes the files of an archive below one path of this machine, and nowhere else."""

from __future__ import annotations

import logging
import os
import secrets
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from .._models.copy_result import CopyResult
from ..errors import CopyFailed
from .folders import Folder, written
from .reader import ArchiveReader

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from .reader import Entry

    _Place = tuple[str, ...]

__all__ = ["PlainFile", "Unpacker"]

logger = logging.getLogger("clientgen.runtime.copy")

# Not the bits that run programs as their owner, nor those by which others may write.
_PERMISSIONS: Final = 0o755
_RUN: Final = 0o111
_OURS: Final = 0o600
_OUR_FOLDER: Final = 0o700
_ANY: Final = 0o777
_MOST_TOLD: Final = 1000
_OF_NOTHING: Final = 512  # what an empty file counts
_MOST_LATER: Final = 500_000
_DEEPEST: Final = 500  # folders; programs that walk trees, such as `shutil.rmtree`, end at 1,000
_MOST_NAMES: Final = 1 << 26  # characters, of all links and directories
_OF_PART: Final = 16  # what each part of a name counts beside its characters


class Unpacker:
    """Makes a path of this machine a copy of what an archive has.

    A file is written under another name beside its place, and then renamed: what was there before
    stays until the new one is whole. Nothing is written through a link. Links are made at the end,
    if they stay within the target; others are skipped, and so are devices and FIFOs. Other programs
    of this machine cannot lead a file elsewhere meanwhile. Owners and the bits setuid, setgid and
    sticky are not kept; permissions are those that `tarfile.data_filter` and the umask leave.

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
        self._top: Folder | None = None
        self._current: tuple[_Place, Folder] | None = None
        self._links: list[tuple[_Place, Entry]] = []
        self._folders: list[tuple[_Place, float]] = []
        self._files = self._size = self._counted = self._names = 0
        self._skipped: list[str] = []

    def feed(self, data: bytes) -> int:
        """Take bytes of the archive; gives how many bytes of files were written altogether.

        Raises:
            CopyFailed: The archive is broken, or wants to write elsewhere; or a file cannot be
                written.
        """
        with written(self._target):
            for item in self._reader.feed(data):
                if isinstance(item, tuple):
                    self._begin(item)
                elif self._file is not None:
                    self._size += len(item)
                    if self._file.write(item):
                        self._finish_file()
        self._check_limit(self._reader.extra)
        return self._size

    def finish(self) -> CopyResult:
        """Make the links, once the archive has ended.

        Raises:
            CopyFailed: The archive has not ended, or has nothing of what is copied; or a link
                cannot be made.
        """
        if self._file is not None or not self._reader.is_between:
            raise CopyFailed("the archive ends in the middle of a file")
        with written(self._target):
            self._finish_tree()
        if not self._counted:
            raise CopyFailed("the archive is empty")
        return CopyResult(files=self._files, size=self._size, skipped=tuple(self._skipped))

    def _finish_tree(self) -> None:
        for place, entry in self._links:
            self._link(place, entry)
        for place, mtime in reversed(self._folders):
            *above, name = place or (".",)
            self._folder(tuple(above)).set_time(name, mtime)

    def close(self) -> None:
        """Remove what is not whole."""
        if self._file is not None:
            self._file.remove()
            self._file = None
        if self._current is not None:
            self._current[1].close()
        if self._top is not None:
            self._top.close()
        self._current = self._top = None

    # ---- entries --------------------------------------------------------------------------------

    def _begin(self, entry: Entry) -> None:
        self._count(entry)
        place = self._below(entry.name)
        match entry.kind:
            case "directory":
                self._begin_folder(place, entry)
            case "file":
                self._file = _NewFile(*self._place(place), entry)
                if not entry.size:
                    self._finish_file()
            case "symlink" | "hard link" if place:
                _check_usable(entry.target)
                self._place(place)
                self._keep(place, entry.target)
                self._links.append((place, entry))
            case "symlink" | "hard link":
                raise CopyFailed(f"it is a link; copy what it leads to: {entry.target}")
            case _:
                self._skip(entry, entry.kind)

    def _begin_folder(self, place: _Place, entry: Entry) -> None:
        is_new = self._is_new(place)
        self._folder(place, entry.mode & _PERMISSIONS | _OUR_FOLDER)
        if is_new:
            self._keep(place)
            self._folders.append((place, entry.mtime))

    def _is_new(self, place: _Place) -> bool:
        if not place:
            return not os.path.lexists(self._target)
        return not self._folder(place[:-1]).has(place[-1])

    def _count(self, entry: Entry) -> None:
        """Count what an entry takes, before it is taken."""
        self._counted += (entry.size or _OF_NOTHING) + entry.extra
        self._check_limit()

    def _check_limit(self, more: int = 0) -> None:
        if self._limit is not None and self._counted + more > self._limit:
            raise CopyFailed(f"there is more to copy than limit={self._limit} bytes")

    def _keep(self, place: _Place, target: str = "") -> None:
        """Count what is remembered until the end."""
        if len(self._links) + len(self._folders) >= _MOST_LATER:
            raise CopyFailed(f"it has more than {_MOST_LATER} links and directories")
        self._names += sum(map(len, place)) + _OF_PART * len(place) + len(target)
        if self._names > _MOST_NAMES:
            raise CopyFailed("the names of its links and directories are too long")

    def _below(self, name: str) -> tuple[str, ...]:
        """Return the parts of a name within what is copied.

        Raises:
            CopyFailed: It is not within that.
        """
        parts = tuple(_parts(name))
        depth = len(self._root)
        if name.startswith("/") or ".." in parts or parts[:depth] != self._root:
            raise CopyFailed(f"it has a file that was not asked for: {name!r}")
        if len(parts) > _DEEPEST:
            raise CopyFailed(f"a name of {len(parts)} folders: {name[:100]!r}...")
        _check_usable(name)
        if os.sep == "\\" and any(set(part) & {"\\", ":"} for part in parts):
            raise CopyFailed(f"it has a name that cannot be used here: {name!r}")
        return parts[depth:]

    def _skip(self, entry: Entry, why: str) -> None:
        logger.warning("%r was not copied: %s", entry.name, why)
        if len(self._skipped) < _MOST_TOLD:
            self._skipped.append(entry.name)

    # ---- places ---------------------------------------------------------------------------------

    def _place(self, place: _Place) -> tuple[Folder, str]:
        """Return the folder of a file, and its name there."""
        if place:
            return self._folder(place[:-1]), place[-1]
        if self._top is None:
            self._top = Folder.opened(self._target.parent)
        return self._top, self._target.name

    def _folder(self, place: _Place, mode: int = _ANY) -> Folder:
        """Return a folder below the target. It is open until another one is asked for.

        Raises:
            CopyFailed: There is something else, such as a link.
            OSError: It is missing and cannot be made.
        """
        if self._current is not None:
            if self._current[0] == place:
                return self._current[1]
            self._current[1].close()
            self._current = None
        folder = self._below_target(place, mode)
        self._current = place, folder
        self._counted += _OF_NOTHING * folder.made
        self._check_limit()
        return folder

    def _below_target(self, place: _Place, mode: int = _ANY) -> Folder:
        if self._top is None or self._top.path != self._target:
            top = Folder.opened(self._target, _ANY if place else mode)
            if self._top is not None:
                self._top.close()
            self._top = top
        return self._top.below(place, mode)

    # ---- files and links ------------------------------------------------------------------------

    def _finish_file(self) -> None:
        assert self._file is not None
        self._file.finish()
        self._file = None
        self._files += 1

    def _link(self, place: _Place, entry: Entry) -> None:
        folder, name = self._place(place)
        if entry.kind == "hard link":
            self._made(folder, name, entry, lambda new: self._link_hard(folder, new, entry))
        elif _stays_within(entry.target, len(place) - 1):
            self._made(folder, name, entry, lambda new: folder.symlink(new, entry.target))
        else:
            self._skip(entry, f"the link leads out of the copy, to {entry.target!r}")

    def _link_hard(self, folder: Folder, new: str, entry: Entry) -> None:
        """Make a hard link to a file of this copy.

        Raises:
            CopyFailed: It is no file below the target.
        """
        *above, name = self._below(entry.target) or (".",)
        with self._below_target(tuple(above)) as there:
            if not stat.S_ISREG(there.mode(name)):
                raise CopyFailed(f"{entry.name!r} is a link to what is no file: {entry.target!r}")
            folder.link(new, there, name)

    def _made(self, folder: Folder, name: str, entry: Entry, make: Callable[[str], None]) -> None:
        """Make a link beside its place, and rename it."""
        new = _new_name()
        try:
            make(new)
            folder.rename(new, name)
        except CopyFailed:
            folder.remove(new)
            raise
        except OSError as error:
            folder.remove(new)
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
        self._folder: Folder | None = None
        self._file: _NewFile | None = None

    def feed(self, data: bytes) -> int:
        """Take bytes of the file; gives how many there were altogether.

        Raises:
            CopyFailed: It is larger than the limit, or cannot be written.
        """
        with written(self._target):
            if self._file is None:
                self._folder = Folder.opened(self._target.parent)
                self._file = _NewFile(self._folder, self._target.name)
            self._size += len(data)
            if self._limit is not None and self._size > self._limit:
                raise CopyFailed(f"there is more to copy than limit={self._limit} bytes")
            self._file.write(data)
        return self._size

    def finish(self) -> CopyResult:
        """Give the file its name, once all of it has come.

        Raises:
            CopyFailed: There is a directory, or it cannot be written.
        """
        self.feed(b"")
        assert self._file is not None
        with written(self._target):
            self._file.finish()
        self._file = None
        return CopyResult(files=1, size=self._size)

    def close(self) -> None:
        """Remove what is not whole."""
        if self._file is not None:
            self._file.remove()
            self._file = None
        if self._folder is not None:
            self._folder.close()


class _NewFile:
    """A file that is being written, under another name than its own. Errors tell its own."""

    def __init__(self, folder: Folder, name: str, entry: Entry | None = None) -> None:
        self._folder = folder
        self._name = name
        self._entry = entry
        self._left = 0 if entry is None else entry.size
        self._new = _new_name()
        folder.check_replaceable(name)
        with self._named():
            self._file = folder.create(self._new, 0o666 if entry is None else _mode(entry))

    def write(self, data: memoryview | bytes) -> bool:
        """Write data; gives whether that was all."""
        with self._named():
            self._file.write(data)
        self._left -= len(data)
        return not self._left

    def finish(self) -> None:
        """Give the file its name."""
        try:
            with self._named():
                self._file.close()
            if self._entry is not None:
                self._folder.set_time(self._new, self._entry.mtime)
            self._folder.rename(self._new, self._name)
        except IsADirectoryError:
            self.remove()
            path = str(self._folder.path / self._name)
            raise CopyFailed(
                f"{path!r} on this machine is a directory; name the file in it"
            ) from None
        except (CopyFailed, OSError):
            self.remove()
            raise

    def remove(self) -> None:
        """Remove it."""
        with suppress(OSError):  # a full disk: what was not written yet cannot be
            self._file.close()
        self._folder.remove(self._new)

    @contextmanager
    def _named(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            error.filename, error.filename2 = str(self._folder.path / self._name), None
            raise


def _mode(entry: Entry) -> int:
    """Return the permissions of a file, as `tarfile.data_filter` does."""
    mode = entry.mode & _PERMISSIONS | _OURS
    return mode if entry.mode & 0o100 else mode & ~_RUN


def _parts(name: str) -> list[str]:
    return [part for part in name.split("/") if part not in {"", "."}]


def _check_usable(name: str) -> None:
    """Refuse a name that no file has.

    Raises:
        CopyFailed: It has a zero byte.
    """
    if "\0" in name:
        raise CopyFailed(f"it has a name that cannot be used here: {name!r}")


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


def _new_name() -> str:
    return f".clientgen-{secrets.token_hex(8)}"
