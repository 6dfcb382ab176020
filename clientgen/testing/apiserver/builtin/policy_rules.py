"""What disruption budgets, autoscalers, leases, events and small cluster-wide kinds may say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..failures import (
    Cause,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from ..parts import part, parts
from .checks import immutable, is_not_negative, matches, one_of, selector_causes, text
from .quantities import amount
from .texts import (
    label_problems,
    path_segment_problems,
    qualified_name_problems,
    service_label_problems,
)
from .validating import checks, checks_change
from .workload_rules import count_or_percent

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
_LONGEST_WINDOW: Final = 3600
_LEAST_DOTS: Final = 2
_LEAST_SERIES: Final = 2
_MOST_PRIORITY: Final = 1_000_000_000
_SYSTEM_PRIORITIES: Final = frozenset({"system-node-critical", "system-cluster-critical"})

_FIXED_EVENT: Final = (
    ("regarding", "involvedObject"),
    ("reason", "reason"),
    ("note", "message"),
    ("type", "type"),
    ("eventTime", "eventTime"),
    ("action", "action"),
    ("related", "related"),
    ("reportingController", "reportingController"),
    ("reportingInstance", "reportingInstance"),
    ("deprecatedCount", "count"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedSource", "source"),
)
"""Members that an event keeps, by their names in both groups."""


# ----------------------------------------------------------------------- disruption budgets


@checks("policy", "poddisruptionbudgets")
def _budget(budget: dict[str, Any]) -> Iterator[Cause]:
    spec = budget["spec"]
    least, most = spec.get("minAvailable"), spec.get("maxUnavailable")
    if least is not None and most is not None:
        said = "minAvailable and maxUnavailable cannot be both set"
        yield invalid_value("spec", spec, said)
    yield from count_or_percent("spec.minAvailable", least)
    yield from count_or_percent("spec.maxUnavailable", most)
    yield from selector_causes(spec.get("selector"), "spec.selector")
    policy = spec.get("unhealthyPodEvictionPolicy")
    known = ("AlwaysAllow", "IfHealthyBudget")
    yield from one_of("spec.unhealthyPodEvictionPolicy", policy, known, needed=False)


# ------------------------------------------------------------------------------ autoscalers


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
        # An unknown type is told as such, and again as one without a source.
        yield not_supported(f"{field}.type", kind, _METRICS)
        yield not_supported(f"{field}.type", kind, _METRICS)
        return
    member = _SOURCES[kind]
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
    if not part(source, "metric").get("name"):
        yield required(f"{at}.metric.name", "must specify a metric name")
    yield from _amount_target(part(source, "target"), f"{at}.target", member)


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
    elif target.get("value") is None and target.get("averageValue") is None:
        said = "must set either a target value or averageValue"
        yield required(f"{field}.averageValue", said)


def _target_type(target: dict[str, Any], field: str) -> Iterator[Cause]:
    kind = target.get("type") or ""
    if not kind:
        yield required(f"{field}.type", "must specify a metric target type")
    elif kind not in ("Utilization", "Value", "AverageValue"):
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
    chosen = rules.get("selectPolicy")
    yield from one_of(f"{field}.selectPolicy", chosen, ("Disabled", "Max", "Min"), needed=False)
    for index, policy in enumerate(parts(rules, "policies")):
        at = f"{field}.policies[{index}]"
        yield from one_of(f"{at}.type", policy.get("type"), ("Percent", "Pods"))
        for member in ("value", "periodSeconds"):
            if (policy.get(member) or 0) <= 0:
                said = "must be greater than zero"
                yield invalid_value(f"{at}.{member}", policy.get(member) or 0, said)


# ---------------------------------------------------------------------------- small kinds


@checks("coordination.k8s.io", "leases")
def _lease(lease: dict[str, Any]) -> Iterator[Cause]:
    spec = lease["spec"]
    seconds = spec.get("leaseDurationSeconds")
    if seconds is not None and seconds <= 0:
        yield invalid_value("spec.leaseDurationSeconds", seconds, "must be greater than 0")
    yield from is_not_negative("spec.leaseTransitions", spec.get("leaseTransitions"))


@checks("scheduling.k8s.io", "priorityclasses")
def _priority_class(priority: dict[str, Any]) -> Iterator[Cause]:
    name, value = priority["metadata"].get("name") or "", priority.get("value") or 0
    if name not in _SYSTEM_PRIORITIES:
        if name.startswith("system-"):
            said = "priority class names with 'system-' prefix are reserved for system use only"
            yield forbidden_value("metadata.name", said)
        if value > _MOST_PRIORITY:
            said = f"maximum allowed value of a user defined priority is {_MOST_PRIORITY}"
            yield forbidden_value("value", said)
    policy = priority.get("preemptionPolicy")
    yield from one_of("preemptionPolicy", policy, ("PreemptLowerPriority", "Never"))


@checks_change("scheduling.k8s.io", "priorityclasses")
def _priority_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    if new.get("value") != old.get("value"):
        yield forbidden_value("value", "may not be changed in an update.")
    after, before = new.get("preemptionPolicy"), old.get("preemptionPolicy")
    yield from immutable("preemptionPolicy", after, before)


@checks("node.k8s.io", "runtimeclasses")
def _runtime_class(runtime: dict[str, Any]) -> Iterator[Cause]:
    yield from text("handler", runtime.get("handler"), label_problems)


@checks_change("node.k8s.io", "runtimeclasses")
def _runtime_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    yield from immutable("handler", new.get("handler"), old.get("handler"))


@checks("apiregistration.k8s.io", "apiservices", again=False)
def _api_service(service: dict[str, Any]) -> Iterator[Cause]:
    spec = service["spec"]
    group, version = spec.get("group") or "", spec.get("version") or ""
    name = f"{version}.{group}"
    if service["metadata"].get("name") != name:
        said = f'must be `spec.version+"."+spec.group`: "{name}"'
        yield invalid_value("metadata.name", service["metadata"].get("name"), said)
    yield from matches("spec.version", version, service_label_problems)
    if not group and version != "v1":
        said = "only v1 may have an empty group and it better be legacy kube"
        yield required("spec.group", said)
    for field, limit in (("groupPriorityMinimum", 20000), ("versionPriority", 1000)):
        value = spec.get(field) or 0
        if not 0 < value <= limit:
            said = f"must be positive and less than {limit}"
            yield invalid_value(f"spec.{field}", value, said)


@checks(
    "admissionregistration.k8s.io",
    "validatingwebhookconfigurations",
    "mutatingwebhookconfigurations",
    again=False,
)
def _webhooks(configuration: dict[str, Any]) -> Iterator[Cause]:
    for index, webhook in enumerate(parts(configuration, "webhooks")):
        at = f"webhooks[{index}]"
        name = webhook.get("name") or ""
        if not name:
            yield required(f"{at}.name")
        elif name.count(".") < _LEAST_DOTS:
            said = "should be a domain with at least three segments separated by dots"
            yield invalid_value(f"{at}.name", name, said)
        if not webhook.get("admissionReviewVersions"):
            said = "must specify one of v1, v1beta1"
            yield required(f"{at}.admissionReviewVersions", said)
        if not webhook.get("sideEffects"):
            yield required(f"{at}.sideEffects", "must specify one of None, NoneOnDryRun")
        client = part(webhook, "clientConfig")
        if (client.get("url") is None) == (client.get("service") is None):
            yield required(f"{at}.clientConfig", "exactly one of url or service is required")


# ---------------------------------------------------------------------------------- events


@checks("", "events", again=False)
def _event(event: dict[str, Any]) -> Iterator[Cause]:
    about = part(event, "involvedObject")
    yield from _about(event, about)
    if event.get("eventTime"):
        yield from _new_event(event, "reportingComponent")


@checks_change("", "events")
def _core_event_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    """An event of the old kind may be counted on; one of the new kind only goes on in series."""
    yield from _about(new, part(new, "involvedObject"))
    if new.get("eventTime") or old.get("eventTime"):
        for _, told in _FIXED_EVENT:
            field = "reportingComponent" if told == "reportingController" else told
            yield from immutable(told, new.get(field), old.get(field))


def _about(event: dict[str, Any], about: dict[str, Any]) -> Iterator[Cause]:
    namespace = about.get("namespace") or ""
    own = event["metadata"].get("namespace")
    if namespace != own and not (not namespace and own == "default"):
        at = "involvedObject.namespace"
        yield invalid_value(at, namespace, "does not match event.namespace")


@checks("events.k8s.io", "events", again=False)
def _named_event(event: dict[str, Any]) -> Iterator[Cause]:
    yield from _about(event, part(event, "regarding"))
    if not event.get("eventTime"):
        yield required("eventTime")
    yield from _new_event(event, "reportingController")
    kind = event.get("type") or ""
    if kind not in ("Normal", "Warning"):
        yield invalid_value("type", "", f"has invalid value: {kind}")


def _new_event(event: dict[str, Any], reporter: str) -> Iterator[Cause]:
    series = event.get("series")
    if series is not None and (series.get("count") or 0) < _LEAST_SERIES:
        yield invalid_value("series.count", "", "should be at least 2")
    if series is not None and not series.get("lastObservedTime"):
        yield required("series.lastObservedTime")
    if not event.get(reporter):
        yield required(reporter)
    yield from matches(reporter, event.get(reporter) or "", qualified_name_problems)
    for field, most, needed in (
        ("reportingInstance", 128, True),
        ("action", 128, True),
        ("reason", 128, True),
        ("message", 1024, False),
    ):
        value = event.get(field) or event.get("note" if field == "message" else field) or ""
        if needed and not value:
            yield required(field)
        if len(value) > most:
            yield invalid_value(field, "", f"can have at most {most} characters")


@checks_change("events.k8s.io", "events")
def _event_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    """Only the series of an event goes on; the old names of members are those of core Events."""
    for field, told in _FIXED_EVENT:
        yield from immutable(told, new.get(field), old.get(field))
