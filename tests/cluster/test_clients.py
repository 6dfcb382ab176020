"""Clients as a whole: deadlines, rate limiting, and many users at once."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from time import monotonic
from typing import Any

import pytest
from clusterkit.objects import config_map
from clusterkit.together import async_together, together
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1.models import ConfigMap

from clientgen.runtime import MergePatch
from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime._http.user_agent import field_manager, user_agent
from clientgen.runtime.errors import (
    ConnectionFailed,
    MethodNotAllowed,
    NotFound,
    RequestTimeout,
)

pytestmark = pytest.mark.cluster

FUTURE = "999999999999999"


# ---- rate limiting ----------------------------------------------------------------------------


async def test_writes_are_booked_under_the_program_s_name(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    made = await maps.create(config_map("one", {"a": "1"}))
    assert [each.manager for each in made.metadata.managed_fields] == [field_manager(user_agent())]
    await maps.apply(config_map("two", {"a": "1"}))
    applied = await maps.get("two")
    assert [(each.manager, each.operation) for each in applied.metadata.managed_fields] == [
        (field_manager(user_agent()), "Apply")
    ]


async def test_writes_are_booked_under_the_name_that_is_given(
    kube: AsyncClientset, namespace: str
) -> None:
    maps = kube.core_v1.config_maps(namespace)
    made = await maps.create(config_map("one", {"a": "1"}), field_manager="creator")
    made.data["b"] = "1"
    await maps.update(made, field_manager="updater")
    await maps.patch("one", MergePatch({"data": {"c": "1"}}), field_manager="patcher")
    edited = await maps.edit("one", lambda it: it.data.update(d="1"), field_manager="editor")
    assert {each.manager for each in edited.metadata.managed_fields} == {
        "creator",
        "updater",
        "patcher",
        "editor",
    }


async def test_a_rate_limit_spreads_requests(kubeconfig: str, namespace: str) -> None:
    async with AsyncClientset.from_config(kubeconfig, qps=20, burst=1) as slow:
        maps = slow.core_v1.config_maps(namespace)
        await maps.list()
        start = monotonic()
        for _ in range(6):
            await maps.list(limit=1)
        assert monotonic() - start > 0.25
    async with AsyncClientset.from_config(kubeconfig, qps=0.001, burst=1) as slower:
        maps = slower.core_v1.config_maps(namespace)
        await maps.list()
        with pytest.raises(RequestTimeout, match="the rate limit would delay the request"):
            await maps.list(limit=1, timeout=60)


# ---- deadlines --------------------------------------------------------------------------------


async def test_a_client_may_have_a_deadline_for_all_calls(kubeconfig: str, namespace: str) -> None:
    async with AsyncClientset.from_config(kubeconfig, timeout=0.3) as hasty:
        maps = hasty.core_v1.config_maps(namespace)
        start = monotonic()
        with pytest.raises(RequestTimeout):
            await maps.list(resource_version=FUTURE)
        assert monotonic() - start < 2.5
        with pytest.raises(RequestTimeout):
            [each async for each in maps.each(resource_version=FUTURE)]
        await maps.create(config_map("one"), timeout=20)  # a call may say otherwise
        assert await maps.get("one", timeout=20)


# ---- what goes wrong --------------------------------------------------------------------------


async def test_a_verb_that_a_path_does_not_have_is_not_allowed(kube: AsyncClientset) -> None:
    with pytest.raises(MethodNotAllowed):
        await kube.rest.send(HttpRequest("DELETE", "/api/v1/namespaces"))


async def test_a_path_that_does_not_exist_is_not_found(kube: AsyncClientset) -> None:
    """For unknown groups servers answer in plain text."""
    with pytest.raises(NotFound) as caught:
        await kube.rest.send(HttpRequest("GET", "/apis/no.such.group/v1/things"))
    assert caught.value.code == 404
    with pytest.raises(NotFound):
        await kube.rest.send(HttpRequest("GET", "/api/v1/nosuchthings"))


async def test_a_closed_client_says_so(kubeconfig: str, namespace: str) -> None:
    kube = AsyncClientset.from_config(kubeconfig)
    await kube.core_v1.config_maps(namespace).list(limit=1)
    await kube.aclose()
    with pytest.raises((RuntimeError, ConnectionFailed)):
        await kube.core_v1.config_maps(namespace).list(limit=1)
    await kube.aclose()


# ---- many at once -----------------------------------------------------------------------------


async def test_sixty_four_at_once_share_a_client(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)

    async def live(number: int) -> str:
        name = f"map-{number}"
        await maps.create(config_map(name, {"number": str(number)}, {"test": "yes"}))
        edited = await maps.edit(name, lambda it: it.data.update(double=str(2 * number)))
        assert edited.data == {"number": str(number), "double": str(2 * number)}
        again: ConfigMap = await maps.get(name)
        assert again == edited
        await maps.delete(name)
        return again.data["double"]

    doubles = await async_together([partial(live, number) for number in range(64)])
    assert doubles == [str(2 * number) for number in range(64)]
    assert not (await maps.list(label_selector="test")).items


async def test_as_many_idle_connections_are_kept_as_is_wanted(
    kubeconfig: str, namespace: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with AsyncClientset.from_config(kubeconfig, pool_size=40, connect_timeout=20.0) as kube:
        maps = kube.core_v1.config_maps(namespace)
        for _ in range(2):
            await async_together([maps.list for _ in range(40)])
    assert [record.message for record in caplog.records if record.name.startswith("urllib3")] == []


async def test_many_watches_and_calls_share_a_client(kube: AsyncClientset, namespace: str) -> None:
    maps = kube.core_v1.config_maps(namespace)

    async def live(name: str) -> list[str]:
        await maps.create(config_map(name))
        async with maps.watch(field_selector=f"metadata.name={name}", timeout=25) as watch:
            added = await watch.__anext__()
            await maps.patch(name, MergePatch({"data": {"a": "1"}}))
            modified = await watch.__anext__()
            await maps.delete(name)
            deleted = await watch.__anext__()
        return [added.type, modified.type, deleted.type]

    lives = await async_together([partial(live, f"m{number}") for number in range(32)])
    assert lives == [["ADDED", "MODIFIED", "DELETED"]] * 32


def test_threads_may_have_clients_of_their_own(
    kubeconfig: str, namespace: str, flavour: str
) -> None:
    def work(number: int) -> str:
        name = f"map-{number}"
        with Clientset.from_config(kubeconfig, timeout=20) as kube:
            kube.core_v1.config_maps(namespace).create(config_map(name))
            return kube.core_v1.config_maps(namespace).get(name).metadata.name

    async def work_on_a_loop(number: int) -> str:
        name = f"map-{number}"
        async with AsyncClientset.from_config(kubeconfig, timeout=20) as kube:
            await kube.core_v1.config_maps(namespace).create(config_map(name))
            return (await kube.core_v1.config_maps(namespace).get(name)).metadata.name

    def run(number: int) -> str:
        return work(number) if flavour == "threads" else asyncio.run(work_on_a_loop(number))

    before = threading.active_count()
    names = together([partial(run, number) for number in range(8)])
    assert names == [f"map-{number}" for number in range(8)]
    assert threading.active_count() == before  # nobody is left behind


def test_a_task_that_is_cancelled_leaves_the_client_in_order(
    kubeconfig: str, namespace: str, flavour: str
) -> None:
    if flavour == "threads":
        pytest.skip("threads cannot be cancelled")

    async def cancel_and_go_on() -> None:
        async with AsyncClientset.from_config(kubeconfig, timeout=20) as kube:
            maps = kube.core_v1.config_maps(namespace)
            waiting: list[asyncio.Future[Any]] = [
                asyncio.ensure_future(maps.list(resource_version=FUTURE)),
                asyncio.ensure_future(maps.watch(resource_version=FUTURE).__anext__()),
            ]
            await maps.create(config_map("one"))
            for task in waiting:
                task.cancel()
            done = await asyncio.gather(*waiting, return_exceptions=True)
            assert [type(each) for each in done] == [asyncio.CancelledError] * 2
            assert await maps.get("one")

    asyncio.run(cancel_and_go_on())
