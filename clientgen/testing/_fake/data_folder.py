"""A folder that keeps what a server was told, beyond the end of its process.

The file `objects` has a line for each write, in order: a checksum, and JSON. A write is in the file
before it is answered, so a killed process loses nothing that was answered. The file is written anew
at the start, and when most of its lines are outdated: then it has one line for each object.

The file has the contents of Secrets, and the key of the tokens of service accounts. Only its owner
can read it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from msgspec import UNSET, DecodeError, Raw, Struct, UnsetType, ValidationError, json

from clientgen._apimachinery.failures import unclassified

from .._apiserver.storage.store import Record, key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from .._apiserver.server import ApiServer
    from .._apiserver.storage.store import Store

_FORMAT: Final = "clientgen serve 1"
_OBJECTS: Final = "objects"
_LOCK: Final = "lock"
_CHECKSUM_DIGITS: Final = 8
_MIN_OUTDATED_BYTES: Final = 64 << 20
"""How many bytes of outdated lines the file may have before it is written anew."""
_CHUNK_BYTES: Final = 1 << 20
_MAX_LINE_BYTES: Final = 16 << 20
"""More than the line of the largest object has."""
_FOREIGN: Final = "it is no file of `clientgen serve`"


class _Head(Struct):
    """The first line."""

    format: str
    key: bytes
    """The key of the tokens of service accounts."""
    version: int
    removed: list[str] = []
    """The uids of removed objects to which objects still refer."""


class _Line(Struct, omit_defaults=True):
    """A write: an object as it was stored, or the removal of an object."""

    collection: str
    key: str
    version: int
    form: str = ""
    object: Raw | UnsetType = UNSET
    uid: str = ""
    """The uid of a removed object."""


class Damage(Struct, frozen=True):
    """A line that cannot be read."""

    number: int
    reason: str


class DataError(Exception):
    """The folder cannot be used."""

    def __init__(self, path: Path, reason: str, hint: str = "") -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason
        self.hint = hint


class _Content:
    """What a file says.

    Attributes:
        head: The first line; None if the file is new.
        records: The objects by collection and key.
        version: The version of the last write.
        removed: The uids of removed objects.
        damages: The lines that cannot be read.
    """

    def __init__(self, damages: Iterable[Damage] = ()) -> None:
        self.head: _Head | None = None
        self.records: dict[str, dict[str, Record]] = {}
        self.version = 0
        self.removed: dict[str, None] = {}
        self.damages = [*damages]

    @property
    def count(self) -> int:
        """The number of objects."""
        return sum(map(len, self.records.values()))

    def read(self, path: Path) -> None:
        """Read a file.

        A line without an end was being written when the process was killed. It was not answered.

        Raises:
            DataError: The file is not one of a server, or of a later version of clientgen.
        """
        with path.open("rb") as file:
            lines = iter(lambda: file.readline(_MAX_LINE_BYTES), b"")
            for number, line in enumerate(lines, 1):
                if len(line) == _MAX_LINE_BYTES:
                    raise DataError(path, f"line {number} is too long")
                if not line.endswith(b"\n"):
                    break
                try:
                    self._add(number, _checked(line))
                except (DecodeError, ValidationError, ValueError, KeyError, TypeError) as error:
                    if number == 1:
                        raise DataError(path, _FOREIGN) from error
                    self.damages.append(Damage(number, str(error)))
        if self.head is None:
            raise DataError(path, _FOREIGN)
        if self.head.format != _FORMAT:
            raise DataError(path, f"its format is {self.head.format!r}, not {_FORMAT!r}")

    def _add(self, number: int, text: bytes) -> None:
        if number == 1:
            self.head = json.decode(text, type=_Head)
            self.version = self.head.version
            self.removed = dict.fromkeys(self.head.removed)
            return
        line = json.decode(text, type=_Line)
        self.version = max(self.version, line.version)
        records = self.records.setdefault(line.collection, {})
        if isinstance(line.object, UnsetType):
            records.pop(line.key, None)
            self.removed[line.uid] = None
        else:
            records[line.key] = _record(line, line.object)


def _checked(line: bytes) -> bytes:
    """Return the JSON of a line.

    Raises:
        ValueError: The checksum is another one.
    """
    checksum, text = line[:_CHECKSUM_DIGITS], line[_CHECKSUM_DIGITS + 1 : -1]
    if checksum != b"%08x" % crc32(text):
        raise ValueError("its checksum is wrong")
    return text


def _line(content: Struct) -> bytes:
    text = json.encode(content)
    return b"%08x %b\n" % (crc32(text), text)


def _record(line: _Line, data: Raw) -> Record:
    value: dict[str, Any] = json.decode(data)
    metadata = value["metadata"]
    if key_of(metadata.get("namespace", ""), metadata["name"]) != line.key:
        raise ValueError("the object has another name than the line")
    # The shapes of custom resources are numbered anew by each process.
    name, separator, _ = line.form.partition("#")
    return Record(line.key, value, line.version, f"{name}#0" if separator else name)


class DataFolder:
    """The folder of one server.

    Args:
        path: The folder; it is made if it does not exist.
        skip_damaged: Whether to leave out lines that cannot be read. The damaged file is kept
            beside the new one.

    Raises:
        DataError: Another server uses the folder, the folder has other files, or a line of the file
            cannot be read.
        OSError: The folder cannot be read or written.
    """

    def __init__(self, path: Path, *, skip_damaged: bool = False) -> None:
        self.path = path
        self._file = path / _OBJECTS
        self._content = _Content()
        self._out = -1
        self._size = 0
        self._live = 0
        self._server: ApiServer | None = None
        self._is_broken = False
        self.is_new = False
        """Whether the folder had no objects."""
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._check_own()
        self._locked = _lock(path / _LOCK)
        try:
            self._read(skip_damaged=skip_damaged)
        except BaseException:
            self.close()
            raise

    @property
    def damages(self) -> list[Damage]:
        """The lines that were left out."""
        return self._content.damages

    @property
    def kept(self) -> Path:
        """Where a damaged file is kept."""
        return self.path / f"{_OBJECTS}.damaged"

    def _check_own(self) -> None:
        others = [each.name for each in self.path.iterdir() if not each.name.startswith(_OBJECTS)]
        if not self._file.exists() and set(others) - {_LOCK}:
            raise DataError(
                self.path,
                f"the folder has other files, such as {min(others)}",
                "Name a folder that is empty or does not exist.",
            )

    def _read(self, *, skip_damaged: bool) -> None:
        self.is_new = not self._file.exists()
        if self.is_new:
            return
        self._content.read(self._file)
        damages = self._content.damages
        if not damages:
            return
        if not skip_damaged:
            first = damages[0]
            more = f", and {len(damages) - 1} more" if len(damages) > 1 else ""
            raise DataError(
                self._file,
                f"line {first.number} cannot be read: {first.reason}{more}",
                f"{self._content.count} objects can be read. --skip-invalid begins with them, and"
                f" keeps the damaged file as {self.kept.name}.",
            )
        self.kept.unlink(missing_ok=True)
        self.kept.hardlink_to(self._file)  # `rewrite` replaces the file

    # ---- at the start -------------------------------------------------------------------------

    def attach(self, server: ApiServer) -> None:
        """Give a new server the objects of the folder, and keep what it is told from now on.

        Raises:
            OSError: The folder cannot be written.
        """
        content, store = self._content, server.cluster.store
        if content.head is not None:
            server.cluster.tokens.secret = content.head.key
            for name, records in content.records.items():
                collection = store.collection(name)
                collection.restore({**collection.records, **records})
            store.stored = sum(len(each.data) for each in _records(store))
            store.version = content.version
            store.compact()
            server.garbage.note_removed(content.removed)
        self._server = server
        self.rewrite()
        store.journal = self
        if content.head is not None:
            for collection in store.collections():
                collection.announce()
            server.run_due()
        self._content = _Content(self._content.damages)  # the records are in the store

    # ---- while the server runs ----------------------------------------------------------------

    def put(self, collection: str, record: Record) -> None:
        """Keep an object that is about to be stored.

        Raises:
            Failure: 500, it cannot be written; then it must not be stored.
        """
        line = _Line(collection, record.key, record.version, record.form, Raw(record.data))
        self._append(_line(line))

    def remove(self, collection: str, record: Record, version: int) -> None:
        """Keep that an object is about to be removed.

        Raises:
            Failure: 500, that cannot be written; then it must not be removed.
        """
        self._append(_line(_Line(collection, record.key, version, uid=record.uid)))

    def _append(self, line: bytes) -> None:
        if self._is_broken:
            raise unclassified("the data folder cannot be written any more")
        try:
            _write(self._out, line)
        except OSError as error:
            self._cut()
            raise unclassified(f"the data folder cannot be written: {error.strerror}") from None
        self._size += len(line)

    def _cut(self) -> None:
        """Remove a part of a line, so that the next line can be read."""
        try:
            os.ftruncate(self._out, self._size)
        except OSError:
            self._is_broken = True

    @property
    def is_outdated(self) -> bool:
        """Whether most of the file is outdated."""
        return self._size > 2 * self._live + _MIN_OUTDATED_BYTES

    def sync(self) -> None:
        """Have the operating system write what it holds back, in case that the machine fails."""
        if self._out >= 0:
            os.fsync(self._out)

    def rewrite(self) -> None:
        """Write the file anew, with one line for each object. Call it with the server's lock.

        Raises:
            OSError: The file cannot be written.
        """
        assert self._server is not None
        new = self._file.with_name(f"{_OBJECTS}.new")
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
        out = os.open(new, flags, 0o600)
        try:
            size = _write_all(out, self._lines(self._server))
            os.fsync(out)
            new.replace(self._file)
        except BaseException:
            os.close(out)
            raise
        if self._out >= 0:
            os.close(self._out)
        self._out, self._size, self._live = out, size, size
        self._is_broken = False

    def _lines(self, server: ApiServer) -> Iterator[bytes]:
        store, key = server.cluster.store, server.cluster.tokens.secret
        owners = {uid for record in _records(store) for uid in record.owners}
        removed = server.garbage.removed.union(self._content.removed) & owners
        yield _line(_Head(_FORMAT, key, store.version, sorted(removed)))
        for collection in store.collections():
            for record in collection.now():
                line = _Line(collection.name, record.key, record.version, record.form)
                line.object = Raw(record.data)
                yield _line(line)

    def close(self) -> None:
        """Let another server use the folder."""
        for number in (self._out, self._locked):
            if number >= 0:
                os.close(number)
        self._out = self._locked = -1


def _records(store: Store) -> Iterator[Record]:
    for collection in store.collections():
        yield from collection.records.values()


def _write_all(out: int, lines: Iterator[bytes]) -> int:
    """Write lines. Returns their size."""
    size = 0
    held = bytearray()
    for line in lines:
        held += line
        size += len(line)
        if len(held) > _CHUNK_BYTES:
            _write(out, bytes(held))
            held.clear()
    _write(out, bytes(held))
    return size


def _write(out: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(out, left) :]


def _lock(path: Path) -> int:
    """Lock a file until the process ends. Returns its descriptor.

    Raises:
        DataError: Another process has locked it, or the system cannot lock files.
    """
    try:
        import fcntl
    except ImportError:
        raise DataError(path.parent, "this system cannot lock files") from None
    number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(number)
        raise DataError(
            path.parent, "another server uses the folder", "Stop it, or name another folder."
        ) from None
    return number
