"""What it costs to find the first resource by name: from a server, and from the disk."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from tempfile import TemporaryDirectory

from kubeapi import AsyncClientset, Clientset

from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.config import ClusterConfig
from clientgen.runtime.sync import Rest

from .meter import Meter, report
from .processes import SERVE, started

_NAME = "deployments.apps"


def main() -> None:
    """Do what the command line names, `sync cold`, and report."""
    flavour, way, *filled = sys.argv[1:]
    if filled:
        _find(*filled)
        return
    with started(*SERVE) as process, TemporaryDirectory() as cache:
        if way == "warm":  # another program was here
            command = [sys.executable, "-m", __spec__.name, flavour, way, process.url, cache]
            subprocess.run(command, check=True)
        if flavour == "sync":
            report(_find(process.url, cache))
        else:
            report(asyncio.run(_find_async(process.url, cache)))


def _find(url: str, cache: str) -> dict[str, float]:
    with Clientset(Rest(ClusterConfig(url), discovery_cache=cache)) as k:
        k.core_v1.namespaces().list()  # what any first request costs is not counted
        meter = Meter()
        from clientgen.runtime.sync import DynamicClient

        assert DynamicClient(k.rest).discovery.resource(_NAME).kind == "Deployment"
        return meter.read()


async def _find_async(url: str, cache: str) -> dict[str, float]:
    async with AsyncClientset(AsyncRest(ClusterConfig(url), discovery_cache=cache)) as k:
        await k.core_v1.namespaces().list()
        meter = Meter()
        from clientgen.runtime.aio import AsyncDynamicClient

        assert (await AsyncDynamicClient(k.rest).discovery.resource(_NAME)).kind == "Deployment"
        return meter.read()


if __name__ == "__main__":
    main()
