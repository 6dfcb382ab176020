"""Tables of Services, their endpoints, Ingresses and other ways into Pods."""

from __future__ import annotations

from typing import Any, Final

from .columns import AGE, NAME, NONE, UNSET, Column, Printer, View, field, some_of
from .selecting import shown_selector

__all__ = ["PRINTERS"]

_SHOWN: Final = 3


def _balancers(view: View) -> str:
    """The load balancer's addresses or host names."""
    ingress = view.items("status", "loadBalancer", "ingress")
    found = {each.get("ip") or each.get("hostname") or "" for each in ingress}
    return ",".join(sorted(found - {""}))


# ------------------------------------------------------------------ endpoints


def _host_port(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _subset(subset: dict[str, Any]) -> list[str]:
    """Each address with each port; headless Services may have no port at all."""
    addresses = [each.get("ip", "") for each in subset.get("addresses") or ()]
    ports = subset.get("ports")
    if not ports:
        return addresses
    return [_host_port(address, port.get("port", 0)) for port in ports for address in addresses]


def _endpoints(view: View) -> str:
    subsets = view.items("subsets")
    found = [text for subset in subsets for text in _subset(subset)]
    return some_of(found, len(found)) if subsets else NONE


def _slice_ports(view: View) -> str:
    ports = [
        str(port["port"] if port.get("port") is not None else port.get("name", "*"))
        for port in view.items("ports")
    ]
    return some_of(ports, len(ports), missing=UNSET)


def _slice_addresses(view: View) -> str:
    found = [text for each in view.items("endpoints") for text in each.get("addresses") or ()]
    return some_of(found, len(found), missing=UNSET)


_ENDPOINTS: Final = (
    NAME,
    Column("Endpoints", "Addresses and ports.", _endpoints, doc="subsets"),
    AGE,
)

_ENDPOINT_SLICE: Final = (
    NAME,
    Column("AddressType", "The kind of address.", field("addressType"), doc="addressType"),
    Column("Ports", "The ports of every endpoint.", _slice_ports, doc="ports"),
    Column("Endpoints", "The addresses.", _slice_addresses, doc="endpoints"),
    AGE,
)

# ------------------------------------------------------------------ ingress and the rest


def _hosts(view: View) -> str:
    """The hosts of the first rules; a rule without one is for any, and only counted."""
    rules = view.items("spec", "rules")
    shown: list[str] = []
    more = False
    for rule in rules:
        more = more or len(shown) == _SHOWN
        if rule.get("host") and not more:
            shown.append(rule["host"])
    if not shown:
        return "*"
    return some_of(shown, len(rules) if more else len(shown))


def _parameters(view: View) -> str:
    found = view.at("spec", "parameters")
    if found is None:
        return NONE
    group = f".{found['apiGroup']}" if found.get("apiGroup") is not None else ""
    return f"{found.get('kind', '')}{group}/{found.get('name', '')}"


def _parent(view: View) -> str:
    """What an address was given to: `services/default/kubernetes`."""
    parent = view.at("spec", "parentRef")
    if parent is None:
        return NONE
    names = [parent.get(key, "") for key in ("resource", "namespace", "name")]
    if parent.get("group"):
        names[0] += f".{parent['group']}"
    return "/".join([names[0].lower(), *filter(None, names[1:2]), names[2]])


_INGRESS: Final = (
    NAME,
    Column("Class", "The IngressClass that serves it.", field("spec.ingressClassName", NONE)),
    Column("Hosts", "The hosts it is for.", _hosts),
    Column("Address", "Where it is reached.", _balancers),
    Column(
        "Ports",
        "The ports it takes.",
        lambda view: "80, 443" if view.at("spec", "tls") else "80",
    ),
    AGE,
)

_INGRESS_CLASS: Final = (
    NAME,
    Column("Controller", "What serves Ingresses of this class.", field("spec.controller")),
    Column("Parameters", "Where its configuration is.", _parameters),
    AGE,
)

_NETWORK_POLICY: Final = (
    NAME,
    Column(
        "Pod-Selector",
        "Which Pods it is for.",
        lambda view: shown_selector(view.at("spec", "podSelector")),
        doc="spec.podSelector",
    ),
    AGE,
)

_SERVICE_CIDR: Final = (
    NAME,
    Column(
        "CIDRs",
        "The ranges Services get addresses from.",
        lambda view: ",".join(view.items("spec", "cidrs")),
        doc="spec.cidrs",
    ),
    AGE,
)

_IP_ADDRESS: Final = (
    NAME,
    Column("ParentRef", "What the address was given to.", _parent, doc="spec.parentRef"),
)

PRINTERS: Final = {
    ("", "Endpoints"): Printer(_ENDPOINTS),
    ("discovery.k8s.io", "EndpointSlice"): Printer(_ENDPOINT_SLICE),
    ("networking.k8s.io", "Ingress"): Printer(_INGRESS),
    ("networking.k8s.io", "IngressClass"): Printer(_INGRESS_CLASS),
    ("networking.k8s.io", "NetworkPolicy"): Printer(_NETWORK_POLICY),
    ("networking.k8s.io", "ServiceCIDR"): Printer(_SERVICE_CIDR),
    # The age has no column of its own: Kubernetes forgot to declare one.
    ("networking.k8s.io", "IPAddress"): Printer(_IP_ADDRESS, beyond=(AGE.cell,)),
}
