"""Addresses and ports of Services: the server allocates, keeps and releases them.

A cluster of this server has one IPv4 range, 10.0.0.0/24, and node ports 30000-32767 (Kubernetes
documentation, "Service ClusterIP allocation" and "type: NodePort").
"""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value
from clientgen._json import part, parts, texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...object_reader import ObjectReader

NETWORK: Final = IPv4Network("10.0.0.0/24")
NODE_PORTS: Final = range(30000, 32768)
_STATIC: Final = 16
"""Addresses at the beginning of the range, which are given only to those who ask for one."""


def needs_cluster_ip(spec: dict[str, Any]) -> bool:
    """Return whether Services of this type have an address in the cluster."""
    return spec.get("type") in ("ClusterIP", "NodePort", "LoadBalancer")


def needs_node_ports(spec: dict[str, Any]) -> bool:
    """Return whether Services of this type are reached through the nodes."""
    kind = spec.get("type")
    if kind == "LoadBalancer":
        return spec.get("allocateLoadBalancerNodePorts") is not False
    return kind == "NodePort"


def _needs_health_port(spec: dict[str, Any]) -> bool:
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def _is_external(spec: dict[str, Any]) -> bool:
    return spec.get("type") in ("NodePort", "LoadBalancer") or bool(spec.get("externalIPs"))


# ------------------------------------------------------------------------------- strategy


def allocate_for_create(service: dict[str, Any], reader: ObjectReader) -> None:
    """Give a new Service its addresses and ports."""
    spec = service["spec"]
    if spec.get("clusterIP") and not spec.get("clusterIPs"):
        spec["clusterIPs"] = [spec["clusterIP"]]
    _choose_families(spec)
    _allocate(service, reader)


def allocate_for_update(new: dict[str, Any], old: dict[str, Any], reader: ObjectReader) -> None:
    """Keep, release and allocate addresses and ports as the change of a Service requires."""
    before, after = old["spec"], new["spec"]
    _agree_on_addresses(after, before)
    _release(after, before)
    _keep_allocated(after, before)
    _choose_families(after)
    _allocate(new, reader)


def _agree_on_addresses(new: dict[str, Any], old: dict[str, Any]) -> None:
    """Change `clusterIPs` with `clusterIP`, for clients that know only the latter."""
    one = new.get("clusterIP") or ""
    untouched = new.get("clusterIPs") == old.get("clusterIPs")
    if one and (not new.get("clusterIPs") or (one != old.get("clusterIP") and untouched)):
        new["clusterIPs"] = [one]
    elif not one and untouched:
        _drop(new, "clusterIP", "clusterIPs")


def _release(new: dict[str, Any], old: dict[str, Any]) -> None:
    """Remove the members that only the old type has, unless they were changed too."""
    same = {field for field in {*new, *old} if new.get(field) == old.get(field)}
    if needs_cluster_ip(old) and not needs_cluster_ip(new):
        kept = {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"}
        _drop(new, *(kept & same))
    if needs_node_ports(old) and not needs_node_ports(new):
        given = {port.get("nodePort") for port in parts(old, "ports")}
        for port in parts(new, "ports"):
            if port.get("nodePort") in given:
                port.pop("nodePort", None)
    if _needs_health_port(old) and not _needs_health_port(new):
        _drop(new, *({"healthCheckNodePort"} & same))
    if old.get("type") == "LoadBalancer" != new.get("type"):
        _drop(new, *({"allocateLoadBalancerNodePorts", "loadBalancerClass"} & same))
    if _is_external(old) and not _is_external(new):
        _drop(new, *({"externalTrafficPolicy"} & same))


def _drop(spec: dict[str, Any], *fields: str) -> None:
    for field in fields:
        spec.pop(field, None)


def _keep_allocated(new: dict[str, Any], old: dict[str, Any]) -> None:
    """Keep allocations that the new object does not mention."""
    if needs_cluster_ip(new) and needs_cluster_ip(old) and not new.get("clusterIP"):
        for field in ("clusterIP", "clusterIPs"):
            if field in old:
                new[field] = old[field]
    if needs_cluster_ip(new) and needs_cluster_ip(old):
        for field in ("ipFamilies", "ipFamilyPolicy"):
            if not new.get(field) and field in old:
                new[field] = old[field]
    if needs_node_ports(new) and needs_node_ports(old):
        _keep_ports(new, old)
    if _needs_health_port(new) and _needs_health_port(old) and not new.get("healthCheckNodePort"):
        new["healthCheckNodePort"] = old["healthCheckNodePort"]


def _keep_ports(new: dict[str, Any], old: dict[str, Any]) -> None:
    """Keep node ports; ports are identified by their names."""
    known = {port.get("name", ""): port.get("nodePort") for port in parts(old, "ports")}
    used = {port.get("nodePort") for port in parts(new, "ports")} & set(known.values())
    for port in parts(new, "ports"):
        before = known.get(port.get("name", ""))
        if not port.get("nodePort") and before and before not in used:
            port["nodePort"] = before
            used.add(before)


def _choose_families(spec: dict[str, Any]) -> None:
    if not needs_cluster_ip(spec):
        return
    # The author of the endpoints of a service without a selector may choose either family.
    unbound = spec.get("clusterIP") == "None" and not spec.get("selector")
    policy = spec.get("ipFamilyPolicy") or ("RequireDualStack" if unbound else "SingleStack")
    families: list[str] = [*(spec.get("ipFamilies") or ["IPv4"])]
    if unbound and policy != "SingleStack" and len(families) == 1:
        families.append("IPv6" if families == ["IPv4"] else "IPv4")
    spec.update(ipFamilyPolicy=policy, ipFamilies=families)


# ----------------------------------------------------------------------------- allocation


def _allocate(service: dict[str, Any], reader: ObjectReader) -> None:
    spec = service["spec"]
    others = _others(service, reader)
    if needs_cluster_ip(spec) and not spec.get("clusterIP") and not spec.get("clusterIPs"):
        spec["clusterIP"] = _free_address(others)
        spec["clusterIPs"] = [spec["clusterIP"]]
    used = {*_used_ports(others), *_used_ports([spec])}
    if needs_node_ports(spec):
        for port in parts(spec, "ports"):
            if not port.get("nodePort"):
                port["nodePort"] = _free_port(used)
    if _needs_health_port(spec) and not spec.get("healthCheckNodePort"):
        spec["healthCheckNodePort"] = _free_port(used)


def _others(service: dict[str, Any], reader: ObjectReader) -> list[dict[str, Any]]:
    """The specs of all other services."""
    own = service["metadata"]
    return [
        part(other, "spec")
        for other in reader.list("", "services")
        if (other["metadata"].get("namespace"), other["metadata"]["name"])
        != (own.get("namespace"), own["name"])
    ]


def _used_ports(specs: Iterable[dict[str, Any]]) -> set[int]:
    numbers: set[int] = set()
    for spec in specs:
        numbers.update(port.get("nodePort") or 0 for port in parts(spec, "ports"))
        numbers.add(spec.get("healthCheckNodePort") or 0)
    return numbers - {0}


def _free_address(others: list[dict[str, Any]]) -> str:
    used = {address for spec in others for address in texts(spec, "clusterIPs")}
    addresses = [str(address) for address in NETWORK.hosts()]
    dynamic_first = [*addresses[_STATIC:], *addresses[1:_STATIC]]
    return next((each for each in dynamic_first if each not in used), "")


def _free_port(used: set[int]) -> int:
    free = next((port for port in NODE_PORTS if port not in used), 0)
    used.add(free)
    return free


def allocation_causes(
    new: dict[str, Any], old: dict[str, Any] | None, reader: ObjectReader
) -> list[Cause]:
    """List the addresses and ports that were asked for and cannot be allocated."""
    spec = new["spec"]
    before: dict[str, Any] = old["spec"] if old else {}
    others = _others(new, reader)
    causes: list[Cause] = []
    if needs_cluster_ip(spec) and spec.get("clusterIPs") != before.get("clusterIPs"):
        causes += _address_causes(spec, others)
    had = _used_ports([before])
    taken = _used_ports(others)
    for index, port in enumerate(parts(spec, "ports")):
        number = port.get("nodePort")
        if needs_node_ports(spec) and number and number not in had:
            causes += _port_causes(f"spec.ports[{index}].nodePort", number, taken)
    return causes


def _address_causes(spec: dict[str, Any], others: list[dict[str, Any]]) -> list[Cause]:
    asked: list[str] = texts(spec, "clusterIPs")
    used = {address for other in others for address in texts(other, "clusterIPs")}
    hosts = {str(address) for address in NETWORK.hosts()}
    for address in asked:
        if address == "None":
            continue
        why = ""
        if address not in hosts:
            why = (
                f"the provided IP ({address}) is not in the valid range. "
                f"The range of valid IPs is {NETWORK}"
            )
        elif address in used:
            why = "provided IP is already allocated"
        if why:
            failed = f"failed to allocate IP {address}: {why}"
            return [invalid_value("spec.clusterIPs", asked, failed)]
    return []


def _port_causes(field: str, number: int, taken: set[int]) -> list[Cause]:
    if number not in NODE_PORTS:
        limits = f"{NODE_PORTS.start}-{NODE_PORTS.stop - 1}"
        why = f"provided port is not in the valid range. The range of valid ports is {limits}"
        return [invalid_value(field, number, why)]
    if number in taken:
        return [invalid_value(field, number, "provided port is already allocated")]
    return []
