"""Resources are found, and tables printed, as kubectl does; a group without its API server."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING

import pytest
from clusterkit.together import async_until
from clusterkit.widgets import GROUP
from kubeapi import AsyncClientset
from support.kubectl import Kubectl

from clientgen.runtime.errors import DiscoveryFailed, NotFound
from clientgen.runtime.models import Unstructured

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clusterkit.scratch import Scratch

pytestmark = pytest.mark.cluster

# All short names of Kubernetes 1.36, and others of each form. kubectl drops the version after a
# short name, which is not imitated.
NAMES = [
    "cm",
    "cs",
    "ep",
    "ev",
    "limits",
    "ns",
    "no",
    "pvc",
    "pv",
    "po",
    "rc",
    "quota",
    "sa",
    "svc",
    "crd",
    "crds",
    "ds",
    "deploy",
    "rs",
    "sts",
    "hpa",
    "cj",
    "csr",
    "ing",
    "netpol",
    "pdb",
    "pc",
    "sc",
    "vac",
    "pod",
    "Deployment",
    "ENDPOINTS",
    "deployments.apps",
    "deployments.v1.apps",
    "horizontalpodautoscalers.v1.autoscaling",
    "events.events.k8s.io",
    "ev.events",
    "storageclass.storage",
    "roles.rbac",
    "Lease.coordination.k8s.io",
]
_ASKED = re.compile(r"https?://[^/]+(/api[^\"? ]*)[^\n]*limit=500")


async def test_the_resources_are_those_of_kubectl(
    kube: AsyncClientset, kubectl: Kubectl, widgets: None
) -> None:
    theirs = kubectl("api-resources", "-o", "name", "--cached=false").split()
    kube.dynamic.discovery.invalidate()  # what another process has left on the disk may be older
    ours = [each.name for each in await kube.dynamic.discovery.api_resources()]
    mine = {name for name in ours if name.endswith(GROUP)}
    assert mine == {f"widgets.{GROUP}"}
    assert "pods" in ours
    # Other tests define kinds in the meantime, so only those of Kubernetes and our own count.
    assert {*filter(_is_known, ours)} | mine == {*filter(_is_known, theirs)} | mine


def _is_known(name: str) -> bool:
    group = name.partition(".")[2]
    return "." not in group or group.endswith(".k8s.io")


async def test_names_find_what_they_find_in_kubectl(kube: AsyncClientset, kubectl: Kubectl) -> None:
    for name in NAMES:
        done = kubectl.run("get", name, "-o", "name", "-v=6")
        asked = _ASKED.search(done.stderr)
        assert asked is not None, (name, done.stderr)
        found = await kube.dynamic.discovery.resource(name)
        namespace = kubectl.namespace if found.namespaced else None
        assert found.collection_path(namespace) == asked[1], name


async def test_tables_are_printed_as_kubectl_does(
    kube: AsyncClientset, kubectl: Kubectl, namespace: str, widgets: None
) -> None:
    kubectl("create", "configmap", "a-name", "--from-literal=a=b")
    kubectl("create", "service", "clusterip", "svc", "--tcp=80")
    kubectl("create", "secret", "generic", "s")
    for name in ("cm", "svc", "secrets", "sa"):
        theirs = kubectl("get", name)
        table = await kube.table(name, namespace=namespace)
        assert _without_ages(str(table)) == _without_ages(theirs)
        wide = kubectl("get", name, "-o", "wide")
        assert _without_ages(table.to_text(wide=True)) == _without_ages(wide)
    theirs = kubectl("get", "flowschemas")
    assert _without_ages(str(await kube.table("flowschemas"))) == _without_ages(theirs)


def _without_ages(text: str) -> str:
    """Leave out the ages, which go on, with their padding."""
    return re.sub(r"(?<= )(\d+[dhms]){1,2} *", "", text)


async def test_a_custom_kind_without_a_class(
    kube: AsyncClientset, namespace: str, widgets: None
) -> None:
    body = {"metadata": {"name": "w"}, "spec": {"color": "red", "replicas": 1}}
    named = kube.dynamic.resource(f"widgets.{GROUP}")
    made = await named.create(body, namespace=namespace)
    assert (type(made), made["spec"]["color"]) == (Unstructured, "red")
    made["spec"]["color"] = "blue"
    assert (await kube.update(made))["spec"]["color"] == "blue"
    scale = named.scale("w", namespace=namespace)
    assert (await scale.get()).spec.replicas == 1
    assert (await scale.patch({"spec": {"replicas": 2}})).spec.replicas == 2
    alone = await kube.metadata.resource(f"widgets.{GROUP}").get("w", namespace=namespace)
    assert alone.metadata.uid == made.metadata.uid
    await kube.delete(made)
    with pytest.raises(NotFound):
        await named.get("w", namespace=namespace)


@pytest.fixture
def broken(scratch: Scratch) -> Iterator[str]:
    """A group whose API server does not exist."""
    group = f"{secrets.token_hex(4)}.broken.example"
    services = scratch.admin.dynamic.resource("apiservices")
    spec = {
        "group": group,
        "version": "v1",
        "groupPriorityMinimum": 10,
        "versionPriority": 10,
        "insecureSkipTLSVerify": True,
        "service": {"namespace": "default", "name": "nobody"},
    }
    services.create({"metadata": {"name": f"v1.{group}"}, "spec": spec})
    yield group
    services.delete(f"v1.{group}")


async def test_a_group_without_its_api_server_is_told(kube: AsyncClientset, broken: str) -> None:
    discovery = kube.dynamic.discovery

    async def is_told() -> bool:
        discovery.invalidate()
        assert await discovery.resource("pods")
        return broken in {each.group for each in discovery.failures}

    await async_until(is_told)
    with pytest.raises(DiscoveryFailed, match=broken):
        await discovery.resource(f"things.{broken}")
    with pytest.raises(DiscoveryFailed, match=broken):
        await kube.create({"apiVersion": f"{broken}/v1", "kind": "Thing", "metadata": {}})
