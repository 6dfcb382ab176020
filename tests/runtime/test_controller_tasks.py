"""Controllers in tasks: what is cancelled ends at once and leaves nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from clientgen.runtime._async._primitives import Interruption
from clientgen.runtime._controllers.reconcile_loop import Request
from clientgen.runtime.aio import AsyncController
from clientgen.testing import FakeClock


async def until(holds: Callable[[], object]) -> None:
    while not holds():  # noqa: ASYNC110 - it is all there is to wait for
        await asyncio.sleep(0)


class Endless:
    """Reconciles one request without end."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.ended = False
        self.clock = FakeClock()
        self.controller = AsyncController("endless", self.reconcile, clock=self.clock)
        self.controller.queue.add(Request("default", "a"))

    async def reconcile(self, request: Request) -> None:
        self.began.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended = True


async def test_cancelling_run_cancels_its_workers() -> None:
    endless = Endless()
    run = asyncio.create_task(endless.controller.run())
    await endless.began.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert endless.ended
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert endless.clock.waiters == 0


async def test_reconciling_is_cancelled_when_the_grace_is_over(
    caplog: pytest.LogCaptureFixture,
) -> None:
    endless = Endless()
    run = asyncio.create_task(endless.controller.run())
    await endless.began.wait()
    endless.controller.stop()
    await until(lambda: endless.clock.waiters)
    endless.clock.step(29.9)
    for _ in range(20):
        await asyncio.sleep(0)
    assert not endless.ended
    endless.clock.step(0.1)
    await asyncio.wait_for(run, 10)
    assert endless.ended
    assert "endless: still reconciling after 30 s" in caplog.messages
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_run_may_be_cancelled_while_the_caches_are_empty() -> None:
    endless = Endless()
    endless.controller._wait_for_sync = lambda: asyncio.Event().wait()
    run = asyncio.create_task(endless.controller.run())
    await asyncio.sleep(0)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert endless.controller.queue.shutting_down


async def test_an_interruption_that_comes_late_cancels_nothing() -> None:
    interruption = Interruption()
    asyncio.get_running_loop().call_soon(interruption.fire)  # as a clock of another thread does
    assert not await interruption.caused(None)
    await asyncio.sleep(0)
