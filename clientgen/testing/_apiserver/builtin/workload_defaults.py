"""Defaults of workloads: batch and autoscaling (API reference, "Defaults to ...")."""

from __future__ import annotations

from typing import Any, Final

from clientgen._apimachinery.optional_parts import part

from ..kinds.defaults import defaults

__all__: list[str] = []

_NO_LIMIT: Final = 2**31 - 1


def _preset(node: dict[str, Any], **presets: Any) -> None:
    for field, preset in presets.items():
        if node.get(field) is None:
            node[field] = preset


@defaults("batch.v1.Job")
def _job(job: dict[str, Any]) -> None:
    spec = job.setdefault("spec", {})
    if spec.get("completions") is None and spec.get("parallelism") is None:
        spec["completions"] = 1
    per_index = spec.get("backoffLimitPerIndex") is not None
    replaced = "Failed" if spec.get("podFailurePolicy") else "TerminatingOrFailed"
    _preset(
        spec,
        parallelism=1,
        backoffLimit=_NO_LIMIT if per_index else 6,
        completionMode="NonIndexed",
        suspend=False,
        manualSelector=False,
        podReplacementPolicy=replaced,
    )
    labels = (part(part(spec, "template"), "metadata")).get("labels")
    if labels and not job["metadata"].get("labels"):
        job["metadata"]["labels"] = dict(labels)


@defaults("batch.v1.PodFailurePolicyOnPodConditionsPattern")
def _failure_pattern(pattern: dict[str, Any]) -> None:
    pattern["status"] = pattern.get("status") or "True"


@defaults("batch.v1.CronJobSpec")
def _cron_job(spec: dict[str, Any]) -> None:
    spec["concurrencyPolicy"] = spec.get("concurrencyPolicy") or "Allow"
    _preset(spec, suspend=False, successfulJobsHistoryLimit=3, failedJobsHistoryLimit=1)
