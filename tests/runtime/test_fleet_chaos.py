"""Ten clusters die, come back, join and leave: nothing is mixed up, and all is done at last."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap, Namespace, Secret
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime._async._primitives import sleep, spawn
from clientgen.runtime.aio import AsyncContext, AsyncFleet, AsyncManager
from clientgen.runtime.errors import ConnectionLost
from clientgen.testing import FakeClock, FakeCluster

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_task_is_left")]

NAMES = [f"c{number}" for number in range(10)]
MOST_DEAD = 3
ROUNDS = 40


class AsyncPlace:
    """A cluster with an identity that its objects carry."""

    def __init__(self, identity: str, clock: FakeClock) -> None:
        self.identity = identity
        self.cluster = FakeCluster(Namespace(metadata=ObjectMeta(name="shop")), clock=clock)
        self.k = self.cluster.clientset(AsyncClientset, max_retries=0)  # no pauses in real time
        self.user = self.cluster.clientset(Clientset)
        self.is_dead = False
        self.writes = 0
        for number in range(3):
            self.write(number)

    def write(self, number: int) -> None:
        """Change an object behind the back of the network."""
        self.writes += 1
        data = {"home": self.identity, "turn": str(self.writes)}
        meta = ObjectMeta(name=f"m{number}", namespace="shop")
        self.cluster.add(ConfigMap(metadata=meta, data=data))

    def die(self) -> None:
        self.is_dead = True
        self.cluster.react("*", "*", ConnectionLost)
        self.cluster.drop_watches()

    def revive(self) -> None:
        self.is_dead = False
        self.cluster.clear_reactions()

    def is_done(self) -> bool:
        """Whether each object has its copy."""
        maps = {each.metadata.name: each.data for each in self.user.core_v1.config_maps().list()}
        copies = {each.metadata.name: each.data for each in self.user.core_v1.secrets().list()}
        texts = {
            name: {key: bytes(value).decode() for key, value in data.items()}
            for name, data in copies.items()
        }
        return maps == texts


class AsyncChaos:
    """A random walk of clusters under a manager that copies config maps into secrets."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.clock = FakeClock()
        self.hub = AsyncPlace("hub", self.clock)
        self.members = {name: AsyncPlace(name, self.clock) for name in NAMES}
        self.places = [self.hub, *self.members.values()]
        self.fleet = AsyncFleet({name: each.k for name, each in self.members.items()})
        self.manager = AsyncManager(self.fleet, home=self.hub.k, name="chaos", grace=2.0)
        controller = self.manager.controller("copy", self.copy, workers=2)
        self.controller: Any = controller.for_(ConfigMap).owns(Secret)
        self.mixed_up: list[str] = []

    async def copy(self, context: AsyncContext[ConfigMap]) -> None:
        obj = context.object
        if obj is None:
            self.mixed_up.append(f"{context.request!r} looks deleted")
            return
        identity = obj.data["home"]
        live = await context.clientset.get(ConfigMap, context.name, namespace="shop")
        if live.data["home"] != identity or identity.partition("/")[0] != context.cluster:
            self.mixed_up.append(f"{context.request!r}: {identity}, {live.data['home']}")
        data = {key: value.encode() for key, value in obj.data.items()}
        meta = ObjectMeta(name=context.name, namespace="shop")
        copied = Secret(metadata=meta, data=data)
        await context.clientset.apply(copied, field_manager="copy", force=True)

    def step(self) -> None:
        name = self.random.choice(NAMES)
        place = self.members.get(name)
        what = self.random.choice(("write", "write", "die", "revive", "leave", "join", "replace"))
        if place is None:
            if what in {"join", "replace"}:
                self.join(name)
        elif what == "write":
            place.write(self.random.randrange(3))
        elif what == "die":
            if sum(each.is_dead for each in self.members.values()) < MOST_DEAD:
                place.die()
        elif what == "revive":
            place.revive()
        elif what == "leave":
            self.fleet.leave(name)
            del self.members[name]
        elif what == "replace":
            self.join(name)  # another cluster gets the name

    def join(self, name: str) -> None:
        place = self.members[name] = AsyncPlace(f"{name}/{len(self.places)}", self.clock)
        self.places.append(place)
        self.fleet.join(name, place.k)

    async def settle(self, holds: Any) -> None:
        for _ in range(5000):
            if holds():
                return
            await sleep(0.002)
            self.clock.step(1.0)
        raise AssertionError([name for name, each in self.members.items() if not each.is_done()])


@pytest.mark.parametrize("seed", [1, 2])
async def test_nothing_is_mixed_up_and_all_is_done(seed: int) -> None:
    chaos = AsyncChaos(seed)
    task = spawn(chaos.manager.run, "manager")
    for _ in range(ROUNDS):
        chaos.step()
        for _ in range(chaos.random.randrange(4)):
            await sleep(0.001)
            chaos.clock.step(chaos.random.choice((0.1, 1.0, 5.0)))

    alive = [each for each in chaos.members.values() if not each.is_dead]
    await chaos.settle(lambda: all(each.is_done() for each in alive))  # whoever is dead
    for each in chaos.members.values():
        each.revive()
    await chaos.settle(lambda: all(each.is_done() for each in chaos.members.values()))
    assert chaos.mixed_up == []
    assert not chaos.hub.cluster.clientset(Clientset).core_v1.secrets().list().items

    for name in chaos.fleet.names[1:]:
        chaos.fleet.leave(name)
    runner: Any = chaos.manager._fleet
    await chaos.settle(lambda: runner.leaving == 0)
    last = chaos.fleet.names
    assert [each.name for each in chaos.controller._served] == last
    assert {*chaos.controller.queue._state._lanes} == {"", *last}
    assert not chaos.controller.queue._state._taken_from
    before = [len(each.cluster.writes) for each in chaos.places[1:]]
    for place in chaos.places[1:]:
        place.write(0)
    await chaos.settle(chaos.members[last[0]].is_done)
    changed = [len(each.cluster.writes) for each in chaos.places[1:]]
    assert sum(a != b for a, b in zip(before, changed, strict=True)) == 1

    chaos.manager.stop()
    await chaos.settle(lambda: task.done)
    for each in chaos.places:
        await each.k.aclose()
