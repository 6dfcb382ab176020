"""Specs of Jobs, which CronJobs have too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, not_supported, required
from clientgen._json import part

from ..shared.common_checks import is_not_negative, one_of
from ..shared.pod_templates import template_causes
from ..shared.pod_warnings import template_warnings
from .job_policies import (
    failure_policy_causes,
    indexed_causes,
    managed_by_causes,
    success_policy_causes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_COUNTS: Final = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_RESTARTS: Final = ("OnFailure", "Never")
_REPLACEMENTS: Final = ("Failed", "TerminatingOrFailed")
_MANY_COMPLETIONS: Final = 100_000
_MANY_PARALLEL: Final = 10_000


def job_spec_causes(spec: dict[str, Any], path: str) -> Iterator[Cause]:
    """Check the spec of a Job, or of the Jobs of a CronJob."""
    for count in _COUNTS:
        yield from is_not_negative(f"{path}.{count}", spec.get(count))
    mode = spec.get("completionMode")
    yield from one_of(f"{path}.completionMode", mode, ("NonIndexed", "Indexed"), needed=False)
    yield from indexed_causes(spec, path)
    if spec.get("managedBy") is not None:
        yield from managed_by_causes(spec["managedBy"], f"{path}.managedBy")
    yield from failure_policy_causes(spec, f"{path}.podFailurePolicy")
    if spec.get("successPolicy") is not None:
        yield from success_policy_causes(spec, f"{path}.successPolicy")
    failing = spec.get("podFailurePolicy") is not None
    known = ("Failed",) if failing else _REPLACEMENTS
    replaced = spec.get("podReplacementPolicy")
    yield from one_of(f"{path}.podReplacementPolicy", replaced, known, needed=False)
    template = part(spec, "template")
    yield from template_causes(template, f"{path}.template")
    policy: str = part(template, "spec").get("restartPolicy") or ""
    at = f"{path}.template.spec.restartPolicy"
    if policy in ("", "Always"):
        yield required(at, 'valid values: "OnFailure", "Never"')
    elif policy not in _RESTARTS:
        yield not_supported(at, policy, _RESTARTS)
    elif failing and policy != "Never":
        why = 'only "Never" is supported when podFailurePolicy is specified'
        yield invalid_value(at, policy, why)


def job_spec_warnings(spec: dict[str, Any], path: str) -> Iterator[str]:
    """Warn of many indexes, and of what is unusual in the template."""
    completions, parallelism = spec.get("completions") or 0, spec.get("parallelism") or 0
    indexed = spec.get("completionMode") == "Indexed"
    if indexed and completions > _MANY_COMPLETIONS and parallelism > _MANY_PARALLEL:
        yield (
            f"{path}: In Indexed Jobs with a number of completions higher than 10^5 and a "
            "parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes "
            "when a big number of indexes fail"
        )
    yield from template_warnings(part(spec, "template"), f"{path}.template")
