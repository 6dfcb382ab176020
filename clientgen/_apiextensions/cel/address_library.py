"""Kubernetes' CEL library for addresses: `ip` and `cidr`.

Neither zones nor IPv4 addresses within IPv6 are allowed.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, Final

from .expression_calls import with_calls

Tagged = dict[str, Any]

_CHOOSE: Final = ", type(given) == map ? addressText(given) : string(given))"
_STRING: Final = r"(?<![\w.])string\s*\("
_MAKES_ADDRESS: Final = re.compile(r"\b(ip|cidr)\s*\(")


def _address(text: str) -> IPv4Address | IPv6Address:
    problem = f'IP Address "{text}" parse error during conversion from string'
    try:
        address = ip_address(text)
    except ValueError:
        raise ValueError(f'{problem}: ParseAddr("{text}"): unable to parse IP') from None
    if "%" in text or (isinstance(address, IPv6Address) and address.ipv4_mapped is not None):
        raise ValueError(problem)
    return address


def makes_address(text: str) -> bool:
    """Return whether an expression may make an address."""
    return _MAKES_ADDRESS.search(text) is not None


def with_texts(text: str) -> str:
    """An expression in which `string(...)` takes addresses, too.

    The library's `string` cannot get another overload where it runs.
    """
    return with_calls(text, _STRING, lambda _: ("cel.bind(given, ", _CHOOSE))


def _text_of(value: Tagged) -> str:
    """Return the text of an address.

    Raises:
        ValueError: it is no address.
    """
    for name in ("ip", "cidr"):
        text = value.get(name)
        if len(value) == 1 and isinstance(text, str):
            return text
    raise ValueError("no such overload")


ONLY_RUN: Final = (("addressText", "map", "string", _text_of),)
"""What `with_texts` writes, as rows of functions."""


def ip(text: str) -> Tagged:
    """An address; neither zones nor IPv4 within IPv6 are allowed.

    Raises:
        ValueError: the text is not valid.
    """
    return {"ip": str(_address(text))}


def is_ip(text: str) -> bool:
    """Return whether it is an address."""
    try:
        _address(text)
    except ValueError:
        return False
    return True


def is_canonical(text: str) -> bool:
    """Return whether an address is in its usual spelling.

    Raises:
        ValueError: the text is not valid.
    """
    return str(_address(text)) == text


def family(value: Tagged) -> int:
    """4 or 6."""
    return _address(value["ip"]).version


def ip_is(value: Tagged, what: str) -> bool:
    """Return whether an address is of a kind, such as `loopback`."""
    address = _address(value["ip"])
    if what == "global":  # Go's IsGlobalUnicast: private addresses are global
        broadcast = str(address) == "255.255.255.255"
        return not (
            broadcast or address.is_unspecified or address.is_loopback or address.is_multicast
            or address.is_link_local
        )  # fmt: skip
    if what == "link-local-multicast":
        networks = ("224.0.0.0/24", "ff02::/16")
        return address in ip_network(networks[isinstance(address, IPv6Address)])
    return {
        "unspecified": address.is_unspecified,
        "loopback": address.is_loopback,
        "link-local-unicast": address.is_link_local,
    }[what]


def is_cidr(text: str) -> bool:
    """Return whether it is an address and the length of a prefix."""
    address, slash, length = text.partition("/")
    plain = re.fullmatch(r"0|[1-9][0-9]{0,2}", length)
    return (
        bool(slash and plain and is_ip(address)) and int(length) <= _address(address).max_prefixlen
    )


def cidr(text: str) -> Tagged:
    """An address and the length of a prefix.

    Raises:
        ValueError: the text is not valid.
    """
    if not is_cidr(text):
        problem = "network address parse error during conversion from string"
        why = f'netip.ParsePrefix("{text}")' + ("" if "/" in text else ": no '/'")
        raise ValueError(f"{problem}: {problem}: {why}")
    address, _, length = text.partition("/")
    return {"cidr": f"{_address(address)}/{length}"}


def address_of(value: Tagged) -> Tagged:
    """The address of a CIDR."""
    return {"ip": value["cidr"].partition("/")[0]}


def prefix_length(value: Tagged) -> int:
    """The length of its prefix."""
    return int(value["cidr"].partition("/")[2])


def masked(value: Tagged) -> Tagged:
    """The same with the bits behind the prefix zero."""
    return {"cidr": str(ip_network(value["cidr"], strict=False))}


def contains_ip(value: Tagged, other: Tagged | str) -> bool:
    """Return whether an address is within it."""
    text = other if isinstance(other, str) else other["ip"]
    if not is_ip(text):
        raise ValueError("no such overload")
    return _address(text) in ip_network(value["cidr"], strict=False)


def contains_cidr(value: Tagged, other: Tagged | str) -> bool:
    """Return whether a whole network is within it."""
    text = cidr(other)["cidr"] if isinstance(other, str) else other["cidr"]
    outer, inner = (ip_network(network, strict=False) for network in (value["cidr"], text))
    return outer.version == inner.version and inner.subnet_of(outer)  # type: ignore[arg-type]
