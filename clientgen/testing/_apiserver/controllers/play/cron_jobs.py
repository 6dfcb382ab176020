"""CronJobs create Jobs at certain times.

https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part, parts

from .control_plane import Controller
from .job_status import is_finished
from .objects import key, owner_reference
from .played_kinds import CRON_JOBS, JOBS
from .pod_control import owner_key
from .pod_state import is_going
from .schedules import read_schedule, read_zone
from .status_conditions import TIME, after, condition_of, is_true, moment

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from .schedules import Schedule

_SCHEDULED: Final = "batch.kubernetes.io/cronjob-scheduled-timestamp"


class CronJobs(Controller):
    """The controller of CronJobs."""

    name = "cronjob-controller"
    needs = (JOBS, CRON_JOBS)
    watches = (CRON_JOBS, JOBS)

    def keys(
        self, kind: str, before: dict[str, Any] | None, after: dict[str, Any] | None
    ) -> Iterable[str]:
        """Yield CronJobs, and those of Jobs."""
        if kind == CRON_JOBS:
            if after is not None:
                yield key(after)
        else:
            yield from owner_key("CronJob", before, after)

    def sync(self, key: str) -> None:
        """Create the Job that is due, clean up, and come back for the next one."""
        cron = self._plane.objects.copy(CRON_JOBS, key)
        if cron is None:
            return
        metadata, spec = cron["metadata"], cron["spec"]
        jobs = self._plane.objects.controlled(JOBS, metadata["uid"], metadata["namespace"])
        before = deepcopy(part(cron, "status"))
        status = cron.setdefault("status", {})
        self._note_jobs(cron, jobs)
        self._clean_up(cron, jobs)
        zone = read_zone(spec.get("timeZone"))
        schedule = read_schedule(spec["schedule"], zone) if zone is not None else None
        if schedule is not None and not is_going(cron) and not spec.get("suspend"):
            self._run(cron, schedule)
            if (coming := schedule.next(self._plane.now())) is not None:
                seconds = (coming - self._plane.now()).total_seconds()
                self._plane.set_alarm(self, key, seconds)
        if status != before:
            self._plane.objects.update_status(CRON_JOBS, cron)

    def _note_jobs(self, cron: dict[str, Any], jobs: list[dict[str, Any]]) -> None:
        """Keep the list of Jobs that run, and the time of the last success."""
        status = cron["status"]
        known = {each.get("uid") for each in parts(status, "active")}
        running = [each for each in jobs if not is_finished(each)]
        ended = [each for each in jobs if is_finished(each) and each["metadata"]["uid"] in known]
        for job in ended:
            condition = "Complete" if is_true(part(job, "status"), "Complete") else "Failed"
            name = job["metadata"]["name"]
            self._record(
                cron, "SawCompletedJob", f"Saw completed job: {name}, condition: {condition}"
            )
        running_uids = {each["metadata"]["uid"] for each in running}
        active = [each for each in parts(status, "active") if each.get("uid") in running_uids]
        status.pop("active", None)
        if active:
            status["active"] = active
        times = [
            part(job, "status").get("completionTime")
            for job in jobs
            if is_true(part(job, "status"), "Complete")
        ]
        if latest := max(filter(None, [*times, status.get("lastSuccessfulTime")]), default=None):
            status["lastSuccessfulTime"] = latest

    def _clean_up(self, cron: dict[str, Any], jobs: list[dict[str, Any]]) -> None:
        for condition, limit in (
            ("Complete", cron["spec"].get("successfulJobsHistoryLimit", 3)),
            ("Failed", cron["spec"].get("failedJobsHistoryLimit", 1)),
        ):
            ended = [
                each
                for each in jobs
                if condition_of(part(each, "status"), condition) is not None and not is_going(each)
            ]
            ended.sort(key=lambda each: str(part(each, "status").get("startTime", "")))
            for job in ended[: max(0, len(ended) - limit)]:
                self._delete(cron, job)

    def _delete(self, cron: dict[str, Any], job: dict[str, Any]) -> None:
        self._plane.objects.delete(JOBS, job, policy="Background")
        self._record(cron, "SuccessfulDelete", f"Deleted job {job['metadata']['name']}")

    def _run(self, cron: dict[str, Any], schedule: Schedule) -> None:
        """Create the Job for the last time that has passed, if there is one."""
        spec, status, now = cron["spec"], cron["status"], self._plane.now()
        since = moment(status.get("lastScheduleTime") or cron["metadata"]["creationTimestamp"])
        due = schedule.latest(since, now) if since is not None else None
        if due is None:
            return
        deadline = spec.get("startingDeadlineSeconds")
        if deadline is not None and after(due, deadline) < now:
            text = f"Missed scheduled time to start a job: {due:%a, %d %b %Y %H:%M:%S +0000}"
            self._record(cron, "MissSchedule", text, warning=True)
            status["lastScheduleTime"] = due.strftime(TIME)
            return
        active, policy = parts(status, "active"), spec.get("concurrencyPolicy", "Allow")
        if active and policy == "Forbid":
            text = (
                "Not starting job because prior execution is running and concurrency policy is "
                "Forbid"
            )
            self._record(cron, "JobAlreadyActive", text)
            return
        if policy == "Replace":
            self._replace(cron, active)
        self._create(cron, due)

    def _replace(self, cron: dict[str, Any], active: list[dict[str, Any]]) -> None:
        for reference in active:
            job = self._plane.objects.get(
                JOBS, f"{cron['metadata']['namespace']}/{reference['name']}"
            )
            if job is not None:
                self._delete(cron, job)
        cron["status"].pop("active", None)

    def _create(self, cron: dict[str, Any], due: datetime) -> None:
        metadata, template = cron["metadata"], part(cron["spec"], "jobTemplate")
        given, status = part(template, "metadata"), cron["status"]
        name = f"{metadata['name']}-{int(due.timestamp()) // 60}"
        zone = read_zone(cron["spec"].get("timeZone"))
        at = due.astimezone(zone).isoformat().replace("+00:00", "Z")
        job: dict[str, Any] = {
            "metadata": {
                "name": name,
                "namespace": metadata["namespace"],
                "annotations": {**part(given, "annotations"), _SCHEDULED: at},
                "ownerReferences": [owner_reference(cron)],
            },
            "spec": deepcopy(part(template, "spec")),
        }
        if given.get("labels"):
            job["metadata"]["labels"] = dict(given["labels"])
        known = self._plane.objects.get(JOBS, f"{metadata['namespace']}/{name}")
        if known is None:
            known = self._plane.objects.create(JOBS, job)
            self._record(cron, "SuccessfulCreate", f"Created job {name}")
        status["active"] = [*parts(status, "active"), _reference(known)]
        status["lastScheduleTime"] = due.strftime(TIME)


def _reference(job: dict[str, Any]) -> dict[str, Any]:
    metadata = job["metadata"]
    return {
        "kind": "Job",
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        "apiVersion": "batch/v1",
        "resourceVersion": metadata["resourceVersion"],
    }
