"""Counts the pods of a Job, and decides whether the Job is over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part, parts, texts
from clientgen.runtime._conditions.pods import FINAL_PHASES

from .job_failures import FAIL_JOB, IGNORE, failure_action, success_message
from .job_indexes import index_of, indexes_in, indexes_text
from .pod_state import is_active, is_going, is_ready, phase_of
from .status_conditions import after, condition_of, is_true, moment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

TRACKED: Final = "batch.kubernetes.io/job-tracking"
"""The finalizer of pods that are not counted yet."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The end of a Job: a condition that says what it will be, and one when it is so."""

    criterion: str
    final: str
    reason: str
    message: str


_COMPLETE: Final = Verdict(
    "SuccessCriteriaMet",
    "Complete",
    "CompletionsReached",
    "Reached expected number of succeeded pods",
)
_TOO_MANY_FAILURES: Final = Verdict(
    "FailureTarget",
    "Failed",
    "BackoffLimitExceeded",
    "Job has reached the specified backoff limit",
)
_TOO_LATE: Final = Verdict(
    "FailureTarget",
    "Failed",
    "DeadlineExceeded",
    "Job was active longer than specified deadline",
)


@dataclass(frozen=True, slots=True)
class Tally:
    """The pods of a Job.

    Attributes:
        active: those that run, or will.
        going: how many are being deleted.
        counted: those that have ended and are counted now for the first time.
        succeeded: how many have succeeded so far.
        failed: how many have failed so far.
        indexes: the indexes that are done.
    """

    active: Sequence[dict[str, Any]]
    going: int
    counted: Sequence[dict[str, Any]]
    succeeded: int
    failed: int
    indexes: frozenset[int]

    @property
    def ready(self) -> int:
        """How many of the active ones are ready."""
        return sum(map(is_ready, self.active))


def is_suspended(job: dict[str, Any]) -> bool:
    """Return whether no pods shall run."""
    return bool(job["spec"].get("suspend"))


def is_finished(job: dict[str, Any]) -> bool:
    """Return whether a Job is over."""
    status = part(job, "status")
    return is_true(status, "Complete") or is_true(status, "Failed")


def is_indexed(job: dict[str, Any]) -> bool:
    """Return whether each pod has an index."""
    return bool(job["spec"].get("completionMode") == "Indexed")


def tally(job: dict[str, Any], pods: Sequence[dict[str, Any]]) -> Tally:
    """Count the pods of a Job."""
    status = part(job, "status")
    waits = job["spec"].get("podReplacementPolicy") == "Failed"
    new = [each for each in pods if TRACKED in texts(each["metadata"], "finalizers")]
    succeeded = [each for each in new if phase_of(each) == "Succeeded"]
    failed = [
        each
        for each in new
        if phase_of(each) == "Failed"
        or (is_going(each) and phase_of(each) != "Succeeded" and not waits)
    ]
    done = frozenset[int]()
    number = (status.get("succeeded") or 0) + len(succeeded)
    if is_indexed(job):
        completions = job["spec"].get("completions") or 0
        before = indexes_in(status.get("completedIndexes") or "", completions)
        found = {index_of(each) for each in succeeded}
        done = frozenset(before | {each for each in found if each is not None})
        number = len(done)
    return Tally(
        active=[each for each in pods if is_active(each)],
        going=sum(is_going(each) and phase_of(each) not in FINAL_PHASES for each in pods),
        counted=[*succeeded, *failed],
        succeeded=number,
        failed=(status.get("failed") or 0)
        + sum(failure_action(job, each)[0] != IGNORE for each in failed),
        indexes=done,
    )


def verdict_on(job: dict[str, Any], counts: Tally, now: datetime) -> Verdict | None:
    """Return whether a Job is to end, and how."""
    spec, status = job["spec"], part(job, "status")
    for known in (_COMPLETE, _TOO_MANY_FAILURES):
        given = condition_of(status, known.criterion)
        if given is not None and given.get("status") == "True":
            reason, message = given.get("reason", ""), given.get("message", "")
            return Verdict(known.criterion, known.final, reason, message)
    if (policy := _by_policy(job, counts)) is not None:
        return policy
    limit = spec.get("backoffLimit", 6)
    if counts.failed > limit or _restarted_too_often(spec, counts, limit):
        return _TOO_MANY_FAILURES
    if (left := deadline_left(job, now)) is not None and left <= 0:
        return _TOO_LATE
    wanted = spec.get("completions")
    if wanted is None:
        is_complete = counts.succeeded > 0 and not counts.active
    else:
        is_complete = counts.succeeded >= wanted
    return _COMPLETE if is_complete else None


def _by_policy(job: dict[str, Any], counts: Tally) -> Verdict | None:
    """Return whether the policy for failures, or the one for successes, ends a Job."""
    for pod in counts.counted:
        if phase_of(pod) == "Failed":
            action, why = failure_action(job, pod)
            if action == FAIL_JOB:
                return Verdict("FailureTarget", "Failed", "PodFailurePolicy", why)
    enough = success_message(job, counts.indexes)
    return Verdict("SuccessCriteriaMet", "Complete", "SuccessPolicy", enough) if enough else None


def _restarted_too_often(spec: dict[str, Any], counts: Tally, limit: int) -> bool:
    if part(part(spec, "template"), "spec").get("restartPolicy") != "OnFailure":
        return False
    restarts = sum(map(_restarts, counts.active))
    return restarts > 0 if limit == 0 else restarts >= limit


def _restarts(pod: dict[str, Any]) -> int:
    """Return how often all containers of a pod were restarted, init containers included."""
    status = part(pod, "status")
    members = ("initContainerStatuses", "containerStatuses")
    return sum(
        each.get("restartCount") or 0 for member in members for each in parts(status, member)
    )


def deadline_left(job: dict[str, Any], now: datetime) -> float | None:
    """Return how many seconds a Job may still run; None if that is not limited."""
    seconds = job["spec"].get("activeDeadlineSeconds")
    start = moment(part(job, "status").get("startTime"))
    if seconds is None or start is None or is_suspended(job):
        return None
    return (after(start, seconds) - now).total_seconds()


def ttl_left(job: dict[str, Any], now: datetime) -> float | None:
    """Return how many seconds a Job that is over is kept; None if that is not limited."""
    seconds = job["spec"].get("ttlSecondsAfterFinished")
    if seconds is None:
        return None
    ended = [
        moment(each.get("lastTransitionTime"))
        for each in parts(part(job, "status"), "conditions")
        if each.get("type") in ("Complete", "Failed") and each.get("status") == "True"
    ]
    last = max((each for each in ended if each is not None), default=None)
    return None if last is None else (after(last, seconds) - now).total_seconds()


def counted_status(job: dict[str, Any], counts: Tally) -> dict[str, Any]:
    """Return the status of a Job with new numbers."""
    before = part(job, "status")
    numbers = {
        "active": len(counts.active),
        "succeeded": counts.succeeded,
        "failed": counts.failed,
    }
    status: dict[str, Any] = {name: number for name, number in numbers.items() if number}
    status |= {"ready": counts.ready, "terminating": counts.going, "uncountedTerminatedPods": {}}
    if counts.indexes:
        status["completedIndexes"] = indexes_text(counts.indexes)
    kept = ("startTime", "completionTime", "conditions")
    return status | {name: before[name] for name in kept if before.get(name)}
