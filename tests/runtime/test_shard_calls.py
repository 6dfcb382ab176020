"""Calls with a shard selector, to servers that obey it and to others; threads: derived."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap
from support.packages import CRD, PodToService, lookup

from clientgen.runtime._http.shard_ranges import shard_hash
from clientgen.runtime.aio import AsyncSharding
from clientgen.runtime.errors import OperationRefused
from clientgen.runtime.views import View
from clientgen.testing import FakeCluster, LocalServer

LOW = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
NAMESPACE = "shardRange(object.metadata.namespace, '0x0000000000000000', '0x0000000000000001')"
COUNT = 24


class Settings(View[ConfigMap]):
    data: dict[str, str]


def new_map(name: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def is_low(obj: Any) -> bool:
    return shard_hash(obj.metadata.uid) < 1 << 63


@pytest.fixture(params=[True, False], ids=["gate", "no gate"])
def has_gate(request: pytest.FixtureRequest) -> bool:
    has_gate: bool = request.param
    return has_gate


@pytest.fixture
def server(has_gate: bool) -> Iterator[LocalServer]:
    cluster = FakeCluster(
        *(new_map(f"map-{number}") for number in range(COUNT)),
        *(lookup(f"lookup-{number}") for number in range(COUNT)),
        crds=[CRD],
        feature_gates={"ShardedListAndWatch": has_gate},
        seed=1,
    )
    with LocalServer(cluster) as server:
        yield server


async def test_every_kind_of_list_has_the_objects_of_the_shard_only(
    server: LocalServer, has_gate: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        maps, lookups = k.core_v1.config_maps("default"), k.dynamic.resource(PodToService)
        by_name = k.dynamic.resource("configmaps")
        everything = [*await maps.list()]
        low = [each.metadata.name for each in everything if is_low(each)]
        assert 0 < len(low) < len(everything)
        listed = await maps.list(shard_selector=LOW)
        assert (listed.metadata.shard_info is not None) is has_gate
        for objects in (
            listed,
            await k.list(ConfigMap, namespace="default", shard_selector=LOW),
            await maps.view(Settings).list(shard_selector=LOW),
            await by_name.metadata.list(namespace="default", shard_selector=LOW),
            [each async for each in maps.each(shard_selector=LOW, limit=5)],
        ):
            assert [each.metadata.name for each in objects] == low
        table = await by_name.table(namespace="default", shard_selector=LOW)
        assert [row.cells[0] for row in table] == low
        assert not await maps.list(shard_selector=NAMESPACE)
        low = [each.metadata.name for each in await lookups.list() if is_low(each)]
        custom = await lookups.list(shard_selector=LOW)
        assert [each.metadata.name for each in custom] == low
    warnings = [each for each in caplog.messages if "ignores shard selectors" in each]
    assert len(warnings) == (0 if has_gate else 1)


async def test_a_watch_has_the_changes_of_the_shard_only(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        maps = k.core_v1.config_maps("default")
        before = await maps.list()
        for each in before:
            await maps.delete(each.metadata.name)
        expected = [("DELETED", each.metadata.name) for each in before if is_low(each)]
        seen: list[tuple[str, str]] = []
        version = before.metadata.resource_version
        async with maps.watch(shard_selector=LOW, resource_version=version) as events:
            async for event in events:
                seen.append((event.type, event.object.metadata.name))
                if len(seen) == len(expected):
                    break
        assert seen == expected


async def test_a_collection_is_deleted_in_part_or_not_at_all(
    server: LocalServer, has_gate: bool
) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        for client in (k.dynamic.resource(ConfigMap), k.dynamic.resource(PodToService)):
            before = await client.list(namespace="default")
            if has_gate:
                await client.delete_collection(namespace="default", shard_selector=LOW)
                kept = [each.metadata.name for each in before if not is_low(each)]
            else:
                with pytest.raises(OperationRefused, match="nothing was deleted"):
                    await client.delete_collection(namespace="default", shard_selector=LOW)
                kept = [each.metadata.name for each in before]
            after = await client.list(namespace="default")
            assert [each.metadata.name for each in after] == kept


async def test_wrong_selectors_are_refused_before_anything_is_sent(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        maps = k.core_v1.config_maps("default")
        unknown = AsyncSharding(k, "maps", "default")
        for selector, problem in {
            "x": "'x' in shard_selector is not a range of hashes: write shardRange",
            unknown.shard_selector: "shard_selector is empty",
        }.items():
            with pytest.raises(ValueError, match=problem):
                await maps.list(shard_selector=selector)
            with pytest.raises(ValueError, match=problem):
                maps.watch(shard_selector=selector)
            with pytest.raises(ValueError, match="shard_selector"):
                await maps.delete_collection(shard_selector=selector)
        with pytest.raises(TypeError, match="pass its shard_selector"):
            await maps.list(shard_selector=cast("str", unknown))
    assert not server.cluster.actions
