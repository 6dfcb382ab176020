"""Clients of resources by name; the tests of threads are derived from these."""

from __future__ import annotations

from typing import Any

import kubeapi
import pytest
from kubeapi import AsyncClientset
from kubeapi.apps.v1 import Deployment
from kubeapi.apps.v1.resources import DEPLOYMENTS
from kubeapi.autoscaling.v1 import Scale
from kubeapi.core.v1 import ConfigMap, Pod
from support.definitions import custom_definition, custom_version
from support.raw_server import RawServer
from support.server import ok
from support.writes import names as written_kinds
from support.writes import read as written

from clientgen.runtime import ApiResource, MergePatch, Scheme
from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime.aio import AsyncDiscovery, AsyncDynamicClient, AsyncRest
from clientgen.runtime.errors import (
    AlreadyExists,
    AmbiguousResource,
    MethodNotAllowed,
    NoResourceMatch,
    NotFound,
    RequestTimeout,
)
from clientgen.runtime.models import (
    ObjectMeta,
    PartialObjectMetadata,
    PartialObjectMetadataList,
    Unstructured,
    UnstructuredList,
)
from clientgen.testing import FakeCluster, LocalServer

NAMES = {"plural": "crontabs", "kind": "CronTab", "shortNames": ["ct"]}
CRON_TABS = custom_definition(
    "stable.example.com",
    "CronTab",
    custom_version("v1", subresources={"status": {}}),
    custom_version("v1beta1"),
    names=NAMES,
)
SPEC: dict[str, Any] = {
    "selector": {"matchLabels": {"app": "web"}},
    "template": {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "web", "image": "example.com/web:1"}]},
    },
}


def scheme() -> Scheme:
    made = Scheme()
    kubeapi.add_to_scheme(made)
    return made


def cluster(*objects: Any) -> FakeCluster:
    return FakeCluster(*objects, crds=[CRON_TABS])


def config_map(name: str, namespace: str = "default") -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace=namespace), data={"a": "b"})


class Asked:
    """The requests of a client that are not for discovery, and the number of those that are."""

    def __init__(self, made: FakeCluster) -> None:
        self._seen: list[str] = []
        handle = made.server.handle

        def counting(request: Any) -> Any:
            self._seen.append(f"{request.method} {request.target}")
            return handle(request)

        made.server.handle = counting  # type: ignore[method-assign]

    def take(self) -> list[str]:
        seen, self._seen = self._seen, []
        return seen


# ---- finding ----------------------------------------------------------------------------------


async def test_no_request_is_made_before_the_first_call():
    made = cluster(config_map("web"))
    asked = Asked(made)
    async with made.clientset(AsyncClientset) as k:
        d = AsyncDynamicClient(k.rest)
        maps = d.resource("cm")
        assert repr(maps).endswith("'cm')")
        assert asked.take() == []
        assert (await maps.get("web")).name == "web"
        get = "GET /api/v1/namespaces/default/configmaps/web"
        seen = asked.take()
        assert (sorted(seen[:2]), seen[2:]) == (["GET /api", "GET /apis"], [get])
        assert repr(maps).endswith("'configmaps')")
        await maps.get("web")
        assert (await d.resource("configmaps").list()).items
        assert asked.take() == [get, "GET /api/v1/configmaps?limit=500"]
        assert isinstance(d.discovery, AsyncDiscovery)


async def test_an_empty_name_is_refused_at_once():
    async with FakeCluster().clientset(AsyncClientset) as k:
        for resource in (k.dynamic.resource, k.metadata.resource):
            with pytest.raises(
                ValueError, match="name must be the name of a resource, such as 'dep"
            ):
                resource("")


async def test_a_kind_that_is_registered_needs_no_discovery():
    made = cluster()
    asked = Asked(made)
    async with made.clientset(AsyncClientset) as k:
        d = AsyncDynamicClient(k.rest, scheme())
        for name in (Deployment, "apps/v1/Deployment", DEPLOYMENTS):
            resource = d.resource(name)
            assert (await resource.list()).items == []
            assert (await resource.resource()) == DEPLOYMENTS
            assert asked.take() == ["GET /apis/apps/v1/deployments?limit=500"]
        assert isinstance(await d.resource("deploy").resource(), ApiResource)
        assert len(asked.take()) == 2
        # A class that is not registered says which kind it is of.
        assert (await AsyncDynamicClient(k.rest).resource(Deployment).list()).items == []


async def test_objects_are_of_their_class_or_unstructured_or_what_is_asked_for():
    async with cluster(config_map("web")).clientset(AsyncClientset) as k:
        known, unknown = AsyncDynamicClient(k.rest, scheme()), AsyncDynamicClient(k.rest)
        assert type(await known.resource("cm").get("web")) is ConfigMap
        assert type(await known.resource("cm").list()).__name__ == "ConfigMapList"
        assert type(await unknown.resource("cm").get("web")) is Unstructured
        assert type(await unknown.resource("cm").list()) is UnstructuredList
        assert type(await unknown.resource("cm", model=ConfigMap).get("web")) is ConfigMap
        assert type(await known.resource("cm", model=Unstructured).get("web")) is Unstructured
        assert type(await unknown.resource(ConfigMap).get("web")) is ConfigMap


async def test_a_category_gives_several_clients():
    async with cluster().clientset(AsyncClientset) as k:
        d = AsyncDynamicClient(k.rest, scheme())
        several = await d.resources("all")
        assert len(several) == 10
        for each in several:
            assert (await each.list()).items == [] or "service" in repr(each)
        with pytest.raises(AmbiguousResource, match=r"resources\('all'\)"):
            await d.resource("all").list()
        assert [repr(each) for each in await d.resources("ct,po")] == [
            repr(d.resource(await d.discovery.resource(name))) for name in ("ct", "po")
        ]


@pytest.mark.parametrize("name", ["widgets", "widgets.example.com", "example.com/v1/Widget"])
async def test_every_call_says_that_there_is_no_such_resource(name):
    async with cluster().clientset(AsyncClientset) as k:
        widgets = AsyncDynamicClient(k.rest, scheme()).resource(name)
        body = {"metadata": {"name": "x"}}
        with pytest.raises(NoResourceMatch):
            await widgets.get("x")
        with pytest.raises(NoResourceMatch):
            await widgets.list()
        with pytest.raises(NoResourceMatch):
            async for _ in widgets.each():
                pass
        with pytest.raises(NoResourceMatch):
            async for _ in widgets.watch():
                pass
        with pytest.raises(NoResourceMatch):
            await widgets.create(body)
        with pytest.raises(NoResourceMatch):
            await widgets.delete("x")
        with pytest.raises(NoResourceMatch):
            await widgets.scale("x").get()
        with pytest.raises(NoResourceMatch):
            await widgets.metadata.list()


async def test_a_kind_that_comes_later_is_found():
    made = FakeCluster()
    async with made.clientset(AsyncClientset) as k:
        tabs = AsyncDynamicClient(k.rest).resource("crontabs.stable.example.com")
        with pytest.raises(NoResourceMatch):
            await tabs.list()
        made.add(CRON_TABS)
        assert (await tabs.list()).items == []


# ---- verbs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("with_classes", [True, False])
async def test_all_verbs_over_http(with_classes):
    with LocalServer(cluster()) as server:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            d = AsyncDynamicClient(k.rest, scheme() if with_classes else None)
            deployments = d.resource("deploy")
            made = await deployments.create({"metadata": {"name": "web"}, "spec": SPEC})
            assert type(made) is (Deployment if with_classes else Unstructured)
            assert (made.kind, made.metadata.name) == ("Deployment", "web")
            assert made.metadata.namespace == "default"
            with pytest.raises(AlreadyExists):
                await deployments.create(made_again(made))

            made.metadata.labels = {"tier": "front"}
            made = await deployments.update(made)
            assert (await deployments.get("web")).metadata.labels == {"tier": "front"}

            def relabel(obj: Any) -> None:
                obj.metadata.labels = {"tier": "back"}

            await deployments.edit("web", relabel)
            await deployments.patch("web", MergePatch({"metadata": {"annotations": {"a": "b"}}}))
            named = {"metadata": {"name": "web"}, "spec": {**SPEC, "replicas": 2}}
            applied = await deployments.apply(named, force=True)
            assert applied.metadata.annotations == {"a": "b"}
            assert applied.metadata.labels == {"tier": "back"}

            listed = await deployments.list(label_selector={"tier": "back"})
            assert [each.metadata.name for each in listed.items] == ["web"]
            assert (await deployments.list(label_selector={"tier": "x"})).items == []
            assert [e.metadata.name async for e in deployments.each(namespace="default")] == ["web"]
            async with deployments.watch(resource_version="0") as watch:
                async for event in watch:
                    assert (event.type, type(event.object)) == ("ADDED", type(made))
                    assert watch.resource_version
                    break

            assert (await deployments.delete("web")).kind == "Status"
            with pytest.raises(NotFound):
                await deployments.get("web")
            await deployments.create({"metadata": {"name": "two"}, "spec": SPEC})
            await deployments.delete_collection(namespace="default", label_selector="!tier")
            assert (await deployments.list()).items == []


def made_again(obj: Any) -> Any:
    obj = obj.copy() if isinstance(obj, Unstructured) else Unstructured.of(obj)
    obj["metadata"] = {"name": obj["metadata"]["name"]}
    return obj


async def test_single_objects_are_where_the_call_or_the_object_or_the_client_says():
    async with cluster(config_map("x", "shop"), config_map("x")).clientset(AsyncClientset) as k:
        maps = AsyncDynamicClient(k.rest).resource("cm")
        assert (await maps.get("x")).namespace == "default"
        assert (await maps.get("x", namespace="shop")).namespace == "shop"
        in_shop = AsyncDynamicClient(k.rest, namespace="shop").resource("cm")
        assert (await in_shop.get("x")).namespace == "shop"
        for body in (
            {"metadata": {"name": "y", "namespace": "shop"}},
            ConfigMap(metadata=ObjectMeta(name="z", namespace="shop")),
        ):
            assert (await maps.create(body)).namespace == "shop"
            assert (await maps.apply(body)).namespace == "shop"
        assert len((await maps.list()).items) > len((await maps.list(namespace="shop")).items) == 3


async def test_cluster_scoped_resources_refuse_a_namespace():
    async with cluster().clientset(AsyncClientset) as k:
        nodes = AsyncDynamicClient(k.rest).resource("no")
        refused = pytest.raises(ValueError, match="cluster-scoped")
        with refused:
            await nodes.get("x", namespace="default")
        with refused:
            await nodes.list(namespace="default")
        with refused:
            await nodes.create({"metadata": {"name": "n"}}, namespace="default")
        with refused:
            async for _ in nodes.watch(namespace="default"):
                pass
        await nodes.create({"metadata": {"name": "n"}})
        assert (await nodes.get("n")).name == "n"
        assert [each.name for each in (await nodes.list()).items] == ["n"]


@pytest.mark.parametrize("name", ["", None, "a/b", "..", "a%2fb", 1])
async def test_what_is_no_name_is_refused_before_anything_is_sent(name):
    made = cluster()
    asked = Asked(made)
    async with made.clientset(AsyncClientset) as k:
        maps = AsyncDynamicClient(k.rest).resource("cm")
        refused = pytest.raises(ValueError, match="name")
        with refused:
            await maps.get(name)
        with refused:
            await maps.delete(name)
        with refused:
            await maps.patch(name, MergePatch({}))
        with refused:
            await maps.edit(name, str)
        with refused:
            maps.status(name)
        with pytest.raises(ValueError, match="subresource"):
            maps.subresource("x", name)
        with pytest.raises(TypeError, match="takes an object"):
            await maps.create("x")
        assert asked.take() == []
        with refused:
            await maps.update({"metadata": {"name": name}})
        with refused:
            await maps.apply({"metadata": {"name": name}})
        with pytest.raises(ValueError, match="namespace"):
            await maps.delete_collection()
        assert not any("configmaps" in request for request in asked.take())


async def test_verbs_that_a_resource_does_not_have_are_refused():
    async with cluster().clientset(AsyncClientset) as k:
        d = AsyncDynamicClient(k.rest)
        reviews, statuses = d.resource("tokenreviews"), d.resource("cs")
        with pytest.raises(MethodNotAllowed) as raised:
            await reviews.get("x")
        text = (
            "tokenreviews.authentication.k8s.io does not support the verb get; it supports create"
        )
        assert raised.value.message == text
        assert raised.value.code == 405
        with pytest.raises(MethodNotAllowed, match="does not support the verb list"):
            await reviews.list()
        with pytest.raises(MethodNotAllowed, match="does not support the verb watch"):
            async for _ in statuses.watch():
                pass
        with pytest.raises(MethodNotAllowed, match="does not support the verb create"):
            await statuses.create({"metadata": {"name": "x"}})
        with pytest.raises(MethodNotAllowed, match="does not support the verb deletecollection"):
            await statuses.delete_collection()
        with pytest.raises(MethodNotAllowed, match=r"pods/binding does not support the verb get"):
            await d.resource("po").subresource("x", "binding").get()


# ---- parts of objects -------------------------------------------------------------------------


@pytest.mark.parametrize("with_classes", [True, False])
async def test_the_scale_of_anything(with_classes):
    made = cluster()
    async with made.clientset(AsyncClientset) as k:
        d = AsyncDynamicClient(k.rest, scheme() if with_classes else None)
        for name in ("deploy", "sts", "rs", Deployment):
            resource = d.resource(name)
            object_name = f"web-{name}".lower() if isinstance(name, str) else "web-class"
            await resource.create(whole(name, object_name))
            scale = resource.scale(object_name)
            current = await scale.get()
            assert type(current) is (Scale if with_classes else Unstructured)
            assert (current.kind, replicas(current)) == ("Scale", 1)
            assert replicas(await scale.patch(MergePatch({"spec": {"replicas": 2}}))) == 2

            def grow(obj: Any) -> None:
                set_replicas(obj, 3)

            assert replicas(await scale.edit(grow)) == 3
            current = await scale.get()
            set_replicas(current, 4)
            assert replicas(await scale.update(current)) == 4
        with pytest.raises(NoResourceMatch, match=r"pods/scale.*did you mean pods/"):
            await d.resource("po").scale("x").get()


def whole(name: Any, object_name: str) -> Any:
    body = {"metadata": {"name": object_name}, "spec": {"serviceName": "web", **SPEC}}
    if name != "sts":
        body["spec"] = SPEC
    return body if isinstance(name, str) else Unstructured(body).to(Deployment)


def replicas(scale: Any) -> int:
    return scale["spec"]["replicas"] if isinstance(scale, Unstructured) else scale.spec.replicas


def set_replicas(scale: Any, number: int) -> None:
    if isinstance(scale, Unstructured):
        scale["spec"]["replicas"] = number
    else:
        scale.spec.replicas = number


async def test_the_status_of_a_custom_object():
    async with cluster().clientset(AsyncClientset) as k:
        tabs = AsyncDynamicClient(k.rest, scheme()).resource("ct")
        await tabs.create({"metadata": {"name": "nightly"}, "spec": {"cron": "0 0 * * *"}})
        status = tabs.status("nightly")
        await status.patch(MergePatch({"status": {"ran": 1}}))
        read = await status.get()
        assert (type(read), read["status"]) == (Unstructured, {"ran": 1})
        read["status"]["ran"] = 2
        assert (await status.update(read))["status"] == {"ran": 2}
        named = {"metadata": {"name": "nightly"}, "status": {"ran": 3}}
        kind = {"apiVersion": "stable.example.com/v1", "kind": "CronTab"}
        assert (await status.apply({**kind, **named}, force=True))["status"] == {"ran": 3}
        beta = AsyncDynamicClient(k.rest).resource("crontabs.v1beta1.stable.example.com")
        assert (await beta.get("nightly")).api_version == "stable.example.com/v1beta1"
        with pytest.raises(NoResourceMatch, match="crontabs/status"):
            await beta.status("nightly").get()


async def test_other_subresources_take_and_give_their_own_kind():
    pod = Pod(metadata=ObjectMeta(name="web", namespace="default"))
    pod.spec.containers = []
    async with cluster(pod).clientset(AsyncClientset) as k:
        pods = AsyncDynamicClient(k.rest, scheme()).resource("po")
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "web"}}
        eviction = pods.subresource("web", "eviction")
        assert (await eviction.create(body)).kind in {"Status", "Eviction"}
        with pytest.raises(NotFound):
            await pods.get("web")
        accounts = AsyncDynamicClient(k.rest).resource("sa")
        await accounts.create({"metadata": {"name": "default"}})
        token = await accounts.subresource("default", "token").create(
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        )
        assert token["status"]["token"]
        assert "token" not in repr(token).replace("TokenRequest", "").replace("/token", "")


async def test_a_watch_that_is_stopped_first_asks_nobody():
    made = cluster()
    asked = Asked(made)
    async with made.clientset(AsyncClientset) as k:
        watch = AsyncDynamicClient(k.rest).resource("cm").watch()
        watch.stop()
        assert [event async for event in watch] == []
        assert asked.take() == []


async def test_metadata_alone():
    async with cluster(config_map("web")).clientset(AsyncClientset) as k:
        maps = AsyncDynamicClient(k.rest, scheme()).resource("cm").metadata
        one = await maps.get("web")
        assert (type(one), one.metadata.name) == (PartialObjectMetadata, "web")
        assert type(await maps.list()) is PartialObjectMetadataList
        patch = MergePatch({"metadata": {"labels": {"a": "b"}}})
        assert (await maps.patch("web", patch)).metadata.labels == {"a": "b"}
        async with maps.watch(resource_version="0") as watch:
            async for event in watch:
                assert type(event.object) is PartialObjectMetadata
                break
        await maps.delete("web")
        assert [each async for each in maps.each(namespace="default")] == []


# ---- limits -----------------------------------------------------------------------------------


async def test_the_deadline_is_that_of_discovery_and_call_together():
    with RawServer(lambda peer: peer.wait()) as server:
        async with AsyncRest(ClusterConfig(f"http://127.0.0.1:{server.port}")) as rest:
            maps = AsyncDynamicClient(rest).resource("cm")
            with pytest.raises(RequestTimeout):
                await maps.get("x", timeout=0.05)
            with pytest.raises(RequestTimeout):
                async for _ in maps.watch(timeout=0.05):
                    pass


async def test_a_server_cannot_send_a_client_elsewhere():
    """The names of an answer end in paths, so only names are taken."""
    seen: list[bytes] = []
    resource = {"name": "../secrets", "kind": "Widget", "namespaced": True, "verbs": ["list"]}
    answers = {
        b"/api": ok({"versions": ["v1"]}),
        b"/apis": ok({"groups": []}),
        b"/api/v1": ok({"resources": [resource]}),
    }

    def talk(peer: Any) -> None:
        while request := peer.read_request():
            seen.append(request.split(b" ")[1])
            peer.send(answers[seen[-1]])

    with RawServer(talk) as server:
        async with AsyncRest(ClusterConfig(f"http://127.0.0.1:{server.port}")) as rest:
            with pytest.raises(NoResourceMatch):
                await AsyncDynamicClient(rest).resource("Widget").list()
    assert set(seen) == set(answers)


# ---- every kind -------------------------------------------------------------------------------


def samples() -> dict[str, dict[str, Any]]:
    """An object that is right, by `apps/v1 deployments`."""
    found: dict[str, dict[str, Any]] = {}
    for name in written_kinds():
        recorded = written(name)
        found.setdefault(recorded["resource"], recorded["object"])
    return found


@pytest.mark.parametrize("with_classes", [True, False])
async def test_every_kind_of_kubernetes(with_classes):
    known = samples()
    tried: dict[str, str] = {}
    async with FakeCluster().clientset(AsyncClientset) as k:
        d = AsyncDynamicClient(k.rest, scheme() if with_classes else None)
        for found in await d.discovery.api_resources(all_versions=True):
            resource = d.resource(found)
            if "list" in found.verbs:
                assert (await resource.list()).kind
                assert type(await resource.metadata.list()) is PartialObjectMetadataList
            body = known.get(f"{found.api_version} {found.plural}")
            if body is None or not {"create", "delete", "patch"} <= {*found.verbs}:
                tried[str(found)] = "list" if "list" in found.verbs else ""
                continue
            name = body.get("metadata", {}).get("name", f"m-{found.plural}-{found.version}")
            made = await resource.create(
                {**body, "metadata": {**body.get("metadata", {}), "name": name}}
            )
            assert type(made) is (d.model_of(found.gvk) if with_classes else Unstructured)
            assert (await resource.get(name)).metadata.uid == made.metadata.uid
            patched = await resource.patch(name, MergePatch({"metadata": {"labels": {"a": "b"}}}))
            assert patched.metadata.labels["a"] == "b"
            listed = await resource.list(label_selector="a=b")
            assert name in [each.metadata.name for each in listed.items]
            await resource.delete(name, grace_period_seconds=0)
            tried[str(found)] = "all"
    assert len(tried) == 89
    assert sum(how == "all" for how in tried.values()) >= 60
