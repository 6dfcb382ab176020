"""The operator in a cluster in memory, whose workloads move, and beside a DNS in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kubeapi import AsyncClientset, Clientset
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import ConfigMap, Service
from kubeapi.meta.v1 import ObjectMeta
from shop_operator import Shop, ShopSpec, make_manager

from clientgen.runtime.conditions import condition, deleted
from clientgen.testing import FakeCluster, explore

CRD = Path(__file__).with_name("crd.yaml")
PATIENCE = 60.0


class MemoryDns:
    """Records by id. `hosts` is what explore compares in the end."""

    def __init__(self) -> None:
        self.hosts: list[str] = []
        self._records: dict[str, str] = {}
        self._ids: dict[str, str] = {}

    def _store(self, record: str, host: str | None) -> None:
        self._records.pop(record, None)
        if host is not None:
            self._records[record] = host
        self.hosts = sorted(self._records.values())

    async def create(self, host: str, key: str) -> str:
        record = self._ids.setdefault(key, f"r-{len(self._ids)}")
        if record not in self._records:
            self._store(record, host)
        return record

    async def host_of(self, record: str) -> str | None:
        return self._records.get(record)

    async def change(self, record: str, host: str) -> None:
        self._store(record, host)

    async def delete(self, record: str) -> None:
        self._store(record, None)


def shop(**spec: Any) -> Shop:
    metadata = ObjectMeta(name="tea", namespace="default")
    given: dict[str, Any] = {"image": "tea:1", "host": "tea.example.com", **spec}
    return Shop(metadata=metadata, spec=ShopSpec(**given))


def ready_at(generation: int) -> Callable[[Shop], bool]:
    """A condition: all is ready, and the status is about this generation."""

    def check(each: Shop) -> bool:
        return each.status.observed_generation == generation and is_ready(each)

    is_ready = condition("Ready")
    return check


def test_a_shop_from_its_creation_to_its_end() -> None:
    async def scenario() -> None:
        cluster, dns = FakeCluster(crds=[CRD]), MemoryDns()
        cluster.play()
        k = cluster.clientset(AsyncClientset)
        manager = make_manager(cluster.clientset(AsyncClientset, service_account="shop/shop"), dns)
        k.scheme.register(Shop, plural="shops")
        running = asyncio.create_task(manager.run())
        await k.create(shop(pages={"green": "Sencha", "black": "Assam"}))
        ready = await k.wait(Shop, "tea", until=ready_at(1), timeout=PATIENCE)
        assert {each.type: each.reason for each in ready.status.conditions} == {
            "Ready": "DependentsReady",
            "Progressing": "DependentsReady",
            "PagesReady": "Ready",
            "DeploymentReady": "Ready",
            "ServiceReady": "Ready",
            "RecordReady": "Ready",
        }
        deployment = await k.get(Deployment, "tea")
        [container] = deployment.spec.template.spec.containers
        assert container.args == ["tea-black", "tea-green"]
        assert dns.hosts == ["tea.example.com"]

        await k.patch(shop(), {"spec": {"pages": {"black": None}, "host": "tea.org"}})
        await k.wait(Shop, "tea", until=ready_at(2), timeout=PATIENCE)
        assert dns.hosts == ["tea.org"]
        assert not await k.exists(ConfigMap, "tea-black")

        await k.patch(shop(), {"spec": {"public": False}})
        await k.wait(Shop, "tea", until=ready_at(3), timeout=PATIENCE)
        assert dns.hosts == []
        assert not await k.exists(Service, "tea")

        await k.delete(shop())
        await k.wait(Shop, "tea", until=deleted, timeout=PATIENCE)
        manager.stop()
        await running

    asyncio.run(scenario())


def test_faults_change_nothing_in_the_end() -> None:
    """Crashes, stale caches, lost answers: `explore` tries some here; a larger budget tries all."""

    async def scenario(k: AsyncClientset, _dns: MemoryDns) -> None:
        k.scheme.register(Shop, plural="shops")
        await k.create(shop(pages={"green": "Sencha"}))
        await k.patch(shop(), {"spec": {"host": "tea.org", "pages": {"black": "Assam"}}})
        await k.delete(shop())
        await k.wait(Shop, "tea", until=deleted, timeout=600)  # a lease may have to run out
        await k.create(shop(image="tea:2"))

    def compare(cluster: FakeCluster, dns: MemoryDns) -> object:
        k = cluster.clientset(Clientset)
        k.scheme.register(Shop, plural="shops")
        found = k.get(Shop, "tea")
        [container] = k.get(Deployment, "tea").spec.template.spec.containers
        maps = [each.metadata.name for each in k.list(ConfigMap, namespace="default")]
        reasons = {each.type: each.reason for each in found.status.conditions}
        return [container.image, maps, reasons, found.status.observed_generation, dns.hosts]

    explore(
        make_manager,
        scenario,
        clientset=AsyncClientset,
        crds=[CRD],
        external=MemoryDns,
        compare=compare,
        setup=lambda cluster, _dns: cluster.play(),
        budget=2.0,
    )
