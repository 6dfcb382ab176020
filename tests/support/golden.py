"""Golden cases: their folders, the files that each is about, and the packages they give.

tests/test_golden.py says what is in a case.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.run_folders import RunFolders

from clientgen.cli.program import program

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
CASES = sorted(folder for folder in GOLDEN.iterdir() if folder.is_dir())
BAD = [case for case in CASES if (case / "stderr.txt").is_file()]
GOOD = [case for case in CASES if case not in BAD]
# The names of all files of a package, in every case.
NAMES = "files.txt"
_DEFAULT = ("*/models.py",)


def package_of(case: Path) -> str:
    """Return the name of the case's package."""
    return case.name.replace("-", "_")


def about(case: Path) -> tuple[str, ...]:
    """Return the patterns of the files that a case is about."""
    file = case / "about"
    lines = file.read_text().splitlines() if file.is_file() else _DEFAULT
    return tuple(line for line in lines if line and not line.startswith("#"))


def is_about(path: str, patterns: tuple[str, ...]) -> bool:
    """Return whether a generated file matches one of the patterns; `*` stands for folders, too."""
    return any(fnmatchcase(path, pattern) for pattern in patterns)


def kept(case: Path, files: Mapping[str, str]) -> dict[str, str]:
    """Return what a case keeps of all that is generated for it: its files, and the names of all."""
    patterns = about(case)
    unmatched = [each for each in patterns if not any(is_about(path, (each,)) for path in files)]
    assert unmatched == [], f"{case.name}/about matches no file"
    chosen = {path: text for path, text in files.items() if is_about(path, patterns)}
    return {**chosen, NAMES: "".join(f"{path}\n" for path in sorted(files))}


def read(folder: Path) -> dict[str, str]:
    """Return the files of a folder by path, without digests and what Python compiled on import."""
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "_manifest.json" and path.suffix != ".pyc"
    }


def generate(case: Path, output: Path) -> tuple[int, str]:
    """Run `clientgen generate` in the folder of a case; return the exit code and stderr."""
    with pytest.MonkeyPatch.context() as patch, contextlib.chdir(case):
        patch.setenv("XDG_CACHE_HOME", str(output.parent / "cache"))
        done = CliRunner().invoke(program, ["generate", "--output", str(output)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stderr


def generated(case: Path, folders: RunFolders) -> Path:
    """Return the folder of this run that contains the whole package of a case."""
    return folders.get(f"golden/{case.name}", lambda folder: _generate_well(case, folder))


def all_generated(folders: RunFolders) -> dict[Path, Path]:
    """Return the folders that contain the whole packages of all cases."""
    return {case: generated(case, folders) for case in GOOD}


def _generate_well(case: Path, folder: Path) -> None:
    assert generate(case, folder) == (0, "")


def import_paths(folders: RunFolders) -> Iterator[Path]:
    """Yield what to import all packages from, with the modules of users that some of them need."""
    for case, folder in all_generated(folders).items():
        yield from (case, folder)
