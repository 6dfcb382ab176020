"""Fixtures and options for pytest. Modules are imported at the first use.

`fake_cluster` is a new cluster in this process for each test. Override `fake_cluster_options` to
change its arguments. `api_server` serves the same cluster over HTTP, and `kubeconfig` is the path
of its kubeconfig. `cluster_under_test` is the same cluster, or a real one with `--real`. The guides
"Testing controllers" and "Roles (RBAC)" explain the options.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .cluster_under_test import ClusterUnderTest, RealCluster
    from .fake_cluster import FakeCluster
    from .local_server import LocalServer

_FILE_OPTIONS: Final = {
    "--rbac": "write the least roles that allow the requests of service accounts in these tests; "
    "may be given several times",
    "--rbac-record": "write the requests of service accounts, for `clientgen rbac`",
    "--under-rbac": "authorize service accounts by the roles in this file or folder",
    "--rbac-minimal": "fail if the roles in this file grant too much or too little",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options for RBAC."""
    group = parser.getgroup("clientgen", "roles of Kubernetes service accounts")
    for name, text in _FILE_OPTIONS.items():
        action = "append" if name == "--rbac" else "store"
        group.addoption(name, metavar="FILE", help=text, action=action)
    group.addoption(
        "--real",
        action="store_true",
        help="run tests of `cluster_under_test` on kube-apiserver and etcd, two programs in the "
        "folder KUBEBUILDER_ASSETS",
    )
    group.addoption(
        "--real-kubeconfig",
        metavar="FILE",
        help="run tests of `cluster_under_test` on the cluster of this kubeconfig",
    )
    group.addoption(
        "--rbac-namespaced",
        action="store_true",
        help="derive a Role in each namespace instead of a ClusterRole",
    )
    group.addoption(
        "--rbac-names",
        action="append",
        default=[],
        metavar="RESOURCE,...",
        help="derive rules with resourceNames for these resources: secrets, deployments.apps",
    )
    group.addoption(
        "--rbac-sources",
        action="append",
        default=[],
        metavar="DIR",
        help="read +kubebuilder:rbac markers from the Python files in this folder, too",
    )
    group.addoption(
        "--rbac-partial",
        action="store_true",
        help="allow skipped and deselected tests",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the RBAC plugin if one of its options is used."""
    if any(config.getoption(name.lstrip("-").replace("-", "_")) for name in _FILE_OPTIONS):
        from .rbac_run import RbacRun

        config.pluginmanager.register(RbacRun(config), "clientgen-rbac")


@pytest.fixture
def fake_cluster_options() -> dict[str, Any]:
    """Arguments of `fake_cluster`. Override this fixture to set a clock, CRDs or a spec."""
    return {}


@pytest.fixture
def fake_cluster(fake_cluster_options: dict[str, Any]) -> FakeCluster:
    """A `clientgen.testing.FakeCluster` for one test."""
    from .fake_cluster import FakeCluster

    return FakeCluster(**fake_cluster_options)


@pytest.fixture(scope="session")
def _real_cluster(request: pytest.FixtureRequest) -> Iterator[RealCluster | None]:
    """The real API server of this run; None if the tests run in memory."""
    from .real_run import real_cluster

    with real_cluster(request.config) as cluster:
        yield cluster


@pytest.fixture
def cluster_under_test(
    request: pytest.FixtureRequest, _real_cluster: RealCluster | None
) -> Iterator[ClusterUnderTest]:
    """A `clientgen.testing.ClusterUnderTest` with a new namespace for one test.

    It is `fake_cluster`, or with `pytest --real` a real API server.
    """
    from .real_run import test_namespace

    with test_namespace(_real_cluster, request) as cluster:
        yield cluster


@pytest.fixture
def api_server_options() -> dict[str, Any]:
    """Arguments of `api_server`. Override this fixture to set TLS, a token or a port."""
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
