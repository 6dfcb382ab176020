"""The status of load balancers, which Services and Ingresses have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.name_syntax import ip_problems, subdomain_problems
from clientgen._json import part, parts

from .common_checks import text
from .ip_warnings import address_warnings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clientgen._apimachinery.failures import Cause

    from ...tables.columns import View


def ingress_text(view: View) -> str:
    """Show the addresses or the host names of the load balancer."""
    ingress = view.items("status", "loadBalancer", "ingress")
    names = {each.get("ip") or each.get("hostname") or "" for each in ingress}
    return ",".join(sorted(names - {""}))


def ingress_warnings(obj: dict[str, Any]) -> Iterator[str]:
    """Warn of addresses that are not in their canonical form."""
    ingress = parts(part(part(obj, "status"), "loadBalancer"), "ingress")
    for index, each in enumerate(ingress):
        if each.get("ip"):
            yield from address_warnings(f"status.loadBalancer.ingress[{index}]", each["ip"])


def ingress_causes(obj: dict[str, Any]) -> Iterator[Cause]:
    """Check the addresses and host names of a load balancer."""
    for index, ingress in enumerate(parts(part(part(obj, "status"), "loadBalancer"), "ingress")):
        at = f"status.loadBalancer.ingress[{index}]"
        yield from text(f"{at}.ip", ingress.get("ip"), ip_problems, needed=False)
        yield from text(f"{at}.hostname", ingress.get("hostname"), subdomain_problems, needed=False)
