"""Tables of what keeps Pods running: Deployments and the like, Jobs, autoscalers aside."""

from __future__ import annotations

from typing import Final

from .columns import AGE, NAME, NONE, Column, Printer, View, field, flag, since, size
from .durations import human_duration, moment
from .pods import template_columns
from .selecting import labels_text, selector_text, shown_selector

__all__ = ["PRINTERS"]

_TEMPLATE: Final = template_columns("spec", "template")


def _count(name: str, about: str, path: str, *, kind: str = "integer") -> Column:
    return Column(name, about, field(path, 0), type=kind, doc=path)


def _selector(path: str = "spec.selector") -> Column:
    keys = path.split(".")
    return Column(
        "Selector",
        "Which Pods belong to it.",
        lambda view: shown_selector(view.at(*keys)),
        priority=1,
        doc=path,
    )


def _ready_of_desired(view: View) -> str:
    ready, desired = view.at("status", "readyReplicas"), view.at("spec", "replicas")
    return f"{ready or 0}/{desired or 0}"


_REPLICAS: Final = (
    NAME,
    _count("Desired", "How many Pods there should be.", "spec.replicas"),
    _count("Current", "How many Pods there are.", "status.replicas"),
    _count("Ready", "How many Pods are ready.", "status.readyReplicas"),
    AGE,
    *_TEMPLATE,
)

_REPLICATION_CONTROLLER: Final = (
    *_REPLICAS,
    Column(
        "Selector",
        "Which Pods belong to it.",
        lambda view: labels_text(view.at("spec", "selector")),
        priority=1,
        doc="spec.selector",
    ),
)

_DEPLOYMENT: Final = (
    NAME,
    Column("Ready", "How many of the desired Pods are ready.", _ready_of_desired),
    _count(
        "Up-to-date",
        "How many Pods are of the latest template.",
        "status.updatedReplicas",
        kind="string",
    ),
    _count(
        "Available",
        "How many Pods have been ready for long enough.",
        "status.availableReplicas",
        kind="string",
    ),
    AGE,
    *_TEMPLATE,
    Column(
        "Selector",
        "Which Pods belong to it.",
        lambda view: selector_text(view.at("spec", "selector")),
        priority=1,
        doc="spec.selector",
    ),
)

_STATEFUL_SET: Final = (
    NAME,
    Column("Ready", "How many of the desired Pods are ready.", _ready_of_desired),
    AGE,
    *_TEMPLATE,
)

_DAEMON_SET: Final = (
    NAME,
    _count("Desired", "How many nodes should run it.", "status.desiredNumberScheduled"),
    _count("Current", "How many of these do.", "status.currentNumberScheduled"),
    _count("Ready", "How many of its Pods are ready.", "status.numberReady"),
    _count("Up-to-date", "How many are of the latest template.", "status.updatedNumberScheduled"),
    _count("Available", "How many were ready for long enough.", "status.numberAvailable"),
    Column(
        "Node Selector",
        "The labels a node needs.",
        lambda view: labels_text(view.at("spec", "template", "spec", "nodeSelector")),
        doc="spec.template.spec.nodeSelector",
    ),
    AGE,
    *_TEMPLATE,
    _selector(),
)


def _controller(view: View) -> str:
    """The owner that manages it, as `kind.group/name`."""
    for owner in view.items("metadata", "ownerReferences"):
        if owner.get("controller"):
            group, slash, _ = owner.get("apiVersion", "").rpartition("/")
            kind = f"{owner['kind']}.{group}" if slash else owner["kind"]
            return f"{kind.lower()}/{owner['name']}"
    return NONE


_CONTROLLER_REVISION: Final = (
    NAME,
    Column("Controller", "Whose history it is part of.", _controller),
    Column("Revision", "Its number.", field("revision", 0), doc="revision"),
    AGE,
)

# ------------------------------------------------------------------ jobs

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
    *_TEMPLATE,
    _selector(),
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
    _selector("spec.jobTemplate.spec.selector"),
)

PRINTERS: Final = {
    ("", "ReplicationController"): Printer(_REPLICATION_CONTROLLER),
    ("apps", "ReplicaSet"): Printer((*_REPLICAS, _selector())),
    ("apps", "Deployment"): Printer(_DEPLOYMENT),
    ("apps", "StatefulSet"): Printer(_STATEFUL_SET),
    ("apps", "DaemonSet"): Printer(_DAEMON_SET),
    ("apps", "ControllerRevision"): Printer(_CONTROLLER_REVISION),
    ("batch", "Job"): Printer(_JOB),
    ("batch", "CronJob"): Printer(_CRON_JOB),
}
