"""Service: a stable address for a set of pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.name_syntax import label_problems
from clientgen._json import part, parts, texts
from clientgen.runtime._printing.human_durations import UNKNOWN

from ...tables.columns import AGE, NAME, NONE, Column, Printer, View, field
from ...tables.selector_text import labels_text
from ..defaults import TypeDefaults, set_empty, set_missing
from ..selector_fields import text
from ..shared.ip_warnings import address_warnings, network_warnings
from ..shared.load_balancer import ingress_text, ingress_warnings
from ..strategy import Strategy
from . import service_allocation
from .service_validation import service_causes, status_causes, update_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clientgen._apimachinery.failures import Cause

    from ...object_reader import ObjectReader

_DEFAULT_AFFINITY_SECONDS: Final = 10800
_ROUTED: Final = ("ClusterIP", "NodePort", "LoadBalancer")
_HINTS: Final = "service.kubernetes.io/topology-aware-hints"


def _set_defaults(service: dict[str, Any]) -> None:
    spec = service.setdefault("spec", {})
    set_empty(spec, type="ClusterIP", sessionAffinity="None")
    _set_affinity(spec)
    for port in parts(spec, "ports"):
        port["targetPort"] = port.get("targetPort") or port.get("port", 0)
    outside = spec["type"] in ("NodePort", "LoadBalancer") or (
        spec["type"] == "ClusterIP" and bool(spec.get("externalIPs"))
    )
    if outside:
        set_empty(spec, externalTrafficPolicy="Cluster")
    if spec["type"] in _ROUTED:
        set_missing(spec, internalTrafficPolicy="Cluster")
    if spec["type"] == "LoadBalancer":
        set_empty(spec, allocateLoadBalancerNodePorts=True)
        for ingress in parts(part(part(service, "status"), "loadBalancer"), "ingress"):
            if ingress.get("ip"):
                set_missing(ingress, ipMode="VIP")


def _set_affinity(spec: dict[str, Any]) -> None:
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    elif spec["sessionAffinity"] == "ClientIP":
        config = part(spec, "sessionAffinityConfig")
        if part(config, "clientIP").get("timeoutSeconds") is None:
            spec["sessionAffinityConfig"] = {
                "clientIP": {"timeoutSeconds": _DEFAULT_AFFINITY_SECONDS}
            }


def _external(view: View) -> str:
    """Show where a Service is reached from outside; it depends on its type."""
    kind = view.at("spec", "type")
    addresses: list[str] = view.items("spec", "externalIPs")
    if kind in ("ClusterIP", "NodePort"):
        return ",".join(addresses) or NONE
    if kind == "LoadBalancer":
        return ",".join(filter(None, [ingress_text(view), *addresses])) or "<pending>"
    return view.text("spec", "externalName") if kind == "ExternalName" else UNKNOWN


def _port(port: dict[str, Any]) -> str:
    outside = f":{port['nodePort']}" if port.get("nodePort") else ""
    return f"{port.get('port', 0)}{outside}/{port.get('protocol', '')}"


_COLUMNS: Final = (
    NAME,
    Column("Type", "How it is reached.", field("spec.type"), doc="spec.type"),
    Column(
        "Cluster-IP",
        "Its address inside the cluster.",
        lambda view: next(iter(view.items("spec", "clusterIPs")), NONE),
        doc="spec.clusterIP",
    ),
    Column("External-IP", "Its addresses from outside.", _external, doc="spec.externalIPs"),
    Column(
        "Port(s)",
        "The ports it takes, with those on nodes.",
        lambda view: ",".join(map(_port, view.items("spec", "ports"))) or NONE,
        doc="spec.ports",
    ),
    AGE,
    Column(
        "Selector",
        "Which Pods are behind it.",
        lambda view: labels_text(view.at("spec", "selector")),
        priority=1,
        doc="spec.selector",
    ),
)


class ServiceStrategy(Strategy):
    """The strategy for Services."""

    types = {
        "core.v1.Service": TypeDefaults(fill=_set_defaults),
    }
    allow_create_on_update = True
    delete_returns_object = True
    selectable_fields = {
        "spec.clusterIP": text("spec.clusterIP"),
        "spec.type": text("spec.type"),
    }
    printer = Printer(_COLUMNS)

    def name_problems(self, name: str) -> list[str]:
        """Allow DNS labels."""
        return label_problems(name)

    def prepare_for_create(self, obj: dict[str, Any], reader: ObjectReader) -> None:
        """Allocate addresses and ports."""
        service_allocation.allocate_for_create(obj, reader)

    def prepare_for_update(
        self, new: dict[str, Any], old: dict[str, Any], reader: ObjectReader
    ) -> None:
        """Keep, release and allocate addresses and ports."""
        service_allocation.allocate_for_update(new, old, reader)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check ports, addresses, and what the type allows."""
        yield from service_causes(obj)

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Keep addresses and the class of the load balancer."""
        yield from service_causes(new)
        yield from update_causes(new, old)

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the addresses of the load balancer."""
        yield from status_causes(new)

    def validate_with_others(
        self, new: dict[str, Any], old: dict[str, Any] | None, reader: ObjectReader
    ) -> list[Cause]:
        """Refuse addresses and ports that others have."""
        return service_allocation.allocation_causes(new, old, reader)

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of members without effect, deprecated ones, and unusual addresses."""
        yield from _warnings(new)

    def warnings_on_status_write(self, new: dict[str, Any]) -> Iterator[str]:
        """Warn of unusual addresses."""
        yield from ingress_warnings(new)


def _warnings(service: dict[str, Any]) -> Iterator[str]:
    spec = service["spec"]
    kind, outside = spec.get("type"), texts(spec, "externalIPs")
    headless = kind == "ClusterIP" and spec.get("clusterIP") == "None"
    if _HINTS in part(service["metadata"], "annotations"):
        why = "is deprecated, please use service.kubernetes.io/topology-mode instead"
        yield f"annotation {_HINTS} {why}"
    yield from _service_addresses(spec, headless=headless)
    if headless:
        yield from _headless(spec)
    elif outside and kind != "ExternalName":
        yield "spec.externalIPs is deprecated and may no longer be implemented in some clusters"
    if kind == "ExternalName" and outside:
        yield 'spec.externalIPs is ignored when spec.type is "ExternalName"'
    if kind != "ExternalName" and spec.get("externalName"):
        yield 'spec.externalName is ignored when spec.type is not "ExternalName"'
    if spec.get("trafficDistribution") == "PreferClose":
        yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'


def _headless(spec: dict[str, Any]) -> Iterator[str]:
    for member in ("loadBalancerIP", "externalIPs"):
        if spec.get(member):
            yield f"spec.{member} is ignored for headless services"
    if spec.get("sessionAffinity") != "None":
        yield "spec.SessionAffinity is ignored for headless services"


def _service_addresses(spec: dict[str, Any], *, headless: bool) -> Iterator[str]:
    if not headless and spec.get("type") != "ExternalName":
        for index, address in enumerate(texts(spec, "clusterIPs")):
            yield from address_warnings(f"spec.clusterIPs[{index}]", address)
    for index, address in enumerate(texts(spec, "externalIPs")):
        yield from address_warnings(f"spec.externalIPs[{index}]", address)
    if spec.get("loadBalancerIP"):
        yield from address_warnings("spec.loadBalancerIP", spec["loadBalancerIP"])
    for index, network in enumerate(texts(spec, "loadBalancerSourceRanges")):
        yield from network_warnings(f"spec.loadBalancerSourceRanges[{index}]", network.strip())
