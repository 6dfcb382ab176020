"""Keeps a Service for every Deployment that asks for one: example.com/port: "8080"."""

import asyncio

from kubeapi import AsyncClientset
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import Service, ServicePort, ServiceSpec
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.aio import AsyncContext, AsyncManager
from clientgen.runtime.controllers import owned_by


async def reconcile(context: AsyncContext[Deployment]) -> None:
    web = context.object  # None: it is deleted, and its Service is garbage-collected
    if web and (port := web.metadata.annotations.get("example.com/port")):
        meta = ObjectMeta(name=context.name, owner_references=[owned_by(web)])
        ports = [ServicePort(port=int(port))]
        spec = ServiceSpec(selector=web.spec.selector.match_labels, ports=ports)
        service = Service(metadata=meta, spec=spec)
        await context.clientset.apply(service, namespace=context.namespace, force=True)


async def control(k: AsyncClientset) -> None:
    async with k:
        manager = AsyncManager(k, leader_election="services")
        manager.controller("services", reconcile).for_(Deployment).owns(Service)
        await manager.run()


if __name__ == "__main__":
    asyncio.run(control(AsyncClientset.from_config()))
