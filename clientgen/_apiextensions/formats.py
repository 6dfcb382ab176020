"""The formats of strings a schema can ask for, as far as the API server looks at them.

It knows the formats of go-openapi's `strfmt`, whose names are compared without dashes; any other
format is ignored (Kubernetes' "Validation formats"). Some are laxer than their RFCs, and so are
these: a duration may be written `3 days`, an IPv4 address may have leading zeros.
"""

from __future__ import annotations

import re
from datetime import date
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Final
from unicodedata import category

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_LABEL_LENGTH: Final = 63
_MAX_SUBDOMAIN_LENGTH: Final = 253
_MAX_NAME_LENGTH: Final = 255
_UNITS: Final = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_GO_PART: Final = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_WORDED_PART: Final = re.compile(r"(?<!\d)(\d+)\s*([A-Za-zµ]+)", re.ASCII)
_DAY: Final = 24 * _UNITS["h"]
# Exact names of a unit, then the word its long names begin with.
_WORDS: Final = (
    (("ns",), "nano", 1),
    (("us", "µs"), "micro", _UNITS["us"]),
    (("ms",), "milli", _UNITS["ms"]),
    (("s",), "sec", _UNITS["s"]),
    (("m",), "min", _UNITS["m"]),
    (("h", "hr"), "hour", _UNITS["h"]),
    (("d",), "day", _DAY),
    (("w", "wk"), "week", 7 * _DAY),
)


def go_duration(text: str) -> int:
    """The nanoseconds of Go's notation, such as `1h30m` or `-1.5s`.

    Raises:
        ValueError: the text is not valid.
    """
    rest = text.lstrip("+-") if text[:2] not in ("++", "--", "+-", "-+") else ""
    sign = -1 if text.startswith("-") else 1
    if rest == "0":
        return 0
    total, at = 0.0, 0
    while part := _GO_PART.match(rest, at):
        total += float(part[1]) * _UNITS[part[2]]
        at = part.end()
    if not rest or at != len(rest) or total >= 2**63:
        raise ValueError(f"invalid duration {text!r}")
    return sign * round(total)


def parse_duration(text: str) -> int:
    """The nanoseconds of a duration in Go's notation or in words.

    Raises:
        ValueError: the text is not valid.
    """
    try:
        return go_duration(text)
    except ValueError:
        spans = [_worded(int(part[1]), part[2].lower()) for part in _WORDED_PART.finditer(text)]
        durations = [duration for duration in spans if duration is not None]
        if not durations:
            raise
        return sum(durations)


def _worded(number: int, unit: str) -> int | None:
    for names, long_name, factor in _WORDS:
        if unit in names or unit.startswith(long_name):
            return number * factor
    return None


def parse_ip(text: str) -> str:
    """An IP address in its usual spelling; leading zeros are allowed in IPv4.

    Raises:
        ValueError: the text is not valid.
    """
    if re.fullmatch(r"[0-9]+(\.[0-9]+){3}", text):
        text = ".".join(str(int(part)) for part in text.split("."))
    if "%" in text:
        raise ValueError(f"{text!r} has a zone")
    return str(ip_address(text))


def _is_ipv4(text: str) -> bool:
    return "." in text and _parses(parse_ip)(text)


def _is_ipv6(text: str) -> bool:
    return "%" not in text and _parses(IPv6Address)(text)


def is_cidr(text: str) -> bool:
    """Return whether it is an IP address and the length of a prefix."""
    address, slash, length = text.partition("/")
    if not slash or not re.fullmatch(r"[0-9]{1,6}", length) or not _parses(parse_ip)(address):
        return False
    return int(length) <= (128 if ":" in address else 32)


def _parses(parse: Callable[[str], object]) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            parse(text)
        except ValueError:
            return False
        return True

    return check


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.ASCII)
    return lambda text: compiled.fullmatch(text) is not None


def _is_date(text: str) -> bool:
    return re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is not None and _parses(
        date.fromisoformat
    )(text)


_TIME: Final = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))")


def _is_date_time(text: str) -> bool:
    parts = text.lower().split("t")
    match = _TIME.fullmatch(parts[1]) if len(parts) > 1 and _is_date(parts[0]) else None
    return match is not None and match[1] <= "23" and match[2] <= "59" and match[3] <= "59"


_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_AUTHORITY: Final = re.compile(r"([^@]*@)?(\[[^\]\s]*\]|[^\s\"<>\\^`{|}:]*)(:[0-9]*)?")


def _is_uri(text: str) -> bool:
    # As net/url.ParseRequestURI: an absolute path, or a scheme with anything behind it.
    if re.search(r"[\x00-\x1f\x7f]", text):
        return False
    scheme = _SCHEME.match(text)
    rest = text[scheme.end() :] if scheme else text
    if not rest.startswith("/"):
        return scheme is not None
    if re.search(r"%(?![0-9A-Fa-f]{2})", rest.partition("?")[0]):
        return False
    if scheme is None or not rest.startswith("//"):
        return True
    authority = re.split(r"[/?]", rest[2:], maxsplit=1)[0]
    return _AUTHORITY.fullmatch(authority) is not None


_ATOM: Final = r"[\w!#$%&'*+/=?^`{|}~-]+"
_ADDRESS: Final = re.compile(
    rf"({_ATOM}(\.{_ATOM})*|\"[^\"\r\n]*\")@({_ATOM}(\.{_ATOM})*|\[[^\]\s]*\])"
)
_NAMED_ADDRESS: Final = re.compile(r"\s*(?:[^<>@,;:]*|\"[^\"]*\")\s*<([^<>]+)>\s*")


def _is_email(text: str) -> bool:
    named = _NAMED_ADDRESS.fullmatch(text)
    return _ADDRESS.fullmatch(named[1] if named else text.strip()) is not None


def _is_hostname(text: str) -> bool:
    labels = text.split(".")
    if len(text.encode()) > _MAX_NAME_LENGTH or any(
        len(label.encode()) > _MAX_LABEL_LENGTH for label in labels
    ):
        return False
    if len(labels) == 1:  # has at most one dash, behind its first sign
        return _is_signs(text[:1]) and (
            _is_signs(text[1:].removeprefix("-")) or text[1:] in ("", "-")
        )
    *rest, last = labels
    if not last[1:] or not all(category(sign)[0] == "L" for sign in last):
        return False
    return all(
        _is_signs(label.replace("-", "")) and "-" not in (label[0], label[-1]) for label in rest
    )


def _is_signs(text: str) -> bool:
    return bool(text) and all(
        category(sign)[0] in "LS" or (sign.isascii() and sign.isdigit()) for sign in text
    )


def _is_mac(text: str) -> bool:
    byte = "[0-9A-Fa-f]{2}"
    for many in (6, 8, 20):
        for mark in ":-":
            if re.fullmatch(rf"{byte}({mark}{byte}){{{many - 1}}}", text):
                return True
        if re.fullmatch(rf"{byte}{byte}(\.{byte}{byte}){{{many // 2 - 1}}}", text):
            return True
    return False


def _is_isbn10(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if not re.fullmatch(r"[0-9]{9}[0-9X]", digits):
        return False
    values = [10 if digit == "X" else int(digit) for digit in digits]
    return sum(at * value for at, value in enumerate(values, start=1)) % 11 == 0


def _is_isbn13(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if not re.fullmatch(r"[0-9]{13}", digits):
        return False
    return sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(digits)) % 10 == 0


_CARD: Final = re.compile(
    r"4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}"
    r"|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11}"
)


def _is_credit_card(text: str) -> bool:
    digits = re.sub(r"[^0-9]+", "", text)
    if not _CARD.fullmatch(digits):
        return False
    doubled = [int(digit) * (2 if at % 2 else 1) for at, digit in enumerate(reversed(digits))]
    return sum(value // 10 + value % 10 for value in doubled) % 10 == 0


def _is_uuid(third: str, fourth: str) -> Callable[[str], bool]:
    hexadecimal = "[0-9a-f]"
    return _matches(
        rf"(?i){hexadecimal}{{8}}-?{hexadecimal}{{4}}-?{third}-?{fourth}-?{hexadecimal}{{12}}"
    )


_COLOUR: Final = r"\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*"
_NAME: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_ANY4: Final = "[0-9a-f]{4}"
_VARIANT: Final = "[89ab][0-9a-f]{3}"
_is_name = _matches(_NAME)
_is_long_name = _matches(rf"{_NAME}(\.{_NAME})*")

STRING_FORMATS: Final[dict[str, Callable[[str], bool]]] = {
    "bsonobjectid": _matches(r"[0-9A-Fa-f]{24}"),
    "uri": _is_uri,
    "email": _is_email,
    "hostname": _is_hostname,
    "ipv4": _is_ipv4,
    "ipv6": _is_ipv6,
    "cidr": is_cidr,
    "mac": _is_mac,
    "uuid": _is_uuid(_ANY4, _ANY4),
    "uuid3": _is_uuid("3[0-9a-f]{3}", _ANY4),
    "uuid4": _is_uuid("4[0-9a-f]{3}", _VARIANT),
    "uuid5": _is_uuid("5[0-9a-f]{3}", _VARIANT),
    "isbn": lambda text: _is_isbn10(text) or _is_isbn13(text),
    "isbn10": _is_isbn10,
    "isbn13": _is_isbn13,
    "creditcard": _is_credit_card,
    "ssn": _matches(r"\d{3}[- ]\d{2}[- ]\d{4}"),
    "hexcolor": _matches("#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "rgbcolor": _matches(rf"rgb\({_COLOUR},{_COLOUR},{_COLOUR}\)"),
    "byte": _matches(r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"),
    "password": lambda _: True,
    "date": _is_date,
    "duration": _parses(parse_duration),
    "datetime": _is_date_time,
    "k8sshortname": lambda text: len(text) <= _MAX_LABEL_LENGTH and _is_name(text),
    "k8slongname": lambda text: len(text) <= _MAX_SUBDOMAIN_LENGTH and _is_long_name(text),
}
"""The known formats of strings, by their names without dashes."""

_NUMBER_FORMATS: Final = {"integer": ("int32", "int64"), "number": ("float", "double")}


def recognized(schema_type: str, name: str) -> bool:
    """Return whether the server looks at a format of that name on a schema of that type."""
    if schema_type in ("", "string"):
        return name.replace("-", "") in STRING_FORMATS
    return name in _NUMBER_FORMATS.get(schema_type, ())
