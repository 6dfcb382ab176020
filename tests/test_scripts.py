"""Scripts and hooks of the repository: what they name exists, and what they choose is right."""

from __future__ import annotations

import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from packaging.requirements import Requirement

from benchmarks import plots
from benchmarks.scale import report
from clientgen.cli.program import program

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
NEEDED = PROJECT["project"]["requires-python"].removeprefix(">=")
THIS = f"{sys.version_info.major}.{sys.version_info.minor}"


def matrix(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "scripts/matrix", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.slow
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
    for each in map(Requirement, [*needed, *groups["test"], *groups["coverage"], *groups["docs"]]):
        assert normal(each.name) in versions, f"{each}: run scripts/lock"
        assert versions[normal(each.name)] in each.specifier, f"{each}: run scripts/lock"


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.slow
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


@pytest.fixture(scope="module")
def quick() -> dict[str, Any]:
    """The names of scripts/quick."""
    return runpy.run_path(str(ROOT / "scripts/quick"), run_name="quick")


IMPORTERS = {
    "clientgen.runtime._cache.store": ["clientgen.runtime._async.informer"],
    "clientgen.runtime._async.informer": ["clientgen.testing._fake.cluster"],
}
TESTS = {
    "tests/cluster/test_store.py": "",
    "tests/runtime/test_calls.py": "Store = 1",
    "tests/runtime/test_patches.py": "import clientgen.runtime.aio",
    "tests/runtime/test_informer_sync.py": "",
    "tests/runtime/test_reads.py": "from clientgen.runtime._cache import indices, store",
    "tests/runtime/test_store.py": "",
    "tests/test_docs.py": '(ROOT / "README.md").read_text()',
    "tests/testing/test_cluster.py": "",
    "tests/testing/test_lists.py": "from clientgen.runtime.aio import Store\nimport support.lists",
}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ([], []),
        (
            ["clientgen/runtime/_cache/store.py"],
            [
                "runtime/test_store.py",
                "runtime/test_reads.py",
                "testing/test_lists.py",
                "runtime/test_calls.py",
                "runtime/test_informer_sync.py",
                "testing/test_cluster.py",
            ],
        ),
        (
            ["clientgen/runtime/_async/informer.py", "tests/runtime/test_patches.py"],
            ["runtime/test_patches.py", "runtime/test_informer_sync.py", "testing/test_cluster.py"],
        ),
        (["README.md"], ["test_docs.py"]),
        (["tests/support/lists.py"], ["testing/test_lists.py"]),
        (["tests/testing/conftest.py"], ["testing/test_cluster.py", "testing/test_lists.py"]),
        (["specs/other.json", "tests/support/other.py"], []),
    ],
)
def test_quick_ranks_tests_by_how_soon_they_notice_a_change(
    quick: dict[str, Any], changed: list[str], expected: list[str]
):
    names = {"Store"} if "clientgen/runtime/_cache/store.py" in changed else set[str]()
    ranked = quick["ranked"](changed, TESTS, IMPORTERS, names)
    assert ranked == [f"tests/{name}" for name in expected]


def test_quick_reads_who_imports_whom_and_what_is_exported(quick: dict[str, Any]):
    importers = quick["importers"](["clientgen/cli/program.py"])
    assert (
        "clientgen.runtime._async.workqueue"
        in importers["clientgen.runtime._controllers.queue_state"]
    )
    assert quick["exported"](["clientgen/runtime/_async/workqueue.py", "gone.py"]) >= {
        "AsyncWorkQueue"
    }


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (["README.md", "tests/golden/pods/spec.json"], []),
        (["tests/test_docs.py"], ["style", "layout"]),
        (["tests/cluster/test_reads.py"], ["style", "layout", "clients", "mypy", "pyright"]),
        (
            ["clientgen/runtime/_async/informer.py"],
            ["style", "layout", "layers", "rooms", "derived", "clients", "mypy", "pyright"],
        ),
        (["templates/models.py.j2"], ["verify"]),
        (["clientgen/gone.py"], ["layers", "rooms"]),
        (["clientgen/generator/unasync/gone.py"], ["layers", "rooms", "derived", "verify"]),
    ],
)
def test_quick_runs_the_checks_that_a_change_needs(
    quick: dict[str, Any], monkeypatch: pytest.MonkeyPatch, changed: list[str], expected: list[str]
):
    monkeypatch.chdir(ROOT)
    assert [name for name, _ in quick["checks"](changed)] == expected


def test_quick_compares_with_the_main_of_a_remote_if_the_local_one_is_behind(
    quick: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *identity, *arguments], check=True)

    def commit(name: str) -> None:
        Path(name).touch()
        git("add", name)
        git("commit", "-qm", name)

    git("init", "-qb", "main")
    commit("first")
    git("checkout", "-qb", "fixes")
    commit("second")
    git("update-ref", "refs/remotes/origin/main", "fixes")
    commit("third")
    assert quick["changed_files"](None) == ["third"]
    git("branch", "-qf", "main", "fixes")
    assert quick["changed_files"](None) == []
    git("branch", "-qD", "main")
    assert quick["changed_files"](None) == ["third"]


def test_quick_tells_what_failed_and_what_was_left_out(tmp_path: Path):
    for name in ("scripts/quick", "tests/conftest.py", "pyproject.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    test = tmp_path / "tests/test_sum.py"
    test.write_text("def test_sum():\n    assert 1 + 1 == 2\n")
    # A hook of git tells its programs which repository they are in.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}

    def run(*command: str) -> tuple[int, str]:
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
        )
        return done.returncode, done.stdout

    def quick(*arguments: str) -> tuple[int, str]:
        return run(sys.executable, "scripts/quick", *arguments)

    for arguments in (["init", "-qb", "main"], ["add", "."], ["commit", "-qm", "A start"]):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        assert run("git", *identity, *arguments) == (0, "")

    assert quick() == (0, "nothing has changed\n")

    test.write_text(test.read_text().replace("2", "3"))
    code, output = quick()
    assert code == 1
    assert "1 file changed; 1 test file may notice\n" in output
    assert re.search(r"^style .* ok$", output, re.MULTILINE)
    assert re.search(r"^tests .* FAILED", output, re.MULTILINE)
    assert "assert (1 + 1) == 3" in output

    (tmp_path / "tests/test_new.py").write_text("def test_new():\n    print( )\n")
    code, output = quick("--seconds", "0")
    assert code == 1
    assert re.search(r"^layout .* FAILED", output, re.MULTILINE)
    assert "left out: 2 tests in 2 files, because 0 s of CPU time are spent. Run: pytest " in output
    assert "pytest tests/test_new.py tests/test_sum.py\n" in output


def test_the_plot_is_of_the_results_that_are_kept():
    results = json.loads((ROOT / "benchmarks/results.json").read_bytes())
    plot = plots.cpu_plot(results["benchmarks"], results["machine"])
    assert plots.PLOT.read_text("utf-8") == plot


def test_the_plots_and_tables_of_many_pods_are_of_the_results_that_are_kept():
    figures = json.loads((ROOT / "benchmarks/results.json").read_bytes())["scale"]
    for name, svg in report.plots(report.rows_of(figures)).items():
        assert (ROOT / "docs/assets" / name).read_text("utf-8") == svg
    readme = (ROOT / "benchmarks/README.md").read_text("utf-8")
    assert f"<!-- scale -->\n\n{report.section(figures).strip()}\n\n<!-- end of" in readme
