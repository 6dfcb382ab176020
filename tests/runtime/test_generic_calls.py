"""Calls of a clientset for any kind: by class, or with an object that says where it lives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import ConfigMap, ConfigMapList, Namespace, Node, Pod, PodSpec
from kubeapi.meta.v1 import ObjectMeta, Status
from support.packages import CRD, PodToService, lookup, lookups
from support.zones import ZONES, Unknown, Zone

from clientgen.runtime import ManifestError, MergePatch, Resource
from clientgen.runtime.errors import Conflict, InternalError, NotFound
from clientgen.runtime.models import Unstructured, to_dict
from clientgen.testing import FakeCluster, LocalServer


@pytest.fixture
def server() -> Iterator[LocalServer]:
    cluster = FakeCluster(
        Namespace(metadata=ObjectMeta(name="shop")),
        Node(metadata=ObjectMeta(name="n1")),
        crds=[CRD, ZONES],
    )
    with LocalServer(cluster) as running:
        yield running


def config_map(name: str = "web", namespace: str = "", **data: str) -> ConfigMap:
    metadata = ObjectMeta(name=name, namespace=namespace, labels={"app": "web"})
    return ConfigMap(metadata=metadata, data=data)


def write_kubeconfig(server: LocalServer, path: Path) -> None:
    """Write a kubeconfig whose context has the namespace `shop`."""
    text = Path(server.kubeconfig).read_text("utf-8")
    path.write_text(text.replace('namespace: "default"', 'namespace: "shop"'), "utf-8")


def sent(server: LocalServer) -> list[str]:
    return [str(action) for action in server.cluster.actions]


async def test_one_object_by_its_class(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        created = await k.create(config_map(namespace="shop", a="1"))
        assert created.metadata.uid
        got = await k.get(ConfigMap, "web", namespace="shop")
        assert type(got) is ConfigMap
        assert got == created
        patch = MergePatch({"data": {"b": "2"}})
        assert (await k.patch(ConfigMap, "web", patch, namespace="shop")).data["b"] == "2"

        def drop_a(obj: ConfigMap) -> None:
            del obj.data["a"]

        assert (await k.edit(ConfigMap, "web", drop_a, namespace="shop")).data == {"b": "2"}
        assert isinstance(await k.delete(ConfigMap, "web", namespace="shop"), Status)
        with pytest.raises(NotFound):
            await k.get(ConfigMap, "web", namespace="shop")


async def test_an_object_says_where_it_lives(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        obj = await k.create(config_map(namespace="shop", a="1"))
        obj.data["b"] = "2"
        obj = await k.update(obj)
        obj = await k.patch(obj, MergePatch({"data": {"c": "3"}}))
        assert obj.data == {"a": "1", "b": "2", "c": "3"}

        def drop_a(newest: ConfigMap) -> None:
            del newest.data["a"]

        assert "a" not in (await k.edit(obj, drop_a)).data
        applied = await k.apply(config_map(namespace="shop", d="4"), field_manager="me")
        assert applied.data == {"b": "2", "c": "3", "d": "4"}
        await k.delete(obj)
        assert {action.namespace for action in server.cluster.actions} == {"shop"}
        assert {action.name for action in server.cluster.actions if action.verb != "create"} == {
            "web"
        }


async def test_the_namespace_of_the_context_is_the_default_of_single_objects(
    server: LocalServer, tmp_path: Path
) -> None:
    kubeconfig = tmp_path / "config"
    write_kubeconfig(server, kubeconfig)
    async with AsyncClientset.from_config(kubeconfig) as k:
        assert k.namespace == "shop"
        created = await k.create(config_map())
        assert created.metadata.namespace == "shop"
        assert await k.get(ConfigMap, "web") == created
        await k.create(config_map("other"), namespace="default")
        await k.delete(ConfigMap, "web")
        listed = await k.list(ConfigMap, label_selector="app=web")
        assert [obj.metadata.namespace for obj in listed] == ["default"]


async def test_without_a_context_it_is_default(server: LocalServer) -> None:
    async with server.cluster.clientset(AsyncClientset) as k:
        assert k.namespace == "default"
        assert (await k.create(config_map())).metadata.namespace == "default"


async def test_collections(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        for name in ("a", "b", "c"):
            await k.create(config_map(name), namespace="shop")
        listed = await k.list(ConfigMap, label_selector={"app": "web"})
        assert type(listed) is ConfigMapList
        assert [obj.metadata.name for obj in listed] == ["a", "b", "c"]
        assert len(await k.list(ConfigMap, namespace="default", label_selector="app=web")) == 0
        each = k.each(ConfigMap, namespace="shop", label_selector="app=web", limit=1)
        assert [obj.metadata.name async for obj in each] == ["a", "b", "c"]
        async with k.watch(ConfigMap, send_initial_events=True) as watch:
            async for event in watch:
                assert type(event.object) is ConfigMap
                break
        await k.delete_collection(ConfigMap, namespace="shop", label_selector="app=web")
        assert len(await k.list(ConfigMap, label_selector="app=web")) == 0


async def test_cluster_scoped_kinds(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        assert (await k.get(Node, "n1")).metadata.name == "n1"
        assert len(await k.list(Node)) == 1
        await k.create(Node(metadata=ObjectMeta(name="n2")))
        # A server removes the namespace of such an object.
        stray = Node(metadata=ObjectMeta(name="n2", namespace="shop", labels={"a": "b"}))
        assert (await k.apply(stray, field_manager="me")).metadata.labels == {"a": "b"}
        await k.delete_collection(Node, label_selector="a=b")
        server.cluster.clear_actions()
        message = r"\(Node\): nodes are cluster-scoped, so no namespace can be given"
        with pytest.raises(ValueError, match=f"get{message}"):
            await k.get(Node, "n1", namespace="shop")
        with pytest.raises(ValueError, match=f"list{message}"):
            await k.list(Node, namespace="shop")
        with pytest.raises(ValueError, match=r"create\(Node\): nodes are cluster-scoped"):
            await k.create(Node(metadata=ObjectMeta(name="n3")), namespace="shop")
        assert sent(server) == []


async def test_manifests_and_objects_without_a_class(server: LocalServer) -> None:
    manifest: dict[str, object] = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "web", "namespace": "shop"},
        "data": {"a": "1"},
    }
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        applied = await k.apply(manifest)
        assert isinstance(applied, ConfigMap)
        assert applied.data == {"a": "1"}
        obj = Unstructured(manifest)
        obj["data"] = {"a": "2"}
        replaced = await k.update(obj)
        assert type(replaced) is Unstructured
        assert replaced["data"] == {"a": "2"}
        patched = await k.patch(replaced, MergePatch({"data": {"b": "3"}}))
        assert patched["data"] == {"a": "2", "b": "3"}
        await k.delete(manifest)
        assert type(await k.create(obj)) is Unstructured
        await k.delete(obj)
        assert isinstance(await k.create(manifest), ConfigMap)


async def test_kinds_of_several_packages_and_of_ones_own(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        with pytest.raises(NotFound):  # the server knows the kind
            await k.get(PodToService, "a")
        lookups.add_to_scheme(k.scheme)
        created = await k.create(lookup("a", namespace="shop"))
        assert await k.get(PodToService, "a", namespace="shop") == created
        assert len(await k.list(PodToService)) == 1

        k.scheme.register(Zone, plural="zones", namespaced=False)
        zone = await k.create(Zone(metadata=ObjectMeta(name="z"), spec={"size": 3}))
        assert [type(obj) for obj in await k.list(Zone)] == [Zone]
        async with k.watch(Zone, send_initial_events=True) as watch:
            async for event in watch:
                assert event.object == zone
                break
        other = lookups.AsyncClientset(k.rest)
        assert await other.get(PodToService, "a", namespace="shop") == created
        assert await other.get(Zone, "z") == zone


async def test_a_clientset_of_ones_own(server: LocalServer) -> None:
    class Cluster(AsyncClientset):
        async def nodes(self) -> list[str]:
            return [obj.metadata.name for obj in await self.list(Node)]

    async with Cluster.from_config(server.kubeconfig) as k:
        assert await k.nodes() == ["n1"]

    class Both(AsyncClientset, lookups.AsyncClientset):  # type: ignore[misc]
        pass

    async with Both.from_config(server.kubeconfig) as both:
        assert both.scheme.resource(PodToService).plural == "podtoservices"
        assert both.scheme.resource(Pod).plural == "pods"


WRONG: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda k: k.get(Pod, ""), ValueError, r"^get\(Pod\): name must be a non-empty string, not ''"),
    (lambda k: k.get(Pod, None), ValueError, r"^get\(Pod\): name must be .* not None"),
    (lambda k: k.get(Pod, "a/b"), ValueError, r"^get\(Pod\): name cannot be 'a/b'"),
    (lambda k: k.get(Pod, "a", namespace=""), ValueError, r"^get\(Pod\): namespace must be a non-"),
    (lambda k: k.get("pods", "a"), TypeError, "the kind must be a model class, such as Pod"),
    (lambda k: k.get(PodSpec, "a"), TypeError, "PodSpec has no kind"),
    (lambda k: k.get(Unknown, "a"), LookupError, "the server has no resource 'stable.exa"),
    (lambda k: k.get(Unstructured, "a"), TypeError, "not the class Unstructured"),
    (lambda k: k.list(Pod, namespace=""), ValueError, "namespace must be .* means all namespaces"),
    (lambda k: k.list(ConfigMapList), LookupError, "v1/ConfigMapList is a list: use ConfigMap"),
    (lambda k: k.update(ConfigMap()), ValueError, r"^update\(ConfigMap\): metadata.name must be"),
    (lambda k: k.apply({}), ValueError, r"^apply\(\): the manifest must have an apiVersion and a"),
    (lambda k: k.apply({"kind": "Pod"}), ValueError, "must have an apiVersion and a kind"),
    (
        lambda k: k.apply({"apiVersion": "example.com/v1", "kind": "Nonesuch"}),
        LookupError,
        "the server has no resource 'example.com/v1/Nonesuch'",
    ),
    (lambda k: k.apply(Pod), TypeError, r"^apply\(\): an object is a model .* not the class"),
    (
        lambda k: k.create("x"),
        TypeError,
        r"^create\(\): an object is a model or a mapping, not a s",
    ),
    (
        lambda k: k.delete(ConfigMap()),
        ValueError,
        r"^delete\(ConfigMap\): name must be a non-empty",
    ),
    (lambda k: k.delete(Pod), TypeError, r'^write delete\(OBJECT\) or delete\(CLASS, "NAME"\)$'),
    (
        lambda k: k.patch(Pod, MergePatch({})),
        TypeError,
        r'^write patch\(OBJECT, patch\) or patch\(CLASS, "NAME", patch\)$',
    ),
    (lambda k: k.edit(config_map(), "web", print), TypeError, "write edit.OBJECT, change. or edit"),
    (
        lambda k: k.delete_collection(Pod),
        ValueError,
        r"^delete_collection\(Pod\): the call needs a namespace",
    ),
    (
        lambda k: k.create(config_map(namespace="shop"), namespace="default"),
        ValueError,
        r"^create\(ConfigMap\): the object is in the namespace 'shop', but namespace='default'",
    ),
    (
        lambda k: k.apply(
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": 5}}
        ),
        ValueError,
        r"^apply\(Pod\): namespace must be a non-empty string, not 5",
    ),
    (lambda k: k.get(Pod, "a", nmespace="b"), TypeError, "unexpected option 'nmespace'"),
]


@pytest.mark.parametrize(("call", "error", "message"), WRONG)
async def test_mistakes_are_told_and_nothing_is_sent(
    server: LocalServer, call: Callable[[Any], Any], error: type[Exception], message: str
) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        with pytest.raises(error, match=message):
            await call(k)
    assert sent(server) == []


async def test_watches_and_pages_of_unknown_kinds_are_refused(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        with pytest.raises(LookupError, match="the server has no resource"):
            async for _ in k.watch(Unknown):
                pass
        with pytest.raises(LookupError, match="the server has no resource"):
            async for _ in k.each(Unknown):
                pass


async def test_options_are_those_of_generated_clients(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        dry = await k.create(config_map(), dry_run=True, field_manager="me", timeout=60)
        assert dry.metadata.uid
        with pytest.raises(NotFound):
            await k.get(ConfigMap, "web")
        await k.create(config_map(a="1"))
        await k.apply(config_map(a="2"), field_manager="me", force=True)
        with pytest.raises(Conflict):
            await k.apply(config_map(a="3"), field_manager="other")
        obj = await k.get(ConfigMap, "web", resource_version="0")
        await k.delete(obj, uid=obj.metadata.uid, propagation_policy="Foreground")


async def test_what_does_not_fit_the_class_is_told_after_an_apply(server: LocalServer) -> None:
    """The server answers 500 then. It is asked first: a newer one may have more fields."""
    pod = {"name": "p", "resources": {"limits": {"cpu": "1"}}, "imagePullPolice": "Always"}
    body: dict[str, object] = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"replicas": "3", "template": {"spec": {"containers": [pod]}}},
    }
    secret: dict[str, object] = {"data": {"password": 5}}
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        with pytest.raises(ManifestError) as raised:
            await k.apply(body)
        unknown = "Container has no such field; did you mean imagePullPolicy?"
        assert str(raised.value).splitlines() == [
            "apply(): Deployment web: spec.replicas: expected `int | null`, got `str`",
            f"apply(): Deployment web: spec.template.spec.containers[0].imagePullPolice: {unknown}",
        ]
        assert isinstance(raised.value.__cause__, InternalError)
        with pytest.raises(ManifestError, match=r"spec\.replicas: expected"):
            await k.apps_v1.deployments("shop").apply(body)
        with pytest.raises(ManifestError, match="ConfigMap a: dta: ConfigMap has no such field"):
            await k.apply({**to_dict(config_map("a", "shop")), "dta": {}})
        with pytest.raises(ManifestError) as of_secret:
            await k.core_v1.secrets("shop").apply({"metadata": {"name": "s"}, **secret})
        assert str(of_secret.value).startswith("apply(): Secret s: data.password: ")
        twice = {"template": {"spec": {"containers": [{"name": "p"}, {"name": "p"}]}}}
        with pytest.raises(ManifestError) as of_server:  # the class does not know
            await k.apply({**body, "spec": twice})
        assert str(of_server.value).startswith("apply(): Deployment web: spec.template.spec.")
        assert "duplicate entries" in str(of_server.value)


async def test_what_a_server_refuses_of_a_kind_without_a_class_is_told(server: LocalServer) -> None:
    zone = {"apiVersion": "stable.example.com/v1", "kind": "Zone", "metadata": {"name": "z"}}
    wrong = Unstructured({**zone, "sepc": {}})
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        for apply in (k.apply, k.dynamic.resource("zones").apply):
            with pytest.raises(ManifestError) as raised:
                await apply(wrong)
            assert str(raised.value) == "apply(): Zone z: sepc: field not declared in schema"
            assert isinstance(raised.value.__cause__, InternalError)


async def test_the_scheme_is_one_and_the_package_is_in_it(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        assert k.scheme is k.scheme
        assert k.scheme.resource(Deployment) == Resource(
            "apps", "v1", "deployments", "Deployment", namespaced=True
        )
        assert k.scheme is not AsyncClientset(k.rest).scheme
