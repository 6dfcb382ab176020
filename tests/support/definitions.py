"""CustomResourceDefinitions of tests, as they are sent."""

from __future__ import annotations

from typing import Any

__all__ = ["OPEN", "custom_definition", "custom_version"]

OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
"""The schema of objects that may hold anything."""


def custom_version(
    name: str = "v1", schema: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """A version that is served and, if it is v1, stored."""
    whole = {"openAPIV3Schema": OPEN if schema is None else schema}
    return {"name": name, "served": True, "storage": name == "v1", "schema": whole, **more}


def custom_definition(
    group: str, kind: str, /, *versions: dict[str, Any], **spec: Any
) -> dict[str, Any]:
    """A definition; of one version of anything in namespaces unless more is said."""
    plural = f"{kind.lower()}s"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind},
            "versions": list(versions) or [custom_version()],
            **spec,
        },
    }
