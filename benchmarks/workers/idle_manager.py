"""A manager with one controller and all endpoints, which waits for work and says what it weighs.

    python -m benchmarks.workers.idle_manager URL asyncio|threads

prints its resident memory in MB when its caches are full and a lap of requests to its endpoints is
over, and ends. The configuration is made in code, because one in a cluster needs no YAML either.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from pathlib import Path
from typing import Any

ANYWHERE = "127.0.0.1:0"


def main(url: str, flavour: str) -> None:
    """Run until the figure is there."""
    if flavour == "asyncio":
        asyncio.run(_tasks(url))
    else:
        _threads(url)


async def _tasks(url: str) -> None:
    from kubeapi import AsyncClientset
    from kubeapi.apps.v1 import Deployment

    from clientgen.runtime.aio import AsyncContext, AsyncManager, AsyncRest
    from clientgen.runtime.config import ClusterConfig

    async def reconcile(context: AsyncContext[Deployment]) -> None:
        context.log.debug("seen")

    async with AsyncClientset(AsyncRest(ClusterConfig(server=url))) as k:
        manager = AsyncManager(k, leader_election="idle", metrics=ANYWHERE, health=ANYWHERE)
        manager.controller("idle", reconcile).for_(Deployment)
        threading.Thread(target=_measure, args=[manager], daemon=True).start()
        await manager.run()


def _threads(url: str) -> None:
    from kubeapi import Clientset
    from kubeapi.apps.v1 import Deployment

    from clientgen.runtime.config import ClusterConfig
    from clientgen.runtime.sync import Context, Manager, Rest

    def reconcile(context: Context[Deployment]) -> None:
        context.log.debug("seen")

    with Clientset(Rest(ClusterConfig(server=url))) as k:
        manager = Manager(k, leader_election="idle", metrics=ANYWHERE, health=ANYWHERE)
        manager.controller("idle", reconcile).for_(Deployment)
        threading.Thread(target=_measure, args=[manager], daemon=True).start()
        manager.run()


def _measure(manager: Any) -> None:
    import os
    import signal
    import time

    while not manager.is_leader:
        time.sleep(0.05)
    time.sleep(1.0)
    urls = [manager.metrics_url, f"{manager.health_url}/readyz"]
    assert all(_bytes_from_other_process(url) > 1 for url in urls for _ in range(3))
    status = Path("/proc/self/status").read_text("ascii")
    rss = int(status.partition("VmRSS:")[2].split()[0]) / 1024
    print(f"{rss:.1f}", flush=True)
    os.kill(os.getpid(), signal.SIGTERM)


def _bytes_from_other_process(url: str) -> int:
    """Ask as Prometheus and the kubelet do: from outside, without a client in this process."""
    import subprocess

    code = f"from urllib.request import urlopen; print(len(urlopen({url!r}).read()))"
    return int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
