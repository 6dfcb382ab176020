"""The group networking.k8s.io."""

from __future__ import annotations

from .ip_address import IPAddressStrategy
from .service_cidr import ServiceCIDRStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {"IPAddress": IPAddressStrategy, "ServiceCIDR": ServiceCIDRStrategy}
