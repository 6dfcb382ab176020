"""Local ports that lead to Services and workloads. test_forwarding_threads.py is derived."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import ConfigMap, Pod, Service
from support.local_sockets import answer_of

from clientgen.runtime._async._primitives import run_blocking
from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime.aio import AsyncRest, port_forward
from clientgen.runtime.errors import NotFound, OperationRefused
from clientgen.testing import FakeCluster, LocalServer


def pod(name: str, *, ready: bool = True, phase: str = "Running") -> Any:
    ports = [{"name": "web", "containerPort": 8080}, {"containerPort": 9090}]
    spec = {"containers": [{"name": "app", "image": "i", "ports": ports}], "nodeName": "n"}
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
    metadata = {"name": name, "namespace": "shop", "labels": {"app": "web"}}
    return Pod(metadata=metadata, spec=spec, status={"phase": phase, "conditions": conditions})


def service(name: str, *ports: dict[str, Any], **spec: Any) -> Any:
    metadata = {"name": name, "namespace": "shop"}
    return Service(metadata=metadata, spec={"ports": list(ports), **spec})


def deployment() -> Any:
    labels = {"app": "web"}
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "a", "image": "i"}]},
    }
    spec = {"selector": {"matchLabels": labels}, "template": template}
    return Deployment(metadata={"name": "web", "namespace": "shop"}, spec=spec)


def tell(connection: Any) -> None:
    connection.write(f"{connection.pod}:{connection.port}")


Connect = Callable[[], AsyncClientset]


@pytest.fixture
def cluster() -> FakeCluster:
    named = {"name": "http", "port": 80, "targetPort": "web"}
    numbered = {"name": "metrics", "port": 90, "targetPort": 9090}
    same = {"name": "same", "port": 8080}
    made = FakeCluster(
        pod("web-0", ready=False),
        pod("web-1"),
        pod("web-2", phase="Pending"),
        service("web", named, numbered, same, selector={"app": "web"}),
        service("headless", named, clusterIP="None", selector={"app": "web"}),
        service("alone", named),
        service("empty", named, selector={"app": "other"}),
        deployment(),
    )
    app = made.container("shop/web-*")
    for port in (80, 8080, 9090):
        app.port(port, tell)
    return made


@pytest.fixture(params=["in process", "over HTTP"])
def connect(request: pytest.FixtureRequest, cluster: FakeCluster) -> Iterator[Connect]:
    if request.param == "in process":
        yield lambda: cluster.clientset(AsyncClientset)
        return
    with LocalServer(cluster) as server:
        config = ClusterConfig(server.url)
        yield lambda: AsyncClientset(AsyncRest(config))


async def asked(local_port: int) -> str:
    return (await run_blocking(partial(answer_of, local_port, b""))).decode()


@pytest.mark.parametrize(
    ("kind", "name", "port", "answer"),
    [
        (Service, "web", 80, "web-1:8080"),
        (Service, "web", "http", "web-1:8080"),
        (Service, "web", 90, "web-1:9090"),
        (Service, "web", "metrics", "web-1:9090"),
        (Service, "web", 8080, "web-1:8080"),
        (Service, "headless", 80, "web-1:80"),
        (Deployment, "web", 9090, "web-1:9090"),
        (Deployment, "web", "web", "web-1:8080"),
    ],
)
async def test_where_ports_lead(
    connect: Connect, kind: Any, name: str, port: int | str, answer: str
) -> None:
    async with (
        connect() as k,
        port_forward(k, kind, name, port=port, namespace="shop") as local_port,
    ):
        assert await asked(local_port) == answer


async def test_an_object_says_where_it_lives(connect: Connect, cluster: FakeCluster) -> None:
    async with connect() as k:
        found = await k.core_v1.services("shop").get("web")
        async with port_forward(k, found, port=80) as local_port:
            assert await asked(local_port) == "web-1:8080"


async def test_the_next_connection_finds_another_pod(
    connect: Connect, cluster: FakeCluster, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "clientgen.runtime.ports")
    async with connect() as k:
        pods = k.core_v1.pods("shop")
        async with port_forward(k, Service, "web", port=80, namespace="shop") as local_port:
            for number in range(1, 30):
                assert await asked(local_port) == f"web-{number}:8080"
                cluster.add(pod(f"web-{number + 1}"))
                await pods.delete(f"web-{number}", grace_period_seconds=0)
                if number == 1:
                    await pods.delete("web-0", grace_period_seconds=0)
            await pods.delete("web-30", grace_period_seconds=0)
            assert await asked(local_port) == ""
            assert "Service shop/web has no running Pod" in caplog.text
            cluster.add(pod("web-31"))
            assert await asked(local_port) == "web-31:8080"


@pytest.mark.parametrize(
    ("kind", "name", "port", "words"),
    [
        (Service, "web", 81, "Service shop/web has no port 81; it has 80, 90, 8080"),
        (Service, "web", "x", "Service shop/web has no port 'x'; it has 80, 90, 8080"),
        (Service, "alone", 80, "Service shop/alone has no selector"),
        (Service, "empty", 80, "Service shop/empty has no running Pod"),
        (Deployment, "web", "x", "Pod web-1 of Deployment shop/web has no port named 'x'"),
    ],
)
async def test_what_is_refused_at_the_start(
    connect: Connect, kind: Any, name: str, port: int | str, words: str
) -> None:
    async with connect() as k:
        with pytest.raises(OperationRefused, match=words):
            await port_forward(k, kind, name, port=port, namespace="shop").start()


async def test_wrong_arguments(connect: Connect) -> None:
    async with connect() as k:
        with pytest.raises(NotFound):
            await port_forward(k, Service, "none", port=80, namespace="shop").start()
        with pytest.raises(TypeError, match=r"ports are forwarded to a Service, .* not ConfigMap"):
            port_forward(k, ConfigMap, "web", port=80)
        with pytest.raises(ValueError, match="port_forward needs the name of the Service"):
            port_forward(k, Service, "", port=80)
        for wrong in (0, 65536, "", True, 1.5, None):
            with pytest.raises(ValueError, match="port must be a number from 1 to 65535, or a"):
                port_forward(k, Service, "web", port=wrong)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="local_port must be a number from 0 to 65535"):
            port_forward(k, Service, "web", port=80, local_port=-1)
