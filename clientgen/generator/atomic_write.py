"""Changes files: all of them, or none if anything fails.

Every new file is first written beside the old ones, so a full disk is noticed before anything is
replaced. A replaced or removed file is kept until the end, and put back when a later step fails.
After a crash that no program can catch, every file is whole, old or new, and the manifest lists
both sets, so that the next run finishes the work. The writer holds the lock of the directory
(`directory_lock`).
"""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clientgen.generator.directory_lock import exclusive
from clientgen.generator.package_manifest import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

# Inside the package: a rename stays on one file system, wherever the package is mounted.
STAGING = ".clientgen-staging"


@dataclass(frozen=True, slots=True)
class Replacement:
    """Files to write, files to remove, and the manifest that holds during the change."""

    new: Mapping[str, bytes]
    stale: tuple[str, ...]
    journal: bytes


def is_interrupted(target: Path) -> bool:
    """Return whether a run that wrote there was killed: what it staged is left."""
    return os.path.lexists(target / STAGING)


def clear_staging(target: Path) -> None:
    """Remove what a run staged.

    Raises:
        OSError: it cannot be removed.
    """
    staging = target / STAGING
    if staging.is_symlink() or staging.is_file():
        staging.unlink()
    elif staging.is_dir():
        shutil.rmtree(staging)


def replace_files(target: Path, replacement: Replacement) -> None:
    """Write and remove.

    Raises:
        OSError: the file system refused; everything is as it was.
    """
    with ExitStack() as undo:
        steps = _Steps(target, undo)
        staged = {path: steps.stage(data) for path, data in replacement.new.items()}
        # It comes last, and says that everything is there and nothing else.
        manifest = staged.pop(MANIFEST, None)
        if manifest:
            steps.swap(steps.stage(replacement.journal), target / MANIFEST)
        for path, new in staged.items():
            steps.make_directory((target / path).parent)
            steps.swap(new, target / path)
        for path in replacement.stale:
            steps.take_away(target / path)
        if manifest:
            steps.swap(manifest, target / MANIFEST)
        undo.pop_all()
    # The staging folder is removed last: while it exists, the run counts as interrupted.
    _remove_traces(target, replacement.stale)
    shutil.rmtree(target / STAGING, ignore_errors=True)


class _Steps:
    """The steps of a change. Each records how it is undone."""

    def __init__(self, target: Path, undo: ExitStack) -> None:
        self._undo = undo
        self._staging = target / STAGING
        self._count = 0
        self.make_directory(target)
        clear_staging(target)  # what an interrupted run left
        self._staging.mkdir()
        undo.callback(shutil.rmtree, self._staging, ignore_errors=True)

    def stage(self, data: bytes) -> Path:
        path = self._next()
        path.write_bytes(data)
        return path

    def make_directory(self, directory: Path) -> None:
        if directory.is_dir():
            return
        self.make_directory(directory.parent)
        directory.mkdir()
        self._on_failure(directory.rmdir)

    def swap(self, staged: Path, path: Path) -> None:
        if path.exists():
            backup = self._keep(path)
            self._on_failure(lambda: backup.replace(path))
        else:
            self._on_failure(path.unlink)
        staged.replace(path)

    def take_away(self, path: Path) -> None:
        backup = self._next()
        path.replace(backup)
        self._on_failure(lambda: backup.replace(path))

    def _keep(self, path: Path) -> Path:
        backup = self._next()
        try:
            backup.hardlink_to(path)
        except OSError:  # not every file system has links
            shutil.copy2(path, backup)
        return backup

    def _next(self) -> Path:
        self._count += 1
        return self._staging / f"{self._count}"

    def _on_failure(self, step: Callable[[], object]) -> None:
        def undo() -> None:
            with suppress(OSError):
                step()

        self._undo.callback(undo)


def _remove_traces(target: Path, removed: tuple[str, ...]) -> None:
    """Remove the compiled files of removed modules, and directories that hold nothing else."""
    for path in removed:
        place = target / path
        for compiled in (place.parent / "__pycache__").glob(f"{place.stem}.*.pyc"):
            with suppress(OSError):
                compiled.unlink()
        _remove_empty(place.parent, target)


def _remove_empty(directory: Path, target: Path) -> None:
    # A directory that is not empty stays, and so do those above it.
    with suppress(OSError):
        while directory != target:
            with suppress(OSError):
                (directory / "__pycache__").rmdir()
            directory.rmdir()
            directory = directory.parent


def remove_empty_folders(target: Path) -> None:
    """Remove the folders inside that hold nothing: a killed run may have made or emptied them."""
    for folder, _, _ in os.walk(target, topdown=False):
        _remove_empty(target / folder, target)


def replace_file(path: Path, data: bytes) -> None:
    """Write one file, as a whole or not at all. A link stays; its target is replaced.

    Raises:
        ClientgenError: another clientgen keeps the folder for too long.
        OSError: the file system refused; the file is as it was.
    """
    place = path.resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    # One name: what a killed run left is overwritten.
    fresh = place.with_name(f".{place.name}.clientgen-new")
    with exclusive(place.parent):
        try:
            fresh.write_bytes(data)
            fresh.replace(place)
        finally:
            fresh.unlink(missing_ok=True)
