"""Verbs of kubectl beyond what kubectl does: other writers, other kinds, dry runs, waits, misuse.

`tests/testing/test_kubectl_verbs.py` compares the verbs with kubectl; `test_verbs_threads` has
these on threads.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import ConfigMap, Node, Pod, Service
from kubeapi.rbac.v1 import RoleBinding
from support.definitions import custom_definition, custom_version

from clientgen.runtime import aio as verbs
from clientgen.runtime import errors
from clientgen.runtime.errors import Conflict, Forbidden, OperationRefused
from clientgen.runtime.models import Unstructured
from clientgen.testing import FakeClock, FakeCluster

CONTAINER = {"name": "app", "image": "web:1", "env": [{"name": "OLD", "value": "1"}]}
WEB: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "default", "labels": {"tier": "front"}},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [CONTAINER]},
        },
    },
}
SETTINGS = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "settings", "namespace": "default"},
    "data": {"a": "1"},
}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}}


@pytest.fixture
def cluster() -> FakeCluster:
    return FakeCluster(WEB, SETTINGS, NODE)


@pytest.fixture
def k(cluster: FakeCluster) -> AsyncClientset:
    return cluster.clientset(AsyncClientset)


def between(cluster: FakeCluster, resource: str, write: Callable[[Clientset], object]) -> None:
    """Let somebody else write just before the next patch arrives."""
    other, pending = cluster.clientset(Clientset), [write]

    def reaction(_: object) -> None:
        while pending:
            pending.pop()(other)

    cluster.react("patch", resource, reaction)


# ---- other writers ------------------------------------------------------------------------------


async def test_what_others_write_meanwhile_stays(k: AsyncClientset, cluster: FakeCluster) -> None:
    side = {**CONTAINER, "name": "side"}

    def add_a_container(other: Clientset) -> None:
        body = deepcopy(WEB)
        body["spec"]["template"]["spec"]["containers"].insert(0, side)
        other.update(body)

    between(cluster, "deployments", add_a_container)
    web = await verbs.set_image(k, Deployment, "web", {"app": "web:2"})
    images = [(each.name, each.image) for each in web.spec.template.spec.containers]
    assert images == [("side", "web:1"), ("app", "web:2")]
    assert [each.verb for each in cluster.actions if each.resource == "deployments"] == [
        "get", "patch", "update", "get", "patch",
    ]  # fmt: skip


async def test_a_check_holds_when_the_change_is_stored(
    k: AsyncClientset, cluster: FakeCluster
) -> None:
    between(
        cluster,
        "configmaps",
        lambda other: other.patch(ConfigMap, "settings", {"metadata": {"labels": {"a": "theirs"}}}),
    )
    with pytest.raises(OperationRefused, match="has other labels already: a=theirs"):
        await verbs.label(k, ConfigMap, "settings", {"a": "ours"})


async def test_a_label_that_may_be_changed_takes_one_request(
    k: AsyncClientset, cluster: FakeCluster
) -> None:
    await verbs.label(k, Deployment, "web", {"tier": "back", "none": None}, overwrite=True)
    assert [each.verb for each in cluster.actions] == ["patch"]


async def test_a_resource_version_is_a_precondition(
    k: AsyncClientset, cluster: FakeCluster
) -> None:
    settings = await k.get(ConfigMap, "settings")
    version = settings.metadata.resource_version or ""
    labelled = await verbs.label(k, settings, {"a": "1"}, resource_version=version)
    for verb in (verbs.label, verbs.annotate):
        with pytest.raises(Conflict):
            await verb(k, settings, {"b": "1"}, resource_version=version, overwrite=True)
    scaled = await verbs.scale(k, Deployment, "web", 3, resource_version=await version_of(k))
    assert (labelled.metadata.labels, scaled.spec.replicas) == ({"a": "1"}, 3)


async def version_of(k: AsyncClientset) -> str:
    return (await k.get(Deployment, "web")).metadata.resource_version or ""


async def test_scaling_goes_on_after_a_conflict(k: AsyncClientset, cluster: FakeCluster) -> None:
    cluster.react("patch", "deployments/scale", Conflict, times=2)
    assert (await verbs.scale(k, Deployment, "web", 5)).spec.replicas == 5
    cluster.react("patch", "deployments/scale", Conflict, times=1)
    with pytest.raises(OperationRefused, match="has the replicas 5, not 4"):
        await verbs.scale(k, Deployment, "web", 6, current_replicas=4)


# ---- forms of objects and options ---------------------------------------------------------------


async def test_an_answer_has_the_class_that_was_given(k: AsyncClientset) -> None:
    web = await k.get(Deployment, "web")
    typed = await verbs.set_image(k, web, {"app": "web:2"})
    untyped = await verbs.set_image(k, Unstructured.of(typed), {"*": "web:3"})
    assert (type(typed), type(untyped)) == (Deployment, Unstructured)
    from_manifest = await verbs.replace(k, SETTINGS)
    node = await verbs.taint(k, "node-1", "gpu:NoExecute")
    assert (type(from_manifest), type(node)) == (ConfigMap, Node)
    pod = await verbs.run(k, "shell", "busybox")
    service = await verbs.expose(k, untyped, port=80)
    assert (type(pod), type(service)) == (Pod, Service)


async def test_the_rest_of_a_clientset_will_do(k: AsyncClientset) -> None:
    web = await verbs.set_image(k.rest, Deployment, "web", {"app": "web:2"})
    scaled = await verbs.scale(k.rest, web, 3)
    service = await verbs.expose(k.rest, scaled, port=80, model=Service)
    untyped = await verbs.autoscale(k.rest, Deployment, "web", max=3)
    assert (scaled.spec.replicas, service.spec.ports[0].port) == (3, 80)
    assert type(untyped) is Unstructured


async def test_options_of_writes_are_those_of_all_writes(
    k: AsyncClientset, cluster: FakeCluster
) -> None:
    tries = k.with_(dry_run=True)
    await verbs.set_env(tries, Deployment, "web", {"A": "1"})
    await verbs.run(tries, "shell", "busybox")
    await verbs.scale(tries, Deployment, "web", 9, wait=1)
    await verbs.label(k, Deployment, "web", {"a": "b"}, dry_run=True)
    await verbs.taint(k, "node-1", "a:NoExecute", dry_run=True)
    with pytest.raises(ValueError, match="force=True deletes the object"):
        await verbs.replace(tries, SETTINGS, force=True)
    assert {each.options.get("dryRun") for each in cluster.writes} == {"All"}
    web = await verbs.set_service_account(k, Deployment, "web", "robot", field_manager="deployer")
    assert cluster.writes[-1].options["fieldManager"] == "deployer"
    assert (web.metadata.labels, web.spec.replicas) == ({"tier": "front"}, 2)


async def test_custom_resources_are_labelled_scaled_and_replaced() -> None:
    scale = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.ready"}
    version = custom_version(subresources={"status": {}, "scale": scale})
    ring = {
        "apiVersion": "example.com/v1",
        "kind": "Ring",
        "metadata": {"name": "one", "namespace": "default"},
        "spec": {"size": 1},
    }
    cluster = FakeCluster(ring, crds=[custom_definition("example.com", "Ring", version)])
    k = cluster.clientset(AsyncClientset)
    await verbs.label(k, Unstructured(ring), {"a": "b"})
    assert (await verbs.scale(k, Unstructured(ring), 3))["spec"] == {"size": 3}
    old = await k.refresh(Unstructured(ring))
    await k.patch_status(old, Unstructured({**old, "status": {"ready": 3}}))
    assert (await verbs.scale(k, Unstructured(ring), 3, wait=0))["status"] == {"ready": 3}
    hpa: Any = await verbs.autoscale(k, Unstructured(ring), max=3, memory="200")
    assert hpa.spec.scale_target_ref.kind == "Ring"
    assert str(hpa.spec.metrics[0].resource.target.average_value) == "200Mi"
    assert (await verbs.replace(k, Unstructured(ring)))["spec"] == {"size": 1}
    with pytest.raises(TypeError, match="set_image takes a Pod or a workload"):
        await verbs.set_image(k, Unstructured(ring), {"a": "b"})


# ---- waits and steps ----------------------------------------------------------------------------


async def test_scaling_waits_until_there_are_so_many() -> None:
    cluster = FakeCluster(WEB, clock=FakeClock())
    cluster.play(nodes=1, advance=True, pod_start=3)
    k = cluster.clientset(AsyncClientset)
    scaled = await verbs.scale(k, Deployment, "web", 4, wait=60)
    assert scaled.status.replicas == 4


async def test_a_wait_for_replicas_ends_in_time() -> None:
    cluster = FakeCluster(WEB)
    k = cluster.clientset(AsyncClientset)
    with pytest.raises(
        errors.WaitTimeout, match=r"Deployment default/web has 0 replicas, not 4, after 0 s"
    ):
        await verbs.scale(k, Deployment, "web", 4, wait=0)
    other = cluster.clientset(Clientset)

    def scale_otherwise(_: object) -> None:
        other.patch(Deployment, "web", {"spec": {"replicas": 7}})

    cluster.react("get", "deployments/scale", scale_otherwise)
    assert (await verbs.scale(k, Deployment, "web", 4, wait=60)).spec.replicas == 7


async def test_a_second_step_that_fails_says_what_the_first_has_done(
    k: AsyncClientset, cluster: FakeCluster
) -> None:
    cluster.react("create", "*", Forbidden, times=1)
    with pytest.raises(Forbidden) as refused:
        await verbs.replace(k, SETTINGS, force=True)
    assert refused.value.__notes__ == [
        "ConfigMap default/settings was deleted, but not created again."
    ]
    cluster.react("create", "services", Forbidden, times=1)
    with pytest.raises(Forbidden) as refused:
        await verbs.run(k, "web", "nginx", port=80, expose=True)
    assert refused.value.__notes__ == ["The Pod web was created, but its Service was not."]
    assert await k.exists(Pod, "web")


async def test_an_object_that_does_not_go_is_not_created_anew(k: AsyncClientset) -> None:
    kept = {**SETTINGS, "metadata": {**SETTINGS["metadata"], "finalizers": ["example.com/keep"]}}
    await verbs.replace(k, kept)
    with pytest.raises(errors.WaitTimeout):
        await verbs.replace(k, SETTINGS, force=True, wait=0)
    assert (await k.get(ConfigMap, "settings")).metadata.deletion_timestamp


async def test_answers_of_other_forms_end_no_verb_half_way(
    k: AsyncClientset, cluster: FakeCluster
) -> None:
    def without_spec(_: object) -> dict[str, Any]:
        metadata = {"name": "web", "namespace": "default", "resourceVersion": "1"}
        return {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata, "spec": None}

    cluster.react("patch", "deployments/scale", Conflict, times=1)
    cluster.react("get", "deployments/scale", without_spec, times=1)
    assert (await verbs.scale(k, Deployment, "web", 5)).spec.replicas == 5

    def of_no_kind(_: object) -> dict[str, Any]:
        cluster.clientset(Clientset).delete(ConfigMap, "settings")
        return {"kind": None, "metadata": {"name": "other"}}

    cluster.react("delete", "configmaps", of_no_kind, times=1)
    await verbs.replace(k, {**SETTINGS, "data": {"a": "2"}}, force=True)
    assert (await k.get(ConfigMap, "settings")).data == {"a": "2"}


async def test_a_timeout_limits_the_requests_of_a_verb_together() -> None:
    clock = FakeClock()
    cluster = FakeCluster(WEB, clock=clock)
    k = cluster.clientset(AsyncClientset)

    def take_long(_: object) -> None:
        clock.step(3)

    cluster.react("get", "deployments", take_long)
    with pytest.raises(errors.RequestTimeout):
        await verbs.expose(k, Deployment, "web", port=80, timeout=2)
    assert cluster.writes == []
    assert await verbs.expose(k, Deployment, "web", port=80, timeout=4)


# ---- misuse -------------------------------------------------------------------------------------


MISUSE: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda k: verbs.set_image(k, "web", {"a": "b"}), TypeError, "set_image: an object must be"),
    (lambda k: verbs.set_image(k, Deployment, {"a": "b"}), TypeError, "OBJECT, images"),
    (lambda k: verbs.set_image(k, Deployment, "", {"a": "b"}), ValueError, "set_image: name must"),
    (lambda k: verbs.set_image(k, Deployment, "web", ["a"]), TypeError, "images must be a dict"),
    (lambda k: verbs.set_image(k, Deployment, "web", {"app": ""}), ValueError, "'app' is empty"),
    (lambda k: verbs.set_image(None, Deployment, "web", {"a": "b"}), TypeError, "a clientset"),
    (lambda k: verbs.set_image(k, WEB, {"a": "b"}, namespace="x"), ValueError, "namespace='x'"),
    (lambda k: verbs.set_env(k, WEB, {"A": 1}), TypeError, r"env\['A'\] must be a text, or None"),
    (lambda k: verbs.set_env(k, WEB, {}), ValueError, "env is empty"),
    (lambda k: verbs.set_env(k, WEB, {}, from_=SETTINGS, keys="a"), TypeError, "keys must"),
    (lambda k: verbs.set_env(k, WEB, {}, from_=SETTINGS, keys=["b"]), OperationRefused, "no key"),
    (lambda k: verbs.set_env(k, WEB, {"A": "1"}, containers=["app"]), TypeError, "must be a text"),
    (lambda k: verbs.set_env(k, WEB, {"A": "1"}, containers="[a]pp"), OperationRefused, "has app"),
    (lambda k: verbs.set_resources(k, WEB, limits=["cpu"]), TypeError, "limits must be a dict"),
    (lambda k: verbs.set_service_account(k, WEB, ""), ValueError, "must be a name"),
    (lambda k: verbs.set_subject(k, RoleBinding, "b", users="ann"), TypeError, "users must"),
    (lambda k: verbs.label(k, WEB, {1: "b"}), TypeError, "names in labels must be texts"),
    (lambda k: verbs.label(k, WEB, {"": "b"}), ValueError, "a name in labels is empty"),
    (lambda k: verbs.label(k, Node, "a", {"a": "b"}, namespace="x"), ValueError, "cluster-scoped"),
    (lambda k: verbs.taint(k, "node-1", []), ValueError, "no taint is given"),
    (lambda k: verbs.taint(k, "node-1", "a"), ValueError, "'a' needs one of the effects"),
    (lambda k: verbs.taint(k, WEB, "a-"), TypeError, "taint takes a Node, not Deployment"),
    (lambda k: verbs.expose(k, WEB, port="80"), TypeError, "a port is a number, not a str"),
    (lambda k: verbs.run(k, "a", "nginx", args="one two"), TypeError, "args must be"),
    (lambda k: verbs.run(k, "a", "a" * 600), ValueError, "not the name of an image"),
    (lambda k: verbs.scale(k, WEB, True), ValueError, "a number of at least 0, not True"),
    (lambda k: verbs.autoscale(k, WEB, max=2, cpu="lots"), ValueError, "autoscale: cpu: 'lots'"),
    (lambda k: verbs.replace(k, {"kind": "Pod"}), ValueError, "replace: "),
]  # fmt: skip


async def test_misuse_is_refused_before_anything_is_written(
    k: AsyncClientset, cluster: FakeCluster
) -> None:
    for call, error, message in MISUSE:
        with pytest.raises(error, match=message):
            await call(k)
    assert cluster.writes == []
