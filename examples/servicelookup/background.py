"""The controller at work in another thread, for demonstrations and tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress

import kubeapi

from .async_controller import AsyncServiceLookup
from .controller import ServiceLookup


@contextmanager
def with_threads(
    clientset: Callable[[], kubeapi.Clientset],
    make: Callable[[kubeapi.Clientset], ServiceLookup] = ServiceLookup,
) -> Generator[ServiceLookup]:
    """A controller of threads; what it raises is raised in the end."""
    with ThreadPoolExecutor(1) as pool, clientset() as k:
        lookup = make(k)
        running = pool.submit(lookup.run)
        try:
            yield lookup
        finally:
            lookup.stop()
            running.result()


@contextmanager
def with_tasks(
    clientset: Callable[[], kubeapi.AsyncClientset],
    make: Callable[[kubeapi.AsyncClientset], AsyncServiceLookup] = AsyncServiceLookup,
) -> Generator[AsyncServiceLookup]:
    """A controller of tasks, with an event loop of its own; what it raises is raised in the end."""
    made: Future[tuple[AsyncServiceLookup, asyncio.AbstractEventLoop]] = Future()

    async def run() -> None:
        async with clientset() as k:
            lookup = make(k)
            made.set_result((lookup, asyncio.get_running_loop()))
            await lookup.run()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"{left} go on"

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(lambda: asyncio.run(run()))
        lookup, loop = made.result()
        try:
            yield lookup
        finally:
            with suppress(RuntimeError):  # it has ended already
                loop.call_soon_threadsafe(lookup.stop)
            running.result()
