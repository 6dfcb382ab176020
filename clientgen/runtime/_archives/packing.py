"""Creates tar archives of local files, piece by piece."""

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

logger = logging.getLogger("clientgen.runtime.copy")

_CHUNK_BYTES: Final = 1 << 18
_PERMISSIONS: Final = 0o777
_MAX_SKIPPED_PATHS: Final = 1000


class Packer:
    """Creates an archive of a file, or of a directory and its contents.

    The format is GNU's, which every `tar` reads. Links in a directory are archived as links;
    devices, sockets and FIFOs are skipped. Owners are not archived.

    Args:
        source: The file or directory; not a link.
        root: The name of the file or directory in the archive.
        limit: The maximum number of bytes of all files; None for no limit.
    """

    needs_end = False
    """Whether the reader needs the end of the stream to know that all data has arrived."""

    def __init__(self, source: Path, root: str, limit: int | None = None) -> None:
        self._source = source
        self._root = root
        self._limit = limit
        self._files = self._size = 0
        self._skipped: list[str] = []

    @property
    def size(self) -> int:
        """The number of bytes of files that were archived so far."""
        return self._size

    def result(self) -> CopyResult:
        """Return the number of files and bytes, and the skipped paths."""
        return CopyResult(files=self._files, size=self._size, skipped=tuple(self._skipped))

    def pieces(self) -> Generator[bytes]:
        """Read the files, and yield the archive in pieces of about 256 KiB.

        Raises:
            CopyFailed: A file was truncated or replaced meanwhile, or the files exceed the limit.
            OSError: A file cannot be read.
        """
        buffered: list[bytes] = []
        size = total = 0
        for part in self._parts():
            buffered.append(part)
            size += len(part)
            if size >= _CHUNK_BYTES:
                yield b"".join(buffered)
                total += size
                buffered, size = [], 0
        buffered.append(bytes(2 * tarfile.BLOCKSIZE))
        total += size + 2 * tarfile.BLOCKSIZE
        # `tar` reads whole records. Without padding, it would wait if its input does not end.
        buffered.append(bytes(-total % tarfile.RECORDSIZE))
        yield b"".join(buffered)

    def _parts(self) -> Iterator[bytes]:
        with SourceFolder.open_path(self._source.parent) as top:
            name = _name_of(self._source)
            is_folder = yield from self._archive_entry(top, name, self._root)
            pending_folders: list[tuple[str, ...]] = [(name,)] if is_folder else []
            while pending_folders:
                parts = pending_folders.pop()
                # Open each folder from the top again, because open parents would need a descriptor
                # each.
                with top.below(parts) as folder:
                    root = "/".join((self._root, *parts[1:]))
                    inner = yield from self._archive_folder(folder, root, is_first=len(parts) == 1)
                pending_folders.extend((*parts, name) for name in reversed(inner))

    def _archive_folder(
        self, folder: SourceFolder, root: str, *, is_first: bool
    ) -> Generator[bytes, None, list[str]]:
        """Archive a folder and its files.

        Returns the names of its folders, which are not archived yet.
        """
        names = folder.names()
        # The target may exist as a link to a directory. An entry for the root would replace it.
        if not is_first or not names:
            header = _header(root, folder.status("."))
            header.type = tarfile.DIRTYPE
            yield _block(header)
        inner: list[str] = []
        for name in names:
            is_folder = yield from self._archive_entry(folder, name, f"{root}/{name}")
            if is_folder:
                inner.append(name)
        return inner

    def _archive_entry(
        self, folder: SourceFolder, name: str, root: str
    ) -> Generator[bytes, None, bool]:
        """Archive a file or link. For a folder, only returns True."""
        path = folder.path / name
        status = folder.status(name)
        if stat.S_ISDIR(status.st_mode):
            return True
        if stat.S_ISREG(status.st_mode):
            with folder.file(name) as file:
                yield from self._archive_file(file, path, root)
        elif stat.S_ISLNK(status.st_mode):
            header = _header(root, status)
            header.type = tarfile.SYMTYPE
            header.linkname = folder.link(name)
            yield _block(header)
        else:
            logger.warning("%r was not copied: it is a device, a socket or a FIFO", str(path))
            if len(self._skipped) < _MAX_SKIPPED_PATHS:
                self._skipped.append(str(path))
        return False

    def _archive_file(self, file: BinaryIO, path: Path, root: str) -> Iterator[bytes]:
        status = os.fstat(file.fileno())
        header = _header(root, status)
        header.size = self._checked_size(status, path)
        yield _block(header)
        yield from self._contents(file, path, header.size)
        yield bytes(-header.size % tarfile.BLOCKSIZE)

    def _checked_size(self, status: os.stat_result, path: Path) -> int:
        """Return the size of an open file, after checking its type and the limit."""
        if not stat.S_ISREG(status.st_mode):
            raise changed_meanwhile(path)
        if self._limit is not None and self._size + status.st_size > self._limit:
            raise CopyFailed(f"the files are larger than limit={self._limit} bytes")
        return status.st_size

    def _contents(self, file: BinaryIO, path: Path, remaining: int) -> Iterator[bytes]:
        """Yield the data of an open file."""
        while remaining:
            data = file.read(min(remaining, _CHUNK_BYTES))
            if not data:
                raise CopyFailed(f"{str(path)!r} was truncated while it was read")
            remaining -= len(data)
            self._size += len(data)
            yield data
        self._files += 1


class PlainPacker(Packer):
    """Yields the contents of one file, for containers without `tar`."""

    needs_end = True

    @property
    def permissions(self) -> str:
        """The permissions of the file, as `chmod` takes them."""
        return f"{self._source.stat().st_mode & _PERMISSIONS:o}"

    def pieces(self) -> Generator[bytes]:
        """Read the file in pieces.

        Raises:
            CopyFailed: The file was truncated or replaced meanwhile, or exceeds the limit.
            OSError: The file cannot be read.
        """
        with (
            SourceFolder.open_path(self._source.parent) as above,
            above.file(_name_of(self._source)) as file,
        ):
            size = self._checked_size(os.fstat(file.fileno()), self._source)
            yield from self._contents(file, self._source, size)


def _name_of(path: Path) -> str:
    return path.name or "."  # the root folder has no name


def _header(root: str, status: os.stat_result) -> tarfile.TarInfo:
    header = tarfile.TarInfo(root)
    header.mtime = int(status.st_mtime)
    header.mode = status.st_mode & _PERMISSIONS
    return header


def _block(header: tarfile.TarInfo) -> bytes:
    return header.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")
