"""A Kubernetes API server to test against: in this process, or over HTTP.

`fake_clientset` and `FakeCluster` serve typed clientsets without a socket; `LocalServer` and
`clientgen serve` serve any client. docs/testing.md shows how.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .actions import Action
    from .clock import FakeClock
    from .cluster import FakeCluster, cluster_of, fake_clientset
    from .http import LocalServer
    from .manifests import ManifestError

__all__ = [
    "Action",
    "FakeClock",
    "FakeCluster",
    "LocalServer",
    "ManifestError",
    "cluster_of",
    "fake_clientset",
]

_WHERE = {
    "Action": "actions",
    "FakeClock": "clock",
    "FakeCluster": "cluster",
    "LocalServer": "http",
    "ManifestError": "manifests",
    "cluster_of": "cluster",
    "fake_clientset": "cluster",
}


def __getattr__(name: str) -> object:
    """Load what is asked for: the pytest plugin must not cost those who do not use it."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
