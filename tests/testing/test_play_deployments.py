"""Deployments, ReplicaSets and pods that are played: what is left when nothing changes any more."""

from __future__ import annotations

from typing import Any

import pytest
from support.play import (
    NAMESPACE,
    conditions,
    deployment,
    objects,
    one,
    playing,
    pod_spec,
    put,
    reasons,
    states,
    template,
    without,
)

from clientgen.testing import FakeClock, FakeCluster

NOW = "2026-01-01T00:00:00Z"


def sets(cluster: FakeCluster) -> list[dict[str, Any]]:
    """The ReplicaSets, by their revision."""
    return sorted(
        objects(cluster, "replicasets", "apps"),
        key=lambda each: int(each["metadata"]["annotations"]["deployment.kubernetes.io/revision"]),
    )


def test_deployment_is_there_when_the_request_returns() -> None:
    """Without delays everything has happened when the request that began it returns."""
    cluster, k, _, _ = playing()
    put(cluster, deployment(replicas=2))

    assert k.apps_v1.deployments(NAMESPACE).get("web").status.available_replicas == 2


def test_finished_deployment() -> None:
    """The status, the annotation and the conditions are those that the real controller leaves."""
    cluster, *_ = playing()
    put(cluster, deployment(replicas=2))
    [owned] = sets(cluster)
    value = one(cluster, "deployments", "web", "apps")

    assert value["metadata"]["annotations"] == {"deployment.kubernetes.io/revision": "1"}
    assert value["status"] == {
        "observedGeneration": 1,
        "replicas": 2,
        "updatedReplicas": 2,
        "readyReplicas": 2,
        "availableReplicas": 2,
        "terminatingReplicas": 0,
        "conditions": [
            {
                "type": "Available",
                "status": "True",
                "lastUpdateTime": NOW,
                "lastTransitionTime": NOW,
                "reason": "MinimumReplicasAvailable",
                "message": "Deployment has minimum availability.",
            },
            {
                "type": "Progressing",
                "status": "True",
                "lastUpdateTime": NOW,
                "lastTransitionTime": NOW,
                "reason": "NewReplicaSetAvailable",
                "message": f'ReplicaSet "{owned["metadata"]["name"]}" has successfully progressed.',
            },
        ],
    }


def test_replica_set_of_a_deployment() -> None:
    """A ReplicaSet has the hash in name, labels and selector, and the notes of the controller."""
    cluster, *_ = playing()
    put(cluster, deployment(replicas=2))
    [owned] = sets(cluster)
    owner = one(cluster, "deployments", "web", "apps")
    metadata = owned["metadata"]
    digest = metadata["labels"]["pod-template-hash"]

    assert metadata["name"] == f"web-{digest}"
    assert metadata["labels"] == {"app": "web", "pod-template-hash": digest}
    assert metadata["annotations"] == {
        "deployment.kubernetes.io/revision": "1",
        "deployment.kubernetes.io/desired-replicas": "2",
        "deployment.kubernetes.io/max-replicas": "3",
    }
    assert metadata["ownerReferences"] == [
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "name": "web",
            "uid": owner["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]
    assert owned["spec"]["selector"] == {"matchLabels": metadata["labels"]}
    assert owned["spec"]["template"]["metadata"]["labels"] == metadata["labels"]
    assert owned["status"] == {
        "replicas": 2,
        "fullyLabeledReplicas": 2,
        "readyReplicas": 2,
        "availableReplicas": 2,
        "terminatingReplicas": 0,
        "observedGeneration": 1,
    }


def test_pod_of_a_replica_set() -> None:
    """A pod has what the ReplicaSet, the scheduler and the kubelet write."""
    cluster, *_ = playing()
    put(cluster, deployment(replicas=1))
    [owned], [pod] = sets(cluster), objects(cluster, "pods")
    metadata = pod["metadata"]

    assert metadata["generateName"] == f"{owned['metadata']['name']}-"
    assert metadata["name"].startswith(metadata["generateName"])
    assert len(metadata["name"]) == len(metadata["generateName"]) + 5
    assert [each["uid"] for each in metadata["ownerReferences"]] == [owned["metadata"]["uid"]]
    assert [each["manager"] for each in metadata["managedFields"]] == [
        "kube-controller-manager",
        "kubelet",
    ]
    assert pod["spec"]["nodeName"] == "node-1"
    assert conditions(pod) == [
        ("PodReadyToStartContainers", "True", ""),
        ("Initialized", "True", ""),
        ("Ready", "True", ""),
        ("ContainersReady", "True", ""),
        ("PodScheduled", "True", ""),
    ]
    status = without(pod["status"], "conditions", "containerStatuses")
    assert status == {
        "observedGeneration": 1,
        "phase": "Running",
        "hostIP": "192.168.0.11",
        "hostIPs": [{"ip": "192.168.0.11"}],
        "podIP": "10.244.1.2",
        "podIPs": [{"ip": "10.244.1.2"}],
        "startTime": NOW,
        "qosClass": "BestEffort",
    }
    [container] = pod["status"]["containerStatuses"]
    assert without(container, "imageID", "containerID") == {
        "name": "main",
        "state": {"running": {"startedAt": NOW}},
        "lastState": {},
        "ready": True,
        "restartCount": 0,
        "image": "nginx:1",
        "started": True,
    }
    assert container["containerID"].startswith("containerd://")
    assert reasons(cluster, metadata["name"]) == ["Scheduled", "Pulled", "Created", "Started"]
    assert reasons(cluster, owned["metadata"]["name"]) == ["SuccessfulCreate"]
    assert reasons(cluster, "web") == ["ScalingReplicaSet"]


def test_names_are_the_same_in_every_run() -> None:
    """With the same seed and clock, names and times are equal."""
    runs = []
    for _ in range(2):
        cluster, *_ = playing()
        put(cluster, deployment(replicas=3))
        runs.append(objects(cluster, "pods"))

    assert runs[0] == runs[1]


def test_pods_start_on_the_clock() -> None:
    """A pod is ready when its time has come, not before."""
    cluster, _, clock, _ = playing(pod_start=2)
    put(cluster, deployment(replicas=1))
    assert states(objects(cluster, "pods")) == ["ContainerCreating"]
    assert conditions(one(cluster, "deployments", "web", "apps"))[0] == (
        "Available",
        "False",
        "MinimumReplicasUnavailable",
    )

    clock.step(1.9)
    assert states(objects(cluster, "pods")) == ["ContainerCreating"]
    clock.step(0.1)
    assert states(objects(cluster, "pods")) == ["running"]
    [pod] = objects(cluster, "pods")
    assert pod["status"]["containerStatuses"][0]["state"]["running"] == {
        "startedAt": "2026-01-01T00:00:02Z"
    }


def test_a_long_step_stops_on_the_way() -> None:
    """One long step does everything at its own time: a rolling update goes through its stages."""
    cluster, _, clock, _ = playing(pod_start=10)
    put(cluster, deployment(replicas=2))
    clock.step(60)
    put(cluster, deployment(replicas=2, image="nginx:2"))
    clock.step(60)

    started = sorted(
        pod["status"]["containerStatuses"][0]["state"]["running"]["startedAt"]
        for pod in objects(cluster, "pods")
    )
    assert started == ["2026-01-01T00:01:10Z", "2026-01-01T00:01:20Z"]


def test_settle() -> None:
    """`settle` moves the clock until nothing changes, and no further."""
    cluster, _, clock, _ = playing(pod_start=10)
    put(cluster, deployment(replicas=2))
    cluster.settle()

    assert clock.monotonic() == 10
    assert one(cluster, "deployments", "web", "apps")["status"]["availableReplicas"] == 2
    cluster.settle()
    assert clock.monotonic() == 10


def test_settle_has_a_limit() -> None:
    """`settle` says so if something takes longer than it may."""
    cluster, *_ = playing(pod_start=1000)
    put(cluster, deployment())
    with pytest.raises(TimeoutError, match="still has work after 60 seconds"):
        cluster.settle(limit=60)


def test_settle_needs_a_fake_clock() -> None:
    """The system's clock cannot be moved."""
    cluster = FakeCluster()
    cluster.settle()
    cluster.play(pod_start=1000)
    metadata = {"name": "web", "namespace": NAMESPACE}
    cluster.add({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod_spec()})
    with pytest.raises(ValueError, match="settle\\(\\) cannot move"):
        cluster.settle()


def test_rolling_update_keeps_to_its_limits() -> None:
    """There are never more pods than replicas and surge, nor too few available ones."""
    cluster, _, clock, _ = playing(pod_start=10)
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    put(cluster, deployment(replicas=3, strategy=rolling))
    cluster.settle()
    seen: list[tuple[int, int]] = []

    def look(*_: object) -> None:
        pods = [
            each
            for each in objects(cluster, "pods")
            if not each["metadata"].get("deletionTimestamp")
        ]
        ready = [each for each in pods if ("Ready", "True", "") in conditions(each)]
        seen.append((len(pods), len(ready)))

    cluster.server.cluster.store.collection("pods").watch(look)
    put(cluster, deployment(replicas=3, image="nginx:2", strategy=rolling))
    cluster.settle()

    assert max(total for total, _ in seen) == 4
    assert min(ready for _, ready in seen) == 3
    assert clock.monotonic() == 40
    old, new = sets(cluster)
    assert (old["spec"]["replicas"], new["spec"]["replicas"]) == (0, 3)
    assert {pod["spec"]["containers"][0]["image"] for pod in objects(cluster, "pods")} == {
        "nginx:2"
    }


def test_rollback_takes_the_old_replica_set() -> None:
    """An earlier template gets its earlier ReplicaSet, with a new number and a history."""
    cluster, *_ = playing()
    for image in ("nginx:1", "nginx:2", "nginx:1"):
        put(cluster, deployment(image=image))

    second, first = sets(cluster)
    assert second["metadata"]["annotations"]["deployment.kubernetes.io/revision"] == "2"
    annotations = first["metadata"]["annotations"]
    assert annotations["deployment.kubernetes.io/revision"] == "3"
    assert annotations["deployment.kubernetes.io/revision-history"] == "1"
    assert (second["spec"]["replicas"], first["spec"]["replicas"]) == (0, 2)
    owner = one(cluster, "deployments", "web", "apps")
    assert owner["metadata"]["annotations"]["deployment.kubernetes.io/revision"] == "3"


def test_old_replica_sets_go() -> None:
    """No more old ReplicaSets are kept than the history may have."""
    cluster, *_ = playing()
    for number in range(5):
        put(cluster, deployment(image=f"nginx:{number}", revisionHistoryLimit=2))

    images = [each["spec"]["template"]["spec"]["containers"][0]["image"] for each in sets(cluster)]
    assert images == ["nginx:2", "nginx:3", "nginx:4"]


def test_recreate() -> None:
    """New pods come when all old ones are gone."""
    cluster, _, clock, _ = playing(pod_stop=5)
    put(cluster, deployment(strategy={"type": "Recreate"}))
    put(cluster, deployment(image="nginx:2", strategy={"type": "Recreate"}))

    assert {each["spec"]["containers"][0]["image"] for each in objects(cluster, "pods")} == {
        "nginx:1"
    }
    assert len(sets(cluster)) == 1
    cluster.settle()
    assert clock.monotonic() == 5
    assert {each["spec"]["containers"][0]["image"] for each in objects(cluster, "pods")} == {
        "nginx:2"
    }


def test_scaling_in_the_middle_of_a_rollout() -> None:
    """Replicas are added in proportion to the sizes of the ReplicaSets."""
    cluster, _, clock, _ = playing(pod_start=10)
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 3, "maxUnavailable": 2}}
    put(cluster, deployment(replicas=10, strategy=rolling))
    cluster.settle()
    put(cluster, deployment(replicas=10, image="nginx:2", strategy=rolling))
    assert [each["spec"]["replicas"] for each in sets(cluster)] == [8, 5]

    put(cluster, deployment(replicas=15, image="nginx:2", strategy=rolling))
    assert [each["spec"]["replicas"] for each in sets(cluster)] == [11, 7]
    clock.step(100)
    assert [each["spec"]["replicas"] for each in sets(cluster)] == [0, 15]


def test_paused() -> None:
    """A paused Deployment can be scaled, but rolls nothing out."""
    cluster, *_ = playing()
    put(cluster, deployment())
    put(cluster, deployment(image="nginx:2", replicas=3, paused=True))

    [only] = sets(cluster)
    assert only["status"]["replicas"] == 3
    assert ("Progressing", "Unknown", "DeploymentPaused") in conditions(
        one(cluster, "deployments", "web", "apps")
    )
    put(cluster, deployment(image="nginx:2", replicas=3, paused=False))
    assert [each["spec"]["replicas"] for each in sets(cluster)] == [0, 3]


def test_stuck_rollout() -> None:
    """A rollout that does not get on is reported when its deadline has passed."""
    cluster, _, clock, play = playing()
    put(cluster, deployment(progressDeadlineSeconds=60))
    play.pods(NAMESPACE, "web-*").fail_to_pull()
    put(cluster, deployment(image="nginx:2", progressDeadlineSeconds=60))
    assert states(objects(cluster, "pods")).count("ImagePullBackOff") == 1

    clock.step(62)
    assert conditions(one(cluster, "deployments", "web", "apps")) == [
        ("Available", "True", "MinimumReplicasAvailable"),
        ("Progressing", "False", "ProgressDeadlineExceeded"),
    ]
    play.clear()
    assert conditions(one(cluster, "deployments", "web", "apps"))[1] == (
        "Progressing",
        "True",
        "NewReplicaSetAvailable",
    )


def test_min_ready_seconds() -> None:
    """A pod is available when it has been ready for long enough."""
    cluster, _, clock, _ = playing()
    put(cluster, deployment(replicas=1, minReadySeconds=30))
    status = one(cluster, "deployments", "web", "apps")["status"]
    assert (status.get("readyReplicas"), status.get("availableReplicas")) == (1, None)

    cluster.settle()
    assert clock.monotonic() == 30
    assert one(cluster, "deployments", "web", "apps")["status"]["availableReplicas"] == 1


def test_deleted_deployment() -> None:
    """Everything that belongs to a Deployment goes with it."""
    cluster, k, *_ = playing(pod_stop=3)
    put(cluster, deployment())
    k.apps_v1.deployments(NAMESPACE).delete("web")
    assert all(pod["metadata"]["deletionTimestamp"] for pod in objects(cluster, "pods"))

    cluster.settle()
    assert objects(cluster, "replicasets", "apps") == []
    assert objects(cluster, "pods") == []


def test_foreground_deletion() -> None:
    """With foreground deletion the owner goes last."""
    cluster, k, *_ = playing(pod_stop=3)
    put(cluster, deployment())
    k.apps_v1.deployments(NAMESPACE).delete("web", propagation_policy="Foreground")
    assert one(cluster, "deployments", "web", "apps")["metadata"]["deletionTimestamp"]

    cluster.settle()
    assert objects(cluster, "deployments", "apps") == []
    assert objects(cluster, "pods") == []


def test_orphans_are_adopted() -> None:
    """A Deployment takes over the ReplicaSet that an earlier one left behind."""
    cluster, k, *_ = playing()
    put(cluster, deployment())
    k.apps_v1.deployments(NAMESPACE).delete("web", propagation_policy="Orphan")
    pods = [each["metadata"]["uid"] for each in objects(cluster, "pods")]
    assert len(pods) == 2
    put(cluster, deployment())

    [owned] = sets(cluster)
    owner = one(cluster, "deployments", "web", "apps")
    assert owned["metadata"]["ownerReferences"][0]["uid"] == owner["metadata"]["uid"]
    assert [each["metadata"]["uid"] for each in objects(cluster, "pods")] == pods


def test_a_pod_that_is_relabelled_is_replaced() -> None:
    """A pod without the labels belongs to nobody any more."""
    cluster, k, *_ = playing()
    put(cluster, deployment(replicas=1))
    [pod] = objects(cluster, "pods")
    name = pod["metadata"]["name"]
    k.core_v1.pods(NAMESPACE).edit(name, lambda each: each.metadata.labels.update(app="debug"))

    pods = objects(cluster, "pods")
    assert len(pods) == 2
    released = one(cluster, "pods", name)
    assert "ownerReferences" not in released["metadata"]


def test_too_many_pods() -> None:
    """Controllers create pods up to a limit, and say so."""
    cluster, *_ = playing(max_pods=3)
    put(cluster, deployment(replicas=5))

    assert len(objects(cluster, "pods")) == 3
    failure = conditions(one(cluster, "deployments", "web", "apps"))
    assert ("ReplicaFailure", "True", "FailedCreate") in failure
    [owned] = sets(cluster)
    assert "raise its max_pods" in owned["status"]["conditions"][0]["message"]


def test_nodes_that_are_there_are_used() -> None:
    """Nodes of the test are used; pods without a place wait, and get one when there is room."""
    clock = FakeClock()
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "small"},
        "status": {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "10"}},
    }
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    cluster = FakeCluster(node, namespace, clock=clock)
    cluster.play()
    spec = template("web")
    spec["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "600m"}}
    put(cluster, deployment(replicas=2, template=spec))

    placed, waiting = sorted(
        objects(cluster, "pods"), key=lambda each: "nodeName" not in each["spec"]
    )
    assert placed["spec"]["nodeName"] == "small"
    assert waiting["status"]["conditions"][0]["message"] == (
        "0/1 nodes are available: 1 Insufficient cpu."
    )
    cluster.add({**node, "metadata": {"name": "other"}})
    assert states(objects(cluster, "pods")) == ["running", "running"]


def test_play_twice() -> None:
    """A cluster plays once."""
    cluster, *_ = playing()
    with pytest.raises(RuntimeError, match="called before"):
        cluster.play()


@pytest.mark.parametrize(
    "options",
    [
        {"pod_start": -1},
        {"nodes": -1},
        {"nodes": 100000},
        {"max_pods": -5},
        {"job_run": float("nan")},
    ],
)
def test_nonsense(options: dict[str, Any]) -> None:
    """Numbers that make no sense are refused, by name."""
    with pytest.raises(ValueError, match=next(iter(options))):
        FakeCluster().play(**options)


def test_without_play_nothing_moves() -> None:
    """A cluster that does not play leaves workloads alone."""
    cluster = FakeCluster(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    )
    put(cluster, deployment())

    assert objects(cluster, "replicasets", "apps") == []
    assert (
        "status" not in one(cluster, "deployments", "web", "apps")
        or not one(cluster, "deployments", "web", "apps")["status"]
    )


def test_play_finds_what_is_there() -> None:
    """What was there before `play` is played too."""
    clock = FakeClock()
    cluster = FakeCluster(deployment(), clock=clock)
    cluster.play()

    assert states(objects(cluster, "pods")) == ["running", "running"]
