"""Requests to programs in the cluster. test_proxy_threads.py is derived."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from kubeapi import AsyncClientset
from support.proxied_program import REDIRECT, api_server
from support.web_server import WebServer, running

from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.errors import (
    ConnectionLost,
    Forbidden,
    ProxyFailed,
    RequestTimeout,
    ResponseBroken,
    ServiceUnavailable,
)

BIG = bytes(range(256)) * 20_000


@pytest.fixture
def server() -> Iterator[WebServer]:
    server = WebServer(api_server)
    with running(server):
        yield server


def clients(server: WebServer) -> AsyncClientset:
    return AsyncClientset(AsyncRest(ClusterConfig(server.url)))


async def test_requests_reach_pods_services_and_nodes(server: WebServer) -> None:
    async with clients(server) as k:
        for proxy, path in (
            (k.core_v1.pods("shop").proxy("web-0"), "/api/v1/namespaces/shop/pods/web-0"),
            (k.core_v1.pods("shop").proxy("web-0", 80), "/api/v1/namespaces/shop/pods/web-0:80"),
            (
                k.core_v1.services("shop").proxy("web", "https-web", scheme="https"),
                "/api/v1/namespaces/shop/services/https:web:https-web",
            ),
            (
                k.core_v1.services("shop").proxy("web", scheme="http"),
                "/api/v1/namespaces/shop/services/http:web:",
            ),
            (k.core_v1.nodes().proxy("n-1", 10250), "/api/v1/nodes/n-1:10250"),
        ):
            seen = (await proxy.get("/a/b c?x=1&y=%2F", query={"z": ["1", "2"]})).json()
            assert seen["path"] == f"{path}/proxy/a/b%20c?x=1&y=%2F&z=1&z=2"
            assert seen["method"] == "GET"
            assert seen["headers"]["Accept"] == "*/*"


async def test_any_method_header_and_body_goes_through(server: WebServer) -> None:
    async with clients(server) as k:
        web = k.core_v1.pods("shop").proxy("web-0", 8080)
        for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            headers = {"Content-Type": "x/y", "X-A": "b", "accept": "text/plain"}
            answer = await web.request(method, "/", headers=headers, body="grüße")
            seen = answer.json()
            assert (seen["method"], seen["body"]) == (method, "grüße")
            got = [seen["headers"][name] for name in ("Content-Type", "X-A", "Accept")]
            assert got == ["x/y", "b", "text/plain"]
        assert (await web.post("/", body=b"\0")).json()["body"] == "\0"
        assert (await web.put("/")).json()["method"] == "PUT"
        assert (await web.delete("/")).json()["method"] == "DELETE"
        head = await web.request("HEAD", "/")
        assert (head.status, head.body) == (200, b"")


async def test_every_status_of_the_program_is_a_value(server: WebServer) -> None:
    async with clients(server) as k:
        web = k.core_v1.pods("shop").proxy("web-0", 8080)
        for status in (204, 301, 401, 404, 429, 500, 503):
            answer = await web.get(f"/status/{status}")
            assert (answer.status, answer.is_ok) == (status, status < 400)
        moved = await web.get("/status/302")
        assert moved.headers["location"] == REDIRECT
        assert repr(moved) == "ProxyResponse(status=302, 5 bytes)"
        with pytest.raises(ProxyFailed, match=r"the program answered 404: oh no") as failed:
            await web.get("/status/404", check=True)
        assert failed.value.response.status == 404
        assert (await web.get("/status/200", check=True)).text == "oh no"
    # Nothing was repeated.
    assert len(server.requests) == 10


async def test_the_api_servers_own_refusals_are_raised(server: WebServer) -> None:
    async with clients(server) as k:
        web = k.core_v1.pods("shop").proxy("forbidden", 8080)
        with pytest.raises(Forbidden, match="you may not"):
            await web.get("/")
        with pytest.raises(Forbidden, match="you may not"):
            async with web.stream("GET", "/"):
                pass
        with pytest.raises(ServiceUnavailable, match="no endpoints"):
            await k.core_v1.services("shop").proxy("empty", "web").get("/")


async def test_responses_come_piece_by_piece(server: WebServer) -> None:
    async with clients(server) as k:
        web = k.core_v1.pods("shop").proxy("web-0", 8080)
        async with web.stream("POST", "/big", body=b"x") as response:
            assert (response.status, response.headers["x-kind"]) == (200, "big")
            assert await response.read() == BIG
        async with web.stream("GET", "/endless") as response:
            size = 0
            async for data in response:
                size += len(data)
                if size > 1 << 20:
                    break
        async with web.stream("GET", "/endless") as response:
            with pytest.raises(ResponseBroken, match="larger than 1000 bytes"):
                await response.read(1000)
        async with web.stream("GET", "/status/500") as response:
            assert (response.status, await response.read()) == (500, b"oh no")
        async with web.stream("GET", "/json-error") as response:
            assert (response.status, json.loads(await response.read())) == (400, {"kind": "Own"})
        async with web.stream("GET", "/cut") as response:
            with pytest.raises(ConnectionLost):
                await response.read()
        stream = web.stream("GET", "/big")
        with pytest.raises(RuntimeError, match="is not open"):
            await stream.read()


async def test_a_program_that_says_nothing_is_given_up(server: WebServer) -> None:
    async with clients(server) as k:
        web = k.core_v1.pods("shop").proxy("web-0", 8080)
        with pytest.raises(RequestTimeout):
            await web.get("/silent", timeout=0.05)
        with pytest.raises(RequestTimeout):
            async with web.stream("GET", "/silent", timeout=0.05):
                pass


async def test_websockets_go_through(server: WebServer) -> None:
    async with clients(server) as k:
        web = k.core_v1.pods("shop").proxy("web-0", 8080)
        async with await web.websocket("/ws") as socket:
            assert socket.subprotocol == ""
            await socket.send("text")
            assert await socket.receive() == b"TEXT"
            await socket.send(b"bytes")
            assert await socket.receive() == b"BYTES"
        async with await web.websocket("/ws", ["a", "chat"]) as socket:
            assert socket.subprotocol == "chat"
        with pytest.raises(ResponseBroken, match="none of the subprotocols"):
            await web.websocket("/ws", ["other"])


@pytest.mark.parametrize(
    "path",
    [
        "",
        "metrics",
        "http://x/",
        "/../x",
        "/a/..",
        "/%2e%2E/x",
        "/a%2f..%2fb",
        "/./a",
        "/a\\..\\b",
        "/\udc80",
    ],
)
async def test_paths_that_lead_elsewhere_are_refused(server: WebServer, path: str) -> None:
    async with clients(server) as k:
        with pytest.raises(ValueError, match="path "):
            await k.core_v1.pods("shop").proxy("web-0").get(path)
    assert server.requests == []


async def test_what_cannot_be_asked_is_refused(server: WebServer) -> None:
    async with clients(server) as k:
        pods = k.core_v1.pods("shop")
        port: Any
        for port in (0, 65536, -1, True, "a:b", "A", "", 1.5):
            with pytest.raises(ValueError, match=r'pods\("shop"\)\.proxy\(\): port must be'):
                pods.proxy("web-0", port)
        with pytest.raises(ValueError, match="name must not contain a colon"):
            pods.proxy("web-0:80")
        with pytest.raises(ValueError, match="scheme must be 'http' or 'https'"):
            pods.proxy("web-0", scheme="ftp")
        web = pods.proxy("web-0")
        for name in ("Authorization", "host", "Connection"):
            with pytest.raises(ValueError, match=f"the header {name} cannot be set"):
                await web.get("/", headers={name: "x"})
        with pytest.raises(ValueError, match="a character that HTTP headers do not allow"):
            await web.get("/", headers={"X": "a\r\nb"})
        with pytest.raises(ValueError, match="method must be a word in capitals"):
            await web.request("GET /x", "/")
        body: Any = {"a": 1}
        with pytest.raises(TypeError, match="body must be bytes or text, not a dict"):
            await web.post("/", body=body)
    assert server.requests == []
