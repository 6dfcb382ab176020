"""Reads the text of manifests from files, folders, kustomizations and standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .kustomization_files import FILE_NAMES, is_kustomization
from .manifest_text import (
    MAX_TEXT_BYTES,
    ManifestError,
    ManifestText,
    decoded,
    read_regular_file,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

SUFFIXES: Final = frozenset({".yaml", ".yml", ".json"})
_STDIN: Final = Path("-")


def texts(source: str | bytes | ManifestText | Path) -> Iterator[ManifestText]:
    """Yield the texts of a source: of each file of a folder, and of other sources one.

    Raises:
        ManifestError: a file cannot be read, a kustomization cannot be built, or a text is not
            UTF-8.
    """
    if isinstance(source, Path):
        for path in files(source):
            yield _text_of(path)
    elif isinstance(source, ManifestText):
        yield source
    elif isinstance(source, bytes):
        yield decoded(source, "the text")
    else:
        yield ManifestText(source, "the text")


def files(path: Path) -> list[Path]:
    """Return the YAML and JSON files below a folder. For a file, return the file.

    A folder with a kustomization counts as a file: its text is what kustomize makes of it.

    Raises:
        ManifestError: the folder has no such files.
    """
    if not path.is_dir() or is_kustomization(path):
        return [path]
    # A broken link is kept, so that reading it raises an error: it probably is a manifest.
    candidates = (file for file in path.rglob("*") if file.suffix in SUFFIXES)
    paths = sorted(file for file in candidates if file.is_file() or not file.exists())
    if not paths:
        raise ManifestError(f"{path}: the folder contains no .yaml, .yml or .json file")
    return paths


def _text_of(path: Path) -> ManifestText:
    if path == _STDIN:
        return decoded(_read_stdin(), "standard input")
    if path.name in FILE_NAMES:
        raise ManifestError(f"{path}: this is a kustomization; pass its folder: {path.parent!s}")
    if path.is_dir():
        from .kustomize import KustomizeRun  # imported late: most folders have no kustomization

        return KustomizeRun(path).text()
    refusal = "the path is neither a regular file nor a folder"
    data = read_regular_file(path, MAX_TEXT_BYTES, refusal=refusal, hint="; split it")
    return decoded(data, str(path))


def _read_stdin() -> bytes:
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - closed: `<&-`
        raise ManifestError("standard input is closed")
    data = sys.stdin.buffer.read(MAX_TEXT_BYTES + 1)
    if len(data) > MAX_TEXT_BYTES:
        raise ManifestError(f"standard input: there are more than {MAX_TEXT_BYTES >> 20} MiB")
    return data
