"""Objects out of YAML and JSON, and where they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from clientgen.testing._fake.object_files import ManifestError, manifests

TWO = """\
# comment
---
kind: A
apiVersion: v1
---

---
apiVersion: v1
kind: B
when: 2026-01-01
on: yes
"""


def test_documents_are_numbered_and_empty_ones_left_out():
    listed = [(each.where, each.value["kind"]) for each in manifests(TWO)]
    assert listed == [
        ("the text, document 1, line 3", "A"),
        ("the text, document 2, line 8", "B"),
    ]


def test_values_are_those_that_a_server_would_read():
    *_, last = manifests(TWO)
    assert last.value == {"apiVersion": "v1", "kind": "B", "when": "2026-01-01", "true": True}


def test_lists_are_taken_apart():
    text = '{"kind": "List", "apiVersion": "v1", "items": [{"kind": "A", "apiVersion": "v1"}]}'
    (only,) = manifests(text)
    assert only.where == "the text, document 1, line 1, items[0]"


def test_a_folder_is_read_in_the_order_of_its_names(tmp_path: Path):
    (tmp_path / "sub").mkdir()
    for name in ("b.yaml", "a.yml", "sub/c.json", "README.md"):
        (tmp_path / name).write_text(f'{{"apiVersion": "v1", "kind": "{name}"}}')
    kinds = [each.value["kind"] for each in manifests(tmp_path)]
    assert kinds == ["a.yml", "b.yaml", "sub/c.json"]
    assert [each.value["kind"] for each in manifests(str(tmp_path / "b.yaml"))] == ["b.yaml"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: b\na: c\n", 'key "a" already set in map'),
        ("kind: A\n\tx: y\n", "document 1, line 1: "),
        ("kind: A\nmetadata: {}\n", "the manifest has no apiVersion"),
        ("3\n\n", "the manifest is a plain value, not an object"),
        ('{"kind": "PodList", "items": [3]}', r"items\[0\]: the manifest is a plain value"),
    ],
)
def test_unusable_manifests_are_reported_with_their_place(text: str, why: str):
    with pytest.raises(ManifestError, match=why):
        list(manifests(text))


def test_a_file_that_is_no_text_is_told(tmp_path: Path):
    (tmp_path / "x.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(ManifestError, match=r"x\.yaml: the manifest is not UTF-8 text"):
        list(manifests(tmp_path / "x.yaml"))
