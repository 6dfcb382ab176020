"""`rolled_out`: the rules of `kubectl rollout status`.

kubectl: pkg/polymorphichelpers/rollout_status.go.
"""

from __future__ import annotations

from typing import Final

from .checks import JsonCheck
from .json_fields import Json, generation_problem, kind_of, number, text
from .verdict import Verdict, failed, met, unmet
from .workloads import count_of, progress_problem, wanted_replicas


def _deployment(obj: Json) -> Verdict:
    if problem := progress_problem(obj):
        return failed(problem)
    wanted = wanted_replicas(obj)
    exist, updated = number(obj, "status", "replicas"), number(obj, "status", "updatedReplicas")
    available = number(obj, "status", "availableReplicas")
    if updated < wanted:
        return unmet(count_of(updated, wanted, "new replicas have been updated"))
    if exist > updated:
        return unmet(f"{exist - updated} old replicas are pending termination")
    if available < updated:
        return unmet(count_of(available, updated, "updated replicas are available"))
    return met("it is rolled out")


def _stateful_set(obj: Json) -> Verdict:
    wanted, updated = wanted_replicas(obj), number(obj, "status", "updatedReplicas")
    ready = number(obj, "status", "readyReplicas")
    if ready < wanted:
        return unmet(count_of(ready, wanted, "Pods are ready"))
    partition = number(obj, "spec", "updateStrategy", "rollingUpdate", "partition", default=-1)
    if partition >= 0:
        total = max(0, wanted - partition)
        if updated < total:
            return unmet(count_of(updated, total, "new Pods have been updated"))
        return met(f"the partitioned rollout is complete ({updated} new Pods)")
    if text(obj, "status", "updateRevision") != text(obj, "status", "currentRevision"):
        return unmet(count_of(updated, wanted, "Pods are of the new revision"))
    return met("it is rolled out")


def _daemon_set(obj: Json) -> Verdict:
    wanted = number(obj, "status", "desiredNumberScheduled")
    updated = number(obj, "status", "updatedNumberScheduled")
    available = number(obj, "status", "numberAvailable")
    if updated < wanted:
        return unmet(count_of(updated, wanted, "new Pods have been updated"))
    if available < wanted:
        return unmet(count_of(available, wanted, "updated Pods are available"))
    return met("it is rolled out")


_RULES: Final = {
    "DaemonSet.apps": _daemon_set,
    "Deployment.apps": _deployment,
    "StatefulSet.apps": _stateful_set,
}


def judge_rollout(obj: Json) -> Verdict:
    """Judge a Deployment, a StatefulSet or a DaemonSet.

    Raises:
        TypeError: The object is of another kind.
    """
    rule = _RULES.get(kind_of(obj))
    if rule is None:
        kind = text(obj, "kind") or "an object without a kind"
        raise TypeError(f"rolled_out is for Deployments, StatefulSets and DaemonSets, not {kind}")
    if text(obj, "spec", "updateStrategy", "type") == "OnDelete":
        return failed("its update strategy is OnDelete: Pods are only replaced when deleted")
    if problem := generation_problem(obj, required=True):
        return unmet(problem)
    return rule(obj)


ROLLED_OUT: Final = JsonCheck("rolled_out", judge_rollout)
