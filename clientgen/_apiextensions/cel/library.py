"""Kubernetes' CEL libraries: lists, regular expressions, URLs, quantities, versions.

Addresses are in `address_library`. Values of types of their own (Quantity, URL, IP, CIDR, Semver)
are maps with one entry that names the type while rules run; the checks before know them as types.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from clientgen.runtime._models.quantity import Quantity

from ..formats import STRING_FORMATS
from ..libraries import compiled, proto

Tagged = dict[str, Any]
_MAX_INT: Final = 2**63
_NO_QUANTITY: Final = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)


# -------------------------------------------------------------------------------------- lists


def is_sorted(values: list[Any]) -> bool:
    """Return whether no item is less than the one before it."""
    return all(left <= right for left, right in pairwise(values))


def total(values: list[Any]) -> Any:
    """Return the sum of numbers or durations."""
    return as_message(sum(values[1:], start=values[0])) if values else 0


def as_message(value: Any) -> Any:
    """Return a time or duration as Protobuf has it, which is the only form that can be given."""
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
    """Return the least item.

    Raises:
        ValueError: the list is empty.
    """
    if not values:
        raise ValueError("min called on empty list")
    return as_message(min(values))


def largest(values: list[Any]) -> Any:
    """Return the greatest item.

    Raises:
        ValueError: the list is empty.
    """
    if not values:
        raise ValueError("max called on empty list")
    return as_message(max(values))


def index_in(values: list[Any], item: Any) -> int:
    """Return the index of the first such item, or -1."""
    return values.index(item) if item in values else -1


def last_index_in(values: list[Any], item: Any) -> int:
    """Return the index of the last such item, or -1."""
    return len(values) - 1 - values[::-1].index(item) if item in values else -1


# ------------------------------------------------------------------------ regular expressions


def find(text: str, pattern: str) -> str:
    """Return the first match, or an empty text."""
    match = compiled(pattern).search(text)
    return match.group(0) if match else ""


def find_all(text: str, pattern: str, many: int = -1) -> list[str]:
    """List the matches, at most `many` if that is not negative."""
    matches = [match.group(0) for match in compiled(pattern).finditer(text)]
    return matches if many < 0 else matches[:many]


# --------------------------------------------------------------------------------------- URLs


def is_url(text: str) -> bool:
    """Return whether it is an absolute URL, or an absolute path."""
    return STRING_FORMATS["uri"](text)


def url(text: str) -> Tagged:
    """Parse a URL.

    Raises:
        ValueError: the text is not valid.
    """
    if not is_url(text):
        why = f'parse "{text}": invalid URI for request'
        raise ValueError(f"URL parse error during conversion from string: {why}")
    return {"url": text}


def url_part(value: Tagged, part: str) -> str:
    """Return the scheme, host, host name, port or path."""
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
    """Return the query's values by their keys."""
    text: str = value["url"]
    return parse_qs(urlsplit(text).query, keep_blank_values=True)


# --------------------------------------------------------------------------------- quantities


def is_quantity(text: str) -> bool:
    """Return whether it is a quantity."""
    try:
        Quantity(text)
    except ValueError:
        return False
    return True


def quantity(text: str) -> Tagged:
    """Parse a quantity.

    Raises:
        ValueError: the text is not valid.
    """
    try:
        return _quantity(Quantity(text).value)
    except ValueError:
        raise ValueError(_NO_QUANTITY) from None


def _quantity(value: Decimal) -> Tagged:
    # Equal quantities have to be equal maps, however they were written.
    return {"quantity": format(value.normalize(), "f")}


def _amount(value: Tagged | int) -> Decimal:
    return Decimal(value if isinstance(value, int) else value["quantity"])


def sign(value: Tagged) -> int:
    """Return 1, 0 or -1."""
    return int(_amount(value).compare(Decimal(0)))


def add(left: Tagged, right: Tagged | int) -> Tagged:
    """Return the sum of two quantities, or of a quantity and an integer."""
    return _quantity(_amount(left) + _amount(right))


def subtract(left: Tagged, right: Tagged | int) -> Tagged:
    """Return the difference of two quantities, or of a quantity and an integer."""
    return _quantity(_amount(left) - _amount(right))


def is_integer(value: Tagged) -> bool:
    """Return whether it is a whole number of 64 bits."""
    amount = _amount(value)
    return amount == amount.to_integral_value() and -_MAX_INT <= amount < _MAX_INT


def as_integer(value: Tagged) -> int:
    """Return the whole number of a quantity.

    Raises:
        ValueError: the text is not valid.
    """
    if not is_integer(value):
        raise ValueError("cannot convert value to integer")
    return int(_amount(value))


def as_float(value: Tagged) -> float:
    """Return the nearest double."""
    return float(_amount(value))


# ----------------------------------------------------------------------------------- versions

_SEMVER: Final = re.compile(
    r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)"
    r"(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"
)
_PARTS: Final = ("major", "minor", "patch")


def semver(text: str, normalize: bool = False) -> Tagged:
    """Parse a semantic version.

    Raises:
        ValueError: the text is not valid.
    """
    match = _SEMVER.fullmatch(_normalized(text) if normalize else text)
    if match is None:
        raise ValueError(_why_no_semver(text))
    return {"semver": match[0]}


def _why_no_semver(text: str) -> str:
    """Return the reason in the words of the library that the server uses."""
    parts = re.split(r"[-+]", text, maxsplit=1)[0].split(".", 2)
    if not text:
        return "Version string empty"
    if len(parts) != len(_PARTS):
        return "No Major.Minor.Patch elements found"
    for name, number in zip(_PARTS, parts, strict=True):
        if not re.fullmatch("[0-9]*", number):
            return f'Invalid character(s) found in {name} number "{number}"'
        if len(number) > 1 and number.startswith("0"):
            return f'{name.capitalize()} number must not contain leading zeroes "{number}"'
    return f"{text!r} is not a semantic version"


def _normalized(text: str) -> str:
    numbers, mark, rest = re.fullmatch(r"v?([^+-]*)([+-]?)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    parts = [part.lstrip("0") or "0" if part else part for part in numbers.split(".")]
    return ".".join([*parts, *["0"] * (3 - len(parts))]) + mark + rest


def is_semver(text: str, normalize: bool = False) -> bool:
    """Return whether it is a semantic version."""
    return _SEMVER.fullmatch(_normalized(text) if normalize else text) is not None


def version_part(value: Tagged, part: str) -> int:
    """Return the major, minor or patch number."""
    return int(_SEMVER.fullmatch(value["semver"])[_PARTS.index(part) + 1])  # type: ignore[index]


def _version_key(text: str) -> tuple[Any, ...]:
    match = _SEMVER.fullmatch(text)
    assert match is not None  # only made by `semver`
    before = [
        (0, int(part), "") if part.isdigit() else (1, 0, part)
        for part in (match[4].split(".") if match[4] else ())
    ]
    return (int(match[1]), int(match[2]), int(match[3]), not before, before)


def compare(left: Tagged, right: Tagged) -> int:
    """Return -1, 0 or 1 for two quantities or two versions."""
    if "semver" in left:
        before, after = _version_key(left["semver"]), _version_key(right["semver"])
        return (before > after) - (before < after)
    return int(_amount(left).compare(_amount(right)))


def is_less(left: Tagged, right: Tagged) -> bool:
    """Return whether a quantity or version is less than another."""
    return compare(left, right) < 0


def is_greater(left: Tagged, right: Tagged) -> bool:
    """Return whether a quantity or version is greater than another."""
    return compare(left, right) > 0
