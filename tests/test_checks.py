"""The checkers, run as tests: style, types as a user sees them, layers, and what is derived.

They are subprocesses, so that each sees the project as a user's machine would.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from support.coming_from import write_programs
from support.example_clients import generated_clients
from support.golden import all_generated
from support.how_to_worlds import modules_of_recipes
from support.run_folders import RunFolders

ROOT = Path(__file__).parents[1]
BY_HAND = ["clientgen", "tests", "examples", "benchmarks"]
# What checkers print goes here at once, so that it is there even if they, or pytest, are killed.
OUTPUT = ROOT / "build/checks"
# Checkers take minutes of a busy machine.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]


def check(*command: str, environment: dict[str, str] | None = None, cwd: Path = ROOT) -> str:
    """What the command says; it must succeed."""
    return run([sys.executable, "-m", *command], environment=environment, cwd=cwd)


def run(command: list[str], *, environment: dict[str, str] | None = None, cwd: Path = ROOT) -> str:
    """What the command says. A time limit ends it, and shows what it has said until then."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    test = os.environ["PYTEST_CURRENT_TEST"].rpartition("::")[2].partition(" ")[0]
    told, complaints = OUTPUT / f"{test}.txt", OUTPUT / f"{test}.err"
    with (
        told.open("wb") as out,
        complaints.open("wb") as err,
        subprocess.Popen(
            command, cwd=cwd, env=environment, stdout=out, stderr=err, start_new_session=True
        ) as process,
    ):
        try:
            code = process.wait()
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            print(told.read_text(), complaints.read_text(), sep="\n")  # pytest shows it
            raise
    assert code == 0, f"{told.read_text()}\n{complaints.read_text()}"
    return told.read_text()


def test_what_a_checker_has_said_is_told_if_a_time_limit_ends_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_waited_for, wait = tmp_path / "waited-for", subprocess.Popen[bytes].wait

    def waits(process: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        is_waited_for.touch()
        return wait(process, timeout)

    def limit(number: int, frame: object) -> None:
        pytest.fail("the time is over")

    # Limits come as signals. This one comes when the checker has found something and is waited for.
    monkeypatch.setattr(subprocess.Popen, "wait", waits)
    before = signal.signal(signal.SIGUSR1, limit)
    checker = (
        "import os, signal, sys, time\nprint('a.py:1: wrong', flush=True)\n"
        "while not os.path.exists(sys.argv[1]): time.sleep(0.01)\n"
        "os.kill(os.getppid(), signal.SIGUSR1); time.sleep(1000)"
    )
    try:
        with pytest.raises(pytest.fail.Exception, match="the time is over"):
            run([sys.executable, "-c", checker, str(is_waited_for)])
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert capsys.readouterr().out.startswith("a.py:1: wrong\n")


def test_style() -> None:
    check("ruff", "check", *BY_HAND)


def test_layout() -> None:
    check("ruff", "format", "--check", *BY_HAND)


def test_black_has_nothing_to_do_in_generated_code(run_folders: RunFolders) -> None:
    from clientgen.generator.format import LINE_LENGTH

    # The generator runs black only over what it does not know to be laid out as black writes it.
    golden = all_generated(run_folders).values()
    folders = [ROOT / "generated/kubeapi", *generated_clients(), *golden]
    mode = ("--fast", "--line-length", str(LINE_LENGTH), "--target-version", "py311")
    cache = {**os.environ, "BLACK_CACHE_DIR": str(ROOT / "build/black")}
    check("black", "--check", "--quiet", *mode, *map(str, folders), environment=cache)


def test_types_by_mypy(run_folders: RunFolders) -> None:
    """The project and the golden packages at once: what they share is read once."""
    generated_clients()
    write_programs()
    golden = all_generated(run_folders)
    packages = [path for folder in golden.values() for path in folder.iterdir() if path.is_dir()]
    assert len(packages) == len(golden)
    # What users mix in is checked as they would: by itself.
    mixed_in = [file for case in golden for file in case.glob("*_expansions.py")]
    assert mixed_in
    imported_from = os.pathsep.join(map(str, [*golden.values(), *golden]))
    check(
        *("mypy", *settings("mypy")["files"], *modules_of_recipes()),
        *map(str, (*packages, *mixed_in)),
        environment={**os.environ, "MYPYPATH": imported_from},
    )


def test_types_by_pyright(run_folders: RunFolders) -> None:
    """The project and the golden packages at once: what they share is read once."""
    generated_clients()
    write_programs()
    golden = all_generated(run_folders)
    ours = settings("pyright")
    included = [*(ROOT / name for name in ours.pop("include")), *golden.values()]
    environments = [
        (next(iter(golden.values())).parent, [*golden.values(), *golden]),
        (ROOT, [ROOT / name for name in ours.pop("extraPaths")]),
    ]
    config = {
        **ours,
        "include": [relative(path) for path in included],
        "executionEnvironments": [
            {"root": relative(root), "extraPaths": [*map(str, paths)]}
            for root, paths in environments
        ],
    }
    path = scratch("pyrightconfig.json", json.dumps(config))
    done = check("pyright", "-p", str(path), "--pythonpath", sys.executable, "--stats")
    (count,) = re.findall(r"Found (\d+) source files", done)
    assert int(count) == sum(len(list(path.rglob("*.py"))) for path in included)


def settings(checker: str) -> dict[str, Any]:
    """The settings of a checker in pyproject.toml."""
    settings: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"][checker]
    return settings


def relative(path: Path) -> str:
    """A path as pyright wants it: relative to the folder of its configuration."""
    return os.path.relpath(path, ROOT / "build")


def scratch(name: str, text: str) -> Path:
    """A file beside the sources: checkers read paths relative to their configuration."""
    path = ROOT / "build" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_layers() -> None:
    run([str(Path(sys.executable).with_name("lint-imports")), "--no-cache"])


def test_the_tree_of_rooms_is_up_to_date() -> None:
    run([sys.executable, "scripts/rooms", "--check"])


def test_the_manifests_of_meta_v1_are_derived_from_its_models() -> None:
    check("clientgen.generator.meta_manifests", "--check")


def test_generated_code_is_what_the_generator_writes_whatever_the_hash_seed() -> None:
    # The committed files were written under another seed: that of their run was random.
    check("clientgen", "verify", environment={**os.environ, "PYTHONHASHSEED": "4242"})
