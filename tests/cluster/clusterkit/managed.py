"""A program of a test: a manager that writes its name into every config map that asks for it.

python managed.py KUBECONFIG NAMESPACE IDENTITY asyncio|threads
"""

from __future__ import annotations

import asyncio
import sys

from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.core.v1.manifests import ConfigMapManifest

from clientgen.runtime.aio import AsyncContext, AsyncManager
from clientgen.runtime.sync import Context, Manager

ASKS = "clientgen-test/asks"


def main(kubeconfig: str, namespace: str, identity: str, flavour: str) -> None:
    """Run until told to stop."""
    if flavour == "asyncio":
        asyncio.run(tasks(kubeconfig, namespace, identity))
    else:
        threads(kubeconfig, namespace, identity)


async def tasks(kubeconfig: str, namespace: str, identity: str) -> None:
    """Run with asyncio."""
    async with AsyncClientset.from_config(kubeconfig) as k:

        async def reconcile(context: AsyncContext[ConfigMap]) -> None:
            found = context.object
            if found is not None and found.metadata.annotations.get(ASKS) == "yes":
                change: ConfigMapManifest = {"metadata": {"annotations": {ASKS: identity}}}
                await k.core_v1.config_maps(namespace).patch(context.name, change)

        manager = AsyncManager(
            k,
            leader_election="managed",
            leader_election_namespace=namespace,
            lease_duration=3,
            renew_deadline=2.0,
            retry_period=0.3,
            namespaces=namespace,
        )
        manager.controller("maps", reconcile).for_(ConfigMap)
        await manager.run()


def threads(kubeconfig: str, namespace: str, identity: str) -> None:
    """Run with threads."""
    with Clientset.from_config(kubeconfig) as k:

        def reconcile(context: Context[ConfigMap]) -> None:
            found = context.object
            if found is not None and found.metadata.annotations.get(ASKS) == "yes":
                change: ConfigMapManifest = {"metadata": {"annotations": {ASKS: identity}}}
                k.core_v1.config_maps(namespace).patch(context.name, change)

        manager = Manager(
            k,
            leader_election="managed",
            leader_election_namespace=namespace,
            lease_duration=3,
            renew_deadline=2.0,
            retry_period=0.3,
            namespaces=namespace,
        )
        manager.controller("maps", reconcile).for_(ConfigMap)
        manager.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
