"""Compares the files on the disk with those that are wanted. Changes nothing."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from clientgen._problems import Problem, Problems
from clientgen.generator.package_manifest import MANIFEST, Manifest, digest, has_header

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


@dataclass(frozen=True, slots=True)
class DiskState:
    """The differences of a package on the disk; all paths are relative to it and sorted."""

    # The manifest that is there, if it can be read.
    manifest: Manifest | None
    missing: tuple[str, ...]
    # The contents on the disk.
    changed: Mapping[str, bytes]
    # Ours, and no longer wanted.
    stale: tuple[str, ...]
    # They carry our first line, but the manifest does not know them.
    strays: tuple[str, ...]


def read_disk_state(wanted: Mapping[str, bytes], target: Path) -> DiskState:
    """Compare what is wanted with what is there.

    Raises:
        ClientgenError: something is there that is neither a plain file nor a plain directory.
        OSError: the file system refused.
    """
    problems = Problems()
    disk = _Disk(target, problems)
    contents = {path: disk.read(path) for path in sorted(wanted)}
    problems.raise_if_any()
    changed = {p: data for p, data in contents.items() if data is not None and data != wanted[p]}
    old = contents.get(MANIFEST)
    manifest = None if old is None else Manifest.parse(old)
    marked = sorted(_marked(target).difference(wanted))
    recorded = marked if manifest is None else [path for path in marked if path in manifest.files]
    bare = _untouched_bare_files(target, manifest, {*wanted, *marked}) if manifest else ()
    return DiskState(
        manifest=manifest,
        missing=tuple(path for path, data in contents.items() if data is None),
        changed=changed,
        stale=tuple(sorted([*recorded, *bare])),
        strays=tuple(path for path in marked if path not in recorded),
    )


def foreign(state: DiskState, wanted: Mapping[str, bytes], target: Path) -> Iterator[Problem]:
    """Yield files in the way that are not ours, and those with our header that are not listed."""
    listed = frozenset(state.manifest.files if state.manifest else ())
    for path, data in state.changed.items():
        bare = not has_header(wanted[path])
        is_ours = has_header(data) or (path == MANIFEST and Manifest.is_one(data))
        if not is_ours and not (bare and path in listed):
            what = "a file that clientgen did not write is in the way"
            hint = "move it, or generate into another directory; nothing was changed"
            yield Problem(str(target / path), what, hint)
    for path in state.strays:
        what = f"its first line says that clientgen wrote it, but {MANIFEST} does not list it"
        hint = "remove the file, or its first line if you maintain it; nothing was changed"
        yield Problem(str(target / path), what, hint)


class _Disk:
    """Reads files below one directory; whatever is not plain is a problem."""

    def __init__(self, target: Path, problems: Problems) -> None:
        self._target = target
        self._problems = problems
        self._directories: dict[str, bool] = {"": self._has_target()}

    def read(self, path: str) -> bytes | None:
        """The contents of a file; None if there is none or there was a problem."""
        if not self._has_directory(str(PurePosixPath(path).parent)):
            return None
        place = self._target / path
        mode = _mode(place)
        if mode is None:
            return None
        if stat.S_ISREG(mode):
            return place.read_bytes()
        self._complain(place, f"there is {_called(mode)} where a file has to be")
        return None

    def _has_target(self) -> bool:
        """The directory of the package itself may be a link to a directory."""
        try:
            mode = self._target.stat().st_mode
        except FileNotFoundError:
            if self._target.is_symlink():
                self._complain(self._target, "it is a symbolic link that leads nowhere")
            return False
        if not stat.S_ISDIR(mode):
            self._complain(self._target, f"it is {_called(mode)}, not a directory")
        return stat.S_ISDIR(mode)

    def _has_directory(self, path: str) -> bool:
        path = "" if path == "." else path
        if path not in self._directories:
            self._directories[path] = self._look_for_directory(path)
        return self._directories[path]

    def _look_for_directory(self, path: str) -> bool:
        if not self._has_directory(str(PurePosixPath(path).parent)):
            return False
        mode = _mode(self._target / path)
        if mode is not None and not stat.S_ISDIR(mode):
            what = f"there is {_called(mode)} where a directory is needed"
            self._complain(self._target / path, what)
        return mode is not None and stat.S_ISDIR(mode)

    def _complain(self, place: Path, what: str) -> None:
        hint = "move it, or generate into another directory; nothing was changed"
        self._problems.add(str(place), what, hint)


def _mode(place: Path) -> int | None:
    try:
        return place.lstat().st_mode
    except FileNotFoundError:
        return None


def _called(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    if stat.S_ISDIR(mode):
        return "a directory"
    return "a file" if stat.S_ISREG(mode) else "a device, a pipe or a socket"


def _marked(target: Path) -> set[str]:
    """Every module of the package that carries our first line; other packages inside are not it."""
    return {path.relative_to(target).as_posix() for path in _modules(target) if _is_marked(path)}


def _modules(directory: Path) -> Iterator[Path]:
    if not directory.is_dir():
        return
    with os.scandir(directory) as entries:
        for entry in entries:
            path = Path(entry.path)
            if entry.is_file(follow_symlinks=False) and path.suffix in {".py", ".pyi"}:
                yield path
            elif entry.is_dir(follow_symlinks=False) and _is_part(path):
                yield from _modules(path)


def _is_part(directory: Path) -> bool:
    return (
        directory.name != "__pycache__"
        and not directory.name.startswith(".")
        and not (directory / MANIFEST).exists()
    )


def _is_marked(path: Path) -> bool:
    with path.open("rb") as file:
        return has_header(file.readline(1000))


def _untouched_bare_files(
    target: Path, manifest: Manifest, other_paths: Iterable[str]
) -> Iterator[str]:
    """Files of the manifest that can carry no first line and are as we left them."""
    disk = _Disk(target, Problems())
    for path in set(manifest.files).difference(other_paths):
        data = disk.read(path)
        if data is not None and digest(data) == manifest.files[path]:
            yield path
