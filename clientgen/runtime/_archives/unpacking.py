"""Writes the files of an archive below one local path, and nowhere else."""

from __future__ import annotations

import logging
import os
import secrets
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from .._models.copy_result import CopyResult
from ..errors import CopyFailed
from .folders import Folder, os_errors_as_copy_failed
from .reader import ArchiveReader

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from .reader import Entry

    _Path = tuple[str, ...]

logger = logging.getLogger("clientgen.runtime.copy")

# The permissions that files may get: no setuid, setgid and sticky bits, and no write permission for
# others.
_PERMISSIONS: Final = 0o755
_EXECUTE: Final = 0o111
_OWNER_READ_WRITE: Final = 0o600
_OWNER_ALL: Final = 0o700
_DEFAULT_FOLDER_MODE: Final = 0o777
_MAX_SKIPPED_PATHS: Final = 1000
_BYTES_PER_ENTRY: Final = 512  # counted for each empty file and each created folder
_MAX_DEFERRED: Final = 500_000
_MAX_DEPTH: Final = 500  # nested folders; `shutil.rmtree` fails at 1,000
_MAX_NAME_CHARACTERS: Final = 1 << 26  # of all links and directories together
_CHARACTERS_PER_PART: Final = 16  # added to the length of each part of a name


class Unpacker:
    """Copies the contents of an archive to a local path.

    Each file is written under a temporary name in its folder, and then renamed: an existing file
    stays until the new file is complete. No file is written through a link. Links are created at
    the end, if they lead to a path within the target. Other links, devices and FIFOs are skipped.
    Other local programs cannot redirect a file by replacing folders. Owners and the bits setuid,
    setgid and sticky are dropped; permissions are limited as by `tarfile.data_filter` and the
    umask.

    Args:
        target: The local path of the copy.
        root: The name of the copied file or directory in the archive.
        limit: The maximum number of bytes to write; None for no limit.
    """

    def __init__(self, target: Path, root: str, limit: int | None = None) -> None:
        self._target = target
        self._root = tuple(_parts(root))
        self._limit = limit
        self._reader = ArchiveReader()
        self._file: _TemporaryFile | None = None
        self._top: Folder | None = None
        self._current: tuple[_Path, Folder] | None = None
        self._links: list[tuple[_Path, Entry]] = []
        self._folders: list[tuple[_Path, float]] = []
        self._files = self._size = self._counted = self._names = 0
        self._skipped: list[str] = []

    def feed(self, data: bytes) -> int:
        """Read bytes of the archive, and write its files. Returns the number of bytes written.

        Raises:
            CopyFailed: The archive is malformed, or contains a path outside of the target, or
                exceeds a limit; or a file cannot be written.
        """
        with os_errors_as_copy_failed(self._target):
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
        """Create the links, after the archive has ended.

        Raises:
            CopyFailed: The archive is truncated or empty; or a link replaces a device or leads to
                a path that is not in the copy.
        """
        if self._file is not None or not self._reader.is_between:
            raise CopyFailed("the archive ends in the middle of a file")
        with os_errors_as_copy_failed(self._target):
            self._finish_tree()
        if not self._counted:
            raise CopyFailed("the archive is empty")
        return CopyResult(files=self._files, size=self._size, skipped=tuple(self._skipped))

    def _finish_tree(self) -> None:
        for path, entry in self._links:
            self._link(path, entry)
        for path, mtime in reversed(self._folders):
            *above, name = path or (".",)
            self._open_folder(tuple(above)).set_time(name, mtime)

    def close(self) -> None:
        """Remove an incomplete file, and close the folders. Complete files stay."""
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
        path = self._relative_parts(entry.name)
        match entry.kind:
            case "directory":
                self._begin_folder(path, entry)
            case "file":
                self._file = _TemporaryFile(*self._folder_and_name(path), entry)
                if not entry.size:
                    self._finish_file()
            case "symlink" | "hard link" if path:
                _check_usable(entry.target)
                self._folder_and_name(path)
                self._count_deferred(path, entry.target)
                self._links.append((path, entry))
            case "symlink" | "hard link":
                raise CopyFailed(f"the source is a link; copy its target instead: {entry.target}")
            case _:
                self._skip(entry, entry.kind)

    def _begin_folder(self, path: _Path, entry: Entry) -> None:
        is_new = self._is_new(path)
        self._open_folder(path, entry.mode & _PERMISSIONS | _OWNER_ALL)
        if is_new:
            self._count_deferred(path)
            self._folders.append((path, entry.mtime))

    def _is_new(self, path: _Path) -> bool:
        if not path:
            return not os.path.lexists(self._target)
        return not self._open_folder(path[:-1]).has(path[-1])

    def _count(self, entry: Entry) -> None:
        """Count the bytes of an entry against the limit, before it is written."""
        self._counted += (entry.size or _BYTES_PER_ENTRY) + entry.extra
        self._check_limit()

    def _check_limit(self, more: int = 0) -> None:
        if self._limit is not None and self._counted + more > self._limit:
            raise CopyFailed(f"the files are larger than limit={self._limit} bytes")

    def _count_deferred(self, path: _Path, target: str = "") -> None:
        """Count a link or directory that is kept in memory until the end."""
        if len(self._links) + len(self._folders) >= _MAX_DEFERRED:
            raise CopyFailed(f"the archive has more than {_MAX_DEFERRED} links and directories")
        self._names += sum(map(len, path)) + _CHARACTERS_PER_PART * len(path) + len(target)
        if self._names > _MAX_NAME_CHARACTERS:
            raise CopyFailed("the names of the archive's links and directories are too long")

    def _relative_parts(self, name: str) -> tuple[str, ...]:
        """Split a name into its parts below the root of the copy.

        Raises:
            CopyFailed: The name is outside of the root, or cannot be used.
        """
        parts = tuple(_parts(name))
        depth = len(self._root)
        if name.startswith("/") or ".." in parts or parts[:depth] != self._root:
            raise CopyFailed(f"the archive has a file outside of the source: {name!r}")
        if len(parts) > _MAX_DEPTH:
            raise CopyFailed(f"a name has {len(parts)} folders: {name[:100]!r}...")
        _check_usable(name)
        if os.sep == "\\" and any(set(part) & {"\\", ":"} for part in parts):
            raise CopyFailed(f"the archive has a name that cannot be used here: {name!r}")
        return parts[depth:]

    def _skip(self, entry: Entry, why: str) -> None:
        logger.warning("%r was not copied: %s", entry.name, why)
        if len(self._skipped) < _MAX_SKIPPED_PATHS:
            self._skipped.append(entry.name)

    # ---- places ---------------------------------------------------------------------------------

    def _folder_and_name(self, path: _Path) -> tuple[Folder, str]:
        """Return the open folder of an entry, and the entry's name in it."""
        if path:
            return self._open_folder(path[:-1]), path[-1]
        if self._top is None:
            self._top = Folder.open_path(self._target.parent)
        return self._top, self._target.name

    def _open_folder(self, path: _Path, mode: int = _DEFAULT_FOLDER_MODE) -> Folder:
        """Open a folder below the target. The next call for another folder closes it.

        Raises:
            CopyFailed: A part of the path is something other than a folder, such as a link.
            OSError: A missing folder cannot be created.
        """
        if self._current is not None:
            if self._current[0] == path:
                return self._current[1]
            self._current[1].close()
            self._current = None
        folder = self._below_target(path, mode)
        self._current = path, folder
        self._counted += _BYTES_PER_ENTRY * folder.made
        self._check_limit()
        return folder

    def _below_target(self, path: _Path, mode: int = _DEFAULT_FOLDER_MODE) -> Folder:
        if self._top is None or self._top.path != self._target:
            top = Folder.open_path(self._target, _DEFAULT_FOLDER_MODE if path else mode)
            if self._top is not None:
                self._top.close()
            self._top = top
        return self._top.below(path, mode)

    # ---- files and links ------------------------------------------------------------------------

    def _finish_file(self) -> None:
        assert self._file is not None
        self._file.finish()
        self._file = None
        self._files += 1

    def _link(self, path: _Path, entry: Entry) -> None:
        folder, name = self._folder_and_name(path)
        if entry.kind == "hard link":
            self._create_link(
                folder, name, entry, lambda new: self._create_hard_link(folder, new, entry)
            )
        elif _stays_within(entry.target, len(path) - 1):
            self._create_link(folder, name, entry, lambda new: folder.symlink(new, entry.target))
        else:
            self._skip(entry, f"the link leads out of the copy, to {entry.target!r}")

    def _create_hard_link(self, folder: Folder, new: str, entry: Entry) -> None:
        """Create a hard link to a file of this copy.

        Raises:
            CopyFailed: The link's target is not a file below the root of the copy.
        """
        *above, name = self._relative_parts(entry.target) or (".",)
        with self._below_target(tuple(above)) as link_folder:
            if not stat.S_ISREG(link_folder.mode(name)):
                raise CopyFailed(f"{entry.name!r} is a hard link to a non-file: {entry.target!r}")
            folder.link(new, link_folder, name)

    def _create_link(
        self, folder: Folder, name: str, entry: Entry, make: Callable[[str], None]
    ) -> None:
        """Create a link under a temporary name, and rename it."""
        new = _make_temporary_name()
        try:
            make(new)
            folder.rename(new, name)
        except CopyFailed:
            folder.remove(new)
            raise
        except OSError as error:
            folder.remove(new)
            self._skip(entry, f"the link cannot be created: {error}")


class PlainFile:
    """Copies a stream with the contents of one file to a local path.

    Args:
        target: The local path of the copy.
        limit: The maximum number of bytes to write; None for no limit.
    """

    def __init__(self, target: Path, limit: int | None = None) -> None:
        self._target = target
        self._limit = limit
        self._size = 0
        self._folder: Folder | None = None
        self._file: _TemporaryFile | None = None

    def feed(self, data: bytes) -> int:
        """Write bytes of the file. Returns the number of bytes so far.

        Raises:
            CopyFailed: The file exceeds the limit, or cannot be written.
        """
        with os_errors_as_copy_failed(self._target):
            if self._file is None:
                self._folder = Folder.open_path(self._target.parent)
                self._file = _TemporaryFile(self._folder, self._target.name)
            self._size += len(data)
            if self._limit is not None and self._size > self._limit:
                raise CopyFailed(f"the files are larger than limit={self._limit} bytes")
            self._file.write(data)
        return self._size

    def finish(self) -> CopyResult:
        """Rename the complete file to its target.

        Raises:
            CopyFailed: The target is a directory, or cannot be written.
        """
        self.feed(b"")
        assert self._file is not None
        with os_errors_as_copy_failed(self._target):
            self._file.finish()
        self._file = None
        return CopyResult(files=1, size=self._size)

    def close(self) -> None:
        """Remove an incomplete file, and close the folder."""
        if self._file is not None:
            self._file.remove()
            self._file = None
        if self._folder is not None:
            self._folder.close()


class _TemporaryFile:
    """A file that is written under a temporary name. Errors name the final path."""

    def __init__(self, folder: Folder, name: str, entry: Entry | None = None) -> None:
        self._folder = folder
        self._name = name
        self._entry = entry
        self._remaining = 0 if entry is None else entry.size
        self._temporary_name = _make_temporary_name()
        folder.check_replaceable(name)
        with self._with_path():
            self._file = folder.create(
                self._temporary_name, 0o666 if entry is None else _file_mode(entry)
            )

    def write(self, data: memoryview | bytes) -> bool:
        """Write data. Returns whether the file is complete."""
        with self._with_path():
            self._file.write(data)
        self._remaining -= len(data)
        return not self._remaining

    def finish(self) -> None:
        """Close the file, and rename it to its final name."""
        try:
            with self._with_path():
                self._file.close()
            if self._entry is not None:
                self._folder.set_time(self._temporary_name, self._entry.mtime)
            self._folder.rename(self._temporary_name, self._name)
        except IsADirectoryError:
            self.remove()
            path = str(self._folder.path / self._name)
            raise CopyFailed(
                f"the local path {path!r} is a directory; end it with a slash, or name a file"
            ) from None
        except (CopyFailed, OSError):
            self.remove()
            raise

    def remove(self) -> None:
        """Close and remove the temporary file."""
        with suppress(OSError):  # closing flushes, which fails on a full disk
            self._file.close()
        self._folder.remove(self._temporary_name)

    @contextmanager
    def _with_path(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            error.filename, error.filename2 = str(self._folder.path / self._name), None
            raise


def _file_mode(entry: Entry) -> int:
    """Return the permissions of a file, as `tarfile.data_filter` sets them."""
    mode = entry.mode & _PERMISSIONS | _OWNER_READ_WRITE
    return mode if entry.mode & 0o100 else mode & ~_EXECUTE


def _parts(name: str) -> list[str]:
    return [part for part in name.split("/") if part not in {"", "."}]


def _check_usable(name: str) -> None:
    """Refuse a name with a null character.

    Raises:
        CopyFailed: The name contains a null character.
    """
    if "\0" in name:
        raise CopyFailed(f"the archive has a name that cannot be used here: {name!r}")


def _stays_within(target: str, depth: int) -> bool:
    """Return whether a symbolic link leads to a path below the root of the copy.

    `..` is accepted at the beginning only, because after the name of another link, `..` would be
    relative to the target of that link.
    """
    parts = _parts(target)
    leading = 0
    while leading < len(parts) and parts[leading] == "..":
        leading += 1
    return (
        not target.startswith("/")
        and leading <= depth
        and ".." not in parts[leading:]
        and bool(target)
    )


def _make_temporary_name() -> str:
    return f".clientgen-{secrets.token_hex(8)}"
