"""The quality of service that a pod gets, by its requests and limits."""

from __future__ import annotations

from typing import Any, Final

from clientgen._json import part

from ...shared.pod_defaults import containers_of
from ...shared.quantities import amount

_COUNTED: Final = ("cpu", "memory")


def qos_class(spec: dict[str, Any]) -> str:
    """Return the class: Guaranteed, Burstable or BestEffort."""
    containers = [part(container, "resources") for container in containers_of(spec)]
    if spec.get("resources"):
        containers = [spec["resources"]]
    amounts = [
        amount(value)
        for resources in containers
        for side in ("requests", "limits")
        for name, value in part(resources, side).items()
        if name in _COUNTED
    ]
    if not any(amounts):
        return "BestEffort"
    return "Guaranteed" if all(_is_fixed(resources) for resources in containers) else "Burstable"


def _is_fixed(resources: dict[str, Any]) -> bool:
    requests, limits = part(resources, "requests"), part(resources, "limits")
    return all(
        amount(limits.get(name, 0)) > 0
        and amount(requests.get(name, limits[name])) == amount(limits[name])
        for name in _COUNTED
    )
