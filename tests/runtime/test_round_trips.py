"""What a server sends comes back as it was: one test for each of the hard cases.

Equal means: the same JSON value after decoding and encoding, where null counts as absent.
"""

# JSON by hand has no types to speak of.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, TypeVar

import pytest

from clientgen.runtime._models import model_codec
from clientgen.runtime._models.model import Model
from clientgen.runtime._models.quantity import Quantity
from clientgen.runtime._models.raw_json import raw_value
from tests.runtime.sample_models import (
    Container,
    ControllerRevision,
    CustomResourceDefinition,
    Deployment,
    Lease,
    NetworkPolicy,
    Pod,
    PodList,
    Secret,
)

T = TypeVar("T", bound=Model)


def meaning(value: Any) -> Any:
    """Return a JSON value without its nulls."""
    if isinstance(value, dict):
        return {key: meaning(inner) for key, inner in value.items() if inner is not None}
    return [meaning(item) for item in value] if isinstance(value, list) else value


def comes_back(model: type[T], sent: dict[str, Any]) -> T:
    """Decode, check that encoding gives what was sent, and return the object."""
    decoded = model_codec.decode(json.dumps(sent).encode(), model)
    assert meaning(json.loads(model_codec.encode(decoded))) == meaning(sent)
    return decoded


def pod(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web-0"},
        "spec": {"containers": [{"name": "app"}], **spec},
    }


def lease(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": "leader"},
        "spec": spec,
    }


@pytest.mark.parametrize("surge", [1, "25%"])
def test_an_int_or_string_stays_the_one_it_was(surge: int | str) -> None:
    sent = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "strategy": {"rollingUpdate": {"maxSurge": surge}},
            "template": {"spec": {"containers": [{"name": "app"}]}},
        },
    }
    decoded = comes_back(Deployment, sent)
    assert decoded.spec.strategy
    assert decoded.spec.strategy.rolling_update
    assert decoded.spec.strategy.rolling_update.max_surge == surge


def test_a_status_nobody_sent_is_not_added() -> None:
    decoded = comes_back(Pod, pod())
    assert decoded.status.phase is None
    assert "status" not in model_codec.to_dict(decoded)


def test_an_empty_status_that_was_sent_is_kept() -> None:
    assert model_codec.to_dict(comes_back(Pod, {**pod(), "status": {}}))["status"] == {}


@pytest.mark.parametrize("cpu", [1, 0.5, "500m", "1e3", "1.50"])
def test_a_quantity_given_as_a_number_stays_a_number(cpu: float | str) -> None:
    decoded = comes_back(
        Pod, pod(containers=[{"name": "app", "resources": {"limits": {"cpu": cpu}}}])
    )
    resources = decoded.spec.containers[0].resources
    assert resources
    assert resources.limits["cpu"] == Quantity(cpu)


def test_a_micro_time_keeps_its_fraction() -> None:
    decoded = comes_back(Lease, lease(renewTime="2026-01-01T10:00:00.123456Z"))
    assert decoded.spec.renew_time == datetime(2026, 1, 1, 10, 0, 0, 123456, UTC)


def test_a_micro_time_at_a_full_second_keeps_six_digits() -> None:
    comes_back(Lease, lease(renewTime="2026-01-01T10:00:00.000000Z"))


def test_a_large_integer_keeps_every_digit() -> None:
    decoded = comes_back(Pod, {**pod(), "metadata": {"name": "web-0", "generation": 2**53 + 1}})
    assert decoded.metadata.generation == 9007199254740993


def test_secret_data_that_is_no_text_is_bytes() -> None:
    sent = {"apiVersion": "v1", "kind": "Secret", "data": {"key": "//79"}, "type": "Opaque"}
    assert comes_back(Secret, sent).data == {"key": b"\xff\xfe\xfd"}


def test_null_items_are_an_empty_list() -> None:
    decoded = model_codec.decode_list(
        b'{"apiVersion":"v1","kind":"PodList","metadata":{"resourceVersion":"5"},"items":null}',
        PodList,
    )
    assert list(decoded) == []
    assert model_codec.to_dict(decoded)["items"] == []


def test_null_containers_are_an_empty_list() -> None:
    decoded = model_codec.decode(b'{"spec": {"containers": null}}', Pod)
    assert list(decoded.spec.containers) == []


def test_null_maps_and_lists_are_empty_and_absent() -> None:
    decoded = comes_back(Pod, pod(nodeSelector=None, tolerations=None, securityContext=None))
    assert decoded.spec.node_selector == {}
    assert decoded.spec.tolerations == []
    assert "tolerations" not in model_codec.to_dict(decoded)["spec"]


def test_keywords_of_python_are_fields_like_others() -> None:
    decoded = model_codec.decode_list(b'{"metadata": {"continue": "next"}, "items": []}', PodList)
    assert decoded.metadata.continue_ == "next"
    sent = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "spec": {
            "podSelector": {},
            "ingress": [{"from": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}]}],
        },
    }
    rule = comes_back(NetworkPolicy, sent).spec.ingress[0]
    assert rule.from_[0].ip_block
    assert rule.from_[0].ip_block.except_ == ["10.1.0.0/16"]


def test_a_schema_keeps_every_kind_of_default() -> None:
    defaults: list[Any] = [None, 5, 0.5, "text", [1, {"a": None}], {"deep": {"er": []}}, True]
    properties = {f"p{i}": {"default": value} for i, value in enumerate(defaults)}
    schema = {
        "$ref": "#/other",
        "not": {"type": "string"},
        "x-kubernetes-int-or-string": True,
        "x-kubernetes-list-map-keys": ["name"],
        "enum": ["a", 1, None],
        "items": {"type": "object"},
        "properties": properties,
    }
    sent = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "spec": {
            "group": "example.com",
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": schema},
                }
            ],
        },
    }
    decoded = model_codec.decode(json.dumps(sent).encode(), CustomResourceDefinition)
    # Here a null is a value: the default of a field may be null.
    assert json.loads(model_codec.encode(decoded)) == sent


def test_raw_content_is_kept_to_the_byte() -> None:
    content = b'{"b": 1.10, "a" : [ 1e3, "\\u0041" ]}'
    decoded = model_codec.decode(b'{"revision": 1, "data": ' + content + b"}", ControllerRevision)
    assert content in model_codec.encode(decoded)
    assert raw_value(decoded.data) == {"b": 1.1, "a": [1000.0, "A"]}


def test_managed_fields_are_kept_to_the_byte() -> None:
    fields = b'{"f:metadata" : {"f:labels":{".":{},"k:{\\"uid\\":\\"5\\"}":{}}}}'
    entry = b'{"manager":"kubectl","operation":"Update","fieldsType":"FieldsV1","fieldsV1":'
    sent = b'{"metadata": {"managedFields": [' + entry + fields + b"}]}}"
    decoded = model_codec.decode(sent, Pod)
    assert decoded.metadata.managed_fields[0].manager == "kubectl"
    assert fields in model_codec.encode(decoded)


def test_a_field_that_is_newer_than_the_model_is_kept_to_the_byte() -> None:
    value = b'{"z": 1.50, "a":[ ]}'
    sent = b'{"spec": {"containers": [{"name": "app", "newField": ' + value + b"}]}}"
    decoded = model_codec.decode(sent, Pod)
    assert value in model_codec.encode(decoded)
    assert isinstance(decoded.spec.containers[0], Container)
    unknown = model_codec.unknown_fields(decoded.spec.containers[0])
    assert {name: bytes(kept) for name, kept in unknown.items()} == {"newField": value}


def test_a_new_value_of_an_enum_is_kept() -> None:
    assert comes_back(Pod, pod(restartPolicy="Sometimes")).spec.restart_policy == "Sometimes"


def test_a_required_field_may_be_missing_in_what_is_read_but_not_in_what_is_built() -> None:
    decoded = model_codec.decode(b'{"spec": {"containers": [{"image": "web:1"}]}}', Pod)
    assert decoded.spec.containers[0].name == ""
    with pytest.raises(TypeError, match="name"):
        Container()  # type: ignore[call-arg]


def test_a_new_object_is_its_api_version_and_kind() -> None:
    assert model_codec.to_dict(Pod()) == {"apiVersion": "v1", "kind": "Pod"}
