"""A server without a token takes requests of programs on its machine, not of pages in a browser."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from kubeapi import Clientset

from clientgen.testing import LocalServer

PODS = "/api/v1/namespaces/default/pods"
MAPS = "/api/v1/namespaces/default/configmaps"
MAP = b'{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "m-"}}'
JSON = ("Content-Type", "application/json")


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    with LocalServer() as served:
        yield served


def ask(
    server: LocalServer, method: str, path: str, body: bytes | None, *headers: tuple[str, str]
) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.putrequest(method, path, skip_host=True)
        for name, value in (*headers, ("Content-Length", str(len(body or b"")))):
            connection.putheader(name, value)
        connection.endheaders(body)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("status", "host"),
    [
        (200, "localhost"),
        (200, "LOCALHOST:{port}"),
        (200, "127.0.0.1:{port}"),
        (200, "[::1]:{port}"),
        (200, "localhost:9"),  # a tunnel has a port of its own
        (403, "attacker.example"),
        (403, "attacker.example:{port}"),
        (403, "127.0.0.1.attacker.example"),
        (403, "localhost.attacker.example"),
        (403, "attacker.example@x"),
        (403, "0.0.0.0"),
        (403, "[::1"),
        (403, ""),
    ],
)
def test_only_a_host_of_its_own_is_served(server: LocalServer, status: int, host: str) -> None:
    status_code, body = ask(server, "GET", PODS, None, ("Host", host.format(port=server.port)))
    assert status_code == status
    if status == 403:
        assert json.loads(body)["reason"] == "Forbidden"
        assert "a server without a token accepts localhost" in json.loads(body)["message"]


def test_a_second_host_helps_nobody(server: LocalServer) -> None:
    two = (("Host", "localhost"), ("Host", "attacker.example"))
    assert ask(server, "GET", PODS, None, *two)[0] in (400, 403)


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "text/plain;charset=UTF-8",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ],
)
@pytest.mark.parametrize(
    "path",
    [
        MAPS,
        f"{PODS}/p/eviction",
        "/api/v1/namespaces/default/serviceaccounts/s/token",
        "/api/v1/namespaces/default/bindings",
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        "/apis/shop.example/v1/namespaces/default/cups",
    ],
)
def test_forms_and_plain_text_are_refused(server: LocalServer, kind: str, path: str) -> None:
    """What a page may send to others without asking them first."""
    server.cluster.add(CUPS)
    before = ask(server, "GET", MAPS, None, ("Host", "localhost"))
    status, body = ask(server, "POST", path, MAP, ("Host", "localhost"), ("Content-Type", kind))
    assert (status, json.loads(body)["reason"]) == (415, "UnsupportedMediaType")
    assert ask(server, "GET", MAPS, None, ("Host", "localhost")) == before


CUPS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "cups.shop.example"},
    "spec": {
        "group": "shop.example",
        "scope": "Namespaced",
        "names": {"plural": "cups", "kind": "Cup"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object"}},
            }
        ],
    },
}


@pytest.mark.parametrize("origin", ["https://attacker.example", "null", "http://localhost.x", ""])
@pytest.mark.parametrize("kind", [[], [JSON]])
def test_requests_of_web_pages_cannot_write(
    server: LocalServer, origin: str, kind: list[tuple[str, str]]
) -> None:
    """A page may send a body of no type at all, too, which servers read as JSON."""
    headers = (("Host", "localhost"), ("Origin", origin), *kind)
    assert ask(server, "POST", MAPS, MAP, *headers)[0] == 403
    assert ask(server, "DELETE", f"{MAPS}/m", None, *headers)[0] == 403
    assert ask(server, "OPTIONS", MAPS, None, *headers)[0] == 403
    assert ask(server, "GET", MAPS, None, *headers)[0] == 403


@pytest.mark.parametrize(
    "origin",
    ["https://attacker.example", "null", "", "http://localhost:3000", "http://127.0.0.1:1"],
)
@pytest.mark.parametrize(
    ("path", "protocol"),
    [
        (f"{PODS}/p/exec?command=id&stdout=true&container=main", "v5.channel.k8s.io"),
        (f"{PODS}/p/attach?stdout=true&container=main", "v5.channel.k8s.io"),
        (f"{PODS}/p/portforward?ports=80", "portforward.k8s.io"),
        (f"{PODS}/p/portforward", "SPDY/3.1+portforward.k8s.io"),
        (f"{PODS}/p/proxy/", ""),
    ],
)
def test_pages_cannot_open_websockets(
    server: LocalServer, origin: str, path: str, protocol: str
) -> None:
    """A browser asks nobody before it opens one, not even for a page on another port."""
    add_pod(server)
    ran.clear()
    status, body = upgrade(server, path, protocol, ("Origin", origin))
    assert (status, ran) == (403, [])
    assert b"is refused: a server without a token" in body


def test_programs_and_pages_of_the_server_open_websockets(server: LocalServer) -> None:
    """Programs send no Origin, or that of the server."""
    add_pod(server)
    ran.clear()
    path = f"{PODS}/p/exec?command=id&stdout=true&container=main"
    assert upgrade(server, path, "v5.channel.k8s.io")[0] == 101
    own = ("Origin", f"http://localhost:{server.port}")
    assert upgrade(server, path, "v5.channel.k8s.io", own)[0] == 101


ran: list[object] = []


def add_pod(server: LocalServer) -> None:
    spec = {"nodeName": "n", "containers": [{"name": "main", "image": "i"}]}
    metadata = {"name": "p", "namespace": "default"}
    server.cluster.add({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    container = server.cluster.container("default/p")
    container.on_exec(ran.append)
    container.on_attach(ran.append)
    container.port(80, ran.append)


def upgrade(
    server: LocalServer, path: str, protocol: str, *headers: tuple[str, str]
) -> tuple[int, bytes]:
    asked = (
        ("Host", f"localhost:{server.port}"),
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("Sec-WebSocket-Protocol", protocol),
    )
    return ask(server, "GET", path, None, *asked, *headers)


@pytest.mark.parametrize("path", [PODS, f"{PODS}/p/proxy/stop", "/healthz"])
def test_images_and_links_of_other_pages_are_refused(server: LocalServer, path: str) -> None:
    """They have no Origin; what they do behind a proxy, they do all the same."""
    add_pod(server)
    ran.clear()
    site = ("Sec-Fetch-Site", "cross-site")
    status, body = ask(server, "GET", path, None, ("Host", "localhost"), site)
    assert (status, ran) == (403, [])
    assert b"a GET from another web page is refused" in body


@pytest.mark.parametrize("site", ["none", "same-origin", "same-site"])
def test_addresses_that_a_user_enters_are_served(server: LocalServer, site: str) -> None:
    headers = (("Host", "localhost"), ("Sec-Fetch-Site", site))
    assert ask(server, "GET", PODS, None, *headers)[0] == 200


def test_pages_of_the_machine_itself_may(server: LocalServer) -> None:
    origin = ("Origin", "http://localhost:3000")
    assert ask(server, "POST", MAPS, MAP, ("Host", "localhost"), origin, JSON)[0] == 201


@pytest.mark.parametrize("kind", [[], [("Content-Type", "")], [("Content-Type", " ")]])
@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1:1", "https://[::1]"])
def test_but_not_what_no_browser_asks_about(
    server: LocalServer, origin: str, kind: list[tuple[str, str]]
) -> None:
    """A page on another port can send a body of no type, and servers read that as JSON."""
    headers = (("Host", "localhost"), ("Origin", origin), *kind)
    before = ask(server, "GET", MAPS, None, ("Host", "localhost"))
    status, body = ask(server, "POST", MAPS, MAP, *headers)
    assert (status, json.loads(body)["reason"]) == (415, "UnsupportedMediaType")
    assert ask(server, "GET", MAPS, None, ("Host", "localhost")) == before


def test_programs_need_no_type(server: LocalServer) -> None:
    assert ask(server, "POST", MAPS, MAP, ("Host", "localhost"))[0] == 201


def test_with_a_token_it_may_be_called_whatever_leads_to_it() -> None:
    with LocalServer(token="sesame") as served:
        shown = ("Authorization", "Bearer sesame")
        other = ("Host", "tests.example")
        assert ask(served, "GET", PODS, None, other, shown)[0] == 200
        assert ask(served, "GET", PODS, None, other)[0] == 401


def test_kubeconfigs_of_two_servers_go_together() -> None:
    with LocalServer() as one, LocalServer(tls=True) as other:
        with Clientset.from_config(other.kubeconfig) as k:
            assert k.core_v1.namespaces().get("default").status.phase == "Active"
        assert f"clientgen-{one.port}" in Path(one.kubeconfig).read_text()
        assert f"clientgen-{other.port}" in Path(other.kubeconfig).read_text()
