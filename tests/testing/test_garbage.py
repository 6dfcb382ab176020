"""Objects whose owners are gone, as a controller with an old cache leaves them."""

from __future__ import annotations

from kubeapi import Clientset
from kubeapi.core.v1 import ConfigMap, Namespace
from kubeapi.core.v1.clients import ConfigMapClient
from kubeapi.meta.v1 import ObjectMeta, OwnerReference

from clientgen.testing import FakeClock, FakeCluster


def config_maps(clock: FakeClock) -> ConfigMapClient:
    """Return the client of a cluster that collects garbage two seconds later."""
    k = FakeCluster(clock=clock, controller_delay=2).clientset(Clientset)
    return k.core_v1.config_maps("default")


def config_map(name: str, owner: ConfigMap | None = None, uid: str = "") -> ConfigMap:
    owners = []
    if owner is not None:
        meta = owner.metadata
        uid = uid or meta.uid
        owners = [OwnerReference(api_version="v1", kind="ConfigMap", name=meta.name, uid=uid)]
    return ConfigMap(metadata=ObjectMeta(name=name, owner_references=owners))


def test_dependents_written_after_their_owner_is_gone_are_deleted() -> None:
    clock = FakeClock()
    maps = config_maps(clock)
    owner = maps.create(config_map("owner"))
    maps.delete("owner")
    clock.step(10)
    maps.create(config_map("late", owner))
    maps.create(config_map("other"))
    assert [each.metadata.name for each in maps.list()] == ["late", "other"]
    clock.step(10)
    assert [each.metadata.name for each in maps.list()] == ["other"]


def test_a_reference_that_is_added_to_an_owner_that_was_removed_counts_too() -> None:
    clock = FakeClock()
    maps = config_maps(clock)
    owner = maps.create(config_map("owner"))
    late = maps.create(config_map("late"))
    maps.delete("owner")
    late.metadata.owner_references = config_map("late", owner).metadata.owner_references
    maps.update(late)
    clock.step(10)
    assert [each.metadata.name for each in maps.list()] == []


def test_an_owner_that_never_existed_keeps_its_dependents() -> None:
    clock = FakeClock()
    maps = config_maps(clock)
    maps.create(config_map("late", config_map("imagined"), uid="no-such-uid"))
    clock.step(10)
    assert [each.metadata.name for each in maps.list()] == ["late"]


def test_an_owner_in_another_namespace_counts_as_absent() -> None:
    clock = FakeClock()
    cluster = FakeCluster(clock=clock, controller_delay=2)
    k = cluster.clientset(Clientset)
    k.core_v1.namespaces().create(Namespace(metadata=ObjectMeta(name="shop")))
    owner = k.core_v1.config_maps("default").create(config_map("owner"))
    here = k.core_v1.config_maps("default").create(config_map("here", owner))
    k.core_v1.config_maps("shop").create(config_map("there", owner))
    both = config_map("both", owner)
    mine = k.core_v1.config_maps("shop").create(config_map("mine"))
    both.metadata.owner_references += config_map("both", mine).metadata.owner_references
    k.core_v1.config_maps("shop").create(both)

    clock.step(10)

    assert [each.metadata.name for each in k.core_v1.config_maps("shop").list()] == ["both", "mine"]
    left = k.core_v1.config_maps("shop").get("both").metadata.owner_references
    assert [each.uid for each in left] == [mine.metadata.uid]
    assert k.core_v1.config_maps("default").get("here") == here
    events = {each.involved_object.name: each for each in k.core_v1.events("shop").list()}
    assert sorted(events) == ["both", "there"]
    told = events["there"]
    assert (told.type, told.reason) == ("Warning", "OwnerRefInvalidNamespace")
    assert told.message == (
        f"ownerRef [v1/ConfigMap, namespace: shop, name: owner, uid: {owner.metadata.uid}] "
        'does not exist in namespace "shop"'
    )
    assert told.source.component == "garbage-collector-controller"


def test_an_object_without_a_namespace_keeps_a_namespaced_owner() -> None:
    cluster = FakeCluster()
    k = cluster.clientset(Clientset)
    owner = k.core_v1.config_maps("default").create(config_map("owner"))
    reference = config_map("x", owner).metadata.owner_references
    k.core_v1.namespaces().create(
        Namespace(metadata=ObjectMeta(name="a", owner_references=reference))
    )
    assert k.core_v1.namespaces().get("a").metadata.owner_references == reference
    assert [each.reason for each in k.core_v1.events("default").list()] == [
        "OwnerRefInvalidNamespace"
    ]
