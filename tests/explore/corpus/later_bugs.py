"""Bugs that explore did not see before: what each needs is in its title."""

from __future__ import annotations

import asyncio
import hashlib
import random
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.aio import AsyncController, AsyncLeaderElector
from clientgen.runtime.controllers import Request, Result
from clientgen.runtime.errors import AlreadyExists, Conflict, NotFound
from clientgen.runtime.models import Unstructured
from clientgen.testing import FakeCluster

from .case import (
    FINALIZER,
    WIDGETS,
    Case,
    Cloud,
    Make,
    Operator,
    Reconcile,
    add,
    case,
    child_of,
    cluster_widgets,
    finalizers,
    growth,
    is_going,
    owner,
    size,
    status_of,
)
from .case import widget as new_widget

# ---- 31: two writers of one field, none of which gives way ---------------------------------------


def mode_of(request: Request, **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=request.name), data=data)


def quarrelling(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        if o.widget(request) is None:
            return
        maps = o.maps(request.namespace)
        await maps.apply(mode_of(request, mode="fast"), field_manager="speed")
        await maps.apply(mode_of(request, mode="safe"), field_manager="safety")

    return reconcile


def agreeing(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        if o.widget(request) is None:
            return
        maps = o.maps(request.namespace)
        await maps.apply(mode_of(request, speed="fast"), field_manager="speed")
        await maps.apply(mode_of(request, safety="safe"), field_manager="safety")

    return reconcile


case("endless_conflict", "conflicts that never end", quarrelling, agreeing, scenario=growth)


# ---- 32: a request that lands after the lease has gone -------------------------------------------


def overwriting(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is not None:
            await o.maps(request.namespace).apply(child_of(widget), force=True)

    return reconcile


def fenced(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        maps, wanted = o.maps(request.namespace), child_of(widget)
        try:
            child = await maps.get(request.name)
        except NotFound:
            await maps.create(wanted)
            return
        if child.data != wanted.data:
            child.data = wanted.data
            await maps.update(child)  # with the resourceVersion that was read

    return reconcile


def led(make: Make) -> Callable[..., Any]:
    async def program(k: AsyncClientset) -> None:
        async with k, k.informers() as factory:
            mine = Operator(k, factory, None)
            controller = AsyncController("widgets", make(mine)).for_(mine.widgets)
            elector = AsyncLeaderElector(k, "widgets", "default", on_started_leading=controller.run)
            await elector.run()

    return program


add(
    "fencing",
    Case(
        "a request of the leader before lands after those of the next one",
        led(overwriting),
        led(fenced),
        growth,
        {"replicas": 2},
    ),
)


# ---- 32b: a deletion that lands after the lease has gone -----------------------------------------


def deleting_by_name(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        maps = o.maps(request.namespace)
        with suppress(AlreadyExists, NotFound):
            if size(widget) % 2:
                await maps.create(child_of(widget, state="odd"))
            else:
                await maps.delete(request.name)

    return reconcile


def deleting_what_was_read(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        maps = o.maps(request.namespace)
        try:
            child = await maps.get(request.name)
        except NotFound:
            if size(widget) % 2:
                await maps.create(child_of(widget, state="odd"))
            return
        if size(widget) % 2:
            child.data["size"] = str(size(widget))
            await maps.update(child)  # so that a late deletion meets another version
        else:
            await maps.delete(request.name, resource_version=child.metadata.resource_version)

    return reconcile


add(
    "late_deletion",
    Case(
        "a deletion of the leader before lands after the next one has made the object anew",
        led(deleting_by_name),
        led(deleting_what_was_read),
        growth,
        {"replicas": 2, "ignore": ["configmaps:data.size"]},
    ),
)


# ---- 33: a child in another namespace than its owner ---------------------------------------------


def with_shared(cluster: FakeCluster, *_: object) -> None:
    cluster.add(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shared"}},
    )


def elsewhere(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is not None:
            child = child_of(widget)
            child.metadata.namespace = "shared"
            await o.maps("shared").apply(child, force=True)

    return reconcile


def cleaning_up(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        if is_going(widget):
            with suppress(NotFound):
                await o.maps("shared").delete(request.name)
            if FINALIZER in finalizers(widget):
                await o.patch(request, uid=widget.metadata.uid, finalizers=[])
            return
        if FINALIZER not in finalizers(widget):
            await o.patch(request, uid=widget.metadata.uid, finalizers=[FINALIZER])
        child = child_of(widget)
        child.metadata.namespace, child.metadata.owner_references = "shared", []
        await o.maps("shared").apply(child, force=True)

    return reconcile


case(
    "foreign_namespace",
    "an owner that does not count: it lives in another namespace",
    elsewhere,
    cleaning_up,
    setup=with_shared,
)


# ---- 34: names made of hashes, which differ by process -------------------------------------------


def named_by(number: Callable[[str], int]) -> Make:
    def make(o: Operator) -> Reconcile:
        async def reconcile(request: Request) -> None:
            widget = o.widget(request)
            if widget is not None:
                child = child_of(widget, f"{request.name}-{number(request.name) % 1000}")
                await o.maps(request.namespace).apply(child, force=True)

        return reconcile

    return make


def hash_of(name: str) -> int:
    return hash(name)  # looked up when it is called, as in the program of a user


case(
    "hash",
    "a name made of hash(), which is another one in the next process",
    named_by(hash_of),
    named_by(lambda name: zlib.crc32(name.encode())),
    scenario=growth,
)


# ---- 35: a time of one process, read by the next -------------------------------------------------


def due_by(clock: Callable[[], float]) -> Make:
    def make(o: Operator) -> Reconcile:
        async def reconcile(request: Request) -> Result | None:
            widget = o.widget(request)
            if widget is None or status_of(widget).get("phase") == "Done":
                return None
            due = status_of(widget).get("due")
            if due is None:
                await o.status(request, due=(due := int(clock()) + 20))
            if clock() < due:
                return Result(requeue_after=due - clock())
            await o.status(request, phase="Done")
            return None

        return reconcile

    return make


def monotonic() -> float:
    return time.monotonic()


def time_of_day() -> float:
    return time.time()


case(
    "monotonic",
    "time.monotonic() in an object: the next process counts from elsewhere",
    due_by(monotonic),
    due_by(time_of_day),
    scenario=growth,
    ignore=["widgets.corpus.example.com:status.due"],
)


# ---- 36: replicas that start in different moments ------------------------------------------------


def always_mine(o: Operator) -> Reconcile:
    started = datetime.now(UTC).isoformat()

    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is not None and status_of(widget).get("since") != started:
            await o.status(request, since=started)

    return reconcile


def mine_if_none(o: Operator) -> Reconcile:
    started = datetime.now(UTC).isoformat()

    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is not None and not status_of(widget).get("since"):
            await o.status(request, since=started)

    return reconcile


case(
    "start_time",
    "each replica writes when it was started",
    always_mine,
    mine_if_none,
    scenario=growth,
    replicas=2,
)


# ---- 37: what was made anew is deleted by its name -----------------------------------------------


def expiring(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is not None and size(widget) >= 3:
            await o.client.delete(request.name, namespace=request.namespace)

    return reconcile


def expiring_this_one(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is not None and size(widget) >= 3:
            uid = widget.metadata.uid
            await o.client.delete(request.name, namespace=request.namespace, uid=uid)

    return reconcile


case(
    "made_anew",
    "an object that the user has made anew is deleted by its name",
    expiring,
    expiring_this_one,
    scenario=growth,
)


# ---- 38: the end is equally wrong in every run ---------------------------------------------------


def sizes(cluster: FakeCluster) -> None:
    maps = {
        each.metadata.name: each.data
        for each in cluster.clientset(Clientset).core_v1.config_maps("default").list()
    }
    for widget in cluster_widgets(cluster):
        name, wanted = widget["metadata"]["name"], str(widget["spec"]["size"])
        assert maps[name]["size"] == wanted, f"{name} has size {maps[name]['size']}, not {wanted}"


def off_by_one(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is not None:
            child = child_of(widget, size=str(min(size(widget), 2)))
            await o.maps(request.namespace).apply(child, force=True)

    return reconcile


case(
    "equally_wrong",
    "the end is the same in every run, and always wrong",
    off_by_one,
    overwriting,
    scenario=growth,
    finally_=sizes,
)


# ---- 39: what the garbage collector breaks is mended at once -------------------------------------


def complete(cluster: FakeCluster) -> str | None:
    maps = {
        each.metadata.name
        for each in cluster.clientset(Clientset).core_v1.config_maps("default").list()
    }
    for widget in cluster_widgets(cluster):
        name = widget["metadata"]["name"]
        if (widget.get("status") or {}).get("ready") and name not in maps:
            return f"{name} is ready, and has no child"
    return None


def owned_by_plan(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> Result | None:
        widget = o.widget(request)
        if widget is None or is_going(widget):
            return None
        maps = o.maps(request.namespace)
        if o.child(request) is None:
            plan = child_of(widget, f"{request.name}-plan")
            plan = await maps.apply(plan, force=True)
            child = child_of(widget)
            child.data = {}
            if not status_of(widget).get("ready"):  # the second one is right
                reference = owner(widget)
                reference.api_version, reference.kind = "v1", "ConfigMap"
                reference.name, reference.uid = plan.metadata.name, plan.metadata.uid
                child.metadata.owner_references = [reference]
            await maps.apply(child, force=True)
            await o.status(request, ready=True)
            await maps.delete(plan.metadata.name, uid=plan.metadata.uid)
        return Result(requeue_after=1)

    return reconcile


def owned_by_widget(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None or is_going(widget):
            return
        child = child_of(widget)
        child.data = {}
        await o.maps(request.namespace).apply(child, force=True)
        if not status_of(widget).get("ready"):
            await o.status(request, ready=True)

    return reconcile


case(
    "wrong_owner",
    "the invariant is broken by the garbage collector, and mended by the next request",
    owned_by_plan,
    owned_by_widget,
    scenario=growth,
    invariant=complete,
)


# ---- 40: an object that waits for its finalizer, and is made anew --------------------------------


async def patient(k: AsyncClientset, *_: object) -> None:
    widgets = k.dynamic.resource(WIDGETS, model=Unstructured)
    for number in (1, 2):
        await widgets.create(new_widget(f"w-{number}"), namespace="default")
        await widgets.patch(f"w-{number}", {"spec": {"size": 2 + number}}, namespace="default")


async def let_go(o: Operator, request: Request, widget: Any, keeps: bool) -> None:
    await asyncio.sleep(3)
    for machine in () if keeps else o.cloud.of(request.name):
        o.cloud.delete(machine)
    if FINALIZER in finalizers(widget):
        await o.patch(request, uid=widget.metadata.uid, finalizers=[])


def slow_cleanup(keeps: bool) -> Make:
    def make(o: Operator) -> Reconcile:
        async def reconcile(request: Request) -> None:
            widget = o.widget(request)
            if widget is None:
                return
            if is_going(widget):
                await let_go(o, request, widget, keeps)
                return
            if FINALIZER not in finalizers(widget):
                await o.patch(request, uid=widget.metadata.uid, finalizers=[FINALIZER])
            if status_of(widget).get("size") != size(widget):
                await o.status(request, size=size(widget))
            if not o.cloud.of(request.name):
                o.cloud.create(request.name)

        return reconcile

    return make


def machines(cluster: FakeCluster, cloud: Cloud) -> str | None:
    names = {each["metadata"]["name"] for each in cluster_widgets(cluster)}
    left = [name for name in cloud.machines if name not in names]
    return f"{left} belong to nobody" if left else None


async def leaving(k: AsyncClientset, *_: object) -> None:
    await patient(k)
    widgets = k.dynamic.resource(WIDGETS, model=Unstructured)
    await widgets.delete("w-1", namespace="default")


case(
    "slow_cleanup",
    "a machine stays, whose widget is gone; its twin takes long to let go of what is made anew",
    slow_cleanup(keeps=True),
    slow_cleanup(keeps=False),
    scenario=leaving,
    external=Cloud,
    finally_=machines,
)


# ---- 41: the child of an object that is made anew ------------------------------------------------


async def labelling(k: AsyncClientset, *_: object) -> None:
    """Change all that a user can change, of an object with a name and of one without."""
    widgets = k.dynamic.resource(WIDGETS, model=Unstructured)
    nameless = new_widget("")
    nameless["metadata"] = {"generateName": "w-", "namespace": "default"}
    for first in (new_widget("a"), nameless):
        made = await widgets.create(first, namespace="default")
        name = made.metadata.name
        for change in ({"labels": {"tier": "two"}}, {"annotations": {"note": "yes"}}):
            await widgets.patch(name, {"metadata": change}, namespace="default")
        approved = {"status": {"approved": True}}
        await widgets.status(name, namespace="default").patch(approved)
        latest = await widgets.get(name, namespace="default")
        latest["spec"] = {"size": 3}
        await widgets.update(latest, namespace="default")


def labelled(always: bool) -> Make:
    def make(o: Operator) -> Reconcile:
        async def reconcile(request: Request) -> None:
            widget = o.widget(request)
            if widget is None:
                return
            tier = (widget.metadata.labels or {}).get("tier", "")
            note = (widget.metadata.annotations or {}).get("note", "")
            approved = str(status_of(widget).get("approved", False))
            wanted = child_of(widget, tier=tier, note=note, approved=approved)
            child = o.child(request)
            if always or child is None or child.data != wanted.data:
                await o.maps(request.namespace).apply(wanted, force=True)
            if status_of(widget).get("size") != size(widget):
                await o.status(request, size=size(widget))

        return reconcile

    return make


case(
    "old_child",
    "the child of the object before looks right, and is about to be collected",
    labelled(always=False),
    labelled(always=True),
    scenario=labelling,
    owns=False,
)


# ---- 42: children that are deleted and made again ------------------------------------------------


async def again(k: AsyncClientset, *_: object) -> None:
    """Create, delete and create again."""
    widgets = k.dynamic.resource(WIDGETS, model=Unstructured)
    await widgets.create(new_widget("a"), namespace="default")
    await widgets.delete("a", namespace="default")
    await widgets.create(new_widget("a"), namespace="default")


def replacing(knows: Callable[[set[str], Any, ConfigMap], bool]) -> Make:
    def make(o: Operator) -> Reconcile:
        mine: set[str] = set()

        async def reconcile(request: Request) -> Result | None:
            widget, child = o.widget(request), o.child(request)
            if widget is None:
                return None
            maps = o.maps(request.namespace)
            if child is not None and not knows(mine, widget, child):
                with suppress(NotFound, Conflict):
                    await maps.delete(request.name, uid=child.metadata.uid)
                return Result(requeue_after=1)
            if child is None:
                made = await maps.create(child_of(widget))
                mine.add(made.metadata.uid)
            return None

        return reconcile

    return make


case(
    "deleted_again",
    "children are deleted and made again after a restart; its twin deletes garbage only",
    replacing(lambda mine, widget, child: child.metadata.uid in mine),
    replacing(
        lambda mine, widget, child: child.metadata.owner_references[0].uid == widget.metadata.uid
    ),
    scenario=again,
)


# ---- 43: a hash that only looks random -----------------------------------------------------------


def digest(value: object) -> str:
    return hashlib.sha256(str(value).encode()).hexdigest()


def hashing(remembers: bool) -> Make:
    def make(o: Operator) -> Reconcile:
        first: dict[str, int] = {}

        async def reconcile(request: Request) -> None:
            widget, child = o.widget(request), o.child(request)
            if widget is None:
                return
            wanted = size(widget)
            spec = digest(first.setdefault(request.name, wanted) if remembers else wanted)
            made = child_of(
                widget,
                short=spec[:10],
                whole=spec,
                by_uid=digest(widget.metadata.uid),
                by_version=digest(widget.metadata.resource_version)[:10],
                at=digest(time.time()),
                chance=f"{random.getrandbits(40):010x}",
            )
            if child is None or child.data["size"] != made.data["size"]:
                await o.maps(request.namespace).apply(made, force=True)

        return reconcile

    return make


case(
    "wrong_hash",
    "the hash of a spec is that of the first one; its twin also writes what is really random",
    hashing(remembers=True),
    hashing(remembers=False),
    scenario=growth,
)


# ---- 44: an event that is taken for the end of a wait --------------------------------------------


async def unhurried(k: AsyncClientset, *_: object) -> None:
    widgets = k.dynamic.resource(WIDGETS, model=Unstructured)
    for name in ("a", "b"):
        await widgets.create(new_widget(name), namespace="default")
        await asyncio.sleep(60)


def waiting(counts_calls: bool) -> Make:
    def make(o: Operator) -> Reconcile:
        called: set[str] = set()

        async def reconcile(request: Request) -> Result | None:
            widget = o.widget(request)
            if widget is None or o.child(request) is not None:
                return None
            age = (datetime.now(UTC) - widget.metadata.creation_timestamp).total_seconds()
            is_due = request.name in called if counts_calls else age >= 20
            if not is_due:
                called.add(request.name)
                return Result(requeue_after=max(20 - age, 1))
            child = child_of(widget, waited=str(age >= 19))
            await o.maps(request.namespace).apply(child, force=True)
            return None

        return reconcile

    return make


case(
    "early_event",
    "the second call is taken for the end of a wait, whatever it came for",
    waiting(counts_calls=True),
    waiting(counts_calls=False),
    scenario=unhurried,
)
