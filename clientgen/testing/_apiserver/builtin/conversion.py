"""Objects of a built-in kind in another of its versions.

HorizontalPodAutoscalers differ from version to version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.optional_parts import part, parts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..resources import Resource

__all__ = ["convert"]

_CPU: Final = "targetCPUUtilizationPercentage"


def convert(obj: dict[str, Any], source: Resource, target: Resource) -> dict[str, Any]:
    """The object as `target` shows it; `obj` itself stays as it is."""
    convert_content = _CONVERSIONS.get((source.api_version, target.api_version, target.kind))
    converted = convert_content(obj) if convert_content else dict(obj)
    return {**converted, "apiVersion": target.api_version}


# --------------------------------------------------------------- horizontal pod autoscalers


def _to_old_autoscaler(autoscaler: dict[str, Any]) -> dict[str, Any]:
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
    found: int | None = part(resource, "target").get("averageUtilization")
    return found


def _to_new_autoscaler(autoscaler: dict[str, Any]) -> dict[str, Any]:
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


_CONVERSIONS: Final[Mapping[tuple[str, str, str], Callable[[dict[str, Any]], dict[str, Any]]]] = {
    ("autoscaling/v2", "autoscaling/v1", "HorizontalPodAutoscaler"): _to_old_autoscaler,
    ("autoscaling/v1", "autoscaling/v2", "HorizontalPodAutoscaler"): _to_new_autoscaler,
}
