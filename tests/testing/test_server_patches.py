"""JSON patches and JSON merge patches, as the API server reads and applies them."""

import copy

import pytest

from clientgen._apimachinery.failures import Failure
from clientgen.testing._apiserver.kinds.kind_codecs import Codec, UnstructuredCodec
from clientgen.testing._apiserver.patches.patch_types import (
    APPLY,
    JSON_PATCH,
    MERGE_PATCH,
    STRATEGIC_MERGE_PATCH,
    json_patch,
    merge_patch,
    read_patch,
    undecodable,
)

DOCUMENT = {"a": {"b": "1", "n": None, "x/y~z": 1}, "l": ["p", "q", {"r": [True, 1.5]}]}


def patched(*operations):
    before = copy.deepcopy(DOCUMENT)
    made = json_patch(DOCUMENT, list(operations))
    assert before == DOCUMENT, "the document is left as it was"
    return made


def op(kind, path, **rest):
    return {"op": kind, "path": path, **rest}


def refusal(function, *arguments, **options):
    with pytest.raises(Failure) as caught:
        function(*arguments, **options)
    return caught.value


def read(text, patch_type, **options):
    return read_patch(text.encode(), patch_type, **options)


# ------------------------------------------------------------------------------------ operations


@pytest.mark.parametrize(
    ("operation", "made"),
    [
        (op("add", "/l/-", value="z"), ["p", "q", {"r": [True, 1.5]}, "z"]),
        (op("add", "/l/0", value="z"), ["z", "p", "q", {"r": [True, 1.5]}]),
        (op("add", "/l/3", value="z"), ["p", "q", {"r": [True, 1.5]}, "z"]),
        (op("add", "/l/-1", value="z"), ["p", "q", {"r": [True, 1.5]}, "z"]),
        (op("add", "/l/-4", value="z"), ["z", "p", "q", {"r": [True, 1.5]}]),
        (op("remove", "/l/-1"), ["p", "q"]),
        (op("remove", "/l/0"), ["q", {"r": [True, 1.5]}]),
        (op("replace", "/l/+1", value=None), ["p", None, {"r": [True, 1.5]}]),
        (op("move", "/l/2", **{"from": "/l/0"}), ["q", {"r": [True, 1.5]}, "p"]),
        (op("copy", "/l/0", **{"from": "/l/2/r/0"}), [True, "p", "q", {"r": [True, 1.5]}]),
    ],
)
def test_lists_are_changed_by_index(operation, made):
    assert patched(operation)["l"] == made


@pytest.mark.parametrize(
    ("operation", "made"),
    [
        (op("add", "/a/c", value="2"), {"b": "1", "n": None, "x/y~z": 1, "c": "2"}),
        (op("add", "/a/c"), {"b": "1", "n": None, "x/y~z": 1, "c": None}),
        (op("replace", "/a/c", value="2"), {"b": "1", "n": None, "x/y~z": 1, "c": "2"}),
        (op("remove", "/a/x~1y~0z"), {"b": "1", "n": None}),
        (op("copy", "/a/c", **{"from": "/a/nope"}), {"b": "1", "n": None, "x/y~z": 1, "c": None}),
        (op("move", "/a/b", **{"from": "/a/n"}), {"b": None, "x/y~z": 1}),
        (op("test", "/a/nope", value=None), DOCUMENT["a"]),
        (op("test", "/a/nope"), DOCUMENT["a"]),
        (op("test", "/a", value={"x/y~z": 1, "n": None, "b": "1"}), DOCUMENT["a"]),
        (op("test", "", value=DOCUMENT), DOCUMENT["a"]),
    ],
)
def test_members_need_not_be_there(operation, made):
    assert patched(operation)["a"] == made


def test_a_pointer_needs_no_leading_slash():
    assert patched(op("add", "before/c", value=1))["c"] == 1


def test_the_whole_document_may_be_replaced():
    assert patched(op("replace", "", value=[1]), op("add", "/-", value=2)) == [1, 2]


def test_the_copy_operation_copies_the_value():
    made = patched(
        op("copy", "/c", **{"from": "/l/2"}), op("add", "/c/s", value=1), op("remove", "/c/r/0")
    )
    assert made["l"] == DOCUMENT["l"]
    assert made["c"] == {"r": [1.5], "s": 1}


@pytest.mark.parametrize(
    "operation",
    [
        op("remove", "/a/nope"),
        op("remove", ""),
        op("move", "/a/c", **{"from": "/a/nope"}),
        op("add", "", value={}),
        op("add", "/nope/c", value=1),
        op("add", "/a/b/c", value=1),
        op("add", "/a/n/c", value=1),
        op("add", "/l/4", value=1),
        op("add", "/l/-5", value=1),
        op("add", "/l/one", value=1),
        op("add", "/l/1.0", value=1),
        op("replace", "/l/3", value=1),
        op("replace", "", value=5),
        op("replace", ""),
        op("copy", "/a/c", **{"from": "/l/3"}),
        op("test", "/a/b", value="2"),
        op("test", "/a/x~1y~0z", value=True),
        op("test", "/l/2/r/1", value=1),
        op("test", "", value={}),
        op("bogus", "/a"),
        op("Add", "/a/c", value=1),
        {"op": "add", "path": 5},
        {"op": ["add"], "path": "/a"},
        {},
        None,
    ],
)
def test_a_patch_that_does_not_apply_is_unprocessable_without_a_reason(operation):
    failure = refusal(json_patch, DOCUMENT, [operation])
    assert (failure.code, failure.reason) == (422, "Invalid")
    assert failure.status()["details"] == {}


def test_there_may_be_too_many_operations():
    operation = op("test", "/a/b", value="1")
    assert patched(*[operation] * 10_000) == DOCUMENT
    failure = refusal(json_patch, DOCUMENT, [operation] * 10_001)
    assert (failure.code, failure.reason) == (413, "RequestEntityTooLarge")


# ----------------------------------------------------------------------------------------- merge


@pytest.mark.parametrize(
    ("document", "patch", "made"),
    [
        ({"a": 1, "b": 2}, {"a": None, "c": 3}, {"b": 2, "c": 3}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": None, "d": 3}}, {"a": {"c": 2, "d": 3}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": 1}, {"a": {"b": None, "c": {"d": None}}}, {"a": {"c": {}}}),
        ({}, {"a": [{"b": None}, None]}, {"a": [{}, None]}),
        ({"a": {}}, {"a": [{"b": None}]}, {"a": [{"b": None}]}),
        ({"a": {"b": 1}}, {"a": "x"}, {"a": "x"}),
        ({"a": 1}, {}, {"a": 1}),
    ],
)
def test_merging(document, patch, made):
    before = copy.deepcopy(document)
    assert merge_patch(document, patch) == made
    assert document == before


# --------------------------------------------------------------------------------------- reading


def test_which_kinds_take_which_patches():
    assert Codec.patch_types == (JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY)
    assert UnstructuredCodec.patch_types == (JSON_PATCH, MERGE_PATCH, APPLY)


@pytest.mark.parametrize(
    ("patch_type", "text", "value"),
    [
        (JSON_PATCH, "null", []),
        (JSON_PATCH, "[null]", [None]),
        (MERGE_PATCH, "{}", {}),
        (STRATEGIC_MERGE_PATCH, "null", {}),
        (STRATEGIC_MERGE_PATCH, '{"a": 1.0}', {"a": 1}),
        (APPLY, "a: y\n", {"a": True}),
        (APPLY, "", {}),
        (APPLY, '{"a": {"b": 1}}', {"a": {"b": 1}}),
    ],
)
def test_bodies(patch_type, text, value):
    assert read(text, patch_type).value == value


@pytest.mark.parametrize(
    ("patch_type", "text", "message"),
    [
        (JSON_PATCH, "{}", "error decoding patch: json: cannot unmarshal object"),
        (JSON_PATCH, "[1]", "error decoding patch: json: cannot unmarshal number"),
        (JSON_PATCH, '[{"op": 5}]', "error decoding patch: json: cannot unmarshal number"),
        (JSON_PATCH, "[", "error decoding patch: unexpected end of JSON input"),
        (MERGE_PATCH, "", "error decoding patch: unexpected end of JSON input"),
        (MERGE_PATCH, "null", "Invalid JSON Patch"),
        (MERGE_PATCH, "[{}]", "error decoding patch: json: cannot unmarshal array"),
        (MERGE_PATCH, "{} x", "error decoding patch: invalid character 'x' after top-level value"),
        (MERGE_PATCH, '{"a": 1e999}', "error decoding patch: json: cannot unmarshal number 1e999"),
        (STRATEGIC_MERGE_PATCH, "{", "unexpected end of JSON input"),
        (STRATEGIC_MERGE_PATCH, "[1]", "json: cannot unmarshal array into Go value of type map"),
        (APPLY, "[]", "error decoding YAML: json: cannot unmarshal array"),
        (APPLY, "{", "error decoding YAML: yaml: "),
    ],
)
def test_bad_bodies(patch_type, text, message):
    failure = refusal(read, text, patch_type)
    assert (failure.code, failure.reason) == (400, "BadRequest")
    assert failure.message.startswith(message)


def test_operations_are_not_looked_at_when_nothing_is_validated():
    assert read('[{"op": 5, "more": 1}]', JSON_PATCH, checked=False).complaints() == []
    assert refusal(read, "[1]", JSON_PATCH, checked=False).code == 400


def test_complaints():
    text = '[{"op": "add", "op": "add", "path": "/a", "more": 1}]'
    assert read(text, JSON_PATCH).complaints() == [
        'json patch duplicate field "[0].op"',
        'json patch unknown field "[0].more"',
    ]
    assert read('{"a": {"b": 1, "b": 2}}', MERGE_PATCH).complaints() == ['duplicate field "a.b"']
    assert read("a: 1\na: 2\n", APPLY).complaints() == ['line 2: key "a" already set in map']


def test_a_result_that_cannot_be_decoded_is_shown():
    failure = undecodable({"data": 5})("because")
    assert (failure.code, failure.reason) == (422, "Invalid")
    cause = failure.status()["details"]["causes"][0]
    assert cause["field"] == "patch"
    assert cause["reason"] == "FieldValueInvalid"
    assert r"{\"data\":5}" in cause["message"]
