"""Views by paths; `test_path_views_threads` does the same on threads."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.apps.v1 import Deployment
from kubeapi.apps.v1.resources import DEPLOYMENTS
from kubeapi.core.v1 import Namespace
from kubeapi.meta.v1 import ObjectMeta, OwnerReference
from support.definitions import custom_definition

from clientgen.runtime import Resource
from clientgen.runtime._async._primitives import sleep, spawn
from clientgen.runtime.aio import AsyncContext, AsyncManager
from clientgen.runtime.conditions import condition, deleted, jsonpath
from clientgen.runtime.errors import NotFound
from clientgen.runtime.models import Unstructured, UnstructuredList, to_dict
from clientgen.runtime.views import view_of
from clientgen.testing import FakeCluster, LocalServer

GROUP = "stable.example.com"
KIND = {"apiVersion": f"{GROUP}/v1", "kind": "CronTab"}
TABS = Resource(GROUP, "v1", "crontabs", "CronTab")
DEFINITION = custom_definition(
    GROUP, "CronTab", names={"plural": "crontabs", "kind": "CronTab"}, subresources={"status": {}}
)
TabSize = view_of(
    ["spec.size", "spec.rows[*].image", "metadata.annotations['a.b/c']", "status.conditions"]
)


def tab(name: str, size: int = 1, **labels: str) -> dict[str, Any]:
    return {
        **KIND,
        "metadata": {
            "name": name,
            "namespace": "default",
            "labels": labels,
            "annotations": {"a.b/c": "kept", "other": "dropped"},
        },
        "spec": {"size": size, "cron": "* * *", "rows": [{"image": "x", "more": 1}, None, 3]},
    }


def size_of(obj: Any) -> int:
    size: int = obj["spec"]["size"]
    return size


async def until(holds: Callable[[], object]) -> None:
    deadline = monotonic() + 30
    while not holds():
        assert monotonic() < deadline, "timed out"
        await sleep(0.001)


def check_tab(obj: Unstructured, name: str, size: int) -> None:
    """Check that a view has what it must have, and nothing else."""
    assert type(obj) is TabSize
    metadata = {**obj["metadata"]}
    assert (metadata.pop("uid"), metadata.pop("resourceVersion")) == (
        obj.metadata.uid,
        obj.metadata.resource_version,
    )
    assert obj.metadata.uid
    assert metadata.pop("generation") >= 1
    assert metadata == {
        "name": name,
        "namespace": "default",
        "labels": {"app": "x"},
        "annotations": {"a.b/c": "kept"},
    }
    spec = {"size": size, "rows": [{"image": "x"}, None, 3]}
    assert {**obj, "metadata": None} == {**KIND, "metadata": None, "spec": spec}


async def test_every_read_of_a_client_has_only_the_paths():
    cluster = FakeCluster(crds=[DEFINITION])
    cluster.add(tab("a", app="x"), tab("b", 2, app="x"))
    with LocalServer(cluster) as server:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            tabs = k.dynamic.resource(f"crontabs.{GROUP}", model=TabSize)
            check_tab(await tabs.get("b"), "b", 2)
            listed = await tabs.list()
            for name, size, obj in zip("ab", (1, 2), listed, strict=True):
                check_tab(obj, name, size)
            pages = [obj async for obj in tabs.each(limit=1)]
            assert pages == listed.items
            whole = k.dynamic.resource(TABS, model=Unstructured)
            async with tabs.watch(resource_version=listed.metadata.resource_version) as events:
                await whole.patch("a", {"spec": {"size": 5}})
                async for event in events:
                    assert event.type == "MODIFIED"
                    check_tab(event.object, "a", 5)
                    break
                else:
                    pytest.fail("the watch has ended")
            check_tab(await tabs.wait("a", until=jsonpath("{.spec.size}", "5")), "a", 5)
            await tabs.delete("a")
            assert await tabs.wait("a", until=deleted) is None


async def test_a_condition_that_needs_another_field_is_an_error():
    cluster = FakeCluster(crds=[DEFINITION])
    cluster.add(tab("a"))
    async with cluster.clientset(AsyncClientset) as k:
        tabs = k.dynamic.resource(TABS, model=TabSize)
        for path, lacking in [
            (".spec.cron", "spec.cron"),
            (".spec.rows[0].more", "spec.rows.more"),
        ]:
            with pytest.raises(TypeError, match=rf"does not have the field {lacking}: add"):
                await tabs.wait("a", until=jsonpath(f"{{{path}}}"))
        images = view_of(["spec.size"])
        with pytest.raises(
            TypeError, match=r"the view UnstructuredView does not have the field status"
        ):
            await k.dynamic.resource(TABS, model=images).wait("a", until=condition("Ready"))


async def test_a_view_is_not_written():
    cluster = FakeCluster(crds=[DEFINITION])
    cluster.add(tab("a"))
    async with cluster.clientset(AsyncClientset) as k:
        tabs = k.dynamic.resource(TABS, model=TabSize)
        obj = await tabs.get("a")
        refused = pytest.raises(TypeError, match=r"UnstructuredView is a view.* as `Unstructured`")
        with refused:
            await tabs.create(obj)
        with refused:
            await tabs.update(obj)
        with refused:
            await tabs.apply(obj)
        with refused:
            await tabs.edit("a", lambda each: each)
        with refused:
            await tabs.patch("a", {"spec": {"size": 3}})
        with refused:
            await k.update(obj)
        with refused:
            await k.create(obj)
        with refused:
            obj.to(Deployment)
        with pytest.raises(ValueError, match="small without it; leave it out"):
            k.informers().informer(TABS, TabSize, UnstructuredList, storage="compressed")
        await k.delete(obj)  # needs no more than the name
        with pytest.raises(NotFound):
            await tabs.get("a")
    assert {action.verb for action in cluster.actions} == {"get", "delete"}


async def test_a_view_by_paths_has_no_kind():
    async with FakeCluster().clientset(AsyncClientset) as k:
        controller: Any = AsyncManager(k).controller("tabs", print)
        model: Any = TabSize
        without_kind = pytest.raises(TypeError, match="a view by paths has no kind: give it as")
        with without_kind:
            k.apps_v1.deployments("default").view(model)
        with without_kind:
            await k.list(model)
        with without_kind:
            await k.get(model, "a")
        with without_kind:
            k.informers().view(model)
        with without_kind:
            controller.for_(model)


async def test_caches_keep_only_the_paths_and_show_own_writes():
    cluster = FakeCluster(crds=[DEFINITION])
    cluster.add(tab("a", app="x"), tab("b", 2, app="x"))
    async with cluster.clientset(AsyncClientset) as k:
        factory = k.informers(strip_managed_fields=True, storage="compressed")
        informer = await factory.dynamic("crontabs", model=TabSize)
        assert await factory.dynamic("CronTab", model=view_of(TabSize_paths())) is informer
        informer.add_index("size", lambda obj: [str(size_of(obj))])
        told: list[Unstructured] = []
        registration = informer.add_handler(
            on_add=lambda obj, _: told.append(obj), on_update=lambda _, obj: told.append(obj)
        )
        async with factory:
            await factory.wait_for_sync(10)
            await registration.wait_for_sync(10)
            for obj in sorted(told, key=size_of):
                check_tab(obj, "ab"[size_of(obj) - 1], size_of(obj))
            lister, whole = informer.lister, k.dynamic.resource(TABS, model=Unstructured)
            assert informer.indexer.index_keys("size", "2") == ["default/b"]
            await whole.create(tab("c", 3, app="x"))
            check_tab(lister.get("default", "c"), "c", 3)
            await whole.patch("c", {"spec": {"size": 2, "cron": "0 * *"}})
            check_tab(lister.get("default", "c"), "c", 2)
            assert sorted(informer.indexer.index_keys("size", "2")) == ["default/b", "default/c"]
            await whole.metadata.patch("c", {"metadata": {"annotations": {"other": "x", "z": "y"}}})
            check_tab(lister.get("default", "c"), "c", 2)
            status = {"conditions": [{"type": "Ready", "status": "True"}], "rest": 1}
            await whole.patch("c", {"status": status})
            assert lister.get("default", "c")["status"] == {"conditions": status["conditions"]}
            await whole.delete("c")
            with pytest.raises(NotFound):
                lister.get("default", "c")


async def test_caches_of_views_are_filled_by_streaming_lists(caplog: pytest.LogCaptureFixture):
    caplog.set_level("INFO", "clientgen.runtime.informers")
    cluster = FakeCluster(crds=[DEFINITION])
    cluster.add(tab("a"))
    async with cluster.clientset(AsyncClientset) as k:
        factory = k.informers()
        await factory.dynamic(TABS, model=TabSize)
        async with factory:
            await factory.wait_for_sync(10)
    assert caplog.messages == []  # a fallback is logged
    assert [action.verb for action in cluster.actions] == ["watch"]


def TabSize_paths() -> list[str]:
    """Return the paths of `TabSize`, written in another way."""
    quoted = "['spec']['rows'].image"
    return [quoted, "metadata.annotations.a\\.b/c", "status.conditions", "spec.size", "kind"]


@pytest.mark.parametrize(
    ("path", "kept"), [("spec.replicas", {"replicas": 4}), ("spec.paused", {})]
)
async def test_a_scale_is_shown_if_the_view_has_replicas(path: str, kept: dict[str, int]):
    cluster = FakeCluster()
    labels = {"app": "web"}
    spec = {
        "replicas": 1,
        "selector": {"matchLabels": labels},
        "template": {
            "metadata": {"labels": labels},
            "spec": {"containers": [{"name": "web", "image": "nginx"}]},
        },
    }
    web = {"name": "web", "namespace": "default"}
    cluster.add({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": web, "spec": spec})
    async with cluster.clientset(AsyncClientset) as k:
        factory = k.informers()
        informer = await factory.dynamic("deployments", model=view_of([path]))
        async with factory:
            await factory.wait_for_sync(10)
            await k.apps_v1.deployments("default").scale("web").patch({"spec": {"replicas": 4}})
            shown = informer.lister.get("default", "web")
            assert {**shown["spec"]} == kept


async def test_controllers_take_informers_of_views():
    cluster = FakeCluster(Namespace(metadata=ObjectMeta(name="shop")), crds=[DEFINITION])
    cluster.add(tab("a", app="x"))
    k = cluster.clientset(AsyncClientset)
    manager = AsyncManager(k)
    seen: list[tuple[str, Any]] = []

    async def reconcile(context: AsyncContext[Unstructured]) -> None:
        obj = context.object
        seen.append((str(context.request), size_of(obj) if obj is not None else None))
        if obj is not None:
            check_tab(obj, "a", size_of(obj))

    tabs = manager.informers.informer(TABS, TabSize, UnstructuredList)
    owned = manager.informers.informer(DEPLOYMENTS, view_of([]), UnstructuredList)
    manager.controller("tabs", reconcile).for_(tabs).owns(owned)
    task = spawn(manager.run, "manager")
    await until(lambda: seen == [("default/a", 1)])
    whole = k.dynamic.resource(TABS, model=Unstructured)
    found = await whole.patch("a", {"spec": {"size": 2}})
    await until(lambda: seen[-1] == ("default/a", 2))
    before = len(seen)
    owner = OwnerReference(
        api_version=KIND["apiVersion"],
        kind="CronTab",
        name="a",
        uid=found.metadata.uid,
        controller=True,
    )
    made = {"name": "web", "namespace": "default", "ownerReferences": [to_dict(owner)]}
    cluster.add({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": made})
    await until(lambda: len(seen) > before)
    await whole.delete("a")
    await until(lambda: seen[-1] == ("default/a", None))
    manager.stop()
    assert await task.join(60)
    await k.aclose()
