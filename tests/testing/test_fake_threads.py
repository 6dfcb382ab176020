"""One cluster, used from several threads and event loops at once."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime import errors
from clientgen.runtime._http.request import HttpRequest
from clientgen.testing import Action, FakeCluster, LocalServer

WATCH = HttpRequest("GET", "/api/v1/nodes?watch=true")


@pytest.fixture
def cluster() -> FakeCluster:
    return FakeCluster()


def config(name: str, **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace="default"), data=data)


def count_up(counted: ConfigMap) -> None:
    counted.data["count"] = str(int(counted.data["count"]) + 1)


def edit_by_thread(cluster: FakeCluster, times: int) -> None:
    maps = cluster.clientset(Clientset).core_v1.config_maps("default")
    for _ in range(times):
        retried(lambda: maps.edit("counter", count_up))


def retried(edit: Any) -> Any:
    while True:
        try:
            return edit()
        except errors.Conflict:
            continue


async def edit_by_task(cluster: FakeCluster, times: int) -> None:
    maps = cluster.clientset(AsyncClientset).core_v1.config_maps("default")
    done = 0
    while done < times:
        try:
            await maps.edit("counter", count_up)
            done += 1
        except errors.Conflict:
            continue


def test_threads_loops_and_http_share_a_cluster_and_lose_no_write(cluster: FakeCluster):
    cluster.add(config("counter", count="0"))

    def over_http(kubeconfig: str) -> None:
        with Clientset.from_config(kubeconfig) as k:
            maps = k.core_v1.config_maps("default")
            for _ in range(10):
                retried(lambda: maps.edit("counter", count_up))

    with LocalServer(cluster) as server, ThreadPoolExecutor(6) as pool:
        works = [pool.submit(edit_by_thread, cluster, 10) for _ in range(2)]
        works += [pool.submit(asyncio.run, edit_by_task(cluster, 10)) for _ in range(2)]
        works += [pool.submit(over_http, server.kubeconfig) for _ in range(2)]
        for work in works:
            work.result(30)
    counted = cluster.clientset(Clientset).core_v1.config_maps("default").get("counter")
    assert counted.data == {"count": "60"}


def test_a_watch_in_one_thread_sees_what_others_write(cluster: FakeCluster):
    k = cluster.clientset(Clientset)
    seen: list[str] = []
    watch = k.core_v1.config_maps("default").watch()

    def follow() -> None:
        seen.extend(event.object.metadata.name or "" for event in watch)

    watching = threading.Thread(target=follow)
    watching.start()
    for number in range(50):
        k.core_v1.config_maps("default").create(config(f"map-{number}"))
    for _ in range(1000):
        if len(seen) >= 50:
            break
        threading.Event().wait(0.01)
    watch.stop()
    watching.join(10)
    assert not watching.is_alive()
    assert [name for name in seen if name.startswith("map-")] == [f"map-{n}" for n in range(50)]


async def test_a_task_sees_what_a_thread_writes(cluster: FakeCluster):
    k = cluster.clientset(AsyncClientset)
    version = (await k.core_v1.config_maps().list()).metadata.resource_version
    writer = threading.Thread(target=lambda: cluster.add(config("one"), config("two")))
    seen: list[str] = []
    async with k.core_v1.config_maps().watch(resource_version=version) as watch:
        writer.start()
        async for event in watch:
            seen.append(event.object.metadata.name or "")
            if len(seen) == 2:
                break
    writer.join()
    assert seen == ["one", "two"]


def test_a_read_is_aborted_from_another_thread(cluster: FakeCluster):
    stream = cluster.clientset(Clientset).rest.stream(WATCH)
    threading.Timer(0.02, stream.abort).start()
    assert stream.read() == b""
    assert stream.read() == b""
    assert cluster.drop_watches() == 0


async def test_a_read_is_aborted_from_another_task_or_thread(cluster: FakeCluster):
    stream = await cluster.clientset(AsyncClientset).rest.stream(WATCH)
    asyncio.get_running_loop().call_later(0.01, stream.abort)
    assert await stream.read() == b""
    stream = await cluster.clientset(AsyncClientset).rest.stream(WATCH)
    threading.Timer(0.02, stream.abort).start()
    assert await stream.read() == b""


async def test_a_cancelled_read_leaves_the_stream_as_it_was(cluster: FakeCluster):
    stream = await cluster.clientset(AsyncClientset).rest.stream(WATCH)
    reading = asyncio.create_task(stream.read())
    await asyncio.sleep(0.01)
    reading.cancel()
    await asyncio.wait([reading])
    cluster.add({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}})
    assert b'"n1"' in await stream.read()
    await stream.aclose()


def test_a_silent_stream_is_a_lost_connection(cluster: FakeCluster):
    stream = cluster.clientset(Clientset).rest.stream(WATCH, read_timeout=0.01)
    with pytest.raises(errors.ConnectionLost, match="silent for too long"):
        stream.read()


async def test_a_silent_stream_is_a_lost_connection_for_tasks_too(cluster: FakeCluster):
    stream = await cluster.clientset(AsyncClientset).rest.stream(WATCH, read_timeout=0.01)
    with pytest.raises(errors.ConnectionLost, match="silent for too long"):
        await stream.read()


def test_a_refused_stream_can_be_cut_as_well(cluster: FakeCluster):
    cluster.react("watch", "nodes", errors.Forbidden)
    cluster.cut("watch", "nodes")
    with pytest.raises(errors.Forbidden):
        cluster.clientset(Clientset).rest.stream(WATCH)


def test_a_reaction_may_use_a_clientset_of_the_same_cluster(cluster: FakeCluster):
    helper = cluster.clientset(Clientset)

    def schedule(action: Action) -> None:
        if action.name != "made-by-reaction":
            helper.core_v1.config_maps("default").create(config("made-by-reaction"))

    cluster.react("create", "configmaps", schedule)
    cluster.clientset(Clientset).core_v1.config_maps("default").create(config("mine"))
    assert [str(each) for each in cluster.writes] == [
        "create configmaps default/mine",
        "create configmaps default/made-by-reaction",
    ]


def test_controllers_work_after_their_delay_without_a_request():
    cluster = FakeCluster(config("x"), controller_delay=0.02)
    cluster.add({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gone"}})
    k = cluster.clientset(Clientset)
    version = k.core_v1.namespaces().list().metadata.resource_version
    k.core_v1.namespaces().delete("gone")
    for event in k.core_v1.namespaces().watch(resource_version=version, timeout=60):
        if event.type == "DELETED":
            break
