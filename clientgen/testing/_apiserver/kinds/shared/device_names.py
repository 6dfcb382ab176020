"""Checks of the names of devices, pools and attributes, of taints and tolerations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, not_supported, required, too_long
from clientgen._apimachinery.name_syntax import (
    label_value_problems,
    qualified_name_problems,
    subdomain_problems,
)

from .common_checks import driver_name, matches

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_POOL_LENGTH: Final = 253
_MAX_NAME_LENGTH: Final = 32
_IDENTIFIER: Final = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_EFFECTS: Final = ("NoExecute", "NoSchedule", "None")


def pool_name_causes(name: str, field: str) -> Iterator[Cause]:
    """The name of a pool: DNS subdomains with slashes between them."""
    if not name:
        yield required(field)
        return
    if len(name.encode()) > _MAX_POOL_LENGTH:
        yield too_long(field, f"may not be more than {_MAX_POOL_LENGTH} bytes")
    for segment in name.split("/"):
        yield from matches(field, segment, subdomain_problems)


def attribute_name_causes(name: str, field: str) -> Iterator[Cause]:
    """The name of an attribute, perhaps with a domain before it."""
    domain, slash, own = name.rpartition("/")
    if "/" in domain:
        return  # the server does not look at such names
    if slash and not domain:
        yield invalid_value(field, "", "the domain must not be empty")
    elif slash:
        yield from driver_name(field, domain)
    if slash and not own:
        yield invalid_value(field, "", "the name must not be empty")
        return
    if len(own.encode()) > _MAX_NAME_LENGTH:
        yield too_long(field, f"may not be more than {_MAX_NAME_LENGTH} bytes")
    if not _IDENTIFIER.fullmatch(own):
        said = (
            "a valid C identifier must start with alphabetic character or '_', followed by a "
            "string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or "
            f"'MyName', regex used for validation is '{_IDENTIFIER.pattern}')"
        )
        yield invalid_value(field, own, said)


def device_taint_causes(taint: dict[str, Any], field: str) -> Iterator[Cause]:
    """Check a taint of a device."""
    yield from matches(f"{field}.key", taint.get("key") or "", qualified_name_problems)
    if taint.get("value"):
        yield from matches(f"{field}.value", taint["value"], label_value_problems)
    effect = taint.get("effect") or ""
    if not effect:
        yield required(f"{field}.effect")
    elif effect not in _EFFECTS:
        yield not_supported(f"{field}.effect", effect, _EFFECTS)


def device_toleration_causes(toleration: dict[str, Any], field: str) -> Iterator[Cause]:
    """Check a toleration of tainted devices."""
    if toleration.get("key"):
        yield from matches(f"{field}.key", toleration["key"], qualified_name_problems)
    operator, value = toleration.get("operator") or "", toleration.get("value") or ""
    if operator == "Exists":
        if value:
            said = "must be empty for operator `Exists`"
            yield invalid_value(f"{field}.value", value, said)
    elif operator == "Equal":
        yield from matches(f"{field}.value", value, label_value_problems)
    elif not operator:
        yield required(f"{field}.operator")
    else:
        yield not_supported(f"{field}.operator", operator, ("Equal", "Exists"))
    effect = toleration.get("effect") or ""
    if effect and effect not in _EFFECTS:
        yield not_supported(f"{field}.effect", effect, _EFFECTS)
