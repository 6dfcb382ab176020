"""docs/coming-from/kubectl.md has every command of kubectl. test_coming_from makes its calls."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from support.kubectl import KUBECTL

PAGE = Path(__file__).parents[1] / "docs/coming-from/kubectl.md"
COMMAND = re.compile(r"^  ([a-z][a-z-]*)  +\S", re.MULTILINE)
# Commands whose subcommands are rows of their own.
WITH_SUBCOMMANDS = ("apply", "auth", "certificate", "config", "create", "rollout", "set", "top")
# Subcommands that a row names together, by words that are not theirs.
TOGETHER = {"create": "`create deployment`, `role`, `service`, and the other kinds"}


def words_of_rows() -> set[str]:
    """Return the first and second words of the commands in the first column."""
    cells = re.findall(r"^\| (`.*?) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    words: set[str] = set()
    for cell in cells:
        spans: list[list[str]] = [span.split() for span in re.findall(r"`([^`]+)`", cell)]
        first = spans[0][0]
        words |= {first, *(f"{first} {span[1]}" for span in spans if len(span) > 1)}
        words |= {span[0] for span in spans} | {f"{first} {span[0]}" for span in spans}
    return words


def commands(*names: str) -> list[str]:
    help_text = subprocess.run(
        [KUBECTL, *names, "--help"], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    return COMMAND.findall(help_text.partition("\nOptions:")[0].partition("\nUsage:")[0])


@pytest.mark.skipif(not KUBECTL, reason="kubectl is not here")
def test_every_command_has_a_row() -> None:
    rows = words_of_rows()
    missing = [each for each in commands() if each not in rows]
    for name in WITH_SUBCOMMANDS:
        if name in TOGETHER and TOGETHER[name] in PAGE.read_text("utf-8"):
            continue
        missing += [f"{name} {each}" for each in commands(name) if f"{name} {each}" not in rows]
    assert missing == []
