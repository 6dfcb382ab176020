"""HTTP endpoints answered by threads: test_endpoints.py, derived."""

from __future__ import annotations

import socket
import struct
import threading
from pathlib import Path
from typing import Any

import pytest
from support.flavours import derived_tests
from support.http_calls import call, connected, contexts, everything
from support.scarcity import Told, no_descriptors, no_threads

from clientgen.runtime._net import threaded_server
from clientgen.runtime._net.endpoint_messages import EndpointAnswer, EndpointRequest
from clientgen.runtime._net.peers import Peers
from clientgen.runtime._sync.http_endpoints import Endpoints

globals().update(derived_tests(Path(__file__).with_name("test_endpoints.py")))


def test_a_thread_cannot_exit_the_program(caplog: pytest.LogCaptureFixture) -> None:
    def leave(request: EndpointRequest) -> EndpointAnswer:
        raise SystemExit(3)

    with Endpoints("leaving", "127.0.0.1:0", leave) as endpoints:
        assert call(endpoints.address, "GET", "/").status == 500
    assert "leaving: GET / failed" in caplog.text


def answer(request: EndpointRequest) -> EndpointAnswer:
    return EndpointAnswer(200, request.body)


def test_reading_a_little_does_not_prolong_the_time_for_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With TLS, each piece of an answer had all of the time."""
    now, step = 0, 0
    context, trusting = contexts()

    def monotonic() -> float:
        nonlocal now
        now += step
        return now

    def large(request: EndpointRequest) -> EndpointAnswer:
        nonlocal step
        step = 10
        return EndpointAnswer(200, b"x" * (1 << 20))

    monkeypatch.setattr("clientgen.runtime._net.threaded_server.monotonic", monotonic)
    with (
        Endpoints("metrics", "127.0.0.1:0", large, tls=context, timeout=60) as endpoints,
        connected(endpoints.address, trusting) as connection,
    ):
        connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        assert 0 < len(everything(connection)) < 1 << 20


def test_a_stop_meets_a_connection_that_is_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    """It failed at a socket that was closed already: ValueError, invalid file descriptor."""
    is_ending, has_stopped = threading.Event(), threading.Event()
    remove, close_if_idle = Peers[Any].remove, threaded_server._Connection.close_if_idle

    def remove_late(peers: Peers[Any], connection: object) -> None:
        is_ending.set()
        assert has_stopped.wait(60)
        remove(peers, connection)

    def close_and_tell(connection: threaded_server._Connection) -> None:
        try:
            close_if_idle(connection)
        finally:
            has_stopped.set()

    monkeypatch.setattr(Peers, "remove", remove_late)
    monkeypatch.setattr(threaded_server._Connection, "close_if_idle", close_and_tell)
    with Endpoints("health", "127.0.0.1:0", answer) as endpoints:
        with connected(endpoints.address) as connection:
            at_once = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)  # a reset
        assert is_ending.wait(60)


def test_it_goes_on_when_there_are_descriptors_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clientgen.runtime._net.threaded_server._RETRY_SECONDS", 0.01)
    told = Told("clientgen.runtime.endpoints")
    with Endpoints("health", "127.0.0.1:0", answer) as endpoints, told.listening() as first:
        host, port = endpoints.address.split(":")
        with socket.socket() as early:
            early.settimeout(60)
            with no_descriptors():
                early.connect((host, int(port)))
                assert first().startswith("health: connections cannot be accepted: ")
            early.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            assert early.recv(1000).startswith(b"HTTP/1.1 200 ")
        assert call(endpoints.address, "GET", "/").status == 200
    assert len(told.messages) == 1


def test_it_goes_on_when_there_are_threads_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoints("health", "127.0.0.1:0", answer) as endpoints:
        with no_threads(monkeypatch, "clientgen-health-connection"), pytest.raises(OSError):
            call(endpoints.address, "GET", "/")
        with no_threads(monkeypatch, "clientgen-health-answer"):
            assert call(endpoints.address, "GET", "/").status == 503
        assert call(endpoints.address, "GET", "/").status == 200
