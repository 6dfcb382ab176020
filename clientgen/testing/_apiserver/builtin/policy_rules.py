"""What disruption budgets, leases and small cluster-wide kinds may say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from clientgen._apimachinery.labels import labels_causes
from clientgen._apimachinery.name_syntax import (
    label_problems,
    path_segment_problems,
    range_problems,
    service_label_problems,
    subdomain_problems,
)
from clientgen._apimachinery.optional_parts import part, parts

from .checks import (
    conditions_causes,
    immutable,
    is_not_negative,
    matches,
    one_of,
    selector_causes,
    text,
)
from .container_resources import resource_causes
from .scheduling import tolerations_causes
from .validating import checks, checks_change
from .workload_rules import count_or_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_TOLERATION: Final = ("key", "operator", "value", "effect")
_VERSION: Final = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?"
)
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


@checks_change("policy", "poddisruptionbudgets", part="status")
def _budget_status(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    del old
    status = part(new, "status")
    conditions = parts(status, "conditions")
    yield from conditions_causes(conditions, "status.conditions", transitions=False)


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


@checks("node.k8s.io", "runtimeclasses")
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


@checks("apiregistration.k8s.io", "apiservices")
def _api_service(api: dict[str, Any]) -> Iterator[Cause]:
    spec, name = api["spec"], api["metadata"].get("name") or ""
    group, version = spec.get("group") or "", spec.get("version") or ""
    needed = f"{version}.{group}"
    if name != needed and not path_segment_problems(name):
        said = f'must be `spec.version+"."+spec.group`: "{needed}"'
        yield invalid_value("metadata.name", name, said)
    yield from text("spec.group", group, subdomain_problems, needed=False)
    if not group and version != "v1":
        said = "only v1 may have an empty group and it better be legacy kube"
        yield required("spec.group", said)
    yield from matches("spec.version", version, service_label_problems)
    for field, limit in (("groupPriorityMinimum", 20000), ("versionPriority", 1000)):
        value = spec.get(field) or 0
        if not 0 < value <= limit:
            said = f"must be positive and less than {limit}"
            yield invalid_value(f"spec.{field}", value, said)
    yield from _api_server(spec)


def _api_server(spec: dict[str, Any]) -> Iterator[Cause]:
    """Where an API is served: here, or by a service."""
    service, bundle = spec.get("service"), spec.get("caBundle")
    insecure = spec.get("insecureSkipTLSVerify")
    if service is None:
        if bundle:
            yield invalid_value(
                "spec.caBundle", "1 bytes", "local APIServices may not have a caBundle"
            )
        if insecure:
            said = "local APIServices may not have insecureSkipTLSVerify"
            yield invalid_value("spec.insecureSkipTLSVerify", insecure, said)
        return
    for member in ("namespace", "name"):
        if not service.get(member):
            yield required(f"spec.service.{member}")
    port = service.get("port")
    for problem in () if port is None else range_problems(port, 1, 65535):
        yield invalid_value("spec.service.port", port, f"port is not valid: {problem}")
    if insecure and bundle:
        said = "may not be true if caBundle is present"
        yield invalid_value("spec.insecureSkipTLSVerify", insecure, said)


@checks_change("apiregistration.k8s.io", "apiservices", part="status")
def _api_status(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    del old
    for index, condition in enumerate(parts(part(new, "status"), "conditions")):
        if condition.get("status") not in ("True", "False", "Unknown"):
            known = ("False", "True", "Unknown")
            at = f"status.conditions[{index}].status"
            yield not_supported(at, condition.get("status") or "", known)


@checks("internal.apiserver.k8s.io", "storageversions", again=False)
def _storage_version(stored: dict[str, Any]) -> Iterator[Cause]:
    name = stored["metadata"].get("name") or ""
    group, dot, resource = name.rpartition(".")
    if not dot:
        said = "name must be in the form of <group>.<resource>"
        yield invalid_value("metadata.name", name, said)
    else:
        yield from matches("metadata.name", resource, service_label_problems)
        yield from matches("metadata.name", group, subdomain_problems)


@checks("coordination.k8s.io", "leasecandidates")
def _candidate(candidate: dict[str, Any]) -> Iterator[Cause]:
    spec = part(candidate, "spec")
    yield from text("spec.leaseName", spec.get("leaseName"))
    binary, emulated = spec.get("binaryVersion") or "", spec.get("emulationVersion") or ""
    strategy = spec.get("strategy") or ""
    if not binary:
        yield required("spec.binaryVersion")
    elif not _VERSION.fullmatch(binary):
        yield invalid_value("spec.binaryVersion", binary, "must be a valid semantic version")
    if emulated and not _VERSION.fullmatch(emulated):
        yield invalid_value("spec.emulationVersion", emulated, "must be a valid semantic version")
    if emulated and binary and _number(binary) < _number(emulated):
        said = "must be greater than or equal to `emulationVersion`"
        yield invalid_value("spec.binaryVersion", binary, said)
    if strategy == "OldestEmulationVersion" and not _number(emulated):
        said = "must be specified when `strategy` is 'OldestEmulationVersion'"
        yield required("spec.emulationVersion", said)
    yield from _strategy(strategy)


@checks_change("coordination.k8s.io", "leasecandidates")
def _candidate_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = part(new, "spec").get("leaseName"), part(old, "spec").get("leaseName")
    yield from immutable("spec.leaseName", after, before)


def _strategy(strategy: str) -> Iterator[Cause]:
    """Who leads: a strategy of Kubernetes', or one with a domain."""
    if not strategy:
        yield required("spec.strategy")
        return
    domain = strategy.partition("/")[0]
    if "/" not in strategy and strategy != "OldestEmulationVersion":
        yield not_supported("spec.strategy.strategy", strategy, ("OldestEmulationVersion",))
    elif domain in ("k8s.io", "kubernetes.io"):
        yield invalid_value("spec.strategy", strategy, "strategy may not be under k8s.io")


def _number(version: str) -> tuple[int, ...]:
    found = _VERSION.fullmatch(version)
    return tuple(map(int, found.group(1, 2, 3))) if found else ()
