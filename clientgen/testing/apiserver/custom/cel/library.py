"""What Kubernetes adds to CEL: lists, regular expressions, URLs, quantities, addresses, versions.

Values of types of their own (Quantity, URL, IP, CIDR, Semver) are maps with one entry that names
the type while rules run; the checks before know them as types.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from itertools import pairwise
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from clientgen.runtime.quantity import Quantity

from ..formats import STRING_FORMATS
from ..libraries import proto, re2

__all__ = [
    "add", "address_of", "as_float", "as_integer", "cidr", "compare", "contains_cidr",
    "contains_ip", "family", "find", "find_all", "index_in", "ip", "ip_is", "is_canonical",
    "is_cidr", "is_greater", "is_integer", "is_ip", "is_less", "is_quantity", "is_semver",
    "is_sorted", "is_url", "largest", "last_index_in", "masked", "prefix_length", "quantity",
    "semver", "sign", "smallest", "subtract", "total", "url", "url_part", "url_query",
    "version_part",
]  # fmt: skip

Tagged = dict[str, Any]
_MAX_INT: Final = 2**63


# -------------------------------------------------------------------------------------- lists


def is_sorted(values: list[Any]) -> bool:
    """Whether no item is less than the one before it."""
    return all(left <= right for left, right in pairwise(values))


def total(values: list[Any]) -> Any:
    """The sum of numbers or durations."""
    return _returned(sum(values[1:], start=values[0])) if values else 0


def _returned(value: Any) -> Any:
    # Functions are given times and durations of Python, and may only return those of Protobuf.
    if isinstance(value, timedelta):
        duration = proto("duration_pb2").Duration()
        duration.FromTimedelta(value)
        return duration
    if isinstance(value, datetime):
        time = proto("timestamp_pb2").Timestamp()
        time.FromDatetime(value)
        return time
    return value


def smallest(values: list[Any]) -> Any:
    """The least item.

    Raises:
        ValueError: the list is empty.
    """
    if not values:
        raise ValueError("min called on empty list")
    return _returned(min(values))


def largest(values: list[Any]) -> Any:
    """The greatest item.

    Raises:
        ValueError: the list is empty.
    """
    if not values:
        raise ValueError("max called on empty list")
    return _returned(max(values))


def index_in(values: list[Any], item: Any) -> int:
    """Where an item first stands, -1 for nowhere."""
    return values.index(item) if item in values else -1


def last_index_in(values: list[Any], item: Any) -> int:
    """Where an item last stands, -1 for nowhere."""
    return len(values) - 1 - values[::-1].index(item) if item in values else -1


# ------------------------------------------------------------------------ regular expressions


def find(text: str, pattern: str) -> str:
    """The first match, empty when there is none."""
    found = re2().search(pattern, text)
    return found.group(0) if found else ""


def find_all(text: str, pattern: str, many: int = -1) -> list[str]:
    """All matches, at most `many` if that is not negative."""
    found = [each.group(0) for each in re2().finditer(pattern, text)]
    return found if many < 0 else found[:many]


# --------------------------------------------------------------------------------------- URLs


def is_url(text: str) -> bool:
    """Whether it is an absolute URL, or an absolute path."""
    return STRING_FORMATS["uri"](text)


def url(text: str) -> Tagged:
    """An URL.

    Raises:
        ValueError: it is none.
    """
    if not is_url(text):
        raise ValueError(f"URL parse error during conversion from string: {text!r}")
    return {"url": text}


def url_part(value: Tagged, part: str) -> str:
    """The scheme, host, host name, port or path."""
    text: str = value["url"]
    split = urlsplit(text)
    host = split.netloc.rpartition("@")[2]
    if part == "host":
        return host
    if part == "scheme":
        return split.scheme
    if part == "path":
        return split.path
    name, colon, port = host.rpartition(":")
    if not colon or "]" in port:
        name, port = host, ""
    return port if part == "port" else name.strip("[]")


def url_query(value: Tagged) -> dict[str, list[str]]:
    """The query's values by their keys."""
    text: str = value["url"]
    return parse_qs(urlsplit(text).query, keep_blank_values=True)


# --------------------------------------------------------------------------------- quantities


def is_quantity(text: str) -> bool:
    """Whether it is a quantity."""
    try:
        Quantity(text)
    except ValueError:
        return False
    return True


def quantity(text: str) -> Tagged:
    """A quantity.

    Raises:
        ValueError: it is none.
    """
    return _quantity(Quantity(text).value)


def _quantity(value: Decimal) -> Tagged:
    # Equal quantities have to be equal maps, however they were written.
    return {"quantity": format(value.normalize(), "f")}


def _amount(value: Tagged | int) -> Decimal:
    return Decimal(value if isinstance(value, int) else value["quantity"])


def sign(value: Tagged) -> int:
    """1, 0 or -1."""
    return int(_amount(value).compare(Decimal(0)))


def add(left: Tagged, right: Tagged | int) -> Tagged:
    """The sum of two quantities, or of a quantity and an integer."""
    return _quantity(_amount(left) + _amount(right))


def subtract(left: Tagged, right: Tagged | int) -> Tagged:
    """The difference of two quantities, or of a quantity and an integer."""
    return _quantity(_amount(left) - _amount(right))


def is_integer(value: Tagged) -> bool:
    """Whether it is a whole number of 64 bits."""
    amount = _amount(value)
    return amount == amount.to_integral_value() and -_MAX_INT <= amount < _MAX_INT


def as_integer(value: Tagged) -> int:
    """The whole number it is.

    Raises:
        ValueError: it is none.
    """
    if not is_integer(value):
        raise ValueError("cannot convert value to integer")
    return int(_amount(value))


def as_float(value: Tagged) -> float:
    """The nearest double."""
    return float(_amount(value))


# ----------------------------------------------------------------------------------- versions

_SEMVER: Final = re.compile(
    r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)"
    r"(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"
)
_PARTS: Final = ("major", "minor", "patch")


def semver(text: str, normalize: bool = False) -> Tagged:
    """A semantic version.

    Raises:
        ValueError: it is none.
    """
    found = _SEMVER.fullmatch(_normalized(text) if normalize else text)
    if found is None:
        raise ValueError(f"{text!r} is not a semantic version")
    return {"semver": found[0]}


def _normalized(text: str) -> str:
    numbers, mark, rest = re.fullmatch(r"v?([^+-]*)([+-]?)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    parts = [part.lstrip("0") or "0" if part else part for part in numbers.split(".")]
    return ".".join([*parts, *["0"] * (3 - len(parts))]) + mark + rest


def is_semver(text: str, normalize: bool = False) -> bool:
    """Whether it is a semantic version."""
    return _SEMVER.fullmatch(_normalized(text) if normalize else text) is not None


def version_part(value: Tagged, part: str) -> int:
    """The major, minor or patch number."""
    return int(_SEMVER.fullmatch(value["semver"])[_PARTS.index(part) + 1])  # type: ignore[index]


def _version_key(text: str) -> tuple[Any, ...]:
    found = _SEMVER.fullmatch(text)
    assert found is not None  # only made by `semver`
    before = [
        (0, int(part), "") if part.isdigit() else (1, 0, part)
        for part in (found[4].split(".") if found[4] else ())
    ]
    return (int(found[1]), int(found[2]), int(found[3]), not before, before)


def compare(left: Tagged, right: Tagged) -> int:
    """-1, 0 or 1 for two quantities or two versions."""
    if "semver" in left:
        before, after = _version_key(left["semver"]), _version_key(right["semver"])
        return (before > after) - (before < after)
    return int(_amount(left).compare(_amount(right)))


def is_less(left: Tagged, right: Tagged) -> bool:
    """Whether a quantity or version is less than another."""
    return compare(left, right) < 0


def is_greater(left: Tagged, right: Tagged) -> bool:
    """Whether a quantity or version is greater than another."""
    return compare(left, right) > 0


# ---------------------------------------------------------------------------------- addresses


def _address(text: str) -> IPv4Address | IPv6Address:
    found = ip_address(text)
    if "%" in text or (isinstance(found, IPv6Address) and found.ipv4_mapped is not None):
        raise ValueError(f"IP Address {text!r} parse error during conversion from string")
    return found


def ip(text: str) -> Tagged:
    """An address; neither zones nor IPv4 within IPv6 are allowed.

    Raises:
        ValueError: it is none.
    """
    return {"ip": str(_address(text))}


def is_ip(text: str) -> bool:
    """Whether it is an address."""
    try:
        _address(text)
    except ValueError:
        return False
    return True


def is_canonical(text: str) -> bool:
    """Whether an address is in its usual spelling.

    Raises:
        ValueError: it is none.
    """
    return str(_address(text)) == text


def family(value: Tagged) -> int:
    """4 or 6."""
    return _address(value["ip"]).version


def ip_is(value: Tagged, what: str) -> bool:
    """Whether an address is of a kind, such as `loopback`."""
    found = _address(value["ip"])
    if what == "global":  # Go's IsGlobalUnicast: private addresses are global
        broadcast = str(found) == "255.255.255.255"
        return not (
            broadcast or found.is_unspecified or found.is_loopback or found.is_multicast
            or found.is_link_local
        )  # fmt: skip
    if what == "link-local-multicast":
        networks = ("224.0.0.0/24", "ff02::/16")
        return found in ip_network(networks[isinstance(found, IPv6Address)])
    return {
        "unspecified": found.is_unspecified,
        "loopback": found.is_loopback,
        "link-local-unicast": found.is_link_local,
    }[what]


def is_cidr(text: str) -> bool:
    """Whether it is an address and the length of a prefix."""
    address, slash, length = text.partition("/")
    plain = re.fullmatch(r"0|[1-9][0-9]{0,2}", length)
    return (
        bool(slash and plain and is_ip(address)) and int(length) <= _address(address).max_prefixlen
    )


def cidr(text: str) -> Tagged:
    """An address and the length of a prefix.

    Raises:
        ValueError: it is none.
    """
    if not is_cidr(text):
        raise ValueError(f"network address parse error during conversion from string: {text!r}")
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
    """Whether an address is within it."""
    text = other if isinstance(other, str) else other["ip"]
    return _address(text) in ip_network(value["cidr"], strict=False)


def contains_cidr(value: Tagged, other: Tagged | str) -> bool:
    """Whether a whole network is within it."""
    text = cidr(other)["cidr"] if isinstance(other, str) else other["cidr"]
    outer, inner = (ip_network(each, strict=False) for each in (value["cidr"], text))
    return outer.version == inner.version and inner.subnet_of(outer)  # type: ignore[arg-type]
