"""Sources, daemons, memos and requests of other types, as users write them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_type

from kubeapi.core.v1 import ConfigMap, Secret

from clientgen.runtime.aio import AsyncController, AsyncDaemonContext, AsyncEvents, AsyncManager
from clientgen.runtime.controllers import Request, Result, changed
from clientgen.runtime.sync import (
    Context,
    DaemonContext,
    Manager,
    RequestContext,
    RequestController,
)


@dataclass(frozen=True)
class Region:
    name: str


class Attempts:
    count = 0


def price(_: ConfigMap) -> int:
    return 1


def reconcile(context: Context[ConfigMap]) -> None:
    assert_type(context.memo(Attempts), Attempts)
    assert_type(context.polled(price), int | None)


def reconcile_region(context: RequestContext[Region]) -> Result | None:
    assert_type(context.request, Region)
    return None


def probe(daemon: DaemonContext[ConfigMap]) -> None:
    assert_type(daemon.object, ConfigMap)
    assert_type(daemon.wait_for_stop(5), bool)


def probe_secret(_: DaemonContext[Secret]) -> None:
    """A daemon of another kind."""


async def probe_later(_: AsyncDaemonContext[ConfigMap]) -> None:
    """A coroutine function."""


async def plainly(_: Region) -> None:
    """A function for `AsyncController`."""


def threads(manager: Manager) -> None:
    controller = manager.controller("maps", reconcile).for_(ConfigMap)
    controller.when(changed(lambda each: each.data)).timer(every=1).polls_each(price, every=2)
    controller.daemon(probe, when=lambda each: each.data == {})
    controller.daemon(probe_secret)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType, reportCallIssue]
    controller.receives(["a"], lambda name: [Request("", name)])
    controller.receives(["a"], lambda name: [Region(name)])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
    regions = manager.request_controller("regions", Region, reconcile_region)
    assert_type(regions, RequestController[Region])
    regions.watches(ConfigMap, lambda each: [Region(each.metadata.name)])
    regions.watches(ConfigMap, lambda _: [Request("", "")])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
    regions.polls(lambda: {Region("a"): 1}, every=3)

    @controller.daemon(cancellation_grace=3)
    def decorated(daemon: DaemonContext[ConfigMap]) -> None:
        daemon.log.info("a decorator keeps the type")

    decorated("")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def tasks(manager: AsyncManager, events: AsyncEvents[str], plain: AsyncController) -> None:
    plain.queue.add(Request("shop", "a"))
    plain.queue.add("a")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    typed = AsyncController("regions", plainly, request_type=Region)
    assert_type(typed, AsyncController[Region])
    typed.receives(events, lambda name: [Region(name)])
    typed.receives(7, lambda name: [Region(name)])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
