"""`ready` and `rolled_out`, kind by kind, against the rules of kstatus and kubectl."""

from __future__ import annotations

from typing import Any

import pytest

from clientgen.runtime._models.unstructured import Unstructured
from clientgen.runtime.conditions import ready, rolled_out

GROUPS = {
    "Deployment": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "ReplicaSet": "apps/v1",
    "Job": "batch/v1",
    "CronJob": "batch/v1",
    "PodDisruptionBudget": "policy/v1",
    "CustomResourceDefinition": "apiextensions.k8s.io/v1",
    "APIService": "apiregistration.k8s.io/v1",
    "Order": "shop.example/v1",
}


def made(kind: str, status: dict[str, Any] | None, spec: dict[str, Any], **meta: Any) -> Any:
    obj = {"apiVersion": GROUPS.get(kind, "v1"), "kind": kind, "spec": spec}
    obj["metadata"] = {"name": "x", "generation": 1, **meta}
    return Unstructured(obj | ({} if status is None else {"status": status}))


def on(*conditions: tuple[str, ...]) -> list[dict[str, str]]:
    names = ("type", "status", "reason", "message")
    return [dict(zip(names, each, strict=False)) for each in conditions]


def replicas(observed: int = 1, **counts: Any) -> dict[str, Any]:
    names = {"has": "replicas", "updated": "updatedReplicas", "ready": "readyReplicas"}
    names |= {"available": "availableReplicas", "current": "currentReplicas"}
    names |= {"labelled": "fullyLabeledReplicas"}
    status = {names.get(name, name): value for name, value in counts.items()}
    return {"observedGeneration": observed, **status}


ALL = {"has": 2, "updated": 2, "ready": 2, "available": 2, "current": 2, "labelled": 2}
TWO = {"replicas": 2}
PROGRESS = on(("Progressing", "True", "NewReplicaSetAvailable"), ("Available", "True"))
ONDELETE = {"updateStrategy": {"type": "OnDelete"}}
NODES = {"currentNumberScheduled": 2, "updatedNumberScheduled": 2}
NODES |= {"numberAvailable": 2, "numberReady": 2, "desiredNumberScheduled": 2}
MAIN = {"name": "main", "restartCount": 3}
CRASH = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}}
PULL = {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}
EXITED = {"terminated": {"exitCode": 3, "reason": "Error"}}
YES = True
STUCK = "failed: "


def partition(at: int) -> dict[str, Any]:
    return {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": at}}}


# Kind, status, spec; then True, or why it is not ready (behind STUCK where that is final).
CASES: list[tuple[str, dict[str, Any] | None, dict[str, Any], bool | str]] = [
    # Every kind
    ("Deployment", replicas(0, **ALL), TWO, "its controller has not seen generation 1 yet"),
    ("Order", {"observedGeneration": 0}, {}, "its controller has not seen generation 1 yet"),
    ("Order", {"observedGeneration": 1}, {}, YES),
    ("Order", None, {}, YES),
    ("Order", {"conditions": on(("Ready", "True"))}, {}, YES),
    ("Order", {"conditions": on(("Ready", "False", "No", "why"))}, {}, "Ready is False (No: why)"),
    ("Order", {"conditions": on(("Ready", "Unknown"))}, {}, "its condition Ready is Unknown"),
    ("Order", {"conditions": on(("Ready", "odd"))}, {}, YES),
    (
        "Order",
        {"conditions": on(("Ready", "True"), ("Reconciling", "True", "New", "at it"))},
        {},
        "its controller is reconciling (New: at it)",
    ),
    ("Order", {"conditions": on(("Reconciling", "False"))}, {}, YES),
    (
        "Order",
        {"conditions": on(("Ready", "True"), ("Stalled", "True", "Bad", "give up"))},
        {},
        STUCK + "its controller is stalled (Bad: give up)",
    ),
    # Deployment
    ("Deployment", None, TWO, "it has seen none"),
    ("Deployment", replicas(), {}, "0 of 1 replicas exist"),
    ("Deployment", replicas(has=1), TWO, "1 of 2 replicas exist"),
    ("Deployment", replicas(has=2, updated=1), TWO, "1 of 2 replicas are updated"),
    ("Deployment", replicas(has=3, updated=2), TWO, "1 more replicas than wanted"),
    (
        "Deployment",
        replicas(has=2, updated=2, available=1),
        TWO,
        "1 of 2 updated replicas are available",
    ),
    (
        "Deployment",
        replicas(has=2, updated=2, available=2, ready=1),
        TWO,
        "1 of 2 replicas are ready",
    ),
    ("Deployment", replicas(**ALL), TWO, "its condition Available is not True yet"),
    (
        "Deployment",
        replicas(**ALL),
        TWO | {"progressDeadlineSeconds": 600},
        "its new ReplicaSet is not available yet",
    ),
    (
        "Deployment",
        replicas(**ALL, conditions=PROGRESS),
        TWO | {"progressDeadlineSeconds": 600},
        YES,
    ),
    ("Deployment", replicas(**ALL, conditions=on(("Available", "True"))), TWO, YES),
    (
        "Deployment",
        replicas(has=2, conditions=on(("Progressing", "False", "ProgressDeadlineExceeded", "m"))),
        TWO,
        STUCK + "the rollout has exceeded its progress deadline (ProgressDeadlineExceeded: m)",
    ),
    (
        "Deployment",
        replicas(conditions=on(("ReplicaFailure", "True", "FailedCreate", "exceeded quota"))),
        TWO,
        "0 of 2 replicas exist; ReplicaFailure (FailedCreate: exceeded quota)",
    ),
    ("Deployment", replicas(conditions=PROGRESS), {"replicas": 0}, YES),
    # ReplicaSet
    ("ReplicaSet", replicas(has=2, labelled=1), TWO, "have the labels of the template"),
    ("ReplicaSet", replicas(has=2, labelled=2, available=1), TWO, "replicas are available"),
    ("ReplicaSet", replicas(has=2, labelled=2, available=2), TWO, "0 of 2 replicas are ready"),
    ("ReplicaSet", replicas(**ALL | {"has": 3}), TWO, "1 more replicas than wanted"),
    ("ReplicaSet", replicas(**ALL), TWO, YES),
    (
        "ReplicaSet",
        replicas(**ALL, conditions=on(("ReplicaFailure", "True", "Quota"))),
        TWO,
        "ReplicaFailure (Quota)",
    ),
    ("ReplicationController", replicas(**ALL), TWO, YES),
    # StatefulSet
    ("StatefulSet", None, ONDELETE, "it has seen none"),
    ("StatefulSet", replicas(), ONDELETE, YES),
    ("StatefulSet", replicas(has=1), TWO, "1 of 2 replicas exist"),
    ("StatefulSet", replicas(has=2, ready=1), TWO, "1 of 2 replicas are ready"),
    ("StatefulSet", replicas(has=3, ready=2), TWO, "1 more replicas than wanted"),
    ("StatefulSet", replicas(**ALL | {"updated": 1}), TWO | partition(0), "1 of 2 replicas are up"),
    ("StatefulSet", replicas(**ALL | {"updated": 1}), TWO | partition(1), YES),
    ("StatefulSet", replicas(**ALL | {"updated": 0}), TWO | partition(9), YES),
    ("StatefulSet", replicas(**ALL | {"current": 1}), TWO, "1 of 2 replicas are of the current"),
    (
        "StatefulSet",
        replicas(**ALL, currentRevision="a", updateRevision="b"),
        TWO,
        "its new revision is not the current one yet",
    ),
    ("StatefulSet", replicas(**ALL, currentRevision="a", updateRevision="a"), TWO, YES),
    # DaemonSet
    ("DaemonSet", {"observedGeneration": 1}, {}, "has not counted the nodes yet"),
    ("DaemonSet", None, {}, "it has seen none"),
    ("DaemonSet", replicas(**NODES), {}, YES),
    ("DaemonSet", replicas(**NODES | {"desiredNumberScheduled": 0}), {}, YES),
    ("DaemonSet", replicas(**NODES | {"currentNumberScheduled": 1}), {}, "1 of 2 nodes have a Pod"),
    ("DaemonSet", replicas(**NODES | {"updatedNumberScheduled": 1}), {}, "Pods are updated"),
    ("DaemonSet", replicas(**NODES | {"numberAvailable": 0}), {}, "0 of 2 Pods are available"),
    ("DaemonSet", replicas(**NODES | {"numberReady": 1}), {}, "1 of 2 Pods are ready"),
    # Pod
    ("Pod", None, {}, "the Pod has no phase yet"),
    ("Pod", {"phase": "Pending"}, {}, "the Pod is Pending"),
    ("Pod", {"phase": "Running", "conditions": on(("Ready", "True"))}, {}, YES),
    (
        "Pod",
        {"phase": "Running", "conditions": on(("Ready", "False", "ContainersNotReady", "[main]"))},
        {},
        "the Pod is Running, but not Ready; ContainersNotReady: [main]",
    ),
    ("Pod", {"phase": "Succeeded"}, {}, YES),
    ("Pod", {"phase": "Failed", "reason": "Evicted"}, {}, STUCK + "the Pod has Failed (Evicted)"),
    (
        "Pod",
        {"phase": "Failed", "containerStatuses": [MAIN | {"state": EXITED}]},
        {},
        STUCK + "the Pod has Failed; container main: it exited with code 3 (Error)",
    ),
    (
        "Pod",
        {"phase": "Running", "containerStatuses": [MAIN | {"state": CRASH, "lastState": EXITED}]},
        {},
        "container main: CrashLoopBackOff: back-off 10s; before that it exited with code 3 (Error)",
    ),
    (
        "Pod",
        {"phase": "Pending", "initContainerStatuses": [MAIN | {"state": PULL}]},
        {},
        "the Pod is Pending; container main: ImagePullBackOff: no such image",
    ),
    (
        "Pod",
        {
            "phase": "Pending",
            "containerStatuses": [MAIN | {"state": {"waiting": {"reason": "ContainerCreating"}}}],
        },
        {},
        "the Pod is Pending",
    ),
    (
        "Pod",
        {
            "phase": "Pending",
            "conditions": on(("PodScheduled", "False", "Unschedulable", "0/3 nodes")),
        },
        {},
        "the Pod is Pending; Unschedulable: 0/3 nodes",
    ),
    # Job
    ("Job", {}, {}, "the Job has not started"),
    ("Job", {"startTime": "2026-01-01T00:00:00Z"}, {}, YES),
    ("Job", {"conditions": on(("Complete", "True"))}, {}, YES),
    (
        "Job",
        {"startTime": "t", "conditions": on(("Failed", "True", "BackoffLimitExceeded", "m"))},
        {},
        STUCK + "the Job has Failed (BackoffLimitExceeded: m)",
    ),
    ("Job", {"conditions": on(("Suspended", "True"))}, {"suspend": True}, YES),
    ("Job", {"conditions": on(("Suspended", "True"))}, {}, "the Job has not started"),
    ("CronJob", {}, {}, YES),
    # Others
    ("ConfigMap", None, {}, YES),
    ("Namespace", {"phase": "Active"}, {}, YES),
    ("PersistentVolumeClaim", {"phase": "Bound"}, {}, YES),
    ("PersistentVolumeClaim", {"phase": "Pending"}, {}, "not Bound (its phase is Pending)"),
    ("PersistentVolumeClaim", {}, {}, "not Bound (its phase is empty)"),
    ("PersistentVolumeClaim", {"phase": "Lost"}, {}, STUCK + "the claim is Lost"),
    ("Service", {}, {"type": "ClusterIP"}, YES),
    ("Service", {}, {"type": "LoadBalancer"}, "the Service has no clusterIP yet"),
    ("Service", {}, {"type": "LoadBalancer", "clusterIP": "10.0.0.1"}, "no address yet"),
    (
        "Service",
        {"loadBalancer": {"ingress": [{"hostname": "a.example"}]}},
        {"type": "LoadBalancer", "clusterIP": "10.0.0.1"},
        YES,
    ),
    ("PodDisruptionBudget", {"observedGeneration": 1}, {}, YES),
    ("PodDisruptionBudget", {"observedGeneration": 0}, {}, "has not seen generation 1"),
    ("CustomResourceDefinition", {}, {}, "it is not Established yet"),
    (
        "CustomResourceDefinition",
        {"conditions": on(("Established", "False", "Installing"))},
        {},
        "it is not Established yet",
    ),
    (
        "CustomResourceDefinition",
        {"conditions": on(("Established", "False", "Broken", "m"))},
        {},
        STUCK + "it is not Established (Broken: m)",
    ),
    (
        "CustomResourceDefinition",
        {"conditions": on(("NamesAccepted", "False", "Conflict"), ("Established", "True"))},
        {},
        STUCK + "its names are not accepted (Conflict)",
    ),
    ("CustomResourceDefinition", {"conditions": on(("Established", "True"))}, {}, YES),
    ("APIService", {"conditions": on(("Available", "True"))}, {}, YES),
    ("APIService", {}, {}, "its server is not available yet"),
    (
        "APIService",
        {"conditions": on(("Available", "False", "MissingEndpoints"))},
        {},
        "its server is not available (MissingEndpoints)",
    ),
    ("Node", {"conditions": on(("Ready", "True"))}, {}, YES),
    ("Node", {"conditions": on(("Ready", "Unknown", "NodeStatusUnknown"))}, {}, "Ready is Unknown"),
]


@pytest.mark.parametrize(("kind", "status", "spec", "expected"), CASES)
def test_readiness(kind: str, status: Any, spec: Any, expected: bool | str):
    verdict = ready.check(made(kind, status, spec))
    if expected is True:
        assert verdict.met, verdict
        return
    assert not verdict.met, verdict
    final = expected.startswith(STUCK)
    assert verdict.failed is final
    assert expected.removeprefix(STUCK) in verdict.why


@pytest.mark.parametrize("kind", ["Deployment", "Pod", "ConfigMap", "Namespace", "Order"])
def test_what_is_being_deleted_is_not_ready(kind: str):
    obj = made(kind, {}, {}, deletionTimestamp="2026-01-01T00:00:00Z")
    assert ready.check(obj).why == "it is being deleted"


ROLLOUTS: list[tuple[str, dict[str, Any] | None, dict[str, Any], bool | str]] = [
    ("Deployment", replicas(0), TWO, "its controller has not seen generation 1 yet"),
    ("Deployment", None, TWO, "its controller has not seen generation 1 yet"),
    ("Deployment", replicas(has=2, updated=1), TWO, "1 of 2 new replicas have been updated"),
    ("Deployment", replicas(has=3, updated=2), TWO, "1 old replicas are pending termination"),
    ("Deployment", replicas(has=2, updated=2), TWO, "0 of 2 updated replicas are available"),
    ("Deployment", replicas(has=2, updated=2, available=2), TWO, YES),
    ("Deployment", replicas(), {"replicas": 0}, YES),
    (
        "Deployment",
        replicas(conditions=on(("Progressing", "False", "ProgressDeadlineExceeded"))),
        TWO,
        STUCK + "the rollout has exceeded its progress deadline",
    ),
    ("StatefulSet", replicas(), ONDELETE, STUCK + "its update strategy is OnDelete"),
    ("StatefulSet", replicas(ready=1), TWO, "1 of 2 Pods are ready"),
    ("StatefulSet", replicas(ready=2), TWO | partition(0), "0 of 2 new Pods have been updated"),
    ("StatefulSet", replicas(ready=2, updated=1), TWO | partition(1), YES),
    (
        "StatefulSet",
        replicas(ready=2, updated=1, updateRevision="b", currentRevision="a"),
        TWO,
        "1 of 2 Pods are of the new revision",
    ),
    ("StatefulSet", replicas(ready=2, updateRevision="b", currentRevision="b"), TWO, YES),
    ("DaemonSet", replicas(**NODES), ONDELETE, STUCK + "its update strategy is OnDelete"),
    ("DaemonSet", replicas(**NODES | {"updatedNumberScheduled": 1}), {}, "1 of 2 new Pods have"),
    ("DaemonSet", replicas(**NODES | {"numberAvailable": 1}), {}, "1 of 2 updated Pods are av"),
    ("DaemonSet", replicas(**NODES), {}, YES),
]


@pytest.mark.parametrize(("kind", "status", "spec", "expected"), ROLLOUTS)
def test_rollouts(kind: str, status: Any, spec: Any, expected: bool | str):
    verdict = rolled_out.check(made(kind, status, spec))
    if expected is True:
        assert verdict.met, verdict
        return
    assert not verdict.met, verdict
    assert verdict.failed is expected.startswith(STUCK)
    assert expected.removeprefix(STUCK) in verdict.why


def test_nothing_else_rolls_out():
    with pytest.raises(TypeError, match="StatefulSets and DaemonSets, not Pod"):
        rolled_out.check(made("Pod", {}, {}))
