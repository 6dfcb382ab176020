"""Requests of a leader's work that connect while the lease is lost; derived for threads."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Generator
from functools import partial
from typing import Any

import pytest
from kubeapi import AsyncClientset
from support.server import Certificates, ScriptedServer, ok

from clientgen.runtime._async._primitives import Event, Task, sleep, spawn
from clientgen.runtime._config.cluster_config import ClusterConfig, TlsConfig
from clientgen.runtime.aio import AsyncLeaderElector, AsyncRest
from clientgen.runtime.errors import LeadershipLost
from clientgen.testing import FakeClock, FakeCluster

pytestmark = pytest.mark.usefixtures("no_task_is_left")

PATIENCE = 60.0
NAME = "api.example.invalid"


async def until(holds: Callable[[], object]) -> None:
    while not holds():
        await sleep(0.001)


class Outage:
    """Keeps a client from connecting to a server, until the network is back."""

    def __init__(self, server: ScriptedServer, config: ClusterConfig) -> None:
        self.server, self.config = server, config
        self.met, self.over = threading.Event(), threading.Event()

    def holding(self, connect: Callable[..., Any]) -> Callable[..., Any]:
        def held(*arguments: Any, **options: Any) -> Any:
            self.met.set()
            self.over.wait(PATIENCE)
            return connect(*arguments, **options)

        return held


@contextlib.contextmanager
def in_a_handshake() -> Generator[Outage]:
    certificates = Certificates()
    with contextlib.closing(ScriptedServer(certificates)) as server:
        tls = TlsConfig(ca_data=certificates.ca_pem)
        outage = Outage(server, ClusterConfig(server.url, tls=tls))
        assert server._context is not None
        server._context.wrap_socket = outage.holding(server._context.wrap_socket)
        yield outage


@contextlib.contextmanager
def in_a_look_up() -> Generator[Outage]:
    with contextlib.closing(ScriptedServer(None)) as server:
        outage = Outage(server, ClusterConfig(f"http://{NAME}:{server.port}"))
        given = socket.getaddrinfo
        held = outage.holding(lambda *rest, **options: given("127.0.0.1", *rest, **options))

        def look_up(host: Any, *rest: Any, **options: Any) -> Any:
            return (held if host == NAME else partial(given, host))(*rest, **options)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(socket, "getaddrinfo", look_up)
            yield outage


async def create(k: AsyncClientset) -> None:
    await k.core_v1.config_maps("default").create({"metadata": {"name": "late"}})


async def run_a_command(k: AsyncClientset) -> None:
    await k.core_v1.pods("default").exec("web-0", ["reboot"])


async def read(k: AsyncClientset) -> None:
    await k.core_v1.config_maps("default").list()


class Work:
    """Work of a leader that makes a request beside itself, so that nobody cancels it."""

    def __init__(self, request: Callable[[AsyncClientset], Any], k: AsyncClientset) -> None:
        self.told = Event()
        self.errors: list[str] = []
        self._request, self._k = request, k
        self.child: Task

    async def lead(self) -> None:
        self.child = spawn(self._ask, "child")
        await self.told.wait()

    async def _ask(self) -> None:
        try:
            await self._request(self._k)
        except Exception as error:
            self.errors.append(f"{type(error).__name__}: {str(error).rpartition(': ')[2]}")


async def errors_after_the_loss(
    outage: Outage, request: Callable[[AsyncClientset], Any]
) -> list[str]:
    """Lose the lease while a request of the work connects; gives the errors."""
    clock = FakeClock()
    cluster = FakeCluster(clock=clock)
    async with AsyncClientset(AsyncRest(outage.config)) as k:
        work = Work(request, k)
        elector = AsyncLeaderElector(
            cluster.clientset(AsyncClientset),
            "lock",
            "default",
            on_started_leading=work.lead,
            on_stopped_leading=work.told.set,
            clock=clock,
        )

        async def run() -> None:
            with pytest.raises(LeadershipLost):
                await elector.run()

        running = spawn(run, "elector")
        await until(outage.met.is_set)
        cluster.fail("update", "leases.coordination.k8s.io", 500, times=None)
        clock.step(10.0)
        assert not elector.is_leader
        assert await running.join(PATIENCE)
        outage.over.set()
        assert await work.child.join(PATIENCE)
        return work.errors


OUTAGES = pytest.mark.parametrize("outage_in", [in_a_handshake, in_a_look_up])


@OUTAGES
@pytest.mark.parametrize(
    ("request_of", "what"),
    [
        (create, "POST /api/v1/namespaces/default/configmaps"),
        (run_a_command, "GET /api/v1/namespaces/default/pods/web-0/exec"),
    ],
)
async def test_what_was_connecting_when_the_lease_was_lost_is_not_sent(
    outage_in: Callable[[], Any], request_of: Callable[[AsyncClientset], Any], what: str
) -> None:
    with outage_in() as outage:
        refused = await errors_after_the_loss(outage, request_of)
        assert refused == [f"LeadershipLost: {what} is not sent"]
        assert outage.server.requests == []


@OUTAGES
async def test_what_reads_is_sent_after_all(outage_in: Callable[[], Any]) -> None:
    with outage_in() as outage:
        outage.server.reply(ok({"metadata": {}, "items": []}))
        assert await errors_after_the_loss(outage, read) == []
        assert [request.method for request in outage.server.requests] == ["GET"]
