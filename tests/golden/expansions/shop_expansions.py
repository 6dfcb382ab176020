"""What the golden case `expansions` mixes into the clients of Crate: methods of a user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from expansions.shop.v1 import Crate
    from expansions.shop.v1.async_clients import AsyncCrateClient
    from expansions.shop.v1.clients import CrateClient


class CrateExpansion:
    """Mixed into CrateClient."""

    def get_unless_open(self: CrateClient, name: str) -> Crate | None:
        """The Crate, unless it is open."""
        crate = self.get(name)
        return None if crate.spec.open else crate


class AsyncCrateExpansion:
    """Mixed into AsyncCrateClient."""

    async def get_unless_open(self: AsyncCrateClient, name: str) -> Crate | None:
        """The Crate, unless it is open."""
        crate = await self.get(name)
        return None if crate.spec.open else crate
