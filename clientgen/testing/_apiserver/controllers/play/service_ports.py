"""The ports of a Service, as the pods behind it have them."""

from __future__ import annotations

from typing import Any

from clientgen._json import part, parts


def ports_of(service: dict[str, Any], pod: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the ports of a pod that a Service leads to; a name that it lacks is left out."""
    ports: list[dict[str, Any]] = []
    for each in parts(part(service, "spec"), "ports"):
        number = _number(each, pod)
        if number is None:
            continue
        protocol = each.get("protocol", "TCP")
        port = {"name": each.get("name", ""), "port": number, "protocol": protocol}
        if each.get("appProtocol"):
            port["appProtocol"] = each["appProtocol"]
        ports.append(port)
    return ports


def _number(port: dict[str, Any], pod: dict[str, Any]) -> int | None:
    target = port.get("targetPort") or port.get("port")
    if isinstance(target, int):
        return target
    protocol = port.get("protocol", "TCP")
    spec = pod["spec"]
    sidecars = [each for each in parts(spec, "initContainers") if each.get("restartPolicy")]
    for container in (*parts(spec, "containers"), *sidecars):
        for each in parts(container, "ports"):
            if each.get("name") == target and each.get("protocol", "TCP") == protocol:
                number: int = each["containerPort"]
                return number
    return None
