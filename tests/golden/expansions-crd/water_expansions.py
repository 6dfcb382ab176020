"""What the golden case `expansions-crd` mixes into the classes of Pump and Tank."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from expansions_crd.water.v1.async_clients import AsyncPumpClient, AsyncTankClient
    from expansions_crd.water.v1.clients import PumpClient, TankClient
    from expansions_crd.water.v1.listers import PumpLister, TankLister, TankNamespaceLister
    from expansions_crd.water.v1.models import Pump
    from tank_types import Tank


class PumpExpansion:
    """Mixed into PumpClient."""

    def switch(self: PumpClient, name: str, *, runs: bool) -> Pump:
        """Switch a pump on or off."""
        pump = self.get(name)
        pump.spec.runs = runs
        return self.update(pump)


class AsyncPumpExpansion:
    """Mixed into AsyncPumpClient."""

    async def switch(self: AsyncPumpClient, name: str, *, runs: bool) -> Pump:
        """Switch a pump on or off."""
        pump = await self.get(name)
        pump.spec.runs = runs
        return await self.update(pump)


class PumpListerExpansion:
    """Mixed into PumpLister."""

    def running(self: PumpLister) -> list[Pump]:
        """The pumps that are on."""
        return [pump for pump in self.list() if pump.spec.runs]


class TankExpansion:
    """Mixed into TankClient."""

    def litres(self: TankClient, name: str) -> int:
        """How much a tank holds."""
        return self.get(name).spec.litres


class AsyncTankExpansion:
    """Mixed into AsyncTankClient."""

    async def litres(self: AsyncTankClient, name: str) -> int:
        """How much a tank holds."""
        tank = await self.get(name)
        return tank.spec.litres


class TankListerExpansion:
    """Mixed into TankLister."""

    def larger_than(self: TankLister, litres: int) -> list[Tank]:
        """The tanks that hold more."""
        return [tank for tank in self.list() if tank.spec.litres > litres]


class TankNamespaceListerExpansion:
    """Mixed into TankNamespaceLister."""

    def total(self: TankNamespaceLister) -> int:
        """How much the tanks of the namespace hold."""
        return sum(tank.spec.litres for tank in self.list())
