"""The files of fake containers, and programs that read and write the files: tar, cat and test."""

from __future__ import annotations

import io
import posixpath
import tarfile
from typing import TYPE_CHECKING, Any, Final

from clientgen.runtime._archives.reader import ArchiveReader, Entry
from clientgen.runtime.errors import CopyFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .processes import Process

_MAX_BYTES: Final = 1 << 30
_NOT_FOUND_EXIT_CODE: Final = 127
_USAGE_EXIT_CODE: Final = 2


class ContainerFiles(dict[str, bytes]):
    """The files of a container: contents by absolute path.

    A directory exists if it contains a file.

    `copy_to`, `copy_from` and `kubectl cp` run `tar`, `cat` and `test` in the container; these
    programs read and write the files here.
    """

    def __setitem__(self, path: str, data: bytes) -> None:
        if not isinstance(path, str) or not path.startswith("/"):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"{path!r} is not an absolute path, such as '/etc/hosts'")
        if not isinstance(data, bytes):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"{path}: the contents must be bytes, not {type(data).__name__}")
        super().__setitem__(_normalized(path), data)

    def is_file_command(self, command: Sequence[str]) -> bool:
        """Return whether a command names files. For example, `cat` without a path names no file."""
        match [*command]:
            case ["cat", *words]:
                return any(word != "-" for word in words)
            case ["tar", letters, *_]:
                return not letters.startswith("--") and any(each in letters for each in "cx")
            case ["test", flag, _]:
                return flag.startswith("-") and flag not in {"-n", "-z"}  # these flags test strings
            case _:
                return False

    def run(self, process: Process) -> int:
        """Run `tar`, `cat` or `test`, and return the exit code."""
        name, *words = process.command
        program = _PROGRAMS.get(name)
        if program is None:
            process.stderr.write(f"{name}: not found\n")
            return _NOT_FOUND_EXIT_CODE
        return program(self, process, words)

    def is_folder(self, path: str) -> bool:
        """Return whether a path is a directory: the root, or a path with files below it."""
        return path == "/" or any(each.startswith(f"{path}/") for each in self)

    def below(self, path: str) -> Iterator[str]:
        """Return the path if it is a file, or all files below it, in order."""
        start = "/" if path == "/" else f"{path}/"
        return (each for each in sorted(self) if each == path or each.startswith(start))


def _normalized(path: str, folder: str = "/") -> str:
    return posixpath.normpath(posixpath.join("/", folder, path).replace("//", "/"))


# ---- programs -----------------------------------------------------------------------------------


def _test(files: ContainerFiles, process: Process, words: Sequence[str]) -> int:
    """Run `test` with `-d`, `-e` or `-f`, and a path."""
    if len(words) != 2 or words[0] not in {"-d", "-e", "-f"}:  # noqa: PLR2004 - a flag and a path
        process.stderr.write(f"test: {words}: not supported by the fake container\n")
        return _USAGE_EXIT_CODE
    path = _normalized(words[1])
    is_file, is_folder = path in files, files.is_folder(path)
    found = {"-d": is_folder, "-f": is_file, "-e": is_file or is_folder}
    return 0 if found[words[0]] else 1


def _cat(files: ContainerFiles, process: Process, words: Sequence[str]) -> int:
    """Run `cat PATH...`; without a path, copy stdin."""
    for word in words or ["-"]:
        if word == "-":
            while piece := process.stdin.read1():
                process.stdout.write(piece)
            continue
        data = files.get(_normalized(word))
        if data is None:
            process.stderr.write(f"cat: {word}: No such file or directory\n")
            return 1
        process.stdout.write(data)
    return 0


def _tar(files: ContainerFiles, process: Process, words: Sequence[str]) -> int:
    """Run `tar cf - [-C DIR] PATH...` or `tar xf - [-C DIR]`. Ignores other options except `z`."""
    letters = words[0].lstrip("-") if words else ""
    paths: list[str] = []
    folder = "/"
    rest = iter(words[1:])
    for word in rest:
        if word == "-C":
            folder = _normalized(next(rest, ""), folder)
        elif not word.startswith("-"):
            paths.append(word)
    has_action = any(letter in letters for letter in "cx")
    if not has_action or "f" not in letters or "-" not in words[1:2] or "z" in letters:
        process.stderr.write(f"tar: {words}: not supported by the fake container\n")
        return _USAGE_EXIT_CODE
    if "x" in letters:
        return _extract(files, process, folder)
    return _create(files, process, folder, paths)


_PROGRAMS: Final[dict[str, Callable[[ContainerFiles, Any, Sequence[str]], int]]] = {
    "cat": _cat,
    "tar": _tar,
    "test": _test,
}


def _create(files: ContainerFiles, process: Process, folder: str, paths: Sequence[str]) -> int:
    with tarfile.open(mode="w|", fileobj=_Writer(process)) as archive:
        for path in paths:
            root = _normalized(path, folder)
            found = [*files.below(root)]
            if not found:
                process.stderr.write(f"tar: {path}: Cannot stat: No such file or directory\n")
                return _USAGE_EXIT_CODE
            for each in found:
                # Name members by the path of the command without its leading slash, as tar does.
                name = posixpath.join(path, posixpath.relpath(each, root)) if each != root else path
                header = tarfile.TarInfo(name.lstrip("/"))
                header.size = len(files[each])
                archive.addfile(header, io.BytesIO(files[each]))
    return 0


class _Writer(io.RawIOBase):
    """The stdout of a process, for `tarfile`."""

    def __init__(self, process: Process) -> None:
        self._process = process

    def write(self, data: Any) -> int:
        self._process.stdout.write(bytes(data))
        return len(data)


def _extract(files: ContainerFiles, process: Process, folder: str) -> int:
    reader = ArchiveReader()
    extraction = _Extraction(files, folder)
    try:
        while not reader.is_over and (piece := process.stdin.read1()):
            for item in reader.feed(piece):
                extraction.take(item)
    except CopyFailed as error:
        process.stderr.write(f"tar: {error}\n")
        return _USAGE_EXIT_CODE
    extraction.store()
    return 0


class _Extraction:
    """Stores the files of an archive; links and devices are left out."""

    def __init__(self, files: ContainerFiles, folder: str) -> None:
        self._files = files
        self._folder = folder
        self._entry: Entry | None = None
        self._data = bytearray()
        self._total_bytes = 0

    def take(self, item: Entry | memoryview) -> None:
        """Process the next part of the archive.

        Raises:
            CopyFailed: the files are larger than the fake disk.
        """
        if not isinstance(item, Entry):
            self._data += item
            return
        self.store()
        self._entry = item
        self._total_bytes += item.size
        if self._total_bytes > _MAX_BYTES:
            raise CopyFailed("No space left on device")

    def store(self) -> None:
        """Store the file whose data has been received, if it is complete."""
        entry, data = self._entry, bytes(self._data)
        self._data.clear()
        if entry is not None and entry.kind == "file" and len(data) == entry.size:
            self._files[_normalized(entry.name.lstrip("/"), self._folder)] = data
