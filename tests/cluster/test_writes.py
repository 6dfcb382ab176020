"""create, update and edit: what is stored, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from clusterkit.objects import config_map, deployment, pod
from clusterkit.together import async_together
from kubeapi import AsyncClientset
from kubeapi.coordination.v1.models import Lease, LeaseSpec
from kubeapi.core.v1.models import ConfigMap, Namespace, Service, ServicePort, ServiceSpec

from clientgen.runtime import MergePatch
from clientgen.runtime.errors import (
    AlreadyExists,
    ApiError,
    BadRequest,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    RequestEntityTooLarge,
)
from clientgen.runtime.models import ObjectMeta, from_dict, to_dict

pytestmark = pytest.mark.cluster


# ---- create -----------------------------------------------------------------------------------


async def test_the_server_makes_a_name_of_generate_name(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    body = ConfigMap(metadata=ObjectMeta(generate_name="some-"))
    one, other = await maps.create(body), await maps.create(body)
    assert one.metadata.name != other.metadata.name
    assert one.metadata.name.startswith("some-")
    assert len(one.metadata.name) == len("some-") + 5
    assert one.metadata.generate_name == "some-"
    assert body.metadata.name == ""  # what was given stays as it was


async def test_a_name_that_is_taken_already_exists(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one"))
    with pytest.raises(AlreadyExists) as caught:
        await maps.create(config_map("one"))
    assert not isinstance(caught.value, Conflict)
    assert (caught.value.code, caught.value.reason) == (409, "AlreadyExists")


async def test_a_dry_run_checks_everything_and_stores_nothing(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    made = await maps.create(config_map("dry", {"a": "1"}), dry_run=True)
    assert (made.metadata.name, made.metadata.resource_version) == ("dry", "")
    with pytest.raises(NotFound):
        await maps.get("dry")
    stored = await maps.create(config_map("wet", {"a": "1"}), dry_run=False)
    stored.data["a"] = "2"
    assert (await maps.update(stored, dry_run=True)).data == {"a": "2"}
    assert (await maps.patch("wet", MergePatch({"data": {"a": "3"}}), dry_run=True)).data[
        "a"
    ] == "3"
    applied = await maps.apply(config_map("new"), dry_run=True, field_manager="me")
    assert applied.metadata.name == "new"
    edited = await maps.edit("wet", lambda it: it.data.update(a="4"), dry_run=True)
    assert edited.data == {"a": "4"}
    await maps.delete("wet", dry_run=True)
    await maps.delete_collection(dry_run=True)
    assert (await maps.get("wet")).data == {"a": "1"}


async def test_field_validation_decides_about_unknown_fields(
    kubeconfig: str, kube: AsyncClientset, namespace: str
) -> None:
    body = from_dict(ConfigMap, {"metadata": {"name": "odd"}, "data": {}, "bogus": 1})
    with pytest.raises(BadRequest, match='unknown field "bogus"'):
        await kube.core_v1.config_maps(namespace).create(body, field_validation="Strict")
    heard: list[str] = []
    async with AsyncClientset.from_config(kubeconfig, warning_handler=heard.append) as listening:
        maps = listening.core_v1.config_maps(namespace)
        await maps.create(body, field_validation="Ignore")
        assert heard == []
        await maps.delete("odd")
        await maps.create(body, field_validation="Warn")
        assert heard == ['unknown field "bogus"']
        await maps.patch("odd", MergePatch({"bogus": 1}), field_validation="Warn")
        assert heard == ['unknown field "bogus"'] * 2
        with pytest.raises(Invalid, match='unknown field "bogus"'):
            await maps.patch("odd", MergePatch({"bogus": 1}), field_validation="Strict")


async def test_warnings_are_logged_once_by_default(
    kube: AsyncClientset, namespace: str, caplog: pytest.LogCaptureFixture
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    for name in ("one", "other"):
        body = from_dict(ConfigMap, {"metadata": {"name": name}, "strange": True})
        await maps.create(body, field_validation="Warn")
    logged = [record.message for record in caplog.records if record.name == "clientgen.warnings"]
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    assert logged == [f'POST {path} (ConfigMap one): unknown field "strange"']


async def test_the_causes_of_invalid_name_the_fields(kube: AsyncClientset, namespace: str) -> None:
    with pytest.raises(Invalid) as caught:
        await kube.core_v1.config_maps(namespace).create(config_map("Not a name!"))
    error = caught.value
    assert [(cause.reason, cause.field) for cause in error.causes] == [
        ("FieldValueInvalid", "metadata.name")
    ]
    assert error.details is not None
    assert (error.details.kind, error.details.name) == ("ConfigMap", "Not a name!")
    ports = [ServicePort(port=0), ServicePort(port=80, name="b")]
    service = Service(metadata=ObjectMeta(name="bad"), spec=ServiceSpec(ports=ports))
    with pytest.raises(Invalid) as caught:
        await kube.core_v1.services(namespace).create(service)
    assert {"spec.ports[0].name", "spec.ports[0].port"} <= {
        cause.field for cause in caught.value.causes
    }


async def test_an_object_without_a_name_is_invalid(kube: AsyncClientset, namespace: str) -> None:
    with pytest.raises(Invalid, match="name or generateName is required"):
        await kube.core_v1.config_maps(namespace).create(ConfigMap())


async def test_a_namespace_in_the_body_must_be_the_client_s(
    kube: AsyncClientset, namespace: str
) -> None:
    body = ConfigMap(metadata=ObjectMeta(name="lost", namespace="elsewhere"))
    with pytest.raises(BadRequest, match="namespace"):
        await kube.core_v1.config_maps(namespace).create(body)


async def test_a_version_in_what_is_created_is_an_error_without_a_reason(
    kube: AsyncClientset, namespace: str
) -> None:
    body = ConfigMap(metadata=ObjectMeta(name="one", resource_version="1"))
    with pytest.raises(ApiError, match="resourceVersion should not be set") as caught:
        await kube.core_v1.config_maps(namespace).create(body)
    assert (type(caught.value).__name__, caught.value.reason) == ("InternalError", "")


async def test_a_body_can_be_too_large(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    with pytest.raises(Invalid) as caught:  # config maps have a limit of their own, of 1 MiB
        await maps.create(config_map("big", {"text": "x" * 1_100_000}))
    assert caught.value.has_cause("FieldValueTooLong")
    with pytest.raises(RequestEntityTooLarge):
        await maps.create(config_map("huge", {"text": "x" * 4_000_000}))
    assert await maps.create(config_map("small"))  # over the same client


async def test_nothing_is_created_where_a_namespace_is_missing_or_going(
    kube: AsyncClientset, namespace: str
) -> None:
    with pytest.raises(NotFound) as caught:
        await kube.core_v1.config_maps("clientgen-test-no-such").create(config_map("one"))
    assert caught.value.details is not None
    assert caught.value.details.kind == "namespaces"
    # A finalizer keeps it until the test is done with it.
    await kube.core_v1.config_maps(namespace).create(
        ConfigMap(metadata=ObjectMeta(name="stays", finalizers=["clientgen.example/test"]))
    )
    going = await kube.core_v1.namespaces().delete(namespace)
    assert isinstance(going, Namespace)
    assert going.status.phase == "Terminating"
    with pytest.raises(Forbidden) as refused:
        await kube.core_v1.config_maps(namespace).create(config_map("late"))
    assert refused.value.has_cause("NamespaceTerminating")
    release = MergePatch({"metadata": {"finalizers": None}})
    await kube.core_v1.config_maps(namespace).patch("stays", release)


async def test_server_defaults_are_returned(kube: AsyncClientset, namespace: str) -> None:
    made = await kube.core_v1.pods(namespace).create(pod("one"))
    assert made.spec.restart_policy == "Always"
    assert made.spec.containers[0].termination_message_path == "/dev/termination-log"
    assert made.status.phase == "Pending"
    assert made == await kube.core_v1.pods(namespace).get("one")


# ---- update -----------------------------------------------------------------------------------


async def test_an_update_replaces_the_object(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    made = await maps.create(config_map("one", {"a": "1", "b": "2"}, {"old": "yes"}))
    made.data = {"c": "3"}
    made.metadata.labels = {}
    updated = await maps.update(made)
    assert (updated.data, updated.metadata.labels) == ({"c": "3"}, {})
    assert updated.metadata.resource_version != made.metadata.resource_version
    again = await maps.update(updated)
    assert again.metadata.resource_version == updated.metadata.resource_version  # nothing changed


async def test_an_update_of_an_older_state_conflicts(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    older = await maps.create(config_map("one", {"a": "1"}))
    await maps.patch("one", MergePatch({"data": {"a": "2"}}))
    older.data["a"] = "3"
    with pytest.raises(Conflict, match="the object has been modified"):
        await maps.update(older)
    older.metadata.resource_version = ""  # without a version: whatever is there
    assert (await maps.update(older)).data == {"a": "3"}


async def test_an_update_of_a_former_object_of_that_name_conflicts(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    former = await maps.create(config_map("one"))
    await maps.delete("one")
    with pytest.raises(NotFound):
        await maps.update(former)
    await maps.create(config_map("one"))
    former.metadata.resource_version = ""
    with pytest.raises(Conflict, match="UID in precondition"):
        await maps.update(former)


async def test_some_kinds_insist_on_a_version(kube: AsyncClientset, namespace: str) -> None:
    leases = kube.coordination_v1.leases(namespace)
    made = await leases.create(
        Lease(metadata=ObjectMeta(name="one"), spec=LeaseSpec(holder_identity="me"))
    )
    made.spec.holder_identity = "you"
    version, made.metadata.resource_version = made.metadata.resource_version, ""
    with pytest.raises(Invalid) as caught:
        await leases.update(made)
    assert [cause.field for cause in caught.value.causes] == ["metadata.resourceVersion"]
    made.metadata.resource_version = version
    assert (await leases.update(made)).spec.holder_identity == "you"


async def test_changes_of_immutable_fields_are_invalid(
    kube: AsyncClientset, namespace: str
) -> None:
    pods = kube.core_v1.pods(namespace)
    made = await pods.create(pod("one"))
    made.spec.host_network = True
    with pytest.raises(Invalid, match="may not change fields"):
        await pods.update(made)


# ---- edit -------------------------------------------------------------------------------------


async def test_an_edit_sends_the_difference(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    made = await maps.create(config_map("one", {"keep": "1", "change": "1", "drop": "1"}))

    def change(it: ConfigMap) -> None:
        it.data["change"] = "2"
        del it.data["drop"]
        it.metadata.annotations["clientgen.example/a-b"] = "new"

    edited = await maps.edit("one", change, field_manager="editor")
    assert edited.data == {"keep": "1", "change": "2"}
    assert edited.metadata.annotations == {"clientgen.example/a-b": "new"}
    (entry,) = [each for each in edited.metadata.managed_fields if each.manager == "editor"]
    assert "f:keep" not in str(bytes(entry.fields_v1))
    assert edited.metadata.uid == made.metadata.uid


async def test_an_edit_that_changes_nothing_writes_nothing(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    made = await maps.create(config_map("one", {"a": "1"}))
    assert await maps.edit("one", lambda it: it.data.update(a="1")) == made


async def test_editors_at_work_at_once_lose_nothing(
    kubeconfig: str, kube: AsyncClientset, namespace: str
) -> None:
    """Each counts up the same number, which is lost wherever one overwrites another."""
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("count", {"number": "0"}))

    def count_up(it: ConfigMap) -> None:
        it.data["number"] = str(int(it.data["number"]) + 1)

    async def count(times: int) -> int:
        done = 0
        while done < times:
            try:
                await maps.edit("count", count_up)
            except Conflict:
                continue  # five tries were not enough; nothing was written
            done += 1
        return done

    done = await async_together([lambda: count(5) for _ in range(6)])
    assert (await maps.get("count")).data == {"number": str(sum(done))}


async def test_an_edit_that_is_overtaken_is_done_again(
    kube: AsyncClientset, namespace: str, kubeconfig: str
) -> None:
    """Somebody else writes between the reading and the writing, but once only."""
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", {"a": "1"}))
    seen: list[str] = []

    def change(it: ConfigMap) -> None:
        seen.append(it.data["a"])
        if len(seen) == 1:
            overtake(kubeconfig, namespace)
        it.data["b"] = it.data["a"]

    edited = await maps.edit("one", change)
    assert seen == ["1", "2"]
    assert edited.data == {"a": "2", "b": "2"}


def overtake(kubeconfig: str, namespace: str) -> None:
    from kubeapi import Clientset

    with Clientset.from_config(kubeconfig) as other:
        other.core_v1.config_maps(namespace).patch("one", MergePatch({"data": {"a": "2"}}))


async def test_an_edit_of_what_was_replaced_meanwhile_conflicts_or_sees_the_new_one(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    with pytest.raises(NotFound):
        await maps.edit("nothing", lambda it: None)


async def test_an_edit_keeps_what_is_null_and_empty(kube: AsyncClientset, namespace: str) -> None:
    pods = kube.core_v1.pods(namespace)
    body = pod("one")
    spec = to_dict(body)["spec"]
    spec["volumes"] = [{"name": "scratch", "emptyDir": {}}]
    made = await pods.create(from_dict(type(body), {"metadata": {"name": "one"}, "spec": spec}))
    edited = await pods.edit("one", lambda it: it.metadata.labels.update(a="b"))
    assert edited.spec == made.spec
    assert edited.metadata.labels == {"a": "b"}
    assert edited.metadata.generation == made.metadata.generation


async def test_an_edit_of_a_list_replaces_it(kube: AsyncClientset, namespace: str) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    await deployments.create(deployment("web"))

    def change(it: Any) -> None:
        it.spec.template.spec.containers[0].image = "example.invalid/none:2"

    edited = await deployments.edit("web", change)
    (container,) = edited.spec.template.spec.containers
    assert (container.name, container.image) == ("main", "example.invalid/none:2")
