"""Reads tar archives piece by piece, without I/O. They may come from an enemy.

`tarfile` reads the blocks of headers; what they say is checked here. It cannot be used whole: it
asks for data where ours is handed in, and takes as much memory as a header tells it to.
Formats: ustar, GNU (long names, large numbers) and pax.
"""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from ..errors import CopyFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ArchiveReader", "Entry"]

_BLOCK: Final = tarfile.BLOCKSIZE
_MOST_HEADER: Final = 1 << 20
_MOST_NAME: Final = 1 << 16  # more than any system takes for the name of a file
_USUAL_HEADER: Final = 1 << 10
_MOST_DIGITS: Final = 20
_LONG_NAME: Final = tarfile.GNUTYPE_LONGNAME
_LONG_TARGET: Final = tarfile.GNUTYPE_LONGLINK
_PAX: Final = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
_PAX_OF_ALL: Final = tarfile.XGLTYPE
_EXTENDED: Final = (_LONG_NAME, _LONG_TARGET, _PAX_OF_ALL, *_PAX)
_KEPT: Final = frozenset({"path", "linkpath", "size", "mtime"})
_SPARSE_KEY: Final = "GNU.sparse"
_SPARSE = "sparse files cannot be copied; have tar write them whole"

Kind = Literal["file", "directory", "symlink", "hard link", "device", "FIFO", "other"]

_KINDS: Final[dict[bytes, Kind]] = {
    tarfile.REGTYPE: "file",
    tarfile.AREGTYPE: "file",
    tarfile.CONTTYPE: "file",
    tarfile.DIRTYPE: "directory",
    tarfile.SYMTYPE: "symlink",
    tarfile.LNKTYPE: "hard link",
    tarfile.CHRTYPE: "device",
    tarfile.BLKTYPE: "device",
    tarfile.FIFOTYPE: "FIFO",
}


class Entry(NamedTuple):
    """What an archive says of a file. Names are as `os.fsdecode` makes them."""

    name: str
    kind: Kind
    size: int
    """How many bytes follow."""
    mode: int
    mtime: float
    target: str
    """Where a link leads."""
    extra: int = 0
    """How many bytes its headers take beyond what files with long names have."""


class ArchiveReader:
    """Reads one archive.

    Attributes:
        is_over: Whether its end was read. What follows is ignored.
    """

    def __init__(self) -> None:
        self.is_over = False
        self._block = bytearray()
        self._left = 0
        self._padding = 0
        self._extension = b""
        self._extended = bytearray()
        self._extended_size = 0
        self._overrides: dict[str, str] = {}

    @property
    def extra(self) -> int:
        """How many bytes the headers of the next file have taken, beyond those of long names."""
        return max(0, self._extended_size - _USUAL_HEADER)

    @property
    def is_between(self) -> bool:
        """Whether no entry has begun and not ended."""
        return not (self._left or self._block or self._extension or self._overrides)

    def feed(self, data: bytes) -> Iterator[Entry | memoryview]:
        """Take bytes of the archive; gives its entries, each followed by the bytes of the file.

        Raises:
            CopyFailed: It is no tar archive, or one with more than files can have.
        """
        view = memoryview(data)
        while view and not self.is_over:
            if self._left:
                piece, view = view[: self._left], view[self._left :]
                self._left -= len(piece)
                if not self._extension:
                    yield piece
                else:
                    self._extended += piece
            elif self._padding:
                skipped = min(len(view), self._padding)
                self._padding -= skipped
                view = view[skipped:]
            else:
                missing = _BLOCK - len(self._block)
                self._block += view[:missing]
                view = view[missing:]
                if len(self._block) == _BLOCK:
                    yield from self._begin()

    def _begin(self) -> Iterator[Entry]:
        """Read a block that is not data of a file."""
        if self._extension:
            self._finish_extension()
        block = bytes(self._block)
        self._block.clear()
        try:
            header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            self.is_over = True
            return
        except (tarfile.HeaderError, ValueError) as error:
            raise CopyFailed(f"not a tar archive: {error}") from None
        if header.type == tarfile.GNUTYPE_SPARSE:
            raise CopyFailed(f"{header.name!r}: {_SPARSE}")
        if header.type in _EXTENDED:
            self._begin_extension(header)
        else:
            yield self._entry(header)

    def _begin_extension(self, header: tarfile.TarInfo) -> None:
        """Expect a header about the next file, of which there may be several."""
        if not 0 <= header.size <= _MOST_HEADER:
            raise CopyFailed(f"a header of {header.size} bytes")
        self._extended_size += _BLOCK + header.size
        self._extension = header.type
        self._expect(header.size)

    def _finish_extension(self) -> None:
        kind, data = self._extension, bytes(self._extended)
        self._extension = b""
        self._extended.clear()
        if kind in _PAX:
            self._overrides |= _pax_records(data)
        elif kind != _PAX_OF_ALL:
            key = "path" if kind == _LONG_NAME else "linkpath"
            self._overrides[key] = data.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")

    def _entry(self, header: tarfile.TarInfo) -> Entry:
        overrides, self._overrides = self._overrides, {}
        extra, self._extended_size = self.extra, 0
        if _SPARSE_KEY in overrides:
            raise CopyFailed(f"{header.name!r}: {_SPARSE}")
        kind = _KINDS.get(header.type, "other")
        size = _whole(overrides["size"]) if "size" in overrides else header.size
        if size < 0:
            raise CopyFailed(f"{header.name!r}: a file of {size} bytes")
        name = overrides.get("path", header.name)
        target = overrides.get("linkpath", header.linkname)
        if max(len(name), len(target)) > _MOST_NAME:
            raise CopyFailed(f"a name of {max(len(name), len(target))} characters")
        has_data = kind in {"file", "other"}
        self._expect(size if has_data else 0)
        return Entry(
            name=name,
            kind=kind,
            size=size if has_data else 0,
            mode=header.mode,
            mtime=_seconds(overrides["mtime"]) if "mtime" in overrides else float(header.mtime),
            target=target,
            extra=extra,
        )

    def _expect(self, size: int) -> None:
        self._left = size
        self._padding = -size % _BLOCK


def _pax_records(data: bytes) -> dict[str, str]:
    """Read records such as `12 path=abc`; the number is the length of the whole record.

    Records that nobody uses are left out.

    Raises:
        CopyFailed: They are no such records.
    """
    records: dict[str, str] = {}
    at = 0
    while at < len(data):
        digits = data[at : at + _MOST_DIGITS].split(b" ", 1)[0]
        end = at + (int(digits) if digits.isdigit() else 0)
        key, equals, value = data[at + len(digits) + 1 : end - 1].partition(b"=")
        if end <= at or not equals or data[end - 1 : end] != b"\n":
            raise CopyFailed("a pax header that cannot be read")
        name = key.decode("utf-8", "replace")
        if name in _KEPT:
            records[name] = value.decode("utf-8", "surrogateescape")
        elif name.startswith(_SPARSE_KEY):
            records[_SPARSE_KEY] = ""
        at = end
    return records


def _whole(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS:
        return int(text)
    raise CopyFailed(f"a pax header with size={text[:100]!r}")


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise CopyFailed(f"a pax header with mtime={text[:100]!r}") from None
