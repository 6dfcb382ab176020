"""Reads kustomizations before kustomize does, to refuse what it would fetch over the network.

What kustomize fetches: api/internal/git/repospec.go and api/internal/loader/fileloader.go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from .manifest_text import ManifestError, decoded, read_regular_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE_NAMES: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
API_GROUP: Final = "kustomize.config.k8s.io"

# Keys are compared as Go's encoding/json compares them: without regard to case.
_ROOTS: Final = ("resources", "bases", "components", "generators", "transformers", "validators")
_PLUGINS: Final = frozenset(_ROOTS[3:])
_FILES: Final = frozenset(
    {"path", "paths", "files", "env", "envs", "crds", "configurations", "patchesstrategicmerge"}
)
_NO_PATHS: Final = frozenset({"commonlabels", "commonannotations", "metadata", "pairs"})
_REPOSITORY: Final = re.compile(
    r"(?i)[a-z][a-z0-9+.-]*://|git::|gh:|github\.com[:/]|[a-z][a-z0-9-]*@"
)
_URL: Final = re.compile(r"(?i)(?:[^=]*=)?\s*https?:")
_SEPARATOR: Final = re.compile(r"^---", re.MULTILINE)

_MAX_FILE_BYTES: Final = 1 << 20
_MAX_DEPTH: Final = 50
_MAX_LOADS: Final = 5_000


def is_kustomization(folder: Path) -> bool:
    """Return whether a folder has a kustomization file."""
    return any((folder / name).exists() for name in FILE_NAMES)


def check_kustomization(folder: Path, *, allow_remote: bool) -> None:
    """Check a kustomization and its bases.

    Raises:
        ManifestError: a file cannot be read; a resource is remote, unless `allow_remote`; or the
            bases are nested too deeply, or are used too often.
    """
    _Check(allow_remote).count(folder, ())


class _Check:
    """Visits each kustomization once."""

    def __init__(self, allow_remote: bool) -> None:
        self._allow_remote = allow_remote
        self._counts: dict[Path, int] = {}
        """The number of kustomizations that kustomize loads for each folder."""

    def count(self, folder: Path, parents: tuple[Path, ...]) -> int:
        """Return the number of kustomizations that kustomize loads for a folder."""
        folder = folder.resolve()
        if folder in parents:  # kustomize refuses cycles
            return 0
        if len(parents) == _MAX_DEPTH:
            raise ManifestError(f"{folder}: bases are nested more than {_MAX_DEPTH} deep")
        if folder not in self._counts:
            bases = self._bases(folder)
            total = 1 + sum(self.count(base, (*parents, folder)) for base in bases)
            if total > _MAX_LOADS:
                raise ManifestError(
                    f"{folder}: kustomize would load more than {_MAX_LOADS} bases, because bases"
                    " use the same bases again"
                )
            self._counts[folder] = total
        return self._counts[folder]

    def _bases(self, folder: Path) -> Iterator[Path]:
        """Yield the folders that a kustomization uses; check its other paths."""
        for file in (folder / name for name in FILE_NAMES):
            if not file.exists():
                continue
            for document in _documents(_read(file), file):
                self._check_files(document, file)
                for key, entry in _root_entries(document):
                    yield from self._base(folder, file, key, entry)

    def _base(self, folder: Path, file: Path, key: str, entry: str) -> Iterator[Path]:
        if "\n" in entry:  # a plugin may be written here
            for document in _documents(entry.encode(), file):
                self._check_files(document, file)
            return
        if _REPOSITORY.match(entry.strip()):
            self._refuse(file, key, entry)
            return
        path = folder / entry
        if _exists(path) and path.is_dir():
            yield path
        elif key in _PLUGINS and _exists(path):
            for document in _documents(_read(path), path):
                self._check_files(document, path)

    def _check_files(self, value: object, file: Path) -> None:
        """Check the paths of files, at any depth."""
        if isinstance(value, list):
            for item in cast("list[object]", value):
                self._check_files(item, file)
        elif isinstance(value, dict):
            for key, inner in cast("dict[str, object]", value).items():
                name = key.casefold()
                if name in _NO_PATHS:
                    continue
                for path in _strings(inner) if name in _FILES else ():
                    if _URL.match(path):
                        self._refuse(file, key, path)
                self._check_files(inner, file)

    def _refuse(self, file: Path, key: str, entry: str) -> None:
        if not self._allow_remote:
            raise ManifestError(
                f"{file}: {key}: {entry.partition('?')[0]!r} is not on this machine. Copy it, or"
                " allow the network: kustomize(folder, allow_remote=True)"
            )


def _root_entries(document: object) -> Iterator[tuple[str, str]]:
    if isinstance(document, dict):
        for key, value in cast("dict[str, object]", document).items():
            if key.casefold() in _ROOTS:
                yield from ((key.casefold(), entry) for entry in _strings(value))


def _exists(path: Path) -> bool:
    """Return whether a path exists. Text that is no path, such as a long one, does not."""
    try:
        return path.exists()
    except OSError:
        return False


def _strings(value: object) -> Iterator[str]:
    """Yield a string, or the strings in a list."""
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    yield from (item for item in items if isinstance(item, str))


def _read(file: Path) -> bytes:
    return read_regular_file(file, _MAX_FILE_BYTES, refusal="the path is not a regular file")


def _documents(data: bytes, file: Path) -> Iterator[Any]:
    """Yield the values of documents. What cannot be read is refused: kustomize might read it."""
    from clientgen._yaml.loader import load_yaml  # imported late: PyYAML is large

    for part in _SEPARATOR.split(decoded(data, str(file)).text):
        try:
            value, duplicates = load_yaml(part.encode())
        except ValueError as error:
            raise ManifestError(f"{file}: {getattr(error, 'without_value', error)}") from None
        if duplicates:
            raise ManifestError(f"{file}: {'; '.join(duplicates)}")
        yield value
