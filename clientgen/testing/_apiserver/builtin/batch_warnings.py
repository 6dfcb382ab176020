"""Warnings for Jobs and CronJobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.optional_parts import part

from ..kinds.shared.pod_warnings import is_same_generation, name_warnings, template_warnings
from .warning import warns

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_MANY_COMPLETIONS: Final = 100_000
_MANY_PARALLEL: Final = 10_000


@warns("batch", "jobs")
def _job(new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
    if old is None:
        yield from name_warnings(new)
    if not is_same_generation(new, old):
        yield from _job_spec(new["spec"], "spec")


@warns("batch", "cronjobs")
def _cron_job(new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
    if old is None:
        yield from name_warnings(new)
    if not is_same_generation(new, old):
        job = part(part(new["spec"], "jobTemplate"), "spec")
        yield from _job_spec(job, "spec.jobTemplate.spec")
    if old and "TZ" in (new["spec"].get("schedule") or ""):
        yield (
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
            "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
        )


def _job_spec(spec: dict[str, Any], field: str) -> Iterator[str]:
    completions, parallelism = spec.get("completions") or 0, spec.get("parallelism") or 0
    indexed = spec.get("completionMode") == "Indexed"
    if indexed and completions > _MANY_COMPLETIONS and parallelism > _MANY_PARALLEL:
        yield (
            f"{field}: In Indexed Jobs with a number of completions higher than 10^5 and a "
            "parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes "
            "when a big number of indexes fail"
        )
    yield from template_warnings(part(spec, "template"), f"{field}.template")
