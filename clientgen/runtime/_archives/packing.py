"""Makes tar archives of files of this machine, piece by piece."""

from __future__ import annotations

import logging
import os
import stat
import tarfile
from typing import TYPE_CHECKING, BinaryIO, Final

from .._models.copy_result import CopyResult
from ..errors import CopyFailed
from .source_folder import SourceFolder, changed_meanwhile

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
            CopyFailed: Something became shorter or something else meanwhile, or there is more than
                the limit.
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
        with SourceFolder.opened(self._source.parent) as top:
            name = _name_of(self._source)
            is_folder = yield from self._entry(top, name, self._root)
            todo: list[tuple[str, ...]] = [(name,)] if is_folder else []
            while todo:
                parts = todo.pop()
                # From the first again: holding those above open takes a descriptor for each.
                with top.below(parts) as folder:
                    root = "/".join((self._root, *parts[1:]))
                    inner = yield from self._folder(folder, root, is_first=len(parts) == 1)
                todo.extend((*parts, name) for name in reversed(inner))

    def _folder(
        self, folder: SourceFolder, root: str, *, is_first: bool
    ) -> Generator[bytes, None, list[str]]:
        """Archive a folder, and what is in it; gives the names of folders in it, which are left."""
        names = folder.names()
        # A target that exists may be a link, which an entry of its own would replace.
        if not is_first or not names:
            header = _header(root, folder.status("."))
            header.type = tarfile.DIRTYPE
            yield _block(header)
        inner: list[str] = []
        for name in names:
            is_folder = yield from self._entry(folder, name, f"{root}/{name}")
            if is_folder:
                inner.append(name)
        return inner

    def _entry(self, folder: SourceFolder, name: str, root: str) -> Generator[bytes, None, bool]:
        """Archive one thing, but no folder; tells whether it is one."""
        path = folder.path / name
        found = folder.status(name)
        if stat.S_ISDIR(found.st_mode):
            return True
        if stat.S_ISREG(found.st_mode):
            with folder.file(name) as file:
                yield from self._file(file, path, root)
        elif stat.S_ISLNK(found.st_mode):
            header = _header(root, found)
            header.type = tarfile.SYMTYPE
            header.linkname = folder.link(name)
            yield _block(header)
        else:
            logger.warning("%r was not copied: it is no file", str(path))
            if len(self._skipped) < _MOST_TOLD:
                self._skipped.append(str(path))
        return False

    def _file(self, file: BinaryIO, path: Path, root: str) -> Iterator[bytes]:
        found = os.fstat(file.fileno())
        header = _header(root, found)
        header.size = self._checked_size(found, path)
        yield _block(header)
        yield from self._contents(file, path, header.size)
        yield bytes(-header.size % tarfile.BLOCKSIZE)

    def _checked_size(self, found: os.stat_result, path: Path) -> int:
        """Return the size of an open file."""
        if not stat.S_ISREG(found.st_mode):
            raise changed_meanwhile(path)
        if self._limit is not None and self._size + found.st_size > self._limit:
            raise CopyFailed(f"there is more to copy than limit={self._limit} bytes")
        return found.st_size

    def _contents(self, file: BinaryIO, path: Path, left: int) -> Iterator[bytes]:
        """Read an open file."""
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
            CopyFailed: It became shorter or something else meanwhile, or is larger than the limit.
            OSError: It cannot be read.
        """
        with (
            SourceFolder.opened(self._source.parent) as above,
            above.file(_name_of(self._source)) as file,
        ):
            size = self._checked_size(os.fstat(file.fileno()), self._source)
            yield from self._contents(file, self._source, size)


def _name_of(path: Path) -> str:
    return path.name or "."  # of the first folder of all


def _header(root: str, found: os.stat_result) -> tarfile.TarInfo:
    header = tarfile.TarInfo(root)
    header.mtime = int(found.st_mtime)
    header.mode = found.st_mode & _PERMISSIONS
    return header


def _block(header: tarfile.TarInfo) -> bytes:
    return header.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")
