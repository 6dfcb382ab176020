"""Tables of Jobs and CronJobs."""

from __future__ import annotations

from typing import Final

from ..kinds.shared.workload_columns import TEMPLATE_COLUMNS, selector_column, template_columns
from ..tables.columns import AGE, NAME, NONE, Column, Printer, View, field, flag, since, size
from ..tables.durations import human_duration, moment

__all__ = ["PRINTERS"]


_JOB_STATES: Final = (
    ("Complete", "Complete"),
    ("Failed", "Failed"),
    ("", "Terminating"),  # when deletion was asked for
    ("Suspended", "Suspended"),
    ("FailureTarget", "FailureTarget"),
    ("SuccessCriteriaMet", "SuccessCriteriaMet"),
)


def _job_status(view: View) -> str:
    held = {
        condition.get("type"): condition.get("status") == "True"
        for condition in reversed(view.items("status", "conditions"))
    }
    for condition, shown in _JOB_STATES:
        if held.get(condition) if condition else view.terminating:
            return shown
    return "Running"


def _completions(view: View) -> str:
    done = view.at("status", "succeeded") or 0
    wanted = view.at("spec", "completions")
    if wanted is not None:
        return f"{done}/{wanted}"
    parallelism = view.at("spec", "parallelism") or 0
    return f"{done}/1 of {parallelism}" if parallelism > 1 else f"{done}/1"


def _job_duration(view: View) -> str:
    start = moment(view.at("status", "startTime"))
    end = moment(view.at("status", "completionTime")) or view.now
    return "" if start is None else human_duration((end - start).total_seconds())


_JOB: Final = (
    NAME,
    Column("Status", "How the job goes.", _job_status),
    Column("Completions", "How many Pods succeeded.", _completions, doc="status.succeeded"),
    Column("Duration", "How long it ran, or has been running.", _job_duration),
    AGE,
    *TEMPLATE_COLUMNS,
    selector_column(),
)


_CRON_JOB: Final = (
    NAME,
    Column("Schedule", "When it runs.", field("spec.schedule"), doc="spec.schedule"),
    Column("Timezone", "Whose time that is.", field("spec.timeZone", NONE), doc="spec.timeZone"),
    Column(
        "Suspend", "Whether it rests.", flag("spec.suspend"), type="boolean", doc="spec.suspend"
    ),
    Column("Active", "Jobs that run.", size("status.active"), type="integer", doc="status.active"),
    Column(
        "Last Schedule",
        "The time since it last ran.",
        since("status.lastScheduleTime", NONE),
        doc="status.lastScheduleTime",
    ),
    AGE,
    *template_columns("spec", "jobTemplate", "spec", "template"),
    selector_column("spec.jobTemplate.spec.selector"),
)

PRINTERS: Final = {
    ("batch", "Job"): Printer(_JOB),
    ("batch", "CronJob"): Printer(_CRON_JOB),
}
