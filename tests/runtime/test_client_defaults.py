"""Clientsets that share a connection and have other defaults: `k.with_(namespace="shop")`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, Namespace, Node, Pod
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.aio import AsyncLeaderElector, drain
from clientgen.runtime.errors import BadRequest, NotFound, RequestTimeout
from clientgen.testing import FakeCluster, LocalServer


@pytest.fixture
def server() -> Iterator[LocalServer]:
    cluster = FakeCluster(
        Namespace(metadata=ObjectMeta(name="shop")),
        Node(metadata=ObjectMeta(name="n1")),
    )
    with LocalServer(cluster) as running:
        yield running


def config_map(name: str = "web", **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name), data=data)


def managers(obj: Any) -> list[str]:
    return [entry.manager for entry in obj.metadata.managed_fields]


async def test_calls_use_the_defaults_of_the_new_clientset_only(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        shop = k.with_(namespace="shop", field_manager="deployer")
        assert type(shop) is AsyncClientset
        assert (shop.namespace, k.namespace) == ("shop", "default")
        created = await shop.create(config_map(a="1"))
        assert (created.metadata.namespace, managers(created)) == ("shop", ["deployer"])
        applied = await shop.core_v1.config_maps("shop").apply(config_map(a="1"))
        assert set(managers(applied)) == {"deployer"}
        patched = await shop.patch(
            ConfigMap, "web", {"data": {"b": "2"}}, field_manager="other"
        )  # the option of a call wins
        assert set(managers(patched)) == {"deployer", "other"}
        await k.create(config_map())
        assert len(await shop.list(ConfigMap)) == len(await k.list(ConfigMap))
        assert await shop.dynamic.resource("configmaps").get("web") == patched


async def test_a_dry_run_stores_nothing_in_any_way(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        dry = k.with_(dry_run=True).with_(namespace="shop")
        nothing: Any = {"dry_run": None}
        maps = dry.core_v1.config_maps("shop")
        await dry.create(config_map())
        await maps.create(config_map())
        path = "/api/v1/namespaces/shop/configmaps"
        body = '{"metadata": {"name": "raw"}}'
        with pytest.raises(ValueError, match=r'add query=\{"dryRun": "All"\}'):
            await dry.raw("POST", path, body=body)
        with pytest.raises(ValueError, match=r'add query=\{"dryRun": "All"\}'):
            dry.raw_stream("POST", path, body=body)
        assert (await dry.raw("POST", path, body=body, query={"dryRun": "All"})).status == 201
        assert (await dry.raw("GET", path)).status == 200
        await dry.apply(config_map())
        result = await dry.manifests(config_map()).apply()
        assert str(result) == "configmap/web created (server dry run)"
        await dry.create(config_map(), **nothing)
        assert len(await k.list(ConfigMap, namespace="shop")) == 0
        await dry.create(config_map(a="1"), dry_run=False)
        await dry.delete(ConfigMap, "web")
        await maps.delete_collection()
        await dry.manifests(config_map()).delete()
        await maps.edit("web", lambda obj: obj.data.update(a="2"))
        assert (await k.get(ConfigMap, "web", namespace="shop")).data == {"a": "1"}
        with pytest.raises(ValueError, match="leases need a client that writes"):
            AsyncLeaderElector(dry, "web", namespace="shop")


async def test_a_drain_that_is_a_dry_run_ends(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        pod: Any = {
            "metadata": {"name": "web", "namespace": "shop"},
            "spec": {"nodeName": "n1", "containers": [{"name": "web", "image": "web"}]},
        }
        await k.create({"apiVersion": "v1", "kind": "Pod", **pod})
        assert await drain(k.with_(dry_run=True), "n1", force=True) == ["shop/web"]
        assert not (await k.get(Node, "n1")).spec.unschedulable
        assert (await k.get(Pod, "web", namespace="shop")).metadata.deletion_timestamp is None


async def test_validation_and_timeout(server: LocalServer) -> None:
    wrong: Any = {"metadata": {"name": "web"}, "tomato": "red"}
    async with AsyncClientset.from_config(server.kubeconfig, timeout=30.0) as k:
        strict = k.with_(field_validation="Strict", timeout=0.0)
        with pytest.raises(RequestTimeout):
            await strict.list(ConfigMap)
        with pytest.raises(BadRequest, match="tomato"):
            await strict.with_(timeout=None).core_v1.config_maps("shop").create(wrong)
        created = await k.core_v1.config_maps("shop").create(wrong)
        assert created.metadata.name == "web"
        assert (await strict.get(ConfigMap, "web", namespace="shop", timeout=30.0)) == created


async def test_only_the_original_closes(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        async with k.with_(namespace="shop") as shop:
            await shop.list(ConfigMap)
        assert len(await shop.list(Node)) == 1
        with pytest.raises(NotFound):
            await shop.get(ConfigMap, "web")
    with pytest.raises(Exception, match="closed"):
        await shop.list(ConfigMap)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"namespace": "a/b"}, "namespace"),
        ({"namespace": 7}, "namespace is a string, not an int"),
        ({"field_manager": ""}, "field_manager has 1 to 128 printable characters"),
        ({"field_manager": "x" * 129}, "field_manager has 1 to 128 printable characters"),
        ({"dry_run": "no"}, "dry_run is True or False, not a str"),
        ({"field_validation": "strict"}, "field_validation is one of Ignore, Warn, Strict"),
        ({"timeout": float("nan")}, "timeout is a number of seconds, not nan"),
        ({"timeout": -1}, "timeout is a number of seconds, not -1"),
        ({"timeout": "1s"}, "timeout is a number of seconds, not a str"),
        ({"tomato": 1}, "unexpected option 'tomato'"),
    ],
)
async def test_wrong_defaults(server: LocalServer, wrong: Any, message: str) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        with pytest.raises((TypeError, ValueError), match=message):
            k.with_(**wrong)
