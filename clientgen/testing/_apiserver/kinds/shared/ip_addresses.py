"""IP addresses that Services and endpoints may have."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

from clientgen._apimachinery.failures import Cause, invalid_value
from clientgen._apimachinery.name_syntax import ip_problems

if TYPE_CHECKING:
    from collections.abc import Iterator


def usable_address(field: str, address: str) -> Iterator[Cause]:
    """Refuse addresses that mean something within one machine or network only."""
    problems = ip_problems(address)
    for problem in problems:
        yield invalid_value(field, address, problem)
    if problems:
        return
    parsed = ip_address(address)
    ranges = (
        (parsed.is_unspecified, "may not be unspecified (0.0.0.0 or ::)"),
        (parsed.is_loopback, "may not be in the loopback range (127.0.0.0/8, ::1/128)"),
        (parsed.is_link_local, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"),
        (
            parsed.is_multicast and str(address).startswith(("224.0.0.", "ff02:")),
            "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
        ),
    )
    for is_in_range, why in ranges:
        if is_in_range:
            yield invalid_value(field, address, why)
