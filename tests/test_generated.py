"""Golden output at work: the packages are imported, built, called and read, not only compared."""

from __future__ import annotations

import asyncio
import importlib
import json
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support.golden import GOLDEN, GOOD, import_paths, package_of
from support.imports import importable
from support.run_folders import RunFolders

from clientgen.generator.resolve.views import STANDARD_METADATA
from clientgen.runtime import Indexer, Scheme
from clientgen.runtime.models import ObjectMeta, Quantity, decode, encode, raw, raw_value
from clientgen.runtime.views import ViewMeta
from clientgen.testing import FakeCluster, fake_clientset


@pytest.fixture(autouse=True, scope="module")
def golden_packages(run_folders: RunFolders) -> Iterator[None]:
    with importable(import_paths(run_folders)):
        yield


def load(name: str) -> ModuleType:
    return importlib.import_module(name)


@pytest.mark.parametrize("case", GOOD, ids=package_of)
def test_every_module_of_every_package_imports(case: Path) -> None:
    package = package_of(case)
    root = load(package)

    for module in pkgutil.walk_packages(root.__path__, f"{package}."):
        loaded = load(module.name)
        assert loaded.__doc__
        assert all(hasattr(loaded, name) for name in getattr(loaded, "__all__", ()))


def test_fields_of_every_kind_are_built_sent_and_read() -> None:
    shop = load("fields.shop.v1")
    spec = shop.CrateSpec(
        owner="me",
        sides=6,
        limits={"cpu": Quantity("500m")},
        port="http",
        payload=raw({"a": [1, None]}),
        padding=shop.Padding(),
        seal=b"\xff",
        address=shop.CrateSpecAddress(street="High", geo=shop.CrateSpecAddressGeo(lat=1.5)),
        stops=[shop.CrateSpecStops(port="Hull")],
        inner=[shop.CrateSpec(owner="you", sides=1, limits={})],
        percent="50%",
    )

    sent = encode(shop.Crate(spec=spec))

    assert json.loads(sent) == {
        "apiVersion": "shop.example.com/v1",
        "kind": "Crate",
        "spec": {
            "owner": "me",
            "sides": 6,
            "limits": {"cpu": "500m"},
            "port": "http",
            "payload": {"a": [1, None]},
            "padding": {},
            "seal": "/w==",
            "address": {"street": "High", "geo": {"lat": 1.5}},
            "stops": [{"port": "Hull"}],
            "inner": [{"owner": "you", "sides": 1, "limits": {}}],
            "percent": "50%",
        },
    }
    read = decode(sent, shop.Crate)
    assert read.spec == spec
    assert raw_value(read.spec.payload) == {"a": [1, None]}
    assert (read.status.phase, read.metadata.name) == (None, "")


def test_hostile_names_reach_the_wire_as_they_are() -> None:
    shop = load("hostile_names.shop.v1")

    spec = shop.OddSpec(from_="a", int_=1, ref="b", kubernetes_list_type="c", list_=[1], none="d")

    assert json.loads(encode(spec)) == {
        "from": "a",
        "int": 1,
        "$ref": "b",
        "x-kubernetes-list-type": "c",
        "list": [1],
        "None": "d",
    }
    wire = {"except": "e", "continue": "f", "clusterIPs": "g", "podCIDRs": "h", "2fast": "i"}
    read = decode(json.dumps({"from": "", "int": 0, **wire}).encode(), shop.OddSpec)
    assert (read.except_, read.continue_, read.cluster_ips) == ("e", "f", "g")
    assert (read.pod_cidrs, read.field_2fast) == ("h", "i")


def test_types_that_need_each_other_are_read_across_modules() -> None:
    hens = load("circles.b.v1")

    hen = decode(
        b'{"spec": {"metadata": {"name": "egg"}, "spec": {"metadata": {"name": "inner"}}},'
        b' "status": {"metadata": {"name": "herself"}}}',
        hens.Hen,
    )

    assert hen.spec.metadata.name == "egg"
    assert hen.spec.spec.metadata.name == "inner"
    assert hen.status.metadata.name == "herself"


def test_views_read_the_fields_that_the_configuration_names() -> None:
    placement = load("views.core.v1.views").PodPlacement
    pod: dict[str, Any] = {
        "kind": "Pod",
        "metadata": {"name": "web", "annotations": {"a": "b"}, "managedFields": [{}]},
        "spec": {
            "nodeName": "n1",
            "overhead": {"cpu": "500m"},
            "containers": [
                {"image": "nginx", "livenessProbe": {"httpGet": {"port": "http"}}},
                {"image": "redis", "ports": [{"containerPort": 6379, "name": "redis"}]},
            ],
        },
    }

    read = decode(json.dumps(pod).encode(), placement)

    assert (read.api_version, read.kind, read.metadata.name) == ("v1", "Pod", "web")
    assert (read.metadata.annotations, read.metadata.labels) == ({"a": "b"}, {})
    assert (read.spec.node_name, read.spec.priority) == ("n1", None)
    assert read.spec.overhead == {"cpu": Quantity("0.5")}
    web, redis = read.spec.containers
    assert (web.image, web.liveness_probe.http_get.port, web.ports) == ("nginx", "http", [])
    assert (redis.ports[0].container_port, redis.liveness_probe) == (6379, None)
    assert (read.status.phase, read.status.conditions) == (None, [])
    for gone in (read.metadata, "managed_fields"), (read.spec, "volumes"), (web, "name"):
        assert not hasattr(*gone)


def test_clients_read_with_generated_views() -> None:
    kubeapi, placement = load("kubeapi"), load("views.core.v1.views").PodPlacement
    core = load("kubeapi.core.v1")
    spec = core.PodSpec(node_name="n1", containers=[core.Container(name="web", image="nginx")])
    k = fake_clientset(kubeapi.Clientset, core.Pod(metadata=ObjectMeta(name="web"), spec=spec))

    (pod,) = k.core_v1.pods("default").view(placement).list()

    assert type(pod) is placement
    assert (pod.metadata.name, pod.spec.node_name) == ("web", "n1")
    assert [container.image for container in pod.spec.containers] == ["nginx"]


def test_views_have_the_names_and_defaults_of_classes_of_the_user() -> None:
    light = load("views.house.v1.views").LampLight
    bare = decode(b'{"metadata": {"name": "a"}, "spec": {}}', light)
    full = decode(b'{"metadata": {}, "spec": {"sizeCM": 3, "from": "x", "bulbs": [{}]}}', light)

    assert (bare.spec.colour, bare.spec.size, bare.spec.level) == ("White", 20, 5)
    assert (bare.spec.bulbs, bare.spec.spares, bare.spec.template) == ([], {}, None)
    assert (full.spec.size, full.spec.from_, full.spec.bulbs[0].kind) == (3, "x", "LED")


def test_all_views_have_the_metadata_that_is_not_generated() -> None:
    always: Any = ViewMeta
    assert frozenset(always.__struct_encode_fields__) == STANDARD_METADATA


def methods(client: type) -> set[str]:
    return {name for name in dir(client) if not name.startswith("_") and name != "resource"}


def test_markers_take_away_and_add() -> None:
    for flavour, prefix in (("clients", ""), ("async_clients", "Async")):
        clients = load(f"markers.shop.v1.{flavour}")

        def of(kind: str) -> set[str]:
            return methods(getattr(clients, f"{prefix}{kind}Client"))  # noqa: B023

        plain = of("Plain")
        assert plain - of("Kept") == {"delete", "delete_collection"}
        assert of("Created") == {"create"}
        assert of("Seen") == {"get", "list", "each", "watch", "view", "wait"}
        assert not hasattr(clients, f"{prefix}SilentClient")
        assert plain - of("Stateless") == {"update_status", "apply_status", "status"}
        assert of("Scaled") - plain == {
            "scale",
            "get_scale",
            "update_scale",
            "apply_scale",
            "patch_scale",
            "replace",
        }


def test_markers_of_the_configuration_count_like_those_of_descriptions() -> None:
    clients = load("config_markers.networking_k8s.v1.clients")

    assert methods(clients.RouteClient) == {"get", "list", "each", "replace"}
    assert "networking_mesh.v1beta1.clients" not in {
        m.name for m in pkgutil.walk_packages(load("config_markers").__path__)
    }


def test_expansions_are_methods_of_the_client_in_both_flavours() -> None:
    clients = load("expansions.shop.v1.clients")
    twins = load("expansions.shop.v1.async_clients")

    assert "get_unless_open" in methods(clients.CrateClient)
    assert "get_unless_open" in methods(twins.AsyncCrateClient)


def test_expansions_are_methods_of_the_listers() -> None:
    shop, listers = load("expansions.shop.v1"), load("expansions.shop.v1.listers")
    named = [ObjectMeta(name=name, namespace="a") for name in ("shut", "open")]
    cache = Indexer[Any]()
    for metadata in named:
        spec = shop.CrateSpec(owner="me", sides=6, limits={}, open=metadata.name == "open")
        cache.upsert(shop.Crate(metadata=metadata, spec=spec))

    lister = listers.CrateLister(cache, load("expansions.shop.v1.resources").CRATES)

    assert [crate.metadata.name for crate in lister.open()] == ["open"]
    assert lister.in_namespace("a").is_open("open")
    assert not lister.in_namespace("a").is_open("shut")
    with pytest.raises(ValueError, match="namespace must be a non-empty string, not ''"):
        lister.in_namespace("")


def test_expansions_of_kinds_from_definitions_and_from_python_types() -> None:
    package, water = load("expansions_crd"), load("expansions_crd.water.v1")
    cluster = FakeCluster(crds=[GOLDEN / "expansions-crd/pump.yaml"])
    pumps = cluster.clientset(package.Clientset).water_v1.pumps()
    pumps.create(water.Pump(metadata=ObjectMeta(name="a"), spec=water.PumpSpec(power=40)))

    assert pumps.switch("a", runs=True).spec.runs is True

    async def switch_off() -> None:
        client = cluster.clientset(package.AsyncClientset).water_v1.pumps()
        assert (await client.switch("a", runs=False)).spec.runs is False

    asyncio.run(switch_off())
    assert pumps.get("a").spec.runs is False
    for flavour, prefix in (("clients", ""), ("async_clients", "Async")):
        client = getattr(load(f"expansions_crd.water.v1.{flavour}"), f"{prefix}TankClient")
        assert "litres" in methods(client)


def test_expansions_of_the_lister_of_a_python_type() -> None:
    types, listers = load("tank_types"), load("expansions_crd.water.v1.listers")
    cache = Indexer[Any]()
    for name, litres in (("a", 5), ("b", 7)):
        metadata, spec = ObjectMeta(name=name, namespace="x"), types.TankSpec(litres=litres)
        cache.upsert(types.Tank(metadata=metadata, spec=spec))

    lister = listers.TankLister(cache, load("expansions_crd.water.v1.resources").TANKS)

    assert [tank.metadata.name for tank in lister.larger_than(5)] == ["b"]
    assert lister.in_namespace("x").total() == 12


def test_kinds_that_were_renamed_are_called_by_their_own_names_on_the_wire() -> None:
    package, kernel = load("rename"), load("rename.kernel.v1")
    cluster = FakeCluster(crds=[])
    capsules = cluster.clientset(package.Clientset).kernel_v1.pods("default")

    capsule = kernel.Capsule(metadata=ObjectMeta(name="a"))
    assert json.loads(encode(capsule))["kind"] == "Pod"
    assert type(decode(encode(capsule), kernel.Capsule)) is kernel.Capsule
    assert type(capsules.list()) is kernel.Capsules
    assert type(capsules).__name__ == "CapsuleClient"

    scheme = Scheme()
    load("rename.scheme").add_to_scheme(scheme)
    (read,) = scheme.load("apiVersion: v1\nkind: Pod\n")
    assert type(read) is kernel.Capsule


def test_kinds_with_listers_and_informers() -> None:
    resources = load("informers.clientset_.v1.resources").__all__
    listers = load("informers.clientset_.v1.listers").__all__
    informers = load("informers.clientset_.v1.informers").__all__

    assert len(resources) == 10
    assert listers == [
        "AnchorLister",
        "AsyncBoatLister",
        "BoatLister",
        "BoatNamespaceLister",
        "ChartLister",
        "HarbourLister",
        "NamespaceListerLister",
    ]
    assert informers == [
        "AsyncBoatInformer",
        "BoatInformer",
        "BoatNamespaceInformer",
        "BuoyInformer",
        "ClientsetV1Informers",
        "HarbourInformer",
        "NamespaceListerInformer",
        "SignalInformer",
    ]
    # The group's package does not hide the module that is called like it.
    assert load("informers.clientset").Clientset is load("informers").Clientset


def test_kinds_called_like_the_other_flavour_are_followed_in_both() -> None:
    for clientset, prefix in (("Clientset", ""), ("AsyncClientset", "Async")):
        made = getattr(load("informers"), clientset)
        cluster = FakeCluster(spec=GOLDEN / "informers/spec.json")
        factory = cluster.clientset(made).informers()
        kinds = [factory.clientset_v1.boats(), factory.clientset_v1.async_boats()]

        names = [type(informer).__name__ for informer in kinds]
        assert names == [f"{prefix}BoatInformer", f"{prefix}AsyncBoatInformer"]
        assert [type(i.lister).__name__ for i in kinds] == ["BoatLister", "AsyncBoatLister"]
        assert factory.for_resource("clientset.example.com/v1/asyncboats") is kinds[1]


def test_kinds_called_like_the_runtime_are_themselves() -> None:
    shop = load("runtime_names.shop.v1")

    assert json.loads(encode(shop.Quantity(amount=Quantity("1")))) == {
        "apiVersion": "shop.example.com/v1",
        "kind": "Quantity",
        "amount": "1",
    }
    assert shop.None_().kind == "None"
    assert load("runtime_names.shop.v1.clients").AsyncWatchClient.resource.kind == "AsyncWatch"


def test_types_of_a_package_in_use_are_sent_and_read_as_its_own() -> None:
    package, workers = load("crd_uses_kubernetes"), load("crd_uses_kubernetes.workers.v1")
    core = load("kubeapi.core.v1")
    case = GOLDEN / "crd-uses-kubernetes"
    cluster = FakeCluster(crds=[case / "pools.json", case / "workers.json"])
    k = cluster.clientset(package.Clientset)
    container = core.Container(name="web", image="web:1", env=[core.EnvVar(name="A", value="b")])
    template = core.PodTemplateSpec(spec=core.PodSpec(containers=[container]))

    k.workers_v1.pools("default").create(
        workers.Pool(metadata=ObjectMeta(name="a"), spec=workers.PoolSpec(template=template))
    )
    pool = k.workers_v1.pools("default").get("a")

    assert type(pool.spec.template) is core.PodTemplateSpec
    assert pool.spec.template == template
    cluster.clientset(load("kubeapi").Clientset).core_v1.pods("default").create(
        core.Pod(metadata=ObjectMeta(name="a-0"), spec=pool.spec.template.spec)
    )
