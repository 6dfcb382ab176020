"""Typed views: some fields of a kind, read by clients, caches and controllers."""

from __future__ import annotations

import gc
import types
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.apps.v1 import Deployment, DeploymentSpec
from kubeapi.core.v1 import (
    ConfigMap,
    Container,
    EnvVar,
    Namespace,
    Pod,
    PodSpec,
    PodStatus,
    PodTemplateSpec,
    ResourceRequirements,
    Secret,
    Service,
    ServicePort,
    ServiceSpec,
)
from kubeapi.meta.v1 import LabelSelector, ManagedFieldsEntry, ObjectMeta, OwnerReference
from kubeapi.networking.v1 import (
    NetworkPolicy,
    NetworkPolicyIngressRule,
    NetworkPolicyPeer,
    NetworkPolicySpec,
)

from clientgen.runtime._async._primitives import sleep, spawn
from clientgen.runtime._async.rest import AsyncRest
from clientgen.runtime._http.request import HttpRequest, HttpResponse
from clientgen.runtime._http.shard_ranges import shard_hash
from clientgen.runtime.aio import AsyncContext, AsyncManager
from clientgen.runtime.conditions import condition, ready
from clientgen.runtime.config import ClusterConfig
from clientgen.runtime.controllers import Request
from clientgen.runtime.errors import DecodeError, NotFound
from clientgen.runtime.models import IntOrString, Quantity, Time
from clientgen.runtime.views import PartOf, View, ViewMeta
from clientgen.testing import FakeCluster, LocalServer
from clientgen.testing._fake.transports import AsyncInProcessTransport


class PlaceContainer(PartOf[Container]):
    name: str
    image: str | None
    resources: ResourceRequirements | None


class PlaceSpec(PartOf[PodSpec]):
    node_name: str | None
    containers: list[PlaceContainer]


class PlaceStatus(PartOf[PodStatus]):
    phase: str | None


class PodPlace(View[Pod]):
    spec: PlaceSpec
    status: PlaceStatus


class PodName(View[Pod]):
    """Metadata only."""


class WithAnnotations(ViewMeta):
    annotations: dict[str, str]
    creation_timestamp: Time | None


class AnnotatedPlace(PodPlace):
    metadata: WithAnnotations


class Replicas(PartOf[DeploymentSpec]):
    replicas: int | None


class DeploymentSize(View[Deployment]):
    spec: Replicas


class SecretKeys(View[Secret]):
    data: dict[str, bytes]
    type: str | None


class MapData(View[ConfigMap]):
    data: dict[str, str]


def pod(name: str, **labels: str) -> Pod:
    container = Container(
        name="web",
        image="nginx:1",
        env=[EnvVar(name="A", value="hidden" * 50)],
        resources=ResourceRequirements(limits={"memory": Quantity("64Mi")}),
    )
    metadata = ObjectMeta(name=name, namespace="shop", labels=labels, annotations={"note": "x"})
    return Pod(metadata=metadata, spec=PodSpec(containers=[container], node_name="n1"))


def config_map(name: str, **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace="shop"), data=data)


def shop() -> FakeCluster:
    return FakeCluster(Namespace(metadata=ObjectMeta(name="shop")))


class AsyncRunning:
    """A manager that runs beside the test."""

    def __init__(self, manager: AsyncManager) -> None:
        self.manager = manager

    async def __aenter__(self) -> None:
        self.task = spawn(self.manager.run, "manager")

    async def __aexit__(self, *_: object) -> None:
        self.manager.stop()
        assert await self.task.join(60)


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with LocalServer(shop()) as running:
        running.cluster.add(pod("web-0", app="web"), pod("web-1", app="web"), pod("db-0", app="db"))
        yield running


async def until(holds: Callable[[], object]) -> None:
    """Wait for something to become true."""
    deadline = monotonic() + 30
    while not holds():
        assert monotonic() < deadline, "timed out"
        await sleep(0.001)


# ---- clients ----------------------------------------------------------------------------------


async def test_clients_read_views(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        pods = k.core_v1.pods("shop").view(PodPlace)
        place = await pods.get("web-0")
        assert type(place) is PodPlace
        assert (place.metadata.name, place.metadata.namespace) == ("web-0", "shop")
        assert place.metadata.labels == {"app": "web"}
        assert (place.spec.node_name, place.status.phase) == ("n1", "Pending")
        (container,) = place.spec.containers
        assert (container.name, container.image) == ("web", "nginx:1")
        assert container.resources is not None
        assert container.resources.limits == {"memory": Quantity("64Mi")}
        assert "hidden" not in repr(place)
        assert not gc.is_tracked(place)
        assert not hasattr(place.spec, "hostname")
        assert (place.api_version, place.kind) == ("v1", "Pod")

        listed = await pods.list(label_selector={"app": "web"})
        assert [each.metadata.name for each in listed.items] == ["web-0", "web-1"]
        assert {type(each) for each in listed.items} == {PodPlace}
        every = k.core_v1.pods().view(PodPlace)
        assert [each.metadata.name async for each in every.each(limit=1)] == [
            "db-0", "web-0", "web-1",
        ]  # fmt: skip
        async with every.watch(resource_version=listed.metadata.resource_version) as events:
            await k.core_v1.pods("shop").patch("db-0", {"metadata": {"labels": {"a": "b"}}})
            async for event in events:
                assert (event.type, type(event.object)) == ("MODIFIED", PodPlace)
                assert event.object.metadata.labels == {"app": "db", "a": "b"}
                break


async def test_any_object_calls_take_views(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        place = await k.get(PodPlace, "web-0", namespace="shop")
        assert (type(place), place.spec.node_name) == (PodPlace, "n1")
        listed = await k.list(PodPlace, namespace="shop", label_selector="app=db")
        assert [(type(each), each.metadata.name) for each in listed.items] == [(PodPlace, "db-0")]
        annotated = await k.get(AnnotatedPlace, "web-0", namespace="shop")
        assert annotated.metadata.annotations == {"note": "x"}
        assert annotated.metadata.creation_timestamp is not None
        assert annotated.spec.node_name == "n1"


async def test_a_whole_object_is_read_by_its_view(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        pods = k.core_v1.pods("shop")
        place = await pods.view(PodPlace).get("web-0")
        for whole in (await k.full(place), await pods.view(PodPlace).full(place)):
            assert whole.spec.containers[0].env[0].name == "A"
        await pods.delete("web-0", grace_period_seconds=0)
        await pods.create(pod("web-0"))
        for read in (k.full, pods.view(PodPlace).full):
            with pytest.raises(NotFound, match=r"web-0.* not found: another object has its name"):
                await read(place)
        with pytest.raises(TypeError, match="takes a view, not a Pod"):
            await k.full(await pods.get("web-0"))  # type: ignore[arg-type]


class AsyncRecordingTransport(AsyncInProcessTransport):
    """Records what requests for pods accept."""

    def __init__(self, cluster: FakeCluster) -> None:
        super().__init__(cluster.dispatcher)
        self.accepted: list[str] = []

    async def send(self, request: HttpRequest, timeout: float | None) -> HttpResponse:
        self._record(request)
        return await super().send(request, timeout)

    async def stream(
        self,
        request: HttpRequest,
        timeout: float | None,
        read_timeout: float | None,
    ) -> Any:
        self._record(request)
        return await super().stream(request, timeout, read_timeout)

    def _record(self, request: HttpRequest) -> None:
        if "/pods" in request.target:
            self.accepted.append(dict(request.headers)["Accept"])


async def test_metadata_is_asked_for_alone() -> None:
    cluster = shop()
    cluster.add(pod("web-0", app="web"))
    transport = AsyncRecordingTransport(cluster)
    config = ClusterConfig("http://in-process")
    async with AsyncClientset(AsyncRest(config, transport=transport)) as k:
        named = k.core_v1.pods("shop").view(PodName)
        (name,) = (await named.list()).items
        assert (type(name), name.metadata.labels) == (PodName, {"app": "web"})
        assert (await named.get("web-0")).metadata.name == "web-0"
        informer = k.informers().view(PodName)
        async with informer:
            assert await informer.wait_for_sync(30)
            assert informer.lister.get("shop", "web-0").kind == "Pod"
    assert len(transport.accepted) >= 3
    assert all("as=PartialObjectMetadata" in accept for accept in transport.accepted)


async def test_views_are_not_written(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        pods: Any = k.core_v1.pods("shop")
        place: Any = await pods.view(PodPlace).get("web-0")
        for write in ("create", "update", "apply"):
            with pytest.raises(TypeError, match="PodPlace is a view, which has only some fields"):
                await getattr(pods, write)(place)
            with pytest.raises(TypeError, match="PodPlace is a view, which has only some fields"):
                await getattr(k, write)(place)
        with pytest.raises(AttributeError, match=r"read-only: call patch\(\) of the client of wh"):
            pods.view(PodPlace).patch("web-0", {})
        with pytest.raises(AttributeError, match=r"PodPlace.spec cannot be assigned: a view is"):
            place.spec = None
        with pytest.raises(AttributeError, match=r"PlaceSpec.*hostname"):
            place.spec.hostname = "x"  # pyright: ignore[reportOptionalMemberAccess]
        with pytest.raises(TypeError, match=r"patch\(\) takes whole objects"):
            await k.patch(place, {"metadata": {"labels": {"a": "b"}}})
        with pytest.raises(TypeError, match=r"edit\(\) takes whole objects"):
            await k.edit(place, print)
        await k.delete(place, grace_period_seconds=0)  # needs the name only
        with pytest.raises(NotFound):
            await pods.get("web-0")


async def test_conditions_need_the_fields_of_the_view(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        pods = k.core_v1.pods("shop")
        places = pods.view(PodPlace)
        await pods.status("web-0").patch({"status": {"phase": "Running"}})
        running = await places.wait(
            "web-0", until=lambda it: it.status.phase == "Running", timeout=30
        )
        assert type(running) is PodPlace
        with pytest.raises(TypeError, match="the view PodPlace does not have"):
            await places.wait("web-0", until=ready, timeout=30)
        sizes = k.apps_v1.deployments("shop").view(DeploymentSize)
        server.cluster.add(deployment("web", 2))
        with pytest.raises(
            TypeError, match=r"the view DeploymentSize does not have the field status"
        ):
            await sizes.wait("web", until=condition("Available"), timeout=30)


# ---- what servers send ------------------------------------------------------------------------


async def test_hostile_answers() -> None:
    cluster = shop()
    async with cluster.clientset(AsyncClientset) as k:
        places = k.core_v1.pods("shop").view(PodPlace)

        async def answer(body: dict[str, Any]) -> PodPlace:
            cluster.clear_reactions()
            cluster.react("get", "pods", body)
            return await places.get("p")

        head = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "shop"}}
        for absent in ({}, {"spec": None, "status": None}):
            place = await answer({**head, **absent})
            assert (place.spec.containers, place.spec.node_name, place.status.phase) == (
                [], None, None,
            )  # fmt: skip
        place = await answer({**head, "spec": {"containers": None, "unknown": [1, {"a": 2}]}})
        assert place.spec.containers == []
        place = await answer({**head, "metadata": {"name": "p", "labels": None}})
        assert place.metadata.labels == {}
        with pytest.raises(DecodeError, match="kind"):
            await answer({**head, "kind": "Node"})
        wrong: Any = await answer({**head, "spec": {"containers": "x"}, "status": {"phase": 3}})
        whole: Any = await k.core_v1.pods("shop").get("p")
        assert (wrong.spec.containers, wrong.status.phase) == ("x", 3)  # as the model reads them
        assert (whole.spec.containers, whole.status.phase) == ("x", 3)

        items: list[Any] = [None, {"metadata": {"name": "a"}}]
        cluster.react("list", "pods", {"apiVersion": "v1", "kind": "PodList", "items": items})
        assert [each.metadata.name for each in await places.list()] == ["", "a"]
        cluster.clear_reactions()
        items.append({**head, "kind": "Node"})
        cluster.react("list", "pods", {"apiVersion": "v1", "kind": "PodList", "items": items})
        with pytest.raises(DecodeError, match="expected the kind Pod, got another kind"):
            await places.list()


# ---- caches -----------------------------------------------------------------------------------


def deployment(name: str, replicas: int) -> Deployment:
    labels = {"app": name}
    template = PodTemplateSpec(
        metadata=ObjectMeta(labels=labels),
        spec=PodSpec(containers=[Container(name="web", image="nginx")]),
    )
    spec = DeploymentSpec(
        replicas=replicas, selector=LabelSelector(match_labels=labels), template=template
    )
    return Deployment(metadata=ObjectMeta(name=name, namespace="shop"), spec=spec)


async def test_informers_keep_views(server: LocalServer) -> None:
    seen: list[str] = []
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        informers = k.informers(namespace="shop")
        informer = informers.view(PodPlace)
        assert informers.view(PodPlace) is informer
        assert informers.view(AnnotatedPlace) is not informer
        informer.add_index("node", lambda place: [place.spec.node_name or ""])

        def note(old: PodPlace, new: PodPlace) -> None:
            seen.append(f"{old.metadata.labels} {new.metadata.labels}")

        informer.add_handler(on_update=note)
        async with informer:
            assert await informer.wait_for_sync(30)
            assert {type(each) for each in informer.lister.list()} == {PodPlace}
            assert len(informer.indexer.by_index("node", "n1")) == 3
            (db,) = informer.lister.list("app=db")
            assert informer.lister.get("shop", "db-0") is db

            pods = k.core_v1.pods("shop")
            await pods.patch("db-0", {"metadata": {"labels": {"app": "db2"}}})
            assert informer.lister.get("shop", "db-0").metadata.labels == {"app": "db2"}
            made = await pods.create(pod("new-0", app="new"))
            new = informer.lister.get("shop", "new-0")
            assert (type(new), new.metadata.uid) == (PodPlace, made.metadata.uid)
            assert new.spec.containers[0].image == "nginx:1"
            await pods.status("new-0").patch({"status": {"phase": "Running"}})
            assert informer.lister.get("shop", "new-0").status.phase == "Running"
            await pods.delete("new-0", grace_period_seconds=0)
            with pytest.raises(NotFound):
                informer.lister.get("shop", "new-0")
            await until(lambda: seen)
    assert seen[0] == "{'app': 'db'} {'app': 'db2'}"


async def test_caches_are_filled_by_streaming_lists(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "clientgen.runtime.informers")
    cluster = shop()
    async with cluster.clientset(AsyncClientset) as k, k.informers() as factory:
        for view in (PodPlace, PodName, AnnotatedPlace):
            factory.view(view)
        factory.start()
        await factory.wait_for_sync(30)
    assert caplog.messages == []  # a list in place of the stream is logged
    assert [action.verb for action in cluster.actions] == ["watch"] * 3


async def test_own_writes_of_what_a_view_lacks(server: LocalServer) -> None:
    server.cluster.add(deployment("web", 2))
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        informers = k.informers(namespace="shop")
        sized, named = informers.view(DeploymentSize), informers.view(DeploymentName)
        async with sized, named:
            assert await sized.wait_for_sync(30)
            assert await named.wait_for_sync(30)
            scale = k.apps_v1.deployments("shop").scale("web")
            await scale.patch({"spec": {"replicas": 5}})
            assert sized.lister.get("shop", "web").spec.replicas == 5
            assert named.lister.get("shop", "web").metadata.labels == {}
            await k.apps_v1.deployments("shop").patch("web", {"metadata": {"labels": {"a": "b"}}})
            assert named.lister.get("shop", "web").metadata.labels == {"a": "b"}
            assert sized.lister.get("shop", "web").metadata.labels == {"a": "b"}


class DeploymentName(View[Deployment]):
    """Metadata only."""


class ManagedMeta(ViewMeta):
    creation_timestamp: Time | None
    managed_fields: list[ManagedFieldsEntry]


class ManagedPlace(PodPlace):
    metadata: ManagedMeta


async def test_caches_of_views_take_the_options_of_caches(server: LocalServer) -> None:
    ops = pod("ops-0")
    ops.metadata.namespace = "ops"
    server.cluster.add(Namespace(metadata=ObjectMeta(name="ops")), ops)
    namespaces: Any = {"shop": {"label_selector": "app=web"}, "ops": {}}
    transformed: set[tuple[type, int]] = set()

    def note(place: ManagedPlace) -> ManagedPlace:
        transformed.add((type(place), len(place.metadata.managed_fields)))
        return place

    async with AsyncClientset.from_config(server.kubeconfig) as k:
        pods = k.core_v1.pods("shop")
        await pods.create(pod("web-2", app="web"), field_manager="test")
        live = await pods.view(ManagedPlace).get("web-2")
        assert [each.manager for each in live.metadata.managed_fields] == ["test"]
        async with k.informers(
            namespace=namespaces, storage="compressed", strip_managed_fields=True, transform=note
        ) as factory:
            lister = factory.view(ManagedPlace).lister
            factory.start()
            await factory.wait_for_sync(30)
            assert sorted(each.metadata.name for each in lister.list()) == [
                "ops-0", "web-0", "web-1", "web-2",
            ]  # fmt: skip
            stripped = lister.get("shop", "web-2")
            assert type(stripped) is ManagedPlace
            assert stripped.metadata.managed_fields == []
            assert stripped.metadata.creation_timestamp == live.metadata.creation_timestamp
            assert (stripped.spec, stripped.status) == (live.spec, live.status)
            await pods.patch("web-2", {"metadata": {"labels": {"a": "c"}}})
            assert lister.get("shop", "web-2").metadata.labels == {"app": "web", "a": "c"}
        assert transformed == {(ManagedPlace, 0)}

        async with k.informers(shard_selector=LOW_HALF) as sharded:
            lister_of_shard = sharded.view(PodName).lister
            sharded.start()
            await sharded.wait_for_sync(30)
            every = await k.list(PodName, namespace=None)
            low = {each.metadata.name for each in every if shard_hash(each.metadata.uid) < 2**63}
            assert {each.metadata.name for each in lister_of_shard.list()} == low


LOW_HALF = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"


# ---- controllers ------------------------------------------------------------------------------


async def test_controllers_take_views() -> None:
    cluster = shop()
    cluster.add(config_map("a", size="1"))
    stored = cluster.clientset(Clientset).core_v1.config_maps("shop").get("a")
    owner = OwnerReference(
        api_version="v1", kind="ConfigMap", name="a", uid=stored.metadata.uid, controller=True
    )
    seen: list[str] = []

    async def reconcile(context: AsyncContext[MapData]) -> None:
        assert context.object is not None
        assert type(context.object) is MapData
        seen.append(f"{context.name} {context.object.data}")

    async with cluster.clientset(AsyncClientset) as k:
        manager = AsyncManager(k)
        controller = manager.controller("maps", reconcile).for_(MapData)
        controller.owns(ServiceName).watches(
            PodPlace, lambda place: [Request("shop", place.metadata.labels.get("map", ""))]
        )
        async with AsyncRunning(manager):
            await until(lambda: "a {'size': '1'}" in seen)
            seen.clear()
            service = Service(
                metadata=ObjectMeta(name="s", namespace="shop", owner_references=[owner]),
                spec=ServiceSpec(ports=[ServicePort(port=80)]),
            )
            await k.core_v1.services("shop").create(service)
            await until(lambda: seen)
            seen.clear()
            await k.core_v1.pods("shop").create(pod("p", map="a"))
            await until(lambda: seen)
    assert set(seen) == {"a {'size': '1'}"}


class ServiceName(View[Service]):
    """Metadata only."""


# ---- declarations -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "body", "match"),
    [
        (PartOf[PodSpec], {"nodename": str | None}, "nodename: PodSpec has no field .*node_name"),
        (PartOf[PodSpec], {"nodeName": str | None}, "nodeName: PodSpec has no field .*node_name"),
        (PartOf[PodSpec], {"node_name": int | None}, r"is declared as int \| None, but .* is str"),
        (View[Pod], {"spec": PlaceStatus}, "is declared as PlaceStatus, but Pod.spec is PodSpec"),
        (PartOf[PodSpec], {"containers": PlaceContainer}, r"but .* is list\[Container\]"),
        (View[PodSpec], {"node_name": str | None}, r"a part of objects: write .*PartOf\[PodSpec\]"),
        (View, {"spec": PlaceSpec}, "Wrong does not name its model"),
        (View[PodPlace], {"spec": PlaceSpec}, "PodPlace.*, which is no model"),  # type: ignore[type-var]
        (View[Pod], {"metadata": ObjectMeta}, "is declared as ObjectMeta: derive it from ViewMeta"),
        (View[Pod], {"spec": "Nowhere"}, "Nowhere.*: a view needs the types of its fields at run"),
    ],
)
def test_wrong_declarations(base: Any, body: dict[str, Any], match: str) -> None:
    with pytest.raises(TypeError, match=match):
        types.new_class("Wrong", (base,), {}, lambda names: names.update(__annotations__=body))


def test_views_have_the_defaults_of_the_model() -> None:
    with pytest.raises(TypeError, match=r"_Wrong.node_name has a default of its own"):

        class _Wrong(PartOf[PodSpec]):  # pyright: ignore[reportUnusedClass]
            node_name: str | None = "n1"

    with pytest.raises(TypeError, match="_Other is a view of both Pod and ConfigMap"):

        class _Other(PodPlace, View[ConfigMap]):  # pyright: ignore[reportUnusedClass, reportGeneralTypeIssues]
            pass


class Port(PartOf[ServicePort]):
    port: int
    target_port: IntOrString | None


class ServicePorts(PartOf[ServiceSpec]):
    ports: list[Port]
    cluster_ip: str | None


class Rule(PartOf[NetworkPolicyIngressRule]):
    from_: list[NetworkPolicyPeer]


class RuleSpec(PartOf[NetworkPolicySpec]):
    ingress: list[Rule]


AnyService = View[Service]


class ServicePlace(AnyService):
    """Derived from a generic alias."""

    spec: ServicePorts


class Policy(View[NetworkPolicy]):
    spec: RuleSpec


async def test_names_and_types_are_those_of_the_model() -> None:
    cluster = shop()
    cluster.add(
        Service(
            metadata=ObjectMeta(name="s", namespace="shop"),
            spec=ServiceSpec(
                ports=[
                    ServicePort(name="a", port=80, target_port="http"),
                    ServicePort(name="b", port=81, target_port=8081),
                ]
            ),
        )
    )
    peer = NetworkPolicyPeer(pod_selector=LabelSelector(match_labels={"app": "web"}))
    cluster.add(
        NetworkPolicy(
            metadata=ObjectMeta(name="n", namespace="shop"),
            spec=NetworkPolicySpec(ingress=[NetworkPolicyIngressRule(from_=[peer])]),
        )
    )
    async with cluster.clientset(AsyncClientset) as k:
        service = await k.get(ServicePlace, "s", namespace="shop")
        assert [each.target_port for each in service.spec.ports] == ["http", 8081]
        assert service.spec.cluster_ip
        policy = await k.get(Policy, "n", namespace="shop")
        assert policy.spec.ingress[0].from_ == [peer]


async def test_a_view_of_another_kind_is_refused() -> None:
    async with FakeCluster().clientset(AsyncClientset) as k:
        for wrong in (MapData, Pod, PlaceSpec, "PodPlace"):
            given: Any = wrong
            with pytest.raises(TypeError, match=r"is a view of v1 ConfigMap|is no view"):
                k.core_v1.pods("shop").view(given)
            if wrong is not MapData:
                with pytest.raises((TypeError, LookupError)):
                    k.informers().view(given)


async def test_secrets_stay_hidden(server: LocalServer) -> None:
    server.cluster.add(
        Secret(metadata=ObjectMeta(name="s", namespace="shop"), data={"key": b"hush-hush"})
    )
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        keys = await k.core_v1.secrets("shop").view(SecretKeys).get("s")
    assert keys.data == {"key": b"hush-hush"}
    assert "hush" not in repr(keys)
    assert "aHVzaC" not in repr(keys)
    assert "hush" not in str(keys)
