"""YAML that is written is read as what it was, by Go's rules and by those of others."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from clientgen._yaml.composer import compose, line_of
from clientgen._yaml.dumper import write_yaml
from clientgen._yaml.loader import BadText, load_yaml

SIGNS = "ab :#-'\"\n\t|>%@`&*!?{}[],~0123456789.eEnoNOyY+_<=/\\"
TEXTS = st.text(
    st.one_of(st.sampled_from(SIGNS), st.characters(exclude_categories=["Cs"])), max_size=30
)
WORDS = st.sampled_from(["word", "it's", "a:", "- x", "# no", "long" * 5, "two  spaces", "yes"])
SCALARS = st.one_of(
    TEXTS,
    st.lists(WORDS, max_size=40).map(" ".join),
    st.booleans(),
    st.integers(-(2**62), 2**62),
    st.floats(allow_nan=False, allow_infinity=False).filter(lambda each: not each.is_integer()),
    st.none(),
)
VALUES = st.recursive(
    SCALARS,
    lambda each: st.one_of(st.lists(each, max_size=4), st.dictionaries(TEXTS, each, max_size=4)),
    max_leaves=20,
)


@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=4))
def test_yaml_reads_back_by_the_server_and_by_others(value: dict[str, Any]) -> None:
    for text in (write_yaml(value), write_yaml(value, sort_keys=False, width=None)):
        assert load_yaml(text.encode())[0] == value
        assert yaml.safe_load(text) == value
    assert write_yaml(dict(reversed(value.items()))) == write_yaml(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("True", 'a: "True"'),
        ("1.0", 'a: "1.0"'),
        ("^x$", "a: '^x$'"),
        ("it's: so", "a: 'it''s: so'"),
        ("x\ny\n", "a: |\n  x\n  y"),
        ("x\n\ny", "a: |-\n  x\n\n  y"),
        ("  x\ny", "a: |2-\n    x\n  y"),
        ("x\n\n", 'a: "x\\n\\n"'),
        ([[1, {"b": []}]], "a:\n- - 1\n  - b: []"),
    ],
)
def test_values_are_written_as_people_write_them(value: object, text: str) -> None:
    assert write_yaml({"a": value}) == f"{text}\n"
    assert load_yaml(f"{text}\n".encode())[0] == {"a": value}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1:30", "1:30"),
        ("2001-01-01", "2001-01-01"),
        ("yes", True),
        ("!!binary aGk=", "hi"),
        ("!unheard x", "x"),
        ("1e3", 1000),
        ("{8080: {on: 1}}", {"8080": {"true": 1}}),
    ],
)
def test_values_are_those_of_go(text: str, value: object) -> None:
    assert load_yaml(f"a: {text}".encode()) == ({"a": value}, [])


@pytest.mark.parametrize("text", [".nan", "!!int x", "&a [*a]", "{[b]: c}", "{~: 1}", "[" * 20000])
def test_values_without_json_form_are_refused(text: str) -> None:
    with pytest.raises(BadText):
        load_yaml(f"a: {text}".encode())


@pytest.mark.parametrize(
    ("path", "line"),
    [((), 1), (("a",), 1), (("b", "80"), 4), (("b", "x"), 2), (("b", "none"), 3), (("c", 1), 7)],
)
def test_places_are_found_through_merged_keys(path: tuple[str | int, ...], line: int) -> None:
    (node,) = compose("a: &a\n  x: 1\nb:\n  80: 1\n  <<: *a\nc: [1,\n  2]\n")
    assert line_of(node, path) == line
