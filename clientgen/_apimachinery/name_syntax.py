"""Syntaxes of names, keys and labels.

Each function tells what is wrong with a text, in the API server's words; nothing when it is right.
The syntaxes are those of the Kubernetes documentation, "Object Names and IDs" and "Labels and
Selectors".
"""

from __future__ import annotations

import re
from ipaddress import IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

Rule: TypeAlias = "Callable[[str], list[str]]"

_MAX_PORT_NAME_LENGTH: Final = 15
_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_NAME: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE: Final = f"({_NAME})?"
_CONFIG_KEY: Final = "[-._a-zA-Z0-9]+"
_SERVICE_LABEL: Final = "[a-z]([-a-z0-9]*[a-z0-9])?"

_SUBDOMAIN_TEXT: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character"
)
_LABEL_TEXT: Final = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
    "and must start and end with an alphanumeric character"
)
_NAME_TEXT: Final = (
    "must consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character"
)


# Most texts are right, which one look tells.
_IS_SUBDOMAIN: Final = re.compile(_SUBDOMAIN).fullmatch
_IS_KEY: Final = re.compile(f"({_SUBDOMAIN}/)?{_NAME}").fullmatch
_IS_VALUE: Final = re.compile(_VALUE).fullmatch
_MAX_NAME_LENGTH: Final = 63


def _hint(text: str, syntax: str, *examples: str) -> str:
    # The API server lists its examples with this many commas and blanks.
    shown = ",  or ".join(f"'{example}'" for example in examples)
    return f"{text} (e.g. {shown}, regex used for validation is '{syntax}')"


def _matches(syntax: str, text: str) -> bool:
    return re.fullmatch(syntax, text) is not None


def _length(text: str, most: int, unit: str = "characters") -> list[str]:
    return [f"must be no more than {most} {unit}"] if len(text.encode()) > most else []


def subdomain_problems(text: str) -> list[str]:
    """Check a DNS subdomain (RFC 1123): most objects' names."""
    if len(text) <= _MAX_NAME_LENGTH and _IS_SUBDOMAIN(text):
        return []
    problems = _length(text, 253)
    if not _matches(_SUBDOMAIN, text):
        problems.append(_hint(_SUBDOMAIN_TEXT, _SUBDOMAIN, "example.com"))
    return problems


def underscored_problems(text: str) -> list[str]:
    """Check a DNS subdomain that may have underscores, as search domains may."""
    problems = _length(text, 253)
    label = "[a-z0-9_]([-_a-z0-9]*[a-z0-9_])?"
    if not _matches(rf"{label}(\.{label})*", text):
        message = (
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
            "'_', '-' or '.', and must start and end with an alphanumeric character or '_'"
        )
        problems.append(_hint(message, rf"{label}(\.{label})*", "example.com"))
    return problems


def wildcard_subdomain_problems(text: str) -> list[str]:
    """Check a DNS subdomain whose first label is `*`."""
    problems = _length(text, 253)
    syntax = rf"\*\.{_SUBDOMAIN}"
    if not _matches(syntax, text):
        message = (
            "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS "
            "subdomain, which must consist of lower case alphanumeric characters, '-' or '.' "
            "and end with an alphanumeric character"
        )
        problems.append(_hint(message, syntax, "*.example.com"))
    return problems


def driver_name_problems(text: str) -> list[str]:
    """Check the name of a storage driver: a DNS subdomain that may have capitals."""
    return subdomain_problems(text.lower())


def label_problems(text: str) -> list[str]:
    """Check a DNS label (RFC 1123): names of namespaces, services, containers, volumes."""
    problems = _length(text, 63)
    if _matches(_LABEL, text):
        return problems
    if _matches(_SUBDOMAIN, text):
        return [*problems, "must not contain dots"]
    return [*problems, _hint(_LABEL_TEXT, _LABEL, "my-name", "123-abc")]


def service_label_problems(text: str) -> list[str]:
    """Check a DNS label that begins with a letter (RFC 1035)."""
    problems = _length(text, 63)
    if not _matches(_SERVICE_LABEL, text):
        message = (
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
            "start with an alphabetic character, and end with an alphanumeric character"
        )
        problems.append(_hint(message, _SERVICE_LABEL, "my-name", "abc-123"))
    return problems


def signer_problems(text: str) -> list[str]:
    """Check the name of a signer of certificates: domain, slash, path (`example.com/ours`)."""
    domain, slash, path = text.partition("/")
    if not slash or "/" in path:
        return ["must be a fully qualified domain and path of the form 'example.com/signer-name'"]
    problems = _first_problems(domain, label_problems)
    if "." not in domain:
        problems.append("should be a domain with at least two segments separated by dots")
    return problems + _first_problems(path, subdomain_problems)


def _first_problems(text: str, rule: Rule) -> list[str]:
    """List the problems of the first word between dots that breaks a rule."""
    for label in text.split("."):
        if problems := rule(label):
            return [f'validating label "{label}": {problem}' for problem in problems]
    return []


def path_segment_problems(text: str) -> list[str]:
    """Check a part of a path: names of roles and role bindings."""
    if text in (".", ".."):
        return [f"may not be '{text}'"]
    return [f"may not contain '{sign}'" for sign in "/%" if sign in text]


def qualified_name_problems(text: str) -> list[str]:
    """Check a key of labels: a name of 63 characters, after an optional DNS subdomain and slash."""
    if len(text) <= _MAX_NAME_LENGTH and _IS_KEY(text):
        return []
    problems: list[str] = []
    prefix, slash, name = text.rpartition("/")
    if "/" in prefix:
        message = _hint(_NAME_TEXT, _NAME, "MyName", "my.name", "123-abc")
        prefix_hint = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return [f"a valid label key {message} {prefix_hint}"]
    if slash and not prefix:
        problems.append("prefix part must be non-empty")
    elif slash:
        prefix_problems = subdomain_problems(prefix)
        problems += [
            (
                f"prefix part {problem}".replace("characters", "bytes", 1)
                if problem.startswith("must be no more")
                else f"prefix part {problem}"
            )
            for problem in prefix_problems
        ]
    if not name:
        problems.append("name part must be non-empty")
    problems += [f"name part {problem}" for problem in _length(name, 63, "bytes")]
    if not _matches(_NAME, name):
        hint = _hint(_NAME_TEXT, _NAME, "MyName", "my.name", "123-abc")
        problems.append(f"name part {hint}")
    return problems


def label_value_problems(text: str) -> list[str]:
    """Check a value of a label."""
    if len(text) <= _MAX_NAME_LENGTH and _IS_VALUE(text):
        return []
    problems = _length(text, 63, "bytes")
    if not _matches(_VALUE, text):
        message = f"a valid label must be an empty string or {_NAME_TEXT.removeprefix('must ')}"
        problems.append(_hint(message, _VALUE, "MyValue", "my_value", "12345"))
    return problems


def config_key_problems(text: str) -> list[str]:
    """Check a key of a ConfigMap or Secret, which can be the name of a file."""
    problems = _length(text, 253)
    if not _matches(_CONFIG_KEY, text):
        message = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
        problems.append(_hint(message, _CONFIG_KEY, "key.name", "KEY_NAME", "key-name"))
    if text == ".":
        problems.append("must not be '.'")
    elif text == "..":
        problems.append("must not be '..'")
    elif text.startswith(".."):
        problems.append("must not start with '..'")
    return problems


def environment_name_problems(text: str) -> list[str]:
    """Check the name of an environment variable: printable ASCII without `=`."""
    if text and all(" " <= sign <= "~" and sign != "=" for sign in text):
        return []
    message = "a valid environment variable name must consist only of printable ASCII characters"
    return [f"{message} other than '='"]


def header_name_problems(text: str) -> list[str]:
    """Check the name of an HTTP header."""
    if _matches("[-A-Za-z0-9]+", text):
        return []
    message = "a valid HTTP header must consist of alphanumeric characters or '-'"
    return [_hint(message, "[-A-Za-z0-9]+", "X-Header-Name")]


def port_name_problems(text: str) -> list[str]:
    """Check the name of a port (RFC 6335): at most 15 characters, with a letter."""
    problems: list[str] = []
    if len(text) > _MAX_PORT_NAME_LENGTH:
        problems.append(f"must be no more than {_MAX_PORT_NAME_LENGTH} characters")
    if not _matches("[-a-z0-9]+", text):
        problems.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", text):
        problems.append("must contain at least one letter (a-z)")
    if "--" in text:
        problems.append("must not contain consecutive hyphens")
    if text and (text[0] == "-" or text[-1] == "-"):
        problems.append("must not begin or end with a hyphen")
    return problems


def range_problems(number: int, least: int, most: int) -> list[str]:
    """Check a whole number between two others, both included."""
    if least <= number <= most:
        return []
    return [f"must be between {least} and {most}, inclusive"]


_BAD_ADDRESS: Final = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_BAD_NETWORK: Final = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
_MAPPED: Final = "must not be an IPv4-mapped IPv6 address"


def _plain(text: str) -> str:
    """Return an address without the leading zeros of its numbers."""
    return re.sub(r"(?<![0-9A-Fa-f:.])0+(?=[0-9])|(?<=\.)0+(?=[0-9])", "", text)


def ip_problems(text: str) -> list[str]:
    """Check an address of either family."""
    try:
        address = ip_address(text)
    except ValueError:
        return [_BAD_ADDRESS] if _plain(text) == text else _leading(text)
    mapped = isinstance(address, IPv6Address) and address.ipv4_mapped is not None
    return [_MAPPED] if mapped else []


def _leading(text: str) -> list[str]:
    """List the problem of an address: leading zeros alone, or another one."""
    return ["must not have leading 0s"] if not ip_problems(_plain(text)) else [_BAD_ADDRESS]


def cidr_problems(text: str) -> list[str]:
    """Check a network of either family, in CIDR notation."""
    host, slash, _ = text.partition("/")
    try:
        network = ip_network(text, strict=False)
    except ValueError:
        return [_BAD_NETWORK]
    if not slash:
        return [_BAD_NETWORK]
    problems: list[str] = []
    if isinstance(network, IPv6Network) and network.network_address.ipv4_mapped is not None:
        problems.append("must not have an IPv4-mapped IPv6 address")
    if ip_address(host) != network.network_address:
        problems.append("must not have bits set beyond the prefix length")
    return problems
