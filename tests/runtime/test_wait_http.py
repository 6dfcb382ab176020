"""Waiting over real connections; `test_wait_http_threads` does the same on threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import Pod
from support.models import pod as raw_pod
from support.models import pod_list
from support.server import head, ok

from clientgen.runtime import errors
from clientgen.runtime._async._primitives import sleep, spawn
from clientgen.runtime._models.model_codec import from_dict
from clientgen.runtime.aio import AsyncRest
from clientgen.runtime.conditions import deleted, phase
from clientgen.testing import FakeCluster, LocalServer


def pod(phase: str) -> Pod:
    return from_dict(Pod, raw_pod("a", status={"phase": phase}))


@pytest.fixture
def local() -> Iterator[LocalServer]:
    with LocalServer(FakeCluster(pod("Pending")), tls=True) as running:
        yield running


async def test_it_follows_over_http(local):
    async def change() -> None:
        while not any(each.verb == "watch" for each in local.cluster.actions):
            await sleep(0.001)
        local.cluster.add(pod("Running"))

    async with AsyncClientset.from_config(local.kubeconfig) as k:
        change_task = spawn(change, "change")
        found = await k.core_v1.pods("default").wait("a", until=phase("Running"))
        assert found.status.phase == "Running"
        await change_task.join()
        assert [each.verb for each in local.cluster.actions] == ["list", "watch"]


async def test_a_timeout_over_http(local):
    async with AsyncClientset.from_config(local.kubeconfig) as k:
        for seconds in (0.05, 1, 100):  # a busy machine may need long to answer at all
            with pytest.raises(errors.WaitTimeout, match=rf"after {seconds} s: ") as raised:
                await k.core_v1.pods("default").wait("a", until=phase("Running"), timeout=seconds)
            if "the Pod is Pending" in str(raised.value):
                return
    pytest.fail(str(raised.value))


@pytest.mark.parametrize("stage", ["list", "watch", "stream"])
async def test_a_server_that_hangs_does_not_delay_the_timeout(server, config_for, stage):
    forever = threading.Event()
    listed = ok(pod_list(raw_pod("a", status={"phase": "Pending"})))
    if stage == "list":
        server.reply(forever)
    else:
        server.reply(listed)
        server.reply(*(() if stage == "watch" else (head(chunked=True),)), forever)
    async with AsyncRest(config_for(server)) as rest:
        pods = AsyncClientset(rest).core_v1.pods("default")
        with pytest.raises(errors.WaitTimeout, match=r"after 0\.1 s"):
            await pods.wait("a", until=deleted, timeout=0.1)
    assert all("fieldSelector=metadata.name%3Da" in each.query for each in server.requests)


async def test_a_server_that_is_not_there_is_an_ordinary_error(server, config_for):
    server.close()
    async with AsyncRest(config_for(server)) as rest:
        with pytest.raises(errors.ConnectionFailed):
            await AsyncClientset(rest).core_v1.pods("default").wait("a", until=deleted)
