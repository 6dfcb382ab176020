"""Folders that are filled once per run of the tests: the workers of xdist share them."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

__all__ = ["RunFolders"]


class RunFolders:
    """The folders of one run. A function fills a folder when somebody first asks for its name."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @classmethod
    def of(cls, factory: pytest.TempPathFactory) -> RunFolders:
        """Return those of this run; each worker of xdist has a folder of its own in the run's."""
        base = factory.getbasetemp()
        return cls((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared")

    def get(self, name: str, fill: Callable[[Path], object]) -> Path:
        """Return the folder; if `fill` raises, the next call fills it from the start."""
        folder = self._root / name
        folder.parent.mkdir(parents=True, exist_ok=True)
        with folder.with_name(f"{folder.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.is_dir():
                unfinished = folder.with_name(f"{folder.name}.unfinished")
                shutil.rmtree(unfinished, ignore_errors=True)
                unfinished.mkdir()
                fill(unfinished)
                unfinished.rename(folder)
        return folder
