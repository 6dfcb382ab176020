"""Schemas are read by typed words, whatever stands in a document."""

import pytest

from clientgen._gvk import GroupVersionKind
from clientgen._openapi.resolved import UNKNOWN, Schemas
from clientgen._openapi.schema import Bounds, Schema, Validation, reference_to

WIDGET = GroupVersionKind("example.com", "v1", "Widget")
EVERY_WORD = (
    *("$ref", "type", "format", "description", "pattern", "properties", "required", "items"),
    *("additionalProperties", "allOf", "anyOf", "oneOf", "enum", "nullable", "uniqueItems"),
    *("x-kubernetes-group-version-kind", "x-kubernetes-list-type", "x-kubernetes-list-map-keys"),
    *("x-kubernetes-map-type", "x-kubernetes-patch-strategy", "x-kubernetes-patch-merge-key"),
    "x-kubernetes-validations",
)


def read(schema: Schema) -> dict[str, object]:
    """What every typed word of a schema says."""
    names = (name for name, value in vars(Schema).items() if isinstance(value, property))
    return {name: getattr(schema, name) for name in (*names, "type")}


def test_words_are_read_by_their_names():
    schema = Schema(
        {
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": 5},
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "x-kubernetes-patch-strategy": "merge,retainKeys",
            "x-kubernetes-patch-merge-key": "name",
            "x-kubernetes-validations": [{"rule": "self.size() > 1", "message": None}],
        }
    )
    assert schema.type == "array"
    assert schema.items is not None
    assert schema.items.length == Bounds(1, 5)
    assert (schema.list_type, schema.list_map_keys) == ("map", ("name",))
    assert schema.patch_strategies == ("merge", "retainKeys")
    assert schema.patch_merge_key == "name"
    assert schema.validations == (Validation("self.size() > 1", ""),)
    assert schema.topology == {
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
    }


@pytest.mark.parametrize("wrong", [None, 1, [], {}, [1], "x"])
@pytest.mark.parametrize("word", EVERY_WORD)
def test_a_word_of_another_type_is_read_without_failing(word, wrong):
    empty = read(Schema({}))
    for name, value in read(Schema({word: wrong})).items():
        same_type = type(value) is type(empty[name]) or None in (value, empty[name])
        assert same_type, (name, value)


def test_nodes_inside_are_made_once():
    schema = Schema(
        {"properties": {"a": {}}, "items": {}, "additionalProperties": {}, "allOf": [{}]}
    )
    assert schema.properties["a"] is schema.properties["a"]
    assert schema.items is schema.items
    assert schema.additional is schema.additional
    assert schema.all_of[0] is schema.all_of[0]


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ({"$ref": "#/definitions/com.example.v1.Widget"}, "com.example.v1.Widget"),
        ({"$ref": "#/components/schemas/a~1b~0c"}, "a/b~c"),
        ({"allOf": [{"$ref": "#/components/schemas/a"}], "default": {}}, "a"),
        ({"allOf": [{"$ref": "#/definitions/a"}, {"$ref": "#/definitions/b"}]}, None),
        ({"allOf": [{"$ref": "#/definitions/a"}], "properties": {}}, None),
        ({"properties": {"$ref": {"type": "string"}}}, None),
    ],
)
def test_a_reference_is_the_name_of_what_it_stands_for(raw, name):
    assert Schema(raw).reference == name


def test_kinds_are_those_of_schemas_and_of_operations():
    stated = {"group": "example.com", "version": "v1", "kind": "Widget"}
    word = "x-kubernetes-group-version-kind"
    assert Schema({word: [stated]}).kinds == Schema({word: stated}).kinds == (WIDGET,)


def test_an_extended_schema_has_both_and_changes_nothing():
    schema = Schema({"properties": {"a": {}, "b": {}}, "required": ["a"], "type": "object"})
    extended = schema.extended({"b": {"type": "string"}, "c": {}}, ("c",))
    assert sorted(extended.properties) == ["a", "b", "c"]
    assert extended.properties["b"].type == "string"
    assert extended.properties["a"] is schema.properties["a"]
    assert extended.required == ("c", "a")
    assert schema == Schema({"properties": {"a": {}, "b": {}}, "required": ["a"], "type": "object"})


def test_a_resolved_schema_follows_references_and_keeps_what_stands_beside_them():
    schemas = Schemas(
        {
            "Pod": {
                "properties": {
                    "spec": {**reference_to("Spec"), "description": "Its own."},
                    "volumes": {**reference_to("Spec"), "x-kubernetes-patch-strategy": "merge"},
                },
                "additionalProperties": True,
            },
            "Spec": {"type": "object", "description": "Any spec."},
        }
    )
    pod = schemas.named("Pod")
    assert pod.properties["spec"] is schemas.named("Spec")
    assert pod.stated("spec").description == "Its own."
    assert pod.properties["volumes"].name == "Spec"
    assert pod.properties["volumes"].patch_strategies == ("merge",)
    assert pod.additional is UNKNOWN


def test_definitions_that_are_only_each_other_say_nothing():
    circle = Schemas({"a": reference_to("b"), "b": reference_to("a"), "c": reference_to("a")})
    assert {circle.named(name).type for name in "abc"} == {""}


def test_a_long_chain_of_references_is_followed_to_its_end():
    chain = {f"{n}": reference_to(f"{n + 1}") for n in range(20_000)}
    schemas = Schemas({**chain, "20000": {"type": "string"}})
    assert schemas.named("0") is schemas.named("20000")
