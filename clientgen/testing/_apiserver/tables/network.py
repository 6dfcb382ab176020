"""Tables of Services, their endpoints, Ingresses and other ways into Pods."""

from __future__ import annotations

from typing import Final

from .columns import AGE, NAME, NONE, Column, Printer, View, field, some_of
from .selecting import shown_selector

__all__ = ["PRINTERS"]

_SHOWN: Final = 3


def _balancers(view: View) -> str:
    """The load balancer's addresses or host names."""
    ingress = view.items("status", "loadBalancer", "ingress")
    found = {each.get("ip") or each.get("hostname") or "" for each in ingress}
    return ",".join(sorted(found - {""}))


# ------------------------------------------------------------------ endpoints


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


PRINTERS: Final = {
    ("networking.k8s.io", "Ingress"): Printer(_INGRESS),
    ("networking.k8s.io", "IngressClass"): Printer(_INGRESS_CLASS),
    ("networking.k8s.io", "NetworkPolicy"): Printer(_NETWORK_POLICY),
}
