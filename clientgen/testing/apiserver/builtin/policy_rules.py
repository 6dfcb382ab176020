"""What disruption budgets, leases and small cluster-wide kinds may say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    required,
)
from ..parts import part, parts
from .checks import immutable, is_not_negative, matches, one_of, selector_causes, text
from .container_resources import resource_causes
from .metadata import labels_causes
from .scheduling import tolerations_causes
from .texts import (
    label_problems,
    service_label_problems,
)
from .validating import checks, checks_change
from .workload_rules import count_or_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_TOLERATION: Final = ("key", "operator", "value", "effect")
_LEAST_DOTS: Final = 2
_MOST_PRIORITY: Final = 1_000_000_000
_SYSTEM_PRIORITIES: Final = frozenset({"system-node-critical", "system-cluster-critical"})


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


@checks("node.k8s.io", "runtimeclasses", again=False)
def _runtime_nodes(runtime: dict[str, Any]) -> Iterator[Cause]:
    overhead = part(part(runtime, "overhead"), "podFixed")
    yield from resource_causes({"limits": overhead}, "overhead", {})
    scheduling = part(runtime, "scheduling")
    yield from labels_causes(scheduling.get("nodeSelector"), "scheduling.nodeSelector")
    tolerations = parts(scheduling, "tolerations")
    yield from tolerations_causes(tolerations, "scheduling.tolerations")
    seen: set[tuple[str, ...]] = set()
    for index, toleration in enumerate(tolerations):
        same = tuple(toleration.get(name) or "" for name in _TOLERATION)
        if same in seen:
            yield duplicate(f"scheduling.tolerations[{index}]", toleration)
        seen.add(same)


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
