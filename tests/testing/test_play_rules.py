"""Rules of controllers that are played, by themselves: nodes, numbers, indexes, volumes."""

from __future__ import annotations

from typing import Any

import pytest
from support.play import NAMESPACE, objects, one, playing, put

from clientgen.testing._apiserver.controllers.play.job_indexes import indexes_in, indexes_text
from clientgen.testing._apiserver.controllers.play.node_matching import misfit
from clientgen.testing._apiserver.controllers.play.pod_run import restart_delay
from clientgen.testing._apiserver.controllers.play.rollout_sizes import (
    max_surge,
    max_unavailable,
    resolved_count,
)
from clientgen.testing._apiserver.controllers.play.scheduler import requests_of

NODE: dict[str, Any] = {
    "metadata": {"name": "n1", "labels": {"disk": "ssd", "cores": "8"}},
    "spec": {"taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]},
}
TOLERANT: dict[str, Any] = {"tolerations": [{"operator": "Exists"}]}
AFFINITY = "node(s) didn't match Pod's node affinity/selector"


def affinity(*expressions: dict[str, Any], member: str = "matchExpressions") -> dict[str, Any]:
    terms = {"nodeSelectorTerms": [{member: list(expressions)}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": terms}
    return {**TOLERANT, "affinity": {"nodeAffinity": required}}


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({}, "node(s) had untolerated taint {gpu: yes}"),
        (TOLERANT, ""),
        ({"tolerations": [{"key": "gpu", "operator": "Equal", "value": "yes"}]}, ""),
        ({"tolerations": [{"key": "gpu", "value": "no"}]}, "node(s) had untolerated taint"),
        ({"tolerations": [{"key": "gpu", "operator": "Exists", "effect": "NoExecute"}]}, "node(s)"),
        ({**TOLERANT, "nodeSelector": {"disk": "ssd"}}, ""),
        ({**TOLERANT, "nodeSelector": {"disk": "hdd"}}, AFFINITY),
        (affinity({"key": "disk", "operator": "In", "values": ["ssd"]}), ""),
        (affinity({"key": "disk", "operator": "NotIn", "values": ["ssd"]}), AFFINITY),
        (affinity({"key": "disk", "operator": "Exists"}), ""),
        (affinity({"key": "disk", "operator": "DoesNotExist"}), AFFINITY),
        (affinity({"key": "cores", "operator": "Gt", "values": ["4"]}), ""),
        (affinity({"key": "cores", "operator": "Lt", "values": ["4"]}), AFFINITY),
        (affinity({"key": "disk", "operator": "Gt", "values": ["4"]}), AFFINITY),
        (affinity({"key": "disk", "operator": "Near"}), AFFINITY),
        (affinity(), AFFINITY),
        (
            affinity(
                {"key": "metadata.name", "operator": "In", "values": ["n1"]}, member="matchFields"
            ),
            "",
        ),
    ],
)
def test_nodes_that_fit(spec: dict[str, Any], why: str) -> None:
    """A pod fits a node by its tolerations, its node selector and its affinity."""
    found = misfit({"spec": spec}, NODE)
    assert found == why or (why and found.startswith(why))


def test_cordoned_node() -> None:
    """A node that is cordoned gets no pods."""
    node = {"metadata": {"name": "n1"}, "spec": {"unschedulable": True}}
    assert misfit({"spec": {}}, node) == "node(s) were unschedulable"


@pytest.mark.parametrize(
    ("replicas", "surge", "unavailable", "expected"),
    [
        (10, "25%", "25%", (3, 2)),
        (1, "25%", "25%", (1, 0)),
        (4, 0, "10%", (0, 1)),
        (3, 0, 5, (0, 3)),
        (0, 1, 1, (1, 0)),
    ],
)
def test_rollout_limits(
    replicas: int, surge: int | str, unavailable: int | str, expected: tuple[int, int]
) -> None:
    """Percentages of the surge are rounded up, those of unavailable pods down; one is not 0."""
    rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
    strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
    value = {"spec": {"replicas": replicas, "strategy": strategy}}
    assert (max_surge(value), max_unavailable(value)) == expected


def test_numbers() -> None:
    """Numbers stay, percentages are of the total, and nothing is 0."""
    assert [resolved_count(each, 10, up=True) for each in (3, "15%", None, "x%")] == [3, 2, 0, 0]
    assert [restart_delay(each) for each in (1, 2, 3, 4, 7, 50)] == [0, 10, 20, 40, 300, 300]


@pytest.mark.parametrize("text", ["", "0", "0,1", "0-2", "0-2,4,5,7-9"])
def test_indexes(text: str) -> None:
    """Indexes are read as they are written."""
    assert indexes_text(indexes_in(text, 100)) == text


def test_indexes_have_an_end() -> None:
    """Indexes beyond the completions are not there, however many are named."""
    assert indexes_in("0-999999999", 3) == {0, 1, 2}


def test_requests_of_pods() -> None:
    """Sidecars are added; of the other init containers the largest counts."""

    def container(cpu: str, **more: Any) -> dict[str, Any]:
        return {"resources": {"requests": {"cpu": cpu}}, **more}

    spec = {
        "containers": [container("100m"), container("200m")],
        "initContainers": [
            container("50m", restartPolicy="Always"),
            container("1"),
            container("2"),
        ],
        "overhead": {"cpu": "10m"},
    }
    assert str(requests_of({"spec": spec})["cpu"].normalize()) == "2.01"


# ----------------------------------------------------------------------------------- nodes


def test_nodes_that_are_not_ready_are_tainted() -> None:
    """A node gets no pods while it is not ready."""
    cluster, *_ = playing()
    node: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "node-1"},
        "status": {"conditions": [{"type": "Ready", "status": "False"}]},
    }
    cluster.add(node)
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": NAMESPACE}}
    put(cluster, {**pod, "spec": {"containers": [{"name": "c", "image": "i"}]}})
    [condition] = one(cluster, "pods", "p")["status"]["conditions"]
    assert condition["message"] == (
        "0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }."
    )
    node["status"]["conditions"][0]["status"] = "True"
    cluster.add(node)
    assert one(cluster, "pods", "p")["status"]["phase"] == "Running"


def test_no_nodes() -> None:
    """Without nodes pods wait."""
    cluster, *_ = playing(nodes=0)
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": NAMESPACE}}
    put(cluster, {**pod, "spec": {"containers": [{"name": "c", "image": "i"}]}})
    [condition] = one(cluster, "pods", "p")["status"]["conditions"]
    assert condition["message"] == "no nodes available to schedule pods"


# --------------------------------------------------------------------------------- volumes


def claim(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": NAMESPACE},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
            **spec,
        },
    }


def volume(name: str, size: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": size},
            "accessModes": ["ReadWriteOnce"],
            "hostPath": {"path": "/data"},
            **spec,
        },
    }


def test_claims_take_the_smallest_volume_that_fits() -> None:
    """A volume of the test is taken if it is large enough; it is released with the claim."""
    cluster, k, *_ = playing()
    for name, size in (("small", "500Mi"), ("large", "9Gi"), ("right", "2Gi")):
        put(cluster, volume(name, size))
    put(cluster, claim())
    assert one(cluster, "persistentvolumeclaims", "data")["spec"]["volumeName"] == "right"
    assert one(cluster, "persistentvolumeclaims", "data")["status"]["capacity"] == {
        "storage": "2Gi"
    }
    phases = {
        each["metadata"]["name"]: each["status"]["phase"]
        for each in cluster.server.cluster.list("", "persistentvolumes")
    }
    assert phases == {"small": "Available", "large": "Available", "right": "Bound"}

    k.core_v1.persistent_volume_claims(NAMESPACE).delete("data")
    assert objects(cluster, "persistentvolumeclaims") == []
    released = cluster.server.cluster.get("", "persistentvolumes", "", "right")
    assert released is not None
    assert released["status"]["phase"] == "Released"


def test_a_claim_waits_for_the_volume_that_it_names() -> None:
    """A claim for a certain volume is bound when that is there."""
    cluster, *_ = playing()
    put(cluster, claim(volumeName="mine"))
    assert one(cluster, "persistentvolumeclaims", "data")["status"]["phase"] == "Pending"
    put(cluster, volume("mine", "2Gi"))

    assert one(cluster, "persistentvolumeclaims", "data")["status"]["phase"] == "Bound"
