"""How reviews are read and answered, and how patches are made: without a server."""

from __future__ import annotations

import json
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reviews import Item, Thing, conversion, patch_of, review, thing

from clientgen.runtime._admission.admission_review import ReviewError, read_review, typed_request
from clientgen.runtime._admission.configurations import Endpoint
from clientgen.runtime._admission.conversion import read_conversion
from clientgen.runtime._admission.json_difference import carry_over, patch_between
from clientgen.runtime.models import (
    CustomResource,
    Model,
    StatusCause,
    Unstructured,
    auto,
    decode,
    field,
)
from clientgen.runtime.sync import Webhooks
from clientgen.runtime.webhooks import AdmissionRequest, Denied
from clientgen.testing._apiserver.patches.json_patch import json_patch

NAMES = st.sampled_from(["a", "b", "name", "x/y", "~", "", "0"])
SCALARS = st.none() | st.booleans() | st.sampled_from([0, 1, 1.0, -1, 2.5, "", "a", "é"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(NAMES, inner), max_leaves=8
)
NAMED = st.lists(
    st.fixed_dictionaries({"name": st.sampled_from("abcdef")}, optional={"v": SCALARS}), max_size=6
)
OBJECTS = st.dictionaries(NAMES, VALUES | NAMED)


def text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode()


@given(OBJECTS, OBJECTS)
def test_a_patch_turns_one_object_into_the_other(before: dict[str, Any], after: dict[str, Any]):
    operations = patch_between(before, after)
    assert text(json_patch(before, operations)) == text(after)
    assert bool(operations) == (text(before) != text(after))


@given(OBJECTS, OBJECTS)
def test_changes_are_carried_over_as_they_are_where_nothing_is_left_out(
    before: dict[str, Any], after: dict[str, Any]
):
    assert text(carry_over(before, as_json(before), as_json(after), after)) == text(after)
    assert carry_over(before, as_json(after), as_json(after), after) is before


@given(OBJECTS, OBJECTS)
def test_nulls_that_nobody_changed_stay(before: dict[str, Any], after: dict[str, Any]):
    """A class reads nulls as absent, and writes none."""
    received = {**before, "zzz": None}
    carried = carry_over(received, as_json(before), as_json(after), after)
    assert text(carried) == text({**after, "zzz": None})


class Inner(Model):
    text: str = ""
    words: list[str] = field(default_factory=list)
    extra: dict[str, str] = field(default_factory=dict)


class WideSpec(Model):
    size: int = 3
    words: list[str] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    extra: dict[str, str] = field(default_factory=dict)
    free: dict[str, Any] = field(default_factory=dict)
    inner: Inner = auto(Inner)
    optional: Inner | None = None
    by_name: dict[str, Inner] = field(default_factory=dict)


class Wide(CustomResource, group="stable.example.com", version="v1", kind="Thing"):
    spec: WideSpec = auto(WideSpec)


class Demanding(CustomResource, group="stable.example.com", version="v1", kind="Thing"):
    spec: WideSpec


class Free(CustomResource, group="stable.example.com", version="v1", kind="Thing"):
    spec: dict[str, Any] = field(default_factory=dict)


WORDS = st.sampled_from(["", "a", "b"])
MAPS = st.dictionaries(WORDS, WORDS, max_size=2)
SIZES = st.sampled_from([0, 3, 4])
UNKNOWN = st.none() | st.just({}) | st.just([]) | MAPS


def sent(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects in which each member may be absent, and may be null."""
    return st.fixed_dictionaries({}, optional={name: st.none() | s for name, s in members.items()})


INNER = sent(text=WORDS, words=st.lists(WORDS, max_size=2), extra=MAPS, unknown=UNKNOWN)
ITEMS = st.lists(st.builds(lambda name, rest: {**rest, "name": name}, WORDS, sent(value=WORDS)))
SPEC = sent(
    size=SIZES,
    words=st.lists(WORDS, max_size=2),
    items=ITEMS,
    extra=MAPS,
    free=INNER,
    inner=INNER,
    optional=INNER,
    byName=st.dictionaries(WORDS, INNER, max_size=2),
    unknown=UNKNOWN,
)
METADATA = st.builds(lambda rest: {"name": "a", **rest}, sent(labels=MAPS, finalizers=st.just([])))
THINGS = st.builds(
    lambda rest: {**thing(), "spec": {}, **rest}, sent(spec=SPEC, metadata=METADATA)
) | st.just({name: value for name, value in thing().items() if name != "spec"})


def assigned_again(value: Any) -> Any:
    """A copy whose lists and maps are plain, after all that is in a model was assigned again."""
    if isinstance(value, Model):
        for name in value.__struct_fields__:
            setattr(value, name, assigned_again(getattr(value, name)))
        return value
    if isinstance(value, dict):
        return {name: assigned_again(inner) for name, inner in value.items()}
    return [assigned_again(inner) for inner in value] if isinstance(value, list) else value


def emptied(value: Any) -> Any:
    if isinstance(value, list | dict):
        value.clear()
    elif isinstance(value, Model):
        for name in value.__struct_fields__:
            emptied(getattr(value, name))
    return value


def mutated(received: dict[str, Any], model: type[Any], change: Any) -> list[Any]:
    """The patch of a webhook whose function changes the object."""

    def function(request: AdmissionRequest[Any]) -> None:
        change(request.object)

    webhooks = Webhooks().default(model, function, path="/x")
    return patch_of(webhooks.answer("/x", review(received)))


@pytest.mark.parametrize("model", [Wide, Demanding, Free, Unstructured])
@given(received=THINGS)
def test_what_is_not_changed_is_no_patch(received: dict[str, Any], model: type[Any]):
    """Also if everything was assigned again: a class does not write a plain `{}`."""
    assert mutated(received, model, lambda obj: obj) == []
    assert mutated(received, model, assigned_again) == []


@pytest.mark.parametrize("model", [Wide, Free])
@given(received=THINGS)
def test_what_is_emptied_is_not_removed(received: dict[str, Any], model: type[Any]):
    patched = json_patch(received, mutated(received, model, lambda obj: emptied(obj.spec)))
    assert patched.keys() == received.keys()
    if model is Free and received.get("spec"):
        assert patched["spec"] == {}
    elif received.get("spec"):
        assert patched["spec"].keys() == received["spec"].keys()
        for name in ("words", "extra"):
            assert not patched["spec"].get(name)


@given(THINGS, SPEC)
def test_a_patch_leads_to_what_the_class_reads_as_the_changed_object(
    received: dict[str, Any], other: dict[str, Any]
):
    other.pop("unknown", None)
    spec = decode(as_json({**thing(), "spec": other}), Wide).spec
    patched = json_patch(received, mutated(received, Wide, lambda obj: setattr(obj, "spec", spec)))
    read = decode(as_json(patched), Wide).spec
    assert all(getattr(read, name) == getattr(spec, name) for name in spec.__struct_fields__)


def test_what_a_function_takes_away_is_removed():
    def change(obj: Wide) -> None:
        obj.spec.optional = None
        obj.spec.size = 3  # the default of the class; the server does not know of it
        del obj.spec.free["a"]

    received = thing(optional={"text": "a"}, size=4, free={"a": {}, "b": {}})
    assert mutated(received, Wide, change) == [
        {"op": "remove", "path": "/spec/optional"},
        {"op": "replace", "path": "/spec/size", "value": 3},
        {"op": "remove", "path": "/spec/free/a"},
    ]


@pytest.mark.parametrize(
    ("before", "after", "operations"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, [("replace", "/a", 2)]),
        ({"a": 1}, {"a": True}, [("replace", "/a", True)]),
        ({"a": {"x/y": 1}}, {"a": {"x/y": 2}}, [("replace", "/a/x~1y", 2)]),
        ({}, {"a": None}, [("add", "/a", None)]),
        ({"a": {}}, {}, [("remove", "/a", None)]),
        # Items that are told apart by name keep what did not change.
        (
            {"c": [{"name": "a", "x": 1}, {"name": "b"}]},
            {"c": [{"name": "new"}, {"name": "a", "x": 2}, {"name": "b"}]},
            [("replace", "/c/0/x", 2), ("add", "/c/0", {"name": "new"})],
        ),
        ({"l": [1, 2, 3, 4]}, {"l": [1, 3, 4, 5]}, [("add", "/l/4", 5), ("remove", "/l/1", None)]),
        ({"l": ["a", "a"]}, {"l": ["a", "a", "a"]}, [("add", "/l/2", "a")]),
        ({"l": [{"x": 1}, {"x": 2}]}, {"l": [{"x": 1}, {"x": 3}]}, [("replace", "/l/1/x", 3)]),
        ({"l": [{"name": "a"}, {"name": "b"}]}, {"l": [{"name": "b"}]}, [("remove", "/l/0", None)]),
    ],
)
def test_patches_are_small(before: Any, after: Any, operations: list[tuple[str, str, Any]]):
    made = [(each["op"], each["path"], each.get("value")) for each in patch_between(before, after)]
    assert made == operations
    assert json_patch(before, patch_between(before, after)) == after


def test_the_difference_of_long_lists_takes_linear_time():
    count = 40_000
    same = ["x"] * count
    reversed_numbers = list(range(count))[::-1]
    begin = process_time()
    assert len(patch_between({"l": same}, {"l": [*same, "x"]})) == 1
    assert len(patch_between({"l": list(range(count))}, {"l": reversed_numbers})) == 2 * count - 2
    assert process_time() - begin < 30  # squared, it is minutes


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "Input data was truncated"),
        (b"[]", "Expected `object`, got `array`"),
        (b'{"apiVersion": "\xff"}', "UTF-8"),
        (b"[" * 100_000, "Expected `object`"),
        (b'{"request": ' + b"[" * 100_000, "Expected `object"),
        (b"{}", "the body is something else, not admission.k8s.io/v1 AdmissionReview"),
        (
            b'{"apiVersion": "admission.k8s.io/v1beta1", "kind": "AdmissionReview"}',
            "the body is admission.k8s.io/v1beta1 AdmissionReview, not admission.k8s.io/v1",
        ),
        (
            b'{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": null}',
            "has no request",
        ),
        (review(thing(), uid=""), "request.uid must have"),
        (review(thing(), uid=7), r"\$.request.uid"),
        (review(thing(), uid="u" * 1000), "request.uid must have 1 to 256 characters"),
        (review(thing(), operation="create"), "request.operation is create, not one of CREATE"),
        (review(thing(), operation="UPDATE"), "request.oldObject is missing, and UPDATE needs it"),
        (review(None, operation="CREATE"), "request.object is missing, and CREATE needs it"),
        (review([]), "request.object is not a JSON object"),
        (review(thing(), kind="Thing"), r"\$.request.kind"),
        (review(thing(), dryRun="yes"), r"\$.request.dryRun"),
        (review(thing(), options=[]), r"\$.request.options"),
    ],
)
def test_what_is_no_review_is_refused(body: bytes, message: str):
    with pytest.raises(ReviewError, match=message):
        read_review(body)


def test_reviews_of_other_kinds_are_refused():
    call = read_review(review(thing(), kind={"group": "apps", "version": "v1", "kind": "\x1b[31m"}))
    with pytest.raises(ReviewError) as caught:
        typed_request(call, Thing)
    assert str(caught.value) == (
        "this webhook is for stable.example.com/v1 Thing; the request is about apps/v1 \\x1b[31m:"
        " correct the rules of the webhook configuration"
    )
    assert typed_request(call, Unstructured).object["kind"] == "Thing"


def test_a_request_is_typed():
    call = read_review(review(thing(size=2), thing(size=1), dryRun=True, subResource="status"))
    request = typed_request(call, Thing)
    assert (request.object.spec.size, request.operation) == (2, "UPDATE")
    assert request.old_object
    assert request.old_object.spec.size == 1
    assert (request.name, request.namespace, request.sub_resource) == ("a", "shop", "status")
    assert str(request.resource) == "stable.example.com/v1/things"
    assert request.dry_run
    assert request.options["kind"] == "CreateOptions"
    assert (request.user.username, request.user.groups) == ("jane", ["system:authenticated"])
    assert repr(request) == "<AdmissionRequest UPDATE things/status shop/a>"
    assert "s3cret" not in repr(request.user)


def test_a_delete_has_an_old_object_only():
    request = typed_request(read_review(review(None, thing(size=1))), Thing)
    assert request.old_object
    assert request.operation == "DELETE"
    with pytest.raises(LookupError, match="DELETE has no object; use old_object"):
        _ = request.object


def test_tests_can_make_requests():
    request = AdmissionRequest(Thing(), operation="UPDATE", old_object=Thing(), dry_run=True)
    request.object.spec.size = 3
    assert request.object.spec.size == 3
    assert not request.user.username


def test_warnings_are_bounded_and_in_one_line():
    request = AdmissionRequest(Thing())
    request.warn("two\nlines\x1b")
    request.warn("x" * 1000)
    request.warn(" ")
    for _ in range(100):
        request.warn("y" * 256)
    assert request.warnings[0] == "two lines"
    assert request.warnings[1] == "x" * 253 + "..."
    assert sum(map(len, request.warnings)) <= 4096
    assert len(request.warnings) == 16


def test_denials_are_errors():
    assert (Denied("no").code, Denied("no").reason) == (403, "Forbidden")
    assert Denied("no", code=422).reason == "Invalid"
    assert Denied("no", code=418, causes=[StatusCause(field="spec")]).reason == ""
    with pytest.raises(ValueError, match="a number from 400 to 599, not 200"):
        Denied("no", code=200)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b'{"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview"}',
        b'{"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": {}}',
        conversion("v1", uid=""),
        conversion("v1", objects=[], desiredAPIVersion=""),
    ],
)
def test_what_is_no_conversion_is_refused(body: bytes):
    with pytest.raises(ReviewError, match="ConversionReview"):
        read_conversion(body)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "pass either service="),
        ({"service": "a/b", "url": "https://x"}, "pass either service="),
        ({"service": "b"}, "NAMESPACE/NAME, not 'b'"),
        ({"service": "a/b/c"}, "NAMESPACE/NAME"),
        ({"url": "http://x"}, "url must start with https://"),
        ({"service": "a/b", "ca_bundle": "LS0t"}, "must be PEM"),
    ],
)
def test_endpoints_are_checked(values: dict[str, str], message: str):
    with pytest.raises(ValueError, match=message):
        Endpoint(**values)
