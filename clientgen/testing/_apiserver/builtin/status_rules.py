"""Validates statuses, such as consistent numbers of pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, required
from clientgen._apimachinery.optional_parts import part, parts

from ..kinds.shared.job_policies import counted
from ..kinds.shared.replicas import counts
from .validating import checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_JOB: Final = ("active", "succeeded", "failed", "ready", "terminating")


@checks_change("batch", "jobs", part="status")
def _job(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    status, before = part(new, "status"), part(old, "status")
    yield from counts(status, _JOB)
    yield from _indexes(status, part(new, "spec"))
    ready, active = status.get("ready"), status.get("active") or 0
    if ready is not None and ready > active:
        yield invalid_value("status.ready", ready, "cannot set more ready pods than active")
    for field in ("succeeded", "failed"):
        number = status.get(field) or 0
        if number < (before.get(field) or 0):
            said = f"cannot decrease the {field} counter"
            yield invalid_value(f"status.{field}", number, said)
    yield from _finished(status)


def _indexes(status: dict[str, Any], spec: dict[str, Any]) -> Iterator[Cause]:
    """Which pods are done, and which have failed for good, by their indexes."""
    for member in ("completedIndexes", "failedIndexes"):
        named = status.get(member) or ""
        _, problem = counted(named, spec.get("completions") or 0)
        if problem:
            said = f"error parsing {member}: {problem}"
            yield invalid_value(f"status.{member}", named, said)


def _finished(status: dict[str, Any]) -> Iterator[Cause]:
    """A job that is done says since when it ran, and a complete one when it ended."""
    true = {each.get("type") for each in parts(status, "conditions") if each["status"] == "True"}
    if true & {"Complete", "Failed"} and not status.get("startTime"):
        yield required("status.startTime", "startTime is required for finished job")
    if "Complete" in true and not status.get("completionTime"):
        said = "completionTime is required for Complete jobs"
        yield required("status.completionTime", said)
    elif "Complete" not in true and status.get("completionTime"):
        said = "cannot set completionTime when there is no Complete=True condition"
        yield invalid_value("status.completionTime", status["completionTime"], said)
    for finished, criterion in (("Complete", "SuccessCriteriaMet"), ("Failed", "FailureTarget")):
        if finished in true and criterion not in true:
            said = f"cannot set {finished}=True condition without the {criterion}=true condition"
            yield invalid_value("status.conditions", parts(status, "conditions"), said)
