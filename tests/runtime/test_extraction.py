"""What a field manager has applied, taken out of an object again."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

from clientgen._openapi.resolved import Schemas
from clientgen.runtime import extract
from clientgen.runtime.models import Unstructured
from clientgen.testing import LocalServer
from clientgen.testing._apiserver.apply import fields_v1
from clientgen.testing._apiserver.apply.merge import merge
from clientgen.testing._apiserver.apply.ownership_shapes import List, Map, Type, type_of_kind
from clientgen.testing._apiserver.apply.typed import _keys, field_set, problems
from tests.support.inlined_types import definitions
from tests.support.samples import Sampler

WEB: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "default", "labels": {"app": "web"}},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "containers": [
                    {
                        "name": "web",
                        "image": "nginx",
                        "args": ["-v", "-x"],
                        "ports": [{"containerPort": 80, "protocol": "TCP", "name": "http"}],
                        "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
                    }
                ],
                "volumes": [{"name": "scratch", "emptyDir": {}}],
            },
        },
    },
}
SIDE: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "template": {"spec": {"containers": [{"name": "side", "image": "proxy"}]}},
    },
}
SERVICE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "namespace": "default", "finalizers": ["a.example/x"]},
    "spec": {
        "selector": {"app": "web"},
        "ports": [
            {"port": 80, "protocol": "TCP", "name": "http", "targetPort": "http"},
            {"port": 53, "protocol": "UDP", "name": "dns"},
        ],
    },
}


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with LocalServer() as running:
        yield running


async def test_what_was_applied_comes_back(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        services = k.core_v1.services("default")
        assert extract(await services.apply(SERVICE, field_manager="me"), "me") == SERVICE
        deployments = k.apps_v1.deployments("default")
        await deployments.apply(WEB, field_manager="me")
        web = await deployments.apply(SIDE, field_manager="sidecars")
        assert extract(web, "me") == WEB
        assert extract(web, "sidecars") == SIDE
        assert extract(Unstructured.of(web), "sidecars") == SIDE


async def test_a_field_that_is_left_out_is_removed(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        deployments = k.apps_v1.deployments("default")
        web: Deployment = await deployments.apply(WEB, field_manager="me")
        mine = extract(web, "me")
        del mine["metadata"]["labels"]
        mine["spec"]["replicas"] = 5
        web = await deployments.apply(mine, field_manager="me")
        assert (web.metadata.labels, web.spec.replicas) == ({}, 5)
        assert extract(web, "me") == mine


async def test_only_what_was_applied_counts_and_where(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        deployments = k.apps_v1.deployments("default")
        await deployments.apply(WEB, field_manager="me")
        web = await deployments.patch("web", {"spec": {"paused": True}}, field_manager="me")
        nothing = {**SIDE, "spec": {}}
        del nothing["spec"]
        assert extract(web, "me") == WEB
        assert extract(web, "you") == nothing
        status = {"status": {"conditions": [{"type": "Fine", "status": "True"}]}}
        web = await deployments.status("web").apply(status, field_manager="me")
        assert extract(web, "me", "status") == {**nothing, **status}
        assert extract(web, "me") == WEB


# ---- any manifest ---------------------------------------------------------------------------


def _tidied(value: Any, kind: Type | None) -> Any:
    """A value as a server has it: nothing unknown, no null, and keys with their defaults."""
    if kind is None or value is None:
        return None
    shape = kind.shape(value)
    if isinstance(shape, Map) and isinstance(value, dict):
        found = {name: _tidied(each, shape.field(name)) for name, each in value.items()}
        return {name: each for name, each in found.items() if each is not None}
    if isinstance(shape, List) and isinstance(value, list):
        items = [_tidied(each, shape.item) for each in value]
        items = [each for each in items if each is not None]
        if not items and not shape.atomic:
            return None  # nobody owns a list without items
        if shape.keys:
            items = [{**item, **_keys(shape, item)} for item in items]
        return items
    return value


def _samples() -> Iterator[tuple[Type, Any, Any]]:
    """Two manifests of each kind."""
    schemas = Schemas(definitions())
    for number, (name, schema) in enumerate(sorted(definitions().items())):
        if len(schema.get("x-kubernetes-group-version-kind", ())) != 1 or name.endswith("List"):
            continue
        kind = type_of_kind(schemas.of(schema))
        sampler = Sampler(number, lambda ref: definitions()[ref], texts=frozenset())
        made = []
        for _ in range(12):
            try:
                value = _tidied(sampler.value(schema), kind)
                value.pop("metadata", None)
                if not problems(value, kind, duplicates=False):
                    made.append(value)
            except Exception:
                continue
        for first, second in zip(made[::2], made[1::2], strict=False):
            yield kind, first, second


def test_any_manifest_of_any_kind_comes_back() -> None:
    tried = 0
    for kind, sample, theirs in _samples():
        mine = {**sample, "apiVersion": "v1", "kind": "X", "metadata": {"name": "a"}}
        live = merge(deepcopy(theirs), deepcopy(mine), kind)
        entries = [
            {"manager": who, "operation": "Apply", "fieldsV1": fields_v1.encode(fields)}
            for who, fields in (("me", field_set(mine, kind)), ("you", field_set(theirs, kind)))
        ]
        live["metadata"] = {"name": "a", "managedFields": entries}
        assert _ordered(extract(Unstructured(live), "me")) == _ordered(mine)
        tried += 1
    assert tried > 200


def _ordered(value: Any) -> Any:
    """Merging may change the order of lists whose items have keys."""
    if isinstance(value, dict):
        return {name: _ordered(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return sorted(map(_ordered, value), key=lambda item: json.dumps(item, sort_keys=True))
    return value


# ---- hostile objects ------------------------------------------------------------------------


def of(fields: Any, **parts: Any) -> Unstructured:
    entry = {"manager": "me", "operation": "Apply", "fieldsV1": fields}
    metadata = {"name": "a", "managedFields": [entry]}
    return Unstructured({"apiVersion": "v1", "kind": "X", "metadata": metadata, **parts})


def nested(depth: int) -> Any:
    value: Any = {}
    for _ in range(depth):
        value = {"f:x": value}
    return value


@pytest.mark.parametrize(
    ("obj", "message"),
    [
        (Unstructured({"kind": "X"}), "the object has no apiVersion or no kind"),
        (
            ConfigMap(metadata=ObjectMeta(name="a")),
            "the ConfigMap 'a' has no managedFields; read it from the server, and not from a cache",
        ),
        (of(5), "managedFields of the X 'a': a set of fields is not an object"),
        (of({"f:a": 5}, a={"b": 1}), "a set of fields is not an object"),
        (of({"f:a": {"k:{": {}}}, a=[1]), "'k:{' does not end in JSON"),
        (of({"f:a": {"k:[1]": {}}}, a=[1]), "'k:[1]' is not a set of key fields"),
        (of({"f:a": {"v:": {}}}, a=[1]), "'v:' does not end in JSON"),
        (
            of({"f:a": {f'k:{{"{n}":1}}': {} for n in range(20)}}, a=[1]),
            "a list has more than 8 different sets of keys",
        ),
    ],
)
def test_what_cannot_be_read_is_told(obj: Any, message: str) -> None:
    with pytest.raises(ValueError) as raised:
        extract(obj, "me")
    assert str(raised.value).startswith("extract(): ")
    assert message in str(raised.value)


def test_field_sets_are_not_followed_forever() -> None:
    deep: Any = 1
    for _ in range(300):
        deep = {"x": deep}
    with pytest.raises(ValueError, match="nested deeper than 200 levels"):
        extract(of(nested(300), **deep), "me")
    with pytest.raises(ValueError, match="nested deeper than 200 levels"):
        extract(of(nested(300), **deep), "you")


def listed(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "make",
    [
        lambda: of({"f:a": {"k:" + "[" * 100_000: {}}}, a=[1]),
        lambda: of({"f:a": {"v:" + "[" * 100_000: {}}}, a=[1]),
        lambda: of(nested(20_000), x=1),
        lambda: of({"f:a": {"v:1": {}}}, a=[listed(20_000)]),
        lambda: of({"f:a": {'k:{"b":1}': {}}}, a=[{"b": listed(20_000)}]),
    ],
)
def test_what_is_nested_too_deeply_is_told(make: Any) -> None:
    with pytest.raises(ValueError, match=r"extract\(\): .*nested too deeply"):
        extract(make(), "me")


def test_what_is_not_there_is_left_out() -> None:
    identity = {"apiVersion": "v1", "kind": "X", "metadata": {"name": "a"}}
    fields = {
        "f:gone": {},
        "f:text": {"f:x": {}},
        "f:list": {"i:1": {}, "i:7": {}, "i:-1": {}, 'v:"c"': {}, "v:true": {}, "x": {}},
        "f:items": {'k:{"name":"gone"}': {}, 'k:{"name":"b"}': {".": {}, "f:v": {}}},
        "g:odd": {},
    }
    obj = of(fields, text="t", list=["a", "b", "c", 1], items=[5, {"name": "b", "v": 1, "w": 2}])
    assert extract(obj, "me") == {
        **identity,
        "text": "t",
        "list": ["b", "c"],
        "items": [{"name": "b", "v": 1}],
    }


def test_work_grows_with_the_object_only() -> None:
    chance = random.Random(0)
    names = [f"n{n}" for n in range(20_000)]
    chance.shuffle(names)
    items = [{"name": name, "v": 1} for name in names]
    fields = {f'k:{{"name":"{name}"}}': {".": {}, "f:name": {}} for name in sorted(names)}
    found = extract(of({"f:items": fields}, items=items), "me")
    assert found["items"] == [{"name": name} for name in names]
