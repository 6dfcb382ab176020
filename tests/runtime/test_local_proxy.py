"""`proxy`: a local port to the API server; `test_local_proxy_threads` on threads."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, Namespace, Pod
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime._async import local_proxy
from clientgen.runtime._async._primitives import run_blocking
from clientgen.runtime._models.model_codec import from_dict
from clientgen.runtime.aio import proxy
from clientgen.testing import FakeCluster, LocalServer

CONFIG_MAPS = "/api/v1/namespaces/shop/configmaps"
POD = {
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"containers": [{"name": "main", "image": "x"}], "nodeName": "n1"},
}


@pytest.fixture
def server() -> Iterator[LocalServer]:
    cluster = FakeCluster(Namespace(metadata=ObjectMeta(name="shop")), from_dict(Pod, POD))
    with LocalServer(cluster, tls=True, token="s3cret") as running:
        yield running


def ask(url: str, method: str, path: str, body: object = None, **headers: str) -> tuple[int, bytes]:
    """Send a request; gives the status and the body."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=30)
    try:
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, content, named)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def send(url: str, *pieces: bytes) -> bytes:
    """Send bytes; gives all that comes back."""
    with socket.create_connection(("127.0.0.1", urlsplit(url).port or 0), 30) as connection:
        for piece in pieces:
            connection.sendall(piece)
        received = b""
        while data := connection.recv(1 << 16):
            received += data
        return received


async def test_requests_have_the_credentials_of_the_client(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k, proxy(k) as url:
        assert url.startswith("http://127.0.0.1:")

        async def status(*given: Any, **headers: str) -> Any:
            return await run_blocking(partial(ask, url, *given, **headers))

        new = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
        assert (await status("POST", CONFIG_MAPS, new, Content_Type="application/json"))[0] == 201
        code, body = await status("GET", f"{CONFIG_MAPS}/a?pretty=true")
        assert (code, json.loads(body)["metadata"]["name"]) == (200, "a")
        large = {**new, "metadata": {"name": "b"}, "data": {"k": "x" * 900_000}}
        assert (await status("POST", CONFIG_MAPS, large, Content_Type="application/json"))[0] == 201
        code, body = await status("GET", f"{CONFIG_MAPS}/b", Accept_Encoding="gzip")
        assert json.loads(body)["data"] == large["data"]
        assert await status("HEAD", f"{CONFIG_MAPS}/a") == (405, b"")  # as real servers
        assert (await status("GET", f"{CONFIG_MAPS}/none"))[0] == 404
        assert (await status("DELETE", f"{CONFIG_MAPS}/b"))[0] == 200
        # A program gets the rights of the client, and no others.
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
        code, body = await status(
            *("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review),
            Content_Type="application/json",
            Authorization="Bearer wrong",
            Impersonate_User="other",
            Impersonate_Group="others",
        )
        assert json.loads(body)["status"]["userInfo"]["username"] == (await k.whoami()).username


REFUSED: dict[str, tuple[int, bytes]] = {
    "another host": (403, b"GET / HTTP/1.1\r\nHost: evil.example:80\r\n\r\n"),
    "a host that begins alike": (403, b"GET / HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n"),
    "no host": (400, b"GET / HTTP/1.1\r\n\r\n"),
    "no host in HTTP 1.0": (403, b"GET / HTTP/1.0\r\n\r\n"),
    "two hosts": (400, b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"),
    "another site": (
        403,
        b"POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n\r\n",
    ),
    "a hidden site": (403, b"POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\n\r\n"),
    "a URL": (400, b"GET http://localhost/api HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    "a tunnel": (400, b"CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    "a parent": (400, b"GET /api/../metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    "an encoded parent": (400, b"GET /api/%2e%2E/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    "a line": (400, b"GET /api/%0a HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    "half a byte": (400, b"GET /api/%2 HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    "a command": (
        403,
        b"GET /api/v1/namespaces/shop/pods/web/exec?command=ls HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ),
    "a hidden command": (
        403,
        b"GET /api/v1/namespaces/shop/pods/web%2F%65xec HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ),
    "a command after two slashes": (
        403,
        b"GET //api/v1/namespaces/shop/pods/web/exec HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ),
    "a command after a hidden slash": (
        403,
        b"GET /%2fapi/v1/namespaces/shop/pods/web/exec HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ),
    "an image in another site": (
        403,
        b"GET /version HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n\r\n",
    ),
    "garbage": (400, b"\x16\x03\x01\x02\x00\r\n\r\n"),
    "two lengths": (
        400,
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    ),
    "a long head": (431, b"GET / HTTP/1.1\r\nHost: localhost\r\nA: " + b"a" * 100_000),
}


async def test_requests_that_do_not_pass(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k, proxy(k) as url:
        for what, (status, request) in REFUSED.items():
            answer = await run_blocking(partial(send, url, request))
            assert answer.startswith(f"HTTP/1.1 {status} ".encode()), (what, answer)
        assert not server.cluster.actions


async def test_filters(server: LocalServer) -> None:
    filters: Any = {
        "accept_paths": ["^/api/v1/namespaces/shop/", "^/version$"],
        "reject_paths": ["/secrets"],
        "accept_hosts": [r"^proxy\.example$"],
        "reject_methods": ["^POST$", "^DELETE$"],
    }
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        async with proxy(k, **filters) as url:
            for method, path, host, status in [
                ("GET", CONFIG_MAPS, "proxy.example:8001", 200),
                ("GET", "/version", "PROXY.example", 200),
                ("GET", "//version", "proxy.example", 403),
                ("GET", "/version", "localhost", 403),
                ("POST", CONFIG_MAPS, "proxy.example", 403),
                ("GET", "/api/v1/namespaces/bank/configmaps", "proxy.example", 403),
                ("GET", "/api/v1/namespaces/shop/s%65crets", "proxy.example", 403),
            ]:
                found = await run_blocking(partial(ask, url, method, path, Host=host))
                assert found[0] == status, (method, path, host)
        wrong: Any = {"accept_paths": "^/api"}
        with pytest.raises(TypeError, match="accept_paths takes a list"):
            proxy(k, **wrong)
        with pytest.raises(ValueError, match="reject_paths: not a regular expression"):
            proxy(k, reject_paths=["("])
        with pytest.raises(ValueError, match="port"):
            proxy(k, port=70000)


async def test_a_client_of_dry_runs_writes_nothing(server: LocalServer) -> None:
    async with (
        AsyncClientset.from_config(server.kubeconfig) as k,
        proxy(k.with_(dry_run=True)) as url,
    ):
        found = await run_blocking(partial(ask, url, "POST", CONFIG_MAPS, {}))
        assert found == (403, b"the client of this proxy makes dry runs only\n")
        assert (await run_blocking(partial(ask, url, "GET", CONFIG_MAPS)))[0] == 200


async def test_a_watch_ends_with_the_port_and_does_not_look_complete(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        local = proxy(k)
        url = await local.start()
        with pytest.raises(RuntimeError, match="already started"):
            await local.start()
        with pytest.raises(OSError, match="in use"):
            await proxy(k, port=urlsplit(url).port or 0).start()
        with socket.create_connection(("127.0.0.1", urlsplit(url).port or 0), 30) as watching:
            head = f"GET {CONFIG_MAPS}?watch=true HTTP/1.1\r\nHost: localhost\r\n\r\n"
            watching.sendall(head.encode())
            await k.create(ConfigMap(metadata=ObjectMeta(name="seen")), namespace="shop")
            received = b""
            while b"ADDED" not in received:
                received += await run_blocking(partial(watching.recv, 1 << 16))
            await local.aclose()
            try:
                while data := await run_blocking(partial(watching.recv, 1 << 16)):
                    received += data
            except ConnectionResetError:
                pass
            assert b"\r\n0\r\n" not in received
        with pytest.raises(ConnectionRefusedError):
            await run_blocking(partial(ask, url, "GET", "/version"))


async def test_bytes_after_a_request_do_not_end_its_response(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k, proxy(k) as url:
        with socket.create_connection(("127.0.0.1", urlsplit(url).port or 0), 30) as watching:

            async def receive(what: bytes) -> None:
                received = b""
                while what not in received:
                    data = await run_blocking(partial(watching.recv, 1 << 16))
                    assert data, received
                    received += data

            head = f"GET {CONFIG_MAPS}?watch=true HTTP/1.1\r\nHost: localhost\r\n\r\n"
            watching.sendall(head.encode())
            await k.create(ConfigMap(metadata=ObjectMeta(name="first")), namespace="shop")
            await receive(b'"first"')
            watching.sendall(b"\r\nGET /version HTTP/1.1\r\nHost: localhost\r\n\r\n")
            # The answer to another request shows that the bytes have arrived.
            assert (await run_blocking(partial(ask, url, "GET", "/version")))[0] == 200
            await k.create(ConfigMap(metadata=ObjectMeta(name="second")), namespace="shop")
            await receive(b'"second"')


async def test_commands_and_watches_of_clients_pass(server: LocalServer) -> None:
    @server.cluster.container("shop/web").on_exec
    def run(process: Any) -> int:
        process.stdout.write(process.stdin.read().upper())
        return 7

    async with (
        AsyncClientset.from_config(server.kubeconfig) as k,
        proxy(k, reject_paths=()) as url,
        AsyncClientset.from_config(text=kubeconfig(url)) as through,
    ):
        done = await through.core_v1.pods("shop").exec("web", ["cat"], stdin=b"hello" * 10_000)
        assert (done.exit_code, done.stdout) == (7, b"HELLO" * 10_000)
        watch = through.core_v1.config_maps("shop").watch(timeout_seconds=30)
        async with watch as events:
            await through.create(ConfigMap(metadata=ObjectMeta(name="a")), namespace="shop")
            async for event in events:
                assert event.object.metadata.name == "a"
                break


def kubeconfig(url: str) -> str:
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "a", "cluster": {"server": url}}],
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
        "users": [{"name": "a", "user": {}}],
        "current-context": "a",
    }
    return json.dumps(config)


async def test_a_server_that_does_not_answer_is_a_bad_gateway(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k, proxy(k) as url:
        server.close()
        status, body = await run_blocking(partial(ask, url, "GET", "/version"))
        assert status == 502
        assert b"GET /version" in body


async def test_connections_without_a_request_make_room(
    server: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_proxy, "_MAX_CONNECTIONS", 3)
    async with AsyncClientset.from_config(server.kubeconfig) as k, proxy(k) as url:
        address = ("127.0.0.1", urlsplit(url).port or 0)
        idle = [socket.create_connection(address, 30) for _ in range(5)]
        code, _ = await run_blocking(partial(ask, url, "GET", "/version"))
        assert code == 200
        assert await run_blocking(partial(idle[0].recv, 1)) == b""
        for each in idle:
            each.close()


async def test_a_connection_too_many_is_refused(
    server: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_proxy, "_MAX_CONNECTIONS", 1)
    watch = f"GET {CONFIG_MAPS}?watch=true HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    async with AsyncClientset.from_config(server.kubeconfig) as k, proxy(k) as url:
        with socket.create_connection(("127.0.0.1", urlsplit(url).port or 0), 30) as watching:
            watching.sendall(watch)
            await run_blocking(partial(watching.recv, 1))
            code, body = await run_blocking(partial(ask, url, "GET", "/version"))
    assert (code, b"too many connections" in body) == (503, True)
