"""Local folders that copies read from. They stay open to prevent races."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, Final

from ..errors import CopyFailed
from .open_folder import OpenFolder, open_folder

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

# With O_NONBLOCK, opening a FIFO does not wait for its writer.
_FILE_FLAGS: Final = sum(
    getattr(os, name, 0)
    for name in ("O_RDONLY", "O_BINARY", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC")
)
_LIST_FLAGS: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
# The errors of opening a link with O_NOFOLLOW, of opening a socket, and of reading a link that was
# replaced by something else.
_REPLACED_ERRORS: Final = (errno.ELOOP, errno.EMLINK, errno.ENOTDIR, errno.ENXIO, errno.EINVAL)


class SourceFolder(OpenFolder):
    """An open folder to read from. As a context manager, it closes itself.

    Args:
        path: The path for messages.
        descriptor: The open file descriptor.
    """

    @classmethod
    def open_path(cls, path: Path) -> SourceFolder:
        """Open a folder.

        Raises:
            OSError: The folder cannot be opened.
        """
        return cls(path, open_folder(str(path)))

    def below(self, parts: tuple[str, ...]) -> SourceFolder:
        """Open a folder below this folder; without parts, this folder again.

        Raises:
            CopyFailed: A part of the path is not a folder any more.
            OSError: A folder cannot be opened.
        """
        folder = SourceFolder(self.path, self._duplicate())
        for part in parts:
            with folder, folder._reading(part):
                folder = SourceFolder(folder.path / part, folder._enter(part))
        return folder

    def names(self) -> list[str]:
        """Return the names of the entries, sorted.

        Raises:
            OSError: The folder cannot be read.
        """
        location, options = self._location(".")
        with self._with_path("."):
            if not options:
                return sorted(os.listdir(location))  # noqa: PTH208 - Path does not take descriptors
            # A descriptor with O_PATH cannot be read.
            descriptor = os.open(location, _LIST_FLAGS, **options)
            try:
                return sorted(os.listdir(descriptor))  # noqa: PTH208
            finally:
                os.close(descriptor)

    def status(self, name: str) -> os.stat_result:
        """Return the status of an entry; links are not followed.

        Raises:
            OSError: The folder has no such entry.
        """
        location, options = self._location(name)
        with self._with_path(name):
            return os.stat(location, follow_symlinks=False, **options)  # noqa: PTH116

    def link(self, name: str) -> str:
        """Return the target of a symbolic link.

        Raises:
            CopyFailed: The entry is not a link any more.
            OSError: The link cannot be read.
        """
        location, options = self._location(name)
        with self._reading(name):
            return os.readlink(location, **options)

    def file(self, name: str) -> BinaryIO:
        """Open a file. Links and sockets are refused; the caller must check for other types.

        Raises:
            CopyFailed: The entry is a link or a socket.
            OSError: The file cannot be opened.
        """
        location, options = self._location(name)
        with self._reading(name):
            return os.fdopen(os.open(location, _FILE_FLAGS, **options), "rb", buffering=0)

    @contextmanager
    def _reading(self, name: str) -> Generator[None]:
        try:
            with self._with_path(name):
                yield
        except OSError as error:
            if error.errno in _REPLACED_ERRORS or isinstance(error, NotADirectoryError):
                raise changed_meanwhile(self.path / name) from None
            raise


def changed_meanwhile(path: Path) -> CopyFailed:
    """Return the error for an entry that was replaced while it was read."""
    return CopyFailed(f"{str(path)!r} was replaced by another file while it was read")
