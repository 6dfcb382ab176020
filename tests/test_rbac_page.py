"""docs/guides/rbac.md: every snippet is run, every option and marker on it exists."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner

from clientgen._rbac.access import Access
from clientgen._rbac.callers import Account
from clientgen._rbac.rbac_markers import markers
from clientgen.cli.program import program
from clientgen.testing._fake import pytest_plugin
from clientgen.testing._fake.service_accounts import Run, begin_run, end_run

PAGE = (Path(__file__).resolve().parents[1] / "docs/guides/rbac.md").read_text("utf-8")


def test_every_snippet_runs():
    run = Run()
    begin_run(run)
    names: dict[str, object] = {"__name__": "page"}
    try:
        snippets = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
        assert len(snippets) == 2
        for snippet in snippets:
            exec(compile(snippet, "docs/guides/rbac.md", "exec", dont_inherit=True), names)
    finally:
        end_run(run)
    assert run.recording.of(Account("shop", "painter")) == [
        Access("patch", "configmaps", namespace="shop", name="colours"),
    ]
    assert not run.denied


def test_the_markers_are_read():
    lines = [line for line in PAGE.splitlines() if line.startswith("# +kubebuilder")]
    found = markers("\n".join(lines).encode(), "rbac.md")
    assert [len(each.rights) for each in found] == [6, 1, 1]


def test_the_options_exist():
    named = set(re.findall(r"--[a-z][a-z-]+", PAGE))
    source = Path(pytest_plugin.__file__).read_text("utf-8")
    told = "".join(
        CliRunner().invoke(program, ["rbac", command, "--help"]).output
        for command in ("check", "generate")
    )
    assert {each for each in named if f'"{each}"' not in source and each not in told} == set()
