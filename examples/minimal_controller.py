"""Keeps a Service for every Deployment that asks for one: example.com/port: "8080"."""

import asyncio

from kubeapi import AsyncClientset
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import Service, ServicePort, ServiceSpec
from kubeapi.meta.v1 import ObjectMeta, OwnerReference

from clientgen.runtime import Request
from clientgen.runtime.aio import AsyncController


def service_for(web: Deployment, port: int) -> Service:
    me = web.metadata
    owner = OwnerReference(
        api_version="apps/v1", kind="Deployment", name=me.name, uid=me.uid, controller=True
    )
    ports = [ServicePort(port=port)]
    return Service(
        metadata=ObjectMeta(name=me.name, owner_references=[owner]),
        spec=ServiceSpec(selector=web.spec.selector.match_labels, ports=ports),
    )


async def control(k: AsyncClientset) -> None:
    async def reconcile(request: Request) -> None:
        web = deployments.indexer.get(str(request))  # None: deleted, Service garbage-collected
        if web and (port := web.metadata.annotations.get("example.com/port")):
            service = service_for(web, int(port))
            await k.core_v1.services(request.namespace).apply(service, force=True)

    async with k, k.informers() as factory:
        deployments, services = factory.apps_v1.deployments(), factory.core_v1.services()
        await AsyncController("services", reconcile).for_(deployments).owns(services).run()


if __name__ == "__main__":
    asyncio.run(control(AsyncClientset.from_config()))
