from __future__ import annotations

from pathlib import Path

import pytest

from clientgen.generator import seen_packages, user_cache
from clientgen.generator.package_manifest import MANIFEST, digest


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
    files = [tmp_path / "a.py", tmp_path / "b.py"]
    first = seen_packages.sources_digest(files, "black 26")
    assert seen_packages.sources_digest(reversed(files), "black 26") == first
    assert seen_packages.sources_digest(files, "black 27") != first
    (tmp_path / "b.py").write_text("3")
    assert seen_packages.sources_digest(files, "black 26") != first


def test_the_cache_is_where_the_platform_keeps_caches(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.undo()
    monkeypatch.setattr("sys.platform", "linux")
    assert user_cache.user_cache({"XDG_CACHE_HOME": "/x"}) == Path("/x/clientgen")
    monkeypatch.setattr("sys.platform", "win32")
    assert user_cache.user_cache({"LOCALAPPDATA": "/y"}) == Path("/y/clientgen")
