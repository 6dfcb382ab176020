"""What endpoints and ranges of addresses may say."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final

from ..failures import (
    Cause,
    duplicate,
    invalid_value,
    required,
)
from ..parts import parts, texts
from .checks import (
    PROTOCOLS,
    immutable,
    matches,
    one_of,
    port_number,
    text,
)
from .service_rules import usable_address
from .texts import (
    cidr_problems,
    ip_problems,
    label_problems,
    qualified_name_problems,
    subdomain_problems,
)
from .validating import checks, checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

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
    for index, address in enumerate(addresses):
        at = f"{field}.addresses[{index}]"
        if kind == "FQDN":
            yield from matches(at, address, subdomain_problems)
        else:
            yield from usable_address(at, address)
            if not ip_problems(address) and f"IPv{ip_address(address).version}" != kind:
                yield invalid_value(f"{field}.addresses", address, f"must be an {kind} address")
    yield from text(f"{field}.hostname", endpoint.get("hostname"), label_problems, needed=False)
    node = endpoint.get("nodeName")
    yield from text(f"{field}.nodeName", node, subdomain_problems, needed=False)


@checks("networking.k8s.io", "ipaddresses")
def _ip_address(address: dict[str, Any]) -> Iterator[Cause]:
    parent = address["spec"].get("parentRef")
    if parent is None:
        yield required("spec.parentRef")
        return
    for field in ("resource", "name"):
        if not parent.get(field):
            yield required(f"spec.parentRef.{field}")


@checks("networking.k8s.io", "servicecidrs")
def _range(networks: dict[str, Any]) -> Iterator[Cause]:
    cidrs = texts(networks["spec"], "cidrs")
    if not cidrs:
        yield required("spec.cidrs", "at least one CIDR required")
    for index, network in enumerate(cidrs):
        yield from matches(f"spec.cidrs[{index}]", network, cidr_problems)
