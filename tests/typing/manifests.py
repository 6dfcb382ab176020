"""Plain manifests where models are taken: right ones pass, wrong ones are errors."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, assert_type

import crontabs_client
from kubeapi import AsyncClientset, Clientset
from kubeapi.apiextensions.v1.manifests import JSONSchemaPropsManifest
from kubeapi.apps.v1 import Deployment
from kubeapi.apps.v1.manifests import DeploymentManifest, DeploymentSpecManifest
from kubeapi.autoscaling.v1 import Scale
from kubeapi.autoscaling.v1.manifests import ScaleManifest
from kubeapi.core.v1 import Pod
from kubeapi.core.v1.manifests import ContainerManifest, PodManifest
from kubeapi.networking.v1.manifests import NetworkPolicyIngressRuleManifest
from servicelookup.api.servicelookup.v1alpha1.manifests import PodToServiceManifest

from clientgen.runtime import MergePatch, extract
from clientgen.runtime.aio import AsyncSubresource
from clientgen.runtime.manifests import ObjectMetaManifest
from clientgen.runtime.models import Quantity, Unstructured
from clientgen.runtime.sync import Subresource


def every_write_takes_a_part_of_an_object(k: Clientset) -> None:
    deployments = k.apps_v1.deployments("shop")
    web = deployments.apply({"metadata": {"name": "web"}, "spec": {"replicas": 3}})
    assert_type(web, Deployment)
    assert_type(deployments.create({"metadata": {"name": "web"}}), Deployment)
    deployments.update(Unstructured({"kind": "Deployment"}))
    deployments.apply(web)
    k.core_v1.pods("shop").evict("web-0", {"deleteOptions": {"gracePeriodSeconds": 0}})


def wrong_keys_and_values_are_errors(k: Clientset) -> None:
    deployments = k.apps_v1.deployments("shop")
    deployments.apply({"metadata": {"name": "web"}, "spec": {"replcas": 3}})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    deployments.apply({"spec": {"replicas": "3"}})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    deployments.create({"kind": "Pod"})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    deployments.update({"spec": {"min_ready_seconds": 3}})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    deployments.patch("web", {"spec": {"replicas": "3"}})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    deployments.patch("web", [{"op": "remove"}])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    deployments.scale("web").apply({"spec": {"replica": 3}})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    pod: PodManifest = {"metadata": {"labels": {"app": 5}}}  # type: ignore[typeddict-item]  # pyright: ignore[reportAssignmentType]
    k.core_v1.pods("shop").apply(pod)


def a_dict_is_a_merge_patch_in_which_none_deletes(k: Clientset) -> None:
    deployments = k.apps_v1.deployments("shop")
    assert_type(deployments.patch("web", {"spec": {"replicas": None}}), Deployment)
    deployments.patch("web", {"metadata": {"labels": {"app": None, "tier": "front"}}})
    deployments.patch("web", {"spec": None})
    deployments.patch("web", MergePatch({"spec": {"anything": 1}}))


def calls_of_the_clientset_take_dicts(k: Clientset, web: Deployment) -> None:
    manifest: DeploymentManifest = {"apiVersion": "apps/v1", "kind": "Deployment"}
    k.apply(manifest)
    assert_type(k.patch(web, {"spec": {"replicas": None}}), Deployment)
    assert_type(k.patch(Deployment, "web", {"spec": {"replicas": 3}}), Deployment)
    k.patch(web, [{"op": "remove"}])  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]


def subresources_have_manifests_of_their_own(k: Clientset, a: AsyncClientset) -> None:
    scale = k.apps_v1.deployments("shop").scale("web")
    assert_type(scale, Subresource[Scale, ScaleManifest])
    assert_type(scale.apply({"spec": {"replicas": 3}}), Scale)
    assert_type(scale.patch({"spec": {"replicas": 3}}), Scale)
    of_asyncio = a.core_v1.pods("shop").status("web-0")
    assert_type(of_asyncio, AsyncSubresource[Pod, PodManifest])


async def the_same_of_asyncio(k: AsyncClientset) -> None:
    deployments = k.apps_v1.deployments("shop")
    assert_type(await deployments.apply({"spec": {"replicas": 3}}), Deployment)
    await deployments.patch("web", {"spec": {"replicas": 3}})
    await deployments.apply({"spec": {"replcas": 3}})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def values_are_those_of_yaml() -> None:
    labels = {"app": "web"}
    limits = {"cpu": "500m"}
    container: ContainerManifest = {
        "name": "web",
        "args": ["--fast"],
        "imagePullPolicy": "SomethingNew",
        "resources": {"limits": limits, "requests": {"cpu": 1, "memory": Quantity("1Gi")}},
        "ports": [{"containerPort": 80}],
        "livenessProbe": {"httpGet": {"port": "http"}},
    }
    pod: PodManifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"labels": labels, "creationTimestamp": datetime(2026, 1, 1, tzinfo=UTC)},
        "spec": {"containers": [container]},
    }
    metadata: ObjectMetaManifest | None = pod.get("metadata")
    print(metadata, pod)


def keys_need_not_be_identifiers() -> None:
    schema: JSONSchemaPropsManifest = {
        "$ref": "#/x",
        "x-kubernetes-preserve-unknown-fields": True,
        "not": {"properties": {"a": {"not": {"type": "string"}}}},
        "items": [{"type": "string"}],
    }
    rule: NetworkPolicyIngressRuleManifest = {"from": [{"podSelector": {}}]}
    wrong: JSONSchemaPropsManifest = {"not": {"type": 5}}  # type: ignore[typeddict-item]  # pyright: ignore[reportAssignmentType]
    print(schema, rule, wrong)


def a_part_can_be_changed(manifest: DeploymentManifest, k: Clientset) -> None:
    spec: DeploymentSpecManifest = manifest.get("spec") or {}
    spec["replicas"] = 3
    k.apps_v1.deployments("shop").apply({**manifest, "spec": spec})


def what_was_applied_is_a_manifest(web: Deployment, anything: Unstructured) -> None:
    mine = extract(web, "me")
    assert_type(mine, DeploymentManifest)
    mine["spec"] = {"replicas": 3}
    mine["spec"] = {"replcas": 3}  # type: ignore[typeddict-item]  # pyright: ignore[reportArgumentType]
    assert_type(extract(web, "me", "status"), DeploymentManifest)
    assert_type(extract(anything, "me"), dict[str, Any])
    extract({"kind": "Deployment"}, "me")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]


def custom_kinds_have_them_too() -> None:
    right: PodToServiceManifest = {"kind": "PodToService", "metadata": {"name": "x"}}
    wrong: PodToServiceManifest = {"kind": "Service"}  # type: ignore[typeddict-item]  # pyright: ignore[reportAssignmentType]
    print(right, wrong)


def classes_of_the_users_have_them_too(k: crontabs_client.Clientset) -> None:
    tabs = k.stable_v1.cron_tabs("default")
    tabs.apply({"metadata": {"name": "nightly"}, "spec": {"env": [{"name": "A", "value": "1"}]}})
    tabs.patch("nightly", {"spec": {"paused": None, "overlap": "Forbid"}})
    tabs.patch("nightly", {"spec": {"pausd": True}})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
