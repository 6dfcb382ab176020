"""Builds distributions reproducibly: the same commit gives the same bytes.

A project is built in two folders with different names. Times in the archives are that of the
commit. The tools are those of the environment, at the versions of constraints.txt.
"""

from __future__ import annotations

import os
import shutil
import sys
from hashlib import sha256
from typing import TYPE_CHECKING

from .commands import ReleaseError, run

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["build", "build_twice", "digest"]


def build_twice(project: Path, output: Path, time: int, scratch: Path) -> list[Path]:
    """Build the sdist and the wheel of a project, and build them again elsewhere.

    Args:
        project: the folder with the pyproject.toml; nothing is written there.
        output: where the files go.
        time: the seconds since 1970 that all archives contain.
        scratch: an empty folder.

    Raises:
        ReleaseError: the build failed, or the second one gave other bytes.
    """
    built = [build(project, scratch / name, time) for name in ("a", "another-place")]
    for mine, other in zip(*built, strict=True):
        if mine.name != other.name or digest(mine) != digest(other):
            raise ReleaseError(f"{mine.name}: a second build gave other bytes")
    output.mkdir(parents=True, exist_ok=True)
    return [output / shutil.move(path, output / path.name).name for path in built[0]]


def build(project: Path, scratch: Path, time: int) -> list[Path]:
    """Build the sdist of a copy of a project, and the wheel from the sdist; sorted by name."""
    copy = scratch / "project"
    shutil.copytree(project, copy, ignore=shutil.ignore_patterns(".git", "__pycache__"))
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(time)}
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", scratch / "dist"]
    run(*command, copy, folder=scratch, environment=environment)
    return sorted((scratch / "dist").iterdir())


def digest(path: Path) -> str:
    """Return the sha256 of a file."""
    return sha256(path.read_bytes()).hexdigest()
