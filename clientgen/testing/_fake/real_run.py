"""The real API server of `pytest --real`."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from .cluster_under_test import FakeClusterUnderTest, RealCluster, RealClusterUnderTest
from .control_plane import ControlPlane, ControlPlaneError

if TYPE_CHECKING:
    from collections.abc import Generator

    from .cluster_under_test import ClusterUnderTest

# Where envtest looks.
_ASSETS: Final = "KUBEBUILDER_ASSETS"
_DEFAULT_ASSETS: Final = "/usr/local/kubebuilder/bin"


@contextmanager
def real_cluster(config: pytest.Config) -> Generator[RealCluster | None]:
    """Start or reach the real API server that the options ask for; None if they ask for none."""
    given, roles = config.getoption("--real-kubeconfig"), config.getoption("--under-rbac")
    if given is None and not config.getoption("--real"):
        yield None
        return
    with _kubeconfig(given) as kubeconfig:
        cluster = RealCluster(kubeconfig, None if roles is None else Path(roles))
        try:
            yield cluster
        finally:
            cluster.close()


@contextmanager
def _kubeconfig(given: str | None) -> Generator[str]:
    """Return a given kubeconfig, or that of a new control plane."""
    if given is not None:
        yield given
        return
    assets = os.environ.get(_ASSETS) or _DEFAULT_ASSETS
    try:
        control_plane = ControlPlane(Path(assets))
        with control_plane:
            yield control_plane.kubeconfig
    except ControlPlaneError as error:
        hint = f"{_ASSETS} names the folder of kube-apiserver and etcd"
        raise pytest.UsageError(f"--real: {error}\n{hint}") from error


@contextmanager
def test_namespace(
    real: RealCluster | None, request: pytest.FixtureRequest
) -> Generator[ClusterUnderTest]:
    """Return the cluster of one test, with a namespace for it."""
    name = f"test-{secrets.token_hex(4)}"
    if real is None:
        fake: Any = request.getfixturevalue("fake_cluster")
        yield FakeClusterUnderTest(fake, name)
        return
    cluster = RealClusterUnderTest(real, name)
    try:
        yield cluster
    finally:
        real.remove_namespace(name)
