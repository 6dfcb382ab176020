"""Electors, sharding and recorders as type checkers must see them: checked, never run.

Lines that must not type-check carry an ignore; an ignore that is not needed is an error too.
"""

from __future__ import annotations

from typing import assert_type

from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import Pod

from clientgen.runtime.aio import (
    AsyncController,
    AsyncEventRecorder,
    AsyncLeaderElector,
    AsyncRest,
    AsyncSharding,
)
from clientgen.runtime.controllers import Coordination, PrometheusElectionMetrics
from clientgen.runtime.sync import Controller, EventRecorder, LeaderElector, Sharding


async def tasks(k: AsyncClientset, rest: AsyncRest, controller: AsyncController) -> None:
    recorder = AsyncEventRecorder(rest, "c")
    elector = AsyncLeaderElector(
        k,
        "lock",
        "default",
        on_started_leading=controller.run,
        on_stopped_leading=controller.stop,
        on_new_leader=lambda leader: assert_type(leader, str),
        recorder=recorder,
        metrics=PrometheusElectionMetrics(),
        coordination=Coordination("1.5.0", emulation_version="1.4.0"),
    )
    assert_type(elector.is_leader, bool)
    assert_type(elector.leader, str)
    assert_type(elector.healthy(), bool)
    async with elector as same, recorder:
        assert_type(same, AsyncLeaderElector)
    async with AsyncSharding(rest, "shop", on_change=len) as sharding:
        assert_type(sharding.owns("default/web"), bool)
        assert_type(sharding.members, tuple[str, ...])
        assert_type(await sharding.wait_until_settled(5.0), bool)
    assert_type(await recorder.stop(), bool)


def threads(k: Clientset, controller: Controller, pod: Pod) -> None:
    recorder = EventRecorder(k, "c", api="v1")
    recorder.event(pod, "Normal", "Bound", "to web", action="Binding", related=pod)
    recorder.event(pod, "Bad", "Bound", "")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    LeaderElector(k, "lock", on_started_leading=controller.run, recorder=recorder).run()
    with Sharding(k, "shop") as sharding:
        assert_type(sharding.owner("default/web"), str)
    LeaderElector(AsyncClientset, "lock")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
