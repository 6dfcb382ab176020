"""`rolled_out`, `condition` and `jsonpath` say what kubectl says of the same objects.

The statuses are written by the tests, so nobody else may write them: where controllers are at work,
their own statuses are compared.
"""

from __future__ import annotations

from typing import Any, Literal

import pytest
from clusterkit.objects import deployment, pod
from kubeapi import AsyncClientset
from kubeapi.apps.v1.models import DaemonSet, Deployment, StatefulSet
from kubeapi.core.v1.models import Pod
from support.kubectl import Kubectl

from clientgen.runtime.conditions import Verdict, condition, jsonpath, rolled_out
from clientgen.runtime.models import from_dict, to_dict

pytestmark = pytest.mark.cluster

Said = Literal["met", "waiting", "failed"]


def ours(verdict: Verdict) -> Said:
    if verdict.met:
        return "met"
    return "failed" if verdict.failed else "waiting"


def kubectls(kubectl: Kubectl, what: str) -> Said:
    """The verdict of `kubectl rollout status`, on how things are now."""
    done = kubectl.run("rollout", "status", what, "--watch=false")
    if done.returncode:
        return "failed"
    return "waiting" if done.stdout.startswith("Waiting for") else "met"


# ---- rollout status ---------------------------------------------------------------------------

SEEN = {"observedGeneration": 1}
LATE = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
DEPLOYMENTS: list[dict[str, Any]] = [
    {},
    {"replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2},
    {**SEEN, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2},
    {**SEEN, "replicas": 2, "updatedReplicas": 1, "readyReplicas": 2, "availableReplicas": 2},
    {**SEEN, "replicas": 3, "updatedReplicas": 2, "readyReplicas": 3, "availableReplicas": 3},
    {**SEEN, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 1},
    {**SEEN, "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1},
    {**SEEN, "conditions": [LATE]},
    {**SEEN, "conditions": [{**LATE, "reason": "ReplicaSetCreateError"}]},
    {**SEEN, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2}
    | {"conditions": [LATE]},
]
NEW = {"currentRevision": "a", "updateRevision": "b"}
SAME = {"currentRevision": "b", "updateRevision": "b"}
STATEFUL_SETS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"replicas": 0}),
    ({}, {**SEEN, **SAME, "replicas": 2, "readyReplicas": 2, "updatedReplicas": 2}),
    ({}, {**SEEN, **SAME, "replicas": 2, "readyReplicas": 1, "updatedReplicas": 2}),
    ({}, {**SEEN, **NEW, "replicas": 2, "readyReplicas": 2, "updatedReplicas": 1}),
    ({}, {**SEEN, **NEW, "replicas": 2, "readyReplicas": 2, "updatedReplicas": 2}),
    ({"partition": 1}, {**SEEN, **NEW, "replicas": 2, "readyReplicas": 2, "updatedReplicas": 1}),
    ({"partition": 1}, {**SEEN, **NEW, "replicas": 2, "readyReplicas": 2}),
    ({"partition": 9}, {**SEEN, **NEW, "replicas": 2, "readyReplicas": 2}),
]
DAEMON_SETS: list[dict[str, int]] = [
    {},
    {**SEEN, "desiredNumberScheduled": 0},
    {**SEEN, "desiredNumberScheduled": 2, "updatedNumberScheduled": 1, "numberAvailable": 2},
    {**SEEN, "desiredNumberScheduled": 2, "updatedNumberScheduled": 2, "numberAvailable": 1},
    {**SEEN, "desiredNumberScheduled": 2, "updatedNumberScheduled": 2, "numberAvailable": 2},
]
REQUIRED = {"currentNumberScheduled": 0, "numberMisscheduled": 0, "desiredNumberScheduled": 0}


async def test_rollouts_of_deployments(
    kube: AsyncClientset, namespace: str, kubectl: Kubectl, no_controllers: None
) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    found: list[Said] = []
    for number, status in enumerate(DEPLOYMENTS):
        stored = await deployments.create(deployment(f"d{number}", replicas=2))
        changed = from_dict(Deployment, {**to_dict(stored), "status": status})
        judged = await deployments.update_status(changed)
        found.append(ours(rolled_out.check(judged)))
        assert found[-1] == kubectls(kubectl, f"deployment/d{number}"), status
    assert {*found} == {"met", "waiting", "failed"}


async def test_rollouts_of_stateful_sets(
    kube: AsyncClientset, namespace: str, kubectl: Kubectl, no_controllers: None
) -> None:
    sets = kube.apps_v1.stateful_sets(namespace)
    template = to_dict(deployment("db", replicas=2))["spec"]
    found: list[Said] = []
    for number, (rolling, status) in enumerate(STATEFUL_SETS):
        spec = {key: template[key] for key in ("replicas", "selector", "template")}
        strategy = {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": rolling}}
        body = {"metadata": {"name": f"s{number}"}, "spec": {**spec, **strategy}}
        stored = await sets.create(from_dict(StatefulSet, body))
        judged = await sets.update_status(
            from_dict(StatefulSet, {**to_dict(stored), "status": {"replicas": 0, **status}})
        )
        found.append(ours(rolled_out.check(judged)))
        assert found[-1] == kubectls(kubectl, f"statefulset/s{number}"), (rolling, status)
    assert {*found} == {"met", "waiting"}


async def test_rollouts_of_daemon_sets(
    kube: AsyncClientset, namespace: str, kubectl: Kubectl, no_controllers: None
) -> None:
    sets = kube.apps_v1.daemon_sets(namespace)
    template = to_dict(deployment("agent"))["spec"]
    found: list[Said] = []
    for number, status in enumerate(DAEMON_SETS):
        spec = {key: template[key] for key in ("selector", "template")}
        body = {"metadata": {"name": f"a{number}"}, "spec": spec}
        stored = await sets.create(from_dict(DaemonSet, body))
        whole = {**to_dict(stored), "status": {**REQUIRED, **status}}
        judged = await sets.update_status(from_dict(DaemonSet, whole))
        found.append(ours(rolled_out.check(judged)))
        assert found[-1] == kubectls(kubectl, f"daemonset/a{number}"), status
    assert {*found} == {"met", "waiting"}


async def test_what_nobody_rolls_out_has_failed(
    kube: AsyncClientset, namespace: str, kubectl: Kubectl
) -> None:
    template = to_dict(deployment("db"))["spec"]
    spec = {key: template[key] for key in ("replicas", "selector", "template")}
    body = {"metadata": {"name": "s"}, "spec": {**spec, "updateStrategy": {"type": "OnDelete"}}}
    stored = await kube.apps_v1.stateful_sets(namespace).create(from_dict(StatefulSet, body))
    assert ours(rolled_out.check(stored)) == kubectls(kubectl, "statefulset/s") == "failed"


# ---- wait -------------------------------------------------------------------------------------

CONDITIONS = [
    ("Available", "True"),
    ("available", "true"),
    ("Available", "False"),
    ("Progressing", "True"),
    ("Progressing", "Unknown"),
    ("Nonsense", "True"),
]
PATHS: list[tuple[str, str | None]] = [
    ("{.status.phase}", "Pending"),
    ("{.status.phase}", "Running"),
    ("{.status.phase}", None),
    ("{.status.podIP}", None),
    (".spec.containers[0].name", "main"),
    ('{.status.conditions[?(@.type=="Ready")].status}', "True"),
    ("{.spec.terminationGracePeriodSeconds}", "30"),
    ("{.spec.enableServiceLinks}", "true"),
    ("{.metadata.labels.app\\.kubernetes\\.io/name}", "web"),
]


async def test_conditions(
    kube: AsyncClientset, namespace: str, kubectl: Kubectl, no_controllers: None
) -> None:
    deployments = kube.apps_v1.deployments(namespace)
    told = [
        {"type": "Available", "status": "True"},
        {"type": "Progressing", "status": "Unknown"},
    ]
    for name, generation in (("new", 1), ("old", 0)):
        stored = await deployments.create(deployment(name))
        status = {"observedGeneration": generation, "conditions": told}
        judged = await deployments.update_status(
            from_dict(Deployment, {**to_dict(stored), "status": status})
        )
        for type_, wanted in CONDITIONS:
            flag = f"--for=condition={type_}={wanted}"
            done = kubectl.run("wait", f"deployment/{name}", flag, "--timeout=0")
            assert condition(type_, wanted)(judged) == (done.returncode == 0), (name, flag)


async def test_fields(kube: AsyncClientset, namespace: str, kubectl: Kubectl) -> None:
    labels = {"app.kubernetes.io/name": "web"}
    stored: Pod = await kube.core_v1.pods(namespace).create(pod("web", labels=labels))
    for path, value in PATHS:
        flag = f"--for=jsonpath={path}" + ("" if value is None else f"={value}")
        done = kubectl.run("wait", "pod/web", flag, "--timeout=0")
        check = jsonpath(path) if value is None else jsonpath(path, value)
        assert check(stored) == (done.returncode == 0), (flag, done.stderr)
