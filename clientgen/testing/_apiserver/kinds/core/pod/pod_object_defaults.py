"""Defaults of Pods, beyond those of their specs."""

from __future__ import annotations

from typing import Any

from clientgen._json import part, parts

from ...defaults import set_missing
from ...shared.pod_defaults import containers_of


def set_defaults(pod: dict[str, Any]) -> None:
    """Request what is limited, and publish the ports of pods with the network of the host."""
    spec = pod.setdefault("spec", {})
    for container in containers_of(spec):
        resources = part(container, "resources")
        if resources.get("limits"):
            resources["requests"] = {**resources["limits"], **part(resources, "requests")}
    _share_limits(spec)
    set_missing(spec, enableServiceLinks=True)
    if spec.get("hostNetwork"):
        _publish_ports(spec)


def _share_limits(spec: dict[str, Any]) -> None:
    """Request what the pod is limited to, as far as no container requests anything."""
    limits = part(part(spec, "resources"), "limits")
    requested = {
        name
        for container in containers_of(spec)
        for name in part(part(container, "resources"), "requests")
    }
    shared = {
        name: amount
        for name, amount in limits.items()
        if name not in requested and (name in ("cpu", "memory") or name.startswith("hugepages-"))
    }
    if shared:
        resources = spec["resources"]
        resources["requests"] = {**shared, **part(resources, "requests")}


def _publish_ports(spec: dict[str, Any]) -> None:
    """Make the ports of containers ports of the host, whose network they use."""
    for container in containers_of(spec):
        for port in parts(container, "ports"):
            if not port.get("hostPort") and port.get("containerPort"):
                port["hostPort"] = port["containerPort"]


def set_addresses(status: dict[str, Any]) -> None:
    """Complete `podIP` and `podIPs`, which say the same."""
    if status.get("podIP") and not status.get("podIPs"):
        status["podIPs"] = [{"ip": status["podIP"]}]
    elif status.get("podIPs"):
        status["podIP"] = status["podIPs"][0].get("ip", "")
