"""Fixtures for pytest; installed with the package, they cost nothing until a test asks for one.

`fake_cluster` is a cluster in this process, fresh for each test; `fake_cluster_options` says what
it is made with, and is there to be overridden; `api_server` serves the same cluster over HTTP, and
`kubeconfig` is the path of a file that leads to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .cluster import FakeCluster
    from .local_server import LocalServer

__all__ = ["api_server", "api_server_options", "fake_cluster", "fake_cluster_options", "kubeconfig"]


@pytest.fixture
def fake_cluster_options() -> dict[str, Any]:
    """What `fake_cluster` is made with: override it to give a clock, CRDs, a spec."""
    return {}


@pytest.fixture
def fake_cluster(fake_cluster_options: dict[str, Any]) -> FakeCluster:
    """A `clientgen.testing.FakeCluster` for one test."""
    from .cluster import FakeCluster

    return FakeCluster(**fake_cluster_options)


@pytest.fixture
def api_server_options() -> dict[str, Any]:
    """What `api_server` is made with: override it for TLS, a token, a port."""
    return {}


@pytest.fixture
def api_server(
    fake_cluster: FakeCluster, api_server_options: dict[str, Any]
) -> Iterator[LocalServer]:
    """A `clientgen.testing.LocalServer` that serves `fake_cluster` for one test."""
    from .local_server import LocalServer

    with LocalServer(fake_cluster, **api_server_options) as server:
        yield server


@pytest.fixture
def kubeconfig(api_server: LocalServer) -> str:
    """The path of a kubeconfig that leads to `api_server`."""
    return api_server.kubeconfig
