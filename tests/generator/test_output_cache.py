from __future__ import annotations

from pathlib import Path

import pytest

from clientgen.generator import cache, remembering
from clientgen.generator.manifest import MANIFEST, digest


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(remembering, "user_cache", lambda: tmp_path / "cache")
    return tmp_path / "cache"


def test_a_fact_is_recalled_by_its_kind_and_subject():
    assert remembering.recall("etag", "x") is None
    remembering.remember("etag", "x", "1")
    remembering.remember("etag", "x", "2")
    assert remembering.recall("etag", "x") == "2"
    assert remembering.recall("etag", "y") is None
    assert remembering.recall("seen", "x") is None


def test_a_cache_that_cannot_be_written_is_none(own_cache: Path):
    own_cache.write_text("in the way")
    remembering.remember("etag", "x", "1")
    assert remembering.recall("etag", "x") is None


def test_a_package_was_seen_only_by_the_same_generator_and_with_the_same_manifest(tmp_path: Path):
    cache.saw(tmp_path, "generator 1", digest("one"))
    assert not cache.has_seen(tmp_path, "generator 1")
    (tmp_path / MANIFEST).write_text("one")
    assert cache.has_seen(tmp_path, "generator 1")
    assert not cache.has_seen(tmp_path, "generator 2")
    assert not cache.has_seen(tmp_path / "other", "generator 1")
    (tmp_path / MANIFEST).write_text("two")
    assert not cache.has_seen(tmp_path, "generator 1")


def test_a_program_is_told_by_its_sources_and_nothing_else(tmp_path: Path):
    (tmp_path / "a.py").write_text("1")
    (tmp_path / "b.py").write_text("2")
    files = [tmp_path / "a.py", tmp_path / "b.py"]
    first = cache.sources_digest(files, "black 26")
    assert cache.sources_digest(reversed(files), "black 26") == first
    assert cache.sources_digest(files, "black 27") != first
    (tmp_path / "b.py").write_text("3")
    assert cache.sources_digest(files, "black 26") != first


def test_the_cache_is_where_the_platform_keeps_caches(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.undo()
    monkeypatch.setattr("sys.platform", "linux")
    assert remembering.user_cache({"XDG_CACHE_HOME": "/x"}) == Path("/x/clientgen")
    monkeypatch.setattr("sys.platform", "win32")
    assert remembering.user_cache({"LOCALAPPDATA": "/y"}) == Path("/y/clientgen")
