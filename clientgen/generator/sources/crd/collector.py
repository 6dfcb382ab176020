"""Finds the files to read: those that are named, and those in folders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from clientgen._problems import Problems
from clientgen.generator.sources.files import links_to_nowhere
from clientgen.generator.sources.spec import Input

_ENDINGS = frozenset({".yaml", ".yml", ".json"})
# A file without this word holds no definition, and is not parsed.
_MARK = b"CustomResourceDefinition"
# The bundles of projects with a thousand definitions stay below.
_MAX_FILE_BYTES = 64 * 2**20
NOTHING = (
    "holds no CustomResourceDefinition",
    "Leave it out, or name the file that has them.",
)
_HINT = "Name files with CustomResourceDefinitions, or folders of them."


@dataclass(frozen=True, slots=True)
class Manifest(Input):
    """A file that may hold CustomResourceDefinitions; one that was `named` has to."""

    named: bool = False


def gather(paths: Iterable[Path], root: Path) -> tuple[Manifest, ...]:
    """Read manifests.

    Args:
        paths: files; folders stand for every .yaml, .yml and .json file below them that has a
            CustomResourceDefinition in it.
        root: the folder that the names of inputs are relative to.

    Returns:
        The files in order of their names, each once.

    Raises:
        ClientgenError: with every path that cannot be read or holds nothing to be read.
    """
    problems = Problems()
    manifests: dict[Path, Manifest] = {}
    for path in paths:
        for manifest, file in _below(path, root, problems):
            first = manifests.setdefault(file.resolve(), manifest)
            if manifest.named and not first.named:
                manifests[file.resolve()] = manifest
    problems.raise_if_any()
    return tuple(sorted(manifests.values(), key=lambda manifest: manifest.name))


def _below(path: Path, root: Path, problems: Problems) -> Iterator[tuple[Manifest, Path]]:
    if not path.is_dir():
        data = _read(path, problems)
        if data is not None and _MARK not in data:
            problems.add(str(path), *NOTHING)
        elif data is not None:
            yield Manifest(_name(path, path, root), str(path), data, named=True), path
        return
    every = sorted(path.rglob("*"))
    links_to_nowhere(every, {*_ENDINGS, ""}, problems)
    files = [file for file in every if file.suffix in _ENDINGS and file.is_file()]
    if not files:
        problems.add(str(path), "is a folder without .yaml, .yml or .json files", _HINT)
        return
    empty = True
    for file in files:
        data = _read(file, problems)
        empty = empty and data is not None
        if data is not None and _MARK in data:
            empty = False
            yield Manifest(_name(file, path, root), str(file), data), file
    if empty:
        files_there = f"{len(files)} file{'s' if len(files) > 1 else ''}"
        what = f"is a folder without a CustomResourceDefinition in its {files_there}"
        problems.add(str(path), what, _HINT)


def _name(file: Path, argument: Path, root: Path) -> str:
    """The path from the root, or from what was given if that is elsewhere on this machine."""
    relative = Path(os.path.relpath(file, root))
    if relative.parts[0] == os.pardir and argument.is_absolute():
        relative = Path(argument.name) / file.relative_to(argument)
    return relative.as_posix()


def _read(path: Path, problems: Problems) -> bytes | None:
    try:
        size = path.stat().st_size
        if size > _MAX_FILE_BYTES:
            what = f"has {size / 2**20:.0f} MiB; at most {_MAX_FILE_BYTES >> 20} are read"
            problems.add(str(path), what, "Split it, or leave it out.")
            return None
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        problems.add(str(path), f"cannot be read: {reason}", _HINT)
        return None
