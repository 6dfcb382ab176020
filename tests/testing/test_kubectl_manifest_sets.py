"""Manifest sets and kubectl do the same with the same objects, and continue each other's sets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubeapi import Clientset
from support.kubectl import KUBECTL, Kubectl

from clientgen.runtime import ApplySet, ApplySetError
from clientgen.runtime.sync import ManifestSet
from clientgen.testing import LocalServer

pytestmark = pytest.mark.skipif(not KUBECTL, reason="kubectl is not installed")

PREFIX = "applyset.kubernetes.io/"


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with LocalServer() as made:
        yield made


@pytest.fixture
def kubectl(server: LocalServer, tmp_path: Path) -> Kubectl:
    made = Kubectl(server.kubeconfig, tmp_path, "default")
    made.environment["KUBECTL_APPLYSET"] = "true"
    return made


@pytest.fixture
def k(server: LocalServer) -> Iterator[Clientset]:
    with Clientset.from_config(server.kubeconfig) as made:
        yield made


def manifests(k: Clientset, objects: list[Any], **options: Any) -> ManifestSet:
    return k.manifests(objects, **options)


def config(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def secret(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "data": data}


def account(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}


def deployment(name: str, replicas: int) -> dict[str, Any]:
    labels = {"app": name}
    container = {"name": "c", "image": "i:1", "env": [{"name": "A", "value": "yes\nno"}]}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template},
    }


def tool(kubectl: Kubectl) -> str:
    version = json.loads(kubectl("version", "--client", "-o", "json"))
    return f"kubectl/{version['clientVersion']['gitVersion']}"


def prune(kubectl: Kubectl, objects: list[Any], name: str = "shop") -> str:
    """Apply a set by kubectl, by server-side apply as manifest sets do."""
    command = ("apply", "--server-side", "--prune", f"--applyset={name}", "-f", "-")
    return kubectl(*command, given=objects)


def state(kubectl: Kubectl) -> dict[str, Any]:
    """All objects with their metadata, without what differs from one server to the next."""
    listed = kubectl.json("configmaps,secrets,serviceaccounts,deployments", "--show-managed-fields")
    found: dict[str, Any] = {}
    for each in listed["items"]:
        metadata = each["metadata"]
        for name in ("uid", "creationTimestamp", "resourceVersion"):
            del metadata[name]
        entries: list[dict[str, Any]] = metadata.get("managedFields", [])
        for entry in entries:
            entry.pop("time", None)  # the order depends on it
        entries.sort(key=lambda entry: entry["manager"])
        found[f"{each['kind']} {metadata['name']}"] = each
    return found


# ---- ApplySets --------------------------------------------------------------------------------

FIRST = [config("a", k="v"), config("b"), secret("s", p="aHVzaA=="), deployment("web", 2)]
SECOND = [config("a", k="w"), account("new"), deployment("web", 3)]


@pytest.mark.parametrize(("parent", "kind"), [("shop", "Secret"), ("configmaps/shop", "ConfigMap")])
def test_both_make_the_same_set(kubectl: Kubectl, tmp_path: Path, parent: str, kind: str):
    """Objects, labels, annotations and owners of fields; each on a server of its own."""
    ours = ApplySet("shop", kind=kind, tool=tool(kubectl))
    with LocalServer() as other, Clientset.from_config(other.kubeconfig) as k:
        for objects in (FIRST, SECOND):
            prune(kubectl, objects, parent)
            manifests(k, objects).apply(prune=ours, field_manager="kubectl")
            assert state(Kubectl(other.kubeconfig, tmp_path / "o", "default")) == state(kubectl)


def test_kubectl_prunes_a_set_of_ours(kubectl: Kubectl, k: Clientset):
    ours = ApplySet("shop", tool=tool(kubectl))
    manifests(k, FIRST).apply(prune=ours, field_manager="kubectl")
    assert sorted(prune(kubectl, SECOND).splitlines()) == [
        "configmap/a serverside-applied",
        "configmap/b pruned",
        "deployment.apps/web serverside-applied",
        "secret/s pruned",
        "serviceaccount/new serverside-applied",
    ]
    result = manifests(k, SECOND).apply(prune=ours, field_manager="kubectl")
    assert {each.outcome for each in result} == {"unchanged"}


def test_a_set_of_kubectls_is_pruned(kubectl: Kubectl, k: Clientset):
    prune(kubectl, FIRST)
    ours = ApplySet("shop", tool=tool(kubectl))
    result = manifests(k, SECOND).apply(prune=ours, field_manager="kubectl")
    assert sorted(str(result).splitlines()) == [
        "configmap/a configured",
        "configmap/b pruned",
        "deployment.apps/web configured",
        "secret/s pruned",
        "serviceaccount/new created",
    ]
    assert prune(kubectl, SECOND).count("serverside-applied") == 3
    parent = kubectl.json("secret/shop")["metadata"]
    assert parent["annotations"] == {
        f"{PREFIX}contains-group-kinds": "ConfigMap,Deployment.apps,ServiceAccount",
        f"{PREFIX}additional-namespaces": "",
        f"{PREFIX}tooling": tool(kubectl),
    }


def test_a_set_that_kubectl_applied_by_itself_is_pruned(kubectl: Kubectl, k: Clientset):
    """By client-side apply, kubectl's default."""
    kubectl("apply", "--prune", "--applyset=shop", "-f", "-", given=FIRST)
    result = manifests(k, SECOND[:2]).apply(prune=ApplySet("shop", tool=tool(kubectl)), force=True)
    assert [each.name for each in result.of("pruned")] == ["web", "s", "b"]


@pytest.mark.parametrize("manager", ["kubectl", "me"])
def test_objects_of_client_side_apply_are_taken_over(
    kubectl: Kubectl, tmp_path: Path, manager: str
):
    """As kubectl does it: the same objects, with the same owners of fields."""
    before = [config("a", k="v", old="x"), deployment("web", 2)]
    after = [config("a", k="w"), deployment("web", 3)]
    before[1]["spec"]["minReadySeconds"] = 5
    command = ("apply", "--server-side", "--force-conflicts", f"--field-manager={manager}", "-f-")
    with LocalServer() as other, Clientset.from_config(other.kubeconfig) as k:
        beside = Kubectl(other.kubeconfig, tmp_path / "o", "default")
        for each in (kubectl, beside):
            each("apply", "-f", "-", given=before)
        kubectl(*command, given=after)
        taking = manifests(k, after, field_manager=manager)
        assert {each.outcome for each in taking.apply(force=True)} == {"configured"}
        assert state(beside) == state(kubectl)
        assert {each.outcome for each in taking.apply()} == {"unchanged"}


def test_neither_touches_a_set_of_the_other(kubectl: Kubectl, k: Clientset):
    prune(kubectl, FIRST, "theirs")
    with pytest.raises(ApplySetError, match="is managed by 'kubectl', not by 'clientgen'"):
        manifests(k, FIRST).apply(prune=ApplySet("theirs"))
    manifests(k, [config("c")]).apply(prune=ApplySet("ours"))
    command = ("apply", "--server-side", "--prune", "--applyset=ours", "-f", "-")
    refused = kubectl(*command, given=FIRST, exits=1)
    assert 'is managed by tooling "clientgen" instead of "kubectl"' in refused
    assert kubectl("get", "configmap", "c", "-o", "name") == "configmap/c\n"


def test_a_secret_that_is_no_set_is_refused_by_both(kubectl: Kubectl, k: Clientset):
    kubectl("create", "secret", "generic", "mine")
    command = ("apply", "--server-side", "--prune", "--applyset=mine", "-f", "-")
    refused = kubectl(*command, given=FIRST, exits=1)
    assert "already exists and is missing required annotation" in refused
    with pytest.raises(ApplySetError, match="exists, but has no annotation"):
        manifests(k, FIRST).apply(prune=ApplySet("mine"))


@pytest.mark.slow
def test_definitions_tell_both_which_kinds_may_be_parents(kubectl: Kubectl, k: Clientset):
    names = {"plural": "parents", "singular": "parent", "kind": "Parent", "listKind": "ParentList"}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    crd: dict[str, Any] = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "parents.example.com"},
        "spec": {
            "group": "example.com", "scope": "Cluster", "names": names, "versions": [version],
        },
    }  # fmt: skip
    manifests(k, [crd]).apply()
    chosen = ApplySet("p", kind="Parent.example.com", tool=tool(kubectl))
    parent = "parents.example.com/p"
    command = ("apply", "--server-side", "--prune", f"--applyset={parent}", "-f", "-")
    assert "is not permitted as an ApplySet parent" in kubectl(*command, given=FIRST, exits=1)
    with pytest.raises(ApplySetError, match="Parent cannot be the parent of an ApplySet"):
        manifests(k, FIRST).apply(prune=chosen)
    crd["metadata"]["labels"] = {f"{PREFIX}is-parent-type": ""}
    manifests(k, [crd]).apply()
    assert "cannot be created automatically" in kubectl(*command, given=FIRST, exits=1)
    with pytest.raises(ApplySetError, match="Parent p, does not exist"):
        manifests(k, FIRST).apply(prune=chosen)
    made = {"apiVersion": "example.com/v1", "kind": "Parent", "metadata": {"name": "p"}}
    made["metadata"]["annotations"] = {  # type: ignore[index]
        f"{PREFIX}tooling": tool(kubectl),
        f"{PREFIX}contains-group-kinds": "",
    }
    kubectl("create", "-f", "-", given=made)
    assert "does not have required label" in kubectl(*command, given=FIRST, exits=1)
    with pytest.raises(ApplySetError, match="has a wrong label"):
        manifests(k, FIRST).apply(prune=chosen)
    identity = re.search(r"not '(applyset-[\w-]+)'", str(refusal(k, chosen)))
    assert identity
    kubectl("label", parent, f"{PREFIX}id={identity[1]}")
    prune(kubectl, FIRST, parent)
    result = manifests(k, SECOND).apply(prune=chosen, field_manager="kubectl")
    assert len(result.of("pruned")) == 2
    namespaces = kubectl.json(parent)["metadata"]["annotations"][f"{PREFIX}additional-namespaces"]
    assert namespaces == "default"


def refusal(k: Clientset, chosen: ApplySet) -> ApplySetError:
    with pytest.raises(ApplySetError) as raised:
        manifests(k, FIRST).apply(prune=chosen)
    return raised.value


# ---- differences ------------------------------------------------------------------------------

_ALWAYS_NEW = re.compile(r"(?m)^(\+  (?:uid|creationTimestamp): ).*$")


def diff(kubectl: Kubectl, objects: list[Any]) -> list[str]:
    """What `kubectl diff` prints, a text for each object."""
    printed = kubectl("diff", "--server-side", "-f", "-", given=objects, exits=1)
    return parts(re.sub(r"(?m)/\S*/(LIVE|MERGED)-\d+/|\t20\d\d-.*$", lambda m: _end(m[1]), printed))


def _end(folder: str | None) -> str:
    return f"{folder}/" if folder else ""


def parts(text: str) -> list[str]:
    # kubectl 1.32 takes the missing state of a new Secret for an object that is null.
    text = text.replace("@@ -1 +1,", "@@ -0,0 +1,").replace("\n-null\n", "\n")
    several = re.split(r"(?m)^(?=diff -u -N )", _ALWAYS_NEW.sub(r"\1X", text))
    return sorted(part for part in several if part)


def test_diffs_agree(kubectl: Kubectl, k: Clientset):
    kubectl("apply", "--server-side", "-f", "-", given=FIRST)
    changed = [
        config("a", k="w", more="one\ntwo\n", number="1", yes="yes", odd=" x: #"),
        config("b"),
        secret("s", p="aHVzaDI=", new="bmV3"),
        deployment("web", 3),
        account("new"),
        secret("t", p="aHVzaA=="),
    ]
    ours = manifests(k, changed).diff(field_manager="kubectl")
    assert parts(str(ours)) == diff(kubectl, changed)
    assert len(ours.changed) == 5
    assert "aHVza" not in str(ours)
    assert kubectl("diff", "--server-side", "-f", "-", given=FIRST) == ""
    assert not manifests(k, FIRST).diff(field_manager="kubectl")
