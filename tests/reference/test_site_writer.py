"""What writing a site changes, and what it never does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from clientgen._problems import ClientgenError
from clientgen.cli.program import program
from clientgen.reference.site.site_writer import LIST, Written, write

FILES = {"index.html": b"home", "a/v1/Thing.html": b"thing", "assets/search.js": b"js"}
CRONTABS = Path(__file__).resolve().parents[1] / "golden" / "crd-basic" / "crontabs.yaml"


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def refused(files: dict[str, bytes], target: Path) -> str:
    with pytest.raises(ClientgenError) as raised:
        write(files, target)
    return str(raised.value)


def test_all_files_are_written_and_a_second_run_changes_nothing(tmp_path: Path):
    site = tmp_path / "docs" / "site"

    assert write(FILES, site) == Written(3, 0, 0)
    assert {path: data for path, data in contents(site).items() if path != LIST} == FILES
    before = {path: path.stat().st_mtime_ns for path in site.rglob("*")}
    assert write(FILES, site) == Written(0, 0, 3)
    assert before == {path: path.stat().st_mtime_ns for path in site.rglob("*")}


def test_a_later_site_removes_what_it_no_longer_has(tmp_path: Path):
    site = tmp_path / "site"
    write({**FILES, "b/v1/Old.html": b"old", "b/v1/Edited.html": b"old"}, site)
    (site / "b/v1/Edited.html").write_bytes(b"edited")
    (site / "CNAME").write_bytes(b"docs.example.com")

    done = write({**FILES, "index.html": b"new"}, site)

    assert done.removed == 1
    found = contents(site)
    assert found.pop("b/v1/Edited.html") == b"edited"
    assert found.pop("CNAME") == b"docs.example.com"
    del found[LIST]
    assert found == {**FILES, "index.html": b"new"}


@pytest.mark.parametrize("name", ["notes.txt", ".git/config", "index.html"])
def test_a_folder_with_other_files_is_refused(tmp_path: Path, name: str):
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"mine")

    message = refused(FILES, tmp_path)

    assert message.startswith(f"{tmp_path}: the folder holds other files, such as ")
    assert contents(tmp_path) == {name: b"mine"}


def test_a_file_in_the_way_is_refused(tmp_path: Path):
    write({"index.html": b"home"}, tmp_path)
    (tmp_path / "a/v1").mkdir(parents=True)
    (tmp_path / "a/v1/Thing.html").write_bytes(b"mine")
    before = contents(tmp_path)

    assert "a file that is no part of the site is in the way" in refused(FILES, tmp_path)
    assert contents(tmp_path) == before


def test_links_are_not_followed(tmp_path: Path):
    site, outside = tmp_path / "site", tmp_path / "outside"
    write({"index.html": b"home"}, site)
    outside.mkdir()
    (site / "a").symlink_to(outside)

    assert "there is a symbolic link where a directory is needed" in refused(FILES, site)
    assert contents(outside) == {}


def test_a_list_that_names_files_elsewhere_removes_nothing(tmp_path: Path):
    site, outside = tmp_path / "site", tmp_path / "outside.html"
    write(FILES, site)
    outside.write_bytes(b"home")
    listed = json.loads((site / LIST).read_bytes())
    digest = listed["files"]["index.html"]
    listed["files"] |= {"../outside.html": digest, str(outside): digest}
    (site / LIST).write_text(json.dumps(listed))

    assert write(FILES, site).removed == 0
    assert outside.read_bytes() == b"home"


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"about": "mine", "files": {}}'])
def test_a_list_that_is_not_ours_is_refused(tmp_path: Path, text: str):
    (tmp_path / LIST).write_text(text)

    assert "is not one that clientgen docs wrote" in refused(FILES, tmp_path)
    assert contents(tmp_path) == {LIST: text.encode()}


def test_a_file_is_no_folder(tmp_path: Path):
    (tmp_path / "site").write_bytes(b"mine")

    assert refused(FILES, tmp_path / "site").startswith(f"{tmp_path}/site: it is not a folder")


def test_a_failure_on_the_way_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write(FILES, tmp_path)
    before = contents(tmp_path)
    replace: Callable[[Path, Path], Path] = Path.replace

    def fail(self: Path, target: Path) -> Path:
        if str(target).endswith("Thing.html") and self.parent.name != "v1":
            raise OSError(28, "No space left on device", str(target))
        return replace(self, target)

    new = {path: data + b"!" for path, data in FILES.items()}
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        assert "it cannot be written: No space left on device" in refused(new, tmp_path)
    found = contents(tmp_path)
    assert {path: found[path] for path in FILES} == {path: before[path] for path in FILES}
    write(new, tmp_path)
    assert {path: contents(tmp_path)[path] for path in FILES} == new


def test_a_run_after_one_that_was_killed_finishes_its_work(tmp_path: Path):
    write({"index.html": b"home"}, tmp_path)
    staging = tmp_path / ".clientgen-staging"
    staging.mkdir()
    (staging / "1").write_bytes(b"half a fi")

    write(FILES, tmp_path)

    assert contents(tmp_path).keys() == {*FILES, LIST}
    assert not staging.exists()


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(program, ["docs", *arguments], catch_exceptions=False)
    return done.exit_code, done.stdout, done.stderr


def test_the_command_writes_a_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)

    code, stdout, stderr = run("--crd", str(CRONTABS), "--output", "site", "--package", "crons")

    assert (code, stderr) == (0, "")
    number = len(contents(tmp_path / "site")) - 1  # the list of the files
    assert stdout == f"site: {number} files written, 0 removed, 0 as before\n"
    assert b"crons reference" in (tmp_path / "site/index.html").read_bytes()
    assert run("--crd", str(CRONTABS), "--output", "site", "--package", "crons", "-q")[1] == ""


def test_nothing_is_written_if_a_source_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("crd.yaml").write_text("kind: CustomResourceDefinition\napiVersion: none\n")

    code, stdout, stderr = run("--crd", "crd.yaml", "--output", "site")

    assert (code, stdout) == (1, "")
    assert stderr.startswith("crd.yaml")
    assert not Path("site").exists()


def test_a_manifest_that_names_folders_elsewhere_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    Path("evil").mkdir()
    Path("evil/__init__.py").write_text("raise SystemExit('it ran')")
    manifest = {
        "about": "Code generated by clientgen. DO NOT EDIT.",
        "group_versions": {"example.com/v1": "../../etc"},
    }
    Path("evil/_manifest.json").write_text(json.dumps(manifest))

    code, _, stderr = run("--package", "evil", "--output", "site")

    assert code == 1
    assert "was edited: it contains an invalid name" in stderr or "has no types" in stderr
    assert not Path("site").exists()


def test_one_package_of_several_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    table = f'crd = ["{CRONTABS}"]\noutput = "."\n'
    Path("clientgen.toml").write_text(f"[packages.one]\n{table}[packages.two]\n{table}")
    CliRunner().invoke(program, ["generate"], catch_exceptions=False)

    code, _, stderr = run("--output", "site")
    assert code == 1
    message = "flags: the config has several packages: one, two\n    select one with --package\n"
    assert stderr == f"{message}1 problem\n"
    assert run("--output", "site", "--package", "two")[0] == 0
    assert b"two reference" in Path("site/index.html").read_bytes()
