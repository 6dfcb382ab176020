"""Walks over typed objects: what they mention, how they merge, how they differ."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import try_examples

from clientgen._openapi.resolved import Schemas
from clientgen.testing._apiserver.apply import fields_v1
from clientgen.testing._apiserver.apply.comparison import compare
from clientgen.testing._apiserver.apply.json_values import same
from clientgen.testing._apiserver.apply.merge import merge
from clientgen.testing._apiserver.apply.ownership_shapes import DEDUCED, Type, type_of_kind
from clientgen.testing._apiserver.apply.typed import Mistyped, field_set, problems, removed

TEXT = {"type": "string"}
SPEC: dict[str, Any] = {
    "s": TEXT,
    "n": {"type": "number"},
    "b": {"type": "boolean"},
    "any": {"x-kubernetes-preserve-unknown-fields": True},
    "either": {"x-kubernetes-int-or-string": True},
    "list": {"type": "array", "items": TEXT},
    "set": {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
    "map": {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["id", "zone"],
        "items": {
            "type": "object",
            "properties": {"id": TEXT, "zone": {**TEXT, "default": "here"}, "v": TEXT},
        },
    },
    "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "texts": {"type": "object", "additionalProperties": TEXT},
    "closed": {"type": "object", "additionalProperties": False, "properties": {"x": TEXT}},
    "whole": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"x": TEXT}},
    "struct": {"type": "object", "properties": {"x": TEXT, "y": TEXT}},
    "embedded": {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {}},
}
KIND = {
    "type": "object",
    "properties": {"spec": {"type": "object", "properties": SPEC}},
}
SCHEMA = Schemas({}).of(KIND)
THING = type_of_kind(SCHEMA)


def spec(**members: Any) -> dict[str, Any]:
    return {"spec": members}


def fields(value: Any, kind: Type = THING) -> Any:
    return fields_v1.encode(field_set(value, kind)).get("f:spec", {})


def why(**members: Any) -> list[str]:
    return problems(spec(**members), THING, duplicates=False)


def merged(live: dict[str, Any], config: dict[str, Any]) -> Any:
    before = deepcopy((live, config))
    value = merge(spec(**live), spec(**config), THING)
    assert (live, config) == before
    return value["spec"]


def differences(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    compared = compare(spec(**old), spec(**new), THING)
    sets = {
        "removed": compared.removed,
        "modified": compared.modified,
        "added": compared.added,
    }
    return {name: fields_v1.encode(paths)["f:spec"] for name, paths in sets.items() if paths}


TEXTS = st.sampled_from("pq")
ANY = st.recursive(
    st.one_of(st.integers(0, 1), st.booleans(), TEXTS, st.none()),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
ITEMS = st.fixed_dictionaries({"id": TEXTS}, optional={"zone": TEXTS, "v": TEXTS})
SPECS = st.fixed_dictionaries(
    {},
    optional={
        "s": TEXTS,
        "n": st.integers(0, 1) | st.just(0.5),
        "any": ANY,
        "list": st.lists(TEXTS, max_size=3),
        "set": st.lists(TEXTS, max_size=2, unique=True),
        "map": st.lists(
            ITEMS, max_size=3, unique_by=lambda item: (item["id"], item.get("zone", "here"))
        ),
        "free": st.dictionaries(TEXTS, ANY, max_size=2),
        "texts": st.dictionaries(TEXTS, TEXTS, max_size=2),
        "whole": st.fixed_dictionaries({}, optional={"x": TEXTS}),
        "struct": st.fixed_dictionaries({}, optional={"x": TEXTS, "y": TEXTS}),
    },
).map(lambda members: spec(**members))


@try_examples(40)
@given(SPECS, SPECS)
def test_merging_twice_is_merging_once(live: dict[str, Any], config: dict[str, Any]) -> None:
    once = merge(live, config, THING)
    assert merge(once, config, THING) == once


@try_examples(40)
@given(SPECS, SPECS)
def test_merging_takes_nothing_away(live: dict[str, Any], config: dict[str, Any]) -> None:
    once = merge(live, config, THING)
    assert not compare(config, once, THING).removed
    gone = compare(live, once, THING).removed
    assert not gone.without(compare(live, config, THING).modified)


@try_examples(40)
@given(SPECS)
def test_an_object_does_not_differ_from_itself(value: dict[str, Any]) -> None:
    comparison = compare(value, deepcopy(value), THING)
    assert not comparison.removed | comparison.changed


@try_examples(40)
@given(SPECS, SPECS)
def test_comparing_in_reverse_swaps_added_and_removed(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    there, back = compare(one, other, THING), compare(other, one, THING)
    assert there.added == back.removed
    assert there.modified == back.modified


def test_removing_keeps_emptied_containers() -> None:
    value = spec(s="x", struct={"x": "1"}, set=["p"], whole={"x": "1"}, n=1)
    gone = fields_v1.decode(
        {"f:spec": {"f:s": {}, "f:struct": {"f:x": {}}, "f:set": {'v:"p"': {}}, "f:any": {}}}
    )
    assert removed(value, THING, gone) == spec(struct={}, set=[], whole={"x": "1"}, n=1)


# ------------------------------------------------------------------------------ mentions


def test_declared_fields_are_paths_only_as_leaves() -> None:
    assert fields(spec(s="x", struct={"x": "1"})) == {"f:s": {}, "f:struct": {"f:x": {}}}


def test_undeclared_fields_and_items_are_paths_of_their_own() -> None:
    assert fields(spec(free={"a": {"b": 1}}, set=["p"], map=[{"id": "p"}])) == {
        "f:free": {"f:a": {".": {}, "f:b": {}}},
        "f:set": {'v:"p"': {}},
        "f:map": {'k:{"id":"p","zone":"here"}': {".": {}, "f:id": {}}},
    }


def test_atomic_values_are_one_path_each() -> None:
    assert fields(spec(list=["a"], whole={"x": "1"}, any=[{"a": 1}])) == {
        "f:list": {},
        "f:whole": {},
        "f:any": {},
    }


def test_empty_maps_and_nulls_are_paths_and_empty_lists_are_not() -> None:
    assert fields(spec(struct={}, s=None, set=[], map=None)) == {
        "f:struct": {},
        "f:s": {},
        "f:map": {},
    }


def test_items_that_are_there_twice_are_paths_without_members() -> None:
    twice = [{"id": "p", "v": "1"}, {"id": "p", "v": "2"}, {"id": "q"}]
    assert fields(spec(map=twice))["f:map"] == {
        'k:{"id":"p","zone":"here"}': {},
        'k:{"id":"q","zone":"here"}': {".": {}, "f:id": {}},
    }


def test_kinds_without_a_schema_are_owned_by_field() -> None:
    value = {"spec": {"a": {"b": [1, {"c": 2}]}}}
    assert fields(value, DEDUCED) == {".": {}, "f:a": {".": {}, "f:b": {}}}
    assert type_of_kind(None) is DEDUCED


def test_undeclared_fields_cannot_be_mentioned() -> None:
    with pytest.raises(Mistyped, match=r"\.bogus: field not declared in schema"):
        field_set({"spec": {}, "bogus": 1}, THING)


# ------------------------------------------------------------------------------ problems


PROBLEMS: list[tuple[dict[str, Any], str]] = [
    ({"bogus": 1}, ".spec.bogus: field not declared in schema"),
    ({"closed": {"y": "1"}}, ".spec.closed.y: field not declared in schema"),
    ({"n": "1"}, ".spec.n: expected numeric (int or float), got string"),
    ({"n": {"a": 1}}, ".spec.n: expected numeric (int or float), got map[string]interface {}"),
    ({"n": [1]}, ".spec.n: expected numeric (int or float), got []interface {}"),
    ({"n": True}, ".spec.n: expected numeric (int or float), got bool"),
    ({"s": 3}, ".spec.s: expected string, got &value.valueUnstructured{Value:3}"),
    (
        {"s": {"a": [None, "b"]}},
        (
            ".spec.s: expected string, got &value.valueUnstructured{Value:map[string]interface {}"
            '{"a":[]interface {}{interface {}(nil), "b"}}}'
        ),
    ),
    ({"b": "x"}, ".spec.b: expected boolean, got &{x}"),
    ({"struct": 3}, ".spec.struct: expected map, got &{3}"),
    ({"list": {"a": [True, None]}}, ".spec.list: expected list, got &{map[a:[true <nil>]]}"),
    ({"list": ["a", 1]}, ".spec.list[1]: expected string, got &value.valueUnstructured{Value:1}"),
    ({"set": ["a", "a"]}, '.spec.set: duplicate entries for key [="a"]'),
    (
        {"map": [{"id": "a", "v": 1}]},
        '.spec.map[id="a",zone="here"].v: expected string, got &value.valueUnstructured{Value:1}',
    ),
    (
        {"map": ["x"]},
        ".spec.map: element 0: associative list with keys may not have non-map elements",
    ),
    (
        {"map": [None]},
        ".spec.map: element 0: associative list with keys may not have a null element",
    ),
    (
        {"set": [["a"]]},
        ".spec.set: element 0: not supported: associative list with lists as elements",
    ),
    (
        {"set": [{}]},
        ".spec.set: element 0: associative list without keys has an element that's a map type",
    ),
    (
        {"set": [None]},
        (
            ".spec.set: element 0: associative list without keys has an element that's an "
            "explicit null"
        ),
    ),
]


@pytest.mark.parametrize(("members", "problem"), PROBLEMS)
def test_wrong_types_are_reported_by_path(members: dict[str, Any], problem: str) -> None:
    assert why(**members) == [problem]


def test_items_need_one_of_their_keys() -> None:
    raw = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"]}
    keyed = {**raw, "items": {"type": "object", "properties": {"id": TEXT, "v": TEXT}}}
    kind = type_of_kind(Schemas({}).of({"type": "object", "properties": {"l": keyed}}))
    (problem,) = problems({"l": [{"v": "1"}]}, kind, duplicates=True)
    assert 'omits all key fields ["id"]' in problem


def test_anything_fits_where_the_schema_says_nothing() -> None:
    assert not why(any=[{"a": [1, None]}], free={"a": True}, either="1", s=None, struct=None)
    assert not why(embedded={"apiVersion": "v1", "kind": "X", "metadata": {"labels": {"a": "b"}}})
    assert why(embedded={"metadata": {"labels": {"a": 1}}})
    assert not problems(spec(set=["a", "a"]), THING, duplicates=True)


def test_custom_kinds_have_metadata_whatever_they_declare() -> None:
    value = {"apiVersion": "v1", "kind": "X", "metadata": {"finalizers": ["a"]}}
    assert not problems(value, THING, duplicates=False)
    owners = [{"uid": "u", "name": "n"}]
    fields = field_set({"metadata": {"finalizers": ["a"], "ownerReferences": owners}}, THING)
    assert fields_v1.encode(fields) == {
        "f:metadata": {"f:finalizers": {'v:"a"': {}}, "f:ownerReferences": {'k:{"uid":"u"}': {}}}
    }


# ------------------------------------------------------------------------------- merging


@pytest.mark.parametrize(
    ("live", "config", "expected"),
    [
        (["a", "b", "c"], ["c"], ["a", "b", "c"]),
        (["a", "b", "c"], ["c", "a"], ["b", "c", "a"]),
        (["a", "b"], ["x", "b"], ["a", "x", "b"]),
        (["a", "b"], ["b", "x"], ["a", "b", "x"]),
        (["a", "b"], ["x"], ["a", "b", "x"]),
        (["a", "a"], ["b", "a"], ["b", "a"]),
        ([], ["a"], ["a"]),
        (["a"], [], ["a"]),
        ([], [], []),
    ],
)
def test_lists_merge_in_the_order_of_both(
    live: list[str], config: list[str], expected: list[str]
) -> None:
    assert merged({"set": live}, {"set": config}) == {"set": expected}


def test_items_merge_by_their_keys() -> None:
    live = {"map": [{"id": "a", "v": "1"}, {"id": "b", "zone": "here", "v": "1"}]}
    config = {"map": [{"id": "b", "v": "2"}, {"id": "c"}]}
    assert merged(live, config) == {
        "map": [{"id": "a", "v": "1"}, {"id": "b", "zone": "here", "v": "2"}, {"id": "c"}]
    }


def test_items_that_were_there_twice_are_replaced() -> None:
    live = {"map": [{"id": "a", "v": "1"}, {"id": "a", "v": "2"}]}
    assert merged(live, {"map": [{"id": "a"}]}) == {"map": [{"id": "a"}]}


def test_atomic_values_are_replaced() -> None:
    live = {"list": ["a"], "whole": {"x": "1"}, "any": {"a": 1}}
    assert merged(live, {"list": ["b"], "whole": {}, "any": [1]}) == {
        "list": ["b"],
        "whole": {},
        "any": [1],
    }


def test_null_is_laid_over_leaves_only() -> None:
    live = {"s": "x", "struct": {"x": "1"}, "texts": {}}
    assert merged(live, {"s": None, "struct": None, "texts": None}) == {
        "s": None,
        "struct": {"x": "1"},
        "texts": None,
    }


# ----------------------------------------------------------------------------- comparing


def test_new_containers_are_added_with_all_that_is_in_them() -> None:
    assert differences({}, {"struct": {"x": "1"}, "map": [{"id": "a"}]}) == {
        "added": {
            "f:struct": {".": {}, "f:x": {}},
            "f:map": {".": {}, 'k:{"id":"a","zone":"here"}': {".": {}, "f:id": {}}},
        }
    }


def test_null_is_a_value_that_may_become_a_container() -> None:
    assert differences({"struct": None}, {"struct": {"x": "1"}}) == {
        "added": {"f:struct": {"f:x": {}}}
    }


def test_values_that_change_shape_lose_what_was_in_them() -> None:
    assert differences({"any": {"a": 1}}, {"any": 1}) == {
        "removed": {"f:any": {"f:a": {}}},
        "modified": {"f:any": {}},
    }


def test_true_is_not_one() -> None:
    assert differences({"any": {"a": [1]}}, {"any": {"a": [True]}}) == {
        "modified": {"f:any": {"f:a": {}}}
    }
    assert not differences({"n": 1}, {"n": 1.0})
    assert same({"a": [1, True]}, {"a": [1.0, True]})
    assert not same({"a": 1}, {"a": True})


def test_doubles_are_compared_as_one_leaf() -> None:
    one, two = [{"id": "a", "v": "1"}], [{"id": "a", "v": "1"}, {"id": "a", "v": "2"}]
    item = 'k:{"id":"a","zone":"here"}'
    inside: dict[str, Any] = {".": {}, "f:id": {}, "f:v": {}}
    assert differences({"map": one}, {"map": two}) == {
        "removed": {"f:map": {item: inside}},
        "added": {"f:map": {item: {}}},
    }
    assert differences({"map": two}, {"map": one}) == {
        "removed": {"f:map": {item: {}}},
        "added": {"f:map": {item: inside}},
    }
    assert differences({"map": two}, {"map": two[::-1]}) == {"modified": {"f:map": {item: {}}}}
