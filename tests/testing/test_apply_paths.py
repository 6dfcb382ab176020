"""Sets of paths: what they spell, and the laws of their operations."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import try_examples

from clientgen.testing._apiserver.apply import fields_v1
from clientgen.testing._apiserver.apply.field_paths import (
    Set,
    canonical,
    field,
    in_order,
    key,
    shown,
    value,
)

NAMES = st.sampled_from(["a", "b", "c"])
ELEMENTS = st.one_of(
    NAMES.map(field),
    st.fixed_dictionaries({"name": NAMES, "port": st.integers(1, 3)}).map(key),
    st.one_of(st.integers(0, 3), NAMES, st.booleans()).map(value),
    st.integers(0, 3).map("i:{}".format),
)
SETS = st.lists(st.lists(ELEMENTS, min_size=1, max_size=4).map(tuple), max_size=12).map(
    lambda paths: Set.of(*paths)
)


def paths_of(paths: Set) -> set[tuple[str, ...]]:
    return set(paths)


@try_examples(40)
@given(SETS)
def test_a_set_comes_back_from_its_fields(paths: Set) -> None:
    assert fields_v1.decode(fields_v1.encode(paths)) == paths


@try_examples(40)
@given(SETS, SETS)
def test_operations_are_those_of_sets_of_paths(one: Set, other: Set) -> None:
    assert paths_of(one | other) == paths_of(one) | paths_of(other)
    assert paths_of(one & other) == paths_of(one) & paths_of(other)
    assert paths_of(one - other) == paths_of(one) - paths_of(other)
    assert ((one - other) | (one & other)) == one


@try_examples(40)
@given(SETS, SETS)
def test_without_drops_what_is_below_as_well(one: Set, other: Set) -> None:
    gone = paths_of(other)
    expected = {
        path for path in one if not any(path[:length] in gone for length in range(1, len(path) + 1))
    }
    assert paths_of(one.without(other)) == expected


@try_examples(40)
@given(SETS)
def test_a_set_contains_its_paths_and_no_others(paths: Set) -> None:
    assert all(path in paths for path in paths)
    assert () not in paths
    assert ("f:nowhere", "f:x") not in paths


def test_members_with_something_below_say_so_by_a_dot() -> None:
    paths = Set.of(("f:data",), ("f:data", "f:k"), ("f:spec", "f:x"))
    assert fields_v1.encode(paths) == {
        "f:data": {".": {}, "f:k": {}},
        "f:spec": {"f:x": {}},
    }


@pytest.mark.parametrize(
    ("element", "text"),
    [
        (key({"protocol": "TCP", "containerPort": 80}), 'k:{"containerPort":80,"protocol":"TCP"}'),
        (value("a<b"), 'v:"a\\u003cb"'),
        (value("x y"), 'v:"x y"'),
        (value(1.0), "v:1"),
        (value(True), "v:true"),
        (field("a.b/c"), "f:a.b/c"),
    ],
)
def test_elements_have_one_spelling(element: str, text: str) -> None:
    assert element == text
    assert canonical(text) == text


def test_other_spellings_of_an_element_are_made_canonical() -> None:
    assert canonical('k:{ "b": 1, "a": "x" }') == 'k:{"a":"x","b":1}'
    assert canonical("i:007") == "i:7"
    assert canonical('v:"<"') == value("<")


@pytest.mark.parametrize("text", ["", "f", "data", "v:nope", "k:[1]", "i:x", "k:{"])
def test_invalid_path_elements_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        canonical(text)


@pytest.mark.parametrize("fields", [[], "x", {"f:a": 1}, {"nope": {}}])
def test_invalid_fields_v1_is_refused(fields: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        fields_v1.decode(fields)


def test_elements_of_the_future_are_left_out() -> None:
    assert fields_v1.decode({"x:new": {"f:a": {}}, "f:b": None}) == Set.of(("f:b",))
    assert not fields_v1.decode(None)


def test_paths_are_shown_as_conflicts_spell_them() -> None:
    path = (field("ports"), key({"port": 80, "name": "x"}), field("tags"), value("a"), "i:3")
    assert shown(path) == '.ports[name="x",port=80].tags[="a"][3]'
    assert repr(Set.of((field("a"), field("b")))) == "Set(.a.b)"


def test_elements_stand_in_order_of_their_values() -> None:
    ports = [key({"port": port}) for port in (8080, 80, 443)]
    ordered = in_order([value("b"), value("a"), value(2), "i:1", *ports, field("z"), value(None)])
    assert ordered == [
        "f:z",
        'k:{"port":80}',
        'k:{"port":443}',
        'k:{"port":8080}',
        "v:2",
        'v:"a"',
        'v:"b"',
        "v:null",
        "i:1",
    ]
