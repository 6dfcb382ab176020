"""The operator: python -m webapps.operator."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import kubeapi
import webapps_client
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import Service

from clientgen.runtime.aio import AsyncContext, AsyncManager

from .decisions import NAME, deployment_for, rival, service_for, with_problem, with_status
from .v1 import WebApp


def make_manager(k: kubeapi.AsyncClientset, **options: Any) -> AsyncManager:
    """Keeps a Deployment and a Service for each WebApp, and its status."""
    webapps_client.add_to_scheme(k.scheme)
    manager = AsyncManager(k, **options)
    deployments = manager.informer(Deployment).indexer
    services = manager.informer(Service).indexer

    # Servers may ask for it before they block the deletion of an owner; tests do not reach that.
    # +kubebuilder:rbac:groups=web.example.com,resources=webapps/finalizers,verbs=update
    async def reconcile(context: AsyncContext[WebApp]) -> None:
        app = context.object
        if app is None or app.metadata.deletion_timestamp is not None:
            return  # what it owns is garbage collected
        key = str(context.request)
        problem = rival(app, deployments.get(key), services.get(key))
        if problem:
            context.log.warning("%s", problem)
            await k.patch_status(app, with_problem(app, problem))
            return
        # Applying the same again is no change, so it does not matter if the caches are behind.
        deployment = await k.apply(deployment_for(app), field_manager=NAME, force=True)
        await k.apply(service_for(app), field_manager=NAME, force=True)
        await k.patch_status(app, with_status(app, deployment))

    controller = manager.controller(NAME, reconcile)
    controller.for_(WebApp).owns(Deployment).owns(Service)
    return manager


async def main() -> None:
    """Work until the program is told to stop."""
    logging.basicConfig(level=logging.INFO)
    async with kubeapi.AsyncClientset.from_config() as k:
        await make_manager(k, leader_election=NAME, metrics=":8080", health=":8081").run()


if __name__ == "__main__":
    asyncio.run(main())
