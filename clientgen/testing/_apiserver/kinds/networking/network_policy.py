"""NetworkPolicy: the traffic that pods may receive and send."""

from __future__ import annotations

from ipaddress import ip_network
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    required,
)
from clientgen._apimachinery.name_syntax import (
    cidr_problems,
)
from clientgen._json import part, parts, texts

from ...tables.columns import AGE, NAME, Column, Printer
from ...tables.selector_text import shown_selector
from ..defaults import TypeDefaults, set_missing
from ..shared.common_checks import (
    matches,
    one_of,
    port_number,
    port_reference,
    selector_causes,
)
from ..shared.ip_warnings import network_warnings
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_DIRECTIONS: Final = ("Ingress", "Egress")


def _set_types(spec: dict[str, Any]) -> None:
    if not spec.get("policyTypes"):
        spec["policyTypes"] = ["Ingress", *(["Egress"] if spec.get("egress") else [])]


class NetworkPolicyStrategy(Strategy):
    """The strategy for NetworkPolicies."""

    types = {
        "networking.v1.NetworkPolicyPort": TypeDefaults(
            fill=lambda port: set_missing(port, protocol="TCP")
        ),
        "networking.v1.NetworkPolicySpec": TypeDefaults(fill=_set_types),
    }
    generation_fields = ("spec",)
    printer = Printer(
        (
            NAME,
            Column(
                "Pod-Selector",
                "Which Pods it is for.",
                lambda view: shown_selector(view.at("spec", "podSelector")),
                doc="spec.podSelector",
            ),
            AGE,
        )
    )

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check selectors, ports and peers."""
        spec = obj["spec"]
        yield from selector_causes(spec.get("podSelector"), "spec.podSelector")
        for direction, peers in (("ingress", "from"), ("egress", "to")):
            for index, rule in enumerate(parts(spec, direction)):
                at = f"spec.{direction}[{index}]"
                for number, port in enumerate(parts(rule, "ports")):
                    yield from _policy_port(port, f"{at}.ports[{number}]")
                for number, peer in enumerate(parts(rule, peers)):
                    yield from _peer(peer, f"{at}.{peers}[{number}]")
        types = texts(spec, "policyTypes")
        if len(types) > len(_DIRECTIONS):
            yield invalid_value(
                "spec.policyTypes", types, "may not specify more than two policyTypes"
            )
            return
        for index, kind in enumerate(types):
            yield from one_of(f"spec.policyTypes[{index}]", kind, _DIRECTIONS)

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of unusual networks."""
        for direction, peers in (("ingress", "from"), ("egress", "to")):
            for index, rule in enumerate(parts(new["spec"], direction)):
                for number, peer in enumerate(parts(rule, peers)):
                    block = part(peer, "ipBlock")
                    at = f"spec.{direction}[{index}].{peers}[{number}].ipBlock"
                    if block:
                        yield from network_warnings(f"{at}.cidr", block["cidr"])
                    for count, inner in enumerate(texts(block, "except")):
                        yield from network_warnings(f"{at}.except[{count}]", inner)


def _policy_port(port: dict[str, Any], path: str) -> Iterator[Cause]:
    yield from one_of(f"{path}.protocol", port.get("protocol"), ("TCP", "UDP", "SCTP"))
    number, end = port.get("port"), port.get("endPort")
    if number is not None:
        yield from port_reference(f"{path}.port", number)
    if end is None:
        return
    if number is None:
        why = "may not be specified when `port` is not specified"
        yield invalid_value(f"{path}.endPort", end, why)
    elif isinstance(number, str):
        why = "may not be specified when `port` is non-numeric"
        yield invalid_value(f"{path}.endPort", end, why)
    elif end < number:
        yield invalid_value(f"{path}.endPort", number, "must be greater than or equal to `port`")
    else:
        yield from port_number(f"{path}.endPort", end)


def _peer(peer: dict[str, Any], path: str) -> Iterator[Cause]:
    chosen = [
        name
        for name in ("podSelector", "namespaceSelector", "ipBlock")
        if peer.get(name) is not None
    ]
    for name in ("podSelector", "namespaceSelector"):
        yield from selector_causes(peer.get(name), f"{path}.{name}")
    if "ipBlock" in chosen:
        yield from _block(peer["ipBlock"], f"{path}.ipBlock")
    if not chosen:
        yield required(path, "must specify a peer")
    elif "ipBlock" in chosen and len(chosen) > 1:
        yield forbidden_value(path, "may not specify both ipBlock and another peer")


def _block(block: dict[str, Any], path: str) -> Iterator[Cause]:
    network = block.get("cidr") or ""
    if not network:
        yield required(f"{path}.cidr")
        return
    problems = cidr_problems(network)
    for problem in problems:
        yield invalid_value(f"{path}.cidr", network, problem)
    for index, inner in enumerate(texts(block, "except")):
        at = f"{path}.except[{index}]"
        yield from matches(at, inner, cidr_problems)
        if not problems and not cidr_problems(inner) and not _is_within(inner, network):
            yield invalid_value(at, inner, "must be a strict subset of `cidr`")


def _is_within(text_: str, network: str) -> bool:
    inner, outer = ip_network(text_, strict=False), ip_network(network, strict=False)
    same = inner.version == outer.version and inner.prefixlen > outer.prefixlen
    return same and inner.network_address in outer
