"""Dependents whose work is interrupted, as only tasks are."""

from __future__ import annotations

import asyncio

from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import Namespace
from kubeapi.meta.v1 import ObjectMeta
from support.shops import DEFINITION, Shop, conditions, shop

from clientgen.runtime.aio import AsyncExternal, AsyncManager
from clientgen.testing import FakeClock, FakeCluster


class Machine(AsyncExternal[Shop, str]):
    """A machine whose first two creations succeed, and never return."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    async def create(self, primary: Shop, key: str) -> str:
        self.keys.append(key)
        if len(self.keys) < 3:
            await asyncio.Event().wait()
        return key

    async def read(self, primary: Shop, external_id: str) -> str | None:
        return external_id

    async def delete(self, primary: Shop, external_id: str) -> None: ...


async def test_a_creation_that_is_cancelled_or_takes_too_long_keeps_its_key() -> None:
    clock, machine = FakeClock(), Machine()
    cluster = FakeCluster(Namespace(metadata=ObjectMeta(name="shop")), crds=[DEFINITION])
    user = cluster.clientset(Clientset)
    user.scheme.register(Shop, plural="shops")
    user.create(shop())

    async def work(calls: int, seconds: float) -> None:
        """Run the operator until there were this many calls, and the condition is true."""
        async with cluster.clientset(AsyncClientset) as k:
            k.scheme.register(Shop, plural="shops")
            manager = AsyncManager(k, clock=clock, controllers={"timeout": 10.0})
            shops = manager.controller("shops").for_(Shop).workflow(status=True)
            shops.external("machine", machine, every=60)
            running = asyncio.create_task(manager.run())
            for _ in range(2000):
                found = conditions(user.get(Shop, "a", namespace="shop"))
                if len(machine.keys) >= calls and (
                    calls < 3 or found.get("Ready", "")[:4] == "True"
                ):
                    break
                clock.step(seconds)
                await asyncio.sleep(0.002)
            running.cancel()
            await asyncio.wait([running])

    await work(1, 0.1)  # cancelled in the middle of the first creation
    await work(3, 1.0)  # the second creation takes too long
    assert len(machine.keys) == 3
    assert len(set(machine.keys)) == 1
    assert conditions(user.get(Shop, "a", namespace="shop"))["MachineReady"] == "True Ready"
