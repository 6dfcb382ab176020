"""The manifests as files of one folder: what differs, and writing them.

A file is ours if its first line says so. A file that is not ours is never changed and never
removed; where one is in the way nothing is written. Either everything is replaced or nothing is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from clientgen._json import is_object
from clientgen._problems import ClientgenError, Problem, Problems
from clientgen._yaml.dumper import write_yaml
from clientgen._yaml.loader import BadText, load_yaml
from clientgen.generator.atomic_write import (
    STAGING,
    Replacement,
    clear_staging,
    is_interrupted,
    replace_files,
)
from clientgen.generator.crds.crd_changes import Change, changes
from clientgen.generator.crds.crd_manifest import Manifest
from clientgen.generator.crds.rule_places import PlacedRule
from clientgen.generator.directory_lock import exclusive, shared
from clientgen.generator.header_file import with_header
from clientgen.generator.output import Changed, Changes, Differences
from clientgen.generator.package_manifest import has_header, header, made_from
from clientgen.generator.sources.crd.crd_shape import shaped


def text_of(manifest: Manifest, below: str = "") -> str:
    """The file of a manifest, with a header below its first line."""
    first = header(", ".join(manifest.modules))
    return with_header(f"{first}\n{write_yaml(manifest.definition)}", below)


class Folder:
    """A folder of manifests, and what is to be in it.

    Attributes:
        path: the folder.
        wanted: the files that are to be there, by name.
        on_disk: what is there of them.
        stale: our files of kinds that are not there any more.
        rules: the rules of the modules, with their places.
        too_large: files that `kubectl apply` takes with `--server-side` only.
    """

    def __init__(
        self,
        path: Path,
        manifests: Iterable[Manifest],
        modules: frozenset[str] | None = None,
        below: str = "",
        *,
        rules: tuple[PlacedRule, ...] = (),
    ) -> None:
        """Look at what is there.

        Args:
            path: the folder; it need not be there.
            manifests: what is to be in it.
            modules: if not everything was read, the modules that were: files that were made of
                others are left alone.
            below: the header of every file, as comments, below its first line.
            rules: the rules of the modules.

        Raises:
            ClientgenError: a file that is not ours is in the way, or something cannot be read.
        """
        self.path = path
        self.rules = rules
        self._modules = modules
        made = tuple(manifests)
        self.wanted = {manifest.file: text_of(manifest, below).encode() for manifest in made}
        self.too_large = tuple(
            manifest.file for manifest in made if manifest.is_too_large_for_kubectl
        )
        with shared(self.path):
            self._look()

    def _look(self) -> None:
        problems = Problems()
        self.on_disk = {file: self._read(file, problems) for file in sorted(self.wanted)}
        self.stale = tuple(self._stale(self._modules, problems))
        self._interrupted = is_interrupted(self.path)
        problems.raise_if_any()

    def _read(self, file: str, problems: Problems) -> bytes | None:
        place = self.path / file
        try:
            data = place.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            problems.add(str(place), f"it cannot be read: {error.strerror}", "nothing was changed")
            return None
        if place.is_symlink() or not has_header(data):
            what = "a file that clientgen did not write is in the way"
            hint = "move it, or write into another folder; nothing was changed"
            problems.add(str(place), what, hint)
        return data

    def _stale(self, modules: frozenset[str] | None, problems: Problems) -> Iterable[str]:
        """Our files of kinds that are not there any more."""
        if self.path.exists() and not self.path.is_dir():
            problems.add(str(self.path), "it is not a folder", "nothing was changed")
            return
        for place in sorted(self.path.glob("*.yaml")):
            if place.name in self.wanted or place.is_symlink() or not place.is_file():
                continue
            source = made_from(place.read_bytes())
            if source and (modules is None or modules.issuperset(source.split(", "))):
                yield place.name

    @property
    def differences(self) -> Differences:
        """The differences between the folder and its wanted contents."""
        pairs = [(file, data, self.wanted[file]) for file, data in self.on_disk.items()]
        return Differences(
            changed=tuple(
                Changed(file, data.decode(errors="replace"), wanted.decode())
                for file, data, wanted in pairs
                if data is not None and data != wanted
            ),
            missing=tuple(file for file, data, _ in pairs if data is None),
            stale=(*self.stale, *([f"{STAGING}/"] if self._interrupted else [])),
        )

    def changes(self) -> dict[str, tuple[Change, ...]]:
        """List the changes for clients by the name of the definition, without unchanged ones."""
        changes_by_name: dict[str, tuple[Change, ...]] = {}
        for file, data in self.on_disk.items():
            old = _definition(data)
            if old is not None and data != self.wanted[file]:
                new = _definition(self.wanted[file]) or {}
                changes_by_name[_name(new, file)] = changes(old, new)
        for file in self.stale:
            old = _definition((self.path / file).read_bytes()) or {}
            changes_by_name[_name(old, file)] = (
                Change("the definition", "is gone", breaking=True),
            )
        return {name: changes for name, changes in sorted(changes_by_name.items()) if changes}

    def write(self) -> Changes:
        """Make the folder what it is to be.

        Raises:
            ClientgenError: something is in the way or cannot be written, or another run keeps the
                folder for too long; everything is as it was.
        """
        with exclusive(self.path):
            self._look()  # others may have written since
            try:
                return self._write()
            except OSError as error:
                where = str(error.filename or self.path)
                what = f"it cannot be written: {error.strerror or type(error).__name__}"
                raise ClientgenError([Problem(where, what, "nothing was changed")]) from error

    def _write(self) -> Changes:
        differences = self.differences
        new = sorted([*differences.missing, *(change.path for change in differences.changed)])
        if new or self.stale:
            files = {file: self.wanted[file] for file in new}
            replace_files(self.path, Replacement(files, self.stale, b""))
        if self._interrupted:
            clear_staging(self.path)
        return Changes(tuple(new), self.stale, len(self.wanted) - len(new), self._interrupted)


def _definition(data: bytes | None) -> Mapping[str, Any] | None:
    """Return the definition in a file, or None if the file is absent or holds something else."""
    try:
        value: Any = load_yaml(data)[0] if data is not None else None
    except BadText:
        return None
    problems = Problems()
    definition = shaped(value, "", problems) if is_object(value) else None
    return None if problems else definition


def _name(definition: Mapping[str, Any], file: str) -> str:
    return str(definition.get("metadata", {}).get("name", file))
