"""Writes of plain manifests: what the client knows is added, what contradicts it is refused."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import Pod

from clientgen.runtime import MergePatch
from clientgen.runtime._async.object_client import AsyncObjectClient
from clientgen.runtime._http.manifest_bodies import completed
from clientgen.runtime.models import PartialObjectMetadata, Unstructured, UnstructuredList
from clientgen.testing import LocalServer

TEMPLATE: dict[str, Any] = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {"containers": [{"name": "web", "image": "nginx"}]},
}
SPEC: dict[str, Any] = {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
WEB: dict[str, Any] = {"metadata": {"name": "web"}, "spec": SPEC}


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with LocalServer() as running:
        yield running


async def test_manifests_need_not_say_their_kind(server: LocalServer) -> None:
    given = copy.deepcopy(WEB)
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        deployments = k.apps_v1.deployments("default")
        created = await deployments.create(given)
        assert (created.metadata.name, created.metadata.namespace) == ("web", "default")
        updated = await deployments.update({**given, "spec": {**SPEC, "replicas": 2}})
        assert updated.spec.replicas == 2
        applied = await deployments.apply(
            {"metadata": {"name": "web", "labels": {"a": "b"}}}, field_manager="me"
        )
        assert applied.metadata.labels == {"a": "b"}
        of_unstructured = await deployments.update(Unstructured(WEB))
        assert of_unstructured.spec.replicas == 1
    assert given == WEB


async def test_a_dict_is_a_merge_patch(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        deployments = k.apps_v1.deployments("default")
        await deployments.create({**WEB, "metadata": {"name": "web", "labels": {"a": "1"}}})
        patched = await deployments.patch("web", {"spec": {"replicas": 3}})
        assert patched.spec.replicas == 3
        patched = await deployments.patch("web", {"metadata": {"labels": {"a": None, "b": "2"}}})
        assert patched.metadata.labels == {"b": "2"}
        with pytest.raises(ValueError, match="force is for ApplyPatch only, not for MergePatch"):
            await deployments.patch("web", {"spec": {"replicas": 4}}, force=True)
    action = server.cluster.actions[-1]
    assert action.verb == "patch"


async def test_subresources_take_manifests(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        deployments = k.apps_v1.deployments("default")
        await deployments.create(WEB)
        scale = deployments.scale("web")
        assert (await scale.update({"spec": {"replicas": 2}})).spec.replicas == 2
        assert (await scale.patch({"spec": {"replicas": 3}})).spec.replicas == 3
        applied = await scale.apply({"spec": {"replicas": 4}}, field_manager="me", force=True)
        assert applied.spec.replicas == 4
        status = deployments.status("web")
        patched = await status.patch({"status": {"observedGeneration": 7}})
        assert patched.status.observed_generation == 7
        told = await status.apply({"status": {"collisionCount": 2}}, field_manager="me")
        assert told.status.collision_count == 2
        with pytest.raises(ValueError, match="has the kind 'Deployment', not 'Scale'"):
            await scale.update({"kind": "Deployment", "spec": {"replicas": 2}})


async def test_created_subresources_take_manifests(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        pods = k.core_v1.pods("default")
        await pods.create({"metadata": {"name": "web"}, "spec": TEMPLATE["spec"]})
        await pods.evict("web", {"deleteOptions": {"gracePeriodSeconds": 0}})
        accounts = k.core_v1.service_accounts("default")
        await accounts.create({"metadata": {"name": "robot"}})
        token = await accounts.create_token("robot", {"spec": {"audiences": ["x"]}})
        assert token.status.token


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ({"kind": "Pod"}, "the manifest has the kind 'Pod', not 'Deployment'"),
        ({"apiVersion": "v1"}, "the manifest has the apiVersion 'v1', not 'apps/v1'"),
        ({"kind": 5}, "the manifest has the kind 5, not 'Deployment'"),
        (
            {"metadata": {"name": "web", "namespace": "b"}},
            "the manifest has the namespace 'b', but the client is for 'default'",
        ),
    ],
)
async def test_what_contradicts_the_client_is_not_sent(
    server: LocalServer, manifest: Any, message: str
) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        deployments = k.apps_v1.deployments("default")
        for call in (deployments.create, deployments.update, deployments.apply):
            with pytest.raises(ValueError) as raised:
                await call({**WEB, **manifest})
            assert message in str(raised.value)
            assert str(raised.value).startswith('deployments("default").')
    assert server.cluster.actions == []


async def test_clients_of_any_class_take_manifests(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        resource = k.core_v1.pods("default").resource
        pods = AsyncObjectClient(k.rest, resource, "default", Unstructured, UnstructuredList)
        await pods.create({"metadata": {"name": "web"}, "spec": TEMPLATE["spec"]})
        patched = await pods.patch("web", {"metadata": {"labels": {"a": "b"}}})
        assert patched.metadata.labels == {"a": "b"}
        told = await pods.status("web").apply({"status": {"phase": "Failed"}}, force=True)
        assert told["status"]["phase"] == "Failed"
        outlined = pods.subresource("web", "status", PartialObjectMetadata)
        await outlined.patch(MergePatch({"status": {"reason": "x"}}))


def test_nothing_but_what_is_missing_is_added() -> None:
    stated = {"api_version": "v1", "kind": "Pod"}
    whole = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "x": None}}
    assert completed(whole, stated, namespace="shop", name="b") is whole
    assert completed({"kind": None}, stated) == {"apiVersion": "v1", "kind": "Pod"}
    assert completed({}, {}, name="a") == {"metadata": {"name": "a"}}
    assert completed({"metadata": {}}, {}, name="a") == {"metadata": {"name": "a"}}
    assert completed({"metadata": 5}, {}, name="a") == {"metadata": 5}
    assert completed({"metadata": {"namespace": "b"}}, {}) == {"metadata": {"namespace": "b"}}
    assert Pod().kind == stated["kind"]


async def test_calls_of_the_clientset_take_dicts_as_merge_patches(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        await k.create({"apiVersion": "apps/v1", "kind": "Deployment", **WEB})
        patched = await k.patch(Deployment, "web", {"spec": {"replicas": 3}})
        assert patched.spec.replicas == 3
        patched = await k.patch(patched, {"spec": {"replicas": None}})
        assert patched.spec.replicas == 1
