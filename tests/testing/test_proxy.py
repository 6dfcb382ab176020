"""The test server passes requests on to the ports of containers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from aiohttp import web
from kubeapi import Clientset
from kubeapi.core.v1 import Node, Pod, Service
from support.web_server import WebServer, running

from clientgen.runtime.errors import ApiError, NotFound, ServiceUnavailable
from clientgen.testing import FakeCluster, LocalServer


def say(connection: Any) -> None:
    request = b""
    while not request.endswith(b"\r\n\r\n"):
        request += connection.readline()
    lines = request.decode().splitlines()
    body = f"{lines[0]} at {connection.pod}:{connection.port}"
    secret = any(line.lower().startswith("authorization") for line in lines)
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nX-Secret: {secret}\r\n\r\n"
    connection.write(head + body)


@pytest.fixture
def cluster() -> FakeCluster:
    ports = [{"containerPort": 8080, "name": "web"}]
    spec = {"containers": [{"name": "app", "image": "i", "ports": ports}]}
    metadata = {"name": "web-0", "namespace": "proxy", "labels": {"app": "web"}}
    leads = [{"name": "http", "port": 80, "targetPort": "web"}]
    made = FakeCluster(
        Pod(metadata=metadata, spec=spec),
        Service(
            metadata={"name": "web", "namespace": "proxy"},
            spec={"selector": {"app": "web"}, "ports": leads},
        ),
        Service(metadata={"name": "none", "namespace": "proxy"}, spec={"ports": leads}),
        Node(metadata={"name": "n1"}),
    )
    app = made.container("proxy/web-0")
    app.port(8080, say)
    app.port(1, lambda connection: connection.write(b"this is no HTTP\r\n"))
    app.port(2, lambda connection: None)
    return made


@pytest.fixture(params=["in process", "over HTTP"])
def k(request: pytest.FixtureRequest, cluster: FakeCluster) -> Iterator[Clientset]:
    if request.param == "in process":
        with cluster.clientset(Clientset) as k:
            yield k
        return
    with (
        LocalServer(cluster, token="t0ken", tls=True) as server,
        Clientset.from_config(server.kubeconfig) as k,
    ):
        yield k


def test_requests_of_pods_and_services_are_passed_on(k: Clientset) -> None:
    pod = k.core_v1.pods("proxy").proxy("web-0", 8080)
    service = k.core_v1.services("proxy")

    got = pod.get("/metrics/", query={"a": "b c"})
    assert (got.status, got.text) == (200, "GET /metrics/?a=b+c HTTP/1.1 at web-0:8080")
    assert got.headers["x-secret"] == "False"
    assert pod.post("/x", body=b"data").text.startswith("POST /x ")
    assert k.core_v1.pods("proxy").proxy("web-0").get("/").text.endswith("at web-0:8080")
    assert service.proxy("web", 80).get("/").text.endswith("at web-0:8080")
    assert service.proxy("web", "http").get("/").text.endswith("at web-0:8080")
    assert service.proxy("web", "http", scheme="http").get("/").text.endswith("at web-0:8080")


def test_a_server_of_this_machine(k: Clientset, cluster: FakeCluster) -> None:
    async def answer(request: web.BaseRequest) -> web.Response:
        return web.Response(status=418, text=f"{request.method} {await request.text()}")

    server = WebServer(answer)
    with running(server):
        cluster.container("proxy/web-0").port(9, server.url.removeprefix("http://"))
        got = k.core_v1.pods("proxy").proxy("web-0", 9).request("PUT", "/a", body="x" * 100_000)
    assert (got.status, got.text) == (418, f"PUT {'x' * 100_000}")


def test_who_cannot_be_reached(k: Clientset) -> None:
    pods, services = k.core_v1.pods("proxy"), k.core_v1.services("proxy")
    for port in (1, 2):
        with pytest.raises(ServiceUnavailable, match="error trying to reach service"):
            pods.proxy("web-0", port).get("/")
    with pytest.raises(ServiceUnavailable, match="nothing says what listens on port 3 of pod web"):
        pods.proxy("web-0", 3).get("/")
    with pytest.raises(ServiceUnavailable, match='no endpoints available for service "none"'):
        services.proxy("none", 80).get("/")
    with pytest.raises(ServiceUnavailable, match="has no port 81; it has 80"):
        services.proxy("web", 81).get("/")
    with pytest.raises(NotFound, match='pods "other" not found'):
        pods.proxy("other", 80).get("/")
    with pytest.raises(ApiError, match="this server has no nodes to connect to"):
        k.core_v1.nodes().proxy("n1", 80).get("/")
