"""Programs that a release runs."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["ReleaseError", "run", "say"]


class ReleaseError(Exception):
    """What keeps a release from being made, and what to do."""


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def run(*command: str | Path, folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """Run a program, and return what it says.

    Raises:
        ReleaseError: it failed; the text is all that it said.
    """
    words = [*map(str, command)]
    done = subprocess.run(  # noqa: S603
        words,
        cwd=folder,
        env=None if environment is None else dict(environment),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        shown = " ".join(words)
        raise ReleaseError(f"{shown}\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout
