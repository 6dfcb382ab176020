"""The three-minute path of the README, from a class to a client, as a reader walks it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"


def test_three_minutes_are_enough(tmp_path: Path):
    types, commands, test = blocks("Your own types, in three minutes")
    (tmp_path / "crontabs.py").write_text(types)
    (tmp_path / "test_crontabs.py").write_text(test)

    for line in commands.splitlines():
        program, *arguments = line.split()
        assert program == "clientgen"
        run(tmp_path, "clientgen", *arguments)
    run(tmp_path, "pytest", "-q", "-p", "no:cacheprovider", "test_crontabs.py")


def blocks(title: str) -> list[str]:
    """The fenced blocks of a section."""
    section = README.read_text().split(f"\n## {title}\n")[1].split("\n## ")[0]
    return re.findall(r"```\w*\n(.*?)```", section, re.DOTALL)


def run(folder: Path, module: str, *arguments: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
