"""Folders of this machine, held open.

A path can lead elsewhere a moment after it was checked: another program may put a link in the place
of a folder. An open folder stays the one that it is, and names in it lead nowhere else.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path
    from types import TracebackType
    from typing import Self

__all__ = ["OpenFolder", "opened"]

# Without O_PATH, which few systems have, the folders above would have to be readable.
_FOLDER: Final = sum(
    getattr(os, name, 0) for name in ("O_PATH", "O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC")
)
# Windows has no such descriptors: there, a folder is checked each time it is entered.
_HAS_DESCRIPTORS: Final = os.open in os.supports_dir_fd


class OpenFolder:
    """A folder of this machine. It is a context manager that closes it.

    Args:
        path: What messages call it.
        descriptor: The open folder, as `opened` gives it.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    def close(self) -> None:
        """Close it."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _at(self, name: str) -> tuple[str, dict[str, Any]]:
        """Return how the system finds a name of this folder."""
        if _HAS_DESCRIPTORS:
            return name, {"dir_fd": self._descriptor}
        return str(self.path / name), {}

    def _again(self) -> int:
        """Return another descriptor of this folder."""
        return os.dup(self._descriptor) if _HAS_DESCRIPTORS else -1

    def _enter(self, name: str) -> int:
        """Open a folder in this one.

        Raises:
            NotADirectoryError: It is something else, such as a link.
            OSError: It cannot be opened.
        """
        where, options = self._at(name)
        if _HAS_DESCRIPTORS:
            return os.open(where, _FOLDER, **options)
        if not stat.S_ISDIR(os.lstat(where).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        return -1

    @contextmanager
    def _named(self, name: str) -> Generator[None]:
        """Have errors tell the whole path."""
        try:
            yield
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path / name)) from None


def opened(path: str) -> int:
    """Open a folder.

    Raises:
        OSError: It cannot be opened.
    """
    return os.open(path, _FOLDER) if _HAS_DESCRIPTORS else -1
