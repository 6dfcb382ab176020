"""Objects that were once applied on the client's side, as kubectl's default does."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime import ManifestSetError, MergePatch, upgrade_managed_fields
from clientgen.runtime.errors import Conflict
from clientgen.runtime.models import Unstructured
from clientgen.testing import LocalServer

CLIENT_SIDE = "kubectl-client-side-apply"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with LocalServer() as running:
        yield running


def deployment(spec: dict[str, Any], *containers: dict[str, Any], **labels: str) -> dict[str, Any]:
    pod = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [*containers]}}
    selector = {"matchLabels": {"app": "web"}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default", "labels": labels},
        "spec": {"selector": selector, "template": pod, **spec},
    }


BEFORE = deployment(
    {"replicas": 3, "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2}}},
    {"name": "web", "image": "nginx", "args": ["-v"], "env": [{"name": "A"}, {"name": "B"}]},
    {"name": "side", "image": "busybox"},
    a="1",
    b="2",
)
AFTER = deployment({}, {"name": "web", "image": "nginx", "env": [{"name": "A"}]}, a="1")


async def apply_client_side(k: AsyncClientset, manifest: dict[str, Any]) -> None:
    """Do what `kubectl apply` does for an object that does not exist."""
    body = copy.deepcopy(manifest)
    body["metadata"]["annotations"] = {LAST_APPLIED: json.dumps(manifest)}
    await k.create(Unstructured(body), field_manager=CLIENT_SIDE)


def content(obj: Any) -> dict[str, Any]:
    """Return an object without what every write changes."""
    metadata = {**obj["metadata"]}
    for name in ("managedFields", "resourceVersion", "generation"):
        metadata.pop(name)
    return {**obj, "metadata": metadata}


@pytest.mark.parametrize("field_manager", ["deployer", "kubectl"])
async def test_what_a_manifest_drops_is_removed(server: LocalServer, field_manager: str) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        await apply_client_side(k, BEFORE)
        await k.apps_v1.deployments("default").patch(  # another manager's fields stay
            "web", {"metadata": {"labels": {"theirs": "x"}}}, field_manager="other"
        )
        manifests = k.manifests(AFTER, field_manager=field_manager)
        (planned,) = await manifests.diff(force=True)
        assert str(await manifests.apply(force=True, dry_run=True)) == (
            "deployment.apps/web configured (server dry run)"
        )
        result = await manifests.apply(force=True)
        assert str(result) == "deployment.apps/web configured"
        (outcome,) = result
        live: Any = outcome.obj
        assert planned.merged is not None
        assert content(live) == content(planned.merged)

        spec = live["spec"]
        assert (spec["replicas"], spec["strategy"]["rollingUpdate"]["maxSurge"]) == (1, "25%")
        (container,) = spec["template"]["spec"]["containers"]
        assert container["env"] == [{"name": "A"}]
        assert "args" not in container
        assert live["metadata"]["labels"] == {"a": "1", "theirs": "x"}
        keeps_annotation = field_manager == "kubectl"
        assert (LAST_APPLIED in live["metadata"].get("annotations", {})) is keeps_annotation
        applied = {each["manager"] for each in live["metadata"]["managedFields"]}
        owner_of_annotation = {"kubectl-last-applied"} if keeps_annotation else set[str]()
        assert applied == {field_manager, "other"} | owner_of_annotation

        assert str(await manifests.apply()).endswith("unchanged")
        assert not await manifests.diff()


async def test_writes_of_others_meanwhile_are_kept(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        await apply_client_side(k, BEFORE)
        written: list[int] = []

        def write_first(action: Any) -> None:
            """Change the object before the upgrade of its fields arrives, twice."""
            if action.patch_type == "json" and len(written) < 2:
                written.append(len(written))
                labels = {"metadata": {"labels": {"n": str(len(written))}}}
                with server.cluster.clientset(Clientset) as inside:
                    inside.apps_v1.deployments("default").patch("web", MergePatch(labels))

        server.cluster.react("patch", "deployments", write_first)
        await k.manifests(AFTER, field_manager="deployer").apply(force=True)
        live = await k.apps_v1.deployments("default").get("web")
        assert live.metadata.labels == {"a": "1", "n": "2"}
        assert len(live.spec.template.spec.containers) == 1

        await k.apps_v1.deployments("default").delete("web")
        await apply_client_side(k, BEFORE)
        server.cluster.clear_reactions()
        refused: list[str] = []

        def refuse(action: Any) -> Any:
            if action.patch_type == "json":
                refused.append(action.name)
                return Conflict
            return None

        server.cluster.react("patch", "deployments", refuse)
        with pytest.raises(ManifestSetError, match="web"):
            await k.manifests(AFTER, field_manager="deployer").apply(force=True)
        assert len(refused) == 5


async def test_the_patch_for_one_object(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        maps = k.core_v1.config_maps("default")
        made = ConfigMap(metadata=ObjectMeta(name="a"), data={"x": "1", "y": "2"})
        await maps.create(made, field_manager="Go-http-client")
        obj = await maps.apply({"metadata": {"name": "a"}, "data": {"x": "1"}}, field_manager="me")
        assert upgrade_managed_fields(obj, "me") is None  # no annotation, so no client-side apply
        patch = upgrade_managed_fields(obj, "me", client_side=["Go-http-client"])
        assert patch is not None
        await maps.patch("a", patch)
        with pytest.raises(Conflict):
            await maps.patch("a", patch)
        obj = await maps.apply({"metadata": {"name": "a"}, "data": {"x": "1"}}, field_manager="me")
        assert obj.data == {"x": "1"}
        assert upgrade_managed_fields(obj, "me", client_side=["Go-http-client"]) is None


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ([5], "an entry of managedFields is not an object"),
        ([{"manager": "x", "operation": "Update", "fieldsV1": [1]}], "is not an object"),
        ([{"manager": "x", "operation": "Update", "fieldsV1": {"f:data": 5}}], "is not an object"),
    ],
)
def test_managed_fields_that_are_not_valid(entries: list[Any], reason: str) -> None:
    metadata = {"name": "a", "resourceVersion": "1", "managedFields": entries}
    obj = Unstructured({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    with pytest.raises(ValueError, match=reason):
        upgrade_managed_fields(obj, "me", client_side="x")


@pytest.mark.parametrize("depth", [300, 100_000])
def test_fields_that_are_nested_too_deeply(depth: int) -> None:
    fields: dict[str, Any] = {}
    for _ in range(depth):
        fields = {"f:a": fields}
    entry = {"manager": "x", "operation": "Update", "fieldsV1": fields}
    metadata = {"name": "a", "resourceVersion": "1", "managedFields": [entry]}
    obj = Unstructured({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    with pytest.raises(ValueError, match=r"nested (deeper than 200 levels|too deeply)"):
        upgrade_managed_fields(obj, "me", client_side="x")
