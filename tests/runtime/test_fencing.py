"""Writes of a leader's work end with its lease, whatever holds them up; derived for threads."""

from __future__ import annotations

import contextlib
import contextvars
import select
import socket
import threading
import time
from collections.abc import Callable, Generator
from functools import partial
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap

from clientgen.runtime._async._primitives import Event, Task, sleep, spawn
from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime._http.write_permit import Permit, with_permit
from clientgen.runtime.aio import AsyncContext, AsyncLeaderElector, AsyncManager, AsyncRest
from clientgen.runtime.errors import LeadershipLost
from clientgen.testing import FakeClock, FakeCluster

pytestmark = pytest.mark.usefixtures("no_task_is_left")

PATIENCE = 30.0
BROKEN_OFF = "was broken off, and the server may have done it"


async def until(holds: Callable[[], object]) -> None:
    while not holds():
        await sleep(0.001)


class Child:
    """Something that a leader's work does beside itself, so that nobody cancels it."""

    def __init__(self, write: Callable[[], Any]) -> None:
        self.errors: list[str] = []
        self.told = Event()
        self._write = write
        self.task: Task | None = None

    async def lead(self) -> None:
        self.task = spawn(self._note, "child")
        await self.told.wait()

    async def _note(self) -> None:
        try:
            await self._write()
        except Exception as error:
            self.errors.append(f"{type(error).__name__}: {str(error).partition(': ')[2]}")


class Lease:
    """A lease in memory, by a FakeClock."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.cluster = FakeCluster(clock=self.clock)
        self.k = self.cluster.clientset(AsyncClientset)

    def elector(self, child: Child) -> AsyncLeaderElector:
        return AsyncLeaderElector(
            self.k,
            "lock",
            "default",
            on_started_leading=child.lead,
            on_stopped_leading=child.told.set,
            clock=self.clock,
        )

    async def lose_after(self, elector: AsyncLeaderElector, begun: Callable[[], object]) -> None:
        """Run an elector, and break its renewals when something has begun."""

        async def run() -> None:
            with pytest.raises(LeadershipLost):
                await elector.run()

        running = spawn(run, "elector")
        await until(begun)
        self.cluster.fail("update", "leases.coordination.k8s.io", 500, times=None)
        self.clock.step(10.0)
        assert await running.join(PATIENCE)


class SilentServer:
    """Accepts connections, and never answers. It reads nothing before `read_rest`."""

    def __init__(self) -> None:
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen()
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.connections: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self.connections.append(self._listener.accept()[0])

    def has_bytes(self) -> bool:
        return bool(select.select(self.connections, [], [], 0)[0])

    def read_rest(self) -> int:
        """Read all that comes; gives the number of bytes."""
        size = 0
        with contextlib.suppress(ConnectionResetError):
            while data := self.connections[0].recv(1 << 20):
                size += len(data)
        return size

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        for each in [self._listener, *self.connections]:
            each.close()
        self._thread.join(PATIENCE)


@contextlib.contextmanager
def silent_server() -> Generator[SilentServer]:
    with contextlib.closing(SilentServer()) as server:
        yield server


@pytest.mark.parametrize("size", [10, 8 << 20])
async def test_a_write_on_its_way_is_broken_off_and_its_unsent_bytes_are_forgotten(
    size: int,
) -> None:
    """The server does not answer, and takes a part of the large body only."""
    lease = Lease()
    with silent_server() as server:
        async with AsyncClientset(AsyncRest(ClusterConfig(server.url), timeout=None)) as k:
            child = Child(lambda: k.core_v1.config_maps("shop").create(large(size)))
            await lease.lose_after(lease.elector(child), server.has_bytes)
            assert child.task is not None
            assert await child.task.join(PATIENCE)
        what = "POST /api/v1/namespaces/shop/configmaps"
        [error] = child.errors
        assert error.partition(": ")[0] == "LeadershipLost"
        assert error.endswith(f"{what} {BROKEN_OFF}")
        assert server.read_rest() < max(size, 1000)


def large(size: int) -> ConfigMap:
    return ConfigMap(metadata={"name": "large"}, data={"a": "x" * size})


@pytest.mark.parametrize("option", [{"max_retries": 1}, {"qps": 1e-6, "burst": 1}])
async def test_a_pause_before_a_write_ends_with_the_lease(option: Any) -> None:
    """The server asks for an hour, or the rate limit does."""
    lease = Lease()
    lease.cluster.fail("create", "configmaps", 429, retry_after=3600, times=None)
    begun: list[str] = []

    async def note(request: Any, send: Any) -> Any:
        begun.append(request.method)
        return await send(request)

    k = lease.cluster.clientset(AsyncClientset, timeout=None, middleware=[note], **option)
    if "qps" in option:
        await k.core_v1.nodes().list()  # takes the only token
    child = Child(lambda: k.core_v1.config_maps("default").create(large(1)))
    elector = lease.elector(child)
    await lease.lose_after(
        elector,
        lambda: "POST" in begun and ("qps" in option or "configmaps" in str(lease.cluster.actions)),
    )
    assert child.task is not None
    assert await child.task.join(PATIENCE)
    [error] = child.errors
    assert error.startswith("LeadershipLost: ")
    assert error.endswith("is not sent")


async def test_a_delayed_write_in_memory_is_broken_off_too() -> None:
    lease = Lease()
    lease.cluster.add({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
    lease.cluster.delay(3600, "create", "configmaps")
    child = Child(lambda: lease.k.core_v1.config_maps("shop").create(large(1), timeout=None))
    elector = lease.elector(child)
    await lease.lose_after(elector, lambda: "configmaps" in str(lease.cluster.actions))
    assert child.task is not None
    assert await child.task.join(PATIENCE)
    [error] = child.errors
    assert error.endswith(BROKEN_OFF)
    lease.clock.step(3600)
    assert (await lease.k.core_v1.config_maps("shop").list()).items == []


async def test_a_fenced_client_in_the_work_of_another_lease_needs_both() -> None:
    lease, refusals = Lease(), dict[str, str]()
    permits = {name: Permit(partial(refusals.get, name, "")) for name in "ab"}
    k = AsyncClientset(lease.k.rest.fenced(permits["a"]))

    async def write() -> str:
        with with_permit(permits["b"]):
            try:
                await k.core_v1.config_maps("default").create(large(1))
            except LeadershipLost as lost:
                return str(lost).partition(":")[0]
            await k.core_v1.config_maps("default").delete("large")
            return "written"

    assert await write() == "written"
    for name in "ab":
        refusals[name] = f"{name} is lost"
        assert await write() == f"{name} is lost"
        del refusals[name]


async def test_what_a_reaction_reads_needs_no_lease() -> None:
    """It is called while a write is in flight, and lets the lease pass."""
    lease = Lease()
    user = lease.cluster.clientset(Clientset)
    read: list[int] = []

    def react(_: Any) -> None:
        lease.clock.advance_to(lease.clock.monotonic() + 60)
        read.append(len(user.core_v1.nodes().list()))

    lease.cluster.react("create", "configmaps", react)
    with contextlib.suppress(LeadershipLost):
        async with AsyncLeaderElector(lease.k, "lock", "default", clock=lease.clock):
            await lease.k.core_v1.config_maps("default").create(large(1))
    assert read == [0]


async def test_a_release_comes_after_the_end_of_all_writes() -> None:
    """The work has returned, and what it has started still waits for an answer."""
    lease = Lease()
    lease.cluster.delay(3600, "create", "configmaps")
    child = Child(lambda: lease.k.core_v1.config_maps("default").create(large(1), timeout=None))
    elector = lease.elector(child)
    running = spawn(elector.run, "elector")
    await until(lambda: "configmaps" in str(lease.cluster.actions))
    elector.stop()
    assert await running.join(PATIENCE)
    assert child.task is not None
    assert await child.task.join(PATIENCE)
    [error] = child.errors
    assert error.endswith(BROKEN_OFF)


async def test_a_command_ends_with_the_lease() -> None:
    lease = Lease()
    pod = {"metadata": {"name": "web-0", "namespace": "shop"}, "kind": "Pod", "apiVersion": "v1"}
    lease.cluster.add({**pod, "spec": {"containers": [{"name": "web", "image": "web"}]}})
    may_end, commands = threading.Event(), []

    def sleeps(process: Any) -> int:
        commands.append(process)
        may_end.wait(PATIENCE)
        return 0

    lease.cluster.container("shop/web-0").on_exec(sleeps)
    child = Child(lambda: lease.k.core_v1.pods("shop").exec("web-0", ["sleep"]))
    await lease.lose_after(lease.elector(child), lambda: commands)
    assert child.task is not None
    assert await child.task.join(PATIENCE)
    assert len(child.errors) == 1
    may_end.set()


async def test_a_machine_that_slept_leads_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """`time.monotonic` did not move meanwhile."""
    slept = 0.0
    given = time.clock_gettime
    monkeypatch.setattr(time, "clock_gettime", lambda clock: given(clock) + slept)
    cluster = FakeCluster()
    k = cluster.clientset(AsyncClientset)
    elector = AsyncLeaderElector(k, "lock", "default")
    with contextlib.suppress(LeadershipLost):
        async with elector:
            assert elector.is_leader
            await k.core_v1.config_maps("default").create(large(1))
            slept = 10.0
            assert not elector.is_leader
            with pytest.raises(LeadershipLost, match="is not sent"):
                await k.core_v1.config_maps("default").delete("large")
    assert [each.verb for each in cluster.writes if each.resource == "configmaps"] == ["create"]


async def test_the_fenced_clientset_needs_the_lease_in_every_thread() -> None:
    """Threads of a pool, and tasks made in another context, have no permit of their own."""
    lease = Lease()
    lease.cluster.add(large(1))
    begun, told, over = Event(), Event(), Event()
    errors: list[str] = []

    async def reconcile(context: AsyncContext[ConfigMap]) -> None:
        outside = spawn(lambda: write_later(context.fenced), "outside", contextvars.Context())
        await outside.join()

    async def write_later(k: AsyncClientset) -> None:
        if begun.is_set():
            return  # the object is reconciled again, because it was patched
        await k.core_v1.config_maps("default").patch("large", {"data": {"a": "1"}})
        begun.set()
        await told.wait()
        for write in (
            lambda: k.core_v1.config_maps("default").delete("large"),
            lambda: k.with_(namespace="default").delete(ConfigMap, "large"),
            lambda: k.core_v1.pods("default").proxy("web").post("/"),
        ):
            try:
                await write()
            except Exception as error:
                errors.append(type(error).__name__)
        over.set()

    manager = AsyncManager(lease.k, leader_election="operator", grace=0.0)
    manager.controller("maps", reconcile).for_(ConfigMap)

    async def run() -> None:
        with pytest.raises(LeadershipLost):
            await manager.run()

    running = spawn(run, "manager")
    assert await begun.wait(PATIENCE)
    lease.cluster.fail("update", "leases.coordination.k8s.io", 500, times=None)
    lease.clock.advance_to(lease.clock.monotonic() + 60)
    told.set()
    assert await over.wait(PATIENCE)
    assert await running.join(PATIENCE)
    assert errors == ["LeadershipLost"] * 3
