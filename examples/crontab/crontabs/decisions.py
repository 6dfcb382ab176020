"""What there should be for a CronTab: no request, no waiting. Both flavours ask here."""

from __future__ import annotations

from kubeapi.batch.v1 import CronJob, CronJobSpec, JobSpec, JobTemplateSpec
from kubeapi.core.v1 import Container, PodSpec, PodTemplateSpec
from kubeapi.meta.v1 import ObjectMeta, OwnerReference

from .v1 import CronTab, CronTabStatus

NAME = "crontabs"
"""Of the controller, and of who owns what it applies."""


def cron_job_for(tab: CronTab) -> CronJob:
    """The CronJob that runs a CronTab; it is owned by it, and goes with it."""
    me, spec = tab.metadata, tab.spec
    owner = OwnerReference(
        api_version=tab.api_version, kind=tab.kind, name=me.name, uid=me.uid, controller=True
    )
    main = Container(
        name="main",
        image=spec.image,
        command=spec.command,
        env=spec.env,
        resources=spec.resources,
    )
    pod = PodTemplateSpec(spec=PodSpec(containers=[main], restart_policy="OnFailure"))
    return CronJob(
        metadata=ObjectMeta(name=me.name, namespace=me.namespace, owner_references=[owner]),
        spec=CronJobSpec(
            schedule=spec.cron_spec,
            concurrency_policy=spec.overlap,
            successful_jobs_history_limit=spec.history,
            suspend=spec.paused,
            job_template=JobTemplateSpec(spec=JobSpec(template=pod)),
        ),
    )


def status_for(tab: CronTab, job: CronJob) -> CronTab | None:
    """What to apply to the status of a CronTab; None if it says so already."""
    status = CronTabStatus(
        active=len(job.status.active),
        last_run=job.status.last_schedule_time,
        observed_generation=tab.metadata.generation or 0,
    )
    if status == tab.status:
        return None
    me = ObjectMeta(name=tab.metadata.name, namespace=tab.metadata.namespace)
    # Every CronTab has a spec; of one that is applied to the status, the server takes none.
    return CronTab(metadata=me, spec=tab.spec, status=status)
