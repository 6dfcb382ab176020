"""Jobs run pods until enough of them have succeeded, or too many have failed.

https://kubernetes.io/docs/concepts/workloads/controllers/job/. Not played: limits for each index.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Failure
from clientgen._json import part, parts, texts

from .control_plane import Controller
from .job_indexes import INDEX, MAX_INDEXES, index_of
from .job_status import (
    TRACKED,
    counted_status,
    deadline_left,
    is_finished,
    is_indexed,
    is_suspended,
    tally,
    ttl_left,
    verdict_on,
)
from .objects import controller_of, key
from .played_kinds import JOBS, PODS
from .pod_control import PodControl, claimed, from_template, keys_for_pod, to_delete
from .pod_state import is_going, phase_of
from .status_conditions import condition_of, set_condition

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .control_plane import ControlPlane
    from .job_status import Tally, Verdict

_MAX_BURST_PODS: Final = 500
_MIN_BACKOFF_SECONDS: Final = 10
_MAX_BACKOFF_SECONDS: Final = 600
_OWN_CONTROLLER: Final = "kubernetes.io/job-controller"


@dataclass(slots=True)
class _Failures:
    """The failures of a Job since a pod has succeeded."""

    number: int = 0
    last: float = 0.0


class Jobs(Controller):
    """The controller of Jobs, and the one that removes those that are over."""

    name = "job-controller"
    needs = (PODS, JOBS)
    watches = (JOBS, PODS)

    def __init__(self, plane: ControlPlane) -> None:
        super().__init__(plane)
        self._pods = PodControl(plane, self.name)
        self._failures: dict[str, _Failures] = {}

    def keys(
        self, kind: str, before: dict[str, Any] | None, after: dict[str, Any] | None
    ) -> Iterable[str]:
        """Yield Jobs, those of pods, and those that could adopt a pod."""
        if kind == JOBS:
            job = after or before
            assert job is not None, "something changed"
            yield key(job)
            return
        yield from keys_for_pod(self._plane, "Job", JOBS, before, after)

    def sync(self, key: str) -> None:
        """Bring one Job a step on."""
        job = self._plane.objects.copy(JOBS, key)
        self._release_pods_of_others(key, job)
        if job is None or job["spec"].get("managedBy", _OWN_CONTROLLER) != _OWN_CONTROLLER:
            return
        if is_finished(job):
            self._expire(key, job)
            return
        pods = claimed(self._plane, PODS, job, part(job["spec"], "selector"))
        counts = tally(job, pods)
        self._note_failures(job, counts)
        status = job.setdefault("status", {})
        if not status.get("startTime") and not is_suspended(job):
            status["startTime"] = self._plane.timestamp()
        verdict = verdict_on(job, counts, self._plane.now())
        failure: Failure | None = None
        if verdict is not None:
            for pod in counts.active:
                self._pods.delete(job, pod)
        elif not is_going(job):
            try:
                self._manage(key, job, counts)
            except Failure as refused:
                failure = refused
        self._conclude(job, counts, verdict)
        left = deadline_left(job, self._plane.now())
        if left is not None and left > 0 and verdict is None:
            self._plane.set_alarm(self, key, left)
        if failure is not None:
            raise failure

    # ------------------------------------------------------------------------------ pods

    def _note_failures(self, job: dict[str, Any], counts: Tally) -> None:
        """Remember when to try again: every failure in a row doubles the time."""
        known = self._failures.setdefault(job["metadata"]["uid"], _Failures())
        before = part(job, "status")
        if counts.succeeded > (before.get("succeeded") or 0):
            known.number = 0
        # Those that a policy ignores count here: they are put off as well.
        new = sum(phase_of(each) != "Succeeded" for each in counts.counted)
        if new > 0:
            known.number += new
            known.last = self._plane.cluster.clock.monotonic()

    def _backoff_left(self, job: dict[str, Any]) -> float:
        known = self._failures[job["metadata"]["uid"]]
        if not known.number:
            return 0.0
        delay = min(_MIN_BACKOFF_SECONDS << min(known.number - 1, 10), _MAX_BACKOFF_SECONDS)
        return max(0.0, known.last + delay - self._plane.cluster.clock.monotonic())

    def _manage(self, key: str, job: dict[str, Any], counts: Tally) -> None:
        """Create or delete pods."""
        active = len(counts.active)
        wanted = _wanted(job, counts)
        if active > wanted:
            for pod in to_delete(counts.active, min(active - wanted, _MAX_BURST_PODS)):
                self._untrack(pod)
                self._pods.delete(job, pod)
            return
        waits = job["spec"].get("podReplacementPolicy") == "Failed"
        missing = wanted - active - (counts.going if waits else 0)
        if missing <= 0 or is_suspended(job):
            return
        if (left := self._backoff_left(job)) > 0:
            self._plane.come_back(self, key, left)
            return
        for pod in self._new_pods(job, counts, min(missing, _MAX_BURST_PODS)):
            self._pods.create(job, pod)

    def _new_pods(
        self, job: dict[str, Any], counts: Tally, number: int
    ) -> Iterable[dict[str, Any]]:
        name, template = job["metadata"]["name"], job["spec"]["template"]
        if not is_indexed(job):
            for _ in range(number):
                yield _tracked(from_template(template, name))
            return
        running = {index_of(each) for each in counts.active}
        free = (
            index
            for index in range(min(job["spec"].get("completions") or 0, MAX_INDEXES))
            if index not in counts.indexes and index not in running
        )
        for _, index in zip(range(number), free, strict=False):
            yield _indexed(_tracked(from_template(template, f"{name}-{index}")), name, index)

    def _untrack(self, pod: dict[str, Any]) -> None:
        """Take the finalizer from a pod: it is counted, or does not count."""
        changed = self._plane.objects.copy(PODS, key(pod))
        if changed is None or TRACKED not in texts(changed["metadata"], "finalizers"):
            return
        left = [each for each in texts(changed["metadata"], "finalizers") if each != TRACKED]
        del changed["metadata"]["finalizers"]
        if left:
            changed["metadata"]["finalizers"] = left
        self._plane.objects.update(PODS, changed)

    def _release_pods_of_others(self, key: str, job: dict[str, Any] | None) -> None:
        """Let pods go whose Job is not there any more."""
        if job is not None and job.get("status"):
            return
        uid = job["metadata"]["uid"] if job is not None else ""
        namespace, _, name = key.partition("/")
        for pod in self._plane.objects.all(PODS, namespace):
            owner = controller_of(pod)
            if owner is None or owner.get("kind") != "Job" or owner.get("name") != name:
                continue
            if owner["uid"] != uid:
                self._failures.pop(owner["uid"], None)
                self._untrack(pod)

    # ---------------------------------------------------------------------------- status

    def _conclude(self, job: dict[str, Any], counts: Tally, verdict: Verdict | None) -> None:
        """Write the status, and let the pods go that are counted in it."""
        objects, metadata = self._plane.objects, job["metadata"]
        pods = objects.controlled(PODS, metadata["uid"], metadata["namespace"])
        after = tally(job, pods)
        current = replace(counts, active=after.active, going=after.going)
        job["status"] = counted_status(job, current)
        if verdict is not None:
            self._judge(job, verdict, is_over=not current.active and not current.going)
        else:
            self._note_suspension(job)
        if job["status"] != part(objects.get(JOBS, key(job)) or {}, "status"):
            objects.update_status(JOBS, job)
        for pod in counts.counted:
            self._untrack(pod)

    def _judge(self, job: dict[str, Any], verdict: Verdict, *, is_over: bool) -> None:
        status, now = job["status"], self._plane.timestamp()
        if condition_of(status, verdict.criterion) is None:
            set_condition(status, _condition(verdict.criterion, verdict, now))
        elif is_over:
            set_condition(status, _condition(verdict.final, verdict, now))
            if verdict.final == "Complete":
                status["completionTime"] = now
                self._record(job, "Completed", "Job completed")
            else:
                self._record(job, verdict.reason, verdict.message, warning=True)

    def _note_suspension(self, job: dict[str, Any]) -> None:
        status, now = job["status"], self._plane.timestamp()
        current = condition_of(status, "Suspended")
        was_suspended = current is not None and current.get("status") == "True"
        if is_suspended(job) == was_suspended:
            return
        word = "Suspended" if is_suspended(job) else "Resumed"
        condition = {
            "type": "Suspended",
            "status": "True" if is_suspended(job) else "False",
            "lastProbeTime": now,
            "lastTransitionTime": now,
            "reason": f"Job{word}",
            "message": f"Job {word.lower()}",
        }
        set_condition(status, condition)
        if is_suspended(job):
            status.pop("startTime", None)
        else:
            status["startTime"] = now
        self._record(job, word, f"Job {word.lower()}")

    def _expire(self, key: str, job: dict[str, Any]) -> None:
        """Delete a Job that is over, when its time has come."""
        left = ttl_left(job, self._plane.now())
        for pod in self._plane.objects.controlled(
            PODS, job["metadata"]["uid"], job["metadata"]["namespace"]
        ):
            self._untrack(pod)
        if left is None or is_going(job):
            return
        if left > 0:
            self._plane.set_alarm(self, key, left)
        else:
            self._plane.objects.delete(JOBS, job, policy="Foreground")


def _wanted(job: dict[str, Any], counts: Tally) -> int:
    """Return how many pods shall run now."""
    if is_suspended(job):
        return 0
    spec = job["spec"]
    parallelism: int = spec.get("parallelism", 1)
    if spec.get("completions") is None:
        return len(counts.active) if counts.succeeded else parallelism
    completions: int = spec["completions"]
    return max(0, min(parallelism, completions - counts.succeeded))


def _tracked(pod: dict[str, Any]) -> dict[str, Any]:
    pod["metadata"]["finalizers"] = [*texts(pod["metadata"], "finalizers"), TRACKED]
    return pod


def _indexed(pod: dict[str, Any], name: str, index: int) -> dict[str, Any]:
    metadata, spec = pod["metadata"], pod["spec"]
    for member in ("annotations", "labels"):
        metadata[member] = {**part(metadata, member), INDEX: str(index)}
    spec["hostname"] = f"{name}-{index}"
    source = {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX}']"}}
    for member in ("initContainers", "containers"):
        for container in parts(spec, member):
            variables = parts(container, "env")
            if all(each.get("name") != "JOB_COMPLETION_INDEX" for each in variables):
                variable = {"name": "JOB_COMPLETION_INDEX", "valueFrom": deepcopy(source)}
                container["env"] = [*variables, variable]
    return pod


def _condition(kind: str, verdict: Verdict, now: str) -> dict[str, Any]:
    return {
        "type": kind,
        "status": "True",
        "lastProbeTime": now,
        "lastTransitionTime": now,
        "reason": verdict.reason,
        "message": verdict.message,
    }
