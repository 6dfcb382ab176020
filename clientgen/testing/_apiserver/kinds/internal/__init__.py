"""The group internal.apiserver.k8s.io."""

from __future__ import annotations

from .storage_version import StorageVersionStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {
    "StorageVersion": StorageVersionStrategy,
}
