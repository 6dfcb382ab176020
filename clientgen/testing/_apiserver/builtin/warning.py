"""What the API server says of an object that it stores, but that is hardly meant: warnings.

A kind's warnings are functions that yield texts. They see the object as it is stored, and the one
before it: `@warns` registers them.
"""

from __future__ import annotations

import json
from ipaddress import IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..resources import Resource

__all__ = ["Warns", "address_warnings", "network_warnings", "quoted", "warnings_of", "warns"]

Warns: TypeAlias = "Callable[[dict[str, Any], dict[str, Any] | None], Iterable[str]]"

_WARNS: Final[dict[tuple[str, str, str], Warns]] = {}


def warns(group: str, *plurals: str, part: str = "") -> Callable[[Warns], Warns]:
    """Register what to warn of; it is called with the new object, and with the old one or None."""

    def register(warn: Warns) -> Warns:
        for plural in plurals:
            _WARNS[group, plural, part] = warn
        return warn

    return register


def warnings_of(
    resource: Resource, new: dict[str, Any], old: dict[str, Any] | None, subresource: str
) -> Iterable[str]:
    """List the registered warnings for a write."""
    warn = _WARNS.get((resource.group, resource.plural, subresource))
    return warn(new, old) if warn else ()


def quoted(text: str) -> str:
    """A text in quotes, as the server shows it."""
    return json.dumps(text, ensure_ascii=False)


def address_warnings(field: str, text: str) -> Iterator[str]:
    """An IPv6 address can be written in many ways, of which one is right (RFC 5952)."""
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
    """A network with bits that do not count, or an IPv6 one that is not written as it should be."""
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
