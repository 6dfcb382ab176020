"""Objects without a class: the dict, the view of its metadata, lists, conversions."""

from __future__ import annotations

import copy
import json
import pickle
import pprint
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import ConfigMap, Pod, Secret
from kubeapi.meta.v1 import ManagedFieldsEntry, ObjectMeta, OwnerReference
from msgspec.structs import fields

from clientgen.runtime._http.edit import changed
from clientgen.runtime._http.patches import MergePatch
from clientgen.runtime._models.model_codec import (
    DecodeError,
    decode_event,
    decode_events,
    decode_list,
)
from clientgen.runtime._models.object_meta_view import ObjectMetaView
from clientgen.runtime.models import (
    PartialObjectMetadata,
    PartialObjectMetadataList,
    Table,
    Unstructured,
    UnstructuredList,
    decode,
    deep_copy,
    encode,
    from_dict,
    to_dict,
)

OWNER = OwnerReference(api_version="apps/v1", kind="ReplicaSet", name="web-5d", uid="u1")
META: dict[str, Any] = {
    "name": "web",
    "generateName": "we",
    "namespace": "shop",
    "selfLink": "/x",
    "uid": "1f",
    "resourceVersion": "12",
    "generation": 3,
    "creationTimestamp": "2026-01-02T03:04:05Z",
    "deletionTimestamp": "2026-01-02T05:04:05+02:00",
    "deletionGracePeriodSeconds": 30,
    "labels": {"app": "web"},
    "annotations": {"a": "b"},
    "ownerReferences": [to_dict(OWNER)],
    "finalizers": ["example.com/hold"],
    "managedFields": [{"manager": "kubectl", "operation": "Apply", "fieldsV1": {"f:spec": {}}}],
}


def web(**members: Any) -> Unstructured:
    meta = copy.deepcopy(META)
    return Unstructured(apiVersion="apps/v1", kind="Deployment", metadata=meta, **members)


# ---- the view of the metadata -----------------------------------------------------------------


def test_the_view_has_the_attributes_of_an_object_meta() -> None:
    """And reads the same values, of a full object and of an empty one."""
    names = [field.name for field in fields(ObjectMeta)]
    assert [n for n in vars(ObjectMetaView) if not n.startswith("_")] == names
    full, model = web().metadata, web().to(Deployment).metadata
    assert {n: getattr(full, n) for n in names} == {n: getattr(model, n) for n in names}
    empty = ObjectMeta()
    for obj in (Unstructured(), Unstructured(metadata=None), Unstructured(metadata={})):
        assert {n: getattr(obj.metadata, n) for n in names} == {n: getattr(empty, n) for n in names}
        assert obj.get("metadata") in (None, {})
    assert full.creation_timestamp == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert full.deletion_timestamp == full.creation_timestamp
    assert repr(full) == repr(model)


def test_what_is_assigned_is_written_into_the_object() -> None:
    obj, meta = Unstructured(), ObjectMeta()
    values: dict[str, Any] = {
        name: getattr(web().metadata, name) for name in (f.name for f in fields(ObjectMeta))
    }
    for name, value in values.items():
        setattr(obj.metadata, name, value)
        setattr(meta, name, value)
    assert obj["metadata"] == to_dict(meta)
    for name in values:
        setattr(obj.metadata, name, getattr(ObjectMeta(), name))
    assert obj["metadata"] == {"labels": {}, "annotations": {}, "finalizers": []}


def test_a_view_is_live() -> None:
    obj = web()
    meta = obj.metadata
    obj["metadata"]["name"] = "other"
    assert meta.name == obj.name == "other"
    obj["metadata"] = {"name": "third", "labels": {"a": "b"}}
    assert (meta.name, meta.namespace) == ("third", "")
    assert meta == obj.metadata
    assert meta != web().metadata
    assert meta != 3
    assert meta.labels is obj["metadata"]["labels"]
    with pytest.raises(AttributeError):
        meta.nmae = "x"  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        hash(meta)


def test_maps_and_lists_that_are_absent_can_be_filled() -> None:
    obj = Unstructured()
    assert obj.metadata.labels == {}
    assert "metadata" not in obj
    obj.metadata.labels["app"] = "web"
    obj.metadata.annotations |= {"a": "b"}
    obj.metadata.annotations.update(c="d")
    obj.metadata.finalizers.append("x")
    obj.metadata.finalizers += ["y"]
    obj.metadata.owner_references.append(OWNER)
    obj.metadata.managed_fields.extend([ManagedFieldsEntry(manager="me")])
    assert obj == {
        "metadata": {
            "labels": {"app": "web"},
            "annotations": {"a": "b", "c": "d"},
            "finalizers": ["x", "y"],
            "ownerReferences": [to_dict(OWNER)],
            "managedFields": [{"manager": "me"}],
        }
    }
    assert json.loads(encode(obj)) == obj
    assert pickle.loads(pickle.dumps(obj)) == obj
    labels = copy.copy(obj.metadata.labels)
    labels["other"] = "x"
    assert obj.metadata.labels == {"app": "web"}
    assert type(labels) is type(copy.deepcopy(obj.metadata.labels)) is dict


def test_lists_of_models_write_every_change() -> None:
    obj = web()
    references = obj.metadata.owner_references
    references[0] = OwnerReference(api_version="v1", kind="Node", name="n", uid="u2")
    references.insert(0, OWNER)
    assert [each["kind"] for each in obj["metadata"]["ownerReferences"]] == ["ReplicaSet", "Node"]
    references.sort(key=lambda each: each.kind)
    assert [each.kind for each in obj.metadata.owner_references] == ["Node", "ReplicaSet"]
    references.pop()
    references.remove(references[0])
    assert "ownerReferences" not in obj["metadata"]
    obj.metadata.managed_fields = []
    assert "managedFields" not in obj["metadata"]


def test_a_change_is_not_lost_to_another() -> None:
    """Two who read an absent map, or a list of models: the second to change it is told."""
    obj = Unstructured()
    first, second = obj.metadata.labels, obj.metadata.labels
    first["a"] = "1"
    first["b"] = "2"
    with pytest.raises(RuntimeError, match="labels were assigned after"):
        second["c"] = "3"
    assert obj.metadata.labels == {"a": "1", "b": "2"}
    owners, others = obj.metadata.owner_references, obj.metadata.owner_references
    owners.append(OWNER)
    owners.append(OWNER)
    with pytest.raises(RuntimeError, match="ownerReferences were assigned after"):
        others.append(OWNER)
    assert len(obj.metadata.owner_references) == 2


@pytest.mark.parametrize("nonsense", [3, "text", [1], True, 1.5])
def test_nonsense_reads_as_absent(nonsense: Any) -> None:
    """As for client-go; what a client gets from a server has no such metadata."""
    empty = ObjectMeta()
    for field in fields(ObjectMeta):
        obj = Unstructured(metadata={field.encode_name: nonsense})
        value = getattr(obj.metadata, field.name)
        assert value in (getattr(empty, field.name), nonsense)
        assert type(value) in {str, int, dict, list, type(None)} or not value
    obj = Unstructured(metadata=nonsense, kind=nonsense, apiVersion=nonsense)
    assert obj.metadata.name == obj.name == ""
    assert obj.metadata.labels == {}
    if not isinstance(nonsense, str):
        assert (obj.kind, obj.api_version) == ("", "")
    with pytest.raises(TypeError, match="the metadata must be a dict, not"):
        obj.metadata.name = "x"
    assert Unstructured(metadata={"ownerReferences": [3]}).metadata.owner_references == []


def test_times_have_a_zone() -> None:
    obj = Unstructured()
    with pytest.raises(ValueError, match="creationTimestamp needs a time zone"):
        obj.metadata.creation_timestamp = datetime(2026, 1, 1)
    east = timezone(timedelta(hours=1))
    obj.metadata.creation_timestamp = datetime(2026, 1, 1, tzinfo=east)
    assert obj["metadata"]["creationTimestamp"] == "2026-01-01T00:00:00+01:00"
    assert Unstructured(metadata={"creationTimestamp": "2026-01-01T00:00:00"}).metadata == (
        Unstructured(metadata={"creationTimestamp": "2026-01-01T00:00:00"}).metadata
    )


# ---- the dict ---------------------------------------------------------------------------------


def test_copies_are_of_the_class_and_share_nothing() -> None:
    obj = web(spec={"template": {"spec": {"containers": [{"name": "a"}]}}})
    for copied in (deep_copy(obj), copy.deepcopy(obj)):
        assert type(copied) is Unstructured
        assert copied == obj
        copied["spec"]["template"]["spec"]["containers"][0]["name"] = "b"
        copied.metadata.labels["app"] = "other"
        assert copied != obj
    assert obj["spec"]["template"]["spec"]["containers"] == [{"name": "a"}]
    assert obj.metadata.labels == {"app": "web"}
    for shallow in (obj.copy(), copy.copy(obj)):
        assert type(shallow) is Unstructured
        assert shallow["spec"] is obj["spec"]
    assert type(deep_copy({"a": [obj]})["a"][0]) is Unstructured
    assert pickle.loads(pickle.dumps(obj)) == obj


def test_it_shows_which_object_it_is_and_nothing_else() -> None:
    secret = Unstructured(
        apiVersion="v1",
        kind="Secret",
        metadata={"name": "s", "namespace": "n", "resourceVersion": "3", "annotations": {"p": "w"}},
        data={"password": "aHVudGVyMg=="},
    )
    shown = (
        "Unstructured(api_version='v1', kind='Secret', namespace='n', name='s',"
        " resource_version='3')"
    )
    assert repr(secret) == str(secret) == f"{secret}" == pprint.pformat(secret) == shown
    listed = UnstructuredList(items=[secret])
    assert repr(listed) == f"UnstructuredList(items=[{shown}])"
    assert repr(Unstructured()) == "Unstructured()"
    assert dict(secret.__rich_repr__())["name"] == "s"
    assert len(repr(Unstructured(kind="k" * 1000))) < 200


def test_a_slip_is_told() -> None:
    obj = web(spec={})
    with pytest.raises(AttributeError, match=r"has no attribute 'spec': write \['spec'\]"):
        obj.spec  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError):
        obj.spec = {}  # type: ignore[attr-defined]


def test_whole_numbers_are_written_as_go_writes_them() -> None:
    assert encode(Unstructured(a=60.0, b=[1.5, 2.0])) == b'{"a":60,"b":[1.5,2]}'
    assert encode(UnstructuredList(items=[Unstructured(a=60.0)])).count(b"60}") == 1


def test_models_inside_are_written_as_models() -> None:
    pod = Pod(metadata=ObjectMeta(name="a"))
    obj = Unstructured(template=pod.metadata, spec=pod.spec)
    assert json.loads(encode(obj))["template"] == {"name": "a"}
    assert deep_copy(obj)["template"] is not pod.metadata


# ---- conversions ------------------------------------------------------------------------------


def test_it_converts_to_a_class_and_back() -> None:
    obj = web(spec={"replicas": 3, "selector": {}, "template": {}, "fromTheFuture": [1]})
    deployment = obj.to(Deployment)
    assert type(deployment).__name__ == "Deployment"
    assert deployment.spec.replicas == 3
    assert Unstructured.of(deployment) == obj
    assert obj.to(PartialObjectMetadata).metadata == deployment.metadata
    deployment.metadata.labels["app"] = "other"
    assert obj.metadata.labels == {"app": "web"}
    assert Unstructured.of(obj) == obj
    assert Unstructured.of(obj) is not obj
    assert Unstructured.of({"kind": "A", "apiVersion": "b"}) == {"kind": "A", "apiVersion": "b"}
    assert from_dict(Unstructured, to_dict(obj)) == obj
    assert Unstructured(metadata={"name": "a"}).to(ConfigMap).metadata.name == "a"


def test_it_does_not_become_what_it_is_not() -> None:
    with pytest.raises(ValueError, match=r"Pod is v1 Pod: it cannot hold the apps/v1 Deployment"):
        web().to(Pod)
    with pytest.raises(ValueError, match="Deployment is apps/v1 Deployment"):
        Unstructured(apiVersion="apps/v1beta1", kind="Deployment").to(Deployment)
    with pytest.raises(ValueError, match=r"cannot hold the v1 \\x1b\[31mA\.\.\. 'b'$"):
        Unstructured(apiVersion="v1", kind="\x1b[31mA\nB", metadata={"name": "b"}).to(Pod)
    for no_kind in (ObjectMeta(name="a"), {"kind": "A"}, {"apiVersion": "A"}, {}):
        with pytest.raises(TypeError, match="is not an API object"):
            Unstructured.of(no_kind)


# ---- decoding ---------------------------------------------------------------------------------


def test_items_of_a_list_say_what_they_are() -> None:
    """As client-go's decodeToList: only where an item says neither."""
    listed = decode_list(
        b'{"kind":"DeploymentList","apiVersion":"apps/v1","metadata":{"resourceVersion":"7",'
        b'"continue":"c","remainingItemCount":2,"new":1},"items":[{"metadata":{"name":"a"}},'
        b'{"kind":"","apiVersion":""},{"kind":"Other"},{"apiVersion":"v2","kind":"Third"}]}',
        UnstructuredList,
        usable=True,
    )
    assert [(each.api_version, each.kind) for each in listed] == [
        ("apps/v1", "Deployment"),
        ("apps/v1", "Deployment"),
        ("", "Other"),
        ("v2", "Third"),
    ]
    assert len(listed) == len(listed.items) == 4
    assert all(type(each) is Unstructured for each in listed)
    assert (listed.metadata.resource_version, listed.metadata.continue_) == ("7", "c")
    assert listed.metadata.remaining_item_count == 2
    assert type(deep_copy(listed).items[0]) is Unstructured
    assert json.loads(encode(listed))["items"][0] == listed.items[0]
    mixed = decode(b'{"kind":"List","apiVersion":"v1","items":[{"a":1}]}', UnstructuredList)
    assert mixed.items == [{"a": 1}]
    assert decode(b'{"kind":3,"apiVersion":4,"items":null}', UnstructuredList).items == []


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (b'"a"', "metadata must be a dict, not str"),
        (b'{"name":5}', "metadata.name must be a str, not int"),
        (b'{"namespace":["a"]}', "metadata.namespace must be a str, not list"),
        (b'{"resourceVersion":1}', "metadata.resourceVersion must be a str, not int"),
        (b'{"labels":[]}', "metadata.labels must be a dict, not list"),
        (b'{"ownerReferences":{}}', "metadata.ownerReferences must be a list, not dict"),
    ],
)
def test_metadata_that_no_client_can_go_by_is_refused(metadata: bytes, message: str) -> None:
    """In whatever it comes; the message has nothing of the object, which may be a Secret."""
    body = b'{"data":{"a":"c2VjcmV0"},"metadata":%b}' % metadata
    assert decode(body, Unstructured)["data"] == {"a": "c2VjcmV0"}
    event = b'{"type":"ADDED","object":%b}' % body
    page = b'{"metadata":{},"items":[{"metadata":null},%b]}' % body
    for read in (
        lambda: decode(body, Unstructured, usable=True),
        lambda: decode_event(event, Unstructured),
        lambda: decode_events(event + b"\n", Unstructured),
        lambda: decode_list(page, UnstructuredList, usable=True),
    ):
        with pytest.raises(DecodeError, match=message) as told:
            read()
        assert "c2VjcmV0" not in str(told.value)


@pytest.mark.parametrize("body", [b"[]", b"3", b"null", b"{", b'"a"', b"[" * 100000, b"\xff"])
def test_what_is_no_object_is_refused(body: bytes) -> None:
    for model in (Unstructured, UnstructuredList):
        with pytest.raises(DecodeError):
            decode(body, model)
    page = b'{"items":[%b]}' % body
    with pytest.raises(DecodeError):
        decode_list(page, UnstructuredList, usable=True)
    with pytest.raises(DecodeError):
        decode_event(b'{"type":"ADDED","object":%b}' % body, Unstructured)


def test_messages_show_nothing_of_objects_of_any_kind() -> None:
    """A server may send a whole Secret where its metadata was asked for."""
    for model in (PartialObjectMetadata, PartialObjectMetadataList, Table, UnstructuredList):
        with pytest.raises(DecodeError) as told:
            decode(b'{"data":{"a":"c2VjcmV0"},', model)
        assert "c2VjcmV0" not in str(told.value)


def test_odd_numbers_and_texts_are_kept() -> None:
    body = b'{"a":1e999,"b":[-1e999,1.5],"c":123456789012345678901234567890}'
    assert encode(decode(body, Unstructured)) == body
    assert decode(rb'{"a":"\ud800"}', Unstructured) == {"a": "\ufffd"}
    page = b'{"kind":"AList","apiVersion":"b","items":[%b,{"x":1}]}' % body
    first, second = decode_list(page, UnstructuredList)
    assert (first.kind, second) == ("A", {"x": 1, "kind": "A", "apiVersion": "b"})


def test_events() -> None:
    event = decode_event(b'{"type":"ADDED","object":{"kind":"Pod","x":1}}', Unstructured)
    assert (event.type, event.object) == ("ADDED", {"kind": "Pod", "x": 1})
    assert type(event.object) is Unstructured
    lines = (
        b'{"type":"MODIFIED","object":{"kind":"Pod"}}\n'
        b'{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","spec":{"containers":null},'
        b'"metadata":{"resourceVersion":"5"}}}\n'
    )
    changed_, bookmark = decode_events(lines, Unstructured)
    assert changed_.object == {"kind": "Pod"}
    assert type(bookmark.object) is Unstructured
    assert bookmark.object.metadata.resource_version == "5"
    assert "spec" not in bookmark.object


# ---- edits ------------------------------------------------------------------------------------


def test_an_edit_sends_the_difference() -> None:
    obj = web(spec={"replicas": 1, "paused": True})

    def change(each: Unstructured) -> None:
        each["spec"]["replicas"] = 3
        del each["spec"]["paused"]
        each.metadata.labels["tier"] = "front"

    patch = changed(obj, change)
    assert patch == MergePatch(
        {
            "spec": {"replicas": 3, "paused": None},
            "metadata": {"labels": {"tier": "front"}, "uid": "1f", "resourceVersion": "12"},
        }
    )
    assert changed(web(), lambda each: each.setdefault("spec", {})) is not None
    with pytest.raises(TypeError, match="a returned object is not sent"):
        changed(web(), lambda each: Unstructured(each, spec={}))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(
    st.text(st.characters(codec="utf-8"), max_size=6).filter(lambda name: name != "metadata"),
    JSON,
    max_size=4,
)


@given(OBJECTS)
def test_any_object_comes_back_as_it_was(value: dict[str, Any]) -> None:
    value["metadata"] = {"name": "a", "uid": "u", "other": value.get("a")}
    body = json.dumps(value).encode()
    for data in (body, json.dumps(value, ensure_ascii=False).encode()):
        decoded = decode(data, Unstructured, usable=True)
        assert json.loads(encode(decoded)) == value
        assert deep_copy(decoded) == decoded == value
    page = b'{"metadata":{},"items":[%b]}' % body
    assert decode_list(page, UnstructuredList, usable=True).items == [value]
    assert decode_event(b'{"type":"ADDED","object":%b}' % body, Unstructured).object == value


def test_a_secret_of_a_class_and_without_one_are_equal_in_json() -> None:
    secret = Secret(metadata=ObjectMeta(name="s"), data={"a": b"b"})
    assert (
        encode(Unstructured.of(secret))
        == json.dumps(json.loads(encode(secret)), separators=(",", ":")).encode()
    )
