"""Local folders that stay open to prevent races.

After a path was checked, another program can replace a folder of the path by a link. An open folder
always stays the same folder, and names are resolved relative to the folder.
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

# O_PATH opens folders without read permission. Only some systems have it.
_FOLDER_FLAGS: Final = sum(
    getattr(os, name, 0) for name in ("O_PATH", "O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC")
)
# Windows has no descriptors of folders, so a folder is checked each time it is entered.
_HAS_DESCRIPTORS: Final = os.open in os.supports_dir_fd


class OpenFolder:
    """An open local folder. As a context manager, it closes itself.

    Args:
        path: The path for messages.
        descriptor: The result of `open_folder`.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    def close(self) -> None:
        """Close the descriptor."""
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

    def _location(self, name: str) -> tuple[str, dict[str, Any]]:
        """Return the path and the options that name an entry of this folder in calls of `os`."""
        if _HAS_DESCRIPTORS:
            return name, {"dir_fd": self._descriptor}
        return str(self.path / name), {}

    def _duplicate(self) -> int:
        """Return a second descriptor of this folder."""
        return os.dup(self._descriptor) if _HAS_DESCRIPTORS else -1

    def _enter(self, name: str) -> int:
        """Open a folder in this folder.

        Raises:
            NotADirectoryError: The entry is something other than a folder, such as a link.
            OSError: The folder cannot be opened.
        """
        location, options = self._location(name)
        if _HAS_DESCRIPTORS:
            return os.open(location, _FOLDER_FLAGS, **options)
        if not stat.S_ISDIR(os.lstat(location).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        return -1

    @contextmanager
    def _with_path(self, name: str) -> Generator[None]:
        """Add the full path to errors."""
        try:
            yield
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path / name)) from None


def open_folder(path: str) -> int:
    """Open a folder, and return its descriptor; -1 on Windows.

    Raises:
        OSError: The folder cannot be opened.
    """
    return os.open(path, _FOLDER_FLAGS) if _HAS_DESCRIPTORS else -1
