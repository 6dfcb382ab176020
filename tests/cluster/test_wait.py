"""Waiting: until conditions come true, fail or time out; rollouts with real controllers."""

from __future__ import annotations

from typing import Any

import pytest
from clusterkit.kubelet import Kubelet, run_pod
from clusterkit.objects import config_map, deployment, pod
from clusterkit.scratch import Scratch
from clusterkit.together import AsyncBackground
from kubeapi import AsyncClientset
from kubeapi.apps.v1.models import Deployment
from kubeapi.core.v1.models import ConfigMap, Pod
from support.kubectl import Kubectl

from clientgen.runtime import MergePatch
from clientgen.runtime.conditions import (
    condition,
    deleted,
    exists,
    jsonpath,
    phase,
    ready,
    rolled_out,
)
from clientgen.runtime.errors import WaitFailed, WaitTimeout
from clientgen.runtime.models import from_dict, to_dict

pytestmark = pytest.mark.cluster

LONG = 30.0


def started(name: str, replicas: int, image: str = "example.invalid/none:1") -> Deployment:
    """A deployment whose rollout is not paused."""
    body: dict[str, Any] = to_dict(deployment(name, replicas))
    body["spec"]["paused"] = False
    body["spec"]["template"]["spec"]["containers"][0]["image"] = image
    return from_dict(Deployment, body)


# ---- one object -------------------------------------------------------------------------------


async def test_until_a_condition_is_true(
    kube: AsyncClientset, scratch: Scratch, namespace: str
) -> None:
    pods = kube.core_v1.pods(namespace)
    await pods.create(pod("web"))

    async def wait() -> Pod:
        return await pods.wait("web", until=condition("Ready"), timeout=LONG)

    waiting = AsyncBackground(wait)
    run_pod(scratch.admin, scratch.admin.core_v1.pods(namespace).get("web"))
    assert (await waiting.result()).status.phase == "Running"
    assert (await pods.wait("web", until=ready, timeout=0)).metadata.name == "web"


async def test_a_pod_that_has_failed_never_becomes_ready(
    kube: AsyncClientset, scratch: Scratch, namespace: str
) -> None:
    pods = kube.core_v1.pods(namespace)
    made = await pods.create(pod("web"))
    run_pod(scratch.admin, made, phase="Failed")
    with pytest.raises(WaitFailed, match="web"):
        await pods.wait("web", until=condition("Ready"), timeout=LONG)
    with pytest.raises(WaitFailed):
        await pods.wait("web", until=deleted, fail=phase("Failed"), timeout=LONG)


async def test_a_wait_ends_in_time_and_says_how_things_are(
    kube: AsyncClientset, namespace: str
) -> None:
    pods = kube.core_v1.pods(namespace)
    await pods.create(pod("web"))
    with pytest.raises(WaitTimeout, match="Pending"):
        await pods.wait("web", until=phase("Running"), timeout=0.5)


async def test_until_it_is_there_and_until_it_is_gone(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)

    async def wait_for_it() -> ConfigMap:
        return await maps.wait("one", until=exists, timeout=LONG)

    waiting = AsyncBackground(wait_for_it)
    made = await maps.create(config_map("one", {"a": "1"}))
    assert (await waiting.result()).metadata.uid == made.metadata.uid

    async def wait_for_its_end() -> None:
        await maps.wait("one", until=deleted, timeout=LONG)

    ending = AsyncBackground(wait_for_its_end)
    await maps.delete("one")
    await ending.result()


async def test_until_a_field_has_a_value(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", {"a": "1"}))

    async def wait() -> ConfigMap:
        return await maps.wait("one", until=jsonpath("{.data.a}", "2"), timeout=LONG)

    waiting = AsyncBackground(wait)
    await maps.patch("one", MergePatch({"data": {"a": "2"}}))
    assert (await waiting.result()).data == {"a": "2"}


# ---- several objects --------------------------------------------------------------------------


async def test_until_it_is_true_of_all_that_match(
    kube: AsyncClientset, scratch: Scratch, namespace: str
) -> None:
    pods = kube.core_v1.pods(namespace)
    for name in ("a", "b"):
        await pods.create(pod(name, labels={"app": "web"}))
    await pods.create(pod("other"))

    async def wait() -> list[str]:
        found = await pods.wait(until=ready, label_selector="app=web", timeout=LONG)
        return sorted(each.metadata.name for each in found)

    waiting = AsyncBackground(wait)
    for made in scratch.admin.core_v1.pods(namespace).list(label_selector="app=web"):
        run_pod(scratch.admin, made)
    assert await waiting.result() == ["a", "b"]


async def test_until_all_that_match_are_gone(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    for name in ("a", "b"):
        await maps.create(config_map(name, labels={"app": "web"}))

    async def wait() -> None:
        await maps.wait(until=deleted, label_selector="app=web", timeout=LONG)

    waiting = AsyncBackground(wait)
    await maps.delete_collection(label_selector="app=web")
    await waiting.result()


# ---- rollouts, with controllers ---------------------------------------------------------------


async def test_a_rollout_ends_when_kubectl_says_so(
    kube: AsyncClientset, scratch: Scratch, namespace: str, controllers: None, kubectl: Kubectl
) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    with Kubelet(scratch.admin, namespace):
        await deployments.create(started("web", 3))
        done = await deployments.wait("web", until=rolled_out, timeout=LONG)
        assert done.status.available_replicas == 3
        said = kubectl("rollout", "status", "deployment/web", "--watch=false")
        assert "successfully rolled out" in said
        await deployments.apply(started("web", 3, "example.invalid/none:2"), force=True)
        done = await deployments.wait("web", until=rolled_out, timeout=LONG)
        assert done.status.updated_replicas == 3
        assert done.status.observed_generation == done.metadata.generation
        said = kubectl("rollout", "status", "deployment/web", "--watch=false")
        assert "successfully rolled out" in said


async def test_a_rollout_that_does_not_move_on_fails(
    kube: AsyncClientset, namespace: str, controllers: None, kubectl: Kubectl
) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    body = started("web", 1)
    body.spec.progress_deadline_seconds = 1
    await deployments.create(body)
    with pytest.raises(WaitFailed, match="progress"):
        await deployments.wait("web", until=rolled_out, timeout=LONG)
    assert kubectl.run("rollout", "status", "deployment/web").returncode == 1
