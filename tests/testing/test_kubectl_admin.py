"""ConfigMaps, Secrets, certificates, roles and debugging: the same objects as kubectl's.

Each case runs kubectl against one server and our call against another one like it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from kubeapi import Clientset
from support.admin_cases import CASES, write_files
from support.kubectl import KUBECTL, Kubectl

from clientgen.runtime.errors import ClientError
from clientgen.runtime.models import Unstructured
from clientgen.runtime.sync import (
    top_nodes,
    top_pods,
)
from clientgen.testing import FakeCluster, LocalServer

pytestmark = pytest.mark.skipif(not KUBECTL, reason="kubectl is not installed")

Objects = list[dict[str, Any]]
REFUSED = (ClientError, OSError, ValueError)


@dataclass
class Side:
    """A server, a client of it, and kubectl."""

    server: LocalServer
    k: Clientset
    kubectl: Kubectl


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Side]]:
    with LocalServer(FakeCluster()) as theirs, LocalServer(FakeCluster()) as ours:
        made: list[Side] = []
        for server in (theirs, ours):
            folder = tmp_path_factory.mktemp("kubectl")
            k = Clientset.from_config(server.kubeconfig)
            k.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
            kubectl = Kubectl(server.kubeconfig, folder, "shop")
            kubectl.environment["CLIENTGEN_SET"] = "of the environment"
            made.append(Side(server, k, kubectl))
        yield made
        for side in made:
            side.k.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    write_files(folder)
    return folder


@pytest.mark.parametrize("name", CASES)
def test_the_objects_are_those_of_kubectl(
    name: str, sides: list[Side], files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = CASES[name]
    monkeypatch.chdir(files)
    monkeypatch.setenv("CLIENTGEN_SET", "of the environment")
    monkeypatch.delenv("CLIENTGEN_UNSET", raising=False)
    theirs, ours = sides
    for side in sides:
        case.set_up(side.k)
    case.run_kubectl(theirs.kubectl)
    case.run_ours(ours.k)
    expected = case.left(theirs.k)
    assert case.left(ours.k) == expected
    assert expected or case.refused


# ---- metrics ------------------------------------------------------------------------------------


def metrics_definition(kind: str, plural: str, scope: str) -> dict[str, Any]:
    """A definition that serves metrics, in the place of a metrics server."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1beta1", "served": True, "storage": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{plural}.metrics.k8s.io",
            "annotations": {"api-approved.kubernetes.io": "unapproved in tests"},
        },
        "spec": {
            "group": "metrics.k8s.io",
            "scope": scope,
            "names": {"plural": plural, "kind": kind},
            "versions": [{**version, "schema": {"openAPIV3Schema": schema}}],
        },
    }


def usage(cpu: str, memory: str) -> dict[str, str]:
    return {"cpu": cpu, "memory": memory}


def pod_metrics(name: str, namespace: str, **containers: dict[str, str]) -> dict[str, Any]:
    return {
        "apiVersion": "metrics.k8s.io/v1beta1",
        "kind": "PodMetrics",
        "metadata": {"name": name, "namespace": namespace, "labels": {"app": name[:-2]}},
        "timestamp": "2026-01-01T00:00:00Z",
        "window": "10s",
        "containers": [{"name": each, "usage": used} for each, used in containers.items()],
    }


def node(name: str, **resources: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"pool": name[:-2]}},
        "status": {"allocatable": resources, "capacity": {**resources, "cpu": "8"}},
    }


def node_metrics(name: str, cpu: str, memory: str) -> dict[str, Any]:
    return {
        "apiVersion": "metrics.k8s.io/v1beta1",
        "kind": "NodeMetrics",
        "metadata": {"name": name, "labels": {"pool": name[:-2]}},
        "usage": usage(cpu, memory),
    }


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Side]:
    """A cluster with a metrics server."""
    with LocalServer(FakeCluster()) as server:
        folder = tmp_path_factory.mktemp("kubectl")
        k = Clientset.from_config(server.kubeconfig)
        for name in ("shop", "bank"):
            k.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        for each in (("PodMetrics", "pods", "Namespaced"), ("NodeMetrics", "nodes", "Cluster")):
            k.create(metrics_definition(*each))
        for obj in (
            pod_metrics("web-1", "shop", app=usage("1500u", "104857601"), log=usage("0", "1Mi")),
            pod_metrics("db-1", "shop", db=usage("1", "1Gi")),
            pod_metrics("ledger-1", "bank", ledger=usage("12345678n", "300Ki")),
            node("big-1", cpu="3920m", memory="16Gi"),
            node("big-2", cpu="4", memory="16Gi"),
            node("small-1", cpu="1", memory="1048576Ki"),
            node_metrics("big-1", "1234567890n", "5000Mi"),
            node_metrics("small-1", "999999u", "1Gi"),
        ):
            k.create(Unstructured(obj))
        yield Side(server, k, Kubectl(server.kubeconfig, folder, "shop"))
        k.close()


TOPS: dict[str, Callable[[Clientset], str]] = {
    "top pods": lambda k: str(top_pods(k, namespace="shop")),
    "top pod db-1": lambda k: str(top_pods(k.with_(namespace="shop"), "db-1")),
    "top pods -A --sum": lambda k: top_pods(k).text(total=True),
    "top pods -A --containers --sort-by=memory --sum": lambda k: top_pods(k, sort_by="memory").text(
        containers=True, total=True
    ),
    "top pods --sort-by=cpu -l app=web": lambda k: str(
        top_pods(k, namespace="shop", sort_by="cpu", label_selector={"app": "web"})
    ),
    "top nodes": lambda k: str(top_nodes(k)),
    "top nodes --sort-by=cpu --show-capacity": lambda k: str(
        top_nodes(k, sort_by="cpu", capacity=True)
    ),
    "top node small-1": lambda k: str(top_nodes(k, "small-1")),
}


@pytest.mark.parametrize("command", TOPS)
def test_top_prints_what_kubectl_prints(command: str, measured: Side) -> None:
    printed = measured.kubectl(*command.split())
    theirs = [line.rstrip() for line in printed.splitlines()]
    assert TOPS[command](measured.k).splitlines() == theirs
    assert len(theirs) > 1
