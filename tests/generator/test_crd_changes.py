"""Which changes of a definition are breaking."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from support.definitions import custom_definition, custom_version

from clientgen.generator.crds.crd_changes import changes

TEXT = {"type": "string"}
INT = {"type": "integer", "format": "int64"}
EITHER = {"anyOf": [{"type": "integer"}, TEXT], "x-kubernetes-int-or-string": True}
ANY = {"x-kubernetes-preserve-unknown-fields": True}


def obj(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return {**schema, "required": list(required)} if required else schema


def several(items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


def crd(schema: dict[str, Any] | None = None, **version: Any) -> dict[str, Any]:
    whole = obj(spec=schema or obj())
    return custom_definition("example.com", "Thing", {**custom_version(schema=whole), **version})


def told(old: dict[str, Any], new: dict[str, Any]) -> tuple[list[str], list[str]]:
    """What is breaking, and the rest."""
    listed = changes(old, new)
    assert [each.breaking for each in listed] == sorted((e.breaking for e in listed), reverse=True)
    return [str(e) for e in listed if e.breaking], [str(e) for e in listed if not e.breaking]


RULE = {"x-kubernetes-validations": [{"rule": "self > 1"}]}
# A field before and after, what is breaking, and what is told besides; each without `v1 .spec.x`.
FIELDS: list[tuple[Any, Any, list[str], list[str]]] = [
    (TEXT, TEXT, [], []),
    (TEXT, None, ["the field was removed; existing objects lose its value"], []),
    (None, TEXT, [], ["the field is new"]),
    (TEXT, INT, ["the type is integer, was string"], []),
    (INT, {"type": "number"}, [], ["the type is number, was integer", "format is gone, was int64"]),
    ({**INT, "minimum": 1}, {"type": "number", "minimum": 2, "format": "int64"},
     ["minimum is 2, was 1"], ["the type is number, was integer"]),
    (TEXT, EITHER, [], ["the type is int-or-string, was string"]),
    (EITHER, TEXT, ["the type is string, was int-or-string"], []),
    (TEXT, ANY, [], ["the type is anything, was string"]),
    (ANY, TEXT, ["the type is string, was anything"], []),
    (INT, {**INT, "minimum": 1}, ["minimum is 1, was not limited"], []),
    ({**INT, "minimum": 1}, {**INT, "minimum": 2}, ["minimum is 2, was 1"], []),
    ({**INT, "minimum": 2}, {**INT, "minimum": 1}, [], ["minimum is 1, was 2"]),
    ({**INT, "minimum": 1}, INT, [], ["minimum is gone, was 1"]),
    ({**INT, "maximum": 2}, {**INT, "maximum": 1}, ["maximum is 1, was 2"], []),
    ({**INT, "maximum": 1}, {**INT, "maximum": 2}, [], ["maximum is 2, was 1"]),
    ({**INT, "maximum": 1}, {**INT, "maximum": 1, "exclusiveMaximum": True},
     ["exclusiveMaximum is True, was not limited"], []),
    ({**INT, "multipleOf": 6}, {**INT, "multipleOf": 3}, [], ["multipleOf is 3, was 6"]),
    ({**INT, "multipleOf": 3}, {**INT, "multipleOf": 6}, ["multipleOf is 6, was 3"], []),
    ({**TEXT, "maxLength": 3}, {**TEXT, "maxLength": 2}, ["maxLength is 2, was 3"], []),
    ({**TEXT, "pattern": "a"}, {**TEXT, "pattern": "b"}, ["pattern is b, was a"], []),
    ({**TEXT, "pattern": "a"}, TEXT, [], ["pattern is gone, was a"]),
    ({**INT, "format": "int32"}, INT, [], ["format is int64, was int32"]),
    (INT, {**INT, "format": "int32"}, ["format is int32, was int64"], []),
    (TEXT, {**TEXT, "format": "uuid"}, ["format is uuid, was any"], []),
    (TEXT, {**TEXT, "enum": ["a"]}, ['only "a" is allowed, was any value'], []),
    ({**TEXT, "enum": ["a"]}, TEXT, [], ['any value is allowed, was "a"']),
    ({**TEXT, "enum": ["a", "b"]}, {**TEXT, "enum": ["b", "c"]},
     ['"a" is no longer allowed'], ['"c" is allowed']),
    ({**TEXT, "nullable": True}, TEXT, ["may no longer be null"], []),
    (TEXT, {**TEXT, "nullable": True}, [], ["may be null"]),
    ({**TEXT, "default": "a"}, {**TEXT, "default": "b"}, [], ['the default is "b", was "a"']),
    ({**TEXT, "default": "a"}, TEXT, [], ['the default is gone, was "a"']),
    (TEXT, {**TEXT, "default": "a"}, [], ['the default is "a", was none']),
    (INT, {**INT, **RULE}, ["a rule is new: self > 1"], []),
    ({**INT, **RULE}, INT, [], ["a rule is gone: self > 1"]),
    ({**INT, **RULE}, {**INT, "x-kubernetes-validations": [{"rule": "self > 1", "message": "m"}]},
     [], []),
    ({**obj(), **ANY}, obj(), ["drops fields it does not know"], []),
    (obj(), {**obj(), **ANY}, [], ["keeps fields it does not know"]),
    (obj(), {**obj(), "x-kubernetes-embedded-resource": True}, ["has to be a whole object"], []),
    (several(TEXT), several(TEXT, **{"x-kubernetes-list-type": "set"}),
     ["list-type is set, was atomic"], []),
    (several(TEXT), several(TEXT, **{"x-kubernetes-list-type": "atomic"}), [], []),
    (several(obj(), **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"]}),
     several(obj(), **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["b"]}),
     ["list-map-keys are b, were a"], []),
    (obj(), {**obj(), "x-kubernetes-map-type": "atomic"}, ["map-type is atomic, was granular"], []),
    ({"type": "object", "additionalProperties": TEXT}, obj(a=TEXT),
     ["takes only fields it knows, took any"], ["the field is new"]),
    ({**INT, "anyOf": [{"minimum": 1}]}, INT, [], ["anyOf is another"]),
    (INT, {**INT, "anyOf": [{"minimum": 1}]}, ["anyOf is another"], []),
    ({**TEXT, "description": "a", "title": "b"}, {**TEXT, "description": "c"}, [], []),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "breaking", "others"), FIELDS)
def test_changes_of_a_field(old: Any, new: Any, breaking: list[str], others: list[str]) -> None:
    before, after = (obj(**({"x": each} if each else {})) for each in (old, new))
    changes_told = told(crd(before), crd(after))
    expected = [[what.replace(" .*", "") for what in each] for each in (breaking, others)]
    cut = [
        [each.removeprefix("v1 .spec.x").removeprefix(": ") for each in part]
        for part in changes_told
    ]
    assert [[_without(each) for each in part] for part in cut] == expected


def _without(text: str) -> str:
    return text.partition(": ")[2] if text.startswith(".") else text


def test_places_are_those_of_the_object() -> None:
    old = obj(a=several(obj(b={"type": "object", "additionalProperties": obj(c=TEXT)})))
    new = deepcopy(old)
    new["properties"]["a"]["items"]["properties"]["b"]["additionalProperties"] = obj(c=INT)
    breaking, _ = told(crd(old), crd(new))
    assert breaking == ["v1 .spec.a[].b.*.c: the type is integer, was string"]


def test_a_field_that_becomes_required_is_breaking_unless_the_server_fills_it_in() -> None:
    filled = {**TEXT, "default": "x"}
    old = obj(a=TEXT, b=TEXT)
    new = obj(("a", "b", "c"), a=TEXT, b=filled, c=TEXT)
    breaking, others = told(crd(old), crd(new))
    assert breaking == [
        "v1 .spec.a: is required, and has no default",
        "v1 .spec.c: is required, and has no default",
    ]
    assert 'v1 .spec.b: the default is "x", was none' in others
    assert told(crd(new), crd(old))[1][:1] == ['v1 .spec.b: the default is gone, was "x"']


def test_a_default_that_goes_from_a_required_field_is_breaking() -> None:
    old, new = obj(("a",), a={**TEXT, "default": "x"}), obj(("a",), a=TEXT)
    assert told(crd(old), crd(new))[0] == ["v1 .spec.a: is required, and has no default"]


def test_a_field_that_is_gone_is_kept_where_unknown_fields_are() -> None:
    breaking, others = told(crd(obj(a=TEXT)), crd({**obj(), **ANY}))
    assert breaking == []
    assert "v1 .spec.a: the field was removed" in others


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        (("scope",), "Cluster", "scope: is Cluster, was Namespaced"),
        (("group",), "x.com", "group: is x.com, was example.com"),
        (("names", "plural"), "stuff", "plural: is stuff, was things"),
        (("names", "kind"), "Stuff", "kind: is Stuff, was Thing"),
    ],
)
def test_a_change_shared_by_all_versions_is_breaking(
    path: tuple[str, ...], value: str, what: str
) -> None:
    new = crd()
    where = new["spec"]
    for part in path[:-1]:
        where = where[part]
    where[path[-1]] = value
    assert told(crd(), new) == ([what], [])


def test_short_names_and_categories() -> None:
    old, new = crd(), crd()
    old["spec"]["names"].update(shortNames=["a"], categories=["all"])
    new["spec"]["names"].update(shortNames=["b"], categories=["all", "more"])
    assert told(old, new) == (
        ["shortNames: `a` is gone"], ["shortNames: `b` is new", "categories: `more` is new"],
    )  # fmt: skip


def test_versions_come_and_go() -> None:
    old, new = crd(), crd()
    (one,) = old["spec"]["versions"]
    new["spec"]["versions"] = [{**one, "name": "v2"}]
    assert told(old, new) == (
        ["v1: the version is gone"],
        ["v2: the version is new", "storage: objects are stored as v2, were as v1"],
    )
    assert told(old, crd(served=False)) == (["v1: is no longer served"], [])
    assert told(crd(served=False), old) == ([], ["v1: is served"])
    assert told(old, crd(deprecated=True)) == ([], ["v1: is deprecated"])


def test_subresources_come_and_go() -> None:
    scale = {"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a"}
    both = crd(subresources={"status": {}, "scale": scale})
    assert told(both, crd())[0] == [
        "v1 /status: the subresource is gone", "v1 /scale: the subresource is gone",
    ]  # fmt: skip
    assert told(crd(), both) == (
        ["v1 /status: the subresource is new: writes to the object leave `status` as it is"],
        ["v1 /scale: the subresource is new"],
    )
    other = crd(subresources={"status": {}, "scale": {**scale, "specReplicasPath": ".spec.b"}})
    (breaking,) = told(both, other)[0]
    assert breaking.startswith("v1 /scale: is {")


def test_columns_and_selectable_fields() -> None:
    old = crd(selectableFields=[{"jsonPath": ".spec.a"}], additionalPrinterColumns=[{"name": "A"}])
    new = crd(selectableFields=[{"jsonPath": ".spec.b"}])
    assert told(old, new) == (
        ["v1 .spec.a: can no longer be selected by"],
        ["v1 .spec.b: can be selected by", "v1 columns: are others"],
    )
