"""The paths of views by paths, and what hostile servers answer to them."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import try_examples

from clientgen.runtime._models.field_trees import FieldTree
from clientgen.runtime._models.model_codec import DecodeError, decode_events, decode_list
from clientgen.runtime._models.path_views import UnstructuredView
from clientgen.runtime._models.unstructured import list_class
from clientgen.runtime.models import Unstructured, decode, deep_copy
from clientgen.runtime.views import view_of


def members(paths: list[str], obj: dict[str, Any]) -> dict[str, Any]:
    return {**view_of(paths)(obj)}


OBJECT: dict[str, Any] = {
    "kind": "Tab",
    "spec": {"a.b/c": 1, "plain": {"x": 1, "y": 2}, "rows": [{"x": 1, "y": 2}, [{"x": 1}], None]},
    "tür": 4,
}


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("spec['a.b/c']", {"spec": {"a.b/c": 1}}),
        ('["spec"]["a.b/c"]', {"spec": {"a.b/c": 1}}),
        (r".spec.a\.b/c", {"spec": {"a.b/c": 1}}),
        ("spec.a.b/c", {"spec": {}}),
        ("spec.plain.x", {"spec": {"plain": {"x": 1}}}),
        ("spec.rows[*].x", {"spec": {"rows": [{"x": 1}, [{"x": 1}], None]}}),
        ("spec.rows[].x", {"spec": {"rows": [{"x": 1}, [{"x": 1}], None]}}),
        ("spec.rows.none", {"spec": {"rows": [{}, [{"x": 1}], None]}}),
        ("kind.x", {}),
        ("tür", {"tür": 4}),
    ],
)
def test_a_path_selects_what_kubectl_would_select(path: str, kept: dict[str, Any]) -> None:
    assert members([path], OBJECT) == {"kind": "Tab", **kept}


def test_a_path_below_another_one_adds_nothing() -> None:
    whole = view_of(["spec.plain"])
    for more in (["spec.plain.x", "spec.plain"], ["spec.plain", "spec.plain.x.y"]):
        assert view_of(more) is whole
    assert members(["spec", "spec.plain.x"], OBJECT)["spec"] == OBJECT["spec"]
    assert members(["metadata"], {"metadata": {"anything": 1}}) == {"metadata": {"anything": 1}}


_LONG = ".".join(["spec"] * 10_000)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "'' is not a path"),
        (".", "'.' is not a path"),
        ("spec..x", "'spec..x' is not a path"),
        ("spec.", "'spec.' is not a path"),
        ("spec x", "'spec x' is not a path"),
        ("{.spec.x}", "'{.spec.x}' is not a path"),
        ("spec.*", "is not a path"),
        ("spec['x", "is not a path"),
        ("spec['x']y", "is not a path"),
        ("spec.rows[0].x", "selects some items of a list"),
        ("spec.rows[0:2]", "selects some items of a list"),
        ("['a\\b']", "has a name with a quote, a backslash or a control character"),
        ("spec['a\0b']", "has a name with a quote, a backslash or a control character"),
        ("spec.\ud800", "has a name with a quote, a backslash or a control character"),
        (_LONG, "...' has more than 32 fields"),
        (_LONG.replace("spec", "a[*]"), "...' has more than 32 fields"),
    ],
)
def test_a_wrong_path_is_an_error_that_says_which_one(path: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"^paths\[1\]: ") as caught:
        view_of(["spec.size", path, "status"])
    assert message in str(caught.value)
    assert "write the names of fields in JSON" in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("path", [None, 3, b"spec", ["spec"], ("spec",), Unstructured])
def test_a_path_that_is_not_text_is_an_error(path: Any) -> None:
    with pytest.raises(TypeError, match=r"^paths\[0\] must be text, such as 'spec.size', not "):
        view_of([path])
    with pytest.raises(TypeError, match=r"write view_of\(\['spec'\]\)"):
        view_of("spec")


def test_ten_thousand_paths_are_a_view_like_any_other() -> None:
    many = view_of([f"data.key{at}" for at in range(10_000)])
    data = {f"key{at}": "x" for at in range(9_990, 10_010)}
    body = json.dumps({"kind": "ConfigMap", "metadata": {"name": "a"}, "data": data})
    assert [*decode(body.encode(), many)["data"]] == [f"key{at}" for at in range(9_990, 10_000)]


def test_views_are_copied_and_pickled_as_views() -> None:
    obj = view_of(["spec.plain.x"])(OBJECT)
    for copied in (obj.copy(), deep_copy(obj), pickle.loads(pickle.dumps(obj))):
        assert (type(copied), copied) == (type(obj), obj)
    assert not hasattr(obj, "__dict__")


@pytest.mark.parametrize("metadata", ["3", '{"name": 3}', '{"labels": []}', None])
def test_an_object_without_usable_metadata_is_refused(metadata: str | None) -> None:
    body = b"[]" if metadata is None else b'{"metadata": %s}' % metadata.encode()
    view = view_of(["spec.size"])
    with pytest.raises(DecodeError):
        decode(body, view, usable=True)
    with pytest.raises(DecodeError):
        decode_list(b'{"items": [%s]}' % body, list_class(view, "", ""), usable=True)
    with pytest.raises(DecodeError):
        decode_events(b'{"type": "ADDED", "object": %s}' % body, view)


def test_a_list_names_the_kind_of_its_items_and_keeps_what_is_new() -> None:
    model = list_class(view_of(["spec.size"]), "", "")
    for newer in ("", ', "newer": 1', ', "remainingItemCount": 1e999'):
        body = f"""{{
            "kind": "TabList", "apiVersion": "a/v1", "metadata": {{"resourceVersion": "7"}},
            "items": [{{"metadata": {{"name": "x"}}, "spec": {{"size": 1, "more": 2}}}}]{newer}}}"""
        listed: Any = decode_list(body.encode(), model, usable=True)
        assert listed.metadata.resource_version == "7"
        [item] = listed.items
        assert (item.api_version, item.kind, item.name) == ("a/v1", "Tab", "x")
        assert item["spec"] == {"size": 1}
        assert isinstance(item, UnstructuredView)


# ---- any paths, any JSON ----------------------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "c.d", "metadata", "spec", "items", "kind"])
SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=4)
SCALARS |= st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4)
)
PATHS = st.lists(st.lists(NAMES, min_size=1, max_size=4), max_size=5)


def selected(value: Any, tree: FieldTree | None) -> Any:
    """Select in another way than the product does: member by member, from the paths."""
    if tree is not None and isinstance(value, dict):
        return {name: selected(value[name], tree[name]) for name in value.keys() & tree.keys()}
    if tree is not None and isinstance(value, list):
        return [each if isinstance(each, list) else selected(each, tree) for each in value]
    return value


@given(st.dictionaries(NAMES, VALUES, max_size=4), PATHS)
@try_examples(60)
def test_any_object_is_decoded_to_what_the_paths_select(
    value: dict[str, Any], paths: list[list[str]]
) -> None:
    value = {**value, "metadata": {"name": "x", "a": value.get("a"), "c.d": value.get("metadata")}}
    view = view_of([".".join(name.replace(".", "\\.") for name in path) for path in paths])
    wanted = selected(value, view.__paths__)  # type: ignore[attr-defined]
    body = json.dumps(value).encode()
    assert decode(body, view, usable=True) == wanted
    # A number beyond float64 makes the strict decoder refuse the object as a whole.
    huge = json.dumps({**value, "metadata": {**value["metadata"], "generation": 0.5}})
    read = decode(huge.replace('"generation": 0.5', '"generation": 1e999').encode(), view)
    assert read["metadata"].pop("generation")
    assert read == wanted
    event = b'{"type": "ADDED", "object": %s}' % body
    assert decode_events(event, view)[0].object == wanted
