"""Rules of controllers that are played, by themselves: nodes, numbers, indexes, volumes."""

from __future__ import annotations

from typing import Any

import pytest
from support.play import NAMESPACE, objects, one, playing, put

from clientgen.runtime.errors import BadRequest
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


def test_every_namespace_gets_an_account_and_the_root_certificate() -> None:
    cluster, k, _, _ = playing()
    put(cluster, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "late"}})
    cluster.settle()
    for namespace in (NAMESPACE, "late", "default", "kube-system"):
        accounts = k.core_v1.service_accounts(namespace)
        assert accounts.get("default").secrets == []
        assert list(k.core_v1.config_maps(namespace).get("kube-root-ca.crt").data) == ["ca.crt"]
    k.core_v1.service_accounts("late").delete("default")
    k.core_v1.config_maps("late").delete("kube-root-ca.crt")
    cluster.settle()
    assert k.core_v1.service_accounts("late").get("default")
    assert k.core_v1.config_maps("late").get("kube-root-ca.crt")
    k.core_v1.namespaces().delete("late")
    cluster.settle()
    assert "late" not in [each.metadata.name for each in k.core_v1.namespaces().list().items]


def test_nodes_say_what_they_are() -> None:
    _, k, _, _ = playing(nodes=1)
    info = k.core_v1.nodes().list().items[0].status.node_info
    assert info is not None
    assert (info.operating_system, info.kubelet_version[:3]) == ("linux", "v1.")


HARD = {
    "pods": "4",
    "requests.cpu": "2",
    "limits.memory": "4Gi",
    "memory": "2Gi",
    "configmaps": "10",
    "secrets": "5",
    "services": "3",
    "services.nodeports": "1",
    "count/deployments.apps": "2",
    "count/widgets.example.com": "2",
    "persistentvolumeclaims": "2",
    "requests.storage": "10Gi",
}


def test_quotas_count_what_is_used() -> None:
    """What a real server writes for these objects."""
    cluster, k, _, _ = playing()

    def quota(name: str, **spec: Any) -> None:
        metadata = {"name": name, "namespace": NAMESPACE}
        put(
            cluster,
            {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": spec},
        )

    quota("q", hard=HARD)
    quota("best", hard={"pods": "4"}, scopes=["BestEffort"])
    cluster.settle()
    assert k.core_v1.resource_quotas(NAMESPACE).get("q").status.used["pods"] == 0
    asked = [
        ("m", {"cpu": "250m", "memory": "64Mi"}, {"memory": "128Mi", "cpu": "1"}),
        ("b", {"cpu": "50m", "memory": "1Mi"}, {"memory": "1Mi"}),
    ]
    containers = [
        {"name": name, "image": "x", "resources": {"requests": requests, "limits": limits}}
        for name, requests, limits in asked
    ]
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1500Mi"}}}
    for kind, name, spec in (
        ("Pod", "a", {"containers": containers}),
        ("Service", "s", {"type": "NodePort", "ports": [{"port": 80}]}),
        ("PersistentVolumeClaim", "p", claim),
    ):
        metadata = {"name": name, "namespace": NAMESPACE}
        put(cluster, {"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": spec})
    cluster.settle()
    status = k.core_v1.resource_quotas(NAMESPACE).get("q").status
    assert {name: str(each) for name, each in status.hard.items()} == HARD
    assert {name: str(each) for name, each in status.used.items()} == {
        "configmaps": "1",
        "count/deployments.apps": "0",
        "count/widgets.example.com": "0",
        "limits.memory": "129Mi",
        "memory": "65Mi",
        "persistentvolumeclaims": "1",
        "pods": "1",
        "requests.cpu": "300m",
        "requests.storage": "1500Mi",
        "secrets": "0",
        "services": "1",
        "services.nodeports": "1",
    }
    best = k.core_v1.resource_quotas(NAMESPACE).get("best").status
    assert {name: str(each) for name, each in best.used.items()} == {"pods": "0"}


def test_a_container_that_never_restarted_has_no_previous_log() -> None:
    cluster, k, _, _ = playing()
    spec = {"containers": [{"name": "main", "image": "x"}]}
    metadata = {"name": "web", "namespace": NAMESPACE}
    put(cluster, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    cluster.settle()
    assert k.core_v1.pods(NAMESPACE).logs("web")
    why = 'previous terminated container "main" in pod "web" not found'
    with pytest.raises(BadRequest, match=why):
        k.core_v1.pods(NAMESPACE).logs("web", previous=True)
