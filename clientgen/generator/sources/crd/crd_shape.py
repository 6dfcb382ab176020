"""The form of a CustomResourceDefinition: which fields there are and of what JSON type.

As the API server decodes one: null is absence, unknown fields do not count, and a value of another
type is an error. The result can be read without checks of types.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeGuard

from clientgen._json import is_array, is_object
from clientgen._openapi.json_source import parts_of
from clientgen._openapi.keywords import KEYWORDS, ValueForm
from clientgen._problems import Problems
from clientgen.generator.sources.crd.positions import below

MAX_DEPTH = 100
"""Levels of a schema; those of real definitions have some twenty."""

# A type is a word, [items], {"*": values}, the name of a record, or a tuple of alternatives.
_Type = Any
_TEXTS = ["text"]
_SCHEMA_LIST, _SCHEMAS = ["schema"], {"*": "schema"}
_RECORDS: Mapping[str, Mapping[str, _Type]] = {
    "definition": {
        "apiVersion": "text",
        "kind": "text",
        "metadata": "metadata",
        "spec": "spec",
    },
    "metadata": {"name": "text", "generateName": "text", "annotations": {"*": "text"}},
    "spec": {
        "group": "text",
        "names": "names",
        "scope": "text",
        "versions": ["version"],
        "conversion": "conversion",
        "preserveUnknownFields": "flag",
    },
    "names": {
        **dict.fromkeys(("plural", "singular", "kind", "listKind"), "text"),
        **dict.fromkeys(("shortNames", "categories"), _TEXTS),
    },
    "conversion": {"strategy": "text", "webhook": "webhook"},
    "webhook": {"clientConfig": "webhook client", "conversionReviewVersions": _TEXTS},
    "webhook client": {"url": "text", "caBundle": "text", "service": "service"},
    "service": {**dict.fromkeys(("namespace", "name", "path"), "text"), "port": "whole"},
    "version": {
        "name": "text",
        **dict.fromkeys(("served", "storage", "deprecated"), "flag"),
        "deprecationWarning": "text",
        "schema": "validation",
        "subresources": "subresources",
        "additionalPrinterColumns": ["column"],
        "selectableFields": ["selectable field"],
    },
    "validation": {"openAPIV3Schema": "schema"},
    "subresources": {"status": "status", "scale": "scale"},
    "status": {},
    "scale": dict.fromkeys(("specReplicasPath", "statusReplicasPath", "labelSelectorPath"), "text"),
    "column": {
        **dict.fromkeys(("name", "type", "format", "description", "jsonPath"), "text"),
        "priority": "whole",
    },
    "selectable field": {"jsonPath": "text"},
    "schema": {
        **dict.fromkeys(
            ("id", "$schema", "$ref", "description", "type", "format", "title", "pattern"), "text"
        ),
        **dict.fromkeys(("default", "example"), "any"),
        **dict.fromkeys(("maximum", "minimum", "multipleOf"), "number"),
        **dict.fromkeys(
            ("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"),
            "whole",
        ),
        **dict.fromkeys(
            ("exclusiveMaximum", "exclusiveMinimum", "uniqueItems", "nullable"), "flag"
        ),
        "enum": ["any"],
        "required": _TEXTS,
        "items": ("schema", _SCHEMA_LIST),
        **dict.fromkeys(("allOf", "anyOf", "oneOf"), _SCHEMA_LIST),
        "not": "schema",
        **dict.fromkeys(("properties", "patternProperties", "definitions"), _SCHEMAS),
        **dict.fromkeys(("additionalProperties", "additionalItems"), ("flag", "schema")),
        "dependencies": {"*": ("schema", _TEXTS)},
        "externalDocs": {"*": "text"},
    },
    "rule": {
        **dict.fromkeys(("rule", "message", "messageExpression", "reason", "fieldPath"), "text"),
        "optionalOldSelf": "flag",
    },
}
_KEYWORDS: Mapping[ValueForm, _Type] = {
    "flag": "flag",
    "text": "text",
    "texts": _TEXTS,
    "rules": ["rule"],
}
_WORDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "text": ((str,), "a string"),
    "flag": ((bool,), "true or false"),
    "whole": ((int,), "an integer"),
    "number": ((int, float), "a number"),
}
_MAX_SHOWN_CHARS = 40


def shaped(definition: Mapping[str, Any], where: str, problems: Problems) -> dict[str, Any]:
    """Return a definition without nulls and unknown fields. Report values of the wrong type.

    Args:
        definition: the document.
        where: its place, for messages.
        problems: takes a report for each value that no API server could decode.
    """
    walk = _Walk(where, problems)
    record: dict[str, Any] = walk.record(definition, "definition", ())
    return record


class _Walk:
    """Goes through a definition once."""

    def __init__(self, where: str, problems: Problems) -> None:
        self._where = where
        self._problems = problems
        self._depth = 0

    def value(self, value: Any, kind: _Type, trail: tuple[Any, ...]) -> Any:
        if _is_choice(kind):
            fitting = [choice for choice in kind if _fits(value, choice)]
            return self.value(value, fitting[0], trail) if fitting else self._wrong(kind, trail)
        if kind == "any":
            return value
        if not _fits(value, kind):
            return self._wrong((kind,), trail, value)
        if isinstance(kind, list):
            return [self.value(item, kind[0], (trail, at)) for at, item in enumerate(value)]
        if isinstance(kind, dict):
            return {
                name: self.value(member, kind["*"], (trail, name)) for name, member in value.items()
            }
        return self.record(value, kind, trail) if kind in _RECORDS else value

    def record(self, value: Mapping[str, Any], kind: str, trail: tuple[Any, ...]) -> Any:
        self._depth += kind == "schema"
        record: dict[str, Any] = {}
        if self._depth > MAX_DEPTH:
            if self._depth == MAX_DEPTH + 1:
                what = f"is nested more than {MAX_DEPTH} levels deep"
                hint = "Use x-kubernetes-preserve-unknown-fields for the lower levels."
                self._problems.add(below(self._where, *parts_of(trail)), what, hint)
        else:
            for name, member in value.items():
                form = _member_type(kind, name)
                if member is not None and form is not None:
                    record[name] = self.value(member, form, (trail, name))
        self._depth -= kind == "schema"
        return record

    def _wrong(self, kinds: tuple[_Type, ...], trail: tuple[Any, ...], value: Any = ...) -> Any:
        wanted = " or ".join(map(_called, kinds))
        shown = "" if value is ... else f", not {_value_in_words(value)}"
        self._problems.add(below(self._where, *parts_of(trail)), f"has to be {wanted}{shown}")
        return {}


def _member_type(record: str, name: str) -> _Type | None:
    if record == "schema" and name in KEYWORDS:
        return _KEYWORDS[KEYWORDS[name].form]
    return _RECORDS[record].get(name)


def _is_choice(kind: _Type) -> TypeGuard[tuple[_Type, ...]]:
    return isinstance(kind, tuple)


def _fits(value: Any, kind: _Type) -> bool:
    if isinstance(kind, list):
        return is_array(value)
    if isinstance(kind, str) and kind in _WORDS:
        types = _WORDS[kind][0]
        return isinstance(value, types) and (kind == "flag" or not isinstance(value, bool))
    return is_object(value)


def _called(kind: _Type) -> str:
    if isinstance(kind, list):
        return "a list"
    return _WORDS[kind][1] if isinstance(kind, str) and kind in _WORDS else "an object"


def _value_in_words(value: Any) -> str:
    if is_object(value):
        return "an object"
    if is_array(value):
        return "a list"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}…"
