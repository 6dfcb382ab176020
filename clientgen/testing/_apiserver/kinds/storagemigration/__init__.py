"""The group storagemigration.k8s.io."""

from __future__ import annotations

from .storage_version_migration import StorageVersionMigrationStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {
    "StorageVersionMigration": StorageVersionMigrationStrategy,
}
