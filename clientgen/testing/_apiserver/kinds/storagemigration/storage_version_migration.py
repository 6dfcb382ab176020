"""StorageVersionMigration: an order to write all objects of a resource anew."""

from __future__ import annotations

from ..strategy import Strategy


class StorageVersionMigrationStrategy(Strategy):
    """The strategy for StorageVersionMigrations."""

    allow_unconditional_update = False
