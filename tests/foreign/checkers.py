"""What type checkers say of a generated package, at their strictest."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

__all__ = ["mypy", "pyright"]

_HOURS = 3600


def mypy(folder: Path, package: str) -> list[str]:
    """The errors of `mypy --strict`."""
    command = ["mypy", "--strict", "--no-error-summary", "--hide-error-context", "-p", package]
    done = _run(command, folder)
    return [line for line in done.stdout.splitlines() if ": error:" in line] or _broken(done)


def pyright(folder: Path, package: str) -> list[str]:
    """The errors of pyright in strict mode."""
    config = {"include": [package], "typeCheckingMode": "strict"}
    (folder / "pyrightconfig.json").write_text(json.dumps(config))
    done = _run(["pyright", "--pythonpath", sys.executable, "-p", str(folder)], folder)
    return [line.strip() for line in done.stdout.splitlines() if " - error:" in line] or _broken(
        done
    )


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=_HOURS,
        check=False,
    )


def _broken(done: subprocess.CompletedProcess[str]) -> list[str]:
    return (
        [f"ended with {done.returncode}: {done.stderr.strip()[-500:]}"] if done.returncode else []
    )
