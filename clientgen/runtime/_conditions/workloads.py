"""Readiness of the kinds that run Pods, by the rules of kstatus (sigs.k8s.io/cli-utils)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .json_fields import condition_of, flag, generation_problem, number, reason_and_message, text
from .verdict import Verdict, failed, met, unmet

if TYPE_CHECKING:
    from .json_fields import Json

_NO_DEADLINE: Final = 2**31 - 1


def count_of(count: int, total: int, what: str) -> str:
    """Format a count: `2 of 3 updated replicas are available`."""
    return f"{count} of {total} {what}"


def wanted_replicas(obj: Json) -> int:
    """Return the number of replicas in the spec; the server's default is 1."""
    return number(obj, "spec", "replicas", default=1)


def progress_problem(obj: Json) -> str:
    """Return a message if a Deployment has exceeded its progress deadline; empty otherwise."""
    progressing = condition_of(obj, "Progressing")
    if text(progressing, "reason") != "ProgressDeadlineExceeded":
        return ""
    return f"the rollout has exceeded its progress deadline ({reason_and_message(progressing)})"


def judge_deployment(obj: Json) -> Verdict:
    """Judge whether all replicas are updated, ready and available, and old replicas are gone."""
    if problem := generation_problem(obj, required=True):
        return unmet(problem)
    if problem := progress_problem(obj):
        return failed(problem)
    if problem := _deployment_problem(obj):
        return unmet(_with_failure(obj, problem))
    return met(_all_ready(wanted_replicas(obj)))


def _deployment_problem(obj: Json) -> str:
    wanted = wanted_replicas(obj)
    exist, updated = number(obj, "status", "replicas"), number(obj, "status", "updatedReplicas")
    ready = number(obj, "status", "readyReplicas")
    available = number(obj, "status", "availableReplicas")
    problem = ""
    if exist < wanted:
        problem = count_of(exist, wanted, "replicas exist")
    elif updated < wanted:
        problem = count_of(updated, wanted, "replicas are updated")
    elif exist > wanted:
        problem = f"{exist - wanted} more replicas than wanted are still there"
    elif available < updated:
        problem = count_of(available, updated, "updated replicas are available")
    elif ready < wanted:
        problem = count_of(ready, wanted, "replicas are ready")
    return problem or _condition_problem(obj)


def _condition_problem(obj: Json) -> str:
    # The largest number means that there is no deadline. The controller then writes no Progressing
    # condition.
    has_deadline = (
        number(obj, "spec", "progressDeadlineSeconds", default=_NO_DEADLINE) < _NO_DEADLINE
    )
    progressing = condition_of(obj, "Progressing")
    is_new = text(progressing, "reason") == "NewReplicaSetAvailable"
    if has_deadline and not (is_new and text(progressing, "status") == "True"):
        return "its new ReplicaSet is not available yet"
    if text(condition_of(obj, "Available"), "status") != "True":
        return "its condition Available is not True yet"
    return ""


def judge_replica_set(obj: Json) -> Verdict:
    """Judge whether all replicas are labelled, available and ready.

    ReplicationControllers have the same rules.
    """
    if problem := generation_problem(obj, required=True):
        return unmet(problem)
    wanted = wanted_replicas(obj)
    problem = ""
    for field, words in (
        ("replicas", "replicas exist"),
        ("fullyLabeledReplicas", "replicas have the labels of the template"),
        ("availableReplicas", "replicas are available"),
        ("readyReplicas", "replicas are ready"),
    ):
        if (count := number(obj, "status", field)) < wanted:
            problem = count_of(count, wanted, words)
            break
    if (extra := number(obj, "status", "replicas") - wanted) > 0:
        problem = f"{extra} more replicas than wanted are still there"
    problem = _with_failure(obj, problem)
    return unmet(problem) if problem else met(_all_ready(wanted))


def _with_failure(obj: Json, problem: str) -> str:
    """Add the condition ReplicaFailure, such as an exceeded quota, to a problem."""
    failure = condition_of(obj, "ReplicaFailure")
    if text(failure, "status") != "True":
        return problem
    return "; ".join(
        each for each in (problem, f"ReplicaFailure ({reason_and_message(failure)})") if each
    )


def judge_stateful_set(obj: Json) -> Verdict:
    """Judge whether all replicas are ready, and updated above the partition.

    A StatefulSet with the update strategy OnDelete is always ready.
    """
    if problem := generation_problem(obj, required=True):
        return unmet(problem)
    if text(obj, "spec", "updateStrategy", "type") == "OnDelete":
        return met("its update strategy is OnDelete")
    wanted, problem = wanted_replicas(obj), ""
    exist, ready = number(obj, "status", "replicas"), number(obj, "status", "readyReplicas")
    if exist < wanted:
        problem = count_of(exist, wanted, "replicas exist")
    elif ready < wanted:
        problem = count_of(ready, wanted, "replicas are ready")
    elif exist > wanted:
        problem = f"{exist - wanted} more replicas than wanted are still there"
    else:
        problem = _revision_problem(obj, wanted)
    return unmet(problem) if problem else met(_all_ready(wanted))


def _revision_problem(obj: Json, wanted: int) -> str:
    strategy = ("spec", "updateStrategy", "rollingUpdate", "partition")
    partition = number(obj, *strategy, default=-1)
    updated = number(obj, "status", "updatedReplicas")
    if partition >= 0:
        total = max(0, wanted - partition)
        return "" if updated >= total else count_of(updated, total, "replicas are updated")
    current = number(obj, "status", "currentReplicas")
    if current < wanted:
        return count_of(current, wanted, "replicas are of the current revision")
    same = text(obj, "status", "currentRevision") == text(obj, "status", "updateRevision")
    return "" if same else "its new revision is not the current one yet"


def judge_daemon_set(obj: Json) -> Verdict:
    """Judge whether all nodes that should run the Pod have an updated, available, ready Pod."""
    if problem := generation_problem(obj, required=True):
        return unmet(problem)
    wanted = number(obj, "status", "desiredNumberScheduled", default=-1)
    if wanted < 0:
        return unmet("its controller has not counted the nodes yet")
    for field, words in (
        ("currentNumberScheduled", "nodes have a Pod"),
        ("updatedNumberScheduled", "Pods are updated"),
        ("numberAvailable", "Pods are available"),
        ("numberReady", "Pods are ready"),
    ):
        if (count := number(obj, "status", field)) < wanted:
            return unmet(count_of(count, wanted, words))
    return met(f"all Pods are ready ({wanted})")


def judge_job(obj: Json) -> Verdict:
    """Judge whether a Job has started, is suspended or is complete."""
    complete, failure = condition_of(obj, "Complete"), condition_of(obj, "Failed")
    if text(complete, "status") == "True":
        return met("the Job is Complete")
    if text(failure, "status") == "True":
        words = reason_and_message(failure)
        return failed(f"the Job has Failed{f' ({words})' if words else ''}")
    if flag(obj, "spec", "suspend") and text(condition_of(obj, "Suspended"), "status") == "True":
        return met("the Job is suspended")
    return (
        met("the Job is running")
        if text(obj, "status", "startTime")
        else unmet("the Job has not started")
    )


def _all_ready(count: int) -> str:
    return f"all replicas are ready ({count})"
