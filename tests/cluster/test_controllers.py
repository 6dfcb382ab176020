"""Controllers at work on a real server: what they own, what they retry, how they end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from clusterkit.objects import config_map, deployment
from clusterkit.together import AsyncBackground, async_until
from kubeapi import AsyncClientset
from kubeapi.apps.v1.models import Deployment
from kubeapi.core.v1.models import ConfigMap

from clientgen.runtime import MergePatch
from clientgen.runtime.aio import AsyncController
from clientgen.runtime.controllers import ItemExponentialFailure, Request, Result
from clientgen.runtime.errors import Conflict, NotFound
from clientgen.runtime.models import ObjectMeta, OwnerReference

pytestmark = pytest.mark.cluster


async def holds(condition: Callable[[], object]) -> None:
    async def condition_holds() -> bool:
        return bool(condition())

    await async_until(condition_holds)


def scaled(replicas: int) -> MergePatch:
    return MergePatch({"spec": {"replicas": replicas}})


def notes_of(owner: Deployment) -> ConfigMap:
    """What is kept for a deployment: a config map that says how many replicas it has."""
    me = owner.metadata
    reference = OwnerReference(
        api_version="apps/v1", kind="Deployment", name=me.name, uid=me.uid, controller=True
    )
    metadata = ObjectMeta(name=f"{me.name}-notes", owner_references=[reference])
    return ConfigMap(metadata=metadata, data={"replicas": str(owner.spec.replicas)})


async def test_owned_objects_are_restored(kube: AsyncClientset, namespace: str) -> None:
    deployments, maps = kube.apps_v1.deployments(namespace), kube.core_v1.config_maps(namespace)
    await deployments.create(deployment("old", replicas=1))
    done: list[Request] = []

    async with kube.informers(namespace=namespace) as factory:
        owners, owned = factory.apps_v1.deployments(), factory.core_v1.config_maps()

        async def reconcile(request: Request) -> None:
            owner = owners.indexer.get(str(request))
            if owner is not None:
                await maps.apply(notes_of(owner), force=True)
            done.append(request)

        def notes(name: str) -> str | None:
            notes = owned.indexer.get(f"{namespace}/{name}-notes")
            return notes.data["replicas"] if notes else None

        def uid_of_notes() -> str | None:
            notes = owned.indexer.get(f"{namespace}/old-notes")
            return notes.metadata.uid if notes else None

        controller = AsyncController("notes", reconcile, workers=2).for_(owners).owns(owned)
        running = AsyncBackground(controller.run)
        await holds(lambda: owners.has_synced() and owned.has_synced())
        await holds(lambda: notes("old") == "1")  # what was there before
        await deployments.create(deployment("new", replicas=2))
        await holds(lambda: notes("new") == "2")
        await deployments.patch("new", scaled(5))
        await holds(lambda: notes("new") == "5")
        await maps.patch("old-notes", MergePatch({"data": {"replicas": "many"}}))

        async def put_right() -> bool:
            return (await maps.get("old-notes")).data["replicas"] == "1"

        await async_until(put_right)
        uid = (await maps.get("old-notes")).metadata.uid
        await maps.delete("old-notes")
        await holds(lambda: uid_of_notes() not in {None, uid})
        await maps.create(config_map("of-nobody"))
        await deployments.delete("old")
        await holds(lambda: owners.indexer.get(f"{namespace}/old") is None)
        controller.stop()
        await running.result()

    assert {request.namespace for request in done} == {namespace}
    assert {request.name for request in done} == {"old", "new"}


async def test_a_failed_reconcile_is_retried(kube: AsyncClientset, namespace: str) -> None:
    """A conflict with what the cache does not have yet, and a wish to look again."""
    deployments = kube.apps_v1.deployments(namespace)
    await deployments.create(deployment("web"))
    tries: list[str] = []

    async with kube.informers(namespace=namespace) as factory:
        informer = factory.apps_v1.deployments()

        async def reconcile(request: Request) -> Result | None:
            deployment = await deployments.get(request.name)
            if not tries:
                await deployments.patch(request.name, scaled(3))  # somebody else
            tries.append(deployment.metadata.resource_version)
            if deployment.metadata.labels.get("seen") == "yes":
                return None
            deployment.metadata.labels["seen"] = "yes"
            await deployments.update(deployment)
            return Result(requeue_after=0.01)

        limiter = ItemExponentialFailure[Request](0.01)
        controller = AsyncController("web", reconcile, limiter=limiter).for_(informer)
        running = AsyncBackground(controller.run)
        await holds(lambda: len(tries) >= 3 and informer.indexer.list()[:1])
        controller.stop()
        await running.result()

    reconciled = await deployments.get("web")
    assert (reconciled.metadata.labels, reconciled.spec.replicas) == ({"seen": "yes"}, 3)
    assert len(set(tries)) >= 3


async def test_a_custom_mapping_enqueues_requests(kube: AsyncClientset, namespace: str) -> None:
    """A config map is about the deployment that it names."""
    maps = kube.core_v1.config_maps(namespace)
    reconciled: list[str] = []

    def target(obj: ConfigMap) -> list[Request]:
        name = obj.data.get("target")
        return [Request(namespace, name)] if name else []

    async with kube.informers(namespace=namespace) as factory:

        async def reconcile(request: Request) -> None:
            reconciled.append(request.name)

        controller = AsyncController("targets", reconcile)
        controller.watches(factory.core_v1.config_maps(), target)
        running = AsyncBackground(controller.run)
        await maps.create(config_map("one", {"target": "a"}))
        await holds(lambda: reconciled == ["a"])
        await maps.patch("one", MergePatch({"data": {"target": "b"}}))
        await holds(lambda: sorted(reconciled) == ["a", "a", "b"])  # as it was, and as it is
        await maps.delete("one")
        await holds(lambda: reconciled[3:] == ["b"])
        controller.stop()
        await running.result()
    with pytest.raises(NotFound):
        await maps.get("one")


async def test_a_stale_write_is_refused(kube: AsyncClientset, namespace: str) -> None:
    """What a cache gives bears its version, so that nothing that it has not seen is undone."""
    deployments = kube.apps_v1.deployments(namespace)
    await deployments.create(deployment("web"))
    async with kube.informers(namespace=namespace) as factory:
        informer = factory.apps_v1.deployments()
        factory.start()
        assert await informer.wait_for_sync(30)
    await deployments.patch("web", scaled(2))
    stale = informer.lister.get(namespace, "web")  # the informer has stopped
    with pytest.raises(Conflict):
        await deployments.update(stale)
