"""Kinds that were written by hand: one that a cluster serves, and one that nobody knows."""

from __future__ import annotations

from typing import Any

from clientgen.runtime.models import CustomResource, field

__all__ = ["ZONES", "Unknown", "Zone"]


class Zone(CustomResource, group="stable.example.com", version="v1"):
    spec: dict[str, Any] = field(default_factory=dict)


ZONES = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "zones.stable.example.com"},
    "spec": {
        "group": "stable.example.com",
        "names": {"kind": "Zone", "plural": "zones"},
        "scope": "Cluster",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "x-kubernetes-preserve-unknown-fields": True,
                            }
                        },
                    }
                },
            }
        ],
    },
}


class Unknown(CustomResource, group="stable.example.com", version="v1"):
    """A kind that no package and no server has."""
