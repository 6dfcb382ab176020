"""The tutorials work as they are written: their files are saved, and their commands are run.

Each page is read from top to bottom in an empty folder. Commands of further terminals go on until
the page ends. Lines below a command are what it prints; `...` stands for anything. What a page
installs is here already: scripts/install does it in the same way.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs/tutorial").glob("first-*.md"))
FENCE = re.compile(r'^```(\w+)(?: title="([^"]*)")?\n(.*?)^```', re.MULTILINE | re.DOTALL)
INSTALLS = ("python3 -m venv", ". .venv/bin/activate", "pip install ")
PATIENCE = 300  # seconds, for a machine that does much else


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """What a shell has in which the virtual environment is activated."""
    scripts = str(Path(sys.executable).parent)
    return {
        "PATH": os.pathsep.join([scripts, os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "generated")]),
        "PYTHONUNBUFFERED": "1",
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
    }


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_works_as_it_is_written(
    page: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    commands = 0
    with ExitStack() as terminals:
        for kind, title, body in FENCE.findall(page.read_text("utf-8")):
            if kind != "console":
                assert title, f"{page.name} does not say what to save this as:\n{body}"
                (tmp_path / title).write_text(body, "utf-8")
                continue
            for command, expected in steps(body):
                commands += 1
                if command.startswith(INSTALLS):
                    assert_is_here(command)
                elif title:
                    terminal = running(command, expected, tmp_path, environment)
                    terminals.enter_context(terminal)
                else:
                    assert_prints(command, expected, tmp_path, environment)
    assert commands >= 5


def test_there_are_two_tutorials() -> None:
    assert [page.stem for page in PAGES] == ["first-controller", "first-script"]


def steps(body: str) -> Iterator[tuple[str, str]]:
    """The commands of a block, and what each of them prints."""
    for step in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, expected = step.partition("\n")
        yield command, expected


def assert_is_here(command: str) -> None:
    """What a tutorial installs, the environment of the tests has."""
    for word in re.findall(r"[\w./\[\],]+", command.partition("pip install")[2]):
        if word.startswith("."):
            folder, _, extras = word.partition("[")
            project = (ROOT / folder / "pyproject.toml").read_text("utf-8")
            assert all(
                f"\n{extra} = [" in project for extra in extras.strip("]").split(",") if extra
            )
        else:
            assert re.search(rf"^{word}==", (ROOT / "constraints.txt").read_text(), re.MULTILINE)


def assert_prints(command: str, expected: str, folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
    )
    assert re.fullmatch(pattern(expected), done.stdout.strip()), f"{command}\n{done.stdout}"


def pattern(expected: str) -> str:
    return re.escape(expected.strip()).replace(r"\.\.\.", r"[^\n]*")


@contextmanager
def running(
    command: str, expected: str, folder: Path, environment: dict[str, str]
) -> Generator[None]:
    """A command in a terminal of its own, which says that it is ready if the page says what."""
    process = subprocess.Popen(
        ["bash", "-c", f"exec {command}"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        if "serve" in command:
            first = process.stdout.readline()
            assert re.fullmatch(pattern(expected or "serving ..."), first.strip()), first
        yield
    finally:
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=PATIENCE)
        assert "Traceback" not in rest, rest
