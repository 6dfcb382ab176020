"""Deprecated versions of kinds that have not moved to `kinds` yet."""

from __future__ import annotations

from typing import Final

from ..kinds.deprecation import Deprecation

__all__ = ["DEPRECATED"]

DEPRECATED: Final[dict[tuple[str, str], Deprecation]] = {
    ("v1", "ComponentStatus"): Deprecation(19, None, ""),
    ("v1", "Endpoints"): Deprecation(33, None, "discovery.k8s.io/v1 EndpointSlice"),
    ("networking.k8s.io/v1beta1", ""): Deprecation(34, 37, ""),
    ("storage.k8s.io/v1beta1", ""): Deprecation(34, 37, "storage.k8s.io/v1 VolumeAttributesClass"),
    ("admissionregistration.k8s.io/v1alpha1", ""): Deprecation(35, 38, ""),
    ("resource.k8s.io/v1beta2", ""): Deprecation(36, 39, ""),
    ("resource.k8s.io/v1beta1", ""): Deprecation(35, 38, ""),
    ("resource.k8s.io/v1alpha3", "DeviceTaintRule"): Deprecation(36, 39, ""),
}
"""By apiVersion and, if only one kind of it is deprecated, kind."""
