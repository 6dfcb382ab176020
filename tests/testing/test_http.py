"""A cluster over HTTP and HTTPS, for our clients and for any other."""

from __future__ import annotations

import asyncio
import gc
import gzip
import http.client
import json
import socket
import ssl
import stat
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime import errors
from clientgen.testing import FakeCluster, LocalServer
from clientgen.testing._fake.reactors import Pattern
from clientgen.testing._fake.server_kubeconfig import ForeignFile

EVERYTHING = Pattern()
MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/pods"


@pytest.fixture(scope="module")
def shared() -> Iterator[LocalServer]:
    with LocalServer() as server:
        yield server


@pytest.fixture
def server(shared: LocalServer) -> LocalServer:
    """One server for all; what a test has set up is cleared away before the next."""
    shared.cluster.clear_reactions()
    shared.cluster.clear_actions()
    return shared


@pytest.fixture(autouse=True)
def no_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clientgen.runtime._http.retry.Backoff.delay", lambda self: 0.0)


def connect(server: LocalServer) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)


def ask(
    server: LocalServer, method: str, path: str, body: Any = None, **headers: str
) -> tuple[int, http.client.HTTPMessage, bytes]:
    connection = connect(server)
    try:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def config(name: str, **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace="default"), data=data)


def body_of(name: str, filling: int = 0) -> bytes:
    value = {"kind": "ConfigMap", "metadata": {"name": name}, "data": {"x": "y" * filling}}
    return json.dumps({"apiVersion": "v1", **value}).encode()


# ---- what is sent -----------------------------------------------------------------------------


@pytest.mark.parametrize("parameters", ['a="b', 'a="b"c', "a=b c", "a b=c"])
def test_content_types_that_go_cannot_read_are_refused(server: LocalServer, parameters: str):
    sent = f"application/json; {parameters}"
    assert ask(server, "POST", f"{MAPS}?dryRun=All", body_of("a"), content_type=sent)[0] == 415
    sent = 'application/json; a="b; c"'
    assert ask(server, "POST", f"{MAPS}?dryRun=All", body_of("a"), content_type=sent)[0] == 201


def test_numbers_of_custom_objects_that_are_no_64_bits_are_doubles():
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": anything}}}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "ts.x.io"},
        "spec": {
            "group": "x.io",
            "scope": "Cluster",
            "names": {"kind": "T", "plural": "ts"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }
    sent = {
        "exact": 2**63 - 1,
        "least": -(2**63),
        "more": 2**63,
        "most": 2**64 - 1,
        "text": "9" * 30,
    }
    body = {"apiVersion": "x.io/v1", "kind": "T", "metadata": {"name": "a"}, "spec": sent}
    with LocalServer(FakeCluster(definition)) as server:
        path = "/apis/x.io/v1/ts"
        code, _, text = ask(server, "POST", path, json.dumps(body), content_type="application/json")
        spec = json.loads(text)["spec"]
    assert code == 201
    assert spec == {**sent, "more": float(2**63), "most": float(2**64 - 1)}
    assert [type(spec[name]) for name in sent] == [int, int, float, float, str]


# ---- clients ----------------------------------------------------------------------------------


def test_a_clientset_connects_by_the_kubeconfig(server: LocalServer):
    with Clientset.from_config(server.kubeconfig) as k:
        made = k.core_v1.config_maps("default").create(config("sync", sky="blue"))
        assert k.core_v1.config_maps("default").get("sync").metadata.uid == made.metadata.uid
    assert [str(each) for each in server.cluster.writes] == ["create configmaps default/sync"]


async def test_an_asynchronous_client_is_served(server: LocalServer):
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        await k.core_v1.config_maps("default").create(config("async"))
        async with k.core_v1.config_maps("default").watch(
            field_selector="metadata.name=async"
        ) as w:
            async for event in w:
                assert event.type == "ADDED"
                break


def test_https_with_an_authority_of_its_own_and_a_token():
    with LocalServer(tls=True, token="s3cret-t0ken") as server:
        assert server.url.startswith("https://")
        with Clientset.from_config(server.kubeconfig) as k:
            assert k.core_v1.namespaces().get("default").status.phase == "Active"
        context = ssl.create_default_context(cadata=server.certificate_authority.decode())
        connection = http.client.HTTPSConnection("localhost", server.port, context=context)
        connection.request("GET", PODS, headers={"Authorization": "Bearer wrong"})
        response = connection.getresponse()
        assert (response.status, json.load(response)["reason"]) == (401, "Unauthorized")
        connection.close()
        assert "s3cret-t0ken" not in repr(server)


@pytest.mark.parametrize(
    ("path", "shown", "status"),
    [
        (PODS, None, 401),
        (PODS, "Bearer wrong", 401),
        (PODS, "Basic czNjcmV0", 401),
        (PODS, "Bearer s3cret", 200),
        ("/healthz", None, 200),
        ("/version", None, 200),
        ("/healthz", "Bearer wrong", 401),
    ],
)
def test_a_token_is_asked_for(path: str, shown: str | None, status: int):
    with LocalServer(FakeCluster(), token="s3cret") as server:
        headers = {"Authorization": shown} if shown else {}
        assert ask(server, "GET", path, **headers)[0] == status


@pytest.mark.parametrize(
    "value", [b"\xff", b"Bearer \xff\xfe", b"\xed\xa0\x80/1", b"a\xc3\xa9\xe9"]
)
@pytest.mark.parametrize("name", ["Authorization", "User-Agent", "Impersonate-User", "X-\xff"])
@pytest.mark.parametrize("token", ["", "s3cret"])
def test_headers_are_answered_that_are_no_text(name: str, value: bytes, token: str):
    """Go takes any bytes in them, and writes what is no UTF-8 as a replacement."""
    shown = b"Authorization: Bearer s3cret\r\n" * (bool(token) and name != "Authorization")
    head = b"%b: %b\r\nHost: localhost\r\nConnection: close\r\n" % (name.encode("latin-1"), value)
    length = b"Content-Length: %d\r\n\r\n" % len(body_of("odd"))
    with LocalServer(FakeCluster(), token=token) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            start = b"POST %b HTTP/1.1\r\n" % MAPS.encode()
            connection.sendall(start + head + shown + length + body_of("odd"))
            status = int(connection.makefile("rb").readline().split()[1])
        refused = {"Authorization": 401 if token else 201, "Impersonate-User": 403, "X-\xff": 400}
        assert status == refused.get(name, 201)
        if status == 201 and name == "User-Agent":
            with server.cluster.clientset(Clientset) as k:
                (managed,) = k.core_v1.config_maps("default").get("odd").metadata.managed_fields
            assert managed.manager == value.split(b"/")[0].decode(errors="replace")


# ---- the kubeconfig ---------------------------------------------------------------------------


def test_the_kubeconfig_is_for_its_owner_alone_and_goes_with_the_server():
    with LocalServer() as server:
        path = Path(server.kubeconfig)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not path.exists()
    with pytest.raises(RuntimeError, match="not running"):
        _ = server.kubeconfig


def test_a_kubeconfig_that_was_asked_for_stays_and_is_renewed(tmp_path: Path):
    path = tmp_path / "kubeconfig"
    for _ in range(2):
        with LocalServer(kubeconfig=path) as server:
            assert server.url in path.read_text()
    assert path.exists()
    assert list(tmp_path.iterdir()) == [path]


def test_somebody_elses_kubeconfig_is_left_alone(tmp_path: Path):
    path = tmp_path / "config"
    path.write_text("apiVersion: v1\n")
    with pytest.raises(ForeignFile), LocalServer(kubeconfig=path):
        pass
    assert path.read_text() == "apiVersion: v1\n"


# ---- HTTP -------------------------------------------------------------------------------------


def test_connections_are_kept_alive(server: LocalServer):
    connection = connect(server)
    for _ in range(3):
        connection.request("GET", "/version")
        assert json.load(connection.getresponse())["major"] == "1"
    connection.close()


def test_large_answers_are_compressed_for_who_can_read_that(server: LocalServer):
    ask(server, "POST", MAPS, body_of("large", 200_000), Content_Type="application/json")
    path = f"{MAPS}/large"
    _, headers, zipped = ask(server, "GET", path, Accept_Encoding="gzip")
    assert (headers["Content-Encoding"], headers["Vary"]) == ("gzip", "Accept-Encoding")
    _, headers, plain = ask(server, "GET", path, Accept_Encoding="identity")
    assert headers["Content-Encoding"] is None
    assert gzip.decompress(zipped) == plain
    _, headers, _ = ask(server, "GET", PODS, Accept_Encoding="gzip")
    assert headers["Content-Encoding"] is None


@pytest.mark.parametrize(("size", "status"), [(3 << 20, 422), ((3 << 20) + 1, 413)])
def test_bodies_have_a_limit(server: LocalServer, size: int, status: int):
    body = body_of("huge", size - len(body_of("huge")))
    status_code, _, answer = ask(server, "POST", MAPS, body, Content_Type="application/json")
    assert (status_code, json.loads(answer)["code"]) == (status, status)


def test_much_larger_bodies_are_refused_as_well(server: LocalServer):
    body = body_of("huge", 8 << 20)
    try:
        status, _, _ = ask(server, "POST", MAPS, body, Content_Type="application/json")
    except ConnectionError:
        return  # a server may refuse before it has heard everything
    assert status == 413


def test_a_client_may_wait_for_leave_to_send(server: LocalServer):
    body = body_of("polite")
    head = f"POST {MAPS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += f"Expect: 100-continue\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(head.encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 100 ")
        connection.sendall(body)
        assert connection.recv(100).startswith(b"HTTP/1.1 201 ")


def test_a_body_may_come_in_chunks(server: LocalServer):
    connection = connect(server)
    parts = iter([body_of("pieces")[:20], body_of("pieces")[20:]])
    connection.request(
        "POST", MAPS, parts, {"Content-Type": "application/json"}, encode_chunked=True
    )
    assert connection.getresponse().status in {200, 201}
    connection.close()


def test_long_selectors_fit(server: LocalServer):
    names = "%2C".join(f"name-{number}" for number in range(3000))
    assert ask(server, "GET", f"{PODS}?labelSelector=app+in+({names})")[0] == 200


def test_head_has_no_body(server: LocalServer):
    assert ask(server, "HEAD", "/healthz")[2] == b""


def test_events_are_sent_at_once(server: LocalServer):
    connection = connect(server)
    connection.request("GET", f"{MAPS}?watch=1&fieldSelector=metadata.name%3Dfresh")
    response = connection.getresponse()
    assert response.headers["Transfer-Encoding"] == "chunked"
    server.cluster.add(config("fresh"))
    assert json.loads(response.readline())["type"] == "ADDED"
    connection.close()


def test_a_watch_ends_by_its_timeout(server: LocalServer):
    _, _, body = ask(server, "GET", "/api/v1/nodes?watch=1&timeoutSeconds=1")
    assert body == b""


def test_a_client_that_is_gone_is_forgotten(server: LocalServer):
    server.cluster.add({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}})
    connection = connect(server)
    connection.request("GET", "/api/v1/nodes?watch=1")
    response = connection.getresponse()
    response.readline()
    response.close()
    connection.close()
    for _ in range(1000):
        if not server.cluster.dispatcher.streams(EVERYTHING):
            return
        threading.Event().wait(0.01)
    raise AssertionError("the stream is still there")


def test_the_end_of_the_server_is_the_end_of_its_watches():
    cluster = FakeCluster()
    with LocalServer(cluster) as server:
        connection = connect(server)
        connection.request("GET", "/api/v1/nodes?watch=1")
        response = connection.getresponse()
    assert response.read() == b""
    connection.close()
    assert cluster.drop_watches() == 0


def test_two_servers_may_share_a_cluster():
    cluster = FakeCluster()
    with LocalServer(cluster) as one, LocalServer(cluster) as other:
        ask(one, "POST", MAPS, body_of("shared"), Content_Type="application/json")
        assert ask(other, "GET", f"{MAPS}/shared")[0] == 200


def test_a_port_that_is_in_use_is_an_error(server: LocalServer):
    with pytest.raises(OSError, match="in use"), LocalServer(port=server.port):
        pass


# ---- reactions and faults ---------------------------------------------------------------------


def test_reactions_work_over_http(server: LocalServer):
    server.cluster.react("get", "nodes", errors.Forbidden)
    status, _, body = ask(server, "GET", "/api/v1/nodes/n1")
    assert (status, json.loads(body)["reason"]) == (403, "Forbidden")


def test_a_retry_after_is_a_header(server: LocalServer):
    server.cluster.fail("*", "*", 429, retry_after=7)
    status, headers, body = ask(server, "GET", PODS)
    assert (status, headers["Retry-After"]) == (429, "7")
    assert json.loads(body)["details"]["retryAfterSeconds"] == 7


def test_a_reaction_that_fails_is_the_servers_error(
    server: LocalServer, caplog: pytest.LogCaptureFixture
):
    server.cluster.react("get", "nodes", lambda _: 1 // 0)
    status, _, body = ask(server, "GET", "/api/v1/nodes/n1")
    assert (status, json.loads(body)["reason"]) == (500, "InternalError")
    assert "ZeroDivisionError" in caplog.text


def test_an_answer_is_cut_in_half(server: LocalServer):
    server.cluster.cut("list", "pods")
    connection = connect(server)
    connection.request("GET", PODS)
    response = connection.getresponse()
    with pytest.raises((ConnectionError, http.client.IncompleteRead)):
        response.read()
    connection.close()


def test_a_connection_breaks_before_the_answer(server: LocalServer):
    server.cluster.fail("list", "pods", errors.ConnectionLost)
    with pytest.raises((ConnectionError, http.client.RemoteDisconnected)):
        ask(server, "GET", PODS)


def test_a_watch_is_cut_after_so_many_bytes(server: LocalServer):
    server.cluster.add({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}})
    server.cluster.cut("watch", "nodes", after=20)
    connection = connect(server)
    connection.request("GET", "/api/v1/nodes?watch=1")
    response = connection.getresponse()
    assert response.read(20) == b'{"type":"ADDED","obj'
    with pytest.raises((ConnectionError, http.client.IncompleteRead)):
        response.read()
    connection.close()


def test_connections_that_break_are_not_logged_as_errors(
    server: LocalServer, caplog: pytest.LogCaptureFixture
):
    server.cluster.add({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}})
    server.cluster.cut("list", "pods")
    server.cluster.fail("list", "services", errors.ConnectionLost)
    server.cluster.cut("watch", "nodes", after=20)
    for path in (PODS, "/api/v1/services", "/api/v1/nodes?watch=1"):
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            ask(server, "GET", path)
    assert ask(server, "GET", "/version")[0] == 200
    assert caplog.messages == []


def test_a_client_goes_on_where_its_watch_broke(server: LocalServer):
    with Clientset.from_config(server.kubeconfig) as k:
        maps = k.core_v1.config_maps("default")
        version = maps.list().metadata.resource_version
        server.cluster.cut("watch", "*", after=100, times=3)
        server.cluster.add(config("one"), config("two"))
        seen: list[str] = []
        for event in maps.watch(resource_version=version):
            seen.append(event.object.metadata.name or "")
            if len(seen) == 2:
                break
    assert seen == ["one", "two"]
    assert [str(a) for a in server.cluster.actions].count("watch configmaps default") == 4


def test_delays_are_over_in_the_end(server: LocalServer):
    server.cluster.delay(0.01, "list", "pods")
    assert ask(server, "GET", PODS)[0] == 200


@pytest.mark.parametrize(
    "sent",
    [
        b"Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
        b"Content-Encoding: deflate\r\nContent-Length: 3\r\n\r\nabc",
        b"Transfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
    ],
)
def test_a_body_that_cannot_be_read_is_a_bad_request(
    server: LocalServer, sent: bytes, caplog: pytest.LogCaptureFixture
):
    head = f"POST {MAPS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(head.encode() + sent)
        assert connection.recv(100).split()[1] == b"400"
    assert ask(server, "GET", PODS)[0] == 200
    assert not [each for each in caplog.records if each.name == "clientgen.testing"]


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /api HTTP/1.1\r\nHost: localhost\r\n" + b"X-Y: z\r\n" * 200_000 + b"\r\n",
        b"GET /api HTTP/1.1\r\nHost: localhost\r\nX-Y: " + b"z" * 2_000_000 + b"\r\n\r\n",
        b"GET /api?x=" + b"z" * 2_000_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
)
def test_floods_end_with_their_connection(server: LocalServer, sent: bytes):
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        try:
            connection.sendall(sent)
            assert not connection.recv(100).startswith(b"HTTP/1.1 5")
        except ConnectionError:
            pass
    assert ask(server, "GET", PODS)[0] == 200


def test_input_of_a_command_comes_in_text_frames_too() -> None:
    """As the official client for Python sends it; API servers do not tell frames apart."""
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"containers": [{"name": "main", "image": "x"}]},
    }
    cluster = FakeCluster(pod)
    pieces: list[bytes] = []

    @cluster.container("shop/web").on_exec
    def run(process: Any) -> int:
        assert process.stdin.read1(0) == b""
        while piece := process.stdin.read1(4):
            pieces.append(piece)
            process.stdout.write(piece)
        return 0

    async def talk(url: str) -> bytes:
        output = b""
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(url, protocols=["v5.channel.k8s.io"]) as socket,
        ):
            await socket.send_str("\0h\u00e9llo")
            while len(output) < len("h\u00e9llo".encode()):
                output += (await socket.receive_bytes())[1:]
            await socket.send_bytes(b"\xff\0")
            assert (await socket.receive_bytes())[:1] == b"\x03"
        return output

    path = "/api/v1/namespaces/shop/pods/web/exec?command=cat&stdin=true&stdout=true"
    with LocalServer(cluster) as server:
        output = asyncio.run(talk(f"{server.url}{path}"))
    assert output.decode() == "h\u00e9llo"
    assert max(map(len, pieces)) <= 4


def test_connections_of_the_last_moment_are_closed() -> None:
    """asyncio loses the sockets that it accepts while its server is closed."""
    held, gate = threading.Event(), threading.Event()

    def hold() -> None:
        held.set()
        gate.wait(10)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with LocalServer(FakeCluster()) as server:
            loop: Any = vars(server)["_loop"]
            loop.call_soon_threadsafe(hold)
            held.wait(10)
            address = "127.0.0.1", int(server.url.rpartition(":")[2])
            clients = [socket.create_connection(address) for _ in range(5)]
            closing = threading.Thread(target=server.close)
            closing.start()
            gate.set()
            closing.join()
        for client in clients:
            client.close()
        gc.collect()
    assert not [each for each in caught if each.category is ResourceWarning]
