"""The four kinds of patch, and server-side apply."""

from __future__ import annotations

import pytest
from clusterkit.objects import config_map, deployment
from kubeapi import AsyncClientset
from kubeapi.apps.v1.manifests import DeploymentManifest
from kubeapi.core.v1.manifests import ConfigMapManifest, ContainerManifest
from kubeapi.core.v1.models import ConfigMap

from clientgen.runtime import (
    ApplyPatch,
    JsonPatch,
    ManifestError,
    MergePatch,
    StrategicMergePatch,
    json_pointer,
)
from clientgen.runtime.errors import (
    ApiError,
    ApplyConflict,
    BadRequest,
    Conflict,
    Invalid,
    NotFound,
)
from clientgen.runtime.models import Unstructured, to_dict

pytestmark = pytest.mark.cluster


# ---- JSON patches -----------------------------------------------------------------------------


async def test_a_json_patch_does_its_operations(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", {"a": "1", "b": "2"}, {"x.example/y": "z"}))
    patch = JsonPatch(
        [
            {"op": "test", "path": "/data/a", "value": "1"},
            {"op": "replace", "path": "/data/a", "value": "3"},
            {"op": "remove", "path": "/data/b"},
            {"op": "add", "path": "/data/c", "value": "4"},
            {
                "op": "replace",
                "path": json_pointer("metadata", "labels", "x.example/y"),
                "value": "w",
            },
        ]
    )
    patched = await maps.patch("one", patch)
    assert patched.data == {"a": "3", "c": "4"}
    assert patched.metadata.labels == {"x.example/y": "w"}


async def test_a_json_patch_whose_test_fails_is_invalid(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", {"a": "1"}))
    with pytest.raises(Invalid):
        await maps.patch("one", JsonPatch([{"op": "test", "path": "/data/a", "value": "2"}]))
    with pytest.raises(Invalid):
        await maps.patch("one", JsonPatch([{"op": "remove", "path": "/data/nothing"}]))
    with pytest.raises(Invalid):
        await maps.patch("one", JsonPatch([{"op": "replace", "path": "/data", "value": 5}]))


# ---- merge patches ----------------------------------------------------------------------------


async def test_a_merge_patch_sets_and_deletes(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one", {"a": "1", "b": "2"}))
    patched = await maps.patch("one", MergePatch({"data": {"a": None, "c": "3"}}))
    assert patched.data == {"b": "2", "c": "3"}
    body = ConfigMap(data={"d": "4"})  # an object will do as well; what is not set is not sent
    assert (await maps.patch("one", MergePatch(body))).data == {"b": "2", "c": "3", "d": "4"}


async def test_a_version_in_a_merge_patch_is_a_condition(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    made = await maps.create(config_map("one", {"a": "1"}))
    await maps.patch("one", MergePatch({"data": {"a": "2"}}))
    stale = {"metadata": {"resourceVersion": made.metadata.resource_version}, "data": {"a": "3"}}
    with pytest.raises(Conflict):
        await maps.patch("one", MergePatch(stale))
    other = {"metadata": {"uid": "00000000-0000-0000-0000-000000000000"}, "data": {"a": "3"}}
    with pytest.raises(Invalid, match="uid"):
        await maps.patch("one", MergePatch(other))


async def test_a_merge_patch_replaces_lists_and_a_strategic_one_merges_them(
    kube: AsyncClientset, namespace: str
) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    await deployments.create(deployment("web"))
    more = {"spec": {"template": {"spec": {"containers": [{"name": "more", "image": "i"}]}}}}
    merged = await deployments.patch("web", StrategicMergePatch(more))
    assert sorted(each.name for each in merged.spec.template.spec.containers) == ["main", "more"]
    replaced = await deployments.patch("web", MergePatch(more))
    assert [each.name for each in replaced.spec.template.spec.containers] == ["more"]


async def test_a_strategic_patch_has_directives(kube: AsyncClientset, namespace: str) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    await deployments.create(deployment("web"))
    extra = {"name": "more", "image": "i"}
    body = {"spec": {"template": {"spec": {"containers": [extra, {"$patch": "replace"}]}}}}
    patched = await deployments.patch("web", StrategicMergePatch(body))
    assert [each.name for each in patched.spec.template.spec.containers] == ["more"]
    with pytest.raises(ApiError) as caught:
        await deployments.patch("web", StrategicMergePatch({"metadata": {"$patch": "bogus"}}))
    assert (caught.value.code, caught.value.reason) == (500, "")


async def test_a_missing_object_cannot_be_patched(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    for patch in (JsonPatch([]), MergePatch({}), StrategicMergePatch({})):
        with pytest.raises(NotFound):
            await maps.patch("nothing", patch)


async def test_force_is_for_apply_only(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.create(config_map("one"))
    with pytest.raises(ValueError, match="force is for ApplyPatch only"):
        await maps.patch("one", MergePatch({}), force=True)


# ---- server-side apply ------------------------------------------------------------------------


async def test_apply_creates_and_takes_away_what_it_no_longer_says(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    created = await maps.apply(config_map("one", {"a": "1", "b": "2"}), field_manager="me")
    assert created.data == {"a": "1", "b": "2"}
    (entry,) = created.metadata.managed_fields
    assert (entry.manager, entry.operation) == ("me", "Apply")
    applied = await maps.apply(config_map("one", {"a": "1"}), field_manager="me")
    assert applied.data == {"a": "1"}
    again = await maps.apply(config_map("one", {"a": "1"}), field_manager="me")
    assert again.metadata.resource_version == applied.metadata.resource_version


async def test_apply_books_under_the_program_s_name_by_default(
    kubeconfig: str, kube: AsyncClientset, namespace: str
) -> None:
    async with AsyncClientset.from_config(kubeconfig, user_agent="herder/2.1 (test)") as herder:
        maps = herder.core_v1.config_maps(namespace)
        applied = await maps.apply(config_map("one", {"a": "1"}))
        made = await maps.create(config_map("other", {"a": "1"}))
    assert [each.manager for each in applied.metadata.managed_fields] == ["herder"]
    assert [each.manager for each in made.metadata.managed_fields] == ["herder"]


async def test_apply_takes_plain_mappings_too(kube: AsyncClientset, namespace: str) -> None:
    body: ConfigMapManifest = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "one"},
        "data": {"a": "1"},
    }
    applied = await kube.core_v1.config_maps(namespace).apply(body, field_manager="me")
    assert applied.data == {"a": "1"}


async def test_fields_of_others_are_a_conflict_unless_forced(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    await maps.apply(config_map("one", {"a": "1", "b": "1"}), field_manager="first")
    with pytest.raises(ApplyConflict) as caught:
        await maps.apply(config_map("one", {"a": "2", "b": "2"}), field_manager="second")
    causes = [(cause.reason, cause.field) for cause in caught.value.causes]
    assert causes == [("FieldManagerConflict", ".data.a"), ("FieldManagerConflict", ".data.b")]
    assert 'conflict with "first"' in (caught.value.causes[0].message or "")
    shared = await maps.apply(config_map("one", {"a": "1"}), field_manager="second")
    assert shared.data == {"a": "1", "b": "1"}  # to want the same is no conflict
    forced = await maps.apply(config_map("one", {"a": "2"}), field_manager="second", force=True)
    assert forced.data == {"a": "2", "b": "1"}
    with pytest.raises(ApplyConflict):  # now the first has lost it
        await maps.apply(config_map("one", {"a": "1"}), field_manager="first", force=False)


async def test_a_stale_version_in_what_is_applied_is_a_plain_conflict(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    made = await maps.create(config_map("one", {"a": "1"}))
    await maps.patch("one", MergePatch({"data": {"b": "1"}}))
    body = config_map("one", {"c": "1"})
    body.metadata.resource_version = made.metadata.resource_version
    with pytest.raises(Conflict) as caught:
        await maps.apply(body, field_manager="me")
    assert not isinstance(caught.value, ApplyConflict)
    gone = config_map("gone")
    gone.metadata.uid = made.metadata.uid
    with pytest.raises(Conflict, match="uid mismatch"):  # a uid means "do not create"
        await maps.apply(gone, field_manager="me")


async def test_an_object_that_was_read_cannot_be_applied_as_it_is(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    made = await maps.create(config_map("one", {"a": "1"}))
    with pytest.raises(BadRequest, match="managedFields must be nil"):
        await maps.apply(made, field_manager="me")


async def test_an_unknown_field_that_is_applied_is_told(
    kube: AsyncClientset, namespace: str
) -> None:
    body = Unstructured({**to_dict(config_map("one")), "bogus": 1})
    with pytest.raises(ManifestError, match="bogus: ConfigMap has no such field") as caught:
        await kube.core_v1.config_maps(namespace).apply(body, field_manager="me")
    refusal = caught.value.__cause__
    assert isinstance(refusal, ApiError)
    assert (refusal.code, refusal.reason) == (500, "")
    assert "field not declared in schema" in str(refusal)


async def test_an_apply_patch_is_a_patch_among_others(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    body = config_map("one", {"a": "1"})
    patched = await maps.patch("one", ApplyPatch(body), field_manager="me", force=True)
    assert patched.data == {"a": "1"}
    with pytest.raises(Invalid, match="field"):  # patch() is literal: it adds no field manager
        await maps.patch("one", ApplyPatch(body))


async def test_a_field_manager_is_checked(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    with pytest.raises(Invalid, match="fieldManager"):
        await maps.create(config_map("one"), field_manager="x" * 129)
    made = await maps.create(config_map("one"), field_manager="grün".encode().decode("latin-1"))
    assert made.metadata.name == "one"


async def test_applied_lists_are_merged_by_their_keys(kube: AsyncClientset, namespace: str) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    await deployments.create(deployment("web"), field_manager="creator")
    containers: list[ContainerManifest] = [{"name": "side", "image": "example.invalid/side:1"}]
    body: DeploymentManifest = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"template": {"spec": {"containers": containers}}},
    }
    applied = await deployments.apply(body, field_manager="sidecars")
    assert sorted(each.name for each in applied.spec.template.spec.containers) == ["main", "side"]
    body["spec"] = {}
    applied = await deployments.apply(body, field_manager="sidecars")
    assert [each.name for each in applied.spec.template.spec.containers] == ["main"]


async def test_managed_fields_can_be_reset(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)
    made = await maps.apply(config_map("one", {"a": "1"}), field_manager="me")
    assert made.metadata.managed_fields
    reset = JsonPatch([{"op": "replace", "path": "/metadata/managedFields", "value": [{}]}])
    assert (await maps.patch("one", reset)).metadata.managed_fields == []
