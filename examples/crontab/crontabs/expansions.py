"""Methods of our own on the generated client and lister of CronTabs; clientgen.toml names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .v1 import CronTab


class Client(Protocol):
    """What our methods need of the client they become part of."""

    def edit(self, name: str, change: Callable[[CronTab], object], /) -> CronTab:
        """Read, change, write."""
        ...


class AsyncClient(Protocol):
    """The same of the asyncio one."""

    def edit(self, name: str, change: Callable[[CronTab], object], /) -> Awaitable[CronTab]:
        """Read, change, write."""
        ...


class Lister(Protocol):
    """And of the lister."""

    def list(self) -> list[CronTab]:
        """All there are."""
        ...


class CronTabExpansion:
    """Mixed into CronTabClient."""

    def pause(self: Client, name: str, *, paused: bool = True) -> CronTab:
        """Have a CronTab run no more, or again."""

        def change(tab: CronTab) -> None:
            tab.spec.paused = paused

        return self.edit(name, change)


class AsyncCronTabExpansion:
    """Mixed into AsyncCronTabClient."""

    async def pause(self: AsyncClient, name: str, *, paused: bool = True) -> CronTab:
        """Have a CronTab run no more, or again."""

        def change(tab: CronTab) -> None:
            tab.spec.paused = paused

        return await self.edit(name, change)


class CronTabListerExpansion:
    """Mixed into CronTabLister."""

    def paused(self: Lister) -> list[CronTab]:
        """Every CronTab that does not run."""
        return [tab for tab in self.list() if tab.spec.paused]
