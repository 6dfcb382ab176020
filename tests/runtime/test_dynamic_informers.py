"""Informers of resources by name; the tests of threads are derived from these."""

from __future__ import annotations

import pytest
from kubeapi import AsyncClientset
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import ConfigMap
from kubeapi.core.v1.async_informers import AsyncConfigMapInformer
from kubeapi.core.v1.resources import CONFIG_MAPS
from support.definitions import custom_definition

from clientgen.runtime import drop_managed_fields
from clientgen.runtime.aio import AsyncInformerFactory
from clientgen.runtime.errors import AmbiguousResource, MethodNotAllowed, NoResourceMatch, NotFound
from clientgen.runtime.models import ObjectMeta, PartialObjectMetadata, Unstructured
from clientgen.testing import FakeCluster, LocalServer

GROUP = "stable.example.com"
CRON_TABS = custom_definition(GROUP, "CronTab", names={"plural": "crontabs", "kind": "CronTab"})


def tab(name: str, namespace: str = "default", **labels: str) -> dict[str, object]:
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    kind = {"apiVersion": f"{GROUP}/v1", "kind": "CronTab"}
    return {**kind, "metadata": metadata, "spec": {"cron": "0 0 * * *"}}


def cluster() -> FakeCluster:
    data = ConfigMap(metadata=ObjectMeta(name="web", namespace="default"), data={"a": "b"})
    objects = (tab("a", app="x"), tab("b", "shop", app="y"), data)
    made = FakeCluster(crds=[CRON_TABS])
    made.add(*objects)
    return made


async def test_a_kind_that_no_package_knows_has_an_informer_and_a_lister():
    made = cluster()
    with LocalServer(made) as server:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            factory = k.informers()
            informer = await factory.dynamic(f"crontabs.{GROUP}")
            assert await factory.dynamic("CronTab") is informer
            events: list[str] = []
            registration = informer.add_handler(on_add=lambda obj, _: events.append(obj.name))
            async with factory:
                await factory.wait_for_sync(10)
                await registration.wait_for_sync(10)
                assert sorted(events) == ["a", "b"]
                lister = informer.lister
                found = lister.get("default", "a")
                assert (type(found), found["spec"]["cron"]) == (Unstructured, "0 0 * * *")
                assert [each.name for each in lister.list("app=y")] == ["b"]
                assert [each.name for each in lister.in_namespace("shop").list()] == ["b"]
                with pytest.raises(NotFound):
                    lister.get("shop", "a")


async def test_a_kind_of_the_package_has_its_own_informer():
    async with cluster().clientset(AsyncClientset) as k:
        factory = k.informers(namespace="default")
        informer = await factory.dynamic("cm")
        assert type(informer) is AsyncConfigMapInformer
        assert informer is factory.core_v1.config_maps()
        assert await factory.dynamic(CONFIG_MAPS) is informer
        other = await factory.dynamic("cm", namespace="shop", label_selector="a=b")
        assert other is factory.core_v1.config_maps(namespace="shop", label_selector="a=b")
        plain = await factory.dynamic("cm", model=Unstructured)
        assert plain is not informer
        async with factory:
            await factory.wait_for_sync(10)
            assert type(plain.lister.get("default", "web")) is Unstructured
            assert type(informer.lister.get("default", "web")) is ConfigMap


async def test_an_informer_of_metadata_keeps_nothing_else():
    async with cluster().clientset(AsyncClientset) as k:
        factory = AsyncInformerFactory(k.rest, transform=drop_managed_fields)
        maps = await factory.dynamic("cm", model=PartialObjectMetadata)
        tabs = await factory.dynamic(
            "crontabs", model=PartialObjectMetadata, label_selector="app=x"
        )
        assert await factory.dynamic("configmaps", model=PartialObjectMetadata) is maps
        async with factory:
            await factory.wait_for_sync(10)
            found = maps.lister.get("default", "web")
            assert (type(found), found.metadata.name) == (PartialObjectMetadata, "web")
            assert not hasattr(found, "data")
            assert [each.metadata.name for each in tabs.lister.list()] == ["a"]


async def test_a_factory_without_a_package_gives_unstructured_objects_or_a_class():
    async with cluster().clientset(AsyncClientset) as k:
        factory = AsyncInformerFactory(k.rest)
        plain = await factory.dynamic("cm")
        typed = await factory.dynamic("cm", model=ConfigMap)
        async with factory:
            await factory.wait_for_sync(10)
            assert type(plain.lister.get("default", "web")) is Unstructured
            assert type(typed.lister.get("default", "web")) is ConfigMap


async def test_what_cannot_be_watched_is_refused():
    async with cluster().clientset(AsyncClientset) as k:
        factory = k.informers()
        with pytest.raises(NoResourceMatch):
            await factory.dynamic("widgets")
        with pytest.raises(AmbiguousResource):
            await factory.dynamic("all")
        with pytest.raises(MethodNotAllowed, match="does not support the verb watch"):
            await factory.dynamic("cs")
        with pytest.raises(MethodNotAllowed, match="does not support the verb list"):
            await factory.dynamic("tokenreviews", model=PartialObjectMetadata)
        with pytest.raises(TypeError, match="unexpected option"):
            await factory.dynamic("deploy", limit=3)
        with pytest.raises(TypeError, match="unexpected option"):
            await factory.dynamic("deploy", model=Deployment, limit=3)
        await factory.shutdown()
        with pytest.raises(RuntimeError, match="shut down"):
            await factory.dynamic("crontabs")
