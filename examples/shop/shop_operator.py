"""An operator made of dependents: `python shop_operator.py`. docs/guides/dependents.md explains it.

A Shop has pages in ConfigMaps, a Deployment, a Service if it is public, and a DNS record.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from typing import Protocol

from kubeapi import AsyncClientset
from kubeapi.apps.v1 import Deployment, DeploymentSpec
from kubeapi.core.v1 import (
    ConfigMap,
    Container,
    PodSpec,
    PodTemplateSpec,
    Service,
    ServicePort,
    ServiceSpec,
)
from kubeapi.meta.v1 import LabelSelector, ObjectMeta

from clientgen.runtime.aio import AsyncContext, AsyncExternal, AsyncManager
from clientgen.runtime.models import Condition, CustomResource, Model, auto, field


class ShopSpec(Model):
    image: str
    host: str
    public: bool = True
    pages: dict[str, str] = field(default_factory=dict)


class ShopStatus(Model):
    observed_generation: int = 0
    conditions: list[Condition] = field(default_factory=list)


class Shop(CustomResource, group="example.com", version="v1"):
    spec: ShopSpec
    status: ShopStatus = auto(ShopStatus)


class Dns(Protocol):
    """An API that is not Kubernetes. It creates one record for each key."""

    async def create(self, host: str, key: str) -> str: ...
    async def host_of(self, record: str) -> str | None: ...
    async def change(self, record: str, host: str) -> None: ...
    async def delete(self, record: str) -> None: ...


class Record(AsyncExternal[Shop, str]):
    """The DNS record of a shop, as its host name."""

    def __init__(self, dns: Dns) -> None:
        self._dns = dns

    async def create(self, primary: Shop, key: str) -> str:
        return await self._dns.create(primary.spec.host, key)

    async def read(self, primary: Shop, external_id: str) -> str | None:
        return await self._dns.host_of(external_id)

    def matches(self, primary: Shop, found: str) -> bool:
        return found == primary.spec.host

    async def update(self, primary: Shop, external_id: str, found: str) -> None:
        await self._dns.change(external_id, primary.spec.host)

    async def delete(self, primary: Shop, external_id: str) -> None:
        await self._dns.delete(external_id)


def make_manager(k: AsyncClientset, dns: Dns) -> AsyncManager:
    """The operator."""
    k.scheme.register(Shop, plural="shops")
    manager = AsyncManager(k, leader_election="shops")
    shops = manager.controller("shops").for_(Shop).workflow(status=True)

    @shops.dependent(ConfigMap, many=True)
    def pages(context: AsyncContext[Shop]) -> Iterator[ConfigMap]:
        for title, text in context.primary.spec.pages.items():
            name = f"{context.name}-{title}"
            yield ConfigMap(metadata=ObjectMeta(name=name), data={"text": text})

    @shops.dependent(Deployment, after=pages)
    def deployment(context: AsyncContext[Shop]) -> Deployment:
        labels = {"shop": context.name}
        container = Container(name="shop", image=context.primary.spec.image)
        container.args = [*sorted(context.secondaries(pages))]
        template = PodTemplateSpec(
            metadata=ObjectMeta(labels=labels), spec=PodSpec(containers=[container])
        )
        spec = DeploymentSpec(selector=LabelSelector(match_labels=labels), template=template)
        return Deployment(metadata=ObjectMeta(name=context.name), spec=spec)

    @shops.dependent(Service, after=deployment, when=lambda shop: shop.spec.public)
    def service(context: AsyncContext[Shop]) -> Service:
        spec = ServiceSpec(selector={"shop": context.name}, ports=[ServicePort(port=80)])
        return Service(metadata=ObjectMeta(name=context.name), spec=spec)

    shops.external(
        "record", Record(dns), every=300, after=service, when=lambda shop: shop.spec.public
    )
    return manager


async def main(dns: Dns) -> None:
    """Work until the program is told to stop."""
    logging.basicConfig(level=logging.INFO)
    async with AsyncClientset.from_config() as k:
        await make_manager(k, dns).run()


if __name__ == "__main__":
    from test_shop import MemoryDns  # use your provider's API here

    asyncio.run(main(MemoryDns()))
