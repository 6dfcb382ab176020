"""The checkers, run as tests: style, types as a user sees them, layers, and what is derived.

They are subprocesses, so that each sees the project as a user's machine would.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

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
    capsys: pytest.CaptureFixture[str],
) -> None:
    def limit(number: int, frame: object) -> None:
        pytest.fail("the time is over")

    # Limits come as signals. This one comes as soon as the checker has found something.
    before = signal.signal(signal.SIGUSR1, limit)
    checker = (
        "import os, signal, time; print('a.py:1: wrong', flush=True);"
        "os.kill(os.getppid(), signal.SIGUSR1); time.sleep(1000)"
    )
    try:
        with pytest.raises(pytest.fail.Exception, match="the time is over"):
            run([sys.executable, "-c", checker])
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


def test_types_by_mypy() -> None:
    generated_clients()
    write_programs()
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())
    check("mypy", *config["tool"]["mypy"]["files"], *modules_of_recipes())


def test_types_by_pyright() -> None:
    generated_clients()
    write_programs()
    # Named, since pyright would rather take a pyrightconfig.json of a folder above.
    check("pyright", "-p", str(ROOT / "pyproject.toml"), "--pythonpath", sys.executable)


def test_types_of_golden_output_by_mypy(run_folders: RunFolders) -> None:
    folders = all_generated(run_folders)
    packages = [p.name for folder in folders.values() for p in folder.iterdir() if p.is_dir()]
    assert len(packages) == len(folders)
    mypy_path = ":".join(map(str, [*folders.values(), *folders]))
    config = scratch("mypy.ini", f"[mypy]\nstrict = True\nmypy_path = {mypy_path}\n")
    arguments = [word for package in packages for word in ("-p", package)]
    # What users mix in is checked as they would: by itself.
    mixed_in = [file.stem for case in folders for file in case.glob("*_expansions.py")]
    assert mixed_in
    arguments += [word for module in mixed_in for word in ("-m", module)]
    check("mypy", "--config-file", str(config), *arguments)


def test_types_of_golden_output_by_pyright(run_folders: RunFolders) -> None:
    folders = all_generated(run_folders)
    config = {
        "include": [folder.name for folder in folders.values()],
        "extraPaths": [str(path) for path in (*folders.values(), *folders)],
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
    }
    # Beside the packages: what to include is relative to it.
    path = next(iter(folders.values())).with_name("pyrightconfig.json")
    path.write_text(json.dumps(config))
    done = check("pyright", "-p", str(path), "--pythonpath", sys.executable, "--outputjson")
    assert json.loads(done)["summary"]["filesAnalyzed"] > 10 * len(folders)


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


def test_generated_code_is_what_the_generator_writes() -> None:
    check("clientgen", "verify")


def test_output_does_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    spec = str(ROOT / "specs/kubernetes/swagger.json")
    environment = {**os.environ, "PYTHONHASHSEED": "4242"}  # that of `verify` above is random
    flags = ["--spec", spec, "--output", str(tmp_path), "--package", "kubeapi"]
    check("clientgen", "generate", *flags, environment=environment, cwd=tmp_path)

    for path in sorted((ROOT / "generated/kubeapi").rglob("*.py")):
        twin = tmp_path / "kubeapi" / path.relative_to(ROOT / "generated/kubeapi")
        assert twin.read_bytes() == path.read_bytes(), path
