"""The last stage: writes the files, or lists how they differ from those on the disk.

Only this module changes files. A file is ours if its first line says so, or, for files that can
have none (py.typed), the manifest. A file that is not ours is never changed and never removed;
where one is in the way, nothing is written. Either everything is replaced or nothing is.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from clientgen._problems import ClientgenError, Problem
from clientgen.generator.atomic_write import (
    STAGING,
    Replacement,
    clear_staging,
    is_interrupted,
    remove_empty_folders,
    replace_files,
)
from clientgen.generator.directory_lock import exclusive, shared
from clientgen.generator.disk_state import DiskState, foreign, read_disk_state
from clientgen.generator.package_manifest import MANIFEST, Manifest, digest, is_inside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of a run: sorted paths relative to the package, and the count of kept files."""

    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: int = 0
    recovered: bool = False
    """A run before was killed while it wrote, and what it left is cleaned up."""

    def __bool__(self) -> bool:
        return bool(self.written or self.removed)

    def and_distribution(self, path: str, *, written: bool) -> Changes:
        """With a file beside the package that was written or removed."""
        if written:
            return replace(self, written=(*self.written, path))
        return replace(self, removed=(*self.removed, path))


@dataclass(frozen=True, slots=True)
class Changed:
    """A file whose contents are not what the generator writes."""

    path: str
    on_disk: str = field(repr=False)
    wanted: str = field(repr=False)

    def diff(self) -> Iterator[str]:
        """The lines of a unified diff that leads from the disk to what is wanted."""
        before, after = self.on_disk.splitlines(), self.wanted.splitlines()
        names = (f"{self.path} (on disk)", f"{self.path} (generated)")
        return difflib.unified_diff(before, after, *names, lineterm="")


@dataclass(frozen=True, slots=True)
class Differences:
    """The differences between a package on the disk and the generator's output; false if none."""

    changed: tuple[Changed, ...] = ()
    missing: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    api: tuple[str, ...] = ()
    """The changes for users of the package, a line each."""
    compared: bool = True
    """Whether the package has a manifest, so that `api` could be found out."""

    def __bool__(self) -> bool:
        return bool(self.changed or self.missing or self.stale)

    def and_distribution(self, path: str, on_disk: str | None, wanted: str | None) -> Differences:
        """With a file beside the package that differs: None for one that is or should not be."""
        if wanted is None:
            return replace(self, stale=(*self.stale, path))
        if on_disk is None:
            return replace(self, missing=(*self.missing, path))
        return replace(self, changed=(*self.changed, Changed(path, on_disk, wanted)))


def write(tree: Mapping[str, str], target: Path, manifest: Manifest) -> Changes:
    """Make the package at `target` these files, and the manifest that covers them.

    Raises:
        ClientgenError: something is in the way or cannot be written, or another run keeps the
            package for too long; everything is as it was.
    """
    with exclusive(target):
        try:
            return _write(_with_manifest(tree, manifest), target, manifest.covering(tree))
        except OSError as error:
            raise _refused(error, target, "it cannot be written") from error


def _write(wanted: Mapping[str, bytes], target: Path, manifest: Manifest) -> Changes:
    state = read_disk_state(wanted, target)
    foreign_files = tuple(foreign(state, wanted, target))
    if foreign_files:
        raise ClientgenError(foreign_files)
    recovered = is_interrupted(target)
    differing = sorted({*state.missing, *state.changed})
    if differing or state.stale:
        journal = _journal(state.manifest, manifest)
        new = {path: wanted[path] for path in differing}
        replace_files(target, Replacement(new, state.stale, journal))
    if recovered:
        remove_empty_folders(target)
        clear_staging(target)
    return Changes(tuple(differing), state.stale, len(wanted) - len(differing), recovered)


def _journal(old: Manifest | None, new: Manifest) -> bytes:
    """The manifest during a change: it lists old and new files, and fits no input."""
    files = {**(old.files if old else {}), **new.files}
    return replace(new, inputs={}, rendered={}, files=files).text().encode()


def verify(tree: Mapping[str, str], target: Path, manifest: Manifest) -> Differences:
    """Compare the package at `target` with these files and the manifest that covers them.

    Raises:
        ClientgenError: something cannot be read.
    """
    wanted = _with_manifest(tree, manifest)
    try:
        state, leftovers = _compared(wanted, target)
    except OSError as error:
        raise _refused(error, target, "it cannot be read") from error
    changed = (
        Changed(path, data.decode(errors="replace"), wanted[path].decode())
        for path, data in state.changed.items()
    )
    stale = sorted({*state.stale, *state.strays, *leftovers})
    return Differences(tuple(changed), state.missing, tuple(stale))


def _compared(wanted: Mapping[str, bytes], target: Path) -> tuple[DiskState, tuple[str, ...]]:
    """Compare the package while nobody writes it; also return the folder of a killed run."""
    while True:
        existed = target.is_dir()
        with shared(target):
            state = read_disk_state(wanted, target)
            leftovers = (f"{STAGING}/",) if is_interrupted(target) else ()
        # A folder that was not there could not be locked against writers.
        if existed or not target.is_dir():
            return state, leftovers


def read_manifest(target: Path) -> Manifest | None:
    """The manifest of a package, if there is one that can be read."""
    try:
        return Manifest.parse((target / MANIFEST).read_bytes())
    except OSError:
        return None


def unchanged(manifest: Manifest, target: Path) -> bool:
    """Return whether the inputs are the same and nobody has changed a file since."""
    recorded = read_manifest(target)
    if not recorded or not recorded.files or is_interrupted(target):
        return False
    same = (recorded.version, recorded.inputs) == (manifest.version, dict(manifest.inputs))
    return same and all(_is_as_recorded(target / path, sha) for path, sha in recorded.files.items())


def formatted_before(target: Path, rendered: Mapping[str, str]) -> dict[str, str]:
    """Return the formatted texts of files that are rendered to the same text as before.

    Args:
        target: The package.
        rendered: The digest of each file's text before formatting; what decides its formatting, as
            the formatter's version, must be part of the digest.
    """
    manifest = read_manifest(target)
    texts: dict[str, str] = {}
    for path in rendered if manifest else ():
        assert manifest is not None
        if manifest.rendered.get(path) == rendered[path] and path in manifest.files:
            data = _read_or_none(target / path)
            if data is not None and digest(data) == manifest.files[path]:
                texts[path] = data.decode()
    return texts


def _is_as_recorded(path: Path, sha: str) -> bool:
    data = _read_or_none(path)
    return data is not None and digest(data) == sha


def text_of(target: Path, path: str) -> str:
    """Return the text of a file of a package; empty if it cannot be read."""
    return (_read_or_none(target / path) or b"").decode(errors="replace")


def _read_or_none(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _with_manifest(tree: Mapping[str, str], manifest: Manifest) -> dict[str, bytes]:
    assert all(is_inside(path) for path in tree), "the plan names paths inside the package"
    texts = {**tree, MANIFEST: manifest.covering(tree).text()}
    return {path: text.encode() for path, text in texts.items()}


def _refused(error: OSError, target: Path, what: str) -> ClientgenError:
    where = str(error.filename or target)
    why = error.strerror or type(error).__name__
    return ClientgenError([Problem(where, f"{what}: {why}", "nothing was changed")])
