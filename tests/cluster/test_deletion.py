"""delete and delete_collection: conditions, policies, and what is answered."""

from __future__ import annotations

from contextlib import suppress

import pytest
from clusterkit.objects import config_map, deployment, pod
from kubeapi import AsyncClientset
from kubeapi.apps.v1.models import Deployment, DeploymentList
from kubeapi.core.v1.models import Binding, ConfigMap, ConfigMapList, ObjectReference, Pod

from clientgen.runtime import MergePatch
from clientgen.runtime.errors import BadRequest, Conflict, Invalid, NotFound
from clientgen.runtime.models import ObjectMeta, Status

pytestmark = pytest.mark.cluster

FINALIZER = "clientgen.example/test"
RELEASE = MergePatch({"metadata": {"finalizers": None}})


async def test_an_immediate_deletion_returns_a_status(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    made = await maps.create(config_map("one"))
    answer = await maps.delete("one")
    assert isinstance(answer, Status)
    assert answer.status == "Success"
    assert answer.details is not None
    assert (answer.details.name, answer.details.kind) == ("one", "configmaps")
    assert answer.details.uid == made.metadata.uid
    with pytest.raises(NotFound):
        await maps.get("one")
    with pytest.raises(NotFound):
        await maps.delete("one")


async def test_some_kinds_are_answered_with_the_object(
    kube: AsyncClientset, namespace: str
) -> None:
    pods = kube.core_v1.pods(namespace)
    await pods.create(pod("one"))
    answer = await pods.delete("one")
    assert isinstance(answer, Pod)
    assert answer.metadata.name == "one"
    account = await kube.core_v1.service_accounts(namespace).delete("default")
    assert account.kind == "ServiceAccount"


async def test_a_deletion_held_by_finalizers_returns_the_object(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(ConfigMap(metadata=ObjectMeta(name="held", finalizers=[FINALIZER])))
    answer = await maps.delete("held")
    assert isinstance(answer, ConfigMap)
    assert answer.metadata.deletion_timestamp is not None
    more = MergePatch({"metadata": {"finalizers": [FINALIZER, "clientgen.example/late"]}})
    with pytest.raises(Invalid):
        await maps.patch("held", more)
    released = await maps.patch("held", RELEASE)
    assert released.metadata.finalizers == []
    with pytest.raises(NotFound):
        await maps.get("held")


async def test_a_deletion_can_be_conditional(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    older = await maps.create(config_map("one"))
    newer = await maps.patch("one", MergePatch({"data": {"a": "1"}}))
    with pytest.raises(Conflict) as caught:
        await maps.delete("one", uid="00000000-0000-0000-0000-000000000000")
    assert "UID in the precondition" in caught.value.message
    with pytest.raises(Conflict, match="ResourceVersion in the precondition"):
        await maps.delete("one", resource_version=older.metadata.resource_version)
    assert await maps.get("one")
    await maps.delete(
        "one", uid=newer.metadata.uid, resource_version=newer.metadata.resource_version
    )
    with pytest.raises(NotFound):
        await maps.get("one")


async def test_dependents_can_be_waited_for_or_left_alone(
    kube: AsyncClientset, namespace: str
) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    for name in ("waits", "orphans"):
        await deployments.create(deployment(name))
    waiting = await deployments.delete("waits", propagation_policy="Foreground")
    assert isinstance(waiting, Deployment)
    assert waiting.metadata.finalizers == ["foregroundDeletion"]
    assert waiting.metadata.deletion_grace_period_seconds == 0
    leaving = await deployments.delete("orphans", propagation_policy="Orphan")
    assert isinstance(leaving, Deployment)
    assert leaving.metadata.finalizers == ["orphan"]
    # A garbage collector may have finished both meanwhile; where there is none, we do.
    for name in ("waits", "orphans"):
        with suppress(NotFound):
            await deployments.patch(name, RELEASE)
    assert not (await deployments.list()).items


async def test_in_the_background_the_object_goes_at_once(
    kube: AsyncClientset, namespace: str
) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    await deployments.create(deployment("web"))
    answer = await deployments.delete("web", propagation_policy="Background")
    assert isinstance(answer, Status)
    await deployments.create(deployment("web"))
    answer = await deployments.delete("web", orphan_dependents=True)
    assert isinstance(answer, Deployment)
    assert answer.metadata.finalizers == ["orphan"]


async def test_contradictory_policies_are_invalid(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one"))
    with pytest.raises(Invalid):
        await maps.delete("one", propagation_policy="Orphan", orphan_dependents=True)
    with pytest.raises(Invalid):
        await maps.delete("one", propagation_policy="Never")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert await maps.get("one")


async def test_readable_objects_need_no_ignore_read_errors(
    kube: AsyncClientset, namespace: str
) -> None:
    """Servers without that feature do not look at the option; the others refuse."""
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one"))
    with suppress(Invalid):
        await maps.delete("one", ignore_store_read_error_with_cluster_breaking_potential=True)
        with pytest.raises(NotFound):
            await maps.get("one")


async def test_a_pod_on_a_node_gets_time_to_end(kube: AsyncClientset, namespace: str) -> None:
    pods = kube.core_v1.pods(namespace)
    await pods.create(pod("one"))
    # No such node exists, so that nobody but this test ends the pod.
    await pods.bind(
        "one",
        Binding(metadata=ObjectMeta(name="one"), target=ObjectReference(kind="Node", name="none")),
    )
    ending = await pods.delete("one", grace_period_seconds=50)
    assert isinstance(ending, Pod)
    assert ending.metadata.deletion_grace_period_seconds == 50
    assert ending.metadata.deletion_timestamp is not None
    shorter = await pods.delete("one", grace_period_seconds=20)
    assert isinstance(shorter, Pod)
    assert shorter.metadata.deletion_grace_period_seconds == 20
    await pods.delete("one", grace_period_seconds=0)
    with pytest.raises(NotFound):
        await pods.get("one")


async def test_a_collection_is_deleted_by_selectors(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    for name, color in (("a", "red"), ("b", "blue"), ("c", "red"), ("d", "green")):
        await maps.create(config_map(name, labels={"color": color}))
    answer = await maps.delete_collection(label_selector="color=red")
    assert isinstance(answer, ConfigMapList)
    assert [each.metadata.name for each in answer] == ["a", "c"]
    assert [each.kind for each in answer] == ["ConfigMap", "ConfigMap"]
    await maps.delete_collection(field_selector="metadata.name=d", label_selector="color")
    left = await maps.list(label_selector="color")
    assert [each.metadata.name for each in left] == ["b"]
    with pytest.raises(BadRequest):
        await maps.delete_collection(label_selector="a in b")
    assert len(await maps.list(label_selector="color")) == 1


async def test_a_collection_is_deleted_with_options(kube: AsyncClientset, namespace: str) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    for name in ("a", "b", "c"):
        await deployments.create(deployment(name))
    await deployments.delete_collection(dry_run=True, grace_period_seconds=0)
    assert len(await deployments.list()) == 3
    await deployments.delete_collection(limit=1, propagation_policy="Background")
    assert len(await deployments.list()) == 2
    await deployments.delete_collection(propagation_policy="Background", grace_period_seconds=0)
    assert len(await deployments.list()) == 0
    nothing = await deployments.delete_collection()
    assert isinstance(nothing, DeploymentList)
    assert nothing.items == []


async def test_two_can_delete_but_one_succeeds(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one"))
    await maps.delete("one")
    with pytest.raises(NotFound) as caught:
        await maps.delete("one", propagation_policy="Background")
    assert caught.value.request is not None
    assert caught.value.request.verb == "DELETE"
