"""Sentences about a schema's limits and rules; the golden case `docs-lines` covers the rest."""

from __future__ import annotations

from typing import Any

import pytest

from clientgen._openapi.schema import Schema
from clientgen.generator.resolve.schema_sentences import Description, of_field, of_object


def said(schema: dict[str, Any], *, custom: bool = True, whole: bool = True) -> str:
    return " ".join(of_field(Schema(schema), custom=custom, whole=whole))


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "integer", "minimum": 0, "maximum": 0}, "Exactly 0."),
        ({"type": "integer", "minimum": -1, "maximum": 9}, "From -1 to 9."),
        (
            {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 1},
            "More than 0. At most 1.",
        ),
        ({"type": "string", "minLength": 0, "maxLength": 0}, "At most 0 characters."),
        ({"type": "array", "minItems": 2, "maxItems": 2}, "Exactly 2 items."),
        ({"type": "array", "uniqueItems": True}, "Items must be unique."),
        ({"type": "string", "enum": ["a", "b"]}, ""),
        ({"type": "string", "enum": ["a", None], "nullable": True}, "May be null."),
        ({"enum": [1, "auto"]}, 'One of `1`, `"auto"`.'),
        ({"type": "string", "format": "int-or-string"}, ""),
        ({"type": "integer", "format": "int64"}, ""),
        ({"type": "string", "format": "cidr"}, "Format cidr."),
        ({"type": "object", "default": {"a": "b" * 90}}, "Defaults to a value too long to show."),
        ({"type": "array", "items": {"type": "object", "properties": {}, "minProperties": 1}}, ""),
        ({"type": "array", "x-kubernetes-list-type": "atomic"}, ""),
    ],
)
def test_a_field_says(schema: dict[str, Any], expected: str) -> None:
    assert said(schema) == expected


@pytest.mark.parametrize("zero", [None, False, 0, 0.0, "", [], {}])
def test_kubernetes_own_zeros_are_no_defaults(zero: object) -> None:
    assert said({"default": zero}, custom=False) == ""


def test_a_default_of_kubernetes_is_said() -> None:
    assert said({"type": "string", "default": "TCP"}, custom=False) == 'Defaults to `"TCP"`.'


def test_keys_of_lists_are_said_of_custom_resources_only() -> None:
    schema = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
    }

    assert said(schema, custom=True) == "No two items may have the same `name`."
    assert said(schema, custom=False) == ""


def test_the_rules_of_an_object_stand_at_its_class() -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"a": {}},
        "default": {"a": 1},
        "x-kubernetes-validations": [{"rule": "self.a\n  > 0", "message": "a is\npositive."}],
    }

    assert said(schema, whole=False) == 'Defaults to `{"a": 1}`.'
    assert list(of_object(Schema(schema))) == ["Rule: a is positive (`self.a > 0`)."]
    assert said(schema).endswith("Rule: a is positive (`self.a > 0`).")


def test_a_long_rule_is_described_by_its_message() -> None:
    rule = " || ".join(f"self.a == {number}" for number in range(20))
    told: dict[str, Any] = {"x-kubernetes-validations": [{"rule": rule, "message": "a is small"}]}
    untold: dict[str, Any] = {"x-kubernetes-validations": [{"rule": rule}]}

    assert said(told) == "Rule: a is small."
    assert said(untold) == f"Rule: `{rule}`."


def test_alternatives_that_say_more_than_names_are_left_alone() -> None:
    schema: dict[str, Any] = {"oneOf": [{"required": ["a"]}, {"properties": {"b": {"minimum": 1}}}]}

    assert list(of_object(Schema(schema))) == []


def test_sentences_stand_behind_the_text() -> None:
    assert str(Description("Text.", "One. Two.")) == "Text.\n\nOne. Two."
    assert str(Description("", "One.")) == "One."
    assert str(Description("Text.")) == "Text."
