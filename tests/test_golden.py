"""Golden cases: a folder in tests/golden with the input, and the output it must give.

    clientgen.toml     what to generate (the package is called like the folder, `-` as `_`)
    about              the files that the case is about: lines with patterns, such as */listers.py
                       (`*` stands for folders, too). Without this file they are */models.py
    expected/          these files, as they come out; and files.txt, the names of all; or
    stderr.txt         what is said, when the input is bad and nothing must come out

`pytest tests/test_golden.py --update-golden` writes what comes out now; read the difference before
committing it. `bash scripts/golden-mutations` tells what would break without any case noticing it.
"""

from __future__ import annotations

import compileall
import shutil
from pathlib import Path

import pytest
from support.golden import BAD, GOLDEN, GOOD, NAMES, generate, generated, kept, read
from support.run_folders import RunFolders


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.name)
def test_output_is_as_expected(case: Path, run_folders: RunFolders, update_golden: bool) -> None:
    files = read(generated(case, run_folders))

    for path, text in files.items():
        if path.endswith(".py"):
            compile(text, path, "exec", dont_inherit=True)
    actual = kept(case, files)
    if update_golden:
        write(case / "expected", actual)
    assert sorted(actual) == sorted(read(case / "expected"))
    for path, text in read(case / "expected").items():
        assert actual[path] == text, path


@pytest.mark.parametrize("case", BAD, ids=lambda case: case.name)
def test_bad_input_is_told_and_nothing_is_written(
    case: Path, tmp_path: Path, update_golden: bool
) -> None:
    code, stderr = generate(case, tmp_path / "out")

    if update_golden:
        (case / "stderr.txt").write_text(stderr)
    assert code == 1
    assert stderr == (case / "stderr.txt").read_text()
    assert not (tmp_path / "out").exists()


def write(expected: Path, files: dict[str, str]) -> None:
    """Have the folder contain these files and no others."""
    shutil.rmtree(expected, ignore_errors=True)
    for path, text in files.items():
        (expected / path).parent.mkdir(parents=True, exist_ok=True)
        (expected / path).write_text(text, "utf-8")


def test_a_case_keeps_the_files_it_is_about_and_the_names_of_all(tmp_path: Path) -> None:
    files = {"a/v1/listers.py": "l", "a/v1/models.py": "m", "a/v2/models.py": "n", "a/x.py": "x"}
    names = {NAMES: "a/v1/listers.py\na/v1/models.py\na/v2/models.py\na/x.py\n"}

    assert kept(tmp_path, files) == {"a/v1/models.py": "m", "a/v2/models.py": "n", **names}
    (tmp_path / "about").write_text("# Why.\n\na/v2/*\n*/listers.py\n")
    assert kept(tmp_path, files) == {"a/v1/listers.py": "l", "a/v2/models.py": "n", **names}
    (tmp_path / "about").write_text("*/models.py\n*/lister.py\n")
    with pytest.raises(AssertionError, match="about matches no file"):
        kept(tmp_path, files)


def test_compiled_files_make_no_difference(run_folders: RunFolders, tmp_path: Path) -> None:
    package = generated(GOLDEN / "fields", run_folders)
    imported = tmp_path / "imported"
    shutil.copytree(package, imported)
    compileall.compile_dir(imported, quiet=2)
    assert list(imported.rglob("*.pyc"))

    assert read(imported) == read(package)
