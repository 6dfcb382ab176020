"""Fixtures for pytest, which are installed with the package and load nothing until they are used.

`fake_cluster` is a new cluster in this process for each test. Override `fake_cluster_options` to
change its arguments. `api_server` serves the same cluster over HTTP, and `kubeconfig` is the path
of its kubeconfig.
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
    """Arguments of `fake_cluster`. Override it to set a clock, CRDs or a spec."""
    return {}


@pytest.fixture
def fake_cluster(fake_cluster_options: dict[str, Any]) -> FakeCluster:
    """A `clientgen.testing.FakeCluster` for one test."""
    from .cluster import FakeCluster

    return FakeCluster(**fake_cluster_options)


@pytest.fixture
def api_server_options() -> dict[str, Any]:
    """Arguments of `api_server`. Override it to set TLS, a token or a port."""
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
    """The path of a kubeconfig for `api_server`."""
    return api_server.kubeconfig
