"""Warnings for IP addresses and networks that are not written as they should be."""

from __future__ import annotations

import json
from ipaddress import IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def quoted(text: str) -> str:
    """Quote a text as the server does."""
    return json.dumps(text, ensure_ascii=False)


def address_warnings(field: str, text: str) -> Iterator[str]:
    """Warn of an IPv6 address that is not in its canonical form (RFC 5952)."""
    try:
        address = ip_address(text)
    except ValueError:
        return  # the server keeps it without a word
    if isinstance(address, IPv6Address) and str(address) != text:
        right = quoted(str(address))
        yield (
            f"{field}: IPv6 address {quoted(text)} should be in RFC 5952 canonical format ({right})"
        )


def network_warnings(field: str, text: str) -> Iterator[str]:
    """Warn of a network with host bits, or an IPv6 network that is not in its canonical form."""
    try:
        network, address = ip_network(text, strict=False), ip_address(text.partition("/")[0])
    except ValueError:
        return
    if network.network_address != address:
        single = f"{address}/{network.max_prefixlen}"
        yield (
            f"{field}: CIDR value {quoted(text)} is ambiguous in this context "
            f"(should be {quoted(str(network))} or {quoted(single)}?)"
        )
    elif isinstance(network, IPv6Network) and str(network) != text:
        yield (
            f"{field}: IPv6 CIDR value {quoted(text)} should be in RFC 5952 canonical format "
            f"({quoted(str(network))})"
        )
