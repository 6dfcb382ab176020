"""Patches."""

from __future__ import annotations

import pytest

from clientgen.runtime._http.patches import ApplyPatch, JsonPatch, MergePatch, json_pointer


def test_patches_compare_by_kind_and_body():
    assert MergePatch({"a": 1}) == MergePatch({"a": 1})
    assert MergePatch({"a": 1}) != MergePatch({"a": 2})
    assert MergePatch({"a": 1}) != ApplyPatch({"a": 1})
    with pytest.raises(TypeError):
        hash(MergePatch({}))


def test_a_repr_does_not_show_values():
    assert repr(MergePatch({"data": {"password": "hunter2"}})) == "MergePatch(data)"
    patch = JsonPatch([{"op": "add", "path": "/data/password", "value": "hunter2"}])
    assert repr(patch) == "JsonPatch(add /data/password)"


def test_pointers_are_escaped():
    assert json_pointer("metadata", "labels", "a/b~c", 0) == "/metadata/labels/a~1b~0c/0"
    assert json_pointer() == ""
