"""status, scale, ephemeral containers, resize, approval, finalize, eviction, binding and tokens."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from clusterkit.objects import budget, deployment, pod, signing_request
from clusterkit.scratch import Scratch
from clusterkit.together import async_collect
from kubeapi import AsyncClientset
from kubeapi.authentication.v1.models import TokenRequest, TokenRequestSpec
from kubeapi.autoscaling.v1.models import Scale, ScaleSpec
from kubeapi.certificates.v1.models import (
    CertificateSigningRequest,
    CertificateSigningRequestCondition,
)
from kubeapi.core.v1.manifests import PodConditionManifest, PodManifest
from kubeapi.core.v1.models import (
    Binding,
    EphemeralContainer,
    Namespace,
    NamespaceSpec,
    Node,
    NodeSpec,
    ObjectReference,
    Pod,
    PodCondition,
    ResourceRequirements,
    Taint,
)
from kubeapi.policy.v1.models import Eviction

from clientgen.runtime import JsonPatch, MergePatch, StrategicMergePatch
from clientgen.runtime.errors import (
    BadRequest,
    Conflict,
    Invalid,
    NotFound,
    TooManyRequests,
)
from clientgen.runtime.models import DeleteOptions, ObjectMeta, Quantity

pytestmark = pytest.mark.cluster


# ---- status -----------------------------------------------------------------------------------


async def test_a_status_is_written_by_itself(kube: AsyncClientset, namespace: str) -> None:
    pods = kube.core_v1.pods(namespace)
    made = await pods.create(pod("one"))
    made.status.message = "hello"
    made.metadata.labels["seen"] = "yes"
    unchanged = await pods.update(made)
    assert unchanged.metadata.labels == {"seen": "yes"}
    assert unchanged.status.message is None
    unchanged.status.message = "hello"
    unchanged.spec.active_deadline_seconds = 5
    changed = await pods.update_status(unchanged)
    assert changed.status.message == "hello"
    assert changed.spec.active_deadline_seconds is None
    assert (await pods.status("one").get()) == changed
    assert (await pods.get("one")) == changed


async def test_a_status_is_patched_applied_and_edited(kube: AsyncClientset, namespace: str) -> None:
    pods = kube.core_v1.pods(namespace)
    await pods.create(pod("one"))
    status = pods.status("one")
    patched = await status.patch(MergePatch({"status": {"reason": "Patched"}}))
    assert patched.status.reason == "Patched"
    ready: PodConditionManifest = {"type": "clientgen.example/Ready", "status": "True"}
    body: PodManifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "one"},
        "status": {"conditions": [ready]},
    }
    applied = await status.apply(body, field_manager="me")
    assert [(each.type, each.status) for each in applied.status.conditions] == [
        ("clientgen.example/Ready", "True")
    ]
    entries = [each for each in applied.metadata.managed_fields if each.manager == "me"]
    assert [(each.operation, each.subresource) for each in entries] == [("Apply", "status")]

    def change(it: Pod) -> None:
        it.status.conditions.append(PodCondition(type="clientgen.example/Fine", status="False"))
        it.status.reason = None

    edited = await status.edit(change)
    assert len(edited.status.conditions) == 2
    assert edited.status.reason is None


async def test_a_stale_status_conflicts(kube: AsyncClientset, namespace: str) -> None:
    pods = kube.core_v1.pods(namespace)
    stale = await pods.create(pod("one"))
    await pods.status("one").patch(MergePatch({"status": {"message": "first"}}))
    stale.status.message = "second"
    with pytest.raises(Conflict):
        await pods.status("one").update(stale)
    with pytest.raises(NotFound):
        await pods.status("nothing").get()


# ---- scale ------------------------------------------------------------------------------------


async def test_a_scale_is_read_and_written(kube: AsyncClientset, namespace: str) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    made = await deployments.create(deployment("web", replicas=1))
    scale = await deployments.scale("web").get()
    assert (scale.kind, scale.api_version) == ("Scale", "autoscaling/v1")
    assert (scale.metadata.name, scale.metadata.uid) == ("web", made.metadata.uid)
    assert (scale.spec.replicas, scale.status.selector) == (1, "app=web")
    body = Scale(metadata=ObjectMeta(name="web", namespace=namespace), spec=ScaleSpec(replicas=3))
    while True:
        try:
            updated = await deployments.scale("web").update(body)
        except Conflict:  # controllers write to it, too
            continue
        break
    assert updated.spec.replicas == 3
    assert (await deployments.get("web")).spec.replicas == 3
    patch = MergePatch({"spec": {"replicas": 0}})
    patched = await deployments.scale("web").patch(patch)
    assert patched.spec.replicas in {0, None}  # servers leave a zero out
    assert (await deployments.get("web")).spec.replicas == 0
    with pytest.raises(Invalid):
        await deployments.scale("web").patch(MergePatch({"spec": {"replicas": -1}}))


async def test_a_scale_is_edited_to_zero_and_back(kube: AsyncClientset, namespace: str) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    await deployments.create(deployment("web", replicas=2))

    def to(replicas: int) -> Callable[[Scale], None]:
        def change(it: Scale) -> None:
            it.spec.replicas = replicas

        return change

    for replicas in (0, 4, 1):
        await deployments.scale("web").edit(to(replicas))
        assert (await deployments.get("web")).spec.replicas == replicas


async def test_a_scale_that_is_applied_is_owned_through_the_subresource(
    kube: AsyncClientset, namespace: str
) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    await deployments.create(deployment("web", replicas=1))
    body = Scale(metadata=ObjectMeta(name="web"), spec=ScaleSpec(replicas=2))
    await deployments.scale("web").apply(body, field_manager="scaler", force=True)
    scaled = await deployments.get("web")
    assert scaled.spec.replicas == 2
    (entry,) = [each for each in scaled.metadata.managed_fields if each.manager == "scaler"]
    assert entry.subresource == "scale"


# ---- what pods have ---------------------------------------------------------------------------


async def test_ephemeral_containers_are_added_to_a_pod(
    kube: AsyncClientset, namespace: str
) -> None:
    pods = kube.core_v1.pods(namespace)
    made = await pods.create(pod("one"))
    debugger = EphemeralContainer(name="debug", image="example.invalid/debug:1")
    made.spec.ephemeral_containers.append(debugger)
    updated = await pods.ephemeral_containers("one").update(made)
    assert [each.name for each in updated.spec.ephemeral_containers] == ["debug"]
    more = {"spec": {"ephemeralContainers": [{"name": "more", "image": "example.invalid/b:1"}]}}
    patched = await pods.ephemeral_containers("one").patch(StrategicMergePatch(more))
    assert sorted(each.name for each in patched.spec.ephemeral_containers) == ["debug", "more"]
    assert (await pods.ephemeral_containers("one").get()) == patched
    with pytest.raises(Invalid):  # they never go away
        await pods.ephemeral_containers("one").edit(lambda it: it.spec.ephemeral_containers.clear())


async def test_a_pod_is_resized(kube: AsyncClientset, namespace: str) -> None:
    pods = kube.core_v1.pods(namespace)
    body = pod("one")
    body.spec.containers[0].resources = ResourceRequirements(
        requests={"cpu": Quantity("100m"), "memory": Quantity("64Mi")}
    )
    made = await pods.create(body)

    def double(it: Pod) -> None:
        resources = it.spec.containers[0].resources
        assert resources is not None
        resources.requests["cpu"] = resources.requests["cpu"] * 2

    resized = await pods.resize("one").edit(double)
    assert requests_of(resized) == {"cpu": Quantity("200m"), "memory": Quantity("64Mi")}
    assert (await pods.resize("one").get()) == resized
    with pytest.raises(Invalid):  # the ordinary update does not do it
        await pods.edit("one", double)
    more = {"requests": {"memory": "65Mi"}}
    patch = {"spec": {"containers": [{"name": "main", "resources": more}]}}
    patched = await pods.resize("one").patch(StrategicMergePatch(patch))
    assert requests_of(patched)["memory"] == Quantity("65Mi")
    made.spec.containers[0].image = "example.invalid/other:1"
    made.metadata.resource_version = ""
    kept = await pods.resize("one").update(made)  # and it does nothing else
    assert kept.spec.containers[0].image == "example.invalid/none:1"
    assert requests_of(kept)["cpu"] == Quantity("100m")


def requests_of(pod: Pod) -> dict[str, Quantity]:
    resources = pod.spec.containers[0].resources
    assert resources is not None
    return resources.requests


async def test_a_pod_is_bound_to_a_node(
    kube: AsyncClientset, namespace: str, scratch: Scratch
) -> None:
    pods, nodes = kube.core_v1.pods(namespace), kube.core_v1.nodes()
    taint = Taint(key="clientgen.example/test", effect="NoExecute")
    node = Node(
        metadata=ObjectMeta(name=scratch.new_name()),
        spec=NodeSpec(unschedulable=True, taints=[taint]),
    )
    await pods.create(pod("one"))
    await nodes.create(node)
    try:
        target = ObjectReference(kind="Node", name=node.metadata.name)
        answer = await pods.bind("one", Binding(metadata=ObjectMeta(name="one"), target=target))
        assert (answer.kind, answer.status, answer.code) == ("Status", "Success", 201)
        assert (await pods.get("one")).spec.node_name == node.metadata.name
        on_node = await pods.list(field_selector=f"spec.nodeName={node.metadata.name}")
        assert len(on_node) == 1
        with pytest.raises(Conflict):
            await pods.bind("one", Binding(metadata=ObjectMeta(name="one"), target=target))
    finally:
        await pods.delete("one", grace_period_seconds=0)
        await nodes.delete(node.metadata.name)


async def test_bindings_are_created_as_such_too(kube: AsyncClientset, namespace: str) -> None:
    await kube.core_v1.pods(namespace).create(pod("one"))
    target = ObjectReference(kind="Node", name="clientgen-test-none")
    body = Binding(metadata=ObjectMeta(name="one"), target=target)
    answer = await kube.core_v1.bindings(namespace).create(body)
    assert answer.status == "Success"
    assert (await kube.core_v1.pods(namespace).get("one")).spec.node_name == "clientgen-test-none"


async def test_a_pod_is_evicted(kube: AsyncClientset, namespace: str) -> None:
    pods = kube.core_v1.pods(namespace)
    made = await pods.create(pod("one"))
    with pytest.raises(BadRequest):
        await pods.evict("one", Eviction(metadata=ObjectMeta(name="other")))
    with pytest.raises(NotFound):
        await pods.evict("nothing")
    answer = await pods.evict("one", dry_run=True)
    assert answer.status == "Success"
    assert (await pods.get("one")).metadata.deletion_timestamp is None
    body = Eviction(
        metadata=ObjectMeta(name="one"),
        delete_options=DeleteOptions(grace_period_seconds=0),
    )
    answer = await pods.evict("one", body)
    assert (answer.kind, answer.status, answer.code) == ("Status", "Success", 201)
    with pytest.raises(NotFound):
        await pods.get(made.metadata.name)


async def test_a_disruption_budget_blocks_an_eviction(kube: AsyncClientset, namespace: str) -> None:
    pods = kube.core_v1.pods(namespace)
    budgets = kube.policy_v1.pod_disruption_budgets(namespace)
    await budgets.create(budget("all", app="web"))
    await pods.create(pod("one", labels={"app": "web"}))
    ready = {"type": "Ready", "status": "True"}
    running = MergePatch({"status": {"phase": "Running", "conditions": [ready]}})
    await pods.status("one").patch(running)
    # For a budget nobody has looked at yet servers say: in ten seconds. That is too late here.
    with pytest.raises(TooManyRequests):
        await pods.evict("one", timeout=5)
    await budgets.status("all").patch(MergePatch({"status": EXHAUSTED}))
    with pytest.raises(TooManyRequests) as caught:
        await pods.evict("one")
    assert (caught.value.code, caught.value.retry_after) == (429, None)
    assert [cause.reason for cause in caught.value.causes] == ["DisruptionBudget"]
    assert not getattr(caught.value, "__notes__", [])  # it was not tried again
    assert (await pods.get("one")).metadata.deletion_timestamp is None


# What a controller makes of the budget and the pod.
EXHAUSTED = {
    "observedGeneration": 1,
    "currentHealthy": 1,
    "desiredHealthy": 1,
    "expectedPods": 1,
    "disruptionsAllowed": 0,
}


# ---- logs -------------------------------------------------------------------------------------


async def test_a_pod_without_a_node_has_empty_logs(kube: AsyncClientset, namespace: str) -> None:
    pods = kube.core_v1.pods(namespace)
    await pods.create(pod("one"))
    assert await pods.logs("one") == ""
    assert await async_collect(pods.follow_logs("one", timeout=10)) == []


async def test_logs_that_cannot_be_had_are_errors(kube: AsyncClientset, namespace: str) -> None:
    pods = kube.core_v1.pods(namespace)
    await pods.create(pod("two", "first", "second"))
    with pytest.raises(NotFound):
        await pods.logs("nothing")
    with pytest.raises(BadRequest, match=r"choose one of: \[first second\]"):
        await pods.logs("two")
    with pytest.raises(BadRequest, match="container nothing is not valid"):
        await pods.logs("two", container="nothing", tail_lines=5)
    with pytest.raises(BadRequest, match="choose one of"):
        await async_collect(pods.follow_logs("two", timeout=10))
    with pytest.raises(NotFound):
        await async_collect(pods.follow_logs("nothing", timeout=10))
    target = ObjectReference(kind="Node", name="clientgen-test-none")
    await pods.bind("two", Binding(metadata=ObjectMeta(name="two"), target=target))
    with pytest.raises(NotFound, match=r"clientgen-test-none|two"):
        await pods.logs("two", container="first")


async def test_the_options_of_logs_reach_the_server(kube: AsyncClientset, namespace: str) -> None:
    pods = kube.core_v1.pods(namespace)
    await pods.create(pod("one"))
    with pytest.raises(Invalid) as caught:
        await pods.logs("one", since_seconds=5, since_time=datetime.now(UTC))
    assert "at most one of" in caught.value.message
    with pytest.raises(Invalid, match="tailLines"):
        await pods.logs("one", tail_lines=-1)
    with pytest.raises(Invalid, match="limitBytes"):
        await pods.logs("one", limit_bytes=0)
    text = await pods.logs(
        "one",
        container="main",
        previous=True,
        since_time=datetime.now(UTC),
        timestamps=True,
        tail_lines=1,
        limit_bytes=100,
        insecure_skip_tls_verify_backend=True,
    )
    assert text == ""


# ---- others -----------------------------------------------------------------------------------


async def test_a_signing_request_is_approved_and_another_denied(
    kube: AsyncClientset, scratch: Scratch
) -> None:
    requests = kube.certificates_v1.certificate_signing_requests()
    name, other = scratch.new_name(), scratch.new_name()
    made = await requests.create(signing_request(name))
    await requests.create(signing_request(other))
    try:
        assert made.spec.request.startswith(b"-----BEGIN CERTIFICATE REQUEST-----")
        yes = CertificateSigningRequestCondition(type="Approved", status="True", reason="Test")
        made.status.conditions.append(yes)
        approved = await requests.approval(name).update(made)
        (condition,) = approved.status.conditions
        assert (condition.type, condition.reason) == ("Approved", "Test")
        assert condition.last_update_time is not None
        assert (await requests.approval(name).get()) == approved

        def deny(it: CertificateSigningRequest) -> None:
            no = CertificateSigningRequestCondition(type="Denied", status="True", reason="Test")
            it.status.conditions.append(no)

        denied = await requests.approval(other).edit(deny)
        assert [each.type for each in denied.status.conditions] == ["Denied"]
        with pytest.raises(Invalid):  # both is not possible
            await requests.approval(name).edit(deny)
    finally:
        await requests.delete(name)
        await requests.delete(other)


async def test_a_certificate_comes_with_the_status(kube: AsyncClientset, scratch: Scratch) -> None:
    requests = kube.certificates_v1.certificate_signing_requests()
    made = await requests.create(signing_request(scratch.new_name()))
    try:
        made.status.certificate = b"not a certificate"
        with pytest.raises(Invalid):
            await requests.update_status(made)
    finally:
        await requests.delete(made.metadata.name)


async def test_the_finalizers_of_a_namespace_are_replaced(
    kube: AsyncClientset, scratch: Scratch
) -> None:
    namespaces = kube.core_v1.namespaces()
    body = Namespace(
        metadata=ObjectMeta(name=scratch.new_name(), labels=scratch.labels),
        spec=NamespaceSpec(finalizers=["clientgen.example/test"]),
    )
    made = await namespaces.create(body)
    try:
        assert made.spec.finalizers == ["clientgen.example/test", "kubernetes"]
        made.spec.finalizers.remove("clientgen.example/test")
        unchanged = await namespaces.update(made)
        assert unchanged.spec.finalizers == ["clientgen.example/test", "kubernetes"]
        unchanged.spec.finalizers.remove("clientgen.example/test")
        finalized = await namespaces.finalize(unchanged)
        assert finalized.spec.finalizers == ["kubernetes"]
    finally:
        await namespaces.delete(made.metadata.name)


async def test_a_token_is_created_for_a_service_account(
    kube: AsyncClientset, namespace: str
) -> None:
    accounts = kube.core_v1.service_accounts(namespace)
    body = TokenRequest(spec=TokenRequestSpec(audiences=["here"], expiration_seconds=1000))
    answer = await accounts.create_token("default", body)
    assert answer.status.token
    assert answer.status.expiration_timestamp is not None
    assert answer.status.expiration_timestamp > datetime.now(UTC)
    assert answer.status.token not in repr(answer)
    claims = answer.status.token.split(".")[1]
    assert b'"here"' in base64.urlsafe_b64decode(claims + "===")
    short = TokenRequest(spec=TokenRequestSpec(expiration_seconds=5))
    with pytest.raises(Invalid):
        await accounts.create_token("default", short)
    with pytest.raises(NotFound):
        await accounts.create_token("nobody", body)


async def test_a_json_patch_of_a_subresource_can_test_first(
    kube: AsyncClientset, namespace: str
) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    await deployments.create(deployment("web", replicas=1))
    test = {"op": "test", "path": "/spec/replicas", "value": 5}
    replace = {"op": "replace", "path": "/spec/replicas", "value": 6}
    with pytest.raises(Invalid):
        await deployments.scale("web").patch(JsonPatch([test, replace]))
    assert (await deployments.scale("web").get()).spec.replicas == 1
