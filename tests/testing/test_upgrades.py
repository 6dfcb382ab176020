"""How clients ask for commands and ports: WebSockets without a subprotocol, and SPDY."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any

import aiohttp
import pytest
from kubeapi.core.v1 import Pod

from clientgen.testing import FakeCluster, LocalServer

PODS = "/api/v1/namespaces/shop/pods"
EXEC = f"{PODS}/web-0/exec?container=app&command=x&stdout=true"


def run(process: Any) -> int:
    process.stdout.write("out")
    return 3 if process.command == ["fail"] else 0


def upper(connection: Any) -> None:
    connection.write(connection.readline().upper())


@pytest.fixture
def server() -> Iterator[LocalServer]:
    spec = {"containers": [{"name": "app", "image": "i"}], "nodeName": "node-1"}
    pods = [
        Pod(metadata={"name": name, "namespace": "shop"}, spec=spec, status={"phase": "Running"})
        for name in ("web-0", "bare")
    ]
    cluster = FakeCluster(*pods)
    app = cluster.container("shop/web-0")
    app.on_exec(run)
    app.port(80, upper)
    with LocalServer(cluster) as server:
        yield server


async def messages(server: LocalServer, path: str, *sent: bytes, **options: Any) -> list[bytes]:
    """Return what comes over a WebSocket, up to its end."""
    url = f"{server.url}{path}"
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(url, timeout=aiohttp.ClientWSTimeout(60), **options) as socket,
    ):
        assert socket.protocol == next(iter(options.get("protocols", ())), None)
        for each in sent:
            await socket.send_bytes(each)
        return [received.data async for received in socket]


async def test_commands_without_a_subprotocol_end_with_a_text(server: LocalServer) -> None:
    assert await messages(server, EXEC) == [b"\x01out"]
    failed = await messages(server, EXEC.replace("=x", "=fail"))
    text = b"command terminated with non-zero exit code: exit status 3"
    assert failed == [b"\x01out", b"\x03" + text]
    *_, status = await messages(server, EXEC, protocols=["v4.channel.k8s.io"])
    assert json.loads(status[1:])["status"] == "Success"


async def test_ports_without_a_subprotocol_are_as_with_v4(server: LocalServer) -> None:
    path = f"{PODS}/web-0/portforward?ports=80"
    plain = await messages(server, path, b"\x00hey\n")
    assert plain == [b"\x00P\x00", b"\x01P\x00", b"\x00HEY\n"]
    assert await messages(server, path, b"\x00hey\n", protocols=["v4.channel.k8s.io"]) == plain


async def test_subprotocols_that_are_not_known_are_refused(server: LocalServer) -> None:
    with pytest.raises(aiohttp.WSServerHandshakeError, match="400"):
        await messages(server, EXEC, protocols=["v9.channel.k8s.io"])


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("bare/exec?command=x", "nothing says what exec does in container app"),
        ("bare/attach?stdout=true", "nothing says what attach does in container app"),
        ("bare/portforward", "nothing says what listens on the ports of pod bare"),
        ("web-0/exec?command=x", "this server speaks WebSockets, not SPDY"),
        ("web-0/portforward", "this server speaks WebSockets, not SPDY"),
    ],
)
def test_spdy_is_told_first_what_no_test_has_declared(
    server: LocalServer, path: str, said: str
) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        headers = {"connection": "Upgrade", "upgrade": "SPDY/3.1"}
        connection.request("POST", f"{PODS}/{path}", headers=headers)
        answer = connection.getresponse()
        assert (answer.status, said in json.loads(answer.read())["message"]) == (400, True)
    finally:
        connection.close()
