"""docs/guides/explain.md: each output on the page is what its command prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from clientgen.cli.program import program

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "guides" / "explain.md"
SHOWN = re.compile(r"^```\n(clientgen explain .*?)\n```\n\n```text\n(.*?)^```$", re.M | re.S)


def test_the_page_shows_what_the_commands_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    shown = SHOWN.findall(PAGE.read_text())

    assert len(shown) == PAGE.read_text().count("```text") == 4
    for command, output in shown:
        _, *arguments = shlex.split(command)
        done = CliRunner().invoke(program, arguments, catch_exceptions=False)
        assert done.exit_code == (1 if "problem" in output else 0)
        printed = done.stdout or done.stderr
        if (command, output) == shown[-1]:  # only the beginning is on the page
            printed = printed[: len(output)]
        assert printed == output, command
