"""Folders that the workers of a run share are filled once, and never seen half filled."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.run_folders import RunFolders


def test_a_folder_is_filled_once_whoever_asks(tmp_path: Path) -> None:
    filled: list[Path] = []

    def fill(folder: Path) -> None:
        filled.append(folder)
        (folder / "file").write_text("whole")

    with ThreadPoolExecutor(8) as workers:
        # Each worker of xdist has an object of its own.
        asked = [workers.submit(RunFolders(tmp_path).get, "a/b", fill) for _ in range(8)]
        folders = {each.result() for each in asked}

    assert folders == {tmp_path / "a/b"}
    assert len(filled) == 1
    assert (tmp_path / "a/b/file").read_text() == "whole"


def test_a_folder_that_could_not_be_filled_is_filled_anew(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        RunFolders(tmp_path).get("a", fail)
    folder = RunFolders(tmp_path).get("a", lambda folder: (folder / "file").touch())

    assert [path.name for path in folder.iterdir()] == ["file"]
