"""The Pods of workloads are those whose logs kubectl reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubeapi import Clientset
from kubeapi.apps.v1 import DaemonSet, Deployment, ReplicaSet, StatefulSet
from kubeapi.batch.v1 import Job
from kubeapi.core.v1 import ReplicationController, Service
from support.kubectl import KUBECTL, Kubectl
from support.workloads import OBJECTS

from clientgen.runtime.errors import OperationRefused
from clientgen.runtime.sync import pods_of, tail
from clientgen.testing import FakeClock, FakeCluster, LocalServer

pytestmark = pytest.mark.skipif(not KUBECTL, reason="kubectl is not installed")

JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: once, namespace: shop}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: main, image: report}]}
"""


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    cluster = FakeCluster(clock=FakeClock(), seed=1)
    cluster.play(nodes=2)
    cluster.apply_manifests(OBJECTS + "---" + JOB)
    cluster.settle()
    with LocalServer(cluster) as running:
        yield running


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (Deployment, "web"),
        (StatefulSet, "db"),
        (DaemonSet, "agent"),
        (ReplicaSet, ""),
        (ReplicationController, "old"),
        (Job, "once"),
        (Service, "web"),
        (Service, "outside"),
    ],
)
def test_the_same_pods(server: LocalServer, tmp_path: Path, kind: Any, name: str) -> None:
    kubectl = Kubectl(server.kubeconfig, tmp_path, "shop")
    with Clientset.from_config(server.kubeconfig).with_(namespace="shop") as k:
        name = name or k.list(kind, namespace="shop").items[0].metadata.name
        command = ("logs", f"{kind.__name__.lower()}/{name}", "--all-pods", "--prefix")
        if name == "outside":
            assert "without a selector" in kubectl(*command, exits=1)
            with pytest.raises(OperationRefused):
                pods_of(k, kind, name)
            return
        logged = set(re.findall(r"\[pod/([^/]+)/", kubectl(*command)))
        assert {pod.metadata.name for pod in pods_of(k, kind, name)} == logged
        with tail(k, kind, name, seconds=60) as lines:
            assert {next(lines).pod for _ in logged} == logged
