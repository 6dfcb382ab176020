"""The default among classes: storage classes and ingress classes can be marked as such."""

from __future__ import annotations

from typing import Any

from clientgen._json import part


def default_class(classes: list[dict[str, Any]], *annotations: str) -> str:
    """Return the name of the youngest class that is marked as the default, or nothing."""
    marked = [
        each["metadata"]
        for each in classes
        if any(
            part(each["metadata"], "annotations").get(annotation) == "true"
            for annotation in annotations
        )
    ]
    marked.sort(key=lambda metadata: metadata["name"])
    youngest = max(marked, key=lambda metadata: metadata["creationTimestamp"], default=None)
    return youngest["name"] if youngest else ""
