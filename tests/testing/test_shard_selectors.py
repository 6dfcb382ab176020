"""Shard selectors, as kube-apiserver 1.36.2 answers them with the gate ShardedListAndWatch.

`shard_selectors.json` was recorded from it; docs/internals/sharding.md, 1 has the facts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice, takewhile
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from kubeapi import Clientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime._http.shard_ranges import shard_hash
from clientgen.runtime.errors import ApiError
from clientgen.testing import FakeCluster
from clientgen.testing._fake.local_server import LocalServer

RECORDED: list[dict[str, str]] = json.loads(
    Path(__file__).with_name("shard_selectors.json").read_text("utf-8")
)
PATH = "/api/v1/namespaces/default/configmaps"
ON = {"ShardedListAndWatch": True}
LOW = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
HIGH = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')"
NAMESPACE = "shardRange(object.metadata.namespace, '0x0000000000000000', '0x8000000000000000')"


def maps(*names: str) -> list[dict[str, Any]]:
    return [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": "default"},
        }
        for name in names
    ]


@pytest.fixture(scope="module")
def on() -> Iterator[Clientset]:
    """A server with the feature; it has ConfigMaps only of its own."""
    cluster = FakeCluster(*maps(*(f"c{count}" for count in range(24))), feature_gates=ON)
    with LocalServer(cluster) as server, Clientset.from_config(server.kubeconfig) as k:
        yield k


def test_hashes_are_those_of_fnv_1a() -> None:
    # The vectors of the authors: http://www.isthe.com/chongo/tech/comp/fnv/
    expected = {"": 0xCBF29CE484222325, "a": 0xAF63DC4C8601EC8C, "foobar": 0x85944171F73967E8}
    assert {text: shard_hash(text) for text in expected} == expected


@pytest.mark.parametrize("case", RECORDED, ids=[each["selector"] for each in RECORDED])
def test_a_selector_is_answered_as_recorded(on: Clientset, case: dict[str, str]) -> None:
    request = HttpRequest("GET", f"{PATH}?shardSelector={quote(case['selector'])}")
    if "shardInfo" in case:
        metadata = json.loads(on.rest.send(request).body)["metadata"]
        assert metadata["shardInfo"] == {"selector": case["shardInfo"]}
        return
    with pytest.raises(ApiError) as refused:
        on.rest.send(request)
    assert (refused.value.code, refused.value.reason) == (500, "")
    assert refused.value.message == case["message"]


def test_two_halves_are_the_whole_in_lists_pages_and_watches(on: Clientset) -> None:
    k = on.core_v1.config_maps("default")
    everything = {each.metadata.uid for each in k.list()}
    low = {each.metadata.uid for each in k.each(shard_selector=LOW, limit=3)}
    events = k.watch(shard_selector=HIGH, send_initial_events=True, bookmarks=True)
    initial = takewhile(lambda event: event.type != "BOOKMARK", events)
    high = {event.object.metadata.uid for event in initial}
    assert low == {uid for uid in everything if shard_hash(uid) < 1 << 63}
    assert high == everything - low
    assert len(k.list(shard_selector=NAMESPACE)) in {0, len(everything)}


def test_a_collection_is_deleted_in_part() -> None:
    cluster = FakeCluster(
        *maps("a", "b", "c", "d", "e"), feature_gates={"ShardedListAndWatch": True}
    )
    k = cluster.clientset(Clientset).core_v1.config_maps("default")
    kept = [each.metadata.name for each in k.list(shard_selector=HIGH)]
    k.delete_collection(shard_selector=LOW)
    assert [each.metadata.name for each in k.list()] == kept


def test_changes_reach_only_the_watch_of_their_shard(on: Clientset) -> None:
    k = on.core_v1.config_maps("default")
    version = k.list().metadata.resource_version
    made = [k.create(ConfigMap(metadata=ObjectMeta(name=f"new-{count}"))) for count in range(6)]
    for each in made:
        k.delete(each.metadata.name)
    for selector, is_low in ((LOW, True), (HIGH, False)):
        uids = [each.metadata.uid for each in made]
        mine = [uid for uid in uids if (shard_hash(uid) < 1 << 63) is is_low]
        events = k.watch(shard_selector=selector, resource_version=version)
        first = islice(events, 2 * len(mine))
        seen = [(event.type, event.object.metadata.uid) for event in first]
        assert seen == [(kind, uid) for kind in ("ADDED", "DELETED") for uid in mine]


def test_forms_without_a_place_for_it_lack_the_shard(on: Clientset) -> None:
    # apimachinery: Table, PartialObjectMetadataList made from lists, UnstructuredList.
    listed = on.dynamic.resource("configmaps").metadata.list(shard_selector=LOW)
    assert listed.metadata.shard_info is None
    assert all(shard_hash(each.metadata.uid) < 1 << 63 for each in listed)


def test_a_server_without_the_feature_ignores_even_bad_selectors() -> None:
    k = FakeCluster(*maps("a", "b", "c")).clientset(Clientset)
    listed = json.loads(k.rest.send(HttpRequest("GET", f"{PATH}?shardSelector=x")).body)
    assert len(listed["items"]) == 3
    assert "shardInfo" not in listed["metadata"]


def test_a_gate_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="no feature gate 'ShardedList': did you mean `Sharded"):
        FakeCluster(feature_gates={"ShardedList": True})
