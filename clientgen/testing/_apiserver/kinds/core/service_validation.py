"""Validation of Services, on their own and as a change."""

from __future__ import annotations

from ipaddress import ip_network
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    required,
)
from clientgen._apimachinery.labels import labels_causes
from clientgen._apimachinery.name_syntax import (
    cidr_problems,
    ip_problems,
    label_problems,
    qualified_name_problems,
    subdomain_problems,
)
from clientgen._json import part, parts, texts

from ..shared.common_checks import (
    PROTOCOLS,
    is_not_negative,
    matches,
    one_of,
    port_number,
    port_reference,
    text,
    unique,
)
from ..shared.ip_addresses import usable_address
from .service_allocation import needs_cluster_ip

if TYPE_CHECKING:
    from collections.abc import Iterator

_TYPES: Final = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_DISTRIBUTIONS: Final = ("PreferClose", "PreferSameZone", "PreferSameNode")
_RANGES: Final = "service.beta.kubernetes.io/load-balancer-source-ranges"
_HINTS: Final = "service.kubernetes.io/topology-aware-hints"
_MODE: Final = "service.kubernetes.io/topology-mode"
_TRAFFIC: Final = ("Cluster", "Local")
_FAMILIES: Final = ("IPv4", "IPv6")
_MAX_ADDRESSES: Final = 2
_IP_MODES: Final = ("Proxy", "VIP")
_POLICIES: Final = ("PreferDualStack", "RequireDualStack", "SingleStack")
_MAX_PORT: Final = 65535
_MAX_AFFINITY_SECONDS: Final = 86400
_SOURCES: Final = "spec.LoadBalancerSourceRanges"


def service_causes(service: dict[str, Any]) -> Iterator[Cause]:
    """List the mistakes in a Service."""
    spec = service["spec"]
    headless = spec.get("clusterIP") == "None"
    named = spec.get("type") == "ExternalName"
    yield from one_of("spec.type", spec.get("type"), _TYPES)
    if not spec.get("ports") and not headless and not named:
        yield required("spec.ports")
    yield from _ports(spec)
    yield from labels_causes(spec.get("selector"), "spec.selector")
    if named:
        yield from text("spec.externalName", spec.get("externalName"), subdomain_problems)
    yield from _affinity(spec)
    yield from _addresses(spec)
    yield from _families(spec)
    for index, address in enumerate(texts(spec, "externalIPs")):
        yield from usable_address(f"spec.externalIPs[{index}]", address)
    yield from _load_balancer(spec)
    yield from _annotated(part(service["metadata"], "annotations"), spec)
    yield from _traffic(spec)
    wanted = spec.get("trafficDistribution")
    yield from one_of("spec.trafficDistribution", wanted, _DISTRIBUTIONS, needed=False)


# ---------------------------------------------------------------------------------- ports


def _ports(spec: dict[str, Any]) -> Iterator[Cause]:
    ports = parts(spec, "ports")
    names: set[str] = set()
    numbers: set[tuple[object, object]] = set()
    for index, port in enumerate(ports):
        at = f"spec.ports[{index}]"
        name = port.get("name") or ""
        if not name and len(ports) > 1:
            yield required(f"{at}.name")
        elif name:
            yield from matches(f"{at}.name", name, label_problems)
            if name in names:
                yield duplicate(f"{at}.name", name)
        names.add(name)
        yield from _port(port, at, spec)
        key = (port.get("protocol"), port.get("port"))
        if key in numbers:
            yield duplicate(at, {"protocol": key[0], "port": key[1]})
        numbers.add(key)
    yield from _node_ports(ports)


def _port(port: dict[str, Any], field: str, spec: dict[str, Any]) -> Iterator[Cause]:
    yield from port_number(f"{field}.port", port.get("port") or 0)
    yield from one_of(f"{field}.protocol", port.get("protocol"), PROTOCOLS)
    yield from port_reference(f"{field}.targetPort", port.get("targetPort") or 0)
    if port.get("appProtocol") is not None:
        yield from matches(f"{field}.appProtocol", port["appProtocol"], qualified_name_problems)
    if port.get("nodePort") and spec.get("type") == "ClusterIP":
        yield forbidden_value(f"{field}.nodePort", "may not be used when `type` is 'ClusterIP'")


def _node_ports(ports: list[dict[str, Any]]) -> Iterator[Cause]:
    seen: set[tuple[object, object]] = set()
    for index, port in enumerate(ports):
        key = (port.get("protocol"), port.get("nodePort"))
        if port.get("nodePort") and key in seen:
            yield duplicate(f"spec.ports[{index}].nodePort", port["nodePort"])
        seen.add(key)


# ------------------------------------------------------------------------------ addresses


def _addresses(spec: dict[str, Any]) -> Iterator[Cause]:
    one, several = spec.get("clusterIP") or "", texts(spec, "clusterIPs")
    kind = spec.get("type")
    if not needs_cluster_ip(spec):
        for member in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
            if spec.get(member) and kind == "ExternalName":
                why = "may not be set for ExternalName services"
                yield forbidden_value(f"spec.{member}", why)
        return
    if several and not one:
        why = "must be empty when `clusterIP` is not specified"
        yield invalid_value("spec.clusterIPs", several, why)
    elif several and several[0] != one:
        yield invalid_value("spec.clusterIPs", several, "first value must match `clusterIP`")
    valid = True
    for index, address in enumerate(several):
        at = f"spec.clusterIPs[{index}]"
        if index or address != "None":
            problems = [*matches(at, address, ip_problems)]
            valid = valid and not problems
            yield from problems
        elif kind != "ClusterIP":
            yield invalid_value(at, address, f"may not be set to 'None' for {kind} services")
    yield from _several(several, valid=valid and several[:1] != ["None"])


def _several(addresses: list[str], *, valid: bool) -> Iterator[Cause]:
    """Check that two addresses are of two families, and that there are no more."""
    at = "spec.clusterIPs"
    if len(addresses) > 1 and addresses[0] == "None":
        yield invalid_value(at, addresses, "'None' must be the first and only value")
    if len(addresses) > _MAX_ADDRESSES:
        yield invalid_value(at, addresses, f"may only hold up to {_MAX_ADDRESSES} values")
    if valid and len(addresses) > len({":" in each for each in addresses}):
        why = "may specify no more than one IP for each IP family"
        yield invalid_value(at, addresses, why)


def _families(spec: dict[str, Any]) -> Iterator[Cause]:
    policy, families = spec.get("ipFamilyPolicy"), texts(spec, "ipFamilies")
    if not needs_cluster_ip(spec):
        return
    yield from one_of("spec.ipFamilyPolicy", policy, _POLICIES)
    for index, family in enumerate(families):
        yield from one_of(f"spec.ipFamilies[{index}]", family, _FAMILIES)
    yield from unique("spec.ipFamilies", families)
    if spec.get("clusterIP") == "None" and not spec.get("selector"):
        return
    for index, family in enumerate(families):
        if family == "IPv6":
            at = f"spec.ipFamilies[{index}]"
            yield invalid_value(at, family, "not configured on this cluster")
    if policy == "RequireDualStack":
        why = "this cluster is not configured for dual-stack services"
        yield invalid_value("spec.ipFamilyPolicy", policy, why)


# ------------------------------------------------------------------------------- routing


def _affinity(spec: dict[str, Any]) -> Iterator[Cause]:
    kind = spec.get("sessionAffinity")
    yield from one_of("spec.sessionAffinity", kind, ("ClientIP", "None"))
    seconds = (part(part(spec, "sessionAffinityConfig"), "clientIP")).get("timeoutSeconds")
    if kind == "ClientIP" and seconds is not None and not 0 < seconds <= _MAX_AFFINITY_SECONDS:
        at = "spec.sessionAffinityConfig.clientIP.timeoutSeconds"
        why = f"must be greater than 0 and less than {_MAX_AFFINITY_SECONDS}"
        yield invalid_value(at, seconds, why)


def _load_balancer(spec: dict[str, Any]) -> Iterator[Cause]:
    balanced = spec.get("type") == "LoadBalancer"
    only = "may only be used when `type` is 'LoadBalancer'"
    ranges = texts(spec, "loadBalancerSourceRanges")
    if ranges and not balanced:
        yield forbidden_value(_SOURCES, only)
    for index, network in enumerate(ranges):
        at = f"{_SOURCES}[{index}]"
        problems = cidr_problems(network.strip())
        for problem in problems:
            yield invalid_value(at, network, problem)
        if not problems and not _is_exact(network):
            why = "must not have bits set beyond the prefix length"
            yield invalid_value(at, network, why)
    for field in ("loadBalancerClass", "allocateLoadBalancerNodePorts"):
        if spec.get(field) is not None and not balanced:
            yield forbidden_value(f"spec.{field}", only)
    if balanced and spec.get("loadBalancerClass") is not None:
        name = spec["loadBalancerClass"]
        yield from matches("spec.loadBalancerClass", name, qualified_name_problems)


def _annotated(annotations: dict[str, Any], spec: dict[str, Any]) -> Iterator[Cause]:
    """Annotations that are as good as fields."""
    hints, mode = annotations.get(_HINTS), annotations.get(_MODE)
    if hints is not None and mode is not None and hints != mode:
        at = f"metadata.annotations[{_MODE}]"
        why = f"must match annotations[{_HINTS}] when both are specified"
        yield invalid_value(at, mode, why)
    ranges, at = annotations.get(_RANGES), f"metadata.annotations[{_RANGES}]"
    if ranges is None or spec.get("loadBalancerSourceRanges"):
        return
    if spec.get("type") != "LoadBalancer":
        yield forbidden_value(at, "may only be used when `type` is 'LoadBalancer'")
    if any(cidr_problems(each.strip()) for each in ranges.strip().split(",") if ranges.strip()):
        why = "must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24"
        yield invalid_value(at, ranges, why)


def _is_exact(network: str) -> bool:
    try:
        ip_network(network.strip())
    except ValueError:
        return False
    return True


def _traffic(spec: dict[str, Any]) -> Iterator[Cause]:
    outside = spec.get("externalTrafficPolicy")
    kind = spec.get("type")
    external = kind in ("NodePort", "LoadBalancer")
    external = external or (kind == "ClusterIP" and bool(spec.get("externalIPs")))
    if outside and not external:
        why = "may only be set for externally-accessible services"
        yield invalid_value("spec.externalTrafficPolicy", outside, why)
    elif external:
        yield from one_of("spec.externalTrafficPolicy", outside, _TRAFFIC)
    inside = spec.get("internalTrafficPolicy")
    yield from one_of("spec.internalTrafficPolicy", inside, _TRAFFIC, needed=False)
    port, at_health = spec.get("healthCheckNodePort"), "spec.healthCheckNodePort"
    yield from is_not_negative("spec.healthCheckNodePort", port)
    if port and port > _MAX_PORT:
        yield invalid_value(at_health, port, "must be between 1 and 65535, inclusive")
    if port and not (spec.get("type") == "LoadBalancer" and outside == "Local"):
        why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        yield invalid_value("spec.healthCheckNodePort", port, why)


def update_causes(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    """List the changes of a Service that are not allowed."""
    after, before = new["spec"], old["spec"]
    stays = needs_cluster_ip(after) and needs_cluster_ip(before)
    addresses = after.get("clusterIPs")
    if stays and before.get("clusterIPs") and addresses != before["clusterIPs"]:
        yield invalid_value("spec.clusterIPs[0]", addresses, "may not change once set")
    balanced = {after.get("type"), before.get("type")} == {"LoadBalancer"}
    name = after.get("loadBalancerClass")
    if balanced and name != before.get("loadBalancerClass"):
        yield invalid_value("spec.loadBalancerClass", name, "may not change once set")
    local = balanced and after.get("externalTrafficPolicy") == "Local"
    port = before.get("healthCheckNodePort")
    if local and port and after.get("healthCheckNodePort") != port:
        yield forbidden_value("spec.healthCheckNodePort", "field is immutable")


def status_causes(new: dict[str, Any]) -> Iterator[Cause]:
    """List the mistakes in the status of a Service."""
    balancer = part(part(new, "status"), "loadBalancer")
    balanced = new["spec"].get("type") == "LoadBalancer"
    if balancer.get("ingress") and not balanced:
        why = "may only be used when `spec.type` is LoadBalancer"
        yield forbidden_value("status.loadBalancer.ingress", why)
    for index, ingress in enumerate(parts(balancer, "ingress")):
        at = f"status.loadBalancer.ingress[{index}]"
        if ingress.get("ip"):
            yield from matches(f"{at}.ip", ingress["ip"], ip_problems)
            yield from one_of(f"{at}.ipMode", ingress.get("ipMode"), _IP_MODES, needed=False)
        elif ingress.get("ipMode") is not None:
            why = "may not be specified when `ip` is not set"
            yield forbidden_value(f"{at}.ipMode", why)
        name = ingress.get("hostname")
        yield from text(f"{at}.hostname", name, subdomain_problems, needed=False)
