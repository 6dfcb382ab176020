"""What clusters and servers leave behind: nothing."""

from __future__ import annotations

import gc
import threading
import urllib.request
import weakref

import pytest
from kubeapi import AsyncClientset, Clientset

from clientgen.runtime._http.request import HttpRequest
from clientgen.testing import FakeCluster, LocalServer, cluster_of, fake_clientset

HELD = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "held", "namespace": "shop", "finalizers": ["example.com/hold"]},
}


def ask(cluster: FakeCluster, method: str, path: str) -> None:
    cluster.dispatcher.handle(HttpRequest(method, path, (), None), lambda: None)


def test_a_server_can_be_entered_again() -> None:
    before = threading.enumerate()
    server = LocalServer()
    for _ in range(3):
        with server:
            urllib.request.urlopen(f"{server.url}/readyz").close()
    assert threading.enumerate() == before


def test_a_server_cannot_be_entered_twice_at_once() -> None:
    with LocalServer() as server:
        with pytest.raises(RuntimeError, match="is already running"):
            server.__enter__()
        urllib.request.urlopen(f"{server.url}/readyz").close()


def test_work_that_never_ends_does_not_keep_a_cluster() -> None:
    cluster = FakeCluster(HELD, controller_delay=3600)
    ask(cluster, "DELETE", "/api/v1/namespaces/shop")
    gone = weakref.ref(cluster.dispatcher)
    del cluster
    gc.collect()
    assert gone() is None


def test_work_is_done_in_time_though_other_work_waits_longer() -> None:
    cluster = FakeCluster(HELD, controller_delay=3600)
    done = threading.Event()
    ask(cluster, "DELETE", "/api/v1/namespaces/shop")
    cluster.server.cluster.later(0.05, done.set)
    ask(cluster, "GET", "/version")
    assert done.wait(10)


@pytest.mark.parametrize("kind", [Clientset, AsyncClientset])
def test_a_cluster_that_knows_its_clientset_is_not_kept(kind: type[Clientset]) -> None:
    gone = []
    for _ in range(3):
        k = fake_clientset(kind)
        cluster = cluster_of(k)
        cluster.react("get", "pods", lambda _, k=k: k and None)
        gone.append(weakref.ref(cluster))
    del k, cluster
    gc.collect()
    assert [each() for each in gone] == [None] * 3
