"""The client of one resource with any class: its verbs over HTTP, and its errors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, TypeAlias

import pytest
from kubeapi import AsyncClientset
from kubeapi.apps.v1 import Deployment, DeploymentList
from kubeapi.autoscaling.v1 import Scale
from kubeapi.core.v1 import ConfigMap, ConfigMapList, Node, NodeList
from kubeapi.meta.v1 import LabelSelector, ObjectMeta

from clientgen.runtime import MergePatch, Resource
from clientgen.runtime._async.object_client import AsyncObjectClient
from clientgen.runtime.errors import NotFound
from clientgen.testing import LocalServer

CONFIG_MAPS = Resource("", "v1", "configmaps", "ConfigMap")
DEPLOYMENTS = Resource("apps", "v1", "deployments", "Deployment")
NODES = Resource("", "v1", "nodes", "Node", namespaced=False)

ConfigMaps: TypeAlias = AsyncObjectClient[ConfigMap, ConfigMapList]


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with LocalServer() as running:
        yield running


def config_map(name: str, **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, labels={"app": "web"}), data=data)


async def made(k: AsyncClientset, namespace: str | None = "default", **given: Any) -> ConfigMaps:
    return AsyncObjectClient(k.rest, CONFIG_MAPS, namespace, ConfigMap, ConfigMapList, **given)


async def test_the_verbs_of_objects(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        maps = await made(k)
        created = await maps.create(config_map("web", a="1"))
        assert type(created) is ConfigMap
        assert await maps.get("web") == created
        created.data["b"] = "2"
        updated = await maps.update(created)
        patched = await maps.patch("web", MergePatch({"data": {"c": "3"}}))
        assert updated.data | {"c": "3"} == patched.data

        def drop_a(obj: ConfigMap) -> None:
            del obj.data["a"]

        assert (await maps.edit("web", drop_a)).data == {"b": "2", "c": "3"}
        applied = await maps.apply(config_map("web", d="4"), field_manager="me")
        assert applied.data == {"b": "2", "c": "3", "d": "4"}
        await maps.delete("web")
        with pytest.raises(NotFound):
            await maps.get("web")


async def test_the_verbs_of_collections(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        maps = await made(k)
        for name in ("a", "b", "c"):
            await maps.create(config_map(name))
        everywhere = await made(k, None)
        listed = await everywhere.list(label_selector={"app": "web"})
        assert type(listed) is ConfigMapList
        assert [each.metadata.name for each in listed] == ["a", "b", "c"]
        each: AsyncIterator[ConfigMap] = everywhere.each(label_selector="app=web", limit=1)
        assert [obj.metadata.name async for obj in each] == ["a", "b", "c"]
        async with maps.watch(send_initial_events=True, timeout_seconds=1) as watch:
            async for event in watch:
                assert type(event.object) is ConfigMap
                break
        await maps.delete_collection(label_selector="app=web")
        assert len(await maps.list(label_selector="app=web")) == 0


async def test_manifests_and_subresources(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        client = AsyncObjectClient(k.rest, DEPLOYMENTS, "default", Deployment, DeploymentList)
        manifest = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web"},
            "spec": {
                "selector": {"matchLabels": {"app": "web"}},
                "template": {
                    "metadata": {"labels": {"app": "web"}},
                    "spec": {"containers": [{"name": "web", "image": "nginx"}]},
                },
            },
        }
        created = await client.create(manifest)
        assert created.spec.selector == LabelSelector(match_labels={"app": "web"})
        scale = client.subresource("web", "scale", Scale)
        assert (await scale.get()).spec.replicas == 1
        assert type(await client.status("web").get()) is Deployment


async def test_cluster_scoped_resources_need_no_namespace(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        nodes = AsyncObjectClient(k.rest, NODES, None, Node, NodeList)
        await nodes.create(Node(metadata=ObjectMeta(name="n1")))
        assert (await nodes.get("n1")).metadata.name == "n1"
        with pytest.raises(ValueError, match="Node: nodes are cluster-scoped, so no namespace"):
            AsyncObjectClient(k.rest, NODES, "default", Node, NodeList)


async def test_names_are_checked_before_anything_is_sent(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        server.cluster.clear_actions()
        maps = await made(k)
        everywhere = await made(k, None)
        needs = r"\(ConfigMap\): the call needs a namespace"
        for call, message in (
            (lambda: maps.get(""), r"^get\(ConfigMap\): name must be a non-empty string, not ''"),
            (lambda: maps.delete("a/b"), r"^delete\(ConfigMap\): name cannot be 'a/b'"),
            (lambda: maps.apply(ConfigMap()), r"^apply\(ConfigMap\): metadata.name must be"),
            (lambda: everywhere.get("a"), f"^get{needs}"),
            (lambda: everywhere.create(config_map("a")), f"^create{needs}"),
            (everywhere.delete_collection, f"^delete_collection{needs}"),
        ):
            with pytest.raises(ValueError, match=message):
                await call()
        with pytest.raises(ValueError, match="subresource must be a non-empty string"):
            maps.subresource("a", "", ConfigMap)
        with pytest.raises(ValueError, match="ConfigMap: namespace must be a non-empty"):
            await made(k, "")
        assert server.cluster.actions == []


async def test_its_repr_names_the_resource(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        assert repr(await made(k)).endswith("), 'configmaps', 'default')")
        client = AsyncObjectClient(k.rest, DEPLOYMENTS, None, Deployment, DeploymentList)
        assert repr(client).endswith("), 'deployments.apps')")
