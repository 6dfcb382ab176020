"""`timeout=` is when a call is over, whatever the server does; the tests of threads are derived.

The servers here go on for much longer than the tests: a call that misses its deadline meets their
end, which is another error.
"""

from __future__ import annotations

import json
import socket
import threading
import time

import pytest
from kubeapi.core.v1 import ConfigMap, Pod
from kubeapi.core.v1.async_clients import AsyncConfigMapClient, AsyncPodClient
from support.plugins import V1, Plugin
from support.raw_server import Peer, RawServer

from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime._net import deadlines
from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.errors import ApiError, ClientError, RequestTimeout

SOON = 0.25
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def dripping(start: bytes, again: bytes):
    def talk(peer: Peer) -> None:
        peer.read_request()
        peer.drip(start, again)

    return talk


def config(server: RawServer, scheme: str = "http", **changes) -> ClusterConfig:
    return ClusterConfig(f"{scheme}://127.0.0.1:{server.port}", **changes)


SLOW = {
    "silence": (b"", b""),
    "status line": (b"HTTP/1.1 200 ", b"O"),
    "header": (HEAD + b"X-Long: ", b"x"),
    "headers": (HEAD, b"X-A: b\r\n"),
    "body": (HEAD + b"Content-Length: 1000000\r\n\r\n", b" "),
    "body until the end": (HEAD + b"Connection: close\r\n\r\n", b" "),
    "chunks": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "size of a chunk": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
    "trailers": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X-A: b\r\n"),
    "announcements": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n"),
    "continue": (b"HTTP/1.1 100 Continue\r\n", b"X-A: b\r\n"),
    "refusal": (b"HTTP/1.1 404 No\r\nContent-Length: 1000000\r\n\r\n", b" "),
}


@pytest.mark.parametrize("slow", SLOW)
async def test_a_slow_answer_is_over_at_the_deadline(slow):
    with RawServer(dripping(*SLOW[slow])) as server:
        async with AsyncRest(config(server)) as rest:
            with pytest.raises(RequestTimeout, match=r"^GET /api/v1/namespaces/shop/pods/web: "):
                await AsyncPodClient(rest, "shop").get("web", timeout=SOON)


@pytest.mark.parametrize("slow", ["silence", "status line", "headers", "announcements"])
async def test_a_slow_stream_does_not_open_after_the_deadline(slow):
    with RawServer(dripping(*SLOW[slow])) as server:
        async with AsyncRest(config(server)) as rest:
            pods = AsyncPodClient(rest, "shop")
            with pytest.raises(RequestTimeout):
                async for _ in pods.watch(timeout=SOON):
                    pass
            with pytest.raises(RequestTimeout):
                async for _ in pods.follow_logs("web", timeout=SOON):
                    pass


async def test_a_slow_refusal_of_a_stream_is_a_refusal():
    with RawServer(dripping(*SLOW["refusal"])) as server:
        async with AsyncRest(config(server)) as rest:
            with pytest.raises(ApiError, match="404"):
                async for _ in AsyncPodClient(rest, "shop").watch(timeout=SOON):
                    pass


@pytest.mark.parametrize("start", [b"", b"\x16\x03\x03\x40\x00"], ids=["silence", "record"])
async def test_a_handshake_that_never_ends_is_over_at_the_deadline(start):
    def talk(peer: Peer) -> None:
        peer.drip(start, b"\x00" if start else b"")

    with RawServer(talk) as server:
        async with AsyncRest(config(server, "https")) as rest:
            with pytest.raises(RequestTimeout):
                await AsyncPodClient(rest, "shop").get("web", timeout=SOON)


@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 ", b"HTTP/1.1 200 OK\r\nX-Long: "])
async def test_a_slow_proxy_is_over_at_the_deadline(start):
    with RawServer(dripping(start, b"x" if start else b"")) as server:
        proxy = f"http://127.0.0.1:{server.port}"
        where = ClusterConfig("https://api.example.invalid", proxy_url=proxy)
        async with AsyncRest(where) as rest:
            with pytest.raises(RequestTimeout):
                await AsyncPodClient(rest, "shop").get("web", timeout=SOON)


async def test_a_name_that_nobody_answers_for_is_over_at_the_deadline(monkeypatch):
    over = threading.Event()
    looked_up: list[str] = []

    def never(host, *_: object, **__: object):
        looked_up.append(host)
        over.wait(10)
        raise socket.gaierror(socket.EAI_AGAIN, "no answer")

    monkeypatch.setattr(socket, "getaddrinfo", never)
    try:
        async with AsyncRest(ClusterConfig("http://api.example.invalid")) as rest:
            with pytest.raises(RequestTimeout):
                await AsyncPodClient(rest, "shop").get("web", timeout=SOON)
    finally:
        over.set()
    assert looked_up == ["api.example.invalid"]


async def test_a_request_that_nobody_reads_is_over_at_the_deadline():
    with RawServer(lambda peer: peer.wait()) as server:
        async with AsyncRest(config(server)) as rest:
            large = ConfigMap(data={"x": "y" * 20_000_000})
            with pytest.raises(RequestTimeout):
                await AsyncConfigMapClient(rest, "shop").create(large, timeout=SOON)


async def test_an_answer_that_is_announced_is_waited_for():
    def answers(peer: Peer) -> None:
        body = b'{"kind":"Pod","metadata":{"name":"web"}}'
        while peer.read_request():
            peer.send(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n")
            peer.send(b"HTTP/1.1 199 Almost\r\n\r\n" + HEAD)
            peer.send(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    with RawServer(answers) as server:
        async with AsyncRest(config(server)) as rest:
            for timeout in (None, 10):
                pod = await AsyncPodClient(rest, "shop").get("web", timeout=timeout)
                assert isinstance(pod, Pod)
                assert pod.metadata.name == "web"
        assert server.connections == 1


async def test_a_deadline_is_for_one_call_only(monkeypatch):
    """A connection that is used again has no old deadline."""
    later = time.monotonic()

    def talk(peer: Peer) -> None:
        body = b'{"kind":"Pod","metadata":{"name":"web"}}'
        while peer.read_request():
            peer.send(HEAD + b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    with RawServer(talk) as server:
        async with AsyncRest(config(server)) as rest:
            pods = AsyncPodClient(rest, "shop")
            await pods.get("web", timeout=60)
            with monkeypatch.context() as patch:
                patch.setattr(deadlines, "monotonic", lambda: later + 100)
                await pods.get("web")
        assert server.connections == 1


async def test_a_plugin_that_takes_long_does_not_hold_a_call_up(tmp_path):
    plugin = Plugin(tmp_path).does("import time\ntime.sleep(20)")
    async with AsyncRest(plugin.config(timeout=5.0)) as rest:
        for _ in range(2):  # the second one waits for the first one's lock
            with pytest.raises(RequestTimeout, match="waiting for credentials"):
                await AsyncPodClient(rest, "shop").get("web", timeout=SOON)
    assert plugin.runs <= 1


async def test_a_call_uses_what_a_plugin_answered_after_the_deadline_of_another(tmp_path):
    gate = tmp_path / "gate"
    reply = {"kind": "ExecCredential", "apiVersion": V1, "status": {"token": "late"}}
    plugin = Plugin(tmp_path).does(f"""
        import time
        while not os.path.exists({str(gate)!r}):
            time.sleep(0.01)
        print({json.dumps(json.dumps(reply))})
    """)
    async with AsyncRest(plugin.config()) as rest:
        with pytest.raises(RequestTimeout, match="waiting for credentials"):
            await AsyncPodClient(rest, "shop").get("web", timeout=SOON)
        gate.touch()
        with pytest.raises(ClientError) as caught:  # nobody listens there
            await AsyncPodClient(rest, "shop").get("web", timeout=30)
    assert "waiting for credentials" not in str(caught.value)
    assert plugin.runs == 1
