"""Scripts and hooks of the repository: what they name exists, and what they choose is right."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest
import yaml

from clientgen.cli.program import program

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
THIS = f"{sys.version_info.major}.{sys.version_info.minor}"


def matrix(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "scripts/matrix", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_the_matrix_has_the_pythons_that_the_package_claims():
    claimed = [
        each.rpartition(" ")[2]
        for each in PROJECT["project"]["classifiers"]
        if each.startswith("Programming Language :: Python :: 3.")
    ]
    done = matrix("--list")
    assert done.returncode == 0
    lines = [line.split(maxsplit=1) for line in done.stdout.split("\n") if line]
    assert sorted(version for version, _ in lines) == sorted(claimed)
    paths = dict(lines)
    assert THIS in claimed
    for version, path in paths.items():
        if path != "not on this machine":
            program_text = "import sys; print(*sys.version_info[:2], sep='.')"
            answer = subprocess.run([path, "-c", program_text], capture_output=True, text=True)
            assert answer.stdout.strip() == version


def test_the_matrix_fails_for_a_python_that_was_asked_for_and_is_not_there():
    done = matrix("--python", "3.1", "--list")
    assert done.returncode == 1
    assert "3.1  asked for, but missing" in done.stdout


def test_hooks_for_users_are_commands_of_clientgen():
    for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")):
        name, command, *rest = shlex.split(hook["entry"])
        assert (name, rest) == ("clientgen", [])
        assert command in program.list_commands(click.Context(program))
        assert hook["language"] == "python"
        extras = PROJECT["project"]["optional-dependencies"]
        assert all(each == ".[generator]" for each in hook["additional_dependencies"])
        assert "generator" in extras


def test_our_own_hooks_need_nothing_but_the_environment_of_the_tests():
    (repo,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert repo["repo"] == "local"
    for hook in repo["hooks"]:
        assert hook["language"] == "system"
        assert hook["entry"].startswith(".venv/bin/")
        assert Path(sys.executable).with_name(Path(hook["entry"].split()[0]).name).exists()


@pytest.mark.parametrize("script", [*(ROOT / "scripts").iterdir(), ROOT / ".ci" / "run"])
def test_a_script_is_valid_bash(script: Path):
    if script.is_file() and script.read_text("utf-8").startswith("#!/usr/bin/env bash"):
        done = subprocess.run(["bash", "-n", str(script)], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
