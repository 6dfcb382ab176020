"""CronJob: a Job at certain times."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from clientgen._json import part

from ...tables.columns import AGE, NAME, NONE, Column, Printer, field, flag, since, size
from ..defaults import TypeDefaults, set_missing
from ..metadata import MetadataChecks
from ..shared.common_checks import is_not_negative, one_of
from ..shared.pod_warnings import is_same_generation, name_warnings
from ..shared.workload_columns import selector_column, template_columns
from ..strategy import Strategy
from .cron_syntax import FIELDS, NICKNAMES
from .job_specs import job_spec_causes, job_spec_warnings

if TYPE_CHECKING:
    from collections.abc import Iterator

_HISTORY: Final = (
    "startingDeadlineSeconds",
    "successfulJobsHistoryLimit",
    "failedJobsHistoryLimit",
)

_EVERY: Final = re.compile(r"@every (\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+")
_COLUMNS: Final = (
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


def _set_defaults(spec: dict[str, Any]) -> None:
    spec["concurrencyPolicy"] = spec.get("concurrencyPolicy") or "Allow"
    set_missing(spec, suspend=False, successfulJobsHistoryLimit=3, failedJobsHistoryLimit=1)


class CronJobStrategy(Strategy):
    """The strategy for CronJobs."""

    types = {"batch.v1.CronJobSpec": TypeDefaults(fill=_set_defaults)}
    longest_name = 52
    status_metadata_checks = MetadataChecks.ANY_FINALIZER
    generation_fields = ("spec",)
    printer = Printer(_COLUMNS)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the schedule and the spec of the jobs."""
        spec = obj["spec"]
        schedule = spec.get("schedule") or ""
        if not schedule:
            yield required("spec.schedule")
        else:
            for problem in _schedule_problems(schedule):
                yield invalid_value("spec.schedule", schedule, problem)
        for count in _HISTORY:
            yield from is_not_negative(f"spec.{count}", spec.get(count))
        yield from _time_zone(spec.get("timeZone"))
        policy = spec.get("concurrencyPolicy")
        yield from one_of("spec.concurrencyPolicy", policy, ("Allow", "Forbid", "Replace"))
        job = part(part(spec, "jobTemplate"), "spec")
        if job.get("manualSelector"):
            at = "spec.jobTemplate.spec.manualSelector"
            yield not_supported(at, True, ("nil", "false"))
        if job.get("selector") is not None:
            yield forbidden_value(
                "spec.jobTemplate.spec.selector", "`selector` will be auto-generated"
            )
        yield from job_spec_causes(job, "spec.jobTemplate.spec")

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of the name, of a time zone in the schedule and of the template."""
        if old is None:
            yield from name_warnings(new)
        if not is_same_generation(new, old):
            job = part(part(new["spec"], "jobTemplate"), "spec")
            yield from job_spec_warnings(job, "spec.jobTemplate.spec")
        if old and "TZ" in (new["spec"].get("schedule") or ""):
            yield (
                "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
                "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more "
                "details"
            )


def _time_zone(name: str | None) -> Iterator[Cause]:
    if name is None:
        return
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        yield invalid_value("spec.timeZone", name, f"unknown time zone {name}")


def _schedule_problems(schedule: str) -> list[str]:
    if "TZ" in schedule:
        return ["cannot use TZ or CRON_TZ in schedule, use timeZone field instead"]
    if schedule in NICKNAMES or _EVERY.fullmatch(schedule):
        return []
    if schedule.startswith("@"):
        return [f"unrecognized descriptor: {schedule}"]
    fields = schedule.split()
    if len(fields) != len(FIELDS):
        shown = " ".join(fields)
        return [f"expected exactly 5 fields, found {len(fields)}: [{shown}]"]
    problems = (
        _field_problem(asked, *limits)
        for each, limits in zip(fields, FIELDS, strict=True)
        for asked in each.split(",")
    )
    return [problem for problem in problems if problem][:1]


def _field_problem(asked: str, least: int, most: int, names: dict[str, int]) -> str:
    """Return the problem of one part of a field, such as `*/5` or `MON-FRI`."""
    span, slash, step = asked.partition("/")
    if slash and not (_is_number(step) and int(step)):
        return f"failed to parse int from {step}: {asked}"
    if span in ("*", "?"):
        return ""
    first, dash, last = span.partition("-")
    numbers = [
        int(word) if _is_number(word) else names.get(word.lower(), -1)
        for word in (first, last if dash else first)
    ]
    if -1 in numbers:
        return f"failed to parse int from {span}: {asked}"
    return _range_problem(numbers, least, most, asked)


def _is_number(text: str) -> bool:
    return re.fullmatch("[0-9]{1,9}", text) is not None


def _range_problem(numbers: list[int], least: int, most: int, asked: str) -> str:
    first, last = numbers
    if first < least:
        return f"beginning of range ({first}) below minimum ({least}): {asked}"
    if last > most:
        return f"end of range ({last}) above maximum ({most}): {asked}"
    if first > last:
        return f"beginning of range ({first}) beyond end of range ({last}): {asked}"
    return ""
