from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import clientgen
from clientgen.generator import seen_packages, user_cache
from clientgen.generator.package_manifest import MANIFEST, digest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(user_cache, "user_cache", lambda: tmp_path / "cache")
    return tmp_path / "cache"


def test_a_fact_is_recalled_by_its_kind_and_subject():
    assert user_cache.recall("etag", "x") is None
    user_cache.remember("etag", "x", "1")
    user_cache.remember("etag", "x", "2")
    assert user_cache.recall("etag", "x") == "2"
    assert user_cache.recall("etag", "y") is None
    assert user_cache.recall("seen", "x") is None


def test_a_cache_that_cannot_be_written_is_none(own_cache: Path):
    own_cache.write_text("in the way")
    user_cache.remember("etag", "x", "1")
    assert user_cache.recall("etag", "x") is None


def test_a_package_was_seen_only_by_the_same_generator_and_with_the_same_manifest(tmp_path: Path):
    seen_packages.record_seen(tmp_path, "generator 1", digest("one"))
    assert not seen_packages.has_seen(tmp_path, "generator 1")
    (tmp_path / MANIFEST).write_text("one")
    assert seen_packages.has_seen(tmp_path, "generator 1")
    assert not seen_packages.has_seen(tmp_path, "generator 2")
    assert not seen_packages.has_seen(tmp_path / "other", "generator 1")
    (tmp_path / MANIFEST).write_text("two")
    assert not seen_packages.has_seen(tmp_path, "generator 1")


def test_a_program_is_told_by_its_sources_and_nothing_else(tmp_path: Path):
    (tmp_path / "a.py").write_text("1")
    (tmp_path / "b.py").write_text("2")
    files = [(name, tmp_path / name) for name in ("a.py", "b.py")]
    first = seen_packages.sources_digest(files, "black 26")
    assert seen_packages.sources_digest(reversed(files), "black 26") == first
    assert seen_packages.sources_digest(files, "black 27") != first
    moved = [("a.py", tmp_path / "a.py"), ("c.py", tmp_path / "b.py")]
    assert seen_packages.sources_digest(moved, "black 26") != first
    (tmp_path / "b.py").write_text("3")
    assert seen_packages.sources_digest(files, "black 26") != first


def imported(name: str, path: Path) -> Iterator[str]:
    """Yield the modules of clientgen that a module imports, as paths below the package."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if not isinstance(node, ast.ImportFrom):
            continue
        start = name.split("/")[: -node.level] if node.level else []
        module = [*start, *(node.module or "").split(".")] if node.module else start
        if node.level == 0:
            if module[0] != "clientgen":
                continue
            del module[0]
        yield from ("/".join([*module, each.name]) for each in node.names)


def test_what_the_generator_imports_counts_as_its_sources():
    files = dict(seen_packages.generator_files())
    package = Path(clientgen.__file__).parent
    missing = {
        target
        for name, path in files.items()
        if name.endswith(".py")
        for target in imported(name, path)
        for module in (target, target.rpartition("/")[0])
        if (found := package / f"{module}.py").is_file() and found not in files.values()
    }
    # They read a live cluster, check what it answers, and tell what went wrong with it. Rules are
    # for definitions, not for what is generated.
    talking = (
        "runtime/_admission/rules/",
        "runtime/_config/",
        "runtime/_http/",
        "runtime/_redaction",
        "runtime/errors",
        "runtime/sync",
    )
    assert [each for each in missing if not each.startswith(talking)] == []
    assert len(files) > 250
    assert {"_gvk.py", "generator/plan/__init__.py", "runtime/_http/call_options.py"} <= set(files)
    assert {"templates/models.py.j2", "specs/kubernetes/swagger.json"} <= set(files)


@pytest.mark.slow
def test_a_changed_text_of_an_option_is_noticed(tmp_path: Path):
    ignored = shutil.ignore_patterns("__pycache__", "testing")
    shutil.copytree(ROOT / "clientgen", tmp_path / "clientgen", ignore=ignored)
    for folder in ("templates", "specs/kubernetes"):
        (tmp_path / folder).parent.mkdir(exist_ok=True)
        (tmp_path / folder).symlink_to(ROOT / folder)
    spec = ROOT / "specs/small/all-of.json"
    flags = ["--spec", str(spec), "--output", "out", "--package", "shop"]

    def generate() -> str:
        done = subprocess.run(
            [sys.executable, "-m", "clientgen", "generate", *flags],
            cwd=tmp_path,
            env={"PATH": "", "XDG_CACHE_HOME": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout + done.stderr

    generate()
    texts = [path.read_text() for path in sorted((tmp_path / "out/shop").rglob("*.py"))]
    assert "unchanged" in generate()
    options = tmp_path / "clientgen/runtime/_http/call_options.py"
    text = options.read_text()
    sentence = "The seconds the whole call may take, including retries."
    assert sentence in text
    options.write_text(text.replace(sentence, "Another sentence."))
    assert "unchanged" not in generate()
    assert [path.read_text() for path in sorted((tmp_path / "out/shop").rglob("*.py"))] != texts
    assert "unchanged" in generate()


def test_the_cache_is_where_the_platform_keeps_caches(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.undo()
    monkeypatch.setattr("sys.platform", "linux")
    assert user_cache.user_cache({"XDG_CACHE_HOME": "/x"}) == Path("/x/clientgen")
    monkeypatch.setattr("sys.platform", "win32")
    assert user_cache.user_cache({"LOCALAPPDATA": "/y"}) == Path("/y/clientgen")
