"""A Kubernetes API server for tests: in this process, or over HTTP.

`fake_clientset` and `FakeCluster` serve typed clientsets without a socket; `LocalServer` and
`clientgen serve` serve any client. The guide "Testing controllers" shows how.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clientgen._lazy import lazy_attributes

if TYPE_CHECKING:
    from ._check import check
    from ._explore.explore import Exploration, FoundBug, explore
    from ._fake.actions import Action
    from ._fake.cluster_under_test import ClusterUnderTest
    from ._fake.fake_clock import FakeClock
    from ._fake.fake_cluster import FakeCluster, cluster_of, fake_clientset
    from ._fake.local_server import LocalServer
    from ._fake.object_files import ManifestError
    from ._fake.play import Play

__all__ = [
    "Action",
    "ClusterUnderTest",
    "Exploration",
    "FakeClock",
    "FakeCluster",
    "FoundBug",
    "LocalServer",
    "ManifestError",
    "Play",
    "check",
    "cluster_of",
    "explore",
    "fake_clientset",
]

if not TYPE_CHECKING:  # type checkers know the imports above, and report all other names
    __getattr__ = lazy_attributes(
        __name__,
        __package__,
        {
            "Action": "._fake.actions",
            "ClusterUnderTest": "._fake.cluster_under_test",
            "FakeClock": "._fake.fake_clock",
            "FakeCluster": "._fake.fake_cluster",
            "check": "._check",
            "cluster_of": "._fake.fake_cluster",
            "fake_clientset": "._fake.fake_cluster",
            "explore": "._explore.explore",
            "Exploration": "._explore.explore",
            "FoundBug": "._explore.explore",
            "LocalServer": "._fake.local_server",
            "ManifestError": "._fake.object_files",
            "Play": "._fake.play",
        },
    )
