"""A manager of ten clusters: do three dead ones slow down the others, and what do caches weigh?

    python -m benchmarks.fleet                          # small: some seconds of CPU time
    python -m benchmarks.fleet --objects 1000 --turns 20

First, everything runs in this process, on in-memory servers and the real clock. In each turn, seven
clusters get changes, first while the other three are alive and idle, and then while the three,
others in each turn, are dead, with work to do: of one, connections are refused; one takes requests
and never answers; one comes and goes. What is measured is the time from a change to the call of
`reconcile`, which then reads and writes its object. The process never sleeps meanwhile, so that its
CPU time is the time that this takes on a machine without other work; the time of the day is
printed, too. The exit code is 1 if the 99th percentile of the CPU time with dead clusters is more
than 1.1 times the other.

Then a process of its own says how much memory it needs to watch ten clusters over HTTP, beside one
cluster with as many objects.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import subprocess
import sys
import time
from contextlib import ExitStack
from random import Random
from typing import Any

from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap

from clientgen.runtime.aio import AsyncContext, AsyncFleet, AsyncManager
from clientgen.runtime.errors import ConnectionLost
from clientgen.testing import FakeCluster, LocalServer

CLUSTERS = 10
DEAD = 3
ROUNDS = 20
BAR = 1.1


Times = tuple[float, float]
"""Seconds of the CPU, and of the day."""


def now() -> Times:
    """Return both times."""
    return time.process_time(), time.perf_counter()


def new_map(name: str, turn: int) -> dict[str, Any]:
    """Return a config map of about 1 kB."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "default", "labels": {"app": "web"}},
        "data": {"turn": str(turn), "text": "x" * 800},
    }


def filled(objects: int) -> FakeCluster:
    """Return a cluster with so many config maps."""
    return FakeCluster(*(new_map(f"map-{n}", 0) for n in range(objects)), record=False)


class Fleet:
    """Ten clusters, and the times from changes to reconciliations."""

    def __init__(self, objects: int, seed: int) -> None:
        self.random = Random(seed)
        self.objects = objects
        self.clusters = {f"c{number}": filled(objects) for number in range(CLUSTERS)}
        self.hub = FakeCluster(record=False)
        self.turn = 0
        self.sent: dict[tuple[str, str], Times] = {}
        self.measured: list[Times] = []
        self.reconciled = 0

    async def reconcile(self, context: AsyncContext[ConfigMap]) -> None:
        """Note the time, then read and write the object, as operators do."""
        self.reconciled += 1
        began = self.sent.pop((context.cluster, context.name), None)
        if began is not None:
            ended = now()
            self.measured.append((ended[0] - began[0], ended[1] - began[1]))
        if context.object is not None and self.turn:
            live = await context.clientset.get(ConfigMap, context.name, namespace="default")
            await context.clientset.patch(live, {"metadata": {"labels": {"app": "web"}}})

    async def phase(self, names: list[str]) -> list[Times]:
        """Return the times of some rounds in which an object of each cluster changes."""
        self.measured = []
        for _ in range(ROUNDS):
            self.turn += 1
            for name in names:
                obj = f"map-{self.random.randrange(self.objects)}"
                self.sent[name, obj] = now()
                self.clusters[name].add(new_map(obj, self.turn))
            until = time.perf_counter() + 10
            while self.sent:
                if time.perf_counter() > until:
                    raise TimeoutError(f"not reconciled: {sorted(self.sent)}")
                await asyncio.sleep(0)
        return self.measured

    def kill(self, names: list[str]) -> None:
        """Let clusters die, each in another way, while the manager works on their objects."""
        refusing, mute, flapping = names
        for name in names:
            for number in range(min(20, self.objects)):
                self.clusters[name].add(new_map(f"map-{number}", self.turn))
        self.clusters[refusing].react("*", "*", ConnectionLost)
        self.clusters[mute].delay(3600.0, times=None)
        self.clusters[flapping].react("*", "*", self._flap)
        for name in names:
            self.clusters[name].drop_watches()

    def _flap(self, _: object) -> object:
        return ConnectionLost if self.random.random() < 0.7 else None

    async def until_reconciled(self, count: int) -> None:
        """Wait until so many objects are reconciled."""
        until = time.perf_counter() + 60
        while self.reconciled < count:
            if time.perf_counter() > until:
                raise TimeoutError(f"reconciled: {self.reconciled} of {count}")
            await asyncio.sleep(0.01)

    async def measure(self, turns: int) -> tuple[list[Times], list[Times]]:
        """Return the times with all clusters alive, and with three dead ones."""
        clientsets = {name: each.clientset(AsyncClientset) for name, each in self.clusters.items()}
        k = self.hub.clientset(AsyncClientset)
        fleet = AsyncFleet(clientsets)
        manager = AsyncManager(fleet, home=k, name="fleet", grace=0.1)
        manager.controller("maps", self.reconcile, workers=2).for_(ConfigMap)
        running = asyncio.create_task(manager.run())
        await self.until_reconciled(CLUSTERS * self.objects)
        healthy: list[Times] = []
        with_dead: list[Times] = []
        for _ in range(turns):
            names = self.random.sample(sorted(self.clusters), CLUSTERS)
            alive, dead = names[DEAD:], names[:DEAD]
            await self.phase(alive)  # warms up
            healthy += await self.phase(alive)
            self.kill(dead)
            await asyncio.sleep(0.05)
            with_dead += await self.phase(alive)
            before = self.reconciled
            for name in dead:  # they come back at once: pauses take up to 30 s
                self.clusters[name].clear_reactions()
                fleet.leave(name)
                await clientsets[name].aclose()
                clientsets[name] = self.clusters[name].clientset(AsyncClientset)
                fleet.join(name, clientsets[name])
            await self.until_reconciled(before + DEAD * self.objects)
        manager.stop()
        await running
        for each in (k, *clientsets.values()):
            await each.aclose()
        return healthy, with_dead


def percentile(values: list[float], part: float) -> float:
    """Return a percentile."""
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def memory_mb(clusters: int, objects: int) -> float:
    """Return the memory that a process needs for its caches, in MB."""
    with ExitStack() as stack:
        servers = [stack.enter_context(LocalServer(filled(objects))) for _ in range(clusters)]
        program = [sys.executable, "-m", "benchmarks.workers.fleet_manager", str(objects)]
        urls = [server.url for server in servers]
        done = subprocess.run([*program, *urls], capture_output=True, text=True, check=True)
        return float(done.stdout)


def main() -> int:
    """Print the percentiles and the memory; 1 if dead clusters slow down the others."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fleet", description=__doc__)
    parser.add_argument("--objects", type=int, default=100, help="in each cluster")
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    fleet = Fleet(options.objects, options.seed)
    healthy, with_dead = asyncio.run(fleet.measure(options.turns))
    ratios: list[float] = []
    for index, unit in enumerate(("ms of the CPU", "ms")):
        p99s: list[float] = []
        for title, times in (("all alive", healthy), (f"{DEAD} dead", with_dead)):
            values = [1000 * each[index] for each in times]
            p99s.append(percentile(values, 0.99))
            p50 = percentile(values, 0.5)
            print(f"{title}: {len(values)} changes, p50 {p50:.2f}, p99 {p99s[-1]:.2f} {unit}")
        ratios.append(p99s[1] / p99s[0])
    print(f"p99 with {DEAD} dead clusters: {ratios[0]:.2f} times the CPU time (at most {BAR})")
    print(f"p99 with {DEAD} dead clusters: {ratios[1]:.2f} times the time of the day")
    ten, one = memory_mb(CLUSTERS, options.objects), memory_mb(1, CLUSTERS * options.objects)
    count = CLUSTERS * options.objects
    print(f"caches of {CLUSTERS} clusters with {count} objects: {ten:.1f} MB; of one: {one:.1f} MB")
    return int(ratios[0] > BAR)


if __name__ == "__main__":
    sys.exit(main())
