"""Many writers of one object, over sockets; `test_edit_contention_threads` has them on threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap
from support.informers import config

from clientgen.runtime._async._primitives import spawn
from clientgen.testing import FakeCluster
from clientgen.testing._fake.local_server import LocalServer

# Every writer meets every other; more of the same takes longer and shows no more.
WRITERS, TIMES = 20, 4


def increment(key: str) -> Callable[[ConfigMap], None]:
    def change(config_map: ConfigMap) -> None:
        config_map.data[key] = str(int(config_map.data.get(key, "0")) + 1)

    return change


@pytest.mark.parametrize("keys", [1, WRITERS])
async def test_every_writer_gets_its_turn_and_nothing_is_lost(keys: int) -> None:
    cluster, problems = FakeCluster(config("shared")), []
    with LocalServer(cluster) as server:
        k = AsyncClientset.from_config(server.kubeconfig)

        async def write(key: str) -> None:
            try:
                for _ in range(TIMES):
                    await k.core_v1.config_maps("default").edit("shared", increment(key))
            except Exception as error:
                problems.append(error)

        async with k:
            writers = [
                spawn(lambda key=f"k{number % keys}": write(key), f"writer-{number}")
                for number in range(WRITERS)
            ]
            for each in writers:
                assert await each.join(60)
    assert problems == []
    stored: Any = cluster.clientset(Clientset).core_v1.config_maps("default").get("shared")
    del stored.data["value"]
    assert stored.data == {f"k{n}": str(WRITERS * TIMES // keys) for n in range(keys)}
    assert any(each.verb == "patch" for each in cluster.actions)
