"""A manager of some clusters that prints what their caches weigh.

    python -m benchmarks.workers.fleet_manager OBJECTS URL...

prints by how many MB the resident memory grew from the start of the manager until each cluster's
objects, so many of each, are reconciled.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap

from clientgen.runtime.aio import AsyncContext, AsyncFleet, AsyncManager, AsyncRest
from clientgen.runtime.config import ClusterConfig


def resident_mb() -> float:
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


async def main(objects: int, urls: list[str]) -> None:
    clientsets = [AsyncClientset(AsyncRest(ClusterConfig(server=url))) for url in urls]
    for k in clientsets:  # the connections and the classes are there before
        await k.list(ConfigMap, limit=1)
    before = resident_mb()
    seen: set[tuple[str, str]] = set()
    fleet = AsyncFleet({f"c{number}": k for number, k in enumerate(clientsets)})
    home = AsyncClientset(AsyncRest(ClusterConfig(server=urls[0])))
    manager = AsyncManager(fleet, home=home, name="fleet")

    async def reconcile(context: AsyncContext[ConfigMap]) -> None:
        seen.add((context.cluster, context.name))
        if len(seen) == objects * len(urls):
            seen.clear()
            print(f"{resident_mb() - before:.1f}", flush=True)
            manager.stop()

    manager.controller("maps", reconcile).for_(ConfigMap)
    await manager.run()
    for k in (home, *clientsets):
        await k.aclose()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2:]))
