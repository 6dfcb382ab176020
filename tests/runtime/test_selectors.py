"""Label and field selectors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from clientgen.runtime._http.selectors import (
    EVERYTHING,
    field_selector,
    label_selector,
    parse_field_selector,
    parse_label_selector,
    selector_of,
)
from clientgen.runtime._models.meta_v1 import LabelSelector, LabelSelectorRequirement

LABELS = {"app": "web", "tier": "front", "count": "7", "empty": ""}


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("", True),
        ("app=web", True),
        ("app==web", True),
        ("app = web", True),
        ("app=db", False),
        ("app!=db", True),
        ("missing!=db", True),
        ("app", True),
        ("missing", False),
        ("!missing", True),
        ("! app", False),
        ("app in (web, db)", True),
        ("app in (db)", False),
        ("app notin (db,x)", True),
        ("missing notin (db)", True),
        ("missing in (db)", False),
        ("empty=", True),
        ("empty in (,x)", True),
        ("count>5", True),
        ("count<5", False),
        ("app>5", False),
        ("app=web,tier in (front,back),!missing", True),
        ("app=web,tier=back", False),
    ],
)
def test_matching(text, matches):
    assert parse_label_selector(text).matches(LABELS) is matches


@pytest.mark.parametrize(
    "text", ["a b", "a in b", "=x", "a=b=c", "a,,b", "count>x", "a in (b", "()"]
)
def test_invalid_selectors_are_refused(text):
    with pytest.raises(ValueError):
        parse_label_selector(text)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a==b", "a=b"),
        ("a in (b)", "a=b"),
        ("a in (c, b),!d,e", "a in (b,c),!d,e"),
        ("a notin (c,b),x!=y", "a notin (b,c),x!=y"),
        ("a>5,b<3", "a>5,b<3"),
    ],
)
def test_writing_what_was_read(text, written):
    assert str(parse_label_selector(text)) == written
    assert parse_label_selector(written) == parse_label_selector(text)


def test_selectors_can_be_written_from_values():
    wanted = {"app": "web", "tier": ["b", "a"], "legacy": None}
    assert label_selector(wanted) == "app=web,tier in (a,b),!legacy"


def test_the_selector_of_a_spec():
    expressions = [
        LabelSelectorRequirement(key="tier", operator="In", values=["front", "back"]),
        LabelSelectorRequirement(key="missing", operator="DoesNotExist"),
        LabelSelectorRequirement(key="app", operator="Exists"),
        LabelSelectorRequirement(key="app", operator="NotIn", values=["db"]),
    ]
    parsed = selector_of(LabelSelector(match_labels={"app": "web"}, match_expressions=expressions))
    assert str(parsed) == "app=web,tier in (back,front),!missing,app,app!=db"
    assert parsed.matches(LABELS)
    assert selector_of(None) is None
    assert selector_of(LabelSelector()) == EVERYTHING
    assert EVERYTHING.matches({})
    wrong = LabelSelector(match_expressions=[LabelSelectorRequirement(key="a", operator="Like")])
    with pytest.raises(ValueError, match="Like"):
        selector_of(wrong)


def test_field_selectors_are_escaped():
    text = field_selector({"metadata.name": "a,b=c\\d"}, unequal={"status.phase": "Failed"})
    assert text == "metadata.name=a\\,b\\=c\\\\d,status.phase!=Failed"
    assert parse_field_selector(text) == [
        ("metadata.name", True, "a,b=c\\d"),
        ("status.phase", False, "Failed"),
    ]
    assert parse_field_selector("") == []
    assert parse_field_selector("a==b") == [("a", True, "b")]
    with pytest.raises(ValueError):
        parse_field_selector("a")


@given(some.lists(some.text(alphabet="ab,=\\! x", max_size=6), min_size=1, max_size=3))
def test_any_value_survives_a_field_selector(values):
    fields = {f"spec.f{n}": value for n, value in enumerate(values)}
    assert {
        path: value for path, _, value in parse_field_selector(field_selector(fields))
    } == fields
