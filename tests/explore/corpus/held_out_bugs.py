"""Ten bugs that were written after the search, to see what it finds without knowing them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.aio import AsyncController, AsyncLeaderElector
from clientgen.runtime.controllers import Request, Result
from clientgen.runtime.errors import AlreadyExists, ApiError, NotFound
from clientgen.runtime.models import Unstructured
from clientgen.testing import FakeCluster

from .case import (
    FINALIZER,
    WIDGETS,
    Case,
    Cloud,
    Operator,
    Reconcile,
    add,
    case,
    child_of,
    cluster_widgets,
    finalizers,
    growth,
    is_going,
    size,
    status_of,
)
from .case import (
    widget as new_widget,
)

# ---- 21: only the child of the generation before is removed -------------------------------------


def rolling(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        maps, wanted = o.maps(request.namespace), f"{request.name}-{size(widget)}"
        if o.child(request, wanted) is None:
            await maps.create(child_of(widget, wanted))
        before = status_of(widget).get("current")
        if before != wanted:
            await o.status(request, current=wanted)
            if before and o.child(request, before) is not None:
                await maps.delete(before)

    return reconcile


def pruning(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        maps, wanted = o.maps(request.namespace), f"{request.name}-{size(widget)}"
        await maps.apply(child_of(widget, wanted), force=True)
        if status_of(widget).get("current") != wanted:
            await o.status(request, current=wanted)
        for each in o.children(widget):
            if each.metadata.name != wanted:
                await maps.delete(each.metadata.name, uid=each.metadata.uid)

    return reconcile


case(
    "leftover",
    "a crash before the clean-up leaves an old child",
    rolling,
    pruning,
    scenario=growth,
)


# ---- 22: an error of a live read counts as "there is none" --------------------------------------


def assuming(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        try:
            record = await o.maps(request.namespace).get(request.name)
            machine = (record.data or {}).get("machine")
        except ApiError:
            machine = None
        if machine is None:
            machine = o.cloud.create(request.name)
            await o.maps(request.namespace).apply(child_of(widget, machine=machine), force=True)

    return reconcile


def distinguishing(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        try:
            await o.maps(request.namespace).get(request.name)
        except NotFound:
            machine = o.cloud.create(request.name, key=f"vm-{widget.metadata.uid}")
            child = child_of(widget)
            child.data = {"machine": machine}
            await o.maps(request.namespace).apply(child, force=True)

    return reconcile


case(
    "any_error_is_not_found",
    "a failed read leads to a second machine",
    assuming,
    distinguishing,
    external=Cloud,
    scenario=growth,
)


# ---- 23: a leader that does not stop ------------------------------------------------------------


def deploying(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is not None and not o.cloud.of(request.name):
            await o.status(request, starting=True)
            o.cloud.create(request.name)

    return reconcile


def deploying_once(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is not None and not o.cloud.of(request.name):
            await o.status(request, starting=True)
            o.cloud.create(request.name, key=f"vm-{widget.metadata.uid}")

    return reconcile


def program_of(make: Any, *, stops: bool) -> Callable[..., Any]:
    async def program(k: AsyncClientset, cloud: Cloud) -> None:
        async with k, k.informers() as factory:
            mine = Operator(k, factory, cloud)
            controller = AsyncController("widgets", make(mine)).for_(mine.widgets)
            running: list[asyncio.Task[None]] = []

            async def lead() -> None:
                if stops:
                    await controller.run()
                    return
                running.append(asyncio.create_task(controller.run()))
                await asyncio.Event().wait()

            elector = AsyncLeaderElector(k, "widgets", "default", on_started_leading=lead)
            try:
                await elector.run()
            except Exception:
                if stops:
                    raise
                await asyncio.Event().wait()  # "somebody will restart us"

    return program


add(
    "old_leader",
    Case(
        "a replica goes on after it has lost the lease",
        program_of(deploying, stops=False),
        program_of(deploying_once, stops=True),
        growth,
        {"external": Cloud, "replicas": 2},
    ),
)


# ---- 24: the name in the spec changes, and the old child is known from memory -------------------


async def renaming(k: AsyncClientset, *_: object) -> None:
    widgets = k.dynamic.resource(WIDGETS, model=Unstructured)
    first = {**new_widget("a"), "spec": {"target": "red"}}
    await widgets.create(first, namespace="default")
    await widgets.patch("a", {"spec": {"target": "green"}}, namespace="default")
    await widgets.patch("a", {"spec": {"target": "blue"}}, namespace="default")


def target_of(widget: Any) -> str:
    target: str = widget["spec"]["target"]
    return target


def renaming_from_memory(o: Operator) -> Reconcile:
    last: dict[str, str] = {}

    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        maps, target = o.maps(request.namespace), target_of(widget)
        await maps.apply(child_of(widget, target), force=True)
        before = last.get(request.name)
        if before is not None and before != target:
            await maps.delete(before)
        last[request.name] = target

    return reconcile


def renaming_by_list(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        maps, target = o.maps(request.namespace), target_of(widget)
        await maps.apply(child_of(widget, target), force=True)
        for each in o.children(widget):
            if each.metadata.name != target:
                await maps.delete(each.metadata.name, uid=each.metadata.uid)

    return reconcile


case(
    "rename",
    "after a restart nobody knows the old name",
    renaming_from_memory,
    renaming_by_list,
    scenario=renaming,
)


# ---- 25: a child per start, with a random name --------------------------------------------------


def on_add(o: Operator) -> Reconcile:
    known: set[str] = set()

    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None or widget.metadata.uid in known:
            return
        child = child_of(widget)
        child.metadata.name, child.metadata.generate_name = "", f"{request.name}-job-"
        child.data = {}
        await o.maps(request.namespace).create(child)
        known.add(widget.metadata.uid)

    return reconcile


case("again_at_start", "every start of the process creates a child for each object", on_add)


# ---- 26: the lowest free port, by the cache -----------------------------------------------------


def ports(cluster: FakeCluster) -> str | None:
    taken = [
        port
        for each in cluster_widgets(cluster)
        if (port := (each.get("status") or {}).get("port")) is not None
    ]
    return f"the ports are {taken}" if len(taken) != len(set(taken)) else None


async def many(k: AsyncClientset, *_: object) -> None:
    widgets = k.dynamic.resource(WIDGETS, model=Unstructured)
    for name in ("a", "b", "c"):
        await widgets.create(new_widget(name), namespace="default")
    await widgets.delete("b", namespace="default")
    await widgets.create(new_widget("d"), namespace="default")


def allocating(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None or status_of(widget).get("port"):
            return
        taken = {status_of(each).get("port") for each in o.widgets.lister.list()}
        port = next(port for port in range(30001, 30100) if port not in taken)
        await o.status(request, port=port)

    return reconcile


def reserving(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None or is_going(widget) or status_of(widget).get("port"):
            return
        for port in range(30001, 30100):
            lock = ConfigMap(metadata=ObjectMeta(name=f"port-{port}"))
            lock.metadata.owner_references = child_of(widget).metadata.owner_references
            try:
                await o.maps(request.namespace).create(lock)
            except AlreadyExists:
                mine = await o.maps(request.namespace).get(f"port-{port}")
                owners = mine.metadata.owner_references
                if not any(each.uid == widget.metadata.uid for each in owners):
                    continue
            await o.status(request, port=port)
            return

    return reconcile


case(
    "ports",
    "two workers take the same free port",
    allocating,
    reserving,
    scenario=many,
    workers=3,
    invariant=ports,
    compare=lambda cluster: len(cluster_widgets(cluster)),
)


# ---- 27: all finalizers are replaced ------------------------------------------------------------

HOLD = "example.com/hold"


def held(cluster: FakeCluster, *_: object) -> str | None:
    for each in cluster_widgets(cluster):
        metadata = each["metadata"]
        wanted = (metadata.get("annotations") or {}).get("hold") == "yes"
        if wanted and HOLD not in (metadata.get("finalizers") or ()):
            return f"the finalizer of somebody else was removed from {metadata['name']}"
    return None


async def holding(k: AsyncClientset, *_: object) -> None:
    widgets = k.dynamic.resource(WIDGETS, model=Unstructured)
    await widgets.create(new_widget("a"), namespace="default")

    def hold(each: Any) -> None:
        each.metadata.finalizers = [*(each.metadata.finalizers or ()), HOLD]
        each.metadata.annotations = {**(each.metadata.annotations or {}), "hold": "yes"}

    def release(each: Any) -> None:
        each.metadata.finalizers = [name for name in finalizers(each) if name != HOLD]
        each.metadata.annotations = {**(each.metadata.annotations or {}), "hold": "no"}

    await widgets.edit("a", hold, namespace="default")
    await widgets.edit("a", release, namespace="default")


def replacing_all(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is not None and FINALIZER not in finalizers(widget):
            await o.patch(request, finalizers=[*finalizers(widget), FINALIZER])

    return reconcile


def adding_one(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is not None and FINALIZER not in finalizers(widget):
            version = widget.metadata.resource_version
            names = [*finalizers(widget), FINALIZER]
            await o.patch(request, resourceVersion=version, finalizers=names)

    return reconcile


case(
    "finalizer_list",
    "a list of finalizers from a stale cache drops one of somebody else",
    replacing_all,
    adding_one,
    scenario=holding,
    invariant=held,
)


# ---- 28: check and act, with two workers --------------------------------------------------------


async def sharing(k: AsyncClientset, *_: object) -> None:
    widgets = k.dynamic.resource(WIDGETS, model=Unstructured)
    for name in ("a", "b", "c"):
        await widgets.create({**new_widget(name), "spec": {"pool": "shared"}}, namespace="default")


def checking_then_acting(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        if o.widget(request) is None:
            return
        if not o.cloud.of("shared"):
            await o.status(request, phase="CreatingPool")
            o.cloud.create("shared")
        await o.status(request, phase="Ready")

    return reconcile


def acting_once(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        o.cloud.create("shared", key="shared")
        if status_of(widget).get("phase") != "Ready":
            await o.status(request, phase="Ready")

    return reconcile


case(
    "check_then_act",
    "two workers create what both have not seen",
    checking_then_acting,
    acting_once,
    scenario=sharing,
    workers=3,
    external=Cloud,
)


# ---- 29: something that is not watched is waited for --------------------------------------------


async def needing(k: AsyncClientset, *_: object) -> None:
    widgets = k.dynamic.resource(WIDGETS, model=Unstructured)
    settings = ConfigMap(metadata=ObjectMeta(name="settings"), data={"colour": "red"})
    await k.core_v1.config_maps("default").create(settings)
    await widgets.create(new_widget("a"), namespace="default")
    await widgets.create(new_widget("b"), namespace="default")


def giving_up(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> Result | None:
        widget, settings = o.widget(request), o.child(request, "settings")
        if widget is None or settings is None:
            return None
        await o.maps(request.namespace).apply(child_of(widget, **settings.data), force=True)
        return None

    return reconcile


def looking_again(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> Result | None:
        widget, settings = o.widget(request), o.child(request, "settings")
        if widget is None:
            return None
        if settings is None:
            return Result(requeue_after=5)
        await o.maps(request.namespace).apply(child_of(widget, **settings.data), force=True)
        return None

    return reconcile


case(
    "requeue_forgotten",
    "what is needed comes later, and nobody looks again",
    giving_up,
    looking_again,
    scenario=needing,
)


# ---- 30: a machine is deleted by its name -------------------------------------------------------


def by_name(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            try:
                await o.maps(request.namespace).delete(request.name)
            except NotFound:
                return
            return
        child = child_of(widget)
        child.metadata.owner_references = []
        await o.maps(request.namespace).apply(child, force=True)
        for machine in o.cloud.of(request.name)[1:]:
            o.cloud.delete(machine)
        if not o.cloud.of(request.name):
            o.cloud.create(request.name)

    return reconcile


def by_uid(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        if is_going(widget):
            for machine in o.cloud.of(request.name):
                o.cloud.delete(machine)
            if FINALIZER in finalizers(widget):
                await o.patch(request, uid=widget.metadata.uid, finalizers=[])
            return
        if FINALIZER not in finalizers(widget):
            await o.patch(request, uid=widget.metadata.uid, finalizers=[FINALIZER])
            return
        await o.maps(request.namespace).apply(child_of(widget), force=True)
        if not o.cloud.of(request.name):
            o.cloud.create(request.name)

    return reconcile


case("no_finalizer", "machines stay when the deletion is missed", by_name, by_uid, external=Cloud)
