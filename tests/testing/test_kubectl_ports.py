"""kubectl's port-forward, and what it speaks: SPDY in the messages of a WebSocket."""

from __future__ import annotations

import re
import struct
import subprocess
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kubeapi.core.v1 import Pod
from support.kubectl import KUBECTL, Kubectl
from support.local_sockets import answer_of

from clientgen.testing import FakeCluster, LocalServer
from clientgen.testing._fake import spdy

BIG = bytes(range(256)) * 8_000


def upper(connection: Any) -> None:
    while line := connection.readline():
        connection.write(line.upper())


def echo_to_end(connection: Any) -> None:
    connection.write(connection.read())


@pytest.fixture
def kubectl(tmp_path: Path) -> Iterator[Kubectl]:
    spec = {"containers": [{"name": "app", "image": "i"}], "nodeName": "node-1"}
    web = Pod(
        metadata={"name": "web-0", "namespace": "shop"}, spec=spec, status={"phase": "Running"}
    )
    cluster = FakeCluster(web)
    app = cluster.container("shop/web-0")
    app.port(80, upper)
    app.port(81, echo_to_end)
    with LocalServer(cluster) as server:
        yield Kubectl(server.kubeconfig, tmp_path, "shop")


@contextmanager
def forwarding(kubectl: Kubectl, *ports: int) -> Iterator[list[int]]:
    """Local ports that kubectl forwards."""
    process = subprocess.Popen(
        kubectl.command("port-forward", "pod/web-0", *(f":{port}" for port in ports)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=kubectl.environment,
    )
    try:
        found: list[int] = []
        assert process.stdout
        while len(found) < len(ports):
            line = process.stdout.readline()
            assert line, process.stderr and process.stderr.read()
            if told := re.match(r"Forwarding from 127.0.0.1:(\d+)", line):
                found.append(int(told[1]))
        yield found
    finally:
        process.kill()
        process.communicate()


@pytest.mark.skipif(not KUBECTL, reason="kubectl is not installed")
class TestKubectl:
    def test_connections_one_after_the_other(self, kubectl: Kubectl) -> None:
        with forwarding(kubectl, 80) as [port]:
            assert [answer_of(port, b"hello\n") for _ in range(3)] == [b"HELLO\n"] * 3

    def test_many_connections_and_ports_at_once(self, kubectl: Kubectl) -> None:
        with forwarding(kubectl, 80, 81) as [first, second], ThreadPoolExecutor(10) as threads:
            lines = [f"line {n}\n".encode() for n in range(40)]
            answers = list(threads.map(lambda line: answer_of(first, line), lines))
            bodies = list(threads.map(lambda line: answer_of(second, line), lines))

        assert answers == [line.upper() for line in lines]
        assert bodies == lines

    def test_much_data(self, kubectl: Kubectl) -> None:
        with forwarding(kubectl, 81) as [port]:
            assert answer_of(port, BIG) == BIG

    def test_a_port_where_nobody_listens(self, kubectl: Kubectl) -> None:
        with forwarding(kubectl, 99) as [port]:
            assert answer_of(port, b"x") == b""


# ---- frames -------------------------------------------------------------------------------------


def opened(stream: int, packed: bytes) -> bytes:
    body = struct.pack(">IIBB", stream, 0, 0, 0) + packed
    return struct.pack(">HHI", 0x8003, 1, len(body)) + body


def pack(compressor: Any, headers: dict[str, str]) -> bytes:
    texts = [text.encode() for pair in headers.items() for text in pair]
    block = struct.pack(">I", len(headers))
    block += b"".join(struct.pack(">I", len(text)) + text for text in texts)
    return compressor.compress(block) + compressor.flush(zlib.Z_SYNC_FLUSH)


def deflate() -> Any:
    return zlib.compressobj(zdict=spdy.DICTIONARY)


HEADERS = st.dictionaries(
    st.text("abcdefghijklmnop-", min_size=1, max_size=12), st.text(max_size=30), max_size=5
)


@given(data=st.data())
def test_frames_are_read_however_they_are_cut(data: Any) -> None:
    pieces = data.draw(st.lists(st.one_of(HEADERS, st.binary(max_size=50)), max_size=10))
    compressor = deflate()
    sent, expected = b"", list[object]()
    for number, piece in enumerate(pieces, 1):
        if isinstance(piece, bytes):
            sent += spdy.data_frame(number, piece, is_last=number % 2 == 0)
            expected.append(spdy.Data(number, piece, number % 2 == 0))
        else:
            sent += opened(number, pack(compressor, piece))
            expected.append(spdy.Opened(number, piece, is_last=False))
    connection = spdy.SpdyConnection()
    read: list[object] = []
    while sent:
        size = data.draw(st.integers(1, len(sent)))
        read += connection.feed(sent[:size])
        sent = sent[size:]

    assert read == expected
    assert len(connection.out) == sum(isinstance(piece, dict) for piece in pieces)


@given(st.binary(max_size=200))
def test_nonsense_is_refused_or_means_nothing(data: bytes) -> None:
    connection = spdy.SpdyConnection()
    with suppress(spdy.SpdyError):
        list(connection.feed(b"\x80\x03" + data))


@pytest.mark.parametrize(
    "data",
    [
        struct.pack(">HHI", 0x8002, 1, 0),
        struct.pack(">HHI", 0x8003, 1, 0xFFFFFF),
        opened(1, b"no headers"),
        opened(1, pack(deflate(), {"a": "x" * (1 << 20)})),
        struct.pack(">HHIH", 0x8003, 3, 2, 7),
    ],
    ids=["version", "size", "garbage", "bomb", "short"],
)
def test_hostile_frames(data: bytes) -> None:
    with pytest.raises(spdy.SpdyError):
        list(spdy.SpdyConnection().feed(data))


def test_pings_come_back() -> None:
    connection = spdy.SpdyConnection()
    ping = struct.pack(">HHII", 0x8003, 6, 4, 7)

    assert list(connection.feed(ping)) == []
    assert connection.out == [ping]
