"""scripts/release: what it refuses, what it builds, and what it says of the files."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from packaging.version import Version
from releasing import __main__ as program
from releasing import provenance
from releasing.build import build_twice
from releasing.changelog import (
    check_released,
    is_anything_unreleased,
    is_released,
    release_entries,
    with_release,
)
from releasing.commands import ReleaseError, run
from releasing.contents import Expected, check
from releasing.environments import pythons

import clientgen

ROOT = Path(__file__).parents[1]
CHANGELOG = """\
# Changelog

## Unreleased

### Added

- A thing.

## 1.0.0 - 2026-01-02

- The first.
"""
PROJECT = """\
[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "shop"
version = "1.2.0"
description = "Clients of the shop"
readme = "README.md"
license = "Apache-2.0"
requires-python = ">=3.11"
classifiers = ["Typing :: Typed"]
dependencies = ["clientgen"]

[tool.hatch.build.targets.wheel]
packages = ["shop"]

[tool.hatch.build.targets.sdist]
only-include = ["shop"]
"""
FILES = {
    "pyproject.toml": PROJECT,
    "README.md": "# Shop\n",
    "LICENSE": "Take it.\n",
    "shop/__init__.py": '"""The shop."""\n',
    "shop/py.typed": "",
}
MODULES = frozenset({"shop/__init__.py", "shop/py.typed"})
EXPECTED = Expected(MODULES, MODULES | {"README.md"}, b"Take it.\n")
TIME = 1_700_000_000


# ----------------------------------------------------------------------------------- changelog


def test_what_is_unreleased_becomes_the_version():
    text = with_release(CHANGELOG, "1.1.0", "2026-03-04")
    assert release_entries(text, "## 1.1.0 - 2026-03-04") == "### Added\n\n- A thing."
    assert release_entries(text, "## 1.0.0 - 2026-01-02") == "- The first."
    assert text.startswith("# Changelog\n\n## Unreleased\n\n## 1.1.0 - 2026-03-04\n\n### Added\n")
    with pytest.raises(ReleaseError, match="no entries under `## Unreleased`"):
        with_release(text, "1.2.0", "2026-03-05")
    with pytest.raises(ReleaseError, match=r"1\.0\.0 is there already"):
        with_release(CHANGELOG, "1.0.0", "2026-03-04")
    with pytest.raises(ReleaseError, match="no heading `## Unreleased`"):
        with_release(CHANGELOG.replace("## Unreleased", "## Later"), "1.1.0", "2026-03-04")


def test_after_a_release_nothing_is_unreleased():
    assert is_anything_unreleased(CHANGELOG)
    assert not is_released(CHANGELOG, "1.1.0")
    text = with_release(CHANGELOG, "1.1.0", "2026-03-04")
    assert not is_anything_unreleased(text)
    assert is_released(text, "1.1.0")
    assert not is_released(text, "1.1")


def test_a_tag_needs_entries_of_its_version():
    check_released(CHANGELOG, "1.0.0")
    with pytest.raises(ReleaseError, match=r"no heading `## 1\.1\.0 - YYYY-MM-DD`"):
        check_released(CHANGELOG, "1.1.0")
    with pytest.raises(ReleaseError, match=r"no entries under `## 1\.0\.0 - 2026-01-02`"):
        check_released(CHANGELOG.replace("- The first.", ""), "1.0.0")


def test_our_changelog_has_the_form_that_the_script_reads():
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    first, *versions = re.findall(r"^## .*$", text, re.MULTILINE)
    assert first == "## Unreleased"
    dated = re.compile(r"## \d+\.\d+\.\d+(rc\d+)? - \d{4}-\d\d-\d\d")
    assert [each for each in versions if not dated.fullmatch(each)] == []
    below = set(re.findall(r"^### .*$", text, re.MULTILINE))
    kinds = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
    assert below <= {f"### {kind}" for kind in kinds}


# ------------------------------------------------------------------------------------ versions


@pytest.mark.parametrize(
    ("version", "why"),
    [
        ("1.2", "is no version"),
        ("v1.2.0", "is no version"),
        ("1.2.0-rc1", "is no version"),
        ("one", "is no version"),
        ("1.1.9", "is older than 1.2.0"),
        ("1.3.0", "a tag v1.3.0 already"),
    ],
)
def test_a_version_that_cannot_be_released_is_refused(
    monkeypatch: pytest.MonkeyPatch, version: str, why: str
):
    monkeypatch.setattr(program, "_tagged", {"1.3.0": True}.get)
    with pytest.raises(ReleaseError, match=why):
        program._check_version(version, "1.2.0")
    for fine in ("1.2.0", "1.2.1", "1.4.0rc1"):
        program._check_version(fine, "1.2.0")


def test_a_dry_run_takes_the_next_version(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(program, "_tagged", {"1.2.0": True}.get)
    assert program._next("1.2.0") == "1.2.1"
    assert program._next("1.3.0") == "1.3.0"
    # A clone may be without tags: the changelog tells, too.
    monkeypatch.setattr(program, "_changelog", lambda: CHANGELOG)
    assert program._next("1.0.0") == "1.0.1"


def test_what_cannot_be_made_is_told_in_one_line(capsys: pytest.CaptureFixture[str]):
    assert program.main(["1.x", "--dry-run"]) == 1
    assert capsys.readouterr().err.startswith("release: 1.x is no version: write it like 1.2.0")
    with pytest.raises(SystemExit):
        program.main([])
    assert "name the version" in capsys.readouterr().err


def test_the_pythons_are_those_of_the_matrix():
    found = pythons(ROOT)
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in found
    assert [*found] == sorted(found, key=Version)


# ------------------------------------------------------------------------------------- the files


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "project"


def rewritten(wheel: Path, change: str, data: bytes | None) -> None:
    """Replace a file of a wheel, add it, or remove it."""
    with zipfile.ZipFile(wheel) as archive:
        files = {each.filename: archive.read(each) for each in archive.infolist()}
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, old in (files | ({change: data} if data is not None else {})).items():
            if data is not None or name != change:
                archive.writestr(name, old)


@pytest.mark.slow
def test_files_are_built_reproducibly_and_checked(project: Path, tmp_path: Path):
    (project / "shop/__pycache__").mkdir()
    (project / "shop/__pycache__/a.pyc").write_bytes(b"")
    wheel, sdist = build_twice(project, tmp_path / "dist", TIME, tmp_path / "scratch")
    assert (wheel.name, sdist.name) == ("shop-1.2.0-py3-none-any.whl", "shop-1.2.0.tar.gz")
    metadata = check([wheel, sdist], EXPECTED)
    assert (metadata.name, str(metadata.version)) == ("shop", "1.2.0")
    with tarfile.open(sdist) as archive:
        assert {each.mtime for each in archive} == {TIME}

    damaged = tmp_path / "damaged" / wheel.name
    damaged.parent.mkdir()
    for change, data, why in (
        ("shop/__init__.py", b"changed", r"shop/__init__\.py is not what RECORD tells"),
        ("shop/py.typed", None, r"py\.typed is missing"),
        ("shop/tests/test_a.py", b"", r"shop/tests/test_a\.py does not belong there"),
        ("shop-1.2.0.dist-info/licenses/LICENSE", b"Keep out.", "the licence is missing"),
    ):
        shutil.copyfile(wheel, damaged)
        rewritten(damaged, change, data)
        with pytest.raises(ReleaseError, match=why):
            check([damaged, sdist], EXPECTED)
    more = Expected(MODULES, MODULES | {"README.md", "docs.md"}, b"Take it.\n")
    with pytest.raises(ReleaseError, match=r"shop-1\.2\.0\.tar\.gz: docs\.md is missing"):
        check([wheel, sdist], more)

    release = tmp_path / "dist"
    provenance.write(release, "1.2.0", "c0ffee", TIME)
    assert provenance.commit_of(release) == "c0ffee"
    tools = {name.partition("@")[0] for name in provenance.tools_of(release)}
    assert {"python", "zlib", "hatchling", "black"} <= tools
    statement = json.loads((release / "provenance.json").read_bytes())
    assert [each["name"] for each in statement["subject"]] == [wheel.name, sdist.name]
    sums = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=release, capture_output=True)
    assert sums.returncode == 0
    other = tmp_path / "other"
    shutil.copytree(release, other)
    assert provenance.differences(release, other) == []
    rewritten(other / wheel.name, "shop/__init__.py", b"changed")
    (other / sdist.name).unlink()
    assert provenance.differences(release, other) == [wheel.name, sdist.name]


@pytest.mark.slow
def test_a_build_that_depends_on_its_place_is_refused(project: Path, tmp_path: Path):
    (project / "hatch_build.py").write_text(
        """\
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Hook(BuildHookInterface):
    PLUGIN_NAME = "custom"

    def initialize(self, version, data):
        Path(self.root, "shop/place.py").write_text(f"PLACE = {self.root!r}")
"""
    )
    text = PROJECT + "\n[tool.hatch.build.hooks.custom]\n"
    (project / "pyproject.toml").write_text(text)
    with pytest.raises(ReleaseError, match="a second build gave other bytes"):
        build_twice(project, tmp_path / "dist", TIME, tmp_path / "scratch")
    assert not (tmp_path / "dist").exists()


def test_a_folder_without_a_statement_is_told(tmp_path: Path):
    with pytest.raises(ReleaseError, match="no statement of a release"):
        provenance.commit_of(tmp_path)
    (tmp_path / "provenance.json").write_text("{}")
    with pytest.raises(ReleaseError, match="no statement of a release"):
        provenance.commit_of(tmp_path)


def test_a_program_that_fails_says_why(tmp_path: Path):
    assert run(sys.executable, "-c", "print(1)", folder=tmp_path) == "1\n"
    with pytest.raises(ReleaseError, match="no way"):
        run(sys.executable, "-c", "import sys; sys.exit('no way')", folder=tmp_path)


def test_the_version_stands_once():
    assert program._version_of(ROOT) == clientgen.__version__
