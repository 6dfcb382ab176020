"""What the controllers of the corpus share: a kind, a user, an external system, and a program.

A case is a small controller with one bug that people have really made, and its twin without it.
Both keep something for each Widget, a custom resource whose spec is `{"size": 1}`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta, OwnerReference

from clientgen.runtime import Resource
from clientgen.runtime.aio import AsyncController
from clientgen.runtime.controllers import Request, Result
from clientgen.runtime.errors import NotFound
from clientgen.runtime.models import Unstructured
from clientgen.testing import FakeCluster, explore

WIDGETS = Resource("corpus.example.com", "v1", "widgets", "Widget")
FINALIZER = "corpus.example.com/cleanup"
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.corpus.example.com"},
    "spec": {
        "group": "corpus.example.com",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
            }
        ],
    },
}

Reconcile = Callable[[Request], Awaitable[Result | None]]
Make = Callable[["Operator"], Reconcile]


class Cloud:
    """A system beside the cluster. Its calls are not idempotent, unless they have a key."""

    def __init__(self) -> None:
        self.machines: list[str] = []
        self.charges: list[str] = []
        self._ids: dict[str, str] = {}
        self._number = 0

    def create(self, name: str, key: str | None = None) -> str:
        """Start a machine, and return its id; with a key, at most one."""
        if key is not None and key in self._ids:
            return key
        self._number += 1
        made = key or f"m-{self._number}"
        self._ids[made] = name
        self.machines.append(name)
        return made

    def delete(self, machine: str) -> None:
        """Stop a machine.

        Raises:
            KeyError: there is none.
        """
        self.machines.remove(self._ids.pop(machine))

    def exists(self, machine: str) -> bool:
        """Whether there is a machine with this id."""
        return machine in self._ids

    def of(self, name: str) -> list[str]:
        """The ids of the machines with this name."""
        return [machine for machine, its in self._ids.items() if its == name]

    def charge(self, name: str, key: str | None = None) -> None:
        """Charge somebody; with a key, once."""
        entry = f"{name} {key}" if key else name
        if key is None or entry not in self.charges:
            self.charges.append(entry)


class Operator:
    """One process: caches, clients, and the cloud."""

    def __init__(self, k: AsyncClientset, factory: Any, cloud: Cloud | None) -> None:
        self.k = k
        self.widgets = factory.unstructured(WIDGETS)
        self.config_maps = factory.core_v1.config_maps()
        self.secrets = factory.core_v1.secrets()
        self.client = k.dynamic.resource(WIDGETS, model=Unstructured)
        self.factory = factory
        self._cloud = cloud

    @property
    def cloud(self) -> Cloud:
        assert self._cloud is not None
        return self._cloud

    def widget(self, request: Request) -> Any:
        """The widget in the cache, or None."""
        return self.widgets.indexer.get(str(request))

    def child(self, request: Request, name: str | None = None) -> ConfigMap | None:
        """A ConfigMap in the cache, or None."""
        return self.config_maps.indexer.get(f"{request.namespace}/{name or request.name}")

    def children(self, widget: Any) -> list[ConfigMap]:
        """The ConfigMaps in the cache that belong to a widget."""
        uid = widget.metadata.uid
        return [
            each
            for each in self.config_maps.lister.list()
            if any(owner.uid == uid for owner in each.metadata.owner_references)
        ]

    def maps(self, namespace: str) -> Any:
        """The client of ConfigMaps."""
        return self.k.core_v1.config_maps(namespace)

    async def status(self, request: Request, **status: object) -> Any:
        """Change the status of a widget."""
        part = self.client.status(request.name, namespace=request.namespace)
        return await part.patch({"status": status})

    async def patch(self, request: Request, **metadata: object) -> Any:
        """Change the metadata of a widget."""
        body = {"metadata": metadata}
        return await self.client.patch(request.name, body, namespace=request.namespace)


def owner(widget: Any) -> OwnerReference:
    """The reference of a child to its widget."""
    return OwnerReference(
        api_version="corpus.example.com/v1",
        kind="Widget",
        name=widget.metadata.name,
        uid=widget.metadata.uid,
        controller=True,
    )


def child_of(widget: Any, name: str | None = None, **data: str) -> ConfigMap:
    """The ConfigMap that a widget should have."""
    metadata = ObjectMeta(
        name=name or widget.metadata.name,
        namespace=widget.metadata.namespace,
        owner_references=[owner(widget)],
        labels={"widget": widget.metadata.name},
    )
    return ConfigMap(metadata=metadata, data={"size": str(size(widget)), **data})


def size(widget: Any) -> int:
    """What the user wants."""
    wanted: int = (widget.get("spec") or {}).get("size", 1)
    return wanted


def status_of(widget: Any) -> dict[str, Any]:
    """The status in an object."""
    status: dict[str, Any] = widget.get("status") or {}
    return status


def is_going(widget: Any) -> bool:
    """Whether it is being deleted."""
    return widget.metadata.deletion_timestamp is not None


def finalizers(widget: Any) -> list[str]:
    """The finalizers in an object."""
    return list(widget.metadata.finalizers or ())


def operator(
    make: Make, *, workers: int = 1, owns: bool = True, own_writes: bool = True
) -> Callable[..., Any]:
    """A program: a controller of widgets, which owns ConfigMaps or only has a cache of them."""

    async def program(k: AsyncClientset, cloud: Cloud | None = None) -> None:
        async with k, k.informers(own_writes=own_writes) as factory:
            mine = Operator(k, factory, cloud)
            reconcile = make(mine)
            controller = AsyncController("widgets", reconcile, workers=workers)
            controller.for_(mine.widgets)
            if owns:
                controller.owns(mine.config_maps)
            else:
                factory.start()
                await mine.config_maps.wait_for_sync()
            await controller.run()

    return program


# ---- the user ---------------------------------------------------------------------------------


def widget(name: str, size: int = 1) -> dict[str, Any]:
    """A widget as a user writes it."""
    return {
        "apiVersion": "corpus.example.com/v1",
        "kind": "Widget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"size": size},
    }


async def life(k: AsyncClientset, *_: object) -> None:
    """Create, change, delete, create again, and delete another one."""
    widgets = k.dynamic.resource(WIDGETS, model=Unstructured)
    await widgets.create(widget("a"), namespace="default")
    await widgets.patch("a", {"spec": {"size": 2}}, namespace="default")
    await widgets.create(widget("b", 3), namespace="default")
    await widgets.delete("b", namespace="default")
    await gone(widgets, "b")
    await widgets.create(widget("b", 1), namespace="default")
    await widgets.delete("a", namespace="default")
    await widgets.create(widget("c", 2), namespace="default")
    await widgets.delete("c", namespace="default")


async def growth(k: AsyncClientset, *_: object) -> None:
    """Create and change; nothing is deleted."""
    widgets = k.dynamic.resource(WIDGETS, model=Unstructured)
    await widgets.create(widget("a"), namespace="default")
    await widgets.patch("a", {"spec": {"size": 2}}, namespace="default")
    await widgets.create(widget("b", 3), namespace="default")
    await widgets.patch("a", {"spec": {"size": 3}}, namespace="default")


async def gone(widgets: Any, name: str) -> None:
    """Wait until an object is removed."""
    from asyncio import sleep

    with suppress(NotFound):
        for _ in range(300):
            await widgets.get(name, namespace="default")
            await sleep(0.5)
        raise TimeoutError(f"{name} is still there")


# ---- cases ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A bug, and its twin.

    Attributes:
        title: what is wrong.
        buggy: the program with the bug.
        correct: the program without it.
        options: further arguments of `explore`.
    """

    title: str
    buggy: Callable[..., Any]
    correct: Callable[..., Any] | None = None
    scenario: Callable[..., Awaitable[None]] = life
    options: dict[str, Any] = field(default_factory=dict)

    def explore(self, program: Callable[..., Any], **options: Any) -> Any:
        """Explore one of the programs."""
        given = {"clientset": AsyncClientset, "crds": [CRD], **self.options, **options}
        return explore(program, self.scenario, **given)


CASES: dict[str, Case] = {}


def case(name: str, title: str, buggy: Make, correct: Make | None = None, **options: Any) -> None:
    """Add a case of two reconcile functions."""
    scenario = options.pop("scenario", life)
    how = {
        "workers": options.pop("workers", 1),
        "owns": options.pop("owns", True),
        "own_writes": options.pop("own_writes", True),
    }
    add(
        name,
        Case(
            title,
            operator(buggy, **how),
            None if correct is None else operator(correct, **how),
            scenario,
            options,
        ),
    )


def add(name: str, made: Case) -> None:
    """Add a case."""
    assert name not in CASES
    CASES[name] = made


def cluster_widgets(cluster: FakeCluster) -> list[dict[str, Any]]:
    """All widgets, for invariants."""
    collection = cluster.server.cluster.store.collection("widgets.corpus.example.com")
    return [record.value() for record in collection.now()]
