"""The first fifteen bugs, which were written before the search was tuned."""

from __future__ import annotations

from datetime import UTC, datetime

from clientgen.runtime.controllers import Request
from clientgen.runtime.errors import AlreadyExists, Conflict
from clientgen.runtime.models import deep_copy

from .case import (
    FINALIZER,
    Cloud,
    Operator,
    Reconcile,
    case,
    child_of,
    finalizers,
    growth,
    is_going,
    size,
    status_of,
)

# ---- 1: children with generated names, counted in a cache that may be stale ----------------------


def counted(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None or is_going(widget):
            return
        for _ in range(size(widget) - len(o.children(widget))):
            child = child_of(widget)
            child.metadata.name = ""
            child.metadata.generate_name = f"{request.name}-"
            child.data = {}
            await o.maps(request.namespace).create(child)

    return reconcile


def named(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None or is_going(widget):
            return
        for number in range(size(widget)):
            child = child_of(widget, f"{request.name}-{number}")
            child.data = {}
            await o.maps(request.namespace).apply(child, force=True)

    return reconcile


case("generate_name", "a stale cache leads to too many children", counted, named, own_writes=False)


# ---- 2: the id of an external object is kept in memory only --------------------------------------


def remembering(o: Operator) -> Reconcile:
    machines: dict[str, str] = {}

    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        if is_going(widget):
            if machine := machines.pop(request.name, None):
                o.cloud.delete(machine)
            await o.patch(request, finalizers=[])
            return
        if FINALIZER not in finalizers(widget):
            await o.patch(request, finalizers=[FINALIZER])
            return
        if request.name not in machines and not o.cloud.of(request.name):
            machines[request.name] = o.cloud.create(request.name)

    return reconcile


def looking_up(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        if is_going(widget):
            for machine in o.cloud.of(request.name):
                o.cloud.delete(machine)
            if FINALIZER in finalizers(widget):
                await o.patch(request, finalizers=[])
            return
        if FINALIZER not in finalizers(widget):
            await o.patch(request, finalizers=[FINALIZER])
            return
        if not o.cloud.of(request.name):
            o.cloud.create(request.name)

    return reconcile


case("memory", "ids in memory are lost in a crash", remembering, looking_up, external=Cloud)


# ---- 3: an update without precondition overwrites what others have written -----------------------


def overwriting(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        wanted, child = child_of(widget), o.child(request)
        if child is None:
            await o.maps(request.namespace).create(wanted)
        elif child.data != wanted.data:
            await o.maps(request.namespace).update(wanted)

    return reconcile


def updating(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        wanted, child = child_of(widget), o.child(request)
        if child is None:
            await o.maps(request.namespace).create(wanted)
        elif child.data != wanted.data:
            changed = deep_copy(child)
            changed.data = wanted.data
            changed.metadata.owner_references = wanted.metadata.owner_references
            await o.maps(request.namespace).update(changed)

    return reconcile


case("overwrite", "an update without resourceVersion drops foreign fields", overwriting, updating)


# ---- 4: the finalizer is removed before the work that it is there for ----------------------------


def finalizer_first(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        if is_going(widget):
            if FINALIZER in finalizers(widget):
                await o.patch(request, finalizers=[])
                for machine in o.cloud.of(request.name):
                    o.cloud.delete(machine)
            return
        if FINALIZER not in finalizers(widget):
            await o.patch(request, finalizers=[FINALIZER])
        elif not o.cloud.of(request.name):
            o.cloud.create(request.name)

    return reconcile


case("finalizer_first", "a crash after the finalizer leaks", finalizer_first, external=Cloud)


# ---- 5: the external object is there before the finalizer ----------------------------------------


def finalizer_late(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        if is_going(widget):
            for machine in o.cloud.of(request.name):
                o.cloud.delete(machine)
            if FINALIZER in finalizers(widget):
                await o.patch(request, finalizers=[])
            return
        if not o.cloud.of(request.name):
            o.cloud.create(request.name)
        if FINALIZER not in finalizers(widget):
            await o.patch(request, finalizers=[FINALIZER])

    return reconcile


case("finalizer_late", "deleted before it had a finalizer", finalizer_late, external=Cloud)


# ---- 6: an external action that is not idempotent ------------------------------------------------


def charging(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is not None and not status_of(widget).get("charged"):
            o.cloud.charge(request.name)
            await o.status(request, charged=True)

    return reconcile


def charging_once(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is not None and not status_of(widget).get("charged"):
            o.cloud.charge(request.name, key=widget.metadata.uid)
            await o.status(request, charged=True)

    return reconcile


case(
    "charge",
    "a crash before the status charges twice",
    charging,
    charging_once,
    external=Cloud,
    scenario=growth,
)


# ---- 7: the status is written first, and believed later ------------------------------------------


def believing(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        if status_of(widget).get("size") != size(widget):
            await o.status(request, size=size(widget))
            await o.maps(request.namespace).apply(child_of(widget), force=True)

    return reconcile


def checking(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        await o.maps(request.namespace).apply(child_of(widget), force=True)
        if status_of(widget).get("size") != size(widget):
            await o.status(request, size=size(widget))

    return reconcile


case("status_is_truth", "the status says what was not done yet", believing, checking)


# ---- 8: no owner reference: children are deleted when the deletion is seen -----------------------


def without_owner(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            if o.child(request) is not None:
                await o.maps(request.namespace).delete(request.name)
            return
        child = child_of(widget)
        child.metadata.owner_references = []
        await o.maps(request.namespace).apply(child, force=True)

    return reconcile


case("no_owner", "children without an owner stay when the deletion is missed", without_owner)


# ---- 9: a condition with the current time --------------------------------------------------------


def heartbeat(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        if o.widget(request) is not None:
            await o.status(request, ready=True, checked=datetime.now(UTC).isoformat())

    return reconcile


def ready(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is not None and not status_of(widget).get("ready"):
            await o.status(request, ready=True, since=datetime.now(UTC).isoformat())

    return reconcile


case("heartbeat", "the status changes with the time, and triggers itself", heartbeat, ready)


# ---- 10: it acts on the difference that it has seen itself ---------------------------------------


def on_edge(o: Operator) -> Reconcile:
    seen: dict[str, int] = {}

    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            seen.pop(request.name, None)
            return
        before = seen.get(request.name)
        is_new = before is None and o.child(request) is None
        if is_new or (before is not None and before != size(widget)):
            await o.maps(request.namespace).apply(child_of(widget), force=True)
        seen[request.name] = size(widget)

    return reconcile


case("edge", "a change while it was down is not seen", on_edge)


# ---- 11: two objects are created, and one is checked ---------------------------------------------


def two_steps(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None or o.child(request, f"{request.name}-one") is not None:
            return
        maps = o.maps(request.namespace)
        for name in ("one", "two"):
            child = child_of(widget, f"{request.name}-{name}")
            child.data = {}
            await maps.create(child)

    return reconcile


def each_step(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        for name in ("one", "two"):
            if o.child(request, f"{request.name}-{name}") is None:
                child = child_of(widget, f"{request.name}-{name}")
                child.data = {}
                await o.maps(request.namespace).create(child)

    return reconcile


case("two_steps", "a crash between two creates", two_steps, each_step)


# ---- 12: AlreadyExists means failure for ever ----------------------------------------------------


def giving_up(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None or status_of(widget).get("phase"):
            return
        child = child_of(widget)
        child.data = {}
        try:
            await o.maps(request.namespace).create(child)
        except AlreadyExists:
            await o.status(request, phase="Failed")
        else:
            await o.status(request, phase="Ready")

    return reconcile


def adopting(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        child = child_of(widget)
        child.data = {}
        try:
            if o.child(request) is None:
                await o.maps(request.namespace).create(child)
        except AlreadyExists:
            made = await o.maps(request.namespace).get(request.name)
            if not any(each.uid == widget.metadata.uid for each in made.metadata.owner_references):
                raise
        if status_of(widget).get("phase") != "Ready":
            await o.status(request, phase="Ready")

    return reconcile


case("already_exists", "its own object counts as somebody else's", giving_up, adopting)


# ---- 13: a counter in the status -----------------------------------------------------------------


def counting(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        child = o.child(request)
        if child is None or child.data != child_of(widget).data:
            count = status_of(widget).get("changes", 0)
            await o.status(request, changes=count + 1)
            await o.maps(request.namespace).apply(child_of(widget), force=True)

    return reconcile


case("counter", "a counter counts what was tried, not what was done", counting)


# ---- 14: clean-up that fails if it is done already -----------------------------------------------


def strict_cleanup(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        machine = f"vm-{widget.metadata.uid}"
        if is_going(widget):
            if FINALIZER in finalizers(widget):
                o.cloud.delete(machine)
                await o.patch(request, finalizers=[])
            return
        if FINALIZER not in finalizers(widget):
            await o.patch(request, finalizers=[FINALIZER])
        o.cloud.create(request.name, key=machine)

    return reconcile


def lenient_cleanup(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        machine = f"vm-{widget.metadata.uid}"
        if is_going(widget):
            if FINALIZER in finalizers(widget):
                if o.cloud.exists(machine):
                    o.cloud.delete(machine)
                await o.patch(request, finalizers=[])
            return
        if FINALIZER not in finalizers(widget):
            await o.patch(request, uid=widget.metadata.uid, finalizers=[FINALIZER])
        o.cloud.create(request.name, key=machine)

    return reconcile


case("stuck", "clean-up fails the second time", strict_cleanup, lenient_cleanup, external=Cloud)


# ---- 15: a conflict is swallowed -----------------------------------------------------------------


def swallowing(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        wanted, child = child_of(widget), o.child(request)
        try:
            if child is None:
                await o.maps(request.namespace).create(wanted)
            elif child.data != wanted.data:
                changed = deep_copy(child)
                changed.data = wanted.data
                await o.maps(request.namespace).update(changed)
        except Conflict:
            return

    return reconcile


def raising(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        await o.maps(request.namespace).apply(child_of(widget), force=True)

    return reconcile


case("conflict", "after a conflict nothing more is tried", swallowing, raising, owns=False)
