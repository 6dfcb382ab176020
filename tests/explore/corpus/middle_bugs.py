"""Five bugs that were written while the search was tuned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kubeapi import AsyncClientset

from clientgen.runtime.aio import AsyncController, AsyncLeaderElector
from clientgen.runtime.controllers import Request
from clientgen.runtime.errors import ApiError

from .case import (
    Case,
    Cloud,
    Make,
    Operator,
    Reconcile,
    add,
    case,
    child_of,
    growth,
    size,
    status_of,
)

# ---- 16: every error is logged, and forgotten ----------------------------------------------------


def forgetting(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        try:
            await o.maps(request.namespace).apply(child_of(widget), force=True)
        except ApiError:
            return

    return reconcile


def not_forgetting(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is not None:
            await o.maps(request.namespace).apply(child_of(widget), force=True)

    return reconcile


case("swallowed_error", "an error is logged, and nothing is requeued", forgetting, not_forgetting)


# ---- 17: a child for every version of the object -------------------------------------------------


def per_version(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        child = child_of(widget, f"{request.name}-{widget.metadata.resource_version}")
        await o.maps(request.namespace).apply(child, force=True)

    return reconcile


case("unbounded", "every change of the object leaves one more child", per_version)


# ---- 18: two leaders -----------------------------------------------------------------------------


def starting(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is not None and not o.cloud.of(request.name):
            await o.status(request, phase="Starting")
            o.cloud.create(request.name)

    return reconcile


def starting_once(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is not None and not o.cloud.of(request.name):
            await o.status(request, phase="Starting")
            o.cloud.create(request.name, key=f"vm-{widget.metadata.uid}")

    return reconcile


def led(make: Make, *, is_led: bool) -> Callable[..., Any]:
    async def program(k: AsyncClientset, cloud: Cloud) -> None:
        async with k, k.informers() as factory:
            mine = Operator(k, factory, cloud)
            controller = AsyncController("widgets", make(mine)).for_(mine.widgets)
            controller.owns(mine.config_maps)
            if not is_led:
                await controller.run()
                return
            elector = AsyncLeaderElector(
                k,
                "widgets",
                "default",
                on_started_leading=controller.run,
                on_stopped_leading=controller.stop,
            )
            await elector.run()

    return program


add(
    "two_leaders",
    Case(
        "two replicas without an election do everything twice",
        led(starting, is_led=False),
        led(starting_once, is_led=True),
        growth,
        {"external": Cloud, "replicas": 2},
    ),
)


# ---- 19: a list in the status is appended to -----------------------------------------------------


def appending(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        done = status_of(widget).get("sizes", [])
        if size(widget) not in done:
            await o.maps(request.namespace).apply(child_of(widget), force=True)
            await o.status(request, sizes=[*done, size(widget)])

    return reconcile


def replacing(o: Operator) -> Reconcile:
    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None:
            return
        await o.maps(request.namespace).apply(child_of(widget), force=True)
        if status_of(widget).get("sizes") != [size(widget)]:
            await o.status(request, sizes=[size(widget)])

    return reconcile


case("history", "the status keeps what was seen on the way", appending, replacing)


# ---- 20: the generation is marked as done before the work ----------------------------------------


def marking(o: Operator) -> Reconcile:
    done: dict[str, int] = {}

    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None or done.get(widget.metadata.uid) == widget.metadata.generation:
            return
        done[widget.metadata.uid] = widget.metadata.generation
        await o.maps(request.namespace).apply(child_of(widget), force=True)

    return reconcile


def marking_after(o: Operator) -> Reconcile:
    done: dict[str, int] = {}

    async def reconcile(request: Request) -> None:
        widget = o.widget(request)
        if widget is None or done.get(widget.metadata.uid) == widget.metadata.generation:
            return
        await o.maps(request.namespace).apply(child_of(widget), force=True)
        done[widget.metadata.uid] = widget.metadata.generation

    return reconcile


case("marked_before", "a generation counts as done before it is", marking, marking_after)
