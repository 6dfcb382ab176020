"""Defaults of workloads: batch and autoscaling (API reference, "Defaults to ...")."""

from __future__ import annotations

from typing import Any, Final

from clientgen._apimachinery.optional_parts import part

from ..kinds.defaults import defaults

__all__: list[str] = []

_NO_LIMIT: Final = 2**31 - 1
_SCALE_UP: Final = [("Pods", 4, 15), ("Percent", 100, 15)]
_SCALE_DOWN: Final = [("Percent", 100, 15)]


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


@defaults("autoscaling.v1.HorizontalPodAutoscalerSpec")
def _autoscaler_v1(spec: dict[str, Any]) -> None:
    _preset(spec, minReplicas=1, targetCPUUtilizationPercentage=80)


@defaults("autoscaling.v2.HorizontalPodAutoscalerSpec")
def _autoscaler(spec: dict[str, Any]) -> None:
    _preset(spec, minReplicas=1)
    if not spec.get("metrics"):
        target = {"type": "Utilization", "averageUtilization": 80}
        spec["metrics"] = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    behavior = spec.get("behavior")
    if behavior is not None:
        _preset(behavior, scaleUp={}, scaleDown={})
        _scaling(behavior["scaleUp"], _SCALE_UP)
        _scaling(behavior["scaleDown"], _SCALE_DOWN)
        _preset(behavior["scaleUp"], stabilizationWindowSeconds=0)


def _scaling(rules: dict[str, Any], policies: list[tuple[str, int, int]]) -> None:
    _preset(rules, selectPolicy="Max")
    if rules.get("policies") is None:
        rules["policies"] = [
            {"type": kind, "value": value, "periodSeconds": seconds}
            for kind, value, seconds in policies
        ]
