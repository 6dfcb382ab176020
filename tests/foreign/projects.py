"""Folders of CustomResourceDefinitions and of sample objects, a project each."""

# JSON by hand has no types to speak of.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clientgen._yaml.loader import BadText, load_yaml

__all__ = ["DEFINITION", "Project", "Sample", "documents", "projects", "samples"]

DEFINITION = "CustomResourceDefinition"
_SEPARATOR = re.compile(r"^---.*\n", re.MULTILINE)


@dataclass(frozen=True)
class Project:
    """A project: files with definitions, and a folder in which there may be samples of them."""

    name: str
    definitions: tuple[Path, ...]
    samples: Path


@dataclass(frozen=True)
class Sample:
    """An object of a kind that the project defines."""

    where: str
    text: str
    value: dict[str, Any]


def projects(folders: Iterable[Path]) -> Iterator[Project]:
    """The projects in folders: `DIR/crds` and `DIR/samples`, all in DIR, or a folder for each."""
    for folder in folders:
        if not folder.is_dir():
            raise SystemExit(f"there is no folder {folder}")
        project = _project(folder)
        if project:
            yield project
        else:
            yield from filter(None, map(_project, sorted(folder.iterdir())))


def _project(folder: Path) -> Project | None:
    definitions = folder / "crds" if (folder / "crds").is_dir() else folder
    files = sorted(path for path in _manifests(definitions) if DEFINITION in _text(path))
    if not files or (definitions == folder and any((f / "crds").is_dir() for f in _within(folder))):
        return None
    samples = folder / "samples" if (folder / "samples").is_dir() else folder
    return Project(folder.name, tuple(files), samples)


def documents(path: Path) -> list[str]:
    """The YAML documents of a file."""
    return _SEPARATOR.split(_text(path))


def samples(folder: Path, kinds: frozenset[tuple[str, str]]) -> Iterator[Sample]:
    """The objects of these kinds (apiVersion, kind) in the files of a folder."""
    for path in sorted(_manifests(folder)):
        for number, text in enumerate(documents(path)):
            try:
                value, _ = load_yaml(text.encode())
            except BadText:  # a template, or a file that is wrong on purpose
                continue
            if isinstance(value, dict) and (value.get("apiVersion"), value.get("kind")) in kinds:
                yield Sample(f"{path}[{number}]", text, value)


def _manifests(folder: Path) -> Iterator[Path]:
    for ending in ("yaml", "yml", "json"):
        yield from folder.rglob(f"*.{ending}")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _within(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_dir()]
