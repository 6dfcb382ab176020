"""Factories of several packages as one; `test_factories_together_threads` is the same, derived."""

from __future__ import annotations

from typing import Any

import pytest
from kubeapi import AsyncClientset, AsyncInformerFactory
from kubeapi.core.v1 import ConfigMap, ConfigMapList
from support.informers import CONFIG_MAPS, config, tasks, threads
from support.packages import CRD, PodToService, lookup, lookups

from clientgen.runtime._controllers.reconcile_loop import Request
from clientgen.runtime.aio import AsyncController, AsyncSharedInformer
from clientgen.testing import FakeClock, FakeCluster, cluster_of, fake_clientset

FOREVER = 10.0


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    assert not threads()


@pytest.fixture
def k() -> AsyncClientset:
    objects = [
        config("a", "1"),
        config("b", "2", "shop"),
        lookup("web-0"),
        lookup("x", "api", "shop"),
    ]
    return fake_clientset(AsyncClientset, *objects, crds=CRD)


def watched(k: AsyncClientset) -> list[str]:
    return sorted(str(each) for each in cluster_of(k).actions if each.verb == "watch")


def names(informer: Any) -> list[str]:
    return sorted(each.metadata.name for each in informer.lister.list())


async def test_one_cluster_serves_clientsets_of_several_packages(k):
    crons = lookups.AsyncClientset(k.rest)
    records = crons.servicelookup_v1alpha1.pod_to_services("default")
    await records.create(lookup("web-1"))
    await k.core_v1.config_maps("default").delete("a")
    assert cluster_of(crons) is cluster_of(k)
    assert [str(each) for each in cluster_of(k).actions] == [
        "create podtoservices.servicelookup.example.com default/web-1",
        "delete configmaps default/a",
    ]
    other = cluster_of(k).clientset(lookups.AsyncClientset)
    record = await other.servicelookup_v1alpha1.pod_to_services("default").get("web-1")
    assert type(record) is PodToService


async def test_they_start_sync_and_stop_as_one(k):
    factory = k.informers()
    own = factory.join(lookups.AsyncInformerFactory)
    assert type(own) is lookups.AsyncInformerFactory
    maps, records = factory.core_v1.config_maps(), own.servicelookup_v1alpha1.pod_to_services()
    async with factory:
        synced = await own.wait_for_sync(FOREVER)
        assert synced == {CONFIG_MAPS: True, records.resource: True}
        assert await factory.wait_for_sync(FOREVER) == synced
        assert (names(maps), names(records)) == (["a", "b"], ["web-0", "x"])
        assert records.lister.get("default", "web-0").spec.service_name == "web"
    assert maps.is_stopped
    assert records.is_stopped
    for each in (factory, own):
        with pytest.raises(RuntimeError, match="shut down"):
            each.start()
    assert not tasks()


async def test_informers_requested_later_are_started_by_either_factory(k):
    factory = k.informers()
    own = factory.join(lookups.AsyncInformerFactory)
    async with own:
        maps = factory.core_v1.config_maps()
        own.start()
        assert await factory.wait_for_sync(FOREVER) == {CONFIG_MAPS: True}
        records = own.servicelookup_v1alpha1.pod_to_services()
        factory.start()
        assert await records.wait_for_sync(FOREVER)
    assert maps.is_stopped


async def test_a_kind_that_both_are_asked_for_is_watched_once(k):
    factory = k.informers()
    own = factory.join(lookups.AsyncInformerFactory)
    third = own.join(AsyncInformerFactory)
    async with third:
        first = factory.core_v1.config_maps()
        assert third.core_v1.config_maps() is first
        again = own.informer(CONFIG_MAPS, ConfigMap, ConfigMapList)
        assert again is first
        third.start()
        await own.wait_for_sync(FOREVER)
    assert watched(k) == ["watch configmaps"]


async def test_informers_that_two_packages_generated_for_a_kind_are_two(k):
    class Informer(AsyncSharedInformer[ConfigMap]):
        """As another package has it, with a lister of its own."""

    factory = k.informers()
    own = factory.join(lookups.AsyncInformerFactory)
    first = factory.core_v1.config_maps()
    second = own.shared(Informer, CONFIG_MAPS, ConfigMap, ConfigMapList, {})
    assert type(second) is Informer
    assert second is not first
    assert factory.core_v1.config_maps() is first
    assert own.shared(Informer, CONFIG_MAPS, ConfigMap, ConfigMapList, {}) is second


async def test_options_are_those_of_the_first_unless_given(k):
    def keep(obj: Any) -> Any:
        obj.metadata.annotations = {"kept": "yes"}
        return obj

    clock = FakeClock()
    factory = k.informers(namespace="shop", transform=keep, clock=clock)
    same = factory.join(lookups.AsyncInformerFactory)
    wide = factory.join(lookups.AsyncInformerFactory, namespace=None, transform=None)
    narrow, all_of_them = (each.servicelookup_v1alpha1.pod_to_services() for each in (same, wide))
    async with factory:
        await factory.wait_for_sync(FOREVER)
        assert (names(narrow), names(all_of_them)) == (["x"], ["web-0", "x"])
        assert narrow.lister.get("shop", "x").metadata.annotations["kept"]
        assert not all_of_them.lister.get("shop", "x").metadata.annotations


async def test_another_transform_is_another_cache(k):
    def forget(obj: ConfigMap) -> ConfigMap:
        obj.data = {}
        return obj

    factory = k.informers()
    bare = factory.join(AsyncInformerFactory, transform=forget)
    maps, empty = factory.core_v1.config_maps(), bare.core_v1.config_maps()
    async with factory:
        await factory.wait_for_sync(FOREVER)
        assert maps.lister.get("default", "a").data == {"value": "1"}
        assert empty.lister.get("default", "a").data == {}


async def test_told_to_stop_soon_they_stop_and_are_waited_for_later(k):
    factory = k.informers()
    own = factory.join(lookups.AsyncInformerFactory)
    records, maps = own.servicelookup_v1alpha1.pod_to_services(), factory.core_v1.config_maps()
    factory.start()
    await factory.wait_for_sync(FOREVER)
    own.stop_soon()
    assert records.is_stopped
    assert maps.is_stopped
    with pytest.raises(RuntimeError, match="shut down"):
        factory.core_v1.pods()
    await factory.shutdown()
    assert not tasks()


async def test_a_controller_takes_informers_of_both(k):
    """Each PodToService and each ConfigMap of its name give one request."""
    factory = k.informers()
    own = factory.join(lookups.AsyncInformerFactory)
    records, maps = own.servicelookup_v1alpha1.pod_to_services(), factory.core_v1.config_maps()
    seen: list[str] = []

    async def reconcile(request: Request) -> None:
        seen.append(str(request))
        if len(set(seen)) == 4:
            controller.stop()

    def by_name(obj: ConfigMap) -> list[Request]:
        return [Request(obj.metadata.namespace, f"of-{obj.metadata.name}")]

    controller = AsyncController("lookups", reconcile)
    controller.for_(records).watches(maps, by_name)
    async with factory:
        await controller.run()
        assert own.for_resource(str(records.resource.gvr)) is records
    wanted = ["default/of-a", "default/web-0", "shop/of-b", "shop/x"]
    assert sorted(set(seen)) == wanted


def test_definitions_may_be_given_in_any_form_to_the_short_form(tmp_path):
    one = fake_clientset(lookups.AsyncClientset, lookup("web-0"), crds=CRD.read_text())
    other = fake_clientset(lookups.AsyncClientset, lookup("web-0"), crds=[str(CRD)])
    assert cluster_of(one) is not cluster_of(other)
    with pytest.raises(ValueError, match="PodToService"):
        FakeCluster(lookup("web-0"))
