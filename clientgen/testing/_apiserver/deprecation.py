"""Which versions are on their way out: requests for them are answered with a warning.

https://kubernetes.io/docs/reference/using-api/deprecation-policy/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .resources import Resource

__all__ = ["warning_of"]

# By apiVersion and, where not all kinds of it are meant, kind: since which minor version of
# Kubernetes, in which one it goes, what takes its place.
_DEPRECATED: Final[dict[tuple[str, str], tuple[int, int | None, str]]] = {
    ("v1", "ComponentStatus"): (19, None, ""),
    ("v1", "Endpoints"): (33, None, "discovery.k8s.io/v1 EndpointSlice"),
    ("networking.k8s.io/v1beta1", ""): (34, 37, ""),
    ("storage.k8s.io/v1beta1", ""): (34, 37, "storage.k8s.io/v1 VolumeAttributesClass"),
    ("admissionregistration.k8s.io/v1alpha1", ""): (35, 38, ""),
    ("coordination.k8s.io/v1beta1", ""): (36, 39, ""),
    ("coordination.k8s.io/v1alpha2", ""): (35, 38, ""),
    ("resource.k8s.io/v1beta2", ""): (36, 39, ""),
    ("resource.k8s.io/v1beta1", ""): (35, 38, ""),
    ("resource.k8s.io/v1alpha3", "DeviceTaintRule"): (36, 39, ""),
}


def warning_of(resource: Resource) -> str:
    """What is said of a resource that is deprecated; empty for any other."""
    if resource.custom is not None:
        return resource.custom.deprecation_warning
    version = resource.api_version
    found = _DEPRECATED.get((version, resource.kind)) or _DEPRECATED.get((version, ""))
    if found is None:
        return ""
    since, gone, instead = found
    text = f"{version} {resource.kind} is deprecated in v1.{since}+"
    if gone:
        text += f", unavailable in v1.{gone}+"
    return f"{text}; use {instead}" if instead else text
