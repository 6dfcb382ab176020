"""What there should be for a CronTab: no request, no waiting. Both flavours ask here."""

from __future__ import annotations

import re

from kubeapi.batch.v1 import CronJob, CronJobSpec, JobSpec, JobTemplateSpec
from kubeapi.core.v1 import Container, PodSpec, PodTemplateSpec
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.controllers import set_condition, set_owner
from clientgen.runtime.models import deep_copy

from .v1 import CronTab

NAME = "crontabs"
"""Of the controller, and of who owns what it applies."""


def cron_job_for(tab: CronTab) -> CronJob:
    """The CronJob that runs a CronTab; it is owned by it, and goes with it."""
    me, spec = tab.metadata, tab.spec
    main = Container(
        name="main",
        image=spec.image,
        command=spec.command,
        env=spec.env,
        resources=spec.resources,
    )
    pod = PodTemplateSpec(spec=PodSpec(containers=[main], restart_policy="OnFailure"))
    job = CronJob(
        metadata=ObjectMeta(name=me.name, namespace=me.namespace),
        spec=CronJobSpec(
            schedule=spec.cron_spec,
            concurrency_policy=spec.overlap,
            successful_jobs_history_limit=spec.history,
            suspend=spec.paused,
            job_template=JobTemplateSpec(spec=JobSpec(template=pod)),
        ),
    )
    set_owner(job, tab)
    return job


def with_status(tab: CronTab, job: CronJob) -> CronTab:
    """The CronTab with what its status should say."""
    changed = deep_copy(tab)
    status = changed.status
    status.active = len(job.status.active)
    status.last_run = job.status.last_schedule_time
    status.observed_generation = tab.metadata.generation or 0
    paused = tab.spec.paused
    reason, message = ("Paused", "it is paused") if paused else ("Scheduled", tab.spec.cron_spec)
    set_condition(changed, "Scheduled", not paused, reason=reason, message=message)
    return changed


def schedule_problem(schedule: str) -> str:
    """Say which number of a cron expression is too large; empty if none is.

    The pattern of the definition cannot know that there is no 61st minute.
    """
    for (name, most), field in zip(_FIELDS, schedule.split(), strict=False):
        numbers = [int(number) for number in re.findall(r"\d+", field.partition("/")[0])]
        if any(number > most for number in numbers):
            return f"{name} {max(numbers)} of {schedule!r} is more than {most}"
    return ""


_FIELDS = (("minute", 59), ("hour", 23), ("day", 31), ("month", 12), ("weekday", 7))
