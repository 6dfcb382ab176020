"""The group networking.k8s.io."""

from __future__ import annotations

from .ingress import IngressStrategy
from .ingress_class import IngressClassStrategy
from .ip_address import IPAddressStrategy
from .network_policy import NetworkPolicyStrategy
from .service_cidr import ServiceCIDRStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {
    "IPAddress": IPAddressStrategy,
    "Ingress": IngressStrategy,
    "IngressClass": IngressClassStrategy,
    "NetworkPolicy": NetworkPolicyStrategy,
    "ServiceCIDR": ServiceCIDRStrategy,
}
