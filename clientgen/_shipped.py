"""Files that come with clientgen: inside of the package in a wheel, beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

__all__ = ["kubernetes_spec", "shipped"]


def shipped(*parts: str) -> Path:
    """Where a file or a folder is that comes with clientgen."""
    package = Path(__file__).parent
    installed = package.joinpath(*parts)
    return installed if installed.exists() else package.parent.joinpath(*parts)


def kubernetes_spec() -> Path:
    """The OpenAPI v2 document of the Kubernetes that clientgen comes with."""
    return shipped("specs", "kubernetes-1.36", "swagger.json")
