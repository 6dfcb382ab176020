"""Sets of manifests: what is applied, compared, pruned and deleted, beside kubectl."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from clusterkit.definitions import new_domain, remove
from clusterkit.scratch import Scratch
from kubeapi import AsyncClientset
from support.kubectl import Kubectl

from clientgen.runtime import ApplySet, ApplySetError, ManifestSetError
from clientgen.runtime.errors import NotFound

pytestmark = pytest.mark.cluster

TOOL = "kubectl/v1.36.0"
LABELS = "applyset.kubernetes.io"
OWN = "clientgen-tests"


def config(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def web(replicas: int = 0, image: str = "example.invalid/none:1") -> dict[str, Any]:
    labels = {"app": "web"}
    container = {"name": "main", "image": image}
    spec = {"containers": [container], "automountServiceAccountToken": False}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


def definition(group: str) -> dict[str, Any]:
    size = {"type": "integer", "minimum": 0}
    spec = {"type": "object", "properties": {"size": size}}
    schema = {"type": "object", "properties": {"spec": spec}}
    version = {"name": "v1", "served": True, "storage": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"boxes.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "boxes", "singular": "box", "kind": "Box"},
            "versions": [{**version, "schema": {"openAPIV3Schema": schema}}],
        },
    }


def box(group: str, name: str, size: int) -> dict[str, Any]:
    head = {"apiVersion": f"{group}/v1", "kind": "Box", "metadata": {"name": name}}
    return {**head, "spec": {"size": size}}


def write(folder: Path, **files: list[dict[str, Any]]) -> None:
    for name, objects in files.items():
        (folder / f"{name}.yaml").write_text(yaml.safe_dump_all(objects))


# ---- a folder ---------------------------------------------------------------------------------


async def test_a_folder_with_a_definition_its_objects_and_a_workload(
    kube: AsyncClientset, scratch: Scratch, namespace: str, tmp_path: Path
) -> None:
    group = new_domain()
    write(
        tmp_path,
        a=[box(group, "one", 1), box(group, "two", 2)],
        b=[web(), config("settings", a="1")],
        z=[definition(group)],
    )
    try:
        manifests = kube.manifests(tmp_path, namespace=namespace)
        done = await manifests.apply(field_manager=OWN, timeout=60)
        assert {each.outcome for each in done} == {"created"}
        assert done[0].kind == "CustomResourceDefinition"
        assert len(done) == 5
        again = await manifests.apply(field_manager=OWN)
        assert not again.changed, str(again)
        assert not await manifests.diff(field_manager=OWN)

        write(tmp_path, a=[box(group, "one", 1), box(group, "two", 3)])
        manifests = kube.manifests(tmp_path, namespace=namespace)
        difference = await manifests.diff(field_manager=OWN)
        assert difference
        assert "-  size: 2" in str(difference)
        assert "+  size: 3" in str(difference)
        done = await manifests.apply(field_manager=OWN)
        assert [(each.name, each.outcome) for each in done.of("configured")] == [
            ("two", "configured")
        ]

        gone = await manifests.delete()
        assert {each.outcome for each in gone} == {"deleted"}
        with pytest.raises(NotFound):
            await kube.core_v1.config_maps(namespace).get("settings")
        assert len(await manifests.delete()) <= 1  # the definition may still be on its way
    finally:
        remove(scratch.admin, definition(group))


async def test_what_the_server_refuses_is_told_and_the_rest_is_applied(
    kube: AsyncClientset, namespace: str
) -> None:
    manifests = kube.manifests(config("good", a="1"), config("BAD_NAME"), namespace=namespace)
    with pytest.raises(ManifestSetError, match="BAD_NAME") as caught:
        await manifests.apply()
    assert len(caught.value.exceptions) == 1
    assert (await kube.core_v1.config_maps(namespace).get("good")).data == {"a": "1"}


async def test_a_dry_run_stores_nothing(kube: AsyncClientset, namespace: str) -> None:
    manifests = kube.manifests(config("one", a="1"), web(), namespace=namespace)
    done = await manifests.apply(dry_run=True, prune=ApplySet("shop"))
    assert {each.outcome for each in done} == {"created"}
    maps = await kube.core_v1.config_maps(namespace).list()
    assert "one" not in {each.metadata.name for each in maps}
    with pytest.raises(NotFound):
        await kube.core_v1.secrets(namespace).get("shop")


# ---- diff, beside kubectl ---------------------------------------------------------------------


def changes(text: str) -> list[str]:
    """The lines that differ, without the names of files."""
    return sorted(
        line
        for line in text.splitlines()
        if line[:1] in {"+", "-"} and not line.startswith(("+++", "---"))
    )


async def test_differences_are_those_that_kubectl_shows(
    kube: AsyncClientset, namespace: str, kubectl: Kubectl
) -> None:
    old = [config("one", a="1", b="2"), web(1)]
    new = [config("one", a="1", b="3"), web(2, "example.invalid/none:2"), config("new", c="4")]
    manager = f"--field-manager={OWN}"
    kubectl("apply", "--server-side", manager, "-f", "-", given=old)
    theirs = kubectl.run("diff", "--server-side", manager, "-f", "-", given=new)
    ours = await kube.manifests(*new, namespace=namespace).diff(field_manager=OWN)
    assert theirs.returncode == 1
    assert ours
    shown, wanted = changes(str(ours)), changes(theirs.stdout)
    volatile = ("uid:", "creationTimestamp:", "time:")
    for lines in (shown, wanted):
        lines[:] = [line for line in lines if not line[1:].strip().startswith(volatile)]
    assert shown == wanted

    kubectl("apply", "--server-side", manager, "-f", "-", given=new)
    same = kubectl.run("diff", "--server-side", manager, "-f", "-", given=new)
    ours = await kube.manifests(*new, namespace=namespace).diff(field_manager=OWN)
    assert (same.returncode, bool(ours)) == (0, False)


async def test_values_of_secrets_are_not_shown_as_kubectl_does_not(
    kube: AsyncClientset, namespace: str, kubectl: Kubectl
) -> None:
    def secret(value: str) -> dict[str, Any]:
        head = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "one"}}
        return {**head, "data": {"password": value}}

    manager = f"--field-manager={OWN}"
    kubectl("apply", "--server-side", manager, "-f", "-", given=[secret("b25l")])
    theirs = kubectl.run("diff", "--server-side", manager, "-f", "-", given=[secret("dHdv")])
    ours = str(await kube.manifests(secret("dHdv"), namespace=namespace).diff(field_manager=OWN))
    for text in (ours, theirs.stdout):
        assert "b25l" not in text
        assert "dHdv" not in text
        assert "password" in text


# ---- ApplySets, beside kubectl ----------------------------------------------------------------


def apply_set(kubectl: Kubectl, name: str, *objects: dict[str, Any]) -> str:
    """Apply objects and prune with kubectl."""
    flags = ("--server-side", "--prune", f"--applyset={name}", f"--field-manager={OWN}")
    return kubectl("apply", *flags, "--force-conflicts", "-f", "-", given=list(objects))


def parent_of(kubectl: Kubectl, name: str) -> dict[str, Any]:
    """What the parent of a set says, without what differs from set to set and tool to tool."""
    metadata = kubectl.json("secret", name)["metadata"]
    annotations = {
        key: value for key, value in metadata["annotations"].items() if key != f"{LABELS}/tooling"
    }
    return {"annotations": annotations, "labels": sorted(metadata["labels"])}


def members(kubectl: Kubectl, name: str) -> list[str]:
    set_id = kubectl.json("secret", name)["metadata"]["labels"][f"{LABELS}/id"]
    found = kubectl.json("configmap,deployment,service", f"--selector={LABELS}/part-of={set_id}")
    return sorted(f"{each['kind']}/{each['metadata']['name']}" for each in found["items"])


SERVICE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web"},
    "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
}


async def test_an_apply_set_of_ours_is_like_one_of_kubectls(
    kube: AsyncClientset, namespace: str, kubectl: Kubectl
) -> None:
    for step in (
        [config("a", x="1"), config("b", x="1"), web(), SERVICE],
        [config("a", x="2"), web()],
        [config("c")],
    ):
        objects: list[dict[str, Any]] = step
        twins = [
            {**each, "metadata": {"name": f"{each['metadata']['name']}-theirs"}} for each in objects
        ]
        apply_set(kubectl, "theirs", *twins)
        manifests = kube.manifests(*objects, namespace=namespace)
        await manifests.apply(prune=ApplySet("ours"), field_manager=OWN)
        assert parent_of(kubectl, "ours") == parent_of(kubectl, "theirs")
        theirs = [each.removesuffix("-theirs") for each in members(kubectl, "theirs")]
        assert members(kubectl, "ours") == sorted(theirs)
    with pytest.raises(NotFound):
        await kube.apps_v1.deployments(namespace).get("web")


async def test_each_goes_on_with_the_set_of_the_other(
    kube: AsyncClientset, namespace: str, kubectl: Kubectl
) -> None:
    apply_set(kubectl, "shop", config("a"), config("b"), web())
    ours = ApplySet("shop", tool=TOOL)
    manifests = kube.manifests(config("a"), config("c"), namespace=namespace)
    done = await manifests.apply(prune=ours, field_manager=OWN)
    assert sorted(each.name for each in done.of("pruned")) == ["b", "web"]
    assert members(kubectl, "shop") == ["ConfigMap/a", "ConfigMap/c"]
    printed = apply_set(kubectl, "shop", config("c"), SERVICE)
    assert "configmap/a pruned" in printed
    assert members(kubectl, "shop") == ["ConfigMap/c", "Service/web"]


async def test_each_leaves_the_set_of_another_tool_alone(
    kube: AsyncClientset, namespace: str, kubectl: Kubectl
) -> None:
    apply_set(kubectl, "theirs", config("a"))
    manifests = kube.manifests(config("b"), namespace=namespace)
    with pytest.raises(ApplySetError, match="kubectl"):
        await manifests.apply(prune=ApplySet("theirs"))
    await manifests.apply(prune=ApplySet("ours"))
    flags = ("--server-side", "--prune", "--applyset=ours")
    refused = kubectl.run("apply", *flags, "-f", "-", given=[config("c")])
    assert refused.returncode == 1
    assert "tooling" in refused.stderr
    assert members(kubectl, "theirs") == ["ConfigMap/a"]
    assert members(kubectl, "ours") == ["ConfigMap/b"]


async def test_an_object_of_another_set_stays_there(
    kube: AsyncClientset, namespace: str, kubectl: Kubectl
) -> None:
    apply_set(kubectl, "theirs", config("a"))
    manifests = kube.manifests(config("a"), namespace=namespace)
    with pytest.raises((ApplySetError, ManifestSetError), match=LABELS):
        await manifests.apply(prune=ApplySet("ours"), force=False)
    assert members(kubectl, "theirs") == ["ConfigMap/a"]


async def test_a_secret_that_is_no_parent_is_refused_by_both(
    kube: AsyncClientset, namespace: str, kubectl: Kubectl
) -> None:
    kubectl("create", "secret", "generic", "plain")
    manifests = kube.manifests(config("a"), namespace=namespace)
    with pytest.raises(ApplySetError, match="plain"):
        await manifests.apply(prune=ApplySet("plain"))
    flags = ("--server-side", "--prune", "--applyset=plain")
    assert kubectl.run("apply", *flags, "-f", "-", given=[config("a")]).returncode == 1


async def test_a_set_with_members_in_two_namespaces(
    kube: AsyncClientset, scratch: Scratch, namespace: str
) -> None:
    other = scratch.make()

    def within(place: str, name: str) -> dict[str, Any]:
        return {**config(name), "metadata": {"name": name, "namespace": place}}

    shop = ApplySet("shop", namespace=namespace)
    both = kube.manifests(within(namespace, "a"), within(other, "b"))
    await both.apply(prune=shop)
    one = kube.manifests(within(namespace, "a"))
    done = await one.apply(prune=shop)
    assert [(each.namespace, each.name) for each in done.of("pruned")] == [(other, "b")]
    gone = await one.delete(prune=shop)
    assert {each.name for each in gone} >= {"a"}
    with pytest.raises(NotFound):
        await kube.core_v1.secrets(namespace).get("shop")
    scratch.drop(other)
