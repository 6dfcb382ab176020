"""What the golden case `expansions` mixes into the classes of Crate: methods of a user's own.

Protocols say what they need of the classes they become part of: type checkers take no other type
for `self`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from expansions.shop.v1 import Crate


class Client(Protocol):
    """Of CrateClient."""

    def get(self, name: str) -> Crate:
        """Read one."""
        ...


class AsyncClient(Protocol):
    """Of AsyncCrateClient."""

    async def get(self, name: str) -> Crate:
        """Read one."""
        ...


class Lister(Protocol):
    """Of CrateLister."""

    def list(self) -> list[Crate]:
        """All there are."""
        ...


class NamespaceLister(Protocol):
    """Of CrateNamespaceLister."""

    def get(self, name: str) -> Crate:
        """One of the namespace."""
        ...


class CrateExpansion:
    """Mixed into CrateClient."""

    def get_unless_open(self: Client, name: str) -> Crate | None:
        """The Crate, unless it is open."""
        crate = self.get(name)
        return None if crate.spec.open else crate


class AsyncCrateExpansion:
    """Mixed into AsyncCrateClient."""

    async def get_unless_open(self: AsyncClient, name: str) -> Crate | None:
        """The Crate, unless it is open."""
        crate = await self.get(name)
        return None if crate.spec.open else crate


class CrateListerExpansion:
    """Mixed into CrateLister."""

    def open(self: Lister) -> list[Crate]:
        """Every Crate that is open."""
        return [crate for crate in self.list() if crate.spec.open]


class CrateNamespaceListerExpansion:
    """Mixed into CrateNamespaceLister."""

    def is_open(self: NamespaceLister, name: str) -> bool:
        """Whether the Crate is open."""
        return bool(self.get(name).spec.open)
