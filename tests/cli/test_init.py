from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import black
import pytest
from click.testing import Result

from clientgen.cli import init as command
from clientgen.cli.init_files import starter

Run = Callable[..., Result]
NEVER_OVERWRITTEN = "\n    Name a new directory; existing files are never overwritten.\n1 problem\n"


def files() -> list[str]:
    return sorted(str(path) for path in Path().rglob("*") if path.is_file())


@pytest.fixture(scope="session")
def mypy_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What mypy knows of the runtime, for one project after the other."""
    return tmp_path_factory.mktemp("mypy")


@pytest.mark.parametrize(
    ("project", "flags"),
    [
        ("cron-tasks", ["--flavour", "asyncio", "--kind", "CronTask", "--group", "jobs.x.io"]),
        ("threads", ["--flavour", "sync", "--cluster-scoped"]),
    ],
)
def test_a_project_runs_at_once(run: Run, mypy_cache: Path, project: str, flags: list[str]) -> None:
    result = run("init", project, *flags)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[1:] == [
        f"    cd {project}",
        '    pip install -e ".[dev]"',
        "    pytest",
    ]

    os.chdir(project)
    assert run("verify", "--quiet").exit_code == 0
    assert run("crd", "--check", "--quiet").exit_code == 0
    # What the project's own checks say, each in a process of its own, as its author would see it.
    commands = (
        ["pytest", "-q", "-W", "error", "-p", "no:cacheprovider"],
        ["mypy", "--cache-dir", str(mypy_cache)],
    )
    running = [
        subprocess.Popen([sys.executable, "-m", *words], stdout=subprocess.PIPE, text=True)
        for words in commands
    ]
    outputs = [process.communicate(timeout=300)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0], "\n".join(outputs)
    assert "2 passed" in outputs[0]


def test_starter_files_are_formatted() -> None:
    mode = black.Mode(line_length=100)
    for flavour in ("sync", "asyncio"):
        project = starter("my-shop", "example.com", "Widget", namespaced=True, flavour=flavour)
        for path, text in project.files():
            if path.endswith(".py"):
                assert black.format_str(text, mode=mode) == text, path
            assert "$" not in text, path


def test_without_the_generator_it_says_what_is_left_to_do(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "has_generator", lambda: False)

    result = run("init", "shop")

    assert result.stdout.splitlines() == [
        "shop: a controller for Widget of example.com; see README.md",
        "    cd shop",
        '    pip install -e ".[dev]"',
        "    clientgen crd",
        "    clientgen generate",
        "    pytest",
    ]
    os.chdir("shop")
    assert files() == [
        ".gitignore",
        "README.md",
        "pyproject.toml",
        "shop/__init__.py",
        "shop/controller.py",
        "shop/v1.py",
        "tests/test_controller.py",
    ]
    config = tomllib.loads(Path("pyproject.toml").read_text())
    # pip installs these since it has extras; groups it knows since 25.1.
    assert [text.split(">=")[0] for text in config["project"]["optional-dependencies"]["dev"]] == [
        "clientgen[generator,testing]",
        "pytest",
        "mypy",
    ]
    assert 'pip install -e ".[dev]"' in Path("README.md").read_text().splitlines()
    assert config["tool"]["clientgen"] == {
        "package": "shop_client",
        "types": ["shop.v1"],
        "output": ".",
        "crd-output": "crds",
    }


def test_a_folder_that_holds_version_control_only_is_empty(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "has_generator", lambda: False)
    Path("shop/.git").mkdir(parents=True)
    os.chdir("shop")

    result = run("init", "--quiet")

    assert (result.exit_code, result.output) == (0, "")
    assert Path("shop/v1.py").is_file()


def test_nothing_is_ever_overwritten(run: Run) -> None:
    Path("there").mkdir()
    Path("there/notes.txt").write_text("mine")
    before = files()

    for directory, what in (
        ("there", "is not empty: it contains `notes.txt`"),
        ("there/notes.txt", "exists and is not a directory"),
    ):
        result = run("init", directory, "--name", "shop")
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr == f"{directory}: {what}{NEVER_OVERWRITTEN}"
    assert files() == before


def test_a_folder_that_cannot_be_made_is_a_problem(run: Run) -> None:
    Path("file").write_text("")
    result = run("init", "file/shop")
    assert result.exit_code == 1
    assert result.stderr.endswith(": cannot be written: Not a directory\n1 problem\n")


@pytest.mark.parametrize(
    ("flag", "value", "what"),
    [
        ("--name", "My Shop", "a project cannot be called `My Shop`"),
        ("--name", "1st", "a project cannot be called `1st`"),
        ("--name", "lambda", "`lambda` is a keyword of Python"),
        ("--name", "json", "a package `json` exists and would be hidden"),
        ("--name", "tests", "a package `tests` exists and would be hidden"),
        ("--group", "example", "an API group cannot be `example`"),
        ("--group", "Example.com", "an API group cannot be `Example.com`"),
        ("--group", "x.k8s.io", "`x.k8s.io` is a group of Kubernetes itself"),
        ("--kind", "widget", "a kind cannot be `widget`"),
        ("--kind", "W" * 51, f"a kind cannot be `{'W' * 51}`"),
        ("--kind", "WidgetList", "a kind `WidgetList` would clash with an existing name"),
        ("--kind", "Model", "a kind `Model` would clash with an existing name"),
        ("--kind", "None", "a kind `None` would clash with an existing name"),
    ],
)
def test_names_that_would_not_work_are_refused(run: Run, flag: str, value: str, what: str) -> None:
    result = run("init", "shop", flag, value)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[0] == f"{flag}: {what}"
    assert not Path("shop").exists()


def test_all_names_are_checked_at_once(run: Run) -> None:
    result = run("init", "Shop", "--group", "k8s", "--kind", "shop")
    assert [line.partition(":")[0] for line in result.stderr.splitlines()[::2]] == [
        "--group",
        "--kind",
        "--name",
        "3 problems",
    ]
