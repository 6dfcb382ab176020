"""Strings that decoded objects share."""

from __future__ import annotations

import json
from typing import Any

import pytest
from kubeapi.core.v1 import ConfigMap, Container, Pod, PodSpec
from kubeapi.core.v1.models import PodList

from clientgen.runtime._models.model_codec import decode, decode_list, encode
from clientgen.runtime._models.shared_texts import SharedText
from clientgen.runtime.views import PartOf, View

LIMIT = 8192
LONG = "x" * 257


def manifest(name: str) -> dict[str, Any]:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "shop-7d4", "uid": "u"}
    container = {"name": "shop", "image": "registry.example.com/shop:v7", "args": ["--port=8080"]}
    return {
        "metadata": {"name": name, "labels": {"app": "shop"}, "ownerReferences": [owner]},
        "spec": {"containers": [container], "nodeName": "node-7", "restartPolicy": "Always"},
        "status": {"conditions": [{"type": "Odd", "status": "True", "message": "as it was"}]},
    }


def pooled() -> dict[str, str]:
    return SharedText._missing_.__self__  # type: ignore[attr-defined, no-any-return]


def strings(pod: Pod) -> list[str]:
    (container,), (condition,) = pod.spec.containers, pod.status.conditions
    return [
        *(container.name, container.image or "", *container.args, *pod.metadata.labels.values()),
        *(pod.spec.node_name or "", pod.spec.restart_policy or "", condition.type),
        *(pod.metadata.owner_references[0].name, condition.status),
    ]


def test_equal_strings_of_two_objects_are_one_and_are_plain() -> None:
    one, two = (decode(json.dumps(manifest(name)).encode(), Pod) for name in ("a", "b"))
    assert {type(each) for each in strings(one)} == {str}
    for mine, other in zip(strings(one), strings(two), strict=True):
        assert mine is other
    assert json.loads(encode(one)) == {"kind": "Pod", "apiVersion": "v1", **manifest("a")}


class PlaceSpec(PartOf[PodSpec]):
    node_name: str | None
    containers: list[Container]


class Place(View[Pod]):
    spec: PlaceSpec


def test_views_share_the_strings_of_whole_objects() -> None:
    whole, view = (decode(json.dumps(manifest("a")).encode(), kind) for kind in (Pod, Place))
    assert view.spec.node_name is whole.spec.node_name
    assert view.spec.containers[0].image is whole.spec.containers[0].image
    assert view.metadata.labels["app"] is whole.metadata.labels["app"]
    assert type(view.metadata.name) is str


def test_a_changed_object_leaves_the_others_as_they_were() -> None:
    body = json.dumps({"metadata": {}, "items": [manifest("a"), manifest("b")]}).encode()
    one, two = decode_list(body, PodList).items
    before = encode(two)
    one.metadata.labels["app"] = "other"
    one.spec.containers[0].args.append("--more")
    one.status.conditions[0].status = "False"
    assert encode(two) == before


@pytest.mark.parametrize("value", [LONG, "unique-%s", "caf\u00e9 \U0001f600", ""])
def test_any_string_is_read(value: str) -> None:
    data = {**manifest("a"), "spec": {"containers": [{"name": value, "image": value}]}}
    pod = decode(json.dumps(data).encode(), Pod)
    assert pod.spec.containers[0].name == pod.spec.containers[0].image == value


def test_neither_long_strings_nor_the_data_of_users_are_kept() -> None:
    data = {"metadata": {"annotations": {"a": LONG}}, "data": {"key": "the value of a user"}}
    kept = decode(json.dumps(data).encode(), ConfigMap)
    assert kept.data["key"] == "the value of a user"
    assert not {LONG, "the value of a user", "as it was"} & pooled().keys()


def test_a_flood_of_other_strings_is_not_kept() -> None:
    args = [f"--n={number}" for number in range(3 * LIMIT)]
    data = {**manifest("a"), "spec": {"containers": [{"name": "flood", "args": args}]}}
    assert decode(json.dumps(data).encode(), Pod).spec.containers[0].args == args
    assert len(pooled()) <= LIMIT
