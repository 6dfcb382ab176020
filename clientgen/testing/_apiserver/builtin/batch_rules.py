"""Validates Jobs and CronJobs, and their changes."""

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
from clientgen._apimachinery.name_syntax import label_problems
from clientgen._apimachinery.optional_parts import part

from ..kinds.shared.checks import immutable, is_not_negative, one_of, selector_causes, selects
from ..kinds.shared.job_policies import (
    failure_policy_causes,
    indexed_causes,
    managed_by_causes,
    success_policy_causes,
)
from ..kinds.shared.pod_templates import template_causes
from .validating import checks, checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_COUNTS: Final = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_HISTORY: Final = (
    "startingDeadlineSeconds",
    "successfulJobsHistoryLimit",
    "failedJobsHistoryLimit",
)
_RESTARTS: Final = ("OnFailure", "Never")
_REPLACEMENTS: Final = ("Failed", "TerminatingOrFailed")
_CONTROLLER_UID: Final = "batch.kubernetes.io/controller-uid"
_UNMATCHED: Final = "`selector` does not match template `labels`"

_NICKNAMES: Final = frozenset(
    {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}
)
_EVERY: Final = re.compile(r"@every (\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+")
_MONTHS: Final = [
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
]
_DAYS: Final = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
_LIMITS: Final[tuple[tuple[int, int, dict[str, int]], ...]] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, {name: number for number, name in enumerate(_MONTHS, 1)}),
    (0, 6, {name: number for number, name in enumerate(_DAYS)}),
)


# ----------------------------------------------------------------------------------- jobs


@checks("batch", "jobs")
def _job(job: dict[str, Any]) -> Iterator[Cause]:
    spec = job["spec"]
    yield from _job_spec(spec, "spec")
    yield from _job_selector(spec, job["metadata"].get("uid", ""))
    completions = spec.get("completions") or 0
    if spec.get("completionMode") == "Indexed" and completions > 0:
        name = job["metadata"].get("name") or ""
        longest = f"{name}-{completions - 1}"
        if label_problems(longest):
            said = f"will not able to create pod with invalid DNS label: {longest}"
            yield invalid_value("metadata.name", name, said)


def _job_spec(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    for count in _COUNTS:
        yield from is_not_negative(f"{field}.{count}", spec.get(count))
    mode = spec.get("completionMode")
    yield from one_of(f"{field}.completionMode", mode, ("NonIndexed", "Indexed"), needed=False)
    yield from indexed_causes(spec, field)
    if spec.get("managedBy") is not None:
        yield from managed_by_causes(spec["managedBy"], f"{field}.managedBy")
    yield from failure_policy_causes(spec, f"{field}.podFailurePolicy")
    if spec.get("successPolicy") is not None:
        yield from success_policy_causes(spec, f"{field}.successPolicy")
    failing = spec.get("podFailurePolicy") is not None
    known = ("Failed",) if failing else _REPLACEMENTS
    replaced = spec.get("podReplacementPolicy")
    yield from one_of(f"{field}.podReplacementPolicy", replaced, known, needed=False)
    template = part(spec, "template")
    yield from template_causes(template, f"{field}.template")
    policy: str = part(template, "spec").get("restartPolicy") or ""
    at = f"{field}.template.spec.restartPolicy"
    if policy in ("", "Always"):
        yield required(at, 'valid values: "OnFailure", "Never"')
    elif policy not in _RESTARTS:
        yield not_supported(at, policy, _RESTARTS)
    elif failing and policy != "Never":
        said = 'only "Never" is supported when podFailurePolicy is specified'
        yield invalid_value(at, policy, said)


def _job_selector(spec: dict[str, Any], uid: str) -> Iterator[Cause]:
    selector = spec.get("selector")
    labels = part(part(part(spec, "template"), "metadata"), "labels")
    if selector is None:
        yield required("spec.selector")
        yield invalid_value("spec.template.metadata.labels", labels, _UNMATCHED)
        return
    problems = list(selector_causes(selector, "spec.selector"))
    yield from problems
    if not spec.get("manualSelector"):
        expected = {"matchLabels": {_CONTROLLER_UID: uid}}
        if {key: value for key, value in selector.items() if value} != expected:
            yield invalid_value("spec.selector", selector, "`selector` not auto-generated")
    if not problems and not selects(selector, labels):
        yield invalid_value("spec.template.metadata.labels", labels, _UNMATCHED)


@checks_change("batch", "jobs")
def _job_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = new["spec"], old["spec"]
    yield from _job_spec(after, "spec")
    yield from is_not_negative("spec.parallelism", after.get("parallelism"))
    indexed = after.get("completionMode") == "Indexed"
    scaled = after.get("completions") == after.get("parallelism")
    if not (indexed and scaled):
        yield from immutable(
            "spec.completions", after.get("completions"), before.get("completions")
        )
    if after.get("selector") != before.get("selector"):
        yield from immutable("spec.selector", after.get("selector"), before.get("selector"))
    if not before.get("suspend"):
        yield from immutable("spec.template", after.get("template"), before.get("template"))
    for field in (
        "completionMode",
        "podFailurePolicy",
        "backoffLimitPerIndex",
        "managedBy",
        "successPolicy",
    ):
        yield from immutable(f"spec.{field}", after.get(field), before.get(field))


# ------------------------------------------------------------------------------ cron jobs


@checks("batch", "cronjobs")
def _cron_job(cron_job: dict[str, Any]) -> Iterator[Cause]:
    spec = cron_job["spec"]
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
        yield forbidden_value("spec.jobTemplate.spec.selector", "`selector` will be auto-generated")
    yield from _job_spec(job, "spec.jobTemplate.spec")


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
    if schedule in _NICKNAMES or _EVERY.fullmatch(schedule):
        return []
    if schedule.startswith("@"):
        return [f"unrecognized descriptor: {schedule}"]
    fields = schedule.split()
    if len(fields) != len(_LIMITS):
        shown = " ".join(fields)
        return [f"expected exactly 5 fields, found {len(fields)}: [{shown}]"]
    problems = (
        _field_problem(asked, *limits)
        for each, limits in zip(fields, _LIMITS, strict=True)
        for asked in each.split(",")
    )
    return [problem for problem in problems if problem][:1]


def _field_problem(asked: str, least: int, most: int, names: dict[str, int]) -> str:
    """What is wrong with one part of a field, such as `*/5` or `MON-FRI`."""
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
