"""Makes tar archives of files of this machine, piece by piece."""

from __future__ import annotations

import logging
import os
import stat
import tarfile
from typing import TYPE_CHECKING, Any, Final

from .._models.copy_result import CopyResult
from ..errors import CopyFailed

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

__all__ = ["Packer", "PlainPacker"]

logger = logging.getLogger("clientgen.runtime.copy")

_PIECE: Final = 1 << 18
_PERMISSIONS: Final = 0o777
_MOST_TOLD: Final = 1000


class Packer:
    """Makes an archive of a file, or of a directory with all that is in it.

    Its format is GNU's, which every `tar` reads. Links in a directory are archived as links;
    devices, sockets and FIFOs are skipped. Owners are not kept.

    Args:
        source: What to archive; no link.
        root: Its name in the archive.
        limit: The most bytes of files; None for no limit.
    """

    must_end = False
    """Whether who reads it has to see its end."""

    def __init__(self, source: Path, root: str, limit: int | None = None) -> None:
        self._source = source
        self._root = root
        self._limit = limit
        self._files = self._size = 0
        self._skipped: list[str] = []

    @property
    def size(self) -> int:
        """How many bytes of files were archived."""
        return self._size

    def result(self) -> CopyResult:
        """Return what was archived."""
        return CopyResult(files=self._files, size=self._size, skipped=tuple(self._skipped))

    def pieces(self) -> Generator[bytes]:
        """Read the files, and give the archive in pieces of about 256 KiB.

        Raises:
            CopyFailed: A file became shorter meanwhile, or there is more than the limit.
            OSError: A file cannot be read.
        """
        waiting: list[bytes] = []
        size = total = 0
        for part in self._parts():
            waiting.append(part)
            size += len(part)
            if size >= _PIECE:
                yield b"".join(waiting)
                total += size
                waiting, size = [], 0
        waiting.append(bytes(2 * tarfile.BLOCKSIZE))
        total += size + 2 * tarfile.BLOCKSIZE
        # `tar` reads whole records, also where it is not told that its input ends.
        waiting.append(bytes(-total % tarfile.RECORDSIZE))
        yield b"".join(waiting)

    def _parts(self) -> Iterator[bytes]:
        todo: list[tuple[Path, str]] = [(self._source, self._root)]
        while todo:
            path, name = todo.pop()
            found = path.lstat()
            header = tarfile.TarInfo(name)
            header.mtime = int(found.st_mtime)
            header.mode = found.st_mode & _PERMISSIONS
            if stat.S_ISREG(found.st_mode):
                yield from self._file(path, header)
            elif stat.S_ISDIR(found.st_mode):
                names = sorted((each.name for each in path.iterdir()), reverse=True)
                # A target that exists may be a link, which an entry of its own would replace.
                if path != self._source or not names:
                    header.type = tarfile.DIRTYPE
                    yield _block(header)
                todo.extend((path / each, f"{name}/{each}") for each in names)
            elif stat.S_ISLNK(found.st_mode):
                header.type = tarfile.SYMTYPE
                header.linkname = os.readlink(path)  # noqa: PTH115 - a `Path` is tidied up
                yield _block(header)
            else:
                logger.warning("%r was not copied: it is no file", str(path))
                if len(self._skipped) < _MOST_TOLD:
                    self._skipped.append(str(path))

    def _file(self, path: Path, header: tarfile.TarInfo) -> Iterator[bytes]:
        contents = self._contents(path)
        header.size = next(contents)
        yield _block(header)
        yield from contents
        yield bytes(-header.size % tarfile.BLOCKSIZE)

    def _contents(self, path: Path) -> Iterator[Any]:
        """Read a file; gives its size, and then its bytes."""
        flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(path, flags), "rb", buffering=0) as file:
            left = os.fstat(file.fileno()).st_size
            if self._limit is not None and self._size + left > self._limit:
                raise CopyFailed(f"there is more to copy than limit={self._limit} bytes")
            yield left
            while left:
                data = file.read(min(left, _PIECE))
                if not data:
                    raise CopyFailed(f"{str(path)!r} became shorter while it was read")
                left -= len(data)
                self._size += len(data)
                yield data
        self._files += 1


class PlainPacker(Packer):
    """Gives the contents of one file."""

    must_end = True

    @property
    def permissions(self) -> str:
        """The permissions of the file, as `chmod` takes them."""
        return f"{self._source.stat().st_mode & _PERMISSIONS:o}"

    def pieces(self) -> Generator[bytes]:
        """Read the file in pieces.

        Raises:
            CopyFailed: It became shorter meanwhile, or is larger than the limit.
            OSError: It cannot be read.
        """
        contents = self._contents(self._source)
        next(contents)
        yield from contents


def _block(header: tarfile.TarInfo) -> bytes:
    return header.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")
