"""The values of ConfigMaps and Secrets: read from files, folders and env files.

Messages name keys and places, never values: these may be secret.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from .._models.arguments import type_of
from ..errors import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

# apimachinery: ConfigMap and Secret validation, MaxSecretSize.
_MAX_BYTES: Final = 1 << 20
_MAX_KEY_LENGTH: Final = 253
_is_key: Final = re.compile(r"[-._a-zA-Z0-9]+").fullmatch
# kubectl checks this older rule of names of environment variables.
_is_variable: Final = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*").fullmatch
_BOM: Final = "\ufeff"
# What unicode.IsSpace of Go accepts: `str.lstrip()` strips more.
_SPACE: Final = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)


class Entries:
    """Values by key, checked as they are added.

    Attributes:
        found: The values.
    """

    def __init__(self, call: str, kind: str) -> None:
        self.call = call
        self._kind = kind
        self._size = 0
        self.found: dict[str, bytes] = {}

    def add_value(self, key: object, value: object) -> None:
        """Add text or bytes.

        Raises:
            TypeError: The key is not a text, or the value is neither text nor bytes.
            ValueError: The key is not valid or occurs twice, or the values are too large.
        """
        if not isinstance(key, str):
            raise TypeError(f"{self.call}: a key is a text, not {type_of(key)}")
        if isinstance(value, str):
            self.add(key, _encoded(self.call, key, value))
        elif isinstance(value, bytes):
            self.add(key, value)
        else:
            message = f"the value of {_shown(key)} must be text or bytes, not {type_of(value)}"
            raise TypeError(f"{self.call}: {message}")

    def add(self, key: str, value: bytes, origin: str = "") -> None:
        """Add a value. `origin` says where the key comes from, for messages.

        Raises:
            ValueError: The key is not valid or occurs twice, or the values are too large.
        """
        where = f"{self.call}: {origin}: " if origin else f"{self.call}: "
        problem = _key_problem(key)
        if problem:
            raise ValueError(f"{where}{_shown(key)} is not a valid key: {problem}")
        if key in self.found:
            raise ValueError(f"{where}the key {_shown(key)} occurs twice")
        self._size += len(value)
        if self._size > _MAX_BYTES:
            raise ValueError(
                f"{where}the values are larger than 1 MiB, which is the limit of a {self._kind}"
            )
        self.found[key] = value


def file_entries(entries: Entries, files: object) -> None:
    """Add the contents of files and folders.

    Raises:
        OSError: A file cannot be read.
        TypeError: An argument is not a path.
        ValueError: A key or a file is not valid.
    """
    if isinstance(files, Mapping):
        for key, path in cast("Mapping[object, object]", files).items():
            entries.add_value(key, _read_file(entries.call, _path(entries.call, path)))
        return
    for path in _paths(entries.call, "files", files):
        for each in _files_of(path):
            entries.add(each.name, _read_file(entries.call, each), one_line(str(each)))


def env_file_entries(entries: Entries, env_files: object) -> None:
    """Add the variables of env files.

    Raises:
        OSError: A file cannot be read.
        TypeError: An argument is not a path.
        ValueError: A file has an invalid line, or a key occurs twice.
    """
    for path in _paths(entries.call, "env_files", env_files):
        lines = _read_file(entries.call, path).split(b"\n")
        for number, line in enumerate(lines, 1):
            origin = f"{one_line(str(path))}:{number}"
            variable = _variable(entries.call, line.removesuffix(b"\r"), number, origin)
            if variable is not None:
                key, value = variable
                entries.add(key, value.encode("utf-8", "surrogateescape"), origin)


def content_of(call: str, source: object) -> bytes:
    """Return bytes as they are, or the contents of a file.

    Raises:
        OSError: The file cannot be read.
        TypeError: The source is neither bytes nor a path.
        ValueError: The file is not a regular file, or is larger than 1 MiB.
    """
    if isinstance(source, bytes):
        return source
    return _read_file(call, _path(call, source))


def _variable(call: str, line: bytes, number: int, origin: str) -> tuple[str, str] | None:
    """Return the name and value of a line; None if the line is blank or a comment."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise ValueError(f"{call}: {origin}: the line is not UTF-8") from None
    if number == 1:
        text = text.removeprefix(_BOM)
    text = text.lstrip(_SPACE)
    if not text or text.startswith("#"):
        return None
    name, equals, value = text.partition("=")
    if not _is_variable(name) or name.startswith("..") or name == ".":
        # The name is not shown: the line may be a secret that lost its name.
        raise ValueError(
            f"{call}: {origin}: a line is NAME=VALUE; a name consists of letters, digits,"
            " '-', '_' and '.', and begins with no digit"
        )
    return name, value if equals else os.environ.get(name, "")


def _paths(call: str, what: str, given: object) -> Iterator[Path]:
    if isinstance(given, str | os.PathLike):
        yield _path(call, cast("object", given))
        return
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise TypeError(f"{call}: {what} takes a path or paths, not {type_of(given)}")
    for each in cast("Iterable[object]", given):
        yield _path(call, each)


def _path(call: str, given: object) -> Path:
    if isinstance(given, str | os.PathLike):
        return Path(cast("str", given))
    raise TypeError(f"{call} takes the path of a file, not {type_of(given)}")


def _files_of(path: Path) -> list[Path]:
    """Return the regular files of a folder, by name; or the path itself."""
    if not path.is_dir():
        return [path]
    with os.scandir(path) as found:
        names = sorted(each.name for each in found if each.is_file(follow_symlinks=False))
    return [path / name for name in names]


def _read_file(call: str, path: Path) -> bytes:
    # Without O_NONBLOCK, opening a FIFO would wait for a writer.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError(f"{call}: {one_line(str(path))} is not a regular file")
        content = file.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise ValueError(f"{call}: {one_line(str(path))} is larger than 1 MiB")
    return content


def _encoded(call: str, key: str, value: str) -> bytes:
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{call}: the value of {_shown(key)} is not valid Unicode") from None


def _key_problem(key: str) -> str:
    if not _is_key(key):
        return "a key consists of letters, digits, '-', '_' and '.'"
    if len(key) > _MAX_KEY_LENGTH:
        return f"it has more than {_MAX_KEY_LENGTH} characters"
    if key == "." or key.startswith(".."):
        return "it is '.' or starts with '..'"
    return ""


def _shown(key: str) -> str:
    return ascii(key[: _MAX_KEY_LENGTH + 1])
