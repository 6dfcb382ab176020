"""Replicas divide objects: how much does each read, and does every object always have one owner?

    python -m benchmarks.shards                  # 1,000 changes of the replicas, some minutes
    python -m benchmarks.shards --changes 50 --without-gate

First, four replicas read 4,000 objects, and as many changes of them; what each decodes is counted,
beside an informer without shards. Then replicas are killed, cut off from the network, stopped and
started, at random moments of a FakeClock, while each follows its shard with an informer. It counts

- double owners: two replicas own an object at one moment,
- orphans: an object has no owner with the object in its cache for longer than
  `lease_duration` + 3 * `retry_period` after the last change of the replicas.

Everything runs in this process, against the in-memory server.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import time
from random import Random
from typing import TYPE_CHECKING, Any

from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, ConfigMapList

from clientgen.runtime._cache.storage import storage_for
from clientgen.runtime._http.resource import Resource
from clientgen.runtime.aio import AsyncSharding, AsyncSharedInformer
from clientgen.runtime.errors import ConnectionLost
from clientgen.testing import FakeClock, FakeCluster

if TYPE_CHECKING:
    from collections.abc import Callable

CONFIG_MAPS = Resource("", "v1", "configmaps", "ConfigMap", namespaced=True)
LEASE_DURATION = 15
RETRY_PERIOD = 2.0
BOUND = LEASE_DURATION + 3 * RETRY_PERIOD
REPLICAS = (2, 6)
# A task that waits for nothing but other tasks has ended after this many turns of the loop.
_TURNS = 60


def new_map(number: int, size: int) -> dict[str, Any]:
    metadata = {"name": f"map-{number}", "namespace": "default"}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata,
        "data": {"a": "x" * size},
    }


def counting_storage(count: Callable[[int], None]) -> Any:
    """The usual storage, which counts the bytes that it decodes."""
    storage: Any = storage_for(ConfigMap, ConfigMapList)
    read_page, read_events = storage.read_page, storage.read_events

    def page(response: Any, *args: Any) -> Any:
        count(len(response.body))
        return read_page(response, *args)

    def events(block: bytes, *args: Any) -> Any:
        count(len(block))
        return read_events(block, *args)

    storage.read_page, storage.read_events = page, events
    return storage


class Replica:
    """A sharding, and an informer that follows it."""

    def __init__(self, fleet: Fleet, identity: str, *, sharded: bool = True) -> None:
        self.k = fleet.cluster.clientset(AsyncClientset)
        self.bytes = 0
        self.is_cut_off = False
        self.running = 0
        self.sharding = AsyncSharding(self.k, "fleet", "default", identity, clock=fleet.clock)
        self.informer = AsyncSharedInformer(
            self.k,
            CONFIG_MAPS,
            ConfigMap,
            ConfigMapList,
            namespace="default",
            shard_selector=self.sharding if sharded else None,
            clock=fleet.clock,
            storage=counting_storage(self._count),
        )
        given, send = self.sharding._round, self.sharding._leases._rest.send

        async def watched_round() -> None:
            self.running += 1
            await given()
            self.running -= 1
            fleet.check()

        async def cut(*args: Any, **options: Any) -> Any:
            if self.is_cut_off:
                raise ConnectionLost("cut off")
            return await send(*args, **options)

        self.sharding._round = watched_round
        self.sharding._leases._rest.send = cut

    def _count(self, size: int) -> None:
        self.bytes += size

    def start(self) -> None:
        self.informer.start()
        self.sharding.start()

    def kill(self) -> None:
        """End without a word: the lease stays."""
        for task in self.sharding._tasks:
            task.cancel()
        self.sharding._stopping.set()
        self.informer.stop_soon()

    async def stop(self) -> None:
        await self.sharding.stop()
        await self.informer.stop()


class Fleet:
    """Replicas that come and go, and the objects that they divide."""

    def __init__(self, seed: int, objects: int, *, gate: bool = True, size: int = 0) -> None:
        self.random = Random(seed)
        self.clock = FakeClock()
        self.cluster = FakeCluster(
            *(new_map(number, size) for number in range(objects)),
            clock=self.clock,
            seed=seed,
            feature_gates={"ShardedListAndWatch": gate},
            record=False,
        )
        store = self.cluster.server.cluster.store.collection("configmaps")
        self.uids = {
            f"{record.namespace}/{record.name}": record.uid for record in store.now("default")
        }
        self.live: list[Replica] = []
        self.gone: list[Replica] = []
        self.number = 0
        self.changes = 0
        self.double_owners = 0
        self.orphans = 0
        self.longest = 0.0
        self._without_owner: dict[str, tuple[float, int]] = {}

    # ---- changes ------------------------------------------------------------------------------

    def join(self) -> Replica:
        self.number += 1
        replica = Replica(self, f"replica-{self.number}")
        replica.start()
        self.live.append(replica)
        return replica

    async def change(self) -> str:
        """Kill, stop, cut off, reconnect or start a replica."""
        self.changes += 1
        kinds = ["join", "kill", "stop", "cut off", "reconnect"]
        kind = self.random.choice(kinds)
        if len(self.live) <= REPLICAS[0]:
            kind = "join"
        elif len(self.live) >= REPLICAS[1] and kind == "join":
            kind = "kill"
        victim = self.random.choice(self.live)
        if kind == "join":
            self.join()
        elif kind == "kill":
            self._remove(victim)
            victim.kill()
        elif kind == "stop":
            self._remove(victim)
            await victim.stop()
        else:
            victim.is_cut_off = kind == "cut off"
        if all(each.is_cut_off for each in self.live):  # then nobody can own anything
            self.live[0].is_cut_off = False
        return kind

    def _remove(self, replica: Replica) -> None:
        self.live.remove(replica)
        self.gone.append(replica)

    # ---- time ---------------------------------------------------------------------------------

    async def settle(self) -> None:
        """Wait until all tasks wait for the clock."""
        while True:
            for _ in range(_TURNS):
                await asyncio.sleep(0)
            if not any(each.running for each in self.live):
                return

    async def pass_time(self, seconds: float) -> None:
        end = self.clock.monotonic() + seconds
        while (left := end - self.clock.monotonic()) > 0:
            await self.clock.step(min(left, self.random.uniform(0.2, 1.0)))
            self.check()
            await self.settle()
            self.check()
            self.note_orphans()

    def check(self) -> None:
        """Count objects that two replicas own."""
        for uid in self.uids.values():
            owners = sum(each.sharding.owns_uid(uid) for each in self.live)
            self.double_owners += owners > 1

    def note_orphans(self) -> None:
        now = self.clock.monotonic()
        for key, uid in self.uids.items():
            owned = any(
                each.sharding.owns_uid(uid) and each.informer.indexer.stored.get(key) is not None
                for each in self.live
            )
            if not owned:
                self._without_owner.setdefault(key, (now, self.changes))
                since, changes = self._without_owner[key]
                # A later change may have moved the object once more.
                if now - since > BOUND * (1 + self.changes - changes):
                    self.orphans += 1
                    self._without_owner[key] = (now, self.changes)
            elif key in self._without_owner:
                since, changes = self._without_owner.pop(key)
                if changes == self.changes:
                    self.longest = max(self.longest, now - since)

    async def end(self) -> None:
        for replica in self.live:
            replica.is_cut_off = False
            await replica.stop()
        for replica in self.gone:
            await replica.informer.stop()


async def measure_bytes(objects: int, *, gate: bool) -> list[float]:
    """Return what each of four replicas reads, as parts of what an unsharded informer reads."""
    fleet = Fleet(1, objects, gate=gate, size=1000)
    for _ in range(4):
        fleet.join()
        await fleet.pass_time(2.0)
    await fleet.pass_time(10.0)
    for replica in fleet.live:  # from here on, as after a restart of the informers
        await replica.informer.stop()
    whole = Replica(fleet, "whole", sharded=False)
    readers = [whole]
    for replica in fleet.live:
        reader = Replica(fleet, "reader")
        reader.informer._sharding._leave(reader.informer)
        replica.sharding._join(reader.informer)
        readers.append(reader)
    for reader in readers:
        reader.informer.start()
    await fleet.settle()
    for key in fleet.uids:
        name = key.partition("/")[2]
        await whole.k.core_v1.config_maps("default").patch(name, {"data": {"b": "y"}})
    await fleet.settle()
    for reader in readers:
        await reader.informer.stop()
    await fleet.end()
    return [reader.bytes / whole.bytes for reader in readers[1:]]


async def simulate(seed: int, changes: int, objects: int, *, gate: bool = True) -> Fleet:
    """Let replicas come and go this many times."""
    fleet = Fleet(seed, objects, gate=gate)
    for _ in range(4):
        fleet.join()
    await fleet.settle()
    await fleet.pass_time(2 * BOUND)
    fleet.longest = 0.0
    for _ in range(changes):
        await fleet.change()
        await fleet.pass_time(fleet.random.choice([0.5, 3.0, 12.0, 2 * BOUND]))
    for replica in fleet.live:
        replica.is_cut_off = False
    await fleet.pass_time(2 * BOUND)
    await fleet.end()
    return fleet


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--changes", type=int, default=1000)
    parser.add_argument("--objects", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--without-gate", action="store_true", help="the server has no shards")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    gate = not options.without_gate
    parts = asyncio.run(measure_bytes(4000, gate=gate))
    print("bytes of each of 4 replicas:", ", ".join(f"{each:.1%}" for each in parts), flush=True)
    began = time.process_time()
    fleet = asyncio.run(simulate(options.seed, options.changes, options.objects, gate=gate))
    print(f"{fleet.changes} changes of the replicas, {fleet.clock.monotonic():.0f} s of the clock")
    print(f"double owners: {fleet.double_owners}")
    print(f"orphans beyond {BOUND:g} s: {fleet.orphans}")
    print(f"longest time without an owner after one change: {fleet.longest:.1f} s")
    print(f"{time.process_time() - began:.0f} CPU s")
    return int(bool(fleet.double_owners or fleet.orphans or max(parts) > 0.3))


if __name__ == "__main__":
    raise SystemExit(main())
