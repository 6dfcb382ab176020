"""Controllers on a cluster in the process: tasks here, threads in ..._cluster_threads.py."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Self

from kubeapi import AsyncClientset, Clientset
from kubeapi.apps.v1 import Deployment, DeploymentList, DeploymentSpec
from kubeapi.core.v1 import (
    ConfigMap,
    ConfigMapList,
    Container,
    PodSpec,
    PodTemplateSpec,
    Secret,
    SecretList,
)
from kubeapi.meta.v1 import LabelSelector, ObjectMeta, OwnerReference

from clientgen.runtime import Resource
from clientgen.runtime._async._primitives import Task, sleep, spawn
from clientgen.runtime._controllers.reconcile_loop import Request, Result
from clientgen.runtime.aio import AsyncController, AsyncInformerFactory
from clientgen.runtime.errors import InternalError, NotFound
from clientgen.testing import FakeCluster

DEPLOYMENTS = Resource("apps", "v1", "deployments", "Deployment")
CONFIG_MAPS = Resource("", "v1", "configmaps", "ConfigMap")
SECRETS = Resource("", "v1", "secrets", "Secret")


def deployment(name: str) -> Deployment:
    labels = {"app": name}
    return Deployment(
        metadata=ObjectMeta(name=name, namespace="shop"),
        spec=DeploymentSpec(
            selector=LabelSelector(match_labels=labels),
            template=PodTemplateSpec(
                metadata=ObjectMeta(labels=labels),
                spec=PodSpec(containers=[Container(name="main", image="nginx")]),
            ),
        ),
    )


class AsyncShop:
    """Keeps a config map for every deployment, with what a secret of the same name says."""

    def __init__(self, cluster: FakeCluster) -> None:
        self.k = cluster.clientset(AsyncClientset)
        self.user = cluster.clientset(Clientset)
        self.factory = AsyncInformerFactory(self.k.rest)
        self.deployments = self.factory.informer(DEPLOYMENTS, Deployment, DeploymentList)
        self.config_maps = self.factory.informer(CONFIG_MAPS, ConfigMap, ConfigMapList)
        self.secrets = self.factory.informer(SECRETS, Secret, SecretList)
        self.seen: list[str] = []
        self.controller = AsyncController("shop", self.reconcile, workers=2)
        self.controller.for_(self.deployments).owns(self.config_maps)
        self.controller.watches(self.secrets, self.of_secret)
        self.task: Task

    def of_secret(self, secret: Secret) -> list[Request]:
        return [Request(secret.metadata.namespace, secret.metadata.name)]

    async def reconcile(self, request: Request) -> Result | None:
        self.seen.append(str(request))
        try:
            owner = self.deployments.lister.in_namespace(request.namespace).get(request.name)
        except NotFound:
            return None
        await self.k.core_v1.config_maps(request.namespace).apply(
            self.config_map(owner), field_manager="shop", force=True
        )
        return None

    def config_map(self, owner: Deployment) -> ConfigMap:
        metadata = owner.metadata
        reference = OwnerReference(
            api_version="apps/v1",
            kind="Deployment",
            name=metadata.name,
            uid=metadata.uid,
            controller=True,
        )
        secrets = self.secrets.indexer.get(f"{metadata.namespace}/{metadata.name}")
        return ConfigMap(
            metadata=ObjectMeta(name=f"{metadata.name}-info", owner_references=[reference]),
            data={"secret": "yes" if secrets else "no"},
        )

    def infos(self) -> dict[str, str]:
        config_maps = self.user.core_v1.config_maps("shop").list().items
        return {each.metadata.name: each.data["secret"] for each in config_maps}

    async def run(self) -> None:
        async with self.k, self.factory:
            await self.controller.run()

    async def __aenter__(self) -> Self:
        self.task = spawn(self.run, "shop")
        return self

    async def __aexit__(self, *_: object) -> None:
        self.controller.stop()
        assert await self.task.join(30)
        self.user.close()


async def until(holds: Callable[[], object]) -> None:
    """Wait for something to become true."""
    deadline = monotonic() + 60
    while not holds():
        assert monotonic() < deadline, "timed out"
        await sleep(0.001)


async def test_owners_and_other_objects_are_watched() -> None:
    cluster = FakeCluster(deployment("web"), deployment("api"))
    async with AsyncShop(cluster) as shop:
        await until(lambda: shop.infos() == {"web-info": "no", "api-info": "no"})

        user = shop.user.core_v1
        user.config_maps("shop").delete("web-info")  # its owner hears of it
        await until(lambda: shop.infos() == {"web-info": "no", "api-info": "no"})

        user.config_maps("shop").edit("api-info", lambda m: m.data.update(secret="maybe"))
        await until(lambda: shop.infos()["api-info"] == "no")

        user.secrets("shop").create(Secret(metadata=ObjectMeta(name="web")))
        await until(lambda: shop.infos() == {"web-info": "yes", "api-info": "no"})
        user.secrets("shop").delete("web")
        await until(lambda: shop.infos()["web-info"] == "no")


async def test_the_controller_reaches_a_steady_state() -> None:
    cluster = FakeCluster(deployment("web"))
    async with AsyncShop(cluster) as shop:
        await until(shop.infos)
        # Its own write comes back through the watch of what it owns, and changes nothing.
        await until(shop.config_maps.indexer.list)
        await until(lambda: len(shop.seen) >= 2 and not shop.controller.queue._state.processing)
        assert len([write for write in cluster.writes if write.resource == "configmaps"]) <= 3
        version = shop.user.core_v1.config_maps("shop").get("web-info").metadata.resource_version
        seen = len(shop.seen)
        shop.user.apps_v1.deployments("shop").edit("web", lambda d: d.metadata.labels.update(a="b"))
        await until(lambda: len(shop.seen) > seen and not shop.controller.queue._state.processing)
        after = shop.user.core_v1.config_maps("shop").get("web-info").metadata.resource_version
        assert version == after


async def test_failures_are_retried_until_they_succeed() -> None:
    cluster = FakeCluster(deployment("web"))
    cluster.fail("patch", "configmaps", InternalError, times=3)
    async with AsyncShop(cluster) as shop:
        await until(lambda: shop.infos() == {"web-info": "no"})
    assert shop.seen.count("shop/web") >= 4


async def test_broken_watches_lose_nothing() -> None:
    cluster = FakeCluster(deployment("web"))
    async with AsyncShop(cluster) as shop:
        await until(lambda: shop.infos() == {"web-info": "no"})
        for name in ("a", "b", "c"):
            cluster.drop_watches()
            shop.user.apps_v1.deployments("shop").create(deployment(name))
        await until(lambda: set(shop.infos()) == {"web-info", "a-info", "b-info", "c-info"})
