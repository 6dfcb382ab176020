"""Folders of this machine that files are read from, held open."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, Final

from ..errors import CopyFailed
from .open_folder import OpenFolder, opened

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

__all__ = ["SourceFolder", "changed_meanwhile"]

# A FIFO would block who opens it.
_FILE: Final = sum(
    getattr(os, name, 0)
    for name in ("O_RDONLY", "O_BINARY", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC")
)
_LIST: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
# What systems say of a link where no link may be, of a socket that is opened, and of a link to
# read that is none.
_CHANGED: Final = (errno.ELOOP, errno.EMLINK, errno.ENOTDIR, errno.ENXIO, errno.EINVAL)


class SourceFolder(OpenFolder):
    """A folder that files are read from. It is a context manager that closes it.

    Args:
        path: What messages call it.
        descriptor: The open folder.
    """

    @classmethod
    def opened(cls, path: Path) -> SourceFolder:
        """Open a folder.

        Raises:
            OSError: It cannot be opened.
        """
        return cls(path, opened(str(path)))

    def below(self, parts: tuple[str, ...]) -> SourceFolder:
        """Open a folder below this one. Without parts, it is this one.

        Raises:
            CopyFailed: There is something else, such as a link.
            OSError: It cannot be opened.
        """
        folder = SourceFolder(self.path, self._again())
        for part in parts:
            with folder, folder._reading(part):
                folder = SourceFolder(folder.path / part, folder._enter(part))
        return folder

    def names(self) -> list[str]:
        """Return the names in it, sorted.

        Raises:
            OSError: It cannot be read.
        """
        where, options = self._at(".")
        with self._named("."):
            if not options:
                return sorted(os.listdir(where))  # noqa: PTH208 - paths know no descriptors
            # A descriptor of O_PATH cannot be read from.
            descriptor = os.open(where, _LIST, **options)
            try:
                return sorted(os.listdir(descriptor))  # noqa: PTH208
            finally:
                os.close(descriptor)

    def status(self, name: str) -> os.stat_result:
        """Return the kind, time and permissions of what has a name; of a link, its own.

        Raises:
            OSError: There is nothing of the name.
        """
        where, options = self._at(name)
        with self._named(name):
            return os.stat(where, follow_symlinks=False, **options)  # noqa: PTH116

    def link(self, name: str) -> str:
        """Return where a symbolic link leads.

        Raises:
            CopyFailed: It is no link any more.
            OSError: It cannot be read.
        """
        where, options = self._at(name)
        with self._reading(name):
            return os.readlink(where, **options)

    def file(self, name: str) -> BinaryIO:
        """Open what should be a file. It may be something else by now, but no link.

        Raises:
            CopyFailed: It is a link, or a socket.
            OSError: It cannot be opened.
        """
        where, options = self._at(name)
        with self._reading(name):
            return os.fdopen(os.open(where, _FILE, **options), "rb", buffering=0)

    @contextmanager
    def _reading(self, name: str) -> Generator[None]:
        try:
            with self._named(name):
                yield
        except OSError as error:
            if error.errno in _CHANGED or isinstance(error, NotADirectoryError):
                raise changed_meanwhile(self.path / name) from None
            raise


def changed_meanwhile(path: Path) -> CopyFailed:
    """Return the error that says that something took the place of what was read."""
    return CopyFailed(f"{str(path)!r} became something else while it was read")
