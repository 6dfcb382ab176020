"""Endpoints: the addresses behind a Service, in the old form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.failures import Cause, invalid_value, required
from clientgen._apimachinery.name_syntax import (
    ip_problems,
    label_problems,
    qualified_name_problems,
    subdomain_problems,
)
from clientgen._json import parts

from ...tables.columns import AGE, NAME, NONE, Column, Printer, View, some_of
from ..defaults import TypeDefaults, set_missing
from ..deprecation import Deprecation
from ..metadata import MetadataChecks
from ..shared.common_checks import PROTOCOLS, one_of, port_number, text
from ..shared.ip_addresses import usable_address
from ..shared.ip_warnings import address_warnings
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator


def _host_port(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _subset(subset: dict[str, Any]) -> list[str]:
    """List each address with each port; headless Services may have no port at all."""
    addresses = [each.get("ip", "") for each in subset.get("addresses") or ()]
    ports = subset.get("ports")
    if not ports:
        return addresses
    return [_host_port(address, port.get("port", 0)) for port in ports for address in addresses]


def _endpoints(view: View) -> str:
    subsets = view.items("subsets")
    endpoints = [text for subset in subsets for text in _subset(subset)]
    return some_of(endpoints, len(endpoints)) if subsets else NONE


class EndpointsStrategy(Strategy):
    """The strategy for Endpoints."""

    types = {
        "core.v1.EndpointPort": TypeDefaults(fill=lambda port: set_missing(port, protocol="TCP"))
    }
    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    deprecations = {"v1": Deprecation(33, None, "discovery.k8s.io/v1 EndpointSlice")}
    allow_create_on_update = True
    printer = Printer(
        (NAME, Column("Endpoints", "Addresses and ports.", _endpoints, doc="subsets"), AGE)
    )

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check addresses and ports."""
        for index, subset in enumerate(parts(obj, "subsets")):
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

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of addresses that are not in their canonical form."""
        for index, subset in enumerate(parts(new, "subsets")):
            for member in ("addresses", "notReadyAddresses"):
                for number, address in enumerate(parts(subset, member)):
                    at = f"subsets[{index}].{member}[{number}].ip"
                    yield from address_warnings(at, address.get("ip") or "")


def _address(address: dict[str, Any], path: str) -> Iterator[Cause]:
    ip = address.get("ip") or ""
    if ip_problems(ip):
        # The syntax is looked at twice, once for each reason to refuse an address.
        yield invalid_value(f"{path}.ip", ip, "must be a valid IP address")
    yield from usable_address(f"{path}.ip", ip)
    yield from text(f"{path}.hostname", address.get("hostname"), label_problems, needed=False)
    yield from text(f"{path}.nodeName", address.get("nodeName"), subdomain_problems, needed=False)


def _endpoint_port(port: dict[str, Any], path: str, *, named: bool) -> Iterator[Cause]:
    yield from text(f"{path}.name", port.get("name"), label_problems, needed=named)
    yield from port_number(f"{path}.port", port.get("port") or 0)
    yield from one_of(f"{path}.protocol", port.get("protocol"), PROTOCOLS)
    protocol = port.get("appProtocol")
    yield from text(f"{path}.appProtocol", protocol, qualified_name_problems, needed=False)
