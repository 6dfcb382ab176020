"""Local ports that lead to pods, with threads: derived."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from kubeapi import Clientset
from support.flavours import derived_tests
from support.scarcity import Told, no_descriptors, no_threads

from clientgen.testing import FakeCluster

globals().update(derived_tests(Path(__file__).with_name("test_port_forward.py")))


@pytest.fixture
def echoing() -> Iterator[Clientset]:
    spec = {"containers": [{"name": "app", "image": "i"}], "nodeName": "n"}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop"}}
    cluster = FakeCluster()
    cluster.add({**pod, "spec": spec})

    def echo(connection: Any) -> None:
        connection.write(connection.read(5))

    cluster.container("shop/web").port(80, echo)
    with cluster.clientset(Clientset) as clientset:
        yield clientset


def echoed(port: int) -> bytes:
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    with connection, suppress(ConnectionError):
        connection.sendall(b"hello")
        return connection.recv(5)
    return b""


def test_it_goes_on_when_there_are_descriptors_again(
    echoing: Clientset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A moment without any ended the port for good, without a word."""
    monkeypatch.setattr("clientgen.runtime._sync.local_listener._ACCEPT_RETRY_SECONDS", 0.01)
    told = Told("clientgen.runtime.ports")
    with echoing.core_v1.pods("shop").port_forward("web", 80) as port, told.listening() as first:
        assert echoed(port) == b"hello"
        with socket.socket() as early:
            early.settimeout(60)
            with no_descriptors():
                early.connect(("127.0.0.1", port))
                assert "cannot accept connections: " in first()
            early.sendall(b"hello")
            assert early.recv(5) == b"hello"
        assert echoed(port) == b"hello"
    assert len(told.messages) == 1


def test_it_goes_on_when_there_are_threads_again(
    echoing: Clientset, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told("clientgen.runtime.ports")
    monkeypatch.setattr("clientgen.runtime._sync.local_listener._ACCEPT_RETRY_SECONDS", 0.01)
    with echoing.core_v1.pods("shop").port_forward("web", 80) as port, told.listening() as first:
        with no_threads(monkeypatch, "clientgen-port"):
            with pytest.raises(RuntimeError, match="can't start new thread"):
                echoing.core_v1.pods("shop").port_forward("web", 80).dial()
            assert echoed(port) == b""
            assert "can't start new thread" in first()
        assert echoed(port) == b"hello"
        with no_threads(monkeypatch, "clientgen port-forward"):
            assert echoed(port) == b""
        assert echoed(port) == b"hello"
