"""Drains and rollouts: they do what kubectl does with twins of the same objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from clusterkit.kubelet import Kubelet
from clusterkit.objects import deployment, pod
from clusterkit.scratch import Scratch
from clusterkit.together import async_until
from kubeapi import AsyncClientset
from kubeapi.apps.v1.models import Deployment, StatefulSet
from kubeapi.core.v1.models import Node, Pod
from support.kubectl import Kubectl

from clientgen.runtime.aio import (
    cordon,
    drain,
    rollout_history,
    rollout_restart,
    rollout_status,
    rollout_undo,
    uncordon,
)
from clientgen.runtime.errors import NotFound, OperationRefused
from clientgen.runtime.models import ObjectMeta, from_dict, to_dict

pytestmark = pytest.mark.cluster

RESTARTED = "kubectl.kubernetes.io/restartedAt"


# ---- rollouts ---------------------------------------------------------------------------------


def workload(kind: str, name: str, image: str) -> dict[str, Any]:
    spec = to_dict(deployment(name, 1))["spec"]
    spec = {key: spec[key] for key in ("replicas", "selector", "template")}
    container = {**spec["template"]["spec"]["containers"][0], "image": image}
    template = {**spec["template"], "spec": {**spec["template"]["spec"], "containers": [container]}}
    more: dict[str, Any] = {"serviceName": name} if kind == "StatefulSet" else {}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {**spec, "template": template, **more},
    }


def image_of(kubectl: Kubectl, kind: str, name: str) -> str:
    found = kubectl.json(kind, name)["spec"]["template"]["spec"]["containers"][0]["image"]
    return str(found).rpartition(":")[2]


def revisions(kubectl: Kubectl, kind: str, name: str) -> list[int]:
    lines = kubectl("rollout", "history", f"{kind}/{name}").splitlines()
    return sorted(int(line.split()[0]) for line in lines if line[:1].isdigit())


@pytest.mark.usefixtures("controllers")
@pytest.mark.parametrize("model", [Deployment, StatefulSet], ids=["Deployment", "StatefulSet"])
async def test_rollouts_are_undone_as_kubectl_undoes_them(
    kube: AsyncClientset,
    scratch: Scratch,
    namespace: str,
    kubectl: Kubectl,
    model: type[Deployment | StatefulSet],
) -> None:
    kind = model.__name__
    with Kubelet(scratch.admin, namespace):
        for number in (1, 2, 3):
            for name in ("ours", "theirs"):
                body = workload(kind, name, f"example.invalid/none:{number}")
                await kube.apply(body, namespace=namespace, force=True)
                await rollout_status(kube, model, name, namespace=namespace, timeout=60)
        for to_revision, expected in ((None, "2"), (1, "1"), (None, "2")):
            await rollout_undo(kube, model, "ours", namespace=namespace, to_revision=to_revision)
            await rollout_status(kube, model, "ours", namespace=namespace, timeout=60)
            flags = [] if to_revision is None else [f"--to-revision={to_revision}"]
            kubectl("rollout", "undo", f"{kind}/theirs", *flags)
            await rollout_status(kube, model, "theirs", namespace=namespace, timeout=60)
            assert image_of(kubectl, kind, "ours") == image_of(kubectl, kind, "theirs") == expected
            ours = await rollout_history(kube, model, "ours", namespace=namespace)
            assert [each.number for each in ours] == revisions(kubectl, kind, "ours")
            assert [each.number for each in ours] == revisions(kubectl, kind, "theirs")
    with pytest.raises(OperationRefused):
        await rollout_undo(kube, model, "ours", namespace=namespace, to_revision=99)


async def test_a_restart_is_the_one_of_kubectl(
    kube: AsyncClientset, namespace: str, kubectl: Kubectl
) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    for name in ("ours", "theirs"):
        await deployments.create(
            from_dict(Deployment, workload("Deployment", name, "example.invalid/none:1"))
        )
    ours = await rollout_restart(kube, Deployment, "ours", namespace=namespace)
    kubectl("rollout", "restart", "deployment/theirs")
    theirs = await deployments.get("theirs")
    assert {*ours.spec.template.metadata.annotations} == {RESTARTED}
    assert {*theirs.spec.template.metadata.annotations} == {RESTARTED}
    await deployments.create(deployment("paused"))
    with pytest.raises(OperationRefused):
        await rollout_restart(kube, Deployment, "paused", namespace=namespace)
    assert kubectl.run("rollout", "restart", "deployment/paused").returncode == 1


# ---- nodes ------------------------------------------------------------------------------------


@pytest.fixture
def node(scratch: Scratch) -> Iterator[str]:
    """A node without a machine."""
    nodes, name = scratch.admin.core_v1.nodes(), scratch.new_name()
    nodes.create(Node(metadata=ObjectMeta(name=name)))
    yield name
    nodes.delete(name)


def placed(name: str, node: str, **spec: Any) -> Pod:
    body = to_dict(pod(name))
    tolerated = [{"operator": "Exists"}]
    return from_dict(
        Pod, {**body, "spec": {**body["spec"], "nodeName": node, "tolerations": tolerated, **spec}}
    )


async def test_a_node_is_cordoned_and_drained(
    kube: AsyncClientset, namespace: str, kubectl: Kubectl, node: str
) -> None:
    pods = kube.core_v1.pods(namespace)
    await pods.create(placed("bare", node))
    await pods.create(placed("scratch", node, volumes=[{"name": "a", "emptyDir": {}}]))

    async def is_cordoned() -> bool:
        return bool((await kube.core_v1.nodes().get(node)).spec.unschedulable)

    await cordon(kube, node)
    assert await is_cordoned()
    kubectl("uncordon", node)
    assert not await is_cordoned()
    flags = ["drain", node, "--ignore-daemonsets", "--grace-period=0", "--timeout=20s"]
    refusals: list[tuple[dict[str, Any], list[str]]] = [
        ({}, []),
        ({"force": True}, ["--force"]),
        ({"delete_empty_dir_data": True}, ["--delete-emptydir-data"]),
    ]
    for ours, theirs in refusals:
        with pytest.raises(OperationRefused):
            await drain(kube, node, grace_period_seconds=0, timeout=20, **ours)
        assert await is_cordoned()
        await uncordon(kube, node)
        assert kubectl.run(*flags, *theirs).returncode == 1
        assert {each.metadata.name for each in await pods.list()} == {"bare", "scratch"}
    gone = await drain(
        kube,
        node,
        force=True,
        delete_empty_dir_data=True,
        grace_period_seconds=0,
        timeout=20,
    )
    assert sorted(gone) == [f"{namespace}/bare", f"{namespace}/scratch"]

    async def are_gone() -> bool:
        return not (await pods.list()).items

    await async_until(are_gone)
    with pytest.raises(NotFound):
        await drain(kube, "clientgen-test-nowhere", timeout=5)
