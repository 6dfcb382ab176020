"""The status of load balancers, which Services and Ingresses have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.optional_parts import part, parts

from .ip_warnings import address_warnings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...tables.columns import View

__all__ = ["ingress_text", "ingress_warnings"]


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
