"""Local folders that copies write to. They stay open to prevent races."""

from __future__ import annotations

import math
import os
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from ..errors import CopyFailed
from .open_folder import OpenFolder, open_folder

if TYPE_CHECKING:
    from collections.abc import Generator

_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_SPECIAL: Final = {
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
}


def check_target(path: Path) -> Path:
    """Resolve the links in a target path, as `cp` does.

    Raises:
        CopyFailed: The path leads to a device, a FIFO or a socket, or cannot be read.
    """
    with os_errors_as_copy_failed(path):
        # Check before resolving links: /dev/stdout leads to a pipe, which has no path.
        with suppress(FileNotFoundError, NotADirectoryError):
            _check_replaceable(path, path.stat().st_mode)
        return path.resolve()


@contextmanager
def os_errors_as_copy_failed(path: Path) -> Generator[None]:
    """Convert errors of the operating system to CopyFailed. Messages name the file, or `path`.

    Raises:
        CopyFailed: An OSError was raised, which is the cause.
    """
    try:
        yield
    except OSError as error:
        name = str(error.filename or path)
        because = error.strerror or type(error).__name__
        message = f"the local file {name!r} cannot be written: {because}"
        raise CopyFailed(message) from error


class Folder(OpenFolder):
    """An open folder to write to. As a context manager, it closes itself.

    Args:
        path: The path for messages.
        descriptor: The open file descriptor.

    Attributes:
        made: How many folders were created to open this folder.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        super().__init__(path, descriptor)
        self.made = 0

    @classmethod
    def open_path(cls, path: Path, mode: int = 0o777) -> Folder:
        """Open a folder. The folder and its parents are created if they are missing.

        Raises:
            CopyFailed: A part of the path is something other than a folder, such as a link.
            OSError: A folder cannot be created.
        """
        path = Path.cwd() / path
        with cls(Path(path.anchor), open_folder(path.anchor)) as top:
            return top.below(path.parts[1:], mode)

    def below(self, parts: tuple[str, ...], mode: int = 0o777) -> Folder:
        """Open a folder below this folder; missing folders are created.

        Without parts, this folder itself is opened again.

        Raises:
            CopyFailed: A part of the path is something other than a folder, such as a link.
            OSError: A folder cannot be created.
        """
        folder = Folder(self.path, self._duplicate())
        for remaining, part in zip(range(len(parts), 0, -1), parts, strict=True):
            with folder:
                inner = folder.enter(part, mode if remaining == 1 else 0o777)
            inner.made += folder.made
            folder = inner
        return folder

    def enter(self, name: str, mode: int = 0o777) -> Folder:
        """Open a folder in this folder; a missing folder is created, subject to the umask.

        Raises:
            CopyFailed: The entry is something other than a folder, such as a link.
            OSError: The folder cannot be created.
        """
        path = self.path / name
        with self._with_path(name):
            try:
                return Folder(path, self._enter(name))
            except FileNotFoundError:
                with suppress(FileExistsError):  # another program has created it meanwhile
                    location, options = self._location(name)
                    os.mkdir(location, mode, **options)  # noqa: PTH102 - Path does not take descriptors
            except NotADirectoryError:
                raise _not_a_directory(path) from None
            try:
                folder = Folder(path, self._enter(name))
            except NotADirectoryError:
                raise _not_a_directory(path) from None
            folder.made = 1
            return folder

    def has(self, name: str) -> bool:
        """Return whether the folder has an entry with this name."""
        try:
            self.mode(name)
        except FileNotFoundError:
            return False
        return True

    def mode(self, name: str) -> int:
        """Return the type and permissions of an entry; links are not followed.

        Raises:
            OSError: The folder has no such entry.
        """
        location, options = self._location(name)
        with self._with_path(name):
            return os.stat(location, follow_symlinks=False, **options).st_mode  # noqa: PTH116

    def check_replaceable(self, name: str) -> None:
        """Refuse to replace devices, FIFOs and sockets.

        Raises:
            CopyFailed: The entry is a device, a FIFO or a socket.
            OSError: The entry cannot be read.
        """
        with suppress(FileNotFoundError):
            _check_replaceable(self.path / name, self.mode(name))

    def create(self, name: str, mode: int) -> BinaryIO:
        """Create a file with this mode, subject to the umask.

        Raises:
            OSError: The file cannot be created, or exists.
        """
        location, options = self._location(name)
        with self._with_path(name):
            return os.fdopen(os.open(location, _NEW_FILE, mode, **options), "wb")

    def rename(self, old: str, new: str) -> None:
        """Rename an entry, and replace an existing entry with the new name.

        Raises:
            CopyFailed: The new name is a device, a FIFO or a socket.
            IsADirectoryError: The new name is a folder.
            OSError: The entry cannot be renamed.
        """
        self.check_replaceable(new)
        source, own_options = self._location(old)
        target, _ = self._location(new)
        fds = {f"{side}_dir_fd": fd for fd in own_options.values() for side in ("src", "dst")}
        with self._with_path(new):
            os.replace(source, target, **fds)  # noqa: PTH105

    def remove(self, name: str) -> None:
        """Remove a file or link, if it exists. Errors are ignored."""
        location, options = self._location(name)
        with suppress(OSError):
            os.unlink(location, **options)

    def link(self, name: str, other: Folder, old: str) -> None:
        """Create a hard link to a file in another folder.

        Raises:
            OSError: The link cannot be created.
        """
        source, other_options = other._location(old)
        target, own_options = self._location(name)
        fds = {f"src_{key}": fd for key, fd in other_options.items()}
        fds |= {f"dst_{key}": fd for key, fd in own_options.items()}
        follow = {"follow_symlinks": False} if os.link in os.supports_follow_symlinks else {}
        with self._with_path(name):
            os.link(source, target, **fds, **follow)

    def symlink(self, name: str, target: str) -> None:
        """Create a symbolic link.

        Raises:
            OSError: The link cannot be created.
        """
        location, options = self._location(name)
        with self._with_path(name):
            os.symlink(target, location, **options)  # noqa: PTH211

    def set_time(self, name: str, mtime: float) -> None:
        """Set the modification time of a file or folder, if the system supports the time."""
        location, options = self._location(name)
        if os.utime in os.supports_follow_symlinks:
            options["follow_symlinks"] = False
        if math.isfinite(mtime):
            with suppress(OverflowError, ValueError, OSError):
                os.utime(location, (mtime, mtime), **options)


def _check_replaceable(path: Path, mode: int) -> None:
    if kind := _SPECIAL.get(stat.S_IFMT(mode)):
        raise CopyFailed(f"the local path {str(path)!r} is {kind}; choose another target")


def _not_a_directory(path: Path) -> CopyFailed:
    return CopyFailed(f"the local path {str(path)!r} is not a directory; choose another target")
