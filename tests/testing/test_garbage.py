"""Objects whose owners are gone, as a controller with an old cache leaves them."""

from __future__ import annotations

from kubeapi import Clientset
from kubeapi.core.v1 import ConfigMap
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
