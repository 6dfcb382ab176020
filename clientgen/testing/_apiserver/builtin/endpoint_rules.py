"""What endpoints and ranges of addresses may say."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, duplicate, invalid_value, required, too_many
from clientgen._apimachinery.name_syntax import (
    cidr_problems,
    ip_problems,
    label_problems,
    label_value_problems,
    path_segment_problems,
    qualified_name_problems,
    subdomain_problems,
)
from clientgen._apimachinery.optional_parts import parts, texts

from ..kinds.shared.checks import PROTOCOLS, immutable, matches, one_of, port_number, text
from ..kinds.shared.ip_addresses import usable_address
from .validating import checks, checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_FAMILIES: Final = 2
_MOST_ADDRESSES: Final = 100
_MOST_HINTS: Final = 8
_MOST_ENDPOINTS: Final = 1000
_ADDRESS_TYPES: Final = ("FQDN", "IPv4", "IPv6")


@checks("", "endpoints")
def _endpoints(endpoints: dict[str, Any]) -> Iterator[Cause]:
    for index, subset in enumerate(parts(endpoints, "subsets")):
        at = f"subsets[{index}]"
        ready, other = parts(subset, "addresses"), parts(subset, "notReadyAddresses")
        if not ready and not other:
            yield required(at, "must specify `addresses` or `notReadyAddresses`")
        for member, addresses in (("addresses", ready), ("notReadyAddresses", other)):
            for number, address in enumerate(addresses):
                yield from _address(address, f"{at}.{member}[{number}]")
        ports = parts(subset, "ports")
        for number, port in enumerate(ports):
            yield from _endpoint_port(port, f"{at}.ports[{number}]", named=len(ports) > 1)


def _address(address: dict[str, Any], field: str) -> Iterator[Cause]:
    ip = address.get("ip") or ""
    if ip_problems(ip):
        # The syntax is looked at twice, once for each reason to refuse an address.
        yield invalid_value(f"{field}.ip", ip, "must be a valid IP address")
    yield from usable_address(f"{field}.ip", ip)
    yield from text(f"{field}.hostname", address.get("hostname"), label_problems, needed=False)
    yield from text(f"{field}.nodeName", address.get("nodeName"), subdomain_problems, needed=False)


def _endpoint_port(port: dict[str, Any], field: str, *, named: bool) -> Iterator[Cause]:
    yield from text(f"{field}.name", port.get("name"), label_problems, needed=named)
    yield from port_number(f"{field}.port", port.get("port") or 0)
    yield from one_of(f"{field}.protocol", port.get("protocol"), PROTOCOLS)
    protocol = port.get("appProtocol")
    yield from text(f"{field}.appProtocol", protocol, qualified_name_problems, needed=False)


@checks("discovery.k8s.io", "endpointslices")
def _slice(endpoints: dict[str, Any]) -> Iterator[Cause]:
    kind = endpoints.get("addressType") or ""
    if not kind:
        yield required("addressType")
    else:
        yield from one_of("addressType", kind, _ADDRESS_TYPES)
    many = len(parts(endpoints, "endpoints"))
    if many > _MOST_ENDPOINTS:
        yield too_many("endpoints", many, _MOST_ENDPOINTS)
        return
    for index, endpoint in enumerate(parts(endpoints, "endpoints")):
        yield from _slice_endpoint(endpoint, f"endpoints[{index}]", kind)
    names: list[str] = []
    for index, port in enumerate(parts(endpoints, "ports")):
        at, name = f"ports[{index}]", port.get("name") or ""
        yield from text(f"{at}.name", name, label_problems, needed=False)
        if name in names:
            yield duplicate(f"{at}.name", name)
        names.append(name)
        yield from one_of(f"{at}.protocol", port.get("protocol"), PROTOCOLS)
        protocol = port.get("appProtocol")
        yield from text(f"{at}.appProtocol", protocol, qualified_name_problems, needed=False)


@checks_change("discovery.k8s.io", "endpointslices")
def _slice_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    yield from immutable("addressType", new.get("addressType"), old.get("addressType"))


def _slice_endpoint(endpoint: dict[str, Any], field: str, kind: str) -> Iterator[Cause]:
    addresses = texts(endpoint, "addresses")
    if not addresses:
        yield required(f"{field}.addresses", "must contain at least 1 address")
    if len(addresses) > _MOST_ADDRESSES:
        yield too_many(f"{field}.addresses", len(addresses), _MOST_ADDRESSES)
    yield from _hints(endpoint.get("hints") or {}, f"{field}.hints")
    for index, address in enumerate(addresses if kind in _ADDRESS_TYPES else ()):
        at = f"{field}.addresses[{index}]"
        if kind == "FQDN":
            yield from matches(at, address, subdomain_problems)
        else:
            yield from usable_address(at, address)
            if not ip_problems(address) and f"IPv{ip_address(address).version}" != kind:
                yield invalid_value(f"{field}.addresses", address, f"must be an {kind} address")
    for member, rule in (("hostname", label_problems), ("nodeName", subdomain_problems)):
        if endpoint.get(member) is not None:
            yield from matches(f"{field}.{member}", endpoint[member], rule)


def _hints(hints: dict[str, Any], field: str) -> Iterator[Cause]:
    """For which zones and nodes an endpoint is."""
    for member in ("forZones", "forNodes"):
        named, at = parts(hints, member), f"{field}.{member}"
        if len(named) > _MOST_HINTS:
            yield too_many(at, len(named), _MOST_HINTS)
            continue
        seen: set[str] = set()
        for index, each in enumerate(named):
            name = each.get("name") or ""
            if name in seen:
                yield duplicate(f"{at}[{index}].name", name)
            seen.add(name)
            if member == "forZones":
                yield from matches(f"{at}[{index}].name", name, label_value_problems)
            else:
                yield from matches(f"{at}[{index}].name", name, subdomain_problems)


@checks("networking.k8s.io", "ipaddresses")
def _ip_address(address: dict[str, Any]) -> Iterator[Cause]:
    parent = address["spec"].get("parentRef")
    if parent is None:
        yield required("spec.parentRef")
        return
    name = address["metadata"].get("name") or ""
    if not ip_problems(name) and str(ip_address(name)) != name:
        said = f'must be in canonical form ("{ip_address(name)}")'
        yield invalid_value("metadata.name", name, said)
    group, space = parent.get("group"), parent.get("namespace")
    yield from text("spec.parentRef.group", group, subdomain_problems, needed=False)
    yield from text("spec.parentRef.resource", parent.get("resource"), path_segment_problems)
    yield from text("spec.parentRef.name", parent.get("name"), path_segment_problems)
    yield from text("spec.parentRef.namespace", space, path_segment_problems, needed=False)


@checks_change("networking.k8s.io", "ipaddresses")
def _ip_address_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = new["spec"].get("parentRef"), old["spec"].get("parentRef")
    yield from immutable("spec.parentRef", after, before)


@checks("networking.k8s.io", "servicecidrs", again=False)
def _range(networks: dict[str, Any]) -> Iterator[Cause]:
    cidrs = texts(networks["spec"], "cidrs")
    if not cidrs:
        yield required("spec.cidrs", "at least one CIDR required")
    if len(cidrs) > _FAMILIES:
        yield invalid_value("spec.cidrs", networks["spec"], "may only hold up to 2 values")
    yield from _one_of_each(cidrs)
    for index, network in enumerate(cidrs):
        at = f"spec.cidrs[{index}]"
        problems = cidr_problems(network)
        yield from (invalid_value(at, network, problem) for problem in problems)
        if not problems and str(ip_network(network)) != network:
            said = f'must be in canonical form ("{ip_network(network)}")'
            yield invalid_value(at, network, said)


def _one_of_each(cidrs: list[str]) -> Iterator[Cause]:
    """Of two networks, one is for each family."""
    sound = [ip_network(each, strict=False) for each in cidrs if not cidr_problems(each)]
    if len(cidrs) == _FAMILIES == len(sound) and sound[0].version == sound[1].version:
        said = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and"
        yield invalid_value("spec.cidrs", cidrs, f"{said} 2001:db8::/64")


@checks_change("networking.k8s.io", "servicecidrs")
def _range_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    """A range of one family may get another of the other; the first stays."""
    after, before = texts(new["spec"], "cidrs"), texts(old["spec"], "cidrs")
    if len(before) == 1 and len(after) == _FAMILIES:
        yield from immutable("spec.cidrs[0]", after[0], before[0])
        yield from _range(new)
    elif len(after) != len(before):
        yield invalid_value("spec.cidrs", new["spec"].get("cidrs"), "field is immutable")
    else:
        for index, (now, was) in enumerate(zip(after, before, strict=True)):
            yield from immutable(f"spec.cidrs[{index}]", now, was)
