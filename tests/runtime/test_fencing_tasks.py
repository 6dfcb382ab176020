"""What blocks the event loop or stops the process for longer than a lease lasts."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
from asyncio import selector_events
from collections.abc import Iterator
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap

from clientgen.runtime.aio import AsyncLeaderElector
from clientgen.runtime.errors import LeadershipLost
from clientgen.runtime.sync import LeaderElector
from clientgen.testing import FakeClock, FakeCluster, LocalServer

PATIENCE = 30.0
_TURNS = 16  # a request over an open connection takes fewer turns of the loop


async def test_a_loop_that_was_blocked_anywhere_in_a_write_sends_no_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Time passes in one turn of the loop: in the first after the call, in the second, and so on.

    aiohttp writes the body in a later turn than it takes the connection.
    """
    clock = FakeClock()
    sent: list[float] = []
    given: Any = getattr(selector_events, "_SelectorSocketTransport")  # noqa: B009 - not public
    write = given.write

    def note(transport: Any, data: bytes) -> None:
        if bytes(data).startswith(b"POST"):
            sent.append(clock.monotonic())
        write(transport, data)

    monkeypatch.setattr(given, "write", note)
    refused = 0
    with LocalServer(FakeCluster()) as server:
        k = AsyncClientset.from_config(server.kubeconfig)
        for turn in range(_TURNS):
            began = clock.monotonic()
            maps = k.core_v1.config_maps("default")
            leases = FakeCluster(clock=clock).clientset(AsyncClientset)
            with contextlib.suppress(LeadershipLost):
                async with AsyncLeaderElector(leases, "lock", "default", clock=clock):
                    await maps.list()  # opens the connection
                    blocked = block_in(turn, clock)
                    try:
                        await maps.create(ConfigMap(metadata={"generateName": "a-"}))
                    except LeadershipLost:
                        refused += 1
            await blocked
            assert all(moment < began + 10 for moment in sent if moment >= began), turn
        await k.aclose()
    assert sent
    assert refused < _TURNS
    # Since Python 3.12, aiohttp writes the body in the turn that takes the connection.
    assert refused or sys.version_info >= (3, 12)


def block_in(turn: int, clock: FakeClock) -> asyncio.Future[None]:
    """Let a minute pass in one of the next turns of the loop."""
    loop = asyncio.get_running_loop()
    blocked: asyncio.Future[None] = loop.create_future()

    def count(turn: int) -> None:
        if turn:
            loop.call_soon(count, turn - 1)
        else:
            clock.advance_to(clock.monotonic() + 60)
            blocked.set_result(None)

    loop.call_soon(count, turn)
    return blocked


REPLICA = """
import signal, sys, threading
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap
from clientgen.runtime import aio, errors, sync

calls = 0

def stop(request):
    # The write is on its way through the chain, and has passed all that comes before the server.
    global calls
    if request.method == "PATCH":
        calls += 1
        if calls == 3:
            signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)  # this thread first

options = {"leader_election": sys.argv[2], "leader_election_namespace": "default",
           "lease_duration": 1, "renew_deadline": 0.9, "retry_period": 0.1, "grace": 0.0}

def change(context):
    return {"data": {"by": sys.argv[2] + "-child"}}

def blocking():
    def stop_at_a_write(request, send):
        stop(request)
        return send(request)

    def reconcile(context):
        while not context.is_stopping:
            context.clientset.core_v1.config_maps("default").patch(context.name, change(context))

    k = Clientset.from_config(sys.argv[1], middleware=[stop_at_a_write])
    manager = sync.Manager(k, **options)
    manager.controller("maps", reconcile).for_(ConfigMap)
    manager.run()

async def waiting():
    async def stop_at_a_write(request, send):
        stop(request)
        return await send(request)

    async def reconcile(context):
        while True:
            maps = context.clientset.core_v1.config_maps("default")
            await maps.patch(context.name, change(context))

    async with AsyncClientset.from_config(sys.argv[1], middleware=[stop_at_a_write]) as k:
        manager = aio.AsyncManager(k, **options)
        manager.controller("maps", reconcile).for_(ConfigMap)
        await manager.run()

try:
    if sys.argv[2] == "threads":
        blocking()
    else:
        import asyncio
        asyncio.run(waiting())
except errors.LeadershipLost:
    sys.exit(3)
"""


class Successor:
    """A candidate in this process for the lease of a replica in a process of its own."""

    def __init__(self, cluster: FakeCluster, name: str) -> None:
        self.leads = threading.Event()
        self.elector = LeaderElector(
            cluster.clientset(Clientset),
            name,
            "default",
            lease_duration=1,
            renew_deadline=0.9,
            retry_period=0.1,
            on_started_leading=self.leads.set,
        )
        self.thread = threading.Thread(target=self.elector.run, daemon=True)


@pytest.fixture
def replicas() -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for each in started:
        if each.poll() is None:
            each.kill()
        each.wait(PATIENCE)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system cannot stop processes")
def test_a_process_that_was_stopped_past_its_lease_writes_nothing_more(
    replicas: list[subprocess.Popen[bytes]],
) -> None:
    """Both flavours at once: each stops itself in a write, and goes on when another leads."""
    cluster = FakeCluster({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a"}})
    names = ("threads", "tasks")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with LocalServer(cluster) as server:
        for name in names:
            command = [sys.executable, "-c", REPLICA, server.kubeconfig, name]
            replicas.append(subprocess.Popen(command, env=environment))
        for each in replicas:
            assert os.WIFSTOPPED(os.waitpid(each.pid, os.WUNTRACED)[1])
        successors = [Successor(cluster, name) for name in names]
        for successor in successors:
            successor.thread.start()
        assert all(each.leads.wait(PATIENCE) for each in successors)
        written = writes(cluster)
        for each in replicas:
            each.send_signal(signal.SIGCONT)
        assert [each.wait(PATIENCE) for each in replicas] == [3, 3]
        assert writes(cluster) == written
        assert len(written) == 4
    for successor in successors:
        successor.elector.stop()
        successor.thread.join(PATIENCE)


def writes(cluster: FakeCluster) -> list[str]:
    return [str(each) for each in cluster.writes if each.resource == "configmaps"]
