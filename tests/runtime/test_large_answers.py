"""Answers without an end, or that are more than they seem; the tests of threads are derived."""

from __future__ import annotations

import gzip
import json
import resource
import threading
import zlib

import pytest
from kubeapi.core.v1 import Pod, PodList
from kubeapi.core.v1.async_clients import AsyncPodClient
from kubeapi.core.v1.resources import PODS
from support.raw_server import Peer, RawServer
from support.server import END, chunk, event, head, ok

from clientgen.runtime import errors
from clientgen.runtime._async._primitives import Event
from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime._http import line_decoder
from clientgen.runtime._models.model_codec import DecodeError
from clientgen.runtime.aio import AsyncRest, AsyncSharedInformer

POD = {"kind": "Pod", "metadata": {"name": "web", "namespace": "default", "resourceVersion": "2"}}
LIMIT = 100_000


def encoded(data: bytes, encoding: str, status: int = 200) -> bytes:
    return head(status, f"Content-Encoding: {encoding}", length=len(data)) + data


def member(text: bytes) -> bytes:
    bare = zlib.compressobj(wbits=-15)
    return bare.compress(text) + bare.flush()


def listed(version: str) -> dict[str, object]:
    """The bookmark that ends the initial events of a watch."""
    annotations = {"k8s.io/initial-events-end": "true"}
    return {"kind": "Pod", "metadata": {"resourceVersion": version, "annotations": annotations}}


def peak() -> int:
    """How much memory this process ever had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


TEXT = json.dumps(POD).encode()


@pytest.mark.parametrize(
    ("encoding", "data"),
    [
        ("gzip", gzip.compress(TEXT)),
        ("GZIP", gzip.compress(TEXT)),
        ("x-gzip", gzip.compress(TEXT)),
        ("gzip", gzip.compress(TEXT[:20]) + gzip.compress(TEXT[20:])),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", member(TEXT)),
        ("identity", TEXT),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("timeout", [None, 30])
async def test_compressed_answers_are_read(server, config_for, encoding, data, timeout):
    server.reply(encoded(data, encoding))
    whole = head(200, f"Content-Encoding: {encoding}", chunked=True)
    server.reply(whole, *(chunk(data[n : n + 1]) for n in range(len(data))), END)
    async with AsyncRest(config_for(server)) as rest:
        pods = AsyncPodClient(rest, "default")
        for _ in range(2):
            assert (await pods.get("web", timeout=timeout)).metadata.name == "web"


@pytest.mark.parametrize(
    ("encoding", "data"),
    [
        ("gzip", b"no gzip at all"),
        ("gzip", gzip.compress(TEXT)[:-5]),
        ("gzip", gzip.compress(TEXT)[:-8] + b"\0" * 8),
        ("gzip", gzip.compress(TEXT) + b"more"),
        ("deflate", b"\xff" * 20),
        ("br", TEXT),
        ("gzip, gzip", gzip.compress(gzip.compress(TEXT))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_broken_compression_is_one_kind_of_error(server, config_for, encoding, data):
    server.reply(encoded(data, encoding))
    server.reply(encoded(data, encoding, 404))
    server.reply(encoded(data, encoding))
    async with AsyncRest(config_for(server)) as rest:
        pods = AsyncPodClient(rest, "default")
        with pytest.raises(errors.ResponseBroken, match="the answer cannot be read: it") as caught:
            await pods.get("web")
        assert type(caught.value) is errors.ResponseBroken
        with pytest.raises(errors.NotFound):
            await pods.get("web")
        with pytest.raises(errors.ResponseBroken, match="it"):
            async for _ in pods.follow_logs("web"):
                pass
    assert len(server.requests) == 3


@pytest.mark.slow
async def test_a_small_body_that_becomes_a_large_one_is_left_in_time(server, config_for):
    squeezed = zlib.compressobj(9, wbits=31)
    zeros = b" " * 1_000_000
    bomb = b"".join(squeezed.compress(zeros) for _ in range(500)) + squeezed.flush()
    assert len(bomb) < 600_000
    server.reply(encoded(bomb, "gzip"))
    before = peak()
    async with AsyncRest(config_for(server), max_response_bytes=10_000_000) as rest:
        with pytest.raises(errors.ResponseBroken, match="larger than 10000000 bytes"):
            await AsyncPodClient(rest, "default").get("web")
    assert peak() - before < 100_000_000


@pytest.mark.parametrize("kind", ["length", "chunked", "close"])
async def test_a_body_is_no_larger_than_allowed(server, config_for, kind):
    large = json.dumps({**POD, "x": "y" * LIMIT}).encode()
    small = json.dumps({**POD, "x": "y" * (LIMIT // 2)}).encode()
    for body in (small, large):
        if kind == "length":
            server.reply(ok(body))
        elif kind == "chunked":
            server.reply(head(chunked=True), chunk(body[:500]), chunk(body[500:]), END)
        else:
            server.reply(head(200, "Connection: close"), body, "close")
    server.reply(ok(POD))
    async with AsyncRest(config_for(server), max_response_bytes=LIMIT) as rest:
        pods = AsyncPodClient(rest, "default")
        assert (await pods.get("web")).metadata.name == "web"
        with pytest.raises(errors.ResponseBroken, match="max_response_bytes"):
            await pods.get("web")
        assert (await pods.get("web")).metadata.name == "web"


@pytest.mark.parametrize(
    "start",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffff\r\n",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
        b"HTTP/1.1 500 Oh\r\nConnection: close\r\n\r\n",
    ],
)
async def test_an_answer_without_an_end_is_left(start):
    def talk(peer: Peer) -> None:
        peer.read_request()
        peer.flood(start, b" ")

    with RawServer(talk) as server:
        config = ClusterConfig(f"http://127.0.0.1:{server.port}")
        async with AsyncRest(config, max_response_bytes=LIMIT) as rest:
            with pytest.raises((errors.ResponseBroken, errors.InternalError)):
                await AsyncPodClient(rest, "default").get("web")


@pytest.mark.parametrize(
    "start",
    [
        (b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"),
        (b"HTTP/1.1 200 OK\r\nX-Long: ", b"x"),
        (b"HTTP/1.1 200 ", b"O"),
        (b"HTTP/1.1 103 Early\r\n", b"X-A: b\r\n"),
        (b"", b"\0"),
    ],
)
async def test_headers_without_an_end_are_left(start):
    def talk(peer: Peer) -> None:
        peer.read_request()
        peer.flood(*start)

    with RawServer(talk) as server:
        config = ClusterConfig(f"http://127.0.0.1:{server.port}")
        async with AsyncRest(config, max_retries=0) as rest:
            with pytest.raises(errors.ResponseBroken):
                await AsyncPodClient(rest, "default").get("web", timeout=20)


async def test_a_line_without_an_end_breaks_the_watch_which_goes_on(
    server, config_for, monkeypatch
):
    monkeypatch.setattr(line_decoder, "MAX_LINE_BYTES", LIMIT)
    endless = chunk(b'{"type":"ADDED","object":"' + b"x" * LIMIT)
    server.reply(head(chunked=True), event("MODIFIED", POD), endless, endless, endless)
    server.reply(head(chunked=True), event("DELETED", POD), END)
    seen = []
    async with AsyncRest(config_for(server)) as rest:
        async for change in AsyncPodClient(rest, "default").watch(resource_version="1"):
            seen.append(change.type)
            if len(seen) == 2:
                break
    assert seen == ["MODIFIED", "DELETED"]
    assert "resourceVersion=2" in server.requests[1].query


async def test_a_log_line_without_an_end_is_an_error(server, config_for, monkeypatch):
    monkeypatch.setattr(line_decoder, "MAX_LINE_BYTES", LIMIT)
    server.reply(head(chunked=True), chunk(b"one\n"), *[chunk(b"x" * LIMIT)] * 3)
    async with AsyncRest(config_for(server)) as rest:
        log = AsyncPodClient(rest, "default").follow_logs("web")
        assert await log.__anext__() == "one"
        with pytest.raises(DecodeError, match="a line is longer than"):
            await log.__anext__()


async def test_an_informer_lists_again_after_a_line_without_an_end(server, config_for, monkeypatch):
    monkeypatch.setattr(line_decoder, "MAX_LINE_BYTES", LIMIT)
    hold = threading.Event()
    endless = chunk(b'{"type":"ADDED","object":"' + b"x" * LIMIT)
    server.reply(head(chunked=True), event("BOOKMARK", listed("1")), endless, endless, endless)
    server.reply(head(chunked=True), event("ADDED", POD), event("BOOKMARK", listed("3")), hold)
    async with AsyncRest(config_for(server)) as rest:
        informer = AsyncSharedInformer(rest, PODS, Pod, PodList, namespace="default")
        there = Event()
        informer.add_handler(on_add=lambda obj, is_initial: there.set())
        informer.start()
        relisted = await there.wait(20)
        await informer.stop()
        assert relisted
        assert informer.lister.get("default", "web").metadata.name == "web"
    hold.set()


async def test_lines_and_chunks_that_say_nothing_cost_little(server, config_for):
    nothing = b"\n" * 500_000 + b" \r\n" * 100
    tiny = b"".join(chunk(bytes([byte])) for byte in b" " * 5_000)
    server.reply(head(chunked=True), chunk(nothing), tiny, event("ADDED", POD), END)
    server.reply(head(chunked=True), tiny, chunk(TEXT), END)
    async with AsyncRest(config_for(server)) as rest:
        pods = AsyncPodClient(rest, "default")
        async for change in pods.watch(resource_version="1"):
            assert change.object.metadata.name == "web"
            break
        assert (await pods.get("web")).metadata.name == "web"


async def test_a_continue_token_that_comes_again_is_an_error(server, config_for):
    page = {
        "kind": "PodList",
        "metadata": {"resourceVersion": "1", "continue": "x"},
        "items": [POD],
    }
    for _ in range(6):
        server.reply(ok(page))
    async with AsyncRest(config_for(server)) as rest:
        pods = AsyncPodClient(rest, "default")
        with pytest.raises(errors.ResponseBroken, match="the same continue token again"):
            await pods.list()
        assert len(server.requests) == 2
        with pytest.raises(errors.ResponseBroken, match="the same continue token again"):
            async for _ in pods.each():
                pass
        assert len(server.requests) == 4
