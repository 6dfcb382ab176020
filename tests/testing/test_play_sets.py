"""StatefulSets, DaemonSets and their volumes that are played."""

from __future__ import annotations

from typing import Any

import pytest
from support.play import (
    NAMESPACE,
    conditions,
    objects,
    one,
    playing,
    put,
    reasons,
    states,
    template,
    without,
)

from clientgen.testing import FakeCluster

NOW = "2026-01-01T00:00:00Z"


def stateful(replicas: int = 3, image: str = "nginx:1", **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "db", "namespace": NAMESPACE},
        "spec": {
            "replicas": replicas,
            "serviceName": "db",
            "selector": {"matchLabels": {"app": "db"}},
            "template": template("db", image),
            **spec,
        },
    }


def daemon(
    image: str = "nginx:1", spec: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "logs", "namespace": NAMESPACE},
        "spec": {
            "selector": {"matchLabels": {"app": "logs"}},
            "template": template("logs", image, **(spec or {})),
            **more,
        },
    }


def names(cluster: FakeCluster) -> list[str]:
    return [each["metadata"]["name"] for each in objects(cluster, "pods")]


def images(cluster: FakeCluster) -> dict[str, str]:
    return {
        each["metadata"]["name"]: each["spec"]["containers"][0]["image"]
        for each in objects(cluster, "pods")
    }


def revisions(cluster: FakeCluster) -> list[tuple[int, str]]:
    """The number and the image of each revision."""
    found = objects(cluster, "controllerrevisions", "apps")
    return sorted(
        (
            each["revision"],
            each["data"]["spec"]["template"]["spec"]["containers"][0]["image"],
        )
        for each in found
    )


# ---------------------------------------------------------------------------- StatefulSets


def test_finished_stateful_set() -> None:
    """The status, the revision and the pods are those that the real controller leaves."""
    cluster, *_ = playing()
    put(cluster, stateful(2))
    [revision] = objects(cluster, "controllerrevisions", "apps")
    name = revision["metadata"]["name"]
    owner = one(cluster, "statefulsets", "db", "apps")

    assert owner["status"] == {
        "observedGeneration": 1,
        "replicas": 2,
        "readyReplicas": 2,
        "currentReplicas": 2,
        "updatedReplicas": 2,
        "availableReplicas": 2,
        "currentRevision": name,
        "updateRevision": name,
        "collisionCount": 0,
    }
    assert revision["revision"] == 1
    assert revision["data"]["spec"]["template"]["$patch"] == "replace"
    assert revision["metadata"]["ownerReferences"][0]["uid"] == owner["metadata"]["uid"]
    assert name == f"db-{revision['metadata']['labels']['controller.kubernetes.io/hash']}"
    pod = one(cluster, "pods", "db-1")
    assert pod["metadata"]["labels"] == {
        "app": "db",
        "controller-revision-hash": name,
        "statefulset.kubernetes.io/pod-name": "db-1",
        "apps.kubernetes.io/pod-index": "1",
    }
    assert (pod["spec"]["hostname"], pod["spec"]["subdomain"]) == ("db-1", "db")
    assert reasons(cluster, "db") == ["SuccessfulCreate", "SuccessfulCreate"]


def test_pods_start_in_order() -> None:
    """A pod starts when the one before it is ready."""
    cluster, _, clock, _ = playing(pod_start=10)
    put(cluster, stateful(3))
    seen = []
    for _ in range(3):
        seen.append(names(cluster))
        clock.step(10)

    assert seen == [["db-0"], ["db-0", "db-1"], ["db-0", "db-1", "db-2"]]
    assert one(cluster, "statefulsets", "db", "apps")["status"]["readyReplicas"] == 3


def test_pods_start_in_parallel() -> None:
    """With the policy Parallel all pods start at once."""
    cluster, _, clock, _ = playing(pod_start=10)
    put(cluster, stateful(3, podManagementPolicy="Parallel"))
    assert names(cluster) == ["db-0", "db-1", "db-2"]
    cluster.settle()

    assert clock.monotonic() == 10


def test_pods_end_in_order() -> None:
    """The last pod goes first, and the others wait for it."""
    cluster, _, clock, _ = playing(pod_stop=5)
    put(cluster, stateful(3))
    put(cluster, stateful(1))
    going = [
        each["metadata"]["name"]
        for each in objects(cluster, "pods")
        if each["metadata"].get("deletionTimestamp")
    ]
    assert going == ["db-2"]
    cluster.settle()

    assert clock.monotonic() == 10
    assert names(cluster) == ["db-0"]


def test_rolling_update_of_a_stateful_set() -> None:
    """Pods are replaced from the last one on; the revision becomes the current one at the end."""
    cluster, _, clock, _ = playing(pod_start=10)
    put(cluster, stateful(2))
    cluster.settle()
    put(cluster, stateful(2, "nginx:2"))
    status = one(cluster, "statefulsets", "db", "apps")["status"]
    assert status["currentRevision"] != status["updateRevision"]
    assert images(cluster) == {"db-0": "nginx:1", "db-1": "nginx:2"}

    cluster.settle()
    assert clock.monotonic() == 40
    assert images(cluster) == {"db-0": "nginx:2", "db-1": "nginx:2"}
    status = one(cluster, "statefulsets", "db", "apps")["status"]
    assert status["currentRevision"] == status["updateRevision"]
    assert (status["currentReplicas"], status["updatedReplicas"]) == (2, 2)
    assert revisions(cluster) == [(1, "nginx:1"), (2, "nginx:2")]


def test_partition() -> None:
    """Pods below the partition keep the current revision, even if they are created anew."""
    cluster, k, *_ = playing()
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    put(cluster, stateful(3, updateStrategy=rolling))
    put(cluster, stateful(3, "nginx:2", updateStrategy=rolling))
    k.core_v1.pods(NAMESPACE).delete("db-0")

    assert images(cluster) == {"db-0": "nginx:1", "db-1": "nginx:1", "db-2": "nginx:2"}
    status = one(cluster, "statefulsets", "db", "apps")["status"]
    assert (status["currentReplicas"], status["updatedReplicas"]) == (2, 1)


def test_a_stateful_set_waits_for_a_broken_pod() -> None:
    """A pod that does not get ready holds up the others."""
    cluster, _, _, play = playing()
    play.pods(NAMESPACE, "db-1").never_ready()
    put(cluster, stateful(3))
    assert names(cluster) == ["db-0", "db-1"]
    play.clear()

    assert names(cluster) == ["db-0", "db-1", "db-2"]


def test_a_pod_that_is_evicted_comes_back() -> None:
    """A pod of a StatefulSet that has failed is replaced by one of the same name."""
    cluster, _, _, play = playing()
    put(cluster, stateful(1))
    [before] = objects(cluster, "pods")
    play.pods(NAMESPACE, "db-*").evict()

    [after] = objects(cluster, "pods")
    assert after["metadata"]["name"] == "db-0"
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    assert states([after]) == ["running"]


def test_rollback_of_a_stateful_set() -> None:
    """An earlier template gets its earlier revision, with a new number."""
    cluster, *_ = playing()
    for image in ("nginx:1", "nginx:2", "nginx:1"):
        put(cluster, stateful(1, image))

    assert revisions(cluster) == [(2, "nginx:2"), (3, "nginx:1")]


def test_old_revisions_go() -> None:
    """No more revisions are kept than the history may have."""
    cluster, *_ = playing()
    for number in range(5):
        put(cluster, stateful(1, f"nginx:{number}", revisionHistoryLimit=1))

    assert revisions(cluster) == [(4, "nginx:3"), (5, "nginx:4")]


def test_volume_claims() -> None:
    """Each pod has its own claim, which gets a volume and outlives the pod."""
    cluster, k, *_ = playing()
    claim = {
        "metadata": {"name": "data"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }
    put(cluster, stateful(2, volumeClaimTemplates=[claim]))
    claims = objects(cluster, "persistentvolumeclaims")
    volumes = cluster.server.cluster.list("", "persistentvolumes")

    assert [each["metadata"]["name"] for each in claims] == ["data-db-0", "data-db-1"]
    assert claims[0]["metadata"]["labels"] == {"app": "db"}
    assert claims[0]["status"] == {
        "phase": "Bound",
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": "1Gi"},
    }
    assert {each["spec"]["volumeName"] for each in claims} == {
        each["metadata"]["name"] for each in volumes
    }
    assert {each["status"]["phase"] for each in volumes} == {"Bound"}
    assert one(cluster, "pods", "db-0")["spec"]["volumes"][0] == {
        "name": "data",
        "persistentVolumeClaim": {"claimName": "data-db-0"},
    }
    put(cluster, stateful(1, volumeClaimTemplates=[claim]))
    assert len(objects(cluster, "persistentvolumeclaims")) == 2
    k.core_v1.persistent_volume_claims(NAMESPACE).delete("data-db-1")
    assert len(objects(cluster, "persistentvolumeclaims")) == 1
    assert len(cluster.server.cluster.list("", "persistentvolumes")) == 1


def test_a_claim_in_use_is_protected() -> None:
    """A claim that is deleted waits until no pod uses it."""
    cluster, k, *_ = playing()
    claim = {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    put(cluster, stateful(1, volumeClaimTemplates=[claim]))
    k.core_v1.persistent_volume_claims(NAMESPACE).delete("data-db-0")
    assert one(cluster, "persistentvolumeclaims", "data-db-0")["metadata"]["deletionTimestamp"]
    k.apps_v1.stateful_sets(NAMESPACE).delete("db")

    assert objects(cluster, "pods") == []
    assert objects(cluster, "persistentvolumeclaims") == []


# ------------------------------------------------------------------------------ DaemonSets


def test_finished_daemon_set() -> None:
    """There is a pod on each node, with the labels and tolerations of daemons."""
    cluster, *_ = playing(nodes=3)
    put(cluster, daemon())
    [revision] = objects(cluster, "controllerrevisions", "apps")
    pods = objects(cluster, "pods")

    assert one(cluster, "daemonsets", "logs", "apps")["status"] == {
        "currentNumberScheduled": 3,
        "numberMisscheduled": 0,
        "desiredNumberScheduled": 3,
        "numberReady": 3,
        "observedGeneration": 1,
        "updatedNumberScheduled": 3,
        "numberAvailable": 3,
    }
    assert sorted(each["spec"]["nodeName"] for each in pods) == ["node-1", "node-2", "node-3"]
    digest = revision["metadata"]["labels"]["controller-revision-hash"]
    assert revision["metadata"]["name"] == f"logs-{digest}"
    assert pods[0]["metadata"]["labels"] == {
        "app": "logs",
        "controller-revision-hash": digest,
        "pod-template-generation": "1",
    }
    assert {each["key"] for each in pods[0]["spec"]["tolerations"]} == {
        f"node.kubernetes.io/{name}"
        for name in (
            "not-ready",
            "unreachable",
            "disk-pressure",
            "memory-pressure",
            "pid-pressure",
            "unschedulable",
        )
    }


def test_daemon_on_chosen_nodes() -> None:
    """Only nodes with the labels get a pod; it goes when they lose them."""
    cluster, k, *_ = playing(nodes=3)
    k.core_v1.nodes().edit("node-2", lambda node: node.metadata.labels.update(disk="ssd"))
    put(cluster, daemon(spec={"nodeSelector": {"disk": "ssd"}}))
    [pod] = objects(cluster, "pods")
    assert pod["spec"]["nodeName"] == "node-2"

    k.core_v1.nodes().edit("node-3", lambda node: node.metadata.labels.update(disk="ssd"))
    assert len(objects(cluster, "pods")) == 2
    k.core_v1.nodes().edit("node-2", lambda node: node.metadata.labels.pop("disk"))
    [pod] = objects(cluster, "pods")
    assert pod["spec"]["nodeName"] == "node-3"


def test_daemon_respects_taints() -> None:
    """A node with a taint gets a pod only if that is tolerated; new nodes get theirs."""
    cluster, *_ = playing(nodes=1)
    node: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "tainted"},
        "spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]},
    }
    cluster.add(node)
    put(cluster, daemon())
    assert [each["spec"]["nodeName"] for each in objects(cluster, "pods")] == ["node-1"]

    put(cluster, daemon(spec={"tolerations": [{"key": "gpu", "operator": "Exists"}]}))
    assert sorted(each["spec"]["nodeName"] for each in objects(cluster, "pods")) == [
        "node-1",
        "tainted",
    ]
    cluster.add({**node, "metadata": {"name": "another"}})
    assert len(objects(cluster, "pods")) == 3


@pytest.mark.parametrize(
    ("rolling", "seconds"),
    [
        ({"maxUnavailable": 1}, 30),
        ({"maxUnavailable": 3}, 10),
        ({"maxSurge": 2, "maxUnavailable": 0}, 20),
    ],
)
def test_rolling_update_of_a_daemon_set(rolling: dict[str, int], seconds: int) -> None:
    """As many nodes are updated at once as the strategy allows."""
    cluster, _, clock, _ = playing(nodes=3, pod_start=10)
    strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
    put(cluster, daemon(updateStrategy=strategy))
    cluster.settle()
    put(cluster, daemon("nginx:2", updateStrategy=strategy))
    cluster.settle()

    assert clock.monotonic() == 10 + seconds
    assert set(images(cluster).values()) == {"nginx:2"}
    status = one(cluster, "daemonsets", "logs", "apps")["status"]
    assert (status["updatedNumberScheduled"], status["numberAvailable"]) == (3, 3)
    assert revisions(cluster) == [(1, "nginx:1"), (2, "nginx:2")]


def test_a_daemon_that_fails_is_replaced() -> None:
    """A pod of a DaemonSet that has ended is replaced."""
    cluster, _, _, play = playing()
    put(cluster, daemon())
    [before] = objects(cluster, "pods")
    play.pods(NAMESPACE).evict()

    [after] = objects(cluster, "pods")
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    assert ("Ready", "True", "") in conditions(after)
    assert "FailedDaemonPod" in reasons(cluster, "logs")
    assert without(one(cluster, "daemonsets", "logs", "apps")["status"], "numberReady") != {}


def test_events_are_written_as_the_components_write_them():
    cluster, *_ = playing()
    put(cluster, stateful(1))
    (scheduled,) = [each for each in objects(cluster, "events") if each.get("action")]
    assert (scheduled["reason"], scheduled["action"]) == ("Scheduled", "Binding")
    assert scheduled["reportingComponent"] == "default-scheduler"
    assert scheduled["eventTime"].endswith("Z")
    assert "count" not in scheduled
    messages = {each["message"] for each in objects(cluster, "events")}
    assert "Create Pod db-0 in StatefulSet db successful" in messages
    (revision,) = objects(cluster, "controllerrevisions", "apps")
    assert "annotations" not in revision["metadata"]
