"""The texts in specs/descriptions: complete, about what there is, and right where one can tell."""

# JSON by hand has no types to speak of.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import json
import os
import re
import runpy
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.server_defaults import definitions, server_defaults

from clientgen._openapi.descriptions import Descriptions, Texts
from clientgen.generator.sources.descriptions import gather, parse

ROOT = Path(__file__).parents[1]
UPSTREAM = os.environ.get("CLIENTGEN_SPEC_WITH_TEXTS", "")
SCRIPT = SimpleNamespace(**runpy.run_path(str(ROOT / "scripts/descriptions")))


@cache
def texts() -> Descriptions:
    return parse(gather([ROOT / "specs/descriptions"], ROOT))


def test_every_definition_and_field_has_a_text():
    missing = [
        line
        for package in {SCRIPT.package_of(name) for name, _ in SCRIPT.needed(definitions())}
        for line in SCRIPT.lines(package, definitions(), texts())
    ]
    assert missing == []


def test_texts_are_sentences_about_what_kubernetes_has():
    assert [*SCRIPT.wrong(definitions(), texts())] == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("no capital.", "it is no sentence"),
        ("No full stop", "it is no sentence"),
        ("Too long. " * 50 + ".", "characters"),
        ("An arrow \u2192 there.", "ASCII"),
    ],
)
def test_what_is_no_sentence_is_told(text: str, problem: str):
    found = [*SCRIPT.wrong({"a.v1.A": {}}, Descriptions({"a.v1.A": Texts(text)}))]
    assert len(found) == 1
    assert problem in found[0]


@pytest.mark.parametrize(
    ("text", "copied"),
    [
        ("Zero one two three\nfour FIVE six seven eight.", 1),
        ("One two three four five six seven, eight or so.", 1),
        ("Two three four five six seven eight.", 0),
    ],
)
def test_texts_of_upstream_are_found_however_they_are_broken(text: str, copied: int):
    upstream = {"b": {"description": "One two, three four five six: seven eight."}}
    ours = {"a.v1.A": Texts(text, {"c": "Eight."})}
    assert len([*SCRIPT.copied(Descriptions(ours), upstream)]) == copied


@pytest.mark.skipif(not UPSTREAM, reason="CLIENTGEN_SPEC_WITH_TEXTS names no document")
def test_no_text_is_that_of_upstream():
    upstream = json.loads(Path(UPSTREAM).read_bytes())["definitions"]
    assert [*SCRIPT.copied(texts(), upstream)] == []


@cache
def defaults() -> Mapping[tuple[str, str], set[str]]:
    """What the server sets, and what the OpenAPI v3 documents of a real one say."""
    found: dict[tuple[str, str], set[str]] = {}
    for name, key, value in server_defaults(definitions()):
        found.setdefault((name, key), set()).update(as_texts(value))
    for place, value in SCRIPT.defaults_of_v3().items():
        found.setdefault(place, set()).update(as_texts(value))
    return found


def as_texts(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [each if isinstance(each, str) else json.dumps(each) for each in values]


def values(pattern: str, text: str) -> set[str]:
    """What a text names, and each entry of what is a list: `["a", "b"]`."""
    found = re.findall(pattern, text)
    return {part.strip('"') for each in found for part in each.strip("[]").split(", ")}


def test_what_the_server_sets_is_told():
    quoted = {place: values(r"`([^`]*)`", texts().of(*place)) for place in defaults()}
    untold = {place: found for place, found in defaults().items() if not found <= quoted[place]}
    assert untold == {}


def test_defaults_that_are_told_are_those_of_the_server():
    """One that depends on other fields says so after a comma: `Default: `Always`, ...`."""
    stated = {place: values(r"Default: `([^`]*)`\.", texts().of(*place)) for place in defaults()}
    assert {p: told for p, told in stated.items() if not defaults()[p].issuperset(told)} == {}
