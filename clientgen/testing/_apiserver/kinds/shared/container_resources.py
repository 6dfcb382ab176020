"""Validates resources of pods and containers: requests, limits, and their changes."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from clientgen._apimachinery.name_syntax import label_problems, qualified_name_problems
from clientgen._json import part, parts

from .common_checks import matches
from .quantities import amount

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STANDARD: Final = ("cpu", "memory", "ephemeral-storage")
"""Resources that every node has."""
_OF_PODS: Final = ("cpu", "hugepages-", "memory")
_RESIZES: Final = ("NotRequired", "RestartContainer")
_KNOWN: Final = frozenset(
    {
        *STANDARD,
        *(f"{side}.{name}" for side in ("requests", "limits") for name in STANDARD),
        *("pods", "services", "resourcequotas", "replicationcontrollers", "secrets"),
        *("configmaps", "persistentvolumeclaims", "services.nodeports", "storage"),
        *("requests.storage", "services.loadbalancers"),
    }
)
"""Names of resources without a domain that mean something somewhere."""


_WHOLE: Final = frozenset(
    {
        *("pods", "resourcequotas", "services", "replicationcontrollers", "secrets"),
        *("configmaps", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers"),
    }
)
"""Resources that come in whole things."""


def resource_causes(resources: dict[str, Any], field: str, spec: dict[str, Any]) -> Iterator[Cause]:
    """Check the requests, limits and claims of a container of a pod."""
    yield from _causes(resources, field, container_name_causes)
    names = {each.get("name") or "" for each in parts(spec, "resourceClaims")}
    yield from _claims(parts(resources, "claims"), f"{field}.claims", names)


def pod_resource_causes(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    """Check the requests and limits of a pod as a whole."""
    resources, at = spec.get("resources"), f"{field}.resources"
    if resources is None:
        return
    if part(spec, "os").get("name") == "windows":
        yield forbidden_value(at, "may not be set for a windows pod")
        return
    if resources.get("claims") is not None:
        why = "claims may not be set for Resources at pod-level"
        yield forbidden_value(f"{at}.claims", why)
    yield from _causes(resources, at, _pod_name)
    names = {each.get("name") or "" for each in parts(spec, "resourceClaims")}
    yield from _claims(parts(resources, "claims"), f"{at}.claims", names)
    yield from _consistency(spec, resources, at)


def _consistency(spec: dict[str, Any], whole: dict[str, Any], field: str) -> Iterator[Cause]:
    """Check that a pod requests no less than its containers, and none has a higher limit."""
    containers = parts(spec, "containers")
    sidecars = [each for each in parts(spec, "initContainers") if _is_sidecar(each)]
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for each in (*containers, *sidecars):
        for name, quantity in part(part(each, "resources"), "requests").items():
            sums[name] += amount(quantity)
    for name, quantity in part(whole, "requests").items():
        if sums[name] > amount(quantity):
            why = f"must be greater than or equal to aggregate container requests of {sums[name]}"
            yield invalid_value(f"{field}.requests[{name}]", quantity, why)
    bounds = part(whole, "limits")
    for index, each in enumerate(containers):
        for name, limit in part(part(each, "resources"), "limits").items():
            if name in bounds and amount(limit) > amount(bounds[name]):
                quantity = bounds[name]
                at = f"{field}.containers[{index}][{name}].limits"
                why = f"must be less than or equal to pod limits of {quantity}"
                yield invalid_value(at, limit, why)


def _is_sidecar(container: dict[str, Any]) -> bool:
    return container.get("restartPolicy") == "Always"


def _causes(
    resources: dict[str, Any], field: str, named: Callable[[str, str], Iterator[Cause]]
) -> Iterator[Cause]:
    limits, requests = part(resources, "limits"), part(resources, "requests")
    for side, amounts in (("limits", limits), ("requests", requests)):
        for name, quantity in amounts.items():
            at = f"{field}.{side}[{name}]"
            yield from named(name, at)
            yield from quantity_causes(name, quantity, at)
            size = amount(name.removeprefix("hugepages-"))
            if name.startswith("hugepages-") and size and amount(quantity) % size:
                why = f"{quantity} is not positive integer multiple of {name}"
                yield invalid_value(at, quantity, why)
    for name, quantity in requests.items():
        yield from _request(name, quantity, limits.get(name), field)
    asked = {*limits, *requests}
    if any(name.startswith("hugepages-") for name in asked) and not asked & {"cpu", "memory"}:
        yield forbidden_value(field, "HugePages require cpu or memory")


def _is_standard(name: str) -> bool:
    return name in STANDARD or name.startswith("hugepages-")


def _is_quota_page(name: str) -> bool:
    return name.startswith(("hugepages-", "requests.hugepages-"))


def known_name_causes(name: str, field: str) -> Iterator[Cause]:
    """Check the name of a resource: a known one, or one with a domain."""
    problems = list(matches(field, name, qualified_name_problems))
    yield from problems
    if not problems and "/" not in name and name not in _KNOWN and not _is_quota_page(name):
        yield invalid_value(field, name, "must be a standard resource type or fully qualified")


def container_name_causes(name: str, field: str) -> Iterator[Cause]:
    """Check the name of a resource that containers can request."""
    yield from known_name_causes(name, field)
    if "/" not in name:
        if not _is_standard(name):
            yield invalid_value(field, name, "must be a standard resource for containers")
    elif not _is_native(name) and not is_extended(name):
        yield invalid_value(field, name, "doesn't follow extended resource name standard")


def _pod_name(name: str, field: str) -> Iterator[Cause]:
    problems = list(known_name_causes(name, field))
    yield from problems
    if not problems and name not in ("cpu", "memory") and not name.startswith("hugepages-"):
        yield not_supported(field, name, _OF_PODS)


def _is_native(name: str) -> bool:
    return "/" not in name or name.partition("/")[0].endswith("kubernetes.io")


def is_extended(name: str) -> bool:
    """Return whether the name of a resource has a domain of its own."""
    if _is_native(name) or name.startswith("requests."):
        return False
    return not qualified_name_problems(f"requests.{name}")


def quantity_causes(name: str, quantity: object, field: str) -> Iterator[Cause]:
    """Check an amount: it is not negative, and for most resources a whole number."""
    number = amount(quantity)
    if number < 0:
        yield invalid_value(field, quantity, "must be greater than or equal to 0")
    whole = name in _WHOLE or ("/" in name and not _is_native(name))
    if whole and number != number.to_integral_value():
        yield invalid_value(field, quantity, "must be an integer")


def _request(name: str, quantity: object, limit: object, field: str) -> Iterator[Cause]:
    overcommitted = _is_native(name) and not name.startswith("hugepages-")
    at = f"{field}.requests"
    if limit is None:
        if not overcommitted:
            why = "Limit must be set for non overcommitable resources"
            yield required(f"{field}.limits", why)
    elif not overcommitted and amount(quantity) != amount(limit):
        yield invalid_value(at, quantity, f"must be equal to {name} limit of {limit}")
    elif amount(quantity) > amount(limit):
        why = f"must be less than or equal to {name} limit of {limit}"
        yield invalid_value(at, quantity, why)


def _claims(claims: list[dict[str, Any]], field: str, known: set[str]) -> Iterator[Cause]:
    """Claims of devices that a container uses, which its pod has."""
    seen: set[str] = set()
    parted: set[str] = set()
    for index, claim in enumerate(claims):
        at, name, asked = f"{field}[{index}]", claim.get("name") or "", claim.get("request") or ""
        if not name:
            yield required(at)
            continue
        key = f"{name}/{asked}" if asked else name
        if asked and name not in seen:
            yield from matches(f"{at}.request", asked, label_problems)
        whole = not asked and name in parted
        if name in seen or key in seen or whole:
            yield duplicate(at, name if name in seen else key)
        seen.add(key)
        parted |= {name} if asked else set()
        if name not in known:
            listed = f": {', '.join(sorted(known))}" if known else " which is empty"
            why = f"must be one of the names in pod.spec.resourceClaims{listed}"
            yield Cause("FieldValueNotFound", f'Not found: "{name}": {why}', at)


def resize_causes(policies: list[dict[str, Any]], field: str, pod_policy: str) -> Iterator[Cause]:
    """Check what happens to a container when its resources change."""
    seen: set[str] = set()
    for index, policy in enumerate(policies):
        name, restart = policy.get("resourceName") or "", policy.get("restartPolicy") or ""
        if name in seen:
            yield duplicate(f"{field}[{index}]", name)
        seen.add(name)
        for value, words in ((name, ("cpu", "memory")), (restart, _RESIZES)):
            if not value:
                yield required(field)
            elif value not in words:
                yield not_supported(field, value, words)
        if pod_policy == "Never" and restart != "NotRequired":
            why = "must be 'NotRequired' when pod `restartPolicy` is 'Never'"
            yield invalid_value(field, restart, why)
