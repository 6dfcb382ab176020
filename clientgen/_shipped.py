"""The files that come with clientgen."""

from __future__ import annotations

from pathlib import Path
from typing import Final

KUBERNETES: Final = "1.36"
"""The release of Kubernetes whose documents are in specs/kubernetes."""


def shipped(*parts: str) -> Path:
    """Return the path of a file or a folder that comes with clientgen."""
    package = Path(__file__).parent
    installed = package.joinpath(*parts)
    return installed if installed.exists() else package.parent.joinpath(*parts)


def kubernetes_spec() -> Path:
    """Return the OpenAPI v2 document of the Kubernetes release that clientgen comes with."""
    return shipped("specs", "kubernetes", "swagger.json")
