"""Folders of this machine that files are written to, held open."""

from __future__ import annotations

import math
import os
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from ..errors import CopyFailed
from .open_folder import OpenFolder, opened

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["Folder", "check_target", "written"]

_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_SPECIAL: Final = {
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
}


def check_target(path: Path) -> Path:
    """Return where a path leads: links that the user has named are followed, as `cp` does.

    Raises:
        CopyFailed: There is a device, a FIFO or a socket; or it cannot be told what is there.
    """
    with written(path):
        # Before links are resolved: /dev/stdout leads to a pipe, which has no path.
        with suppress(FileNotFoundError, NotADirectoryError):
            _check_replaceable(path, path.stat().st_mode)
        return path.resolve()


@contextmanager
def written(path: Path) -> Generator[None]:
    """Have errors of this machine say what cannot be written: what they name, or `path`.

    Raises:
        CopyFailed: There was such an error, which is its cause.
    """
    try:
        yield
    except OSError as error:
        name = str(error.filename or path)
        because = error.strerror or type(error).__name__
        message = f"{name!r} on this machine cannot be written: {because}"
        raise CopyFailed(message) from error


class Folder(OpenFolder):
    """A folder that files are written to. It is a context manager that closes it.

    Args:
        path: What messages call it.
        descriptor: The open folder.

    Attributes:
        made: How many folders were made to open it.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        super().__init__(path, descriptor)
        self.made = 0

    @classmethod
    def opened(cls, path: Path, mode: int = 0o777) -> Folder:
        """Open a folder, and make it and those above it if they are missing.

        Raises:
            CopyFailed: There is something else, such as a link.
            OSError: It cannot be made.
        """
        path = Path.cwd() / path
        with cls(Path(path.anchor), opened(path.anchor)) as top:
            return top.below(path.parts[1:], mode)

    def below(self, parts: tuple[str, ...], mode: int = 0o777) -> Folder:
        """Open a folder below this one, and make it and those above it if they are missing.

        Without parts, it is this one.

        Raises:
            CopyFailed: There is something else, such as a link.
            OSError: It cannot be made.
        """
        folder = Folder(self.path, self._again())
        for left, part in zip(range(len(parts), 0, -1), parts, strict=True):
            with folder:
                inner = folder.entered(part, mode if left == 1 else 0o777)
            inner.made += folder.made
            folder = inner
        return folder

    def entered(self, name: str, mode: int = 0o777) -> Folder:
        """Open a folder in this one, and make it if it is missing, with what the umask permits.

        Raises:
            CopyFailed: There is something else, such as a link.
            OSError: It cannot be made.
        """
        path = self.path / name
        with self._named(name):
            try:
                return Folder(path, self._enter(name))
            except FileNotFoundError:
                with suppress(FileExistsError):  # somebody else made it
                    where, options = self._at(name)
                    os.mkdir(where, mode, **options)  # noqa: PTH102 - paths know no descriptors
            except NotADirectoryError:
                raise _no_folder(path) from None
            try:
                folder = Folder(path, self._enter(name))
            except NotADirectoryError:
                raise _no_folder(path) from None
            folder.made = 1
            return folder

    def has(self, name: str) -> bool:
        """Tell whether there is something of a name."""
        try:
            self.mode(name)
        except FileNotFoundError:
            return False
        return True

    def mode(self, name: str) -> int:
        """Return the kind and permissions of what has a name; of a link, its own.

        Raises:
            OSError: There is nothing of the name.
        """
        where, options = self._at(name)
        with self._named(name):
            return os.stat(where, follow_symlinks=False, **options).st_mode  # noqa: PTH116

    def check_replaceable(self, name: str) -> None:
        """Refuse to replace what is no file, such as a device.

        Raises:
            CopyFailed: There is such a thing.
            OSError: It cannot be told what is there.
        """
        with suppress(FileNotFoundError):
            _check_replaceable(self.path / name, self.mode(name))

    def create(self, name: str, mode: int) -> BinaryIO:
        """Make a file, with what the umask permits of its mode.

        Raises:
            OSError: It cannot be made; or it exists.
        """
        where, options = self._at(name)
        with self._named(name):
            return os.fdopen(os.open(where, _NEW_FILE, mode, **options), "wb")

    def rename(self, old: str, new: str) -> None:
        """Give something another name, in the place of what has that.

        Raises:
            CopyFailed: A device, a FIFO or a socket has the name.
            OSError: It cannot be done; IsADirectoryError: a folder has the name.
        """
        self.check_replaceable(new)
        source, here = self._at(old)
        target, _ = self._at(new)
        fds = {f"{side}_dir_fd": fd for fd in here.values() for side in ("src", "dst")}
        with self._named(new):
            os.replace(source, target, **fds)  # noqa: PTH105

    def remove(self, name: str) -> None:
        """Remove a file or link, if it is there."""
        where, options = self._at(name)
        with suppress(OSError):
            os.unlink(where, **options)

    def link(self, name: str, other: Folder, old: str) -> None:
        """Make a hard link to a file of another folder.

        Raises:
            OSError: It cannot be made.
        """
        source, there = other._at(old)
        target, here = self._at(name)
        fds = {f"src_{key}": fd for key, fd in there.items()}
        fds |= {f"dst_{key}": fd for key, fd in here.items()}
        follow = {"follow_symlinks": False} if os.link in os.supports_follow_symlinks else {}
        with self._named(name):
            os.link(source, target, **fds, **follow)

    def symlink(self, name: str, target: str) -> None:
        """Make a symbolic link.

        Raises:
            OSError: It cannot be made.
        """
        where, options = self._at(name)
        with self._named(name):
            os.symlink(target, where, **options)  # noqa: PTH211

    def set_time(self, name: str, mtime: float) -> None:
        """Set when a file or folder was changed, if this machine knows such times."""
        where, options = self._at(name)
        if os.utime in os.supports_follow_symlinks:
            options["follow_symlinks"] = False
        if math.isfinite(mtime):
            with suppress(OverflowError, ValueError, OSError):
                os.utime(where, (mtime, mtime), **options)


def _check_replaceable(path: Path, mode: int) -> None:
    if kind := _SPECIAL.get(stat.S_IFMT(mode)):
        raise CopyFailed(f"{str(path)!r} on this machine is {kind}, which no copy replaces")


def _no_folder(path: Path) -> CopyFailed:
    return CopyFailed(f"{str(path)!r} on this machine is not a directory; choose another target")
