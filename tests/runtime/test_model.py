"""What a model reads as, and what it shows, before anything is sent or received."""

# JSON by hand has no types to speak of.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from clientgen.runtime import codec
from clientgen.runtime.meta_v1 import ObjectMeta
from clientgen.runtime.model import NO_RAW, Model, raw, raw_value
from tests.runtime.sample_models import (
    ControllerRevision,
    Deployment,
    Pod,
    PodList,
    PodSpec,
    PodStatus,
    Secret,
    SecretList,
    Toleration,
)

PRIVATE = "cHJpdmF0ZQ=="


def test_what_nobody_set_reads_as_empty() -> None:
    pod = Pod()
    assert pod.metadata.name == ""
    assert pod.metadata.labels == {}
    assert pod.spec.containers == []
    assert pod.spec.tolerations == []
    assert pod.spec.node_name is None
    assert pod.status.phase is None
    assert Deployment().spec.template.spec.containers == []


def test_what_nobody_set_is_not_shared_between_objects() -> None:
    one, other = Pod(), Pod()
    one.metadata.labels["app"] = "web"
    one.spec.tolerations.append(Toleration(key="a"))
    assert other == Pod()


def test_an_object_nobody_set_equals_an_empty_one() -> None:
    assert Pod() == Pod(metadata=ObjectMeta(), spec=PodSpec(containers=[]), status=PodStatus())
    assert Pod(metadata=ObjectMeta()) == Pod()
    assert Pod().metadata != ObjectMeta(name="web")
    assert ObjectMeta(name="web") != Pod().metadata
    assert isinstance(Pod().spec, PodSpec)


def test_the_repr_shows_what_is_set() -> None:
    assert repr(Toleration(key="a")) == "Toleration(key='a')"
    assert repr(ObjectMeta(name="web", labels={"a": "b"})) == (
        "ObjectMeta(name='web', labels={'a': 'b'})"
    )


def _secret(**more: object) -> Secret:
    content = {"data": {"key": PRIVATE}, "stringData": {"other": "private"}, **more}
    return codec.from_dict(Secret, content)


def _shown(obj: object) -> str:
    rich: Any = getattr(obj, "__rich_repr__", list)()
    return f"{obj!r} {obj} {list(rich)!r}"


def test_sensitive_values_are_not_shown() -> None:
    secret = _secret(metadata={"name": "token"}, type="Opaque")
    assert "private" not in _shown(secret)
    assert PRIVATE not in _shown(secret)
    assert "data=<hidden>" in repr(secret)
    assert "name='token'" in repr(secret)
    assert "type='Opaque'" in repr(secret)
    assert "private" not in _shown(SecretList(items=[secret]))
    assert "private" not in _shown({"secret": secret})


def test_empty_sensitive_fields_are_not_shown_as_hidden() -> None:
    assert "hidden" not in repr(Secret())


def test_sensitive_fields_that_are_required_are_hidden_too() -> None:
    class Review(Model, sensitive=("token",)):
        token: str
        audience: str | None = None

    assert repr(Review(token="private", audience="me")) == "Review(token=<hidden>, audience='me')"


def test_unknown_fields_of_a_sensitive_model_are_hidden_like_their_neighbours() -> None:
    secret = _secret(newData={"key": "newer private"})
    assert type(secret) is not Secret
    assert "private" not in _shown(secret)
    assert "newData=<hidden>" in repr(secret)


def test_the_manifest_kubectl_keeps_in_an_annotation_is_not_shown() -> None:
    last_applied = "kubectl.kubernetes.io/last-applied-configuration"
    secret = _secret(metadata={"annotations": {last_applied: "private", "team": "web"}})
    assert "private" not in _shown(secret)
    assert "'team': 'web'" in repr(secret)
    assert secret.metadata.annotations[last_applied] == "private"


def test_a_malformed_sensitive_value_is_not_shown() -> None:
    secret = codec.from_dict(Secret, {"data": "not a map, but private"})
    assert "private" not in _shown(secret)
    assert codec.to_dict(secret)["data"] == "not a map, but private"


def test_a_list_is_iterable_and_has_a_length() -> None:
    pods = PodList(items=[Pod(metadata=ObjectMeta(name="a")), Pod()])
    assert [pod.metadata.name for pod in pods] == ["a", ""]
    assert len(pods) == 2
    assert not PodList()


def test_a_list_without_items_says_so_on_the_wire() -> None:
    assert codec.to_dict(PodList()) == {"apiVersion": "v1", "kind": "PodList", "items": []}


def test_raw_json_is_made_of_any_value_and_read_back() -> None:
    assert bytes(raw({"a": [1, None]})) == b'{"a":[1,null]}'
    assert raw_value(raw(Pod())) == {"apiVersion": "v1", "kind": "Pod"}
    assert raw_value(NO_RAW) is None
    assert raw_value(ControllerRevision(revision=1).data) is None


@pytest.mark.parametrize(
    "sent",
    [
        {"metadata": {"name": "web"}},
        {"metadata": {"name": "web"}, "status": {}},
        {"spec": {"containers": [], "newField": [1], "node_name": 2, "unknown_0": 3, "x-y": {}}},
    ],
)
def test_objects_survive_pickling_and_copying(sent: dict[str, object]) -> None:
    pod = codec.from_dict(Pod, sent)
    for twin in (pickle.loads(pickle.dumps(pod)), copy.deepcopy(pod), codec.deep_copy(pod)):
        assert twin == pod
        assert codec.encode(twin) == codec.encode(pod)
        twin.metadata.name = "other"
        assert pod.metadata.name == codec.from_dict(Pod, sent).metadata.name
