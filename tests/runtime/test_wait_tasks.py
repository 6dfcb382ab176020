"""Waiting in tasks: cancellation."""

from __future__ import annotations

import asyncio

import pytest
from kubeapi import AsyncClientset

from clientgen.runtime.conditions import ready
from clientgen.testing import FakeCluster
from clientgen.testing._fake.reactors import Pattern


async def test_a_wait_that_is_cancelled_lets_go_of_its_watch():
    cluster = FakeCluster()
    pods = cluster.clientset(AsyncClientset).core_v1.pods("shop")
    task = asyncio.create_task(pods.wait("a", until=ready, timeout=3600))
    while not cluster.dispatcher.streams(Pattern("watch")):  # noqa: ASYNC110 - it has no event
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not cluster.dispatcher.streams(Pattern("watch"))


async def test_a_wait_in_asyncio_timeout():
    cluster = FakeCluster()
    pods = cluster.clientset(AsyncClientset).core_v1.pods("shop")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await pods.wait(until=ready)
    assert not cluster.dispatcher.streams(Pattern("watch"))
