"""Page sizes, and streaming lists by feature gate. test_page_sizes_threads.py is derived."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, ConfigMapList
from support.informers import CONFIG_MAPS

from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime.aio import AsyncRest, AsyncSharedInformer
from clientgen.testing import FakeCluster, LocalServer

NAMES = [f"map-{number}" for number in range(5)]
MAPS: list[Any] = [
    {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": name, "namespace": "shop"}}
    for name in NAMES
]


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with LocalServer(FakeCluster(*MAPS)) as server:
        yield server


def options(server: LocalServer) -> list[dict[str, Any]]:
    return [dict(action.options) for action in server.cluster.actions]


async def test_lists_and_each_have_the_page_size_of_the_client(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig, page_size=2) as k:
        maps = k.core_v1.config_maps("shop")
        for names in (
            [each.metadata.name for each in await maps.list()],
            [each.metadata.name async for each in maps.each()],
            [each.metadata.name for each in await k.list(ConfigMap, namespace="shop")],
        ):
            assert names == NAMES
        assert [each["limit"] for each in options(server)] == ["2"] * 9
        assert len((await maps.list(limit=4)).items) == 4


@pytest.mark.parametrize(
    ("value", "first"),
    [
        ("false", {"limit": "2", "resourceVersion": "0"}),
        ("true", {"sendInitialEvents": "true"}),
        ("maybe", {"sendInitialEvents": "true"}),
    ],
)
async def test_a_feature_gate_makes_informers_list(
    server: LocalServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    value: str,
    first: dict[str, str],
) -> None:
    monkeypatch.setenv("KUBE_FEATURE_WatchListClient", value)
    caplog.set_level(logging.ERROR, "clientgen.runtime.informers")
    async with AsyncClientset.from_config(server.kubeconfig, page_size=2) as k:
        maps = AsyncSharedInformer(k.rest, CONFIG_MAPS, ConfigMap, ConfigMapList)
        async with maps:
            assert await maps.wait_for_sync(60)
            assert len(maps.indexer) == len(NAMES)
    assert first.items() <= options(server)[0].items()
    told = "KUBE_FEATURE_WatchListClient must be true or false, not 'maybe': it is taken as true"
    assert (told in caplog.text) == (value == "maybe")


@pytest.mark.parametrize("size", [0, -1, True, 2.5, "500"])
def test_a_page_has_at_least_one_object(size: Any) -> None:
    with pytest.raises(ValueError, match="page_size must be a positive whole number"):
        AsyncRest(ClusterConfig("https://cluster.invalid"), page_size=size)
