"""Drain, restart and undo against a cluster that plays; `test_recipes_threads` on threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import kubeapi
import pytest
from kubeapi import AsyncClientset
from kubeapi.apps.v1 import DaemonSet, Deployment, StatefulSet
from kubeapi.core.v1 import Namespace, Node, Pod
from kubeapi.meta.v1 import ObjectMeta
from kubeapi.policy.v1 import PodDisruptionBudget
from support.models import pod_list
from support.server import failure, ok

from clientgen.runtime import errors
from clientgen.runtime._async._primitives import sleep, spawn
from clientgen.runtime._models.model_codec import from_dict
from clientgen.runtime._models.unstructured import Unstructured
from clientgen.runtime._recipes.rollouts import choose_revision, history_of, undo_patch
from clientgen.runtime.aio import (
    AsyncRest,
    cordon,
    drain,
    rollout_history,
    rollout_restart,
    rollout_status,
    rollout_undo,
    uncordon,
)
from clientgen.runtime.conditions import ready, rolled_out
from clientgen.testing import FakeClock, FakeCluster

LABELS = {"app": "web"}
CLIENTSET = "Clientset"
CLASSES: dict[str, Any] = {
    "Deployment": Deployment,
    "StatefulSet": StatefulSet,
    "DaemonSet": DaemonSet,
}


def workload(kind: str, image: str = "shop:1", **spec: Any) -> Any:
    template = {
        "metadata": {"labels": LABELS},
        "spec": {"containers": [{"name": "main", "image": image}]},
    }
    value = {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"selector": {"matchLabels": LABELS}, "template": template, **spec},
    }
    if kind != "DaemonSet":
        value["spec"].setdefault("replicas", 2)
    if kind == "StatefulSet":
        value["spec"]["serviceName"] = "web"
    return from_dict(CLASSES[kind], value)


def pod(name: str = "alone", **more: Any) -> Pod:
    value = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", **more.pop("metadata", {})},
        "spec": {"containers": [{"name": "main", "image": "x"}], "nodeName": "node-1", **more},
    }
    return from_dict(Pod, value)


class Shop:
    """A cluster that plays, and its clock."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        shop = Namespace(metadata=ObjectMeta(name="shop"))
        self.cluster = FakeCluster(shop, clock=self.clock, seed=1)
        self.k = self.cluster.clientset(AsyncClientset)
        self.cluster.play(nodes=2)

    async def nodes(self) -> list[str]:
        return [each.metadata.name for each in (await self.k.core_v1.nodes().list()).items]

    async def on(self, node: str) -> list[str]:
        """The Pods of a node."""
        pods = await self.k.core_v1.pods().list(field_selector=f"spec.nodeName={node}")
        return [each.metadata.name for each in pods.items]

    async def busy_node(self) -> str:
        """A node that has Pods."""
        for node in await self.nodes():
            if await self.on(node):
                return node
        raise AssertionError("no node has Pods")


class Beside:
    """Some work beside the test's, while the clock moves."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._result: Any = None
        self._error: BaseException | None = None
        self.task = spawn(self._run, "recipe")

    async def _run(self) -> None:
        try:
            self._result = await self._work()
        except BaseException as error:
            self._error = error

    async def end(self, clock: FakeClock) -> Any:
        for _ in range(3000):
            if self.task.done:
                break
            clock.step(1)
            await sleep(0.001)
        assert self.task.done
        if self._error is not None:
            raise self._error
        return self._result


# ---- nodes --------------------------------------------------------------------------------------


async def test_cordon_and_uncordon():
    shop = Shop()
    node = (await shop.nodes())[0]
    await cordon(shop.k, node)
    await cordon(shop.k, node)
    assert (await shop.k.core_v1.nodes().get(node)).spec.unschedulable is True
    await uncordon(shop.k.rest, node)
    assert not (await shop.k.core_v1.nodes().get(node)).spec.unschedulable
    with pytest.raises(errors.NotFound):
        await cordon(shop.k, "none")
    with pytest.raises(ValueError, match="name"):
        await cordon(shop.k, "")


async def test_a_drained_node_has_no_pods_of_deployments():
    shop = Shop()
    await shop.k.create(workload("Deployment", replicas=6))
    await shop.k.wait(Deployment, "web", namespace="shop", until=rolled_out, timeout=60)
    node = (await shop.nodes())[0]
    before = await shop.on(node)
    assert before
    told: list[str] = []
    evicted = await drain(shop.k, node, on_progress=told.append)
    assert sorted(evicted) == sorted(f"shop/{name}" for name in before)
    assert await shop.on(node) == []
    assert (await shop.k.core_v1.nodes().get(node)).spec.unschedulable
    await shop.k.wait(Deployment, "web", namespace="shop", until=ready, timeout=60)
    assert told[0] == f"evicting {evicted[0]}"
    assert await drain(shop.k, node) == []


async def test_pods_of_daemon_sets_and_mirror_pods_stay():
    shop = Shop()
    node = (await shop.nodes())[0]
    await shop.k.create(workload("DaemonSet"))
    await shop.k.wait(DaemonSet, "web", namespace="shop", until=rolled_out, timeout=60)
    mirror = pod(
        "mirror", nodeName=node, metadata={"annotations": {"kubernetes.io/config.mirror": "x"}}
    )
    shop.cluster.add(mirror)
    assert await drain(shop.k, node) == []
    assert len(await shop.on(node)) == 2


async def test_pods_that_nobody_creates_again_are_refused():
    shop = Shop()
    node = (await shop.nodes())[0]
    shop.cluster.add(pod(nodeName=node))
    with pytest.raises(errors.OperationRefused) as refused:
        await drain(shop.k, node)
    assert str(refused.value) == (
        f"Node {node} is not drained, only cordoned; it has Pods that no controller would create"
        " again (force=True evicts them): shop/alone"
    )
    assert await drain(shop.k, node, force=True) == ["shop/alone"]


async def test_data_in_empty_dirs_is_not_lost_by_accident():
    shop = Shop()
    node = (await shop.nodes())[0]
    shop.cluster.add(pod(nodeName=node, volumes=[{"name": "data", "emptyDir": {}}]))
    with pytest.raises(errors.OperationRefused, match=r"with emptyDir volumes .*: shop/alone"):
        await drain(shop.k, node, force=True)
    assert await drain(shop.k, node, force=True, delete_empty_dir_data=True) == ["shop/alone"]


async def test_pods_of_a_daemon_set_that_is_gone_are_evicted_by_force():
    shop = Shop()
    node = (await shop.nodes())[0]
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "gone", "uid": "x"}
    reference = {**owner, "controller": True}
    orphan = pod(nodeName=node, metadata={"ownerReferences": [reference]})
    shop.cluster.add(orphan)
    with pytest.raises(errors.OperationRefused, match="of DaemonSets that do not exist"):
        await drain(shop.k, node)
    assert await drain(shop.k, node, force=True) == ["shop/alone"]


async def test_only_selected_pods_are_evicted():
    shop = Shop()
    node = (await shop.nodes())[0]
    shop.cluster.add(pod("a", nodeName=node, metadata={"labels": {"app": "a"}}))
    shop.cluster.add(pod("b", nodeName=node))
    assert await drain(shop.k, node, force=True, pod_selector={"app": "a"}) == ["shop/a"]
    assert await shop.on(node) == ["b"]


def budget(allowed: int) -> PodDisruptionBudget:
    value = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web", "namespace": "shop", "generation": 1},
        "spec": {"selector": {"matchLabels": LABELS}, "minAvailable": 2 - allowed},
    }
    return from_dict(PodDisruptionBudget, value)


async def test_budgets_are_waited_for():
    shop = Shop()
    await shop.k.create(workload("Deployment"))
    await shop.k.wait(Deployment, "web", namespace="shop", until=rolled_out, timeout=60)
    await shop.k.create(budget(0))
    node = await shop.busy_node()
    told: list[str] = []
    drained = Beside(lambda: drain(shop.k, node, timeout=3600, on_progress=told.append))
    while not any("is not evicted yet" in line for line in told):
        await sleep(0.001)

    def allow(obj: PodDisruptionBudget) -> None:
        obj.spec.min_available = 0

    await shop.k.policy_v1.pod_disruption_budgets("shop").edit("web", allow)
    assert await drained.end(shop.clock)
    assert await shop.on(node) == []


async def test_a_budget_that_allows_nothing_ends_in_a_timeout():
    shop = Shop()
    await shop.k.create(workload("Deployment"))
    await shop.k.wait(Deployment, "web", namespace="shop", until=rolled_out, timeout=60)
    await shop.k.create(budget(0))
    node = await shop.busy_node()
    drained = Beside(lambda: drain(shop.k, node, timeout=12))
    with pytest.raises(errors.WaitTimeout) as late:
        await drained.end(shop.clock)
    assert f"Node {node} is not drained after 12 s: shop/web-" in str(late.value)
    assert "disruption budget" in str(late.value)


async def test_without_evictions_a_budget_holds_nothing_back():
    shop = Shop()
    await shop.k.create(workload("Deployment"))
    await shop.k.wait(Deployment, "web", namespace="shop", until=rolled_out, timeout=60)
    await shop.k.create(budget(0))
    node = await shop.busy_node()
    before = await shop.on(node)
    told: list[str] = []
    deleted = await drain(
        shop.k, node, disable_eviction=True, grace_period_seconds=0, on_progress=told.append
    )
    assert sorted(deleted) == sorted(f"shop/{name}" for name in before)
    assert told[0] == f"deleting {deleted[0]}"
    assert await shop.on(node) == []


@pytest.mark.parametrize("answer", [(404, "NotFound"), (409, "Conflict")])
async def test_a_pod_that_was_replaced_is_not_deleted(server, config_for, answer):
    server.reply(ok(NODE))
    server.reply(ok(pod_list(listed("a", uid="old"))))
    server.reply(failure(*answer))
    server.reply(ok(pod_list(listed("a", uid="new"))))
    async with AsyncClientset(AsyncRest(config_for(server))) as k:
        assert await drain(k, "node-1", force=True, disable_eviction=True) == ["shop/a"]
    deletion = server.requests[2]
    assert deletion.method == "DELETE"
    assert deletion.path.endswith("/namespaces/shop/pods/a")
    assert deletion.json()["preconditions"] == {"uid": "old"}


# ---- nodes: servers that do not do as they are told ---------------------------------------------


def listed(name: str = "alone", *, node: str = "node-1", uid: str = "u") -> Any:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", "uid": uid},
        "spec": {"containers": [{"name": "main", "image": "x"}], "nodeName": node},
    }


NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1", "uid": "n"}}


async def test_pods_of_other_nodes_are_never_evicted(server, config_for):
    server.reply(ok(NODE))
    server.reply(ok(pod_list(listed("a", node="node-2"), listed("b", node=""))))
    async with AsyncClientset(AsyncRest(config_for(server))) as k:
        assert await drain(k, "node-1", force=True) == []
    assert [each.method for each in server.requests] == ["PATCH", "GET"]


@pytest.mark.parametrize(
    "wrong", [listed("../../x"), listed("a\nb"), listed(""), listed("late", uid="")]
)
async def test_pods_that_cannot_be_addressed_are_refused_before_any_eviction(
    server, config_for, wrong
):
    server.reply(ok(NODE))
    server.reply(ok(pod_list(listed("a"), wrong)))
    async with AsyncClientset(AsyncRest(config_for(server))) as k:
        with pytest.raises(errors.OperationRefused, match=r"invalid name .* a uid") as why:
            await drain(k, "node-1", force=True)
    assert str(why.value).isprintable()
    assert [each.method for each in server.requests] == ["PATCH", "GET"]


@pytest.mark.parametrize("stage", ["cordon", "list", "eviction"])
async def test_a_server_that_hangs_does_not_delay_the_end_of_a_drain(server, config_for, stage):
    answers = {"cordon": ok(NODE), "list": ok(pod_list(listed()))}
    for name, answer in answers.items():
        if name == stage:
            break
        server.reply(answer)
    server.reply(threading.Event())
    async with AsyncClientset(AsyncRest(config_for(server))) as k:
        with pytest.raises(errors.WaitTimeout, match=r"node-1 is not drained after 0\.2 s: "):
            await drain(k, "node-1", force=True, timeout=0.2)


async def test_no_pod_is_evicted_after_the_timeout():
    shop = Shop()
    node = (await shop.nodes())[0]
    for name in ("a", "b", "c"):
        shop.cluster.add(pod(name, nodeName=node))

    def tell(_: str) -> None:
        shop.clock.step(7)

    with pytest.raises(errors.WaitTimeout, match=r"not drained after 10 s: shop/b is not evicted"):
        await drain(shop.k, node, force=True, timeout=10, on_progress=tell)
    evictions = [each for each in shop.cluster.actions if each.verb == "create"]
    assert len(evictions) == 1


@pytest.mark.parametrize("selector", ["", "  ", {}])
async def test_an_empty_selector_is_refused_before_any_request(selector: Any):
    shop = Shop()
    node = (await shop.nodes())[0]
    shop.cluster.add(pod(nodeName=node))
    with pytest.raises(ValueError, match="pod_selector is empty"):
        await drain(shop.k, node, force=True, pod_selector=selector)
    assert not (await shop.k.core_v1.nodes().get(node)).spec.unschedulable


async def test_a_node_is_given_by_its_name():
    shop = Shop()
    for recipe in (cordon, uncordon, drain):
        with pytest.raises(TypeError, match=f"{recipe.__name__} takes the name of a node, not the"):
            await recipe(shop.k, Node)


# ---- rollouts -----------------------------------------------------------------------------------


async def image_of(shop: Shop, kind: str) -> str:
    found = await shop.k.get(CLASSES[kind], "web", namespace="shop")
    return found.spec.template.spec.containers[0].image


async def set_image(shop: Shop, kind: str, image: str) -> None:
    patch = {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": image}]}}}}
    await shop.k.patch(CLASSES[kind], "web", patch, namespace="shop")
    await shop.k.wait(CLASSES[kind], "web", namespace="shop", until=rolled_out, timeout=600)


@pytest.mark.parametrize("kind", CLASSES)
async def test_a_restart_replaces_all_pods(kind: str):
    shop = Shop()
    made = await shop.k.create(workload(kind))
    await rollout_status(shop.k, CLASSES[kind], "web", namespace="shop", timeout=60)
    before = {each.metadata.uid for each in (await shop.k.list(Pod, namespace="shop")).items}
    restarted = await rollout_restart(shop.k, made)
    assert isinstance(restarted, CLASSES[kind])
    annotations = restarted.spec.template.metadata.annotations
    assert annotations["kubectl.kubernetes.io/restartedAt"].startswith("2026-01-01T")
    assert isinstance(await rollout_status(shop.k, restarted, timeout=600), CLASSES[kind])
    after = {each.metadata.uid for each in (await shop.k.list(Pod, namespace="shop")).items}
    assert len(after) == len(before)
    assert not before & after


@pytest.mark.parametrize("kind", CLASSES)
async def test_undo_brings_the_earlier_template_back(kind: str):
    shop = Shop()
    await shop.k.create(workload(kind))
    await rollout_status(shop.k, CLASSES[kind], "web", namespace="shop", timeout=60)
    await set_image(shop, kind, "shop:2")
    await set_image(shop, kind, "shop:3")
    history = await rollout_history(shop.k, CLASSES[kind], "web", namespace="shop")
    assert [each.number for each in history] == [1, 2, 3]
    images = [each.template["spec"]["containers"][0]["image"] for each in history]
    assert images == ["shop:1", "shop:2", "shop:3"]

    undone = await rollout_undo(shop.k, CLASSES[kind], "web", namespace="shop")
    assert isinstance(undone, CLASSES[kind])
    assert await image_of(shop, kind) == "shop:2"
    await rollout_status(shop.k, undone, timeout=600)
    await rollout_undo(shop.k, Unstructured.of(undone), to_revision=1)
    assert await image_of(shop, kind) == "shop:1"
    assert "pod-template-hash" not in str(undone.spec.template.metadata.labels)


@pytest.mark.parametrize("kind", CLASSES)
async def test_an_undo_that_cannot_be_is_refused(kind: str):
    shop = Shop()
    await shop.k.create(workload(kind))
    await rollout_status(shop.k, CLASSES[kind], "web", namespace="shop", timeout=60)
    with pytest.raises(errors.OperationRefused, match=f"{kind} shop/web has no earlier revision"):
        await rollout_undo(shop.k, CLASSES[kind], "web", namespace="shop")
    with pytest.raises(errors.OperationRefused, match="has no revision 7; it has 1"):
        await rollout_undo(shop.k, CLASSES[kind], "web", namespace="shop", to_revision=7)
    same = await rollout_undo(shop.k, CLASSES[kind], "web", namespace="shop", to_revision=1)
    assert same.metadata.generation == 1


async def test_a_rollout_of_nothing_is_not_waited_for():
    shop = Shop()
    with pytest.raises(errors.NotFound, match='"nope" not found'):
        await rollout_status(shop.k, Deployment, "nope", namespace="shop")
    unscheduled = workload("Deployment")
    unscheduled.spec.template.spec.node_selector = {"pool": "none"}
    await shop.k.create(unscheduled)
    told: list[str] = []
    status = Beside(
        lambda: rollout_status(shop.k, Deployment, "web", namespace="shop", on_progress=told.append)
    )
    while not told:
        await sleep(0.001)
    await shop.k.delete(Deployment, "web", namespace="shop")
    with pytest.raises(errors.WaitFailed, match="deleted"):
        await status.end(shop.clock)


async def test_a_paused_deployment_is_left_alone():
    shop = Shop()
    await shop.k.create(workload("Deployment"))
    await set_image(shop, "Deployment", "shop:2")
    await shop.k.patch(Deployment, "web", {"spec": {"paused": True}}, namespace="shop")
    for recipe in (rollout_restart, rollout_undo):
        with pytest.raises(errors.OperationRefused, match="Deployment shop/web is paused"):
            await recipe(shop.k, Deployment, "web", namespace="shop")


async def test_only_workloads_have_rollouts():
    shop = Shop()
    for what in (Pod, pod(), "web", Unstructured(kind="Deployment", apiVersion="x/v1")):
        with pytest.raises(TypeError, match="only a Deployment, StatefulSet or DaemonSet"):
            await rollout_restart(shop.k, what, "web")
    with pytest.raises(TypeError, match="must be left out"):
        await rollout_restart(shop.k, workload("Deployment"), "web")
    for name in ("", None, "a/b"):
        with pytest.raises(ValueError, match="name"):
            await rollout_restart(shop.k, Deployment, name)
        with pytest.raises(ValueError, match="name"):
            await rollout_undo(shop.k, Deployment, name)
    with pytest.raises(ValueError, match="rollout_restart needs the name of the Deployment"):
        await rollout_restart(shop.k, Deployment)
    with pytest.raises(TypeError, match=r'write rollout_restart\(k, Deployment, "web"\)'):
        await rollout_restart(shop.k, "web")


async def test_an_object_is_sought_only_in_its_own_namespace():
    shop = Shop()
    for recipe in (rollout_restart, rollout_undo, rollout_status, rollout_history):
        for obj in (workload("Deployment"), Unstructured.of(workload("Deployment"))):
            with pytest.raises(ValueError, match="in the namespace 'shop', but namespace='b'"):
                await recipe(shop.k, obj, namespace="b")
    homeless = workload("Deployment")
    homeless.metadata.namespace = None
    with pytest.raises(errors.NotFound) as missing:
        await rollout_restart(shop.k, homeless)
    assert f"/namespaces/{shop.k.rest.namespace}/" in missing.value.request.path


def revision_of(uid: str, number: int, **data: Any) -> Any:
    return {
        "kind": "ControllerRevision",
        "metadata": {"ownerReferences": [{"uid": uid, "controller": True}]},
        "revision": number,
        "data": data,
    }


def test_an_undo_changes_only_the_template():
    template = {"$patch": "replace", "spec": {"containers": []}}
    found = [revision_of("u", 1, spec={"template": template, "replicas": 0}, metadata={"x": 1})]
    obj = {"kind": "StatefulSet", "metadata": {"uid": "u"}}
    patch = undo_patch(obj, choose_revision(history_of(obj, found), 1, "it"))
    assert patch is not None
    assert patch.body == {"spec": {"template": template}}


def test_an_empty_uid_owns_nothing():
    assert history_of({"kind": "DaemonSet"}, [revision_of("", 1), {"revision": 1}]) == []


async def test_clients_of_the_other_flavour_are_refused():
    cluster = FakeCluster()
    other = r"import this from clientgen\.runtime\.(?!aio)"
    # The name is put together, so that it stays the same in the derived test.
    for name in (CLIENTSET, "Async" + CLIENTSET):
        k = cluster.clientset(getattr(kubeapi, name))
        if isinstance(k, AsyncClientset):
            continue
        for client in (k, k.rest):
            with pytest.raises(TypeError, match=other):
                await cordon(client, "node-1")
            with pytest.raises(TypeError, match=other):
                await rollout_restart(client, Deployment, "web")
    with pytest.raises(TypeError, match="the client must be a clientset or its rest, not None"):
        await cordon(None, "node-1")
