"""The status of a Deployment."""

from __future__ import annotations

from copy import deepcopy
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, Protocol

from clientgen._json import part

from .rollout_sizes import max_unavailable
from .status_conditions import TIME, condition_of, moment, remove_condition, set_condition

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

_NO_DEADLINE: Final = 2147483647
_PROGRESSING: Final = "Progressing"
_COMPLETE: Final = "NewReplicaSetAvailable"
_TIMED_OUT: Final = "ProgressDeadlineExceeded"
_FAILURE: Final = "ReplicaFailure"
_COUNTS: Final = ("updatedReplicas", "readyReplicas", "availableReplicas")


class RolledOut(Protocol):
    """A Deployment with its ReplicaSets."""

    @property
    def deployment(self) -> dict[str, Any]: ...

    @property
    def new(self) -> dict[str, Any] | None: ...

    @property
    def sets(self) -> Sequence[dict[str, Any]]: ...


def has_deadline(deployment: dict[str, Any]) -> bool:
    """Return whether a rollout has a progress deadline."""
    return deployment["spec"].get("progressDeadlineSeconds") not in (None, _NO_DEADLINE)


def is_complete(deployment: dict[str, Any], status: dict[str, Any]) -> bool:
    """Return whether all pods are new and available."""
    replicas = deployment["spec"].get("replicas") or 0
    numbers = ("updatedReplicas", "replicas", "availableReplicas")
    return all((status.get(name) or 0) == replicas for name in numbers) and (
        status.get("observedGeneration", 0) >= deployment["metadata"].get("generation", 0)
    )


def _is_progressing(before: dict[str, Any], after: dict[str, Any]) -> bool:
    def old(status: dict[str, Any]) -> int:
        return (status.get("replicas") or 0) - (status.get("updatedReplicas") or 0)

    return old(after) < old(before) or any(
        (after.get(name) or 0) > (before.get(name) or 0) for name in _COUNTS
    )


def _condition(kind: str, status: str, reason: str, message: str, now: str) -> dict[str, Any]:
    return {
        "type": kind,
        "status": status,
        "lastUpdateTime": now,
        "lastTransitionTime": now,
        "reason": reason,
        "message": message,
    }


def set_paused(deployment: dict[str, Any], now: str) -> bool:
    """Note that a rollout was paused or resumed. Return whether that is new."""
    if not has_deadline(deployment):
        return False
    status = deployment.setdefault("status", {})
    current = condition_of(status, _PROGRESSING) or {}
    if current.get("reason") == _TIMED_OUT:
        return False
    is_paused, was_paused = (
        bool(deployment["spec"].get("paused")),
        current.get("reason") == ("DeploymentPaused"),
    )
    if is_paused == was_paused:
        return False
    word = "paused" if is_paused else "resumed"
    condition = _condition(
        _PROGRESSING, "Unknown", f"Deployment{word.title()}", f"Deployment is {word}", now
    )
    set_condition(status, condition)
    return True


def _sum(sets: Sequence[dict[str, Any]], name: str) -> int:
    return sum(part(each, "status").get(name) or 0 for each in sets)


def counted_status(rollout: RolledOut, now: str) -> dict[str, Any]:
    """Return the status with the numbers of pods, and whether enough are available."""
    deployment, sets = rollout.deployment, rollout.sets
    before = part(deployment, "status")
    total = sum(each["spec"].get("replicas") or 0 for each in sets)
    available = _sum(sets, "availableReplicas")
    numbers = {
        "observedGeneration": deployment["metadata"].get("generation", 1),
        "replicas": _sum(sets, "replicas"),
        "updatedReplicas": _sum([rollout.new] if rollout.new else [], "replicas"),
        "readyReplicas": _sum(sets, "readyReplicas"),
        "availableReplicas": available,
        "unavailableReplicas": max(0, total - available),
    }
    status: dict[str, Any] = {name: number for name, number in numbers.items() if number}
    status["terminatingReplicas"] = _sum(sets, "terminatingReplicas")
    if before.get("conditions"):
        status["conditions"] = deepcopy(before["conditions"])
    if before.get("collisionCount") is not None:
        status["collisionCount"] = before["collisionCount"]
    replicas = deployment["spec"].get("replicas") or 0
    enough = available >= replicas - max_unavailable(deployment)
    set_condition(
        status,
        _condition(
            "Available",
            "True" if enough else "False",
            "MinimumReplicasAvailable" if enough else "MinimumReplicasUnavailable",
            f"Deployment {'has' if enough else 'does not have'} minimum availability.",
            now,
        ),
    )
    return status


def rollout_status(rollout: RolledOut, now: datetime) -> dict[str, Any]:
    """Return the status with all of this, and how the rollout goes."""
    deployment = rollout.deployment
    status = counted_status(rollout, now.strftime(TIME))
    current = condition_of(part(deployment, "status"), _PROGRESSING)
    if not has_deadline(deployment):
        remove_condition(status, _PROGRESSING)
    elif not _was_complete(status, current):
        _set_progress(rollout, status, current, now)
    _set_failure(rollout, status, now)
    return status


def _was_complete(status: dict[str, Any], current: dict[str, Any] | None) -> bool:
    all_new = (status.get("replicas") or 0) == (status.get("updatedReplicas") or 0)
    return all_new and current is not None and current.get("reason") == _COMPLETE


def _set_progress(
    rollout: RolledOut, status: dict[str, Any], current: dict[str, Any] | None, now: datetime
) -> None:
    deployment, text = rollout.deployment, now.strftime(TIME)
    about = f'Deployment "{deployment["metadata"]["name"]}"'
    if rollout.new is not None:
        about = f'ReplicaSet "{rollout.new["metadata"]["name"]}"'
    if is_complete(deployment, status):
        message = f"{about} has successfully progressed."
        set_condition(status, _condition(_PROGRESSING, "True", _COMPLETE, message, text))
    elif _is_progressing(part(deployment, "status"), status):
        message = f"{about} is progressing."
        condition = _condition(_PROGRESSING, "True", "ReplicaSetUpdated", message, text)
        if current is not None and current.get("status") == "True":
            condition["lastTransitionTime"] = current.get("lastTransitionTime")
        remove_condition(status, _PROGRESSING)
        set_condition(status, condition)
    elif _is_timed_out(deployment, current, now):
        message = f"{about} has timed out progressing."
        set_condition(status, _condition(_PROGRESSING, "False", _TIMED_OUT, message, text))


def _is_timed_out(
    deployment: dict[str, Any], current: dict[str, Any] | None, now: datetime
) -> bool:
    if current is None or current.get("reason") == _COMPLETE:
        return False
    if current.get("reason") == _TIMED_OUT:
        return True
    since = moment(current.get("lastUpdateTime"))
    deadline = timedelta(seconds=deployment["spec"]["progressDeadlineSeconds"])
    return since is not None and since + deadline < now


def deadline_left(deployment: dict[str, Any], now: datetime) -> float | None:
    """Return in how many seconds to see whether a rollout is stuck; None if it cannot be."""
    status = part(deployment, "status")
    current = condition_of(status, _PROGRESSING)
    if not has_deadline(deployment) or current is None or is_complete(deployment, status):
        return None
    since = moment(current.get("lastUpdateTime"))
    if current.get("reason") == _TIMED_OUT or since is None:
        return None
    deadline = timedelta(seconds=deployment["spec"]["progressDeadlineSeconds"])
    return max(0.0, (since + deadline - now).total_seconds()) + 1


def _set_failure(rollout: RolledOut, status: dict[str, Any], now: datetime) -> None:
    newest_first = [*([rollout.new] if rollout.new else []), *rollout.sets]
    found = (condition_of(part(each, "status"), _FAILURE) for each in newest_first)
    failure = next((each for each in found if each is not None), None)
    if failure is None:
        remove_condition(status, _FAILURE)
        return
    condition = {"lastUpdateTime": now.strftime(TIME), **failure}
    set_condition(status, condition)
