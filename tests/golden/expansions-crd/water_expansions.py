"""What the golden case `expansions-crd` mixes into the classes of Pump and Tank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from expansions_crd.water.v1.models import Pump
    from tank_types import Tank


class Pumps(Protocol):
    """What is needed of PumpClient."""

    def get(self, name: str) -> Pump:
        """Read one."""
        ...

    def update(self, body: Pump) -> Pump:
        """Write it."""
        ...


class AsyncPumps(Protocol):
    """What is needed of AsyncPumpClient."""

    async def get(self, name: str) -> Pump:
        """Read one."""
        ...

    async def update(self, body: Pump) -> Pump:
        """Write it."""
        ...


class ListedPumps(Protocol):
    """What is needed of PumpLister."""

    def list(self) -> list[Pump]:
        """All there are."""
        ...


class Tanks(Protocol):
    """What is needed of TankClient."""

    def get(self, name: str) -> Tank:
        """Read one."""
        ...


class AsyncTanks(Protocol):
    """What is needed of AsyncTankClient."""

    async def get(self, name: str) -> Tank:
        """Read one."""
        ...


class ListedTanks(Protocol):
    """What is needed of the listers of tanks."""

    def list(self) -> list[Tank]:
        """All there are."""
        ...


class PumpExpansion:
    """Mixed into PumpClient."""

    def switch(self: Pumps, name: str, *, runs: bool) -> Pump:
        """Switch a pump on or off."""
        pump = self.get(name)
        pump.spec.runs = runs
        return self.update(pump)


class AsyncPumpExpansion:
    """Mixed into AsyncPumpClient."""

    async def switch(self: AsyncPumps, name: str, *, runs: bool) -> Pump:
        """Switch a pump on or off."""
        pump = await self.get(name)
        pump.spec.runs = runs
        return await self.update(pump)


class PumpListerExpansion:
    """Mixed into PumpLister."""

    def running(self: ListedPumps) -> list[Pump]:
        """The pumps that are on."""
        return [pump for pump in self.list() if pump.spec.runs]


class TankExpansion:
    """Mixed into TankClient."""

    def litres(self: Tanks, name: str) -> int:
        """How much a tank holds."""
        return self.get(name).spec.litres


class AsyncTankExpansion:
    """Mixed into AsyncTankClient."""

    async def litres(self: AsyncTanks, name: str) -> int:
        """How much a tank holds."""
        tank = await self.get(name)
        return tank.spec.litres


class TankListerExpansion:
    """Mixed into TankLister."""

    def larger_than(self: ListedTanks, litres: int) -> list[Tank]:
        """The tanks that hold more."""
        return [tank for tank in self.list() if tank.spec.litres > litres]


class TankNamespaceListerExpansion:
    """Mixed into TankNamespaceLister."""

    def total(self: ListedTanks) -> int:
        """How much the tanks of the namespace hold."""
        return sum(tank.spec.litres for tank in self.list())
