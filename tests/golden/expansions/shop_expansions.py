"""What the golden case `expansions` mixes into the classes of Crate: methods of a user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from expansions.shop.v1 import Crate
    from expansions.shop.v1.async_clients import AsyncCrateClient
    from expansions.shop.v1.clients import CrateClient
    from expansions.shop.v1.listers import CrateLister, CrateNamespaceLister


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


class CrateListerExpansion:
    """Mixed into CrateLister."""

    def open(self: CrateLister) -> list[Crate]:
        """Every Crate that is open."""
        return [crate for crate in self.list() if crate.spec.open]


class CrateNamespaceListerExpansion:
    """Mixed into CrateNamespaceLister."""

    def is_open(self: CrateNamespaceLister, name: str) -> bool:
        """Whether the Crate is open."""
        return bool(self.get(name).spec.open)
