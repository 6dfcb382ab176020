"""EndpointSlice: a part of the addresses behind a Service."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, duplicate, invalid_value, required, too_many
from clientgen._apimachinery.name_syntax import (
    ip_problems,
    label_problems,
    label_value_problems,
    qualified_name_problems,
    subdomain_problems,
)
from clientgen._json import parts, texts

from ...tables.columns import AGE, NAME, UNSET, Column, Printer, View, field, some_of
from ..defaults import TypeDefaults, set_missing
from ..metadata import MetadataChecks
from ..shared.common_checks import PROTOCOLS, matches, one_of, text
from ..shared.ip_addresses import usable_address
from ..shared.ip_warnings import address_warnings
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_ADDRESSES: Final = 100
_MAX_HINTS: Final = 8
_MAX_ENDPOINTS: Final = 1000
_ADDRESS_TYPES: Final = ("FQDN", "IPv4", "IPv6")


def _ports(view: View) -> str:
    ports = [
        str(port["port"] if port.get("port") is not None else port.get("name", "*"))
        for port in view.items("ports")
    ]
    return some_of(ports, len(ports), missing=UNSET)


def _addresses(view: View) -> str:
    endpoints = [text for each in view.items("endpoints") for text in each.get("addresses") or ()]
    return some_of(endpoints, len(endpoints), missing=UNSET)


_COLUMNS: Final = (
    NAME,
    Column("AddressType", "The kind of address.", field("addressType"), doc="addressType"),
    Column("Ports", "The ports of every endpoint.", _ports, doc="ports"),
    Column("Endpoints", "The addresses.", _addresses, doc="endpoints"),
    AGE,
)


class EndpointSliceStrategy(Strategy):
    """The strategy for EndpointSlices."""

    types = {
        "discovery.v1.EndpointPort": TypeDefaults(
            fill=lambda port: set_missing(port, protocol="TCP", name="")
        ),
        "discovery.v1.EndpointSlice": TypeDefaults(zeros={"endpoints": None, "ports": None}),
    }
    metadata_checks = MetadataChecks.WHOLE_AGAIN
    generation_fields = ("addressType", "endpoints", "ports")
    immutable_fields = ("addressType",)
    printer = Printer(_COLUMNS)

    def is_new_generation(self, new: dict[str, Any], old: dict[str, Any], subresource: str) -> bool:
        """Return whether a change increases the generation; changes of labels do so, too."""
        labels = (new["metadata"].get("labels"), old["metadata"].get("labels"))
        return labels[0] != labels[1] or super().is_new_generation(new, old, subresource)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check endpoints and ports."""
        kind = obj.get("addressType") or ""
        if not kind:
            yield required("addressType")
        else:
            yield from one_of("addressType", kind, _ADDRESS_TYPES)
        many = len(parts(obj, "endpoints"))
        if many > _MAX_ENDPOINTS:
            yield too_many("endpoints", many, _MAX_ENDPOINTS)
            return
        for index, endpoint in enumerate(parts(obj, "endpoints")):
            yield from _endpoint(endpoint, f"endpoints[{index}]", kind)
        names: list[str] = []
        for index, port in enumerate(parts(obj, "ports")):
            at, name = f"ports[{index}]", port.get("name") or ""
            yield from text(f"{at}.name", name, label_problems, needed=False)
            if name in names:
                yield duplicate(f"{at}.name", name)
            names.append(name)
            yield from one_of(f"{at}.protocol", port.get("protocol"), PROTOCOLS)
            protocol = port.get("appProtocol")
            yield from text(f"{at}.appProtocol", protocol, qualified_name_problems, needed=False)

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of names as addresses, and of addresses that are not in their canonical form."""
        if new.get("addressType") == "FQDN":
            yield "spec.addressType: FQDN endpoints are deprecated"
            return
        for index, endpoint in enumerate(parts(new, "endpoints")):
            for number, address in enumerate(texts(endpoint, "addresses")):
                yield from address_warnings(f"endpoints[{index}].addresses[{number}]", address)


def _endpoint(endpoint: dict[str, Any], path: str, kind: str) -> Iterator[Cause]:
    addresses = texts(endpoint, "addresses")
    if not addresses:
        yield required(f"{path}.addresses", "must contain at least 1 address")
    if len(addresses) > _MAX_ADDRESSES:
        yield too_many(f"{path}.addresses", len(addresses), _MAX_ADDRESSES)
    yield from _hints(endpoint.get("hints") or {}, f"{path}.hints")
    for index, address in enumerate(addresses if kind in _ADDRESS_TYPES else ()):
        at = f"{path}.addresses[{index}]"
        if kind == "FQDN":
            yield from matches(at, address, subdomain_problems)
        else:
            yield from usable_address(at, address)
            if not ip_problems(address) and f"IPv{ip_address(address).version}" != kind:
                yield invalid_value(f"{path}.addresses", address, f"must be an {kind} address")
    for member, rule in (("hostname", label_problems), ("nodeName", subdomain_problems)):
        if endpoint.get(member) is not None:
            yield from matches(f"{path}.{member}", endpoint[member], rule)


def _hints(hints: dict[str, Any], path: str) -> Iterator[Cause]:
    """Check the zones and nodes that an endpoint is for."""
    for member in ("forZones", "forNodes"):
        named, at = parts(hints, member), f"{path}.{member}"
        if len(named) > _MAX_HINTS:
            yield too_many(at, len(named), _MAX_HINTS)
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
