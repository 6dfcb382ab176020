"""Reads tar archives piece by piece, without I/O. Archives may be malicious.

`tarfile` parses the header blocks, and this module checks their values. The rest of `tarfile`
cannot be used: it pulls data from a file, and allocates as much memory as a header demands.
Formats: ustar, GNU (long names, large numbers) and pax.
"""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from ..errors import CopyFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLOCK_BYTES: Final = tarfile.BLOCKSIZE
_MAX_HEADER_BYTES: Final = 1 << 20
_MAX_NAME_CHARACTERS: Final = 1 << 16  # longer than the file names of any system
_FREE_HEADER_BYTES: Final = 1 << 10
_MAX_DIGITS: Final = 20
_LONG_NAME: Final = tarfile.GNUTYPE_LONGNAME
_LONG_TARGET: Final = tarfile.GNUTYPE_LONGLINK
_PAX: Final = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
_PAX_GLOBAL: Final = tarfile.XGLTYPE
_EXTENSION_TYPES: Final = (_LONG_NAME, _LONG_TARGET, _PAX_GLOBAL, *_PAX)
_USED_RECORDS: Final = frozenset({"path", "linkpath", "size", "mtime"})
_SPARSE_KEY: Final = "GNU.sparse"
_SPARSE_MESSAGE = "sparse files cannot be copied; run tar without --sparse"

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
    """The header of a file in an archive. Names are decoded as `os.fsdecode` does."""

    name: str
    kind: Kind
    size: int
    """The number of bytes that follow."""
    mode: int
    mtime: float
    target: str
    """The target of a link."""
    extra: int = 0
    """The bytes of the extension headers beyond the size of a long name."""


class ArchiveReader:
    """Reads one archive.

    Attributes:
        is_over: Whether the end of the archive was read. Later bytes are ignored.
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
        """The bytes of the next file's extension headers beyond the size of a long name."""
        return max(0, self._extended_size - _FREE_HEADER_BYTES)

    @property
    def is_between(self) -> bool:
        """Whether the reader is between two entries, so that no entry is incomplete."""
        return not (self._left or self._block or self._extension or self._overrides)

    def feed(self, data: bytes) -> Iterator[Entry | memoryview]:
        """Read bytes of the archive. Yields each entry, followed by the bytes of its file.

        Raises:
            CopyFailed: The data is not a tar archive, or a header exceeds the limits.
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
                missing = _BLOCK_BYTES - len(self._block)
                self._block += view[:missing]
                view = view[missing:]
                if len(self._block) == _BLOCK_BYTES:
                    yield from self._read_block()

    def _read_block(self) -> Iterator[Entry]:
        """Read a header block."""
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
            raise CopyFailed(f"the data is not a tar archive: {error}") from None
        if header.type == tarfile.GNUTYPE_SPARSE:
            raise CopyFailed(f"{header.name!r}: {_SPARSE_MESSAGE}")
        if header.type in _EXTENSION_TYPES:
            self._begin_extension(header)
        else:
            yield self._make_entry(header)

    def _begin_extension(self, header: tarfile.TarInfo) -> None:
        """Start an extension header of the next file; a file may have several."""
        if not 0 <= header.size <= _MAX_HEADER_BYTES:
            raise CopyFailed(f"a header of {header.size} bytes is too large")
        self._extended_size += _BLOCK_BYTES + header.size
        self._extension = header.type
        self._expect_data(header.size)

    def _finish_extension(self) -> None:
        kind, data = self._extension, bytes(self._extended)
        self._extension = b""
        self._extended.clear()
        if kind in _PAX:
            self._overrides |= _pax_records(data)
        elif kind != _PAX_GLOBAL:
            key = "path" if kind == _LONG_NAME else "linkpath"
            self._overrides[key] = data.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")

    def _make_entry(self, header: tarfile.TarInfo) -> Entry:
        overrides, self._overrides = self._overrides, {}
        extra, self._extended_size = self.extra, 0
        if _SPARSE_KEY in overrides:
            raise CopyFailed(f"{header.name!r}: {_SPARSE_MESSAGE}")
        kind = _KINDS.get(header.type, "other")
        size = _parse_size(overrides["size"]) if "size" in overrides else header.size
        if size < 0:
            raise CopyFailed(f"{header.name!r}: the size of {size} bytes is negative")
        name = overrides.get("path", header.name)
        target = overrides.get("linkpath", header.linkname)
        if max(len(name), len(target)) > _MAX_NAME_CHARACTERS:
            raise CopyFailed(f"a name of {max(len(name), len(target))} characters is too long")
        has_data = kind in {"file", "other"}
        self._expect_data(size if has_data else 0)
        return Entry(
            name=name,
            kind=kind,
            size=size if has_data else 0,
            mode=header.mode,
            mtime=_parse_mtime(overrides["mtime"]) if "mtime" in overrides else float(header.mtime),
            target=target,
            extra=extra,
        )

    def _expect_data(self, size: int) -> None:
        self._left = size
        self._padding = -size % _BLOCK_BYTES


def _pax_records(data: bytes) -> dict[str, str]:
    """Read records such as `12 path=abc`; the number is the length of the whole record.

    Unused records are left out.

    Raises:
        CopyFailed: A record is malformed.
    """
    records: dict[str, str] = {}
    offset = 0
    while offset < len(data):
        digits = data[offset : offset + _MAX_DIGITS].split(b" ", 1)[0]
        end = offset + (int(digits) if digits.isdigit() else 0)
        key, equals, value = data[offset + len(digits) + 1 : end - 1].partition(b"=")
        if end <= offset or not equals or data[end - 1 : end] != b"\n":
            raise CopyFailed("a pax header is malformed")
        name = key.decode("utf-8", "replace")
        if name in _USED_RECORDS:
            records[name] = value.decode("utf-8", "surrogateescape")
        elif name.startswith(_SPARSE_KEY):
            records[_SPARSE_KEY] = ""
        offset = end
    return records


def _parse_size(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS:
        return int(text)
    raise CopyFailed(f"a pax header has the size {text[:100]!r}, which is not a number")


def _parse_mtime(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise CopyFailed(f"a pax header has the mtime {text[:100]!r}, not a number") from None
