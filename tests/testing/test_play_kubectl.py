"""kubectl waits for workloads that are played, over HTTP."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.play import NAMESPACE, deployment

from clientgen.testing import FakeCluster, LocalServer, Play

KUBECTL = shutil.which("kubectl") or ""

pytestmark = pytest.mark.skipif(not KUBECTL, reason="kubectl is not installed")

Kubectl = Callable[..., str]


@pytest.fixture
def cluster() -> FakeCluster:
    """A cluster that plays in real time, though without delays."""
    return FakeCluster({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})


@pytest.fixture(autouse=True)
def play(cluster: FakeCluster) -> Play:
    return cluster.play(delay=0.001)


@pytest.fixture
def kubectl(cluster: FakeCluster, tmp_path: Path) -> Iterator[Kubectl]:
    with LocalServer(cluster) as server:
        environment = {**os.environ, "KUBECONFIG": server.kubeconfig, "HOME": str(tmp_path)}

        def run(*arguments: str, given: object = None, exits: int = 0) -> str:
            done = subprocess.run(
                [KUBECTL, "--namespace", NAMESPACE, *arguments],
                input=json.dumps(given),
                capture_output=True,
                text=True,
                timeout=30,
                env=environment,
            )
            assert done.returncode == exits, done.stdout + done.stderr
            return done.stdout + done.stderr

        yield run


@pytest.mark.slow
def test_rollout(kubectl: Kubectl) -> None:
    """A rollout, its status, its history and its undoing."""
    kubectl("apply", "-f", "-", given=deployment())
    assert "successfully rolled out" in kubectl("rollout", "status", "deploy/web")
    kubectl("wait", "--for=condition=Available", "deploy/web", "--timeout=20s")
    rows = [line.split() for line in kubectl("get", "pods").splitlines()]
    assert [row[1:4] for row in rows[1:]] == [["1/1", "Running", "0"]] * 2

    kubectl("set", "image", "deploy/web", "main=nginx:2")
    kubectl("rollout", "status", "deploy/web")
    history = kubectl("rollout", "history", "deploy/web").splitlines()
    assert [line.split()[0] for line in history if line[:1].isdigit()] == ["1", "2"]
    kubectl("rollout", "undo", "deploy/web")
    kubectl("rollout", "status", "deploy/web")
    images = kubectl("get", "pods", "-o", "jsonpath={.items[*].spec.containers[0].image}")
    assert set(images.split()) == {"nginx:1"}
    kubectl("rollout", "restart", "deploy/web")
    kubectl("rollout", "status", "deploy/web")
    kubectl("scale", "deploy/web", "--replicas=4")
    kubectl("wait", "--for=jsonpath={.status.availableReplicas}=4", "deploy/web", "--timeout=20s")
    assert "ScalingReplicaSet" in kubectl("describe", "deploy", "web")


def test_pods(kubectl: Kubectl, cluster: FakeCluster) -> None:
    """A pod that runs, one that is deleted, and one that crashes."""
    kubectl("run", "one", "--image=nginx:1")
    kubectl("wait", "--for=condition=Ready", "pod/one", "--timeout=20s")
    assert 'pod "one" deleted' in kubectl("delete", "pod", "one", "--wait=true")
    kubectl("run", "two", "--image=nginx:1", "--restart=Never")
    kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/two", "--timeout=20s")


@pytest.mark.slow
def test_sets(kubectl: Kubectl) -> None:
    """StatefulSets and DaemonSets are rolled out and undone."""
    for kind, name in (("StatefulSet", "db"), ("DaemonSet", "logs")):
        labels = {"app": name}
        pod = {"containers": [{"name": "main", "image": "nginx:1"}]}
        spec = {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        }
        more = {"replicas": 2, "serviceName": "db"} if kind == "StatefulSet" else {}
        manifest = {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name}}
        kubectl("apply", "-f", "-", given={**manifest, "spec": {**spec, **more}})
        what = f"{kind.lower()}/{name}"
        kubectl("rollout", "status", what)
        kubectl("set", "image", what, "main=nginx:2")
        kubectl("rollout", "status", what)
        assert "nginx:1" in kubectl("rollout", "history", what, "--revision=1")
        kubectl("rollout", "undo", what)
        kubectl("rollout", "status", what)
        path = "jsonpath={.items[*].spec.containers[0].image}"
        assert set(kubectl("get", "pods", "-l", f"app={name}", "-o", path).split()) == {"nginx:1"}


def test_jobs(kubectl: Kubectl, play: Play) -> None:
    """kubectl waits for Jobs that complete, and for one that fails."""
    kubectl("create", "job", "sum", "--image=nginx:1")
    kubectl("wait", "--for=condition=Complete", "job/sum", "--timeout=20s")
    rows = [line.split() for line in kubectl("get", "job", "sum").splitlines()]
    assert rows[1][:3] == ["sum", "Complete", "1/1"]
    play.pods(NAMESPACE, "bad-*").crash()
    bad = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "bad"}}
    pod = {"containers": [{"name": "main", "image": "nginx:1"}], "restartPolicy": "Never"}
    kubectl(
        "apply", "-f", "-", given={**bad, "spec": {"backoffLimit": 0, "template": {"spec": pod}}}
    )
    kubectl("wait", "--for=condition=Failed", "job/bad", "--timeout=20s")
    assert "BackoffLimitExceeded" in kubectl("describe", "job", "bad")
    kubectl("create", "cronjob", "report", "--image=nginx:1", "--schedule=0 0 1 1 *")
    kubectl("create", "job", "--from=cronjob/report", "now")
    kubectl("wait", "--for=condition=Complete", "job/now", "--timeout=20s")


def test_drain(kubectl: Kubectl, cluster: FakeCluster) -> None:
    """A node is drained as far as a budget allows, and its pods come up on another one."""
    cluster.add({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "other"}})
    kubectl("apply", "-f", "-", given=deployment())
    kubectl("create", "poddisruptionbudget", "web", "--selector=app=web", "--min-available=1")
    kubectl("rollout", "status", "deploy/web")
    kubectl("drain", "node-1", "--timeout=20s")
    kubectl("rollout", "status", "deploy/web")
    nodes = kubectl("get", "pods", "-o", "jsonpath={.items[*].spec.nodeName}")
    assert set(nodes.split()) == {"other"}
    rows = [line.split() for line in kubectl("get", "nodes").splitlines()]
    assert rows[1][:2] == ["node-1", "Ready,SchedulingDisabled"]


def test_services(kubectl: Kubectl) -> None:
    """kubectl shows the endpoints of a Service."""
    kubectl("apply", "-f", "-", given=deployment())
    kubectl("expose", "deploy/web", "--port=80")
    kubectl("rollout", "status", "deploy/web")
    slices = kubectl(
        "get", "endpointslices", "-o", "jsonpath={.items[*].endpoints[*].addresses[0]}"
    )
    assert len(slices.split()) == 2
    kubectl("get", "endpointslices")
    assert "Running" in kubectl("describe", "pods")
