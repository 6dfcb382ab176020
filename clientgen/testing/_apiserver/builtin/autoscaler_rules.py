"""Validates HorizontalPodAutoscalers."""

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
from clientgen._apimachinery.optional_parts import part, parts

from ..kinds.shared.checks import matches, one_of, selector_causes, text
from ..kinds.shared.quantities import amount
from .validating import checks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__: list[str] = []

_METRICS: Final = ("ContainerResource", "External", "Object", "Pods", "Resource")
_SOURCES: Final[Mapping[str, str]] = {
    "ContainerResource": "containerResource",
    "External": "external",
    "Object": "object",
    "Pods": "pods",
    "Resource": "resource",
}
_LONGEST_PERIOD: Final = 1800
_LONGEST_WINDOW: Final = 3600


@checks("autoscaling", "horizontalpodautoscalers")
def _autoscaler(autoscaler: dict[str, Any]) -> Iterator[Cause]:
    spec = autoscaler["spec"]
    least, most = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    if least is not None and least < 1:
        yield invalid_value("spec.minReplicas", least, "must be greater than or equal to 1")
    if most == 0:
        yield required("spec.maxReplicas", "must be set and greater than 0")
    elif most < 1:
        yield invalid_value("spec.maxReplicas", most, "must be greater than or equal to 1")
    if least is not None and most < least:
        said = "must be greater than or equal to `minReplicas`"
        yield invalid_value("spec.maxReplicas", most, said)
    yield from _target(part(spec, "scaleTargetRef"), "spec.scaleTargetRef")
    yield from _metrics(spec, least)
    for direction, rules in part(spec, "behavior").items():
        yield from _scaling(rules or {}, f"spec.behavior.{direction}")


def _target(reference: dict[str, Any], field: str) -> Iterator[Cause]:
    for member in ("kind", "name"):
        yield from text(f"{field}.{member}", reference.get(member), path_segment_problems)
    yield from _version(reference.get("apiVersion") or "", f"{field}.apiVersion")
    group, slash, _ = (reference.get("apiVersion") or "").partition("/")
    core = reference.get("kind") == "ReplicationController"
    if not (slash and group) and not core:
        said = "apiVersion must specify API group"
        yield invalid_value(f"{field}.apiVersion", reference.get("apiVersion") or "", said)


def _metrics(spec: dict[str, Any], least: int | None) -> Iterator[Cause]:
    percentage = spec.get("targetCPUUtilizationPercentage")
    metrics = parts(spec, "metrics")
    if percentage is not None and percentage < 1:
        at = "spec.metrics[0].resource.target.averageUtilization"
        yield invalid_value(at, percentage, "must be greater than 0")
    if least == 0 and not any(each.get("type") in ("Object", "External") for each in metrics):
        said = "must specify at least one Object or External metric to support scaling to zero"
        yield forbidden_value("spec.metrics", f"{said} replicas")
    for index, metric in enumerate(metrics):
        yield from _metric(metric, f"spec.metrics[{index}]")


def _metric(metric: dict[str, Any], field: str) -> Iterator[Cause]:
    kind = metric.get("type") or ""
    if kind not in _METRICS:
        if not kind:
            yield required(f"{field}.type", "must specify a metric source type")
        # An unknown type is told as such, and again as one without a source.
        yield not_supported(f"{field}.type", kind, _METRICS)
        yield not_supported(f"{field}.type", kind, _METRICS)
        return
    member = _SOURCES[kind]
    yield from _other_sources(metric, member, field)
    source = metric.get(member)
    if source is None:
        said = "must populate information for the given metric source"
        yield required(f"{field}.{member}", said)
        return
    at = f"{field}.{member}"
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


def _other_sources(metric: dict[str, Any], member: str, field: str) -> Iterator[Cause]:
    for other in _SOURCES.values():
        if other != member and metric.get(other) is not None:
            said = "must populate the given metric source only"
            yield forbidden_value(f"{field}.{other}", said)


def _described(reference: dict[str, Any], field: str) -> Iterator[Cause]:
    for member in ("kind", "name"):
        yield from text(f"{field}.{member}", reference.get(member), path_segment_problems)
    yield from _version(reference.get("apiVersion") or "", f"{field}.apiVersion")


def _version(text: str, field: str) -> Iterator[Cause]:
    if text.count("/") > 1:
        yield invalid_value(field, text, f"unexpected GroupVersion string: {text}")


def _resource_target(target: dict[str, Any], field: str) -> Iterator[Cause]:
    yield from _target_type(target, field)
    share, value = target.get("averageUtilization"), target.get("averageValue")
    if share is not None and share < 1:
        yield invalid_value(f"{field}.averageUtilization", share, "must be greater than 0")
    if share is None and value is None:
        said = "must set either a target raw value or a target utilization"
        yield required(f"{field}.averageUtilization", said)
    elif share is not None and value is not None:
        said = "may not set both a target raw value and a target utilization"
        yield forbidden_value(f"{field}.averageValue", said)
    if value is not None and amount(value) <= 0:
        yield invalid_value(f"{field}.averageValue", value, "must be positive")


def _amount_target(target: dict[str, Any], field: str, member: str) -> Iterator[Cause]:
    yield from _target_type(target, field)
    for side in ("value", "averageValue"):
        if target.get(side) is not None and amount(target[side]) <= 0:
            yield invalid_value(f"{field}.{side}", target[side], "must be positive")
    if member == "pods" and target.get("averageValue") is None:
        yield required(f"{field}.averageValue", "must specify a positive target averageValue")
    elif target.get("value") is not None and target.get("averageValue") is not None:
        said = "may not set both a target value for metric and a per-pod target"
        if member == "external":
            yield forbidden_value(f"{field}.value", said)
    elif target.get("value") is None and target.get("averageValue") is None:
        said = "must set either a target value or averageValue"
        yield required(f"{field}.averageValue", said)


def _target_type(target: dict[str, Any], field: str) -> Iterator[Cause]:
    kind = target.get("type") or ""
    if not kind:
        yield required(f"{field}.type", "must specify a metric target type")
    if kind not in ("Utilization", "Value", "AverageValue"):
        said = "must be either Utilization, Value, or AverageValue"
        yield invalid_value(f"{field}.type", kind, said)


def _scaling(rules: dict[str, Any], field: str) -> Iterator[Cause]:
    window = rules.get("stabilizationWindowSeconds")
    if window is not None and window < 0:
        said = "must be greater than or equal to zero"
        yield invalid_value(f"{field}.stabilizationWindowSeconds", window, said)
    elif window is not None and window > _LONGEST_WINDOW:
        said = "must be less than or equal to one hour"
        yield invalid_value(f"{field}.stabilizationWindowSeconds", window, said)
    tolerance = rules.get("tolerance")
    if tolerance is not None and amount(tolerance) < 0:
        said = "must be greater than or equal to 0"
        yield invalid_value(f"{field}.tolerance", tolerance, said)
    chosen = rules.get("selectPolicy")
    yield from one_of(f"{field}.selectPolicy", chosen, ("Disabled", "Max", "Min"), needed=False)
    if not rules.get("policies"):
        yield required(f"{field}.policies", "must specify at least one Policy")
    for index, policy in enumerate(parts(rules, "policies")):
        seconds = policy.get("periodSeconds") or 0
        if seconds > _LONGEST_PERIOD:
            said = f"must be less than or equal to {_LONGEST_PERIOD}"
            yield invalid_value(f"{field}.policies[{index}].periodSeconds", seconds, said)
        at = f"{field}.policies[{index}]"
        yield from one_of(f"{at}.type", policy.get("type"), ("Percent", "Pods"))
        for member in ("value", "periodSeconds"):
            if (policy.get(member) or 0) <= 0:
                said = "must be greater than zero"
                yield invalid_value(f"{at}.{member}", policy.get(member) or 0, said)
