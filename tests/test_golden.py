"""Golden cases: a folder in tests/golden with the input, and the output it must give.

    clientgen.toml     what to generate (the package is called like the folder, `-` as `_`)
    expected/          the package that comes out; or
    stderr.txt         what is said, when the input is bad and nothing must come out

`pytest --update-golden` writes what comes out now; read the difference before committing it.
"""

from __future__ import annotations

import compileall
import filecmp
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from clientgen.cli.program import program

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(folder for folder in GOLDEN.iterdir() if folder.is_dir())
BAD = [case for case in CASES if (case / "stderr.txt").is_file()]
GOOD = [case for case in CASES if case not in BAD]


def run(case: Path, command: str, output: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    monkeypatch.chdir(case)
    done = CliRunner().invoke(program, [command, "--output", str(output)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stderr


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.name)
def test_output_is_as_expected(
    case: Path, tmp_path: Path, update_golden: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, output = run(case, "generate", tmp_path / "out", monkeypatch)

    assert (code, output) == (0, "")
    if update_golden:
        shutil.rmtree(case / "expected", ignore_errors=True)
        shutil.copytree(tmp_path / "out", case / "expected", ignore=_digests)
    compare(case / "expected", tmp_path / "out")


def test_compiled_files_make_no_difference(tmp_path: Path) -> None:
    expected = GOLDEN / "fields" / "expected"
    imported = tmp_path / "imported"
    shutil.copytree(expected, imported)
    compileall.compile_dir(imported, quiet=2)
    assert list(imported.rglob("*.pyc"))

    compare(imported, expected)
    compare(expected, imported)


@pytest.mark.parametrize("case", BAD, ids=lambda case: case.name)
def test_bad_input_is_told_and_nothing_is_written(
    case: Path, tmp_path: Path, update_golden: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, stderr = run(case, "generate", tmp_path / "out", monkeypatch)

    if update_golden:
        (case / "stderr.txt").write_text(stderr)
    assert code == 1
    assert stderr == (case / "stderr.txt").read_text()
    assert not (tmp_path / "out").exists()


def _digests(_folder: str, names: list[str]) -> set[str]:
    """The manifest changes with every change of the generator; other tests are about it."""
    return {"_manifest.json"} & set(names)


def files(tree: Path) -> set[Path]:
    """Return the files of a tree, without digests and without what Python compiled on import."""
    paths = {path.relative_to(tree) for path in tree.rglob("*") if path.is_file()}
    return {
        path for path in paths if path.name != "_manifest.json" and "__pycache__" not in path.parts
    }


def compare(expected: Path, actual: Path) -> None:
    """Both trees have the same files with the same contents."""
    wanted, there = files(expected), files(actual)
    assert sorted(there - wanted) == []
    assert sorted(wanted - there) == []
    differing = [
        path
        for path in sorted(wanted)
        if not filecmp.cmp(expected / path, actual / path, shallow=False)
    ]
    for path in differing:
        assert (actual / path).read_text() == (expected / path).read_text(), path
