"""HorizontalPodAutoscaler: how many pods a workload has, by metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from clientgen._apimachinery.name_syntax import path_segment_problems
from clientgen._json import part, parts

from ..defaults import TypeDefaults, set_missing
from ..shared.common_checks import matches, one_of, selector_causes, text
from ..shared.quantities import amount
from ..shared.replica_counts import counts
from ..strategy import Strategy
from .autoscaler_columns import PRINTER
from .autoscaler_versions import to_v1, to_v2

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...served_resources import Resource

_METRICS: Final = ("ContainerResource", "External", "Object", "Pods", "Resource")
_SOURCES: Final[Mapping[str, str]] = {
    "ContainerResource": "containerResource",
    "External": "external",
    "Object": "object",
    "Pods": "pods",
    "Resource": "resource",
}
_MAX_PERIOD_SECONDS: Final = 1800
_MAX_WINDOW_SECONDS: Final = 3600
_SCALE_UP: Final = [("Pods", 4, 15), ("Percent", 100, 15)]
_SCALE_DOWN: Final = [("Percent", 100, 15)]


def _set_v1_defaults(spec: dict[str, Any]) -> None:
    set_missing(spec, minReplicas=1, targetCPUUtilizationPercentage=80)


def _set_defaults(spec: dict[str, Any]) -> None:
    set_missing(spec, minReplicas=1)
    if not spec.get("metrics"):
        target = {"type": "Utilization", "averageUtilization": 80}
        spec["metrics"] = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    behavior = spec.get("behavior")
    if behavior is not None:
        set_missing(behavior, scaleUp={}, scaleDown={})
        _set_policies(behavior["scaleUp"], _SCALE_UP)
        _set_policies(behavior["scaleDown"], _SCALE_DOWN)
        set_missing(behavior["scaleUp"], stabilizationWindowSeconds=0)


def _set_policies(rules: dict[str, Any], policies: list[tuple[str, int, int]]) -> None:
    set_missing(rules, selectPolicy="Max")
    if rules.get("policies") is None:
        rules["policies"] = [
            {"type": kind, "value": value, "periodSeconds": seconds}
            for kind, value, seconds in policies
        ]


class HorizontalPodAutoscalerStrategy(Strategy):
    """The strategy for HorizontalPodAutoscalers."""

    types = {
        "autoscaling.v1.HorizontalPodAutoscalerSpec": TypeDefaults(fill=_set_v1_defaults),
        "autoscaling.v2.HorizontalPodAutoscalerSpec": TypeDefaults(fill=_set_defaults),
        "autoscaling.v2.HorizontalPodAutoscalerStatus": TypeDefaults(
            zeros={"currentMetrics": None}
        ),
    }
    is_converted = True
    printer = PRINTER

    def from_version(self, obj: dict[str, Any], source: Resource) -> dict[str, Any]:
        """Rewrite the metrics: v1 knows only the utilization of the CPU."""
        if (source.version, self.resource.version) == ("v2", "v1"):
            return to_v1(obj)
        if (source.version, self.resource.version) == ("v1", "v2"):
            return to_v2(obj)
        return dict(obj)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the limits, the target, the metrics and the policies."""
        spec = obj["spec"]
        least, most = spec.get("minReplicas"), spec.get("maxReplicas") or 0
        if least is not None and least < 1:
            yield invalid_value("spec.minReplicas", least, "must be greater than or equal to 1")
        if most == 0:
            yield required("spec.maxReplicas", "must be set and greater than 0")
        elif most < 1:
            yield invalid_value("spec.maxReplicas", most, "must be greater than or equal to 1")
        if least is not None and most < least:
            why = "must be greater than or equal to `minReplicas`"
            yield invalid_value("spec.maxReplicas", most, why)
        yield from _target(part(spec, "scaleTargetRef"), "spec.scaleTargetRef")
        yield from _metrics(spec, least)
        for direction, rules in part(spec, "behavior").items():
            yield from _scaling(rules or {}, f"spec.behavior.{direction}")

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the numbers of replicas."""
        yield from counts(part(new, "status"), ("currentReplicas", "desiredReplicas"))


def _target(reference: dict[str, Any], path: str) -> Iterator[Cause]:
    for member in ("kind", "name"):
        yield from text(f"{path}.{member}", reference.get(member), path_segment_problems)
    yield from _version(reference.get("apiVersion") or "", f"{path}.apiVersion")
    group, slash, _ = (reference.get("apiVersion") or "").partition("/")
    core = reference.get("kind") == "ReplicationController"
    if not (slash and group) and not core:
        why = "apiVersion must specify API group"
        yield invalid_value(f"{path}.apiVersion", reference.get("apiVersion") or "", why)


def _metrics(spec: dict[str, Any], least: int | None) -> Iterator[Cause]:
    percentage = spec.get("targetCPUUtilizationPercentage")
    metrics = parts(spec, "metrics")
    if percentage is not None and percentage < 1:
        at = "spec.metrics[0].resource.target.averageUtilization"
        yield invalid_value(at, percentage, "must be greater than 0")
    if least == 0 and not any(each.get("type") in ("Object", "External") for each in metrics):
        why = "must specify at least one Object or External metric to support scaling to zero"
        yield forbidden_value("spec.metrics", f"{why} replicas")
    for index, metric in enumerate(metrics):
        yield from _metric(metric, f"spec.metrics[{index}]")


def _metric(metric: dict[str, Any], path: str) -> Iterator[Cause]:
    kind = metric.get("type") or ""
    if kind not in _METRICS:
        if not kind:
            yield required(f"{path}.type", "must specify a metric source type")
        # The server reports an unknown type twice: as such, and as one without a source.
        yield not_supported(f"{path}.type", kind, _METRICS)
        yield not_supported(f"{path}.type", kind, _METRICS)
        return
    member = _SOURCES[kind]
    yield from _other_sources(metric, member, path)
    source = metric.get(member)
    if source is None:
        why = "must populate information for the given metric source"
        yield required(f"{path}.{member}", why)
        return
    at = f"{path}.{member}"
    if member in ("resource", "containerResource"):
        if not source.get("name"):
            yield required(f"{at}.name", "must specify a resource name")
        if member == "containerResource" and not source.get("container"):
            yield required(f"{at}.container", "must specify a container")
        yield from _resource_target(part(source, "target"), f"{at}.target")
        return
    if member == "object":
        yield from _described(part(source, "describedObject"), f"{at}.describedObject")
    identifier = part(source, "metric")
    if not identifier.get("name"):
        yield required(f"{at}.metric.name", "must specify a metric name")
    else:
        yield from matches(f"{at}.metric.name", identifier["name"], path_segment_problems)
    yield from selector_causes(identifier.get("selector"), f"{at}.metric.selector")
    yield from _amount_target(part(source, "target"), f"{at}.target", member)


def _other_sources(metric: dict[str, Any], member: str, path: str) -> Iterator[Cause]:
    for other in _SOURCES.values():
        if other != member and metric.get(other) is not None:
            why = "must populate the given metric source only"
            yield forbidden_value(f"{path}.{other}", why)


def _described(reference: dict[str, Any], path: str) -> Iterator[Cause]:
    for member in ("kind", "name"):
        yield from text(f"{path}.{member}", reference.get(member), path_segment_problems)
    yield from _version(reference.get("apiVersion") or "", f"{path}.apiVersion")


def _version(text: str, path: str) -> Iterator[Cause]:
    if text.count("/") > 1:
        yield invalid_value(path, text, f"unexpected GroupVersion string: {text}")


def _resource_target(target: dict[str, Any], path: str) -> Iterator[Cause]:
    yield from _target_type(target, path)
    share, value = target.get("averageUtilization"), target.get("averageValue")
    if share is not None and share < 1:
        yield invalid_value(f"{path}.averageUtilization", share, "must be greater than 0")
    if share is None and value is None:
        why = "must set either a target raw value or a target utilization"
        yield required(f"{path}.averageUtilization", why)
    elif share is not None and value is not None:
        why = "may not set both a target raw value and a target utilization"
        yield forbidden_value(f"{path}.averageValue", why)
    if value is not None and amount(value) <= 0:
        yield invalid_value(f"{path}.averageValue", value, "must be positive")


def _amount_target(target: dict[str, Any], path: str, member: str) -> Iterator[Cause]:
    yield from _target_type(target, path)
    for side in ("value", "averageValue"):
        if target.get(side) is not None and amount(target[side]) <= 0:
            yield invalid_value(f"{path}.{side}", target[side], "must be positive")
    if member == "pods" and target.get("averageValue") is None:
        yield required(f"{path}.averageValue", "must specify a positive target averageValue")
    elif target.get("value") is not None and target.get("averageValue") is not None:
        why = "may not set both a target value for metric and a per-pod target"
        if member == "external":
            yield forbidden_value(f"{path}.value", why)
    elif target.get("value") is None and target.get("averageValue") is None:
        why = "must set either a target value or averageValue"
        yield required(f"{path}.averageValue", why)


def _target_type(target: dict[str, Any], path: str) -> Iterator[Cause]:
    kind = target.get("type") or ""
    if not kind:
        yield required(f"{path}.type", "must specify a metric target type")
    if kind not in ("Utilization", "Value", "AverageValue"):
        why = "must be either Utilization, Value, or AverageValue"
        yield invalid_value(f"{path}.type", kind, why)


def _scaling(rules: dict[str, Any], path: str) -> Iterator[Cause]:
    window = rules.get("stabilizationWindowSeconds")
    if window is not None and window < 0:
        why = "must be greater than or equal to zero"
        yield invalid_value(f"{path}.stabilizationWindowSeconds", window, why)
    elif window is not None and window > _MAX_WINDOW_SECONDS:
        why = "must be less than or equal to one hour"
        yield invalid_value(f"{path}.stabilizationWindowSeconds", window, why)
    tolerance = rules.get("tolerance")
    if tolerance is not None and amount(tolerance) < 0:
        why = "must be greater than or equal to 0"
        yield invalid_value(f"{path}.tolerance", tolerance, why)
    chosen = rules.get("selectPolicy")
    yield from one_of(f"{path}.selectPolicy", chosen, ("Disabled", "Max", "Min"), needed=False)
    if not rules.get("policies"):
        yield required(f"{path}.policies", "must specify at least one Policy")
    for index, policy in enumerate(parts(rules, "policies")):
        seconds = policy.get("periodSeconds") or 0
        if seconds > _MAX_PERIOD_SECONDS:
            why = f"must be less than or equal to {_MAX_PERIOD_SECONDS}"
            yield invalid_value(f"{path}.policies[{index}].periodSeconds", seconds, why)
        at = f"{path}.policies[{index}]"
        yield from one_of(f"{at}.type", policy.get("type"), ("Percent", "Pods"))
        for member in ("value", "periodSeconds"):
            if (policy.get(member) or 0) <= 0:
                why = "must be greater than zero"
                yield invalid_value(f"{at}.{member}", policy.get(member) or 0, why)
