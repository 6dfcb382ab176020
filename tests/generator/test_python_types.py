"""From a module of model classes to clients at work: generated, imported, called, watched."""

from __future__ import annotations

import asyncio
import importlib
import sys
import threading
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner
from support.definitions import custom_definition, custom_version

from clientgen.cli.program import program
from clientgen.runtime._models.meta_v1 import ObjectMeta
from clientgen.runtime.errors import NotFound
from clientgen.testing import FakeCluster

TYPES = '''
"""Types of depots.example.com/v1."""
# +groupName=depots.example.com
# +versionName=v1

from __future__ import annotations

from clientgen.runtime._models.meta_v1 import ModelList, ObjectMeta
from clientgen.runtime._models.model import Literal, Model, auto, constant, field


class Shelf(Model):
    """Holds things."""

    name: str
    kept: list[str] = field(default_factory=list, name="things")


class DepotSpec(Model):
    """What is to be."""

    replicas: int = 1
    shelves: list[Shelf] = field(default_factory=list)


class DepotStatus(Model):
    """What is."""

    replicas: int = 0
    phase: Literal["Open", "Shut"] | str = ""


# +genclient
# +genclient:method=Restock,verb=update,subresource=status,input=Depot,result=Depot
# +kubebuilder:subresource:status
# +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
class Depot(Model):
    """A depot."""

    api_version: Literal["depots.example.com/v1"] = constant(
        "depots.example.com/v1", name="apiVersion"
    )
    kind: Literal["Depot"] = constant("Depot")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: DepotSpec = auto(DepotSpec)
    status: DepotStatus = auto(DepotStatus)

    def things(self) -> int:
        return sum(len(shelf.kept) for shelf in self.spec.shelves)


# +genclient
# +kubebuilder:resource:path=regions,scope=Cluster
class Region(Model):
    """Where depots are."""

    api_version: Literal["depots.example.com/v1"] = constant(
        "depots.example.com/v1", name="apiVersion"
    )
    kind: Literal["Region"] = constant("Region")
    metadata: ObjectMeta = auto(ObjectMeta)
    size: int = 0


class RegionList(ModelList[Region]):
    """Regions."""

    api_version: Literal["depots.example.com/v1"] = constant(
        "depots.example.com/v1", name="apiVersion"
    )
    kind: Literal["RegionList"] = constant("RegionList")

    def total(self) -> int:
        return sum(region.size for region in self.items)
'''
GROUP = "depots.example.com"
SCALE = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
CRDS = [
    custom_definition(GROUP, "Depot", custom_version(subresources={"status": {}, "scale": SCALE})),
    custom_definition(GROUP, "Region", scope="Cluster"),
]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The package that is generated from the types, imported."""
    folder = tmp_path_factory.mktemp("depots")
    (folder / "depot_types.py").write_text(TYPES)
    flags = ["--types", "depot_types", "--output", str(folder / "out"), "--package", "depot_client"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        path = list(sys.path)
        done = CliRunner().invoke(program, ["generate", *flags], catch_exceptions=False)
        assert (done.exit_code, done.stderr) == (0, "")
        assert sys.path == path
        patch.syspath_prepend(str(folder))
        patch.syspath_prepend(str(folder / "out"))
        yield importlib.import_module("depot_client")
    for name in list(sys.modules):
        if name.partition(".")[0] in {"depot_types", "depot_client"}:
            del sys.modules[name]


@pytest.fixture
def types(client: ModuleType) -> Any:
    return importlib.import_module("depot_types")


def depot(types: Any, name: str, *things: str) -> Any:
    # What equals its default is not sent, and this definition has no default for the scale.
    spec = types.DepotSpec(replicas=4, shelves=[types.Shelf(name="top", kept=list(things))])
    return types.Depot(metadata=ObjectMeta(name=name), spec=spec)


def test_the_users_classes_are_those_of_the_package(client: ModuleType, types: Any) -> None:
    module = importlib.import_module("depot_client.depots.v1")

    assert {name: getattr(module, name) for name in module.__all__ if name != "DepotList"} == {
        name: getattr(types, name)
        for name in ("Depot", "DepotSpec", "DepotStatus", "Region", "RegionList", "Shelf")
    }
    assert module.DepotList.__module__ == "depot_client.depots.v1.models"


def test_clients_work_with_the_users_classes(client: ModuleType, types: Any) -> None:
    k = FakeCluster(crds=CRDS).clientset(client.Clientset)
    depots = k.depots_v1.depots("default")

    made = depots.create(depot(types, "north", "a", "b"))
    assert (type(made), made.things(), made.spec.shelves[0].kept) == (types.Depot, 2, ["a", "b"])
    made.status.phase = "Open"
    assert depots.restock("north", made).status.phase == "Open"
    scale = depots.scale("north").get()
    scale.spec.replicas = 3
    depots.scale("north").update(scale)
    assert [(each.spec.replicas, each.status.phase) for each in depots.list()] == [(3, "Open")]
    depots.delete("north")
    with pytest.raises(NotFound):
        depots.get("north")


def test_a_list_class_of_the_users_is_taken(client: ModuleType, types: Any) -> None:
    k = FakeCluster(crds=CRDS).clientset(client.Clientset)
    for name, size in (("west", 2), ("east", 3)):
        k.depots_v1.regions().create(types.Region(metadata=ObjectMeta(name=name), size=size))

    regions = k.depots_v1.regions().list()

    assert (type(regions), regions.total()) == (types.RegionList, 5)


def test_informers_and_listers_keep_the_users_classes(client: ModuleType, types: Any) -> None:
    cluster = FakeCluster(crds=CRDS)
    added = threading.Event()
    with cluster.clientset(client.Clientset) as k, k.informers() as factory:
        k.depots_v1.depots("default").create(depot(types, "north", "a"))
        informer = factory.depots_v1.depots()
        regions = factory.depots_v1.regions()
        informer.add_handler(on_add=lambda each, _initial: each.things() and added.set())
        factory.start()
        factory.wait_for_sync(timeout=30)

        region = informer.lister.in_namespace("default").get("north")
        assert (type(region), region.things(), regions.lister.list()) == (types.Depot, 1, [])
        assert added.wait(30)


def test_the_same_on_asyncio(client: ModuleType, types: Any) -> None:
    async def scenario() -> tuple[Any, ...]:
        cluster = FakeCluster(crds=CRDS)
        async with cluster.clientset(client.AsyncClientset) as k, k.informers() as factory:
            depots = k.depots_v1.depots("default")
            made = await depots.create(depot(types, "north", "a", "b"))
            made.status.phase = "Open"
            await depots.restock("north", made)
            await depots.edit("north", lambda each: setattr(each.spec, "replicas", 2))
            scale = await depots.scale("north").get()
            informer = factory.depots_v1.depots()
            factory.start()
            await factory.wait_for_sync(timeout=30)
            (kept,) = informer.lister.list()
            return type(kept), kept.status.phase, scale.spec.replicas, kept.things()

    assert asyncio.run(scenario()) == (types.Depot, "Open", 2, 2)


def test_manifests_of_the_kinds_are_read_and_written(client: ModuleType, types: Any) -> None:
    from clientgen.runtime._manifests.scheme import Scheme

    scheme = Scheme()
    importlib.import_module("depot_client.scheme").add_to_scheme(scheme)
    (read,) = scheme.load(
        "apiVersion: depots.example.com/v1\nkind: Depot\nmetadata: {name: x}\n"
        "spec: {shelves: [{name: top, things: [a]}]}\n"
    )

    assert (type(read), read.things()) == (types.Depot, 1)
    assert scheme.load(scheme.dump(read)) == [read]
