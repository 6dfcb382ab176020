"""What an edit sends."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some
from support.models import Pod, pod

from clientgen.runtime._http.edit import changed, difference
from clientgen.runtime._http.patches import JsonPatch, MergePatch
from clientgen.runtime._models.model_codec import decode

GUARDS = {"uid": "u", "resourceVersion": "7"}


def obj(**more: Any) -> dict[str, Any]:
    return {"kind": "X", "metadata": {"name": "x", **GUARDS}, **more}


def test_only_what_differs_is_sent_and_lists_whole():
    before = obj(spec={"a": 1, "b": [{"x": 1}, {"y": 2}], "c": {"d": 1, "e": 2}, "gone": 1})
    after = obj(spec={"a": 1, "b": [{"x": 1}, {"y": 3}], "c": {"d": 1, "e": 3}, "new": {}})
    assert difference(before, after) == MergePatch(
        {
            "metadata": GUARDS,
            "spec": {"b": [{"x": 1}, {"y": 3}], "c": {"e": 3}, "gone": None, "new": {}},
        }
    )


def test_equal_objects_have_no_difference():
    assert difference(obj(a=1), obj(a=1)) is None
    assert difference({}, {}) is None


def test_an_object_that_is_not_stored_has_no_guards():
    assert difference({"a": 1}, {"a": 2}) == MergePatch({"a": 2})


def test_the_guards_are_those_that_were_read():
    after = {"kind": "X", "metadata": {"name": "x", "uid": "other", "labels": {"a": "b"}}}
    assert difference(obj(), after) == MergePatch({"metadata": {**GUARDS, "labels": {"a": "b"}}})
    assert difference(obj(), {"kind": "X", "metadata": {"name": "x"}}) is None


@pytest.mark.parametrize(
    ("old", "new"), [(1, True), (1, 1.0), (0, False), ([1], [True]), ("", None)]
)
def test_values_are_compared_as_json(old, new):
    patch = difference(obj(a=old), obj(a=new))
    assert patch is not None


@pytest.mark.parametrize("new", [None, {"b": None}, [{"b": None}], [[{"b": None}]]])
def test_a_null_to_be_set_takes_a_json_patch(new):
    before, after = obj(a=1, b={"c/d": 1, "e": 1}), obj(a=new, b={"c/d": 2}, f=1)
    assert difference(before, after) == JsonPatch(
        [
            {"op": "replace", "path": "/metadata/uid", "value": "u"},
            {"op": "replace", "path": "/metadata/resourceVersion", "value": "7"},
            {"op": "replace", "path": "/a", "value": new},
            {"op": "remove", "path": "/b/e"},
            {"op": "replace", "path": "/b/c~1d", "value": 2},
            {"op": "add", "path": "/f", "value": 1},
        ]
    )


def test_a_null_that_stays_or_stands_in_a_list_is_no_matter():
    assert difference(obj(a={"b": None}, c=1), obj(a={"b": None}, c=2)) == MergePatch(
        {"metadata": GUARDS, "c": 2}
    )
    assert difference(obj(a=[1]), obj(a=[None])) == MergePatch({"metadata": GUARDS, "a": [None]})


def test_fields_that_this_package_does_not_know_stay():
    wire = pod(newer={"keep": 1})
    wire["spec"]["containers"][0]["newest"] = [1]
    decoded = decode(json.dumps(wire).encode(), Pod)

    def change(it: Pod) -> None:
        it.spec.containers[0].image = "nginx:2"

    patch = changed(decoded, change)
    assert isinstance(patch, MergePatch)
    assert patch.body == {
        "metadata": {"uid": "uid-web-0", "resourceVersion": "1"},
        "spec": {"containers": [{"name": "main", "image": "nginx:2", "newest": [1]}]},
    }


def test_raw_json_may_change():
    decoded = decode(json.dumps(pod(spec={"containers": [], "extension": {"a": 1}})).encode(), Pod)

    def change(it: Pod) -> None:
        it.spec.extension = msgspec.Raw(b'{"a":null}')

    assert isinstance(changed(decoded, change), JsonPatch)


def test_a_change_may_not_wait():
    async def change(it: Pod) -> None: ...

    with pytest.raises(TypeError, match="plain function"):
        changed(decode(json.dumps(pod()).encode(), Pod), change)


def merged(target: Any, patch: Any) -> Any:
    """RFC 7386, to the letter."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


scalars = some.booleans() | some.integers(-3, 3) | some.sampled_from(["", "a", "b"])
values = some.recursive(
    scalars,
    lambda inner: (
        some.lists(inner, max_size=3)
        | some.dictionaries(some.sampled_from("abcd"), inner, max_size=3)
    ),
    max_leaves=8,
)
objects = some.dictionaries(some.sampled_from("abcd"), values, max_size=4)


@given(objects, objects)
def test_the_patch_leads_from_one_object_to_the_other(before, after):
    patch = difference(before, after)
    body = {} if patch is None else patch.body
    assert json.dumps(merged(before, body), sort_keys=True) == json.dumps(after, sort_keys=True)


def test_a_change_that_makes_another_object_is_told():
    with pytest.raises(TypeError, match="a returned object is not sent"):
        changed(decode(json.dumps(pod()).encode(), Pod), lambda _: Pod())


def test_the_return_value_of_a_change_is_ignored():
    assert changed(decode(json.dumps(pod()).encode(), Pod), lambda it: it) is None
    assert changed(decode(json.dumps(pod()).encode(), Pod), lambda it: it.metadata) is None


def test_an_empty_map_that_is_assigned_again_stays():
    """A class leaves out what is empty: to the JSON, it looks removed."""

    def patch_of(**values: Any) -> Any:
        def change(it: Pod) -> None:
            for name, value in values.items():
                setattr(it.spec, name, value)

        spec = {"containers": [], "nodeSelector": {}}
        return changed(decode(json.dumps(pod(spec=spec)).encode(), Pod), change)

    assert patch_of(node_selector={}) is None
    assert patch_of(node_selector={}, node_name="a").body["spec"] == {"nodeName": "a"}
    assert patch_of(node_selector={"a": "b"}).body["spec"] == {"nodeSelector": {"a": "b"}}
