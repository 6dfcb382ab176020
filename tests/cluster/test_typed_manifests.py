"""Plain manifests where models go: what is sent is what is written, and it is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kubeapi import AsyncClientset
from kubeapi.apps.v1.models import Deployment
from kubeapi.core.v1.models import ConfigMap

from clientgen.runtime.errors import Conflict, Invalid
from clientgen.runtime.models import Quantity, Unstructured, to_dict

if TYPE_CHECKING:
    from kubeapi.apps.v1.manifests import DeploymentManifest
    from kubeapi.core.v1.manifests import ConfigMapManifest, PodSpecManifest

pytestmark = pytest.mark.cluster


def web(replicas: int) -> DeploymentManifest:
    """A deployment that nobody rolls out."""
    spec: PodSpecManifest = {
        "automountServiceAccountToken": False,
        "containers": [
            {
                "name": "main",
                "image": "example.invalid/none:1",
                "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
            }
        ],
    }
    return {
        "metadata": {"name": "web"},
        "spec": {
            "replicas": replicas,
            "paused": True,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": spec},
        },
    }


async def test_create_update_and_patch(kube: AsyncClientset, namespace: str) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    made: Deployment = await deployments.create(web(0))
    resources = made.spec.template.spec.containers[0].resources
    assert resources is not None
    assert resources.requests["cpu"] == Quantity("100m")
    changed = await deployments.update(web(1))
    assert (changed.metadata.generation, changed.spec.replicas) == (2, 1)
    patched = await deployments.patch("web", {"spec": {"replicas": 0, "minReadySeconds": 3}})
    assert (patched.spec.replicas, patched.spec.min_ready_seconds) == (0, 3)
    patched = await deployments.patch("web", {"spec": {"minReadySeconds": None}})
    assert patched.spec.min_ready_seconds in (None, 0)


async def test_what_is_left_out_is_not_applied(kube: AsyncClientset, namespace: str) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    await deployments.apply(web(1), field_manager="owner")
    # The class requires a selector and a template; this owner has one field.
    scaled = await deployments.apply(
        {"metadata": {"name": "web"}, "spec": {"minReadySeconds": 5}}, field_manager="other"
    )
    assert (scaled.spec.replicas, scaled.spec.min_ready_seconds) == (1, 5)
    managed = to_dict(scaled)["metadata"]["managedFields"]
    owned = {each["manager"]: each["fieldsV1"] for each in managed}
    assert owned["other"] == {"f:spec": {"f:minReadySeconds": {}}}
    with pytest.raises(Conflict):
        await deployments.apply(
            {"metadata": {"name": "web"}, "spec": {"replicas": 2}}, field_manager="other"
        )
    # Whoever applies less gives up the rest.
    less = await deployments.apply({"metadata": {"name": "web"}}, field_manager="other")
    assert less.spec.min_ready_seconds in (None, 0)


async def test_unstructured_objects_go_the_same_way(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    body = Unstructured(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}, "data": {"a": "1"}}
    )
    made = await maps.create(body)
    assert isinstance(made, ConfigMap)
    body["data"]["a"] = "2"
    assert (await maps.apply(body, force=True)).data == {"a": "2"}
    again = Unstructured.of(await maps.get("one"))
    again["data"]["b"] = "3"
    assert (await maps.update(again)).data == {"a": "2", "b": "3"}


async def test_the_server_sees_what_is_wrong(kube: AsyncClientset, namespace: str) -> None:
    body: ConfigMapManifest = {"metadata": {"name": "NO"}}
    with pytest.raises(Invalid):
        await kube.core_v1.config_maps(namespace).create(body)
