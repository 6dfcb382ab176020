"""HorizontalPodAutoscalers in another of their versions."""

from __future__ import annotations

from typing import Any, Final

from clientgen._json import part, parts

_CPU: Final = "targetCPUUtilizationPercentage"


def to_v1(autoscaler: dict[str, Any]) -> dict[str, Any]:
    """Return a v2 autoscaler as v1 shows it."""
    spec = dict(part(autoscaler, "spec"))
    percentages = [_cpu_target(metric) for metric in parts(spec, "metrics")]
    for field in ("metrics", "behavior"):
        spec.pop(field, None)
    if percentages and percentages[0] is not None:
        spec[_CPU] = percentages[0]
    status = dict(part(autoscaler, "status"))
    for field in ("currentMetrics", "conditions"):
        status.pop(field, None)
    status.setdefault("currentReplicas", 0)
    return {**autoscaler, "spec": spec, "status": status}


def _cpu_target(metric: dict[str, Any]) -> int | None:
    resource = part(metric, "resource")
    if metric.get("type") != "Resource" or resource.get("name") != "cpu":
        return None
    share: int | None = part(resource, "target").get("averageUtilization")
    return share


def to_v2(autoscaler: dict[str, Any]) -> dict[str, Any]:
    """Return a v1 autoscaler as v2 shows it."""
    spec = dict(part(autoscaler, "spec"))
    percentage = spec.pop(_CPU, None)
    if percentage is not None:
        target = {"type": "Utilization", "averageUtilization": percentage}
        spec["metrics"] = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    status = dict(part(autoscaler, "status"))
    status.pop("currentCPUUtilizationPercentage", None)
    if not status.get("currentReplicas"):
        status.pop("currentReplicas", None)
    status.setdefault("currentMetrics", None)
    return {**autoscaler, "spec": spec, "status": status}
