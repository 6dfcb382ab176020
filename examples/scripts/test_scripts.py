"""The scripts run against a server in memory that plays workloads, and print what they should."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kubeapi import Clientset

from clientgen.testing import FakeCluster, LocalServer

HERE = Path(__file__).parent
NODES = """
apiVersion: v1
kind: Node
metadata: {name: node-1, labels: {baz: old}}
"""
METRICS = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: PLURAL.metrics.k8s.io
  annotations: {api-approved.kubernetes.io: unapproved in tests}
spec:
  group: metrics.k8s.io
  scope: SCOPE
  names: {plural: PLURAL, kind: KIND}
  versions:
    - name: v1beta1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""
USAGE = """
apiVersion: metrics.k8s.io/v1beta1
kind: NodeMetrics
metadata: {name: node-1}
usage: {cpu: 250m, memory: 1Gi}
---
apiVersion: metrics.k8s.io/v1beta1
kind: PodMetrics
metadata: {name: web-0, namespace: default}
containers: [{name: web, usage: {cpu: 5m, memory: 20Mi}}]
"""


@pytest.fixture
def server() -> Iterator[LocalServer]:
    cluster = FakeCluster()
    cluster.apply_manifests(NODES)
    cluster.play()
    with LocalServer(cluster) as running:
        yield running


@pytest.fixture
def k(server: LocalServer) -> Iterator[Clientset]:
    with Clientset.from_config(server.kubeconfig) as clientset:
        yield clientset


def run(server: LocalServer, script: str, *arguments: str, cache: Path) -> list[str]:
    """The lines that a script prints."""
    environment = {
        **os.environ,
        "KUBECONFIG": server.kubeconfig,
        "XDG_CACHE_HOME": str(cache),
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", HERE / script, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout.splitlines()


def test_apply_folder(server: LocalServer, tmp_path: Path) -> None:
    lines = run(server, "apply_folder.py", cache=tmp_path)
    assert sorted(lines) == [
        "configmap/web created",
        "deployment.apps/web created",
        "job.batch/report created",
    ]
    assert set(run(server, "apply_folder.py", cache=tmp_path)) == {
        "configmap/web unchanged",
        "deployment.apps/web unchanged",
        "job.batch/report unchanged",
    }


def test_deployment(server: LocalServer, tmp_path: Path) -> None:
    assert run(server, "deployment.py", cache=tmp_path) == [
        "created   3 replicas",
        "updated   nginx:1.29",
        "scaled to 5",
        "restarted",
        "deleted",
    ]


def test_job(server: LocalServer, tmp_path: Path) -> None:
    assert run(server, "job.py", cache=tmp_path)[0] == "succeeded: 1"


def test_cron_job(server: LocalServer, tmp_path: Path) -> None:
    assert run(server, "cron_job.py", cache=tmp_path) == ["hello */5 * * * * True"]


def test_ingress(server: LocalServer, k: Clientset, tmp_path: Path) -> None:
    run(server, "ingress.py", cache=tmp_path)
    [rule] = k.networking_v1.ingresses("default").get("web").spec.rules
    assert rule.host == "web.example.com"


def test_custom_resource(server: LocalServer, k: Clientset, tmp_path: Path) -> None:
    lines = run(server, "custom_resource.py", cache=tmp_path)
    assert lines[:2] == ["first a.example.com Random", "second b.example.com RoundRobin"]
    assert [line.split()[0] for line in lines[2:5]] == ["NAME", "first", "second"]
    assert not k.apiextensions_v1.custom_resource_definitions().list().items


def test_watch_pods(server: LocalServer, k: Clientset, tmp_path: Path) -> None:
    for number in range(10):
        k.core_v1.pods("default").create(
            {
                "metadata": {"name": f"web-{number}"},
                "spec": {"containers": [{"name": "web", "image": "web"}]},
            }
        )
    lines = run(server, "watch_pods.py", cache=tmp_path)
    assert [line.split()[0] for line in lines] == ["ADDED"] * 10
    assert lines[0].split()[1:] == ["default", "web-0", "Running"]


def test_node_labels(server: LocalServer, k: Clientset, tmp_path: Path) -> None:
    run(server, "node_labels.py", cache=tmp_path)
    labels = k.core_v1.nodes().get("node-1").metadata.labels
    assert labels["foo"] == "bar"
    assert "baz" not in labels


def test_annotate_deployment(server: LocalServer, k: Clientset, tmp_path: Path) -> None:
    run(server, "apply_folder.py", cache=tmp_path)
    run(server, "annotate_deployment.py", "web", cache=tmp_path)
    annotations = k.apps_v1.deployments("default").get("web").metadata.annotations
    assert annotations["example.com/team"] == "shop"


def test_rollout_stateful_set(server: LocalServer, tmp_path: Path) -> None:
    *revisions, last = run(server, "rollout_stateful_set.py", cache=tmp_path)
    assert [line.split()[1] for line in revisions] == ["1", "2"]
    assert last == "back to redis:8"


def test_several_clusters(server: LocalServer, tmp_path: Path) -> None:
    run(server, "apply_folder.py", cache=tmp_path)
    [context] = re.findall(r"current-context: (\S+)", Path(server.kubeconfig).read_text())
    [line] = run(server, "several_clusters.py", context.strip('"'), cache=tmp_path)
    assert "web-" in line


def test_api_discovery(server: LocalServer, tmp_path: Path) -> None:
    lines = run(server, "api_discovery.py", cache=tmp_path)
    assert any(line.startswith("deployments apps/v1 True Deployment create,") for line in lines)


def test_metrics(server: LocalServer, tmp_path: Path) -> None:
    for plural, kind, scope in (
        ("nodes", "NodeMetrics", "Cluster"),
        ("pods", "PodMetrics", "Namespaced"),
    ):
        text = METRICS.replace("PLURAL", plural).replace("KIND", kind).replace("SCOPE", scope)
        server.cluster.apply_manifests(text)
    server.cluster.apply_manifests(USAGE)
    assert run(server, "metrics.py", cache=tmp_path) == [
        "node-1 250m 1Gi",
        "web-0 web 5m 20Mi",
    ]


def test_every_script_is_tested() -> None:
    scripts = {path.name for path in HERE.glob("*.py")} - {Path(__file__).name}
    tests = Path(__file__).read_text("utf-8")
    assert not {name for name in scripts if f'"{name}"' not in tests}
