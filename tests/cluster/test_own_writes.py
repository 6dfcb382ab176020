"""Own writes are in caches while a real server's watches are late."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from clusterkit.holding_proxy import HoldingProxy
from clusterkit.objects import config_map, deployment, pod
from clusterkit.together import async_until
from kubeapi import AsyncClientset
from kubeapi.core.v1.models import ConfigMap

from clientgen.runtime import MergePatch
from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.errors import NotFound

pytestmark = pytest.mark.cluster


@pytest.fixture
def proxy(kubeconfig: str) -> Any:
    with HoldingProxy(kubeconfig) as made:
        yield made


def late_of(proxy: HoldingProxy) -> AsyncClientset:
    """A clientset whose watches can be held."""
    return AsyncClientset(AsyncRest(proxy.config, timeout=30))


async def holds(condition: Callable[[], object]) -> None:
    async def condition_holds() -> bool:
        return bool(condition())

    await async_until(condition_holds)


def values(informer: Any) -> dict[str, str]:
    """The values by name; controllers may add objects of their own."""
    found = informer.lister.list()
    return {each.metadata.name: each.data["value"] for each in found if "value" in each.data}


async def test_the_cache_has_what_was_written_while_the_watch_is_held(
    proxy: HoldingProxy, kube: AsyncClientset, namespace: str
) -> None:
    async with (
        late_of(proxy) as late,
        late.informers(namespace=namespace, label_selector="app=web") as factory,
    ):
        maps, foreign = late.core_v1.config_maps(namespace), kube.core_v1.config_maps(namespace)
        told: list[str] = []
        informer = factory.core_v1.config_maps()
        informer.add_handler(
            on_add=lambda obj, _: told.append(f"+{obj.metadata.name}"),
            on_update=lambda old, new: told.append(f"{old.data['value']}>{new.data['value']}"),
            on_delete=lambda obj: told.append(f"-{obj.metadata.name}"),
        )
        factory.start()
        assert await factory.wait_for_sync(30)
        proxy.hold()
        await maps.create(config_map("a", {"value": "1"}, {"app": "web"}))
        await maps.patch("a", MergePatch({"data": {"value": "2"}}))
        await maps.create(config_map("b", {"value": "1"}, {"app": "web"}))
        await maps.create(config_map("c", {"value": "1"}, {"app": "web"}))
        assert values(informer) == {"a": "2", "b": "1", "c": "1"}
        await maps.delete("b")
        await maps.patch("c", MergePatch({"metadata": {"labels": {"app": "db"}}}))
        assert values(informer) == {"a": "2"}
        await foreign.patch("a", MergePatch({"data": {"value": "3"}}))
        await foreign.create(config_map("b", {"value": "4"}, {"app": "web"}))
        assert values(informer) == {"a": "2"}
        assert told == []
        assert proxy.held
        proxy.release()
        await holds(lambda: values(informer) == {"a": "3", "b": "4"})
        await holds(lambda: told[-1:] == ["+b"])
        assert told == ["+a", "1>2", "+b", "+c", "-b", "-c", "2>3", "+b"]


async def test_objects_that_end_with_a_delete_or_with_their_last_finalizer(
    proxy: HoldingProxy, namespace: str
) -> None:
    async with late_of(proxy) as late, late.informers(namespace=namespace) as factory:
        maps, pods = late.core_v1.config_maps(namespace), late.core_v1.pods(namespace)
        kept = config_map("kept", {"value": "1"})
        kept.metadata.finalizers = ["example.com/kept"]
        map_informer, pod_informer = factory.core_v1.config_maps(), factory.core_v1.pods()
        factory.start()
        assert await factory.wait_for_sync(30)
        proxy.hold()
        await maps.create(kept)
        await maps.delete("kept")
        assert map_informer.lister.get(namespace, "kept").metadata.deletion_timestamp
        await maps.patch("kept", MergePatch({"metadata": {"finalizers": None}}))
        with pytest.raises(NotFound):
            map_informer.lister.get(namespace, "kept")
        # A Pod without a node goes at once, and a delete answers with it.
        await pods.create(pod("one"))
        assert pod_informer.lister.get(namespace, "one").metadata.uid
        await pods.delete("one", grace_period_seconds=0)
        with pytest.raises(NotFound):
            pod_informer.lister.get(namespace, "one")
        again = await pods.create(pod("one"))
        assert pod_informer.lister.get(namespace, "one").metadata.uid == again.metadata.uid
        for name in ("x", "y"):
            await maps.create(config_map(name, {"value": "1"}, {"gone": "yes"}))
        await maps.delete_collection(label_selector="gone=yes")
        assert "x" not in values(map_informer)
        proxy.release()
        await holds(lambda: not pending(map_informer) + pending(pod_informer))
        assert pod_informer.lister.get(namespace, "one").metadata.uid == again.metadata.uid
        assert not [name for name in values(map_informer) if name in {"x", "y", "kept"}]


async def test_status_and_scale_of_a_deployment(proxy: HoldingProxy, namespace: str) -> None:
    async with late_of(proxy) as late, late.informers(namespace=namespace) as factory:
        deployments = late.apps_v1.deployments(namespace)
        informer = factory.apps_v1.deployments()
        factory.start()
        assert await factory.wait_for_sync(30)
        proxy.hold()
        await deployments.create(deployment("web"))
        await deployments.status("web").patch(MergePatch({"status": {"replicas": 1}}))
        assert informer.lister.get(namespace, "web").status.replicas == 1
        await deployments.scale("web").patch(MergePatch({"spec": {"replicas": 5}}))
        assert informer.lister.get(namespace, "web").spec.replicas == 5
        proxy.release()
        await holds(lambda: not pending(informer))
        assert informer.lister.get(namespace, "web").spec.replicas == 5


async def test_random_writes_are_never_read_back_old(
    proxy: HoldingProxy, kube: AsyncClientset, namespace: str
) -> None:
    async with late_of(proxy) as late, late.informers(namespace=namespace) as factory:
        maps, foreign = late.core_v1.config_maps(namespace), kube.core_v1.config_maps(namespace)
        informer = factory.core_v1.config_maps()
        factory.start()
        assert await factory.wait_for_sync(30)
        made: dict[str, ConfigMap] = {}
        for number in range(200):
            if number % 20 == 0:
                proxy.hold()
            elif number % 20 == 12:
                proxy.release()
            name = f"cm-{number * 7 % 5}"
            if name not in made:
                made[name] = await maps.create(config_map(name, {"value": str(number)}))
            elif number % 6 == 0:
                await maps.delete(name)
                del made[name]
            else:
                patch = MergePatch({"data": {"value": str(number)}})
                if number % 4 == 0:
                    await foreign.patch(name, MergePatch({"data": {"foreign": str(number)}}))
                made[name] = await maps.patch(name, patch)
            shown = informer.indexer.get(f"{namespace}/{name}")
            wanted = made.get(name)
            assert (shown and shown.metadata.resource_version) == (
                wanted and wanted.metadata.resource_version
            )
        proxy.release()
        await holds(lambda: not pending(informer))
        has = {name: obj for name, obj in values_of(informer).items() if name in made}
        assert has == {name: obj.metadata.resource_version for name, obj in made.items()}


def values_of(informer: Any) -> dict[str, str]:
    return {each.metadata.name: each.metadata.resource_version for each in informer.lister.list()}


def pending(informer: Any) -> int:
    """How many own writes the watch has not told of yet."""
    return len(informer._store)
