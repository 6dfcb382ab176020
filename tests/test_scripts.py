"""Scripts and hooks of the repository: what they name exists, and what they choose is right."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest
import yaml
from packaging.requirements import Requirement

from clientgen.cli.program import program

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
NEEDED = PROJECT["project"]["requires-python"].removeprefix(">=")
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


def interpreter(folder: Path, name: str, version: str, *, makes_environments: bool = True) -> None:
    """Make a program that answers as a Python would."""
    folder.mkdir(exist_ok=True)
    text = f"""#!/bin/sh
case "$2" in *ensurepip*) {"" if makes_environments else "exit 1"};; esac
case "$2" in *executable*) echo {version} "$0";; *) echo {version};; esac
"""
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def with_pythons(*folders: Path, **environment: str) -> dict[str, str]:
    """An environment where no Pythons are but these."""
    tools = folders[0].parent / "tools"
    tools.mkdir()
    for each in ("bash", "sed", "sort", "head", "dirname", "ls", "xargs", "sh"):
        (tools / each).symlink_to(shutil.which(each) or each)
    path = os.pathsep.join(map(str, (*folders, tools)))
    return {"PATH": path, "HOME": str(tools), **environment}


def test_the_matrix_takes_the_oldest_patch_release(tmp_path: Path):
    interpreter(tmp_path / "newer", "python3.11", "3.11.10")
    interpreter(tmp_path / "distribution", "python3", "3.11.2")
    interpreter(tmp_path / "bare", "python3.11", "3.11.1", makes_environments=False)
    folders = [tmp_path / each for each in ("newer", "distribution", "bare")]
    done = subprocess.run(
        ["bash", "scripts/matrix", "--oldest", "--list"],
        cwd=ROOT,
        env=with_pythons(*folders),
        capture_output=True,
        text=True,
    )
    assert f"3.11  {tmp_path}/distribution/python3\n" in done.stdout


def test_a_python_without_venv_is_told(tmp_path: Path):
    interpreter(tmp_path / "bare", "python3", "3.11.2", makes_environments=False)
    done = subprocess.run(
        ["bash", "scripts/python"],
        cwd=ROOT,
        env=with_pythons(tmp_path / "bare"),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    first, second = done.stderr.splitlines()
    assert first == (
        "python3 is Python 3.11.2 without venv; "
        "on Debian and Ubuntu, `apt install python3-venv` adds it."
    )
    assert second == f"clientgen needs Python {NEEDED} or newer with venv; set PYTHON to one."


def test_what_judges_and_what_the_tests_install_is_pinned():
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = [Requirement(line) for line in lines if not line.startswith("#")]
    assert [each for each in pinned if [one.operator for one in each.specifier] != ["=="]] == []
    assert [each for each in pinned if each.url] == []
    versions = {normal(each.name): next(iter(each.specifier)).version for each in pinned}
    project = PROJECT["project"]
    extras = project["optional-dependencies"]
    groups = PROJECT["dependency-groups"]
    needed = [*project["dependencies"], *extras["generator"], *extras["testing"], "pip"]
    for each in map(Requirement, [*needed, *groups["test"], *groups["coverage"]]):
        assert normal(each.name) in versions, f"{each}: run scripts/lock"
        assert versions[normal(each.name)] in each.specifier, f"{each}: run scripts/lock"


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


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


def test_the_demo_shows_something_before_it_generates():
    lines = (ROOT / "scripts/demo").read_text().splitlines()
    shown = next(n for n, line in enumerate(lines) if "examples/demo.py" in line and "bin" in line)
    generated = next(n for n, line in enumerate(lines) if 'clientgen" generate' in line)
    installed = next(n for n, line in enumerate(lines) if 'pip" install' in line)
    told = [n for n, line in enumerate(lines) if line.startswith("echo ")]
    assert installed < shown < generated
    assert len(told) == 5
    assert told[0] < installed
    assert told[3] < generated < told[4] == len(lines) - 1
