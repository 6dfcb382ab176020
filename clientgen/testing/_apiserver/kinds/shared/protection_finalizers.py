"""Finalizers that protect objects in use."""

from __future__ import annotations

from typing import Any

from clientgen._json import texts


def protect(obj: dict[str, Any], finalizer: str) -> None:
    """Add a finalizer to an object."""
    finalizers = texts(obj["metadata"], "finalizers")
    if finalizer not in finalizers:
        obj["metadata"]["finalizers"] = [*finalizers, finalizer]
