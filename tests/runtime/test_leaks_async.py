"""What is left of clientsets that were closed; `test_leaks_sync` counts the same for threads."""

from __future__ import annotations

import gc

from kubeapi import AsyncClientset
from support.informers import config, tasks, threads

from clientgen.testing import FakeCluster
from clientgen.testing._fake.local_server import LocalServer

ROUNDS = 12


async def open_and_close(kubeconfig: str) -> None:
    async with AsyncClientset.from_config(kubeconfig) as k, k.informers() as factory:
        factory.core_v1.config_maps()
        factory.start()
        await factory.wait_for_sync(30)


def ours() -> int:
    """How many objects of clientgen's and of the HTTP libraries there are, and frames of theirs."""
    for _ in range(3):
        gc.collect()
    modules = ("clientgen.runtime", "aiohttp.client", "urllib3")
    kinds = {"frame", "traceback", "Task", "Thread", "coroutine"}
    return sum(
        1
        for each in gc.get_objects()
        if type(each).__name__ in kinds or str(type(each).__module__).startswith(modules)
    )


async def test_clientsets_that_are_closed_leave_nothing():
    with LocalServer(FakeCluster(config("a", "1"))) as server:
        for _ in range(4):  # what is loaded and remembered once
            await open_and_close(server.kubeconfig)
        before = ours()
        for _ in range(ROUNDS):
            await open_and_close(server.kubeconfig)
        assert ours() - before < ROUNDS
        assert not (threads() | tasks()) - {"clientgen-serve"}
