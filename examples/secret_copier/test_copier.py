"""The operator at work in a cluster in memory, under its own role."""

from __future__ import annotations

import asyncio
import logging
from base64 import b64encode
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import kubeapi
import pytest
from copier.decisions import COPY, FINALIZER, NAME, SOURCE
from copier.operator import make_manager
from kubeapi.core.v1 import Namespace, Secret
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.conditions import deleted, exists
from clientgen.testing import FakeCluster, explore

HERE = Path(__file__).parent
ACCOUNT = "copier/secret-copier"
VALUE = b"hunter2"
PATIENCE = 60.0
BUDGET = 2.0
"""Seconds; 60 try every single fault and many pairs."""
P = ParamSpec("P")


def run(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run a test that is a coroutine function."""

    @wraps(test)
    def function(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return function


class World:
    """A cluster, and a user of it who may do everything."""

    def __init__(self) -> None:
        teams = {"shop": "web", "bank": "web", "lab": "research", "vault": "ops", "copier": "ops"}
        self.cluster = FakeCluster(*(namespace(name, team) for name, team in teams.items()))
        self.k = self.cluster.clientset(kubeapi.AsyncClientset)

    @asynccontextmanager
    async def operator(self) -> AsyncGenerator[None]:
        """The operator at work; it ends without an error."""
        async with self.cluster.clientset(kubeapi.AsyncClientset, service_account=ACCOUNT) as k:
            manager = make_manager(k, leader_election=NAME)
            running = asyncio.create_task(manager.run())
            try:
                yield
            finally:
                manager.stop()
                await running

    async def until(self, namespace: str, condition: Callable[[Secret], object] = exists) -> Secret:
        """Wait for the Secret in a namespace."""
        return await self.k.wait(
            Secret, "token", namespace=namespace, until=condition, timeout=PATIENCE
        )

    async def until_gone(self, namespace: str) -> None:
        await self.k.wait(Secret, "token", namespace=namespace, until=deleted, timeout=PATIENCE)


def namespace(name: str, team: str) -> Namespace:
    return Namespace(metadata=ObjectMeta(name=name, labels={"team": team}))


def source(selector: str = "team=web") -> Secret:
    metadata = ObjectMeta(
        name="token", namespace="vault", labels={SOURCE: "true"}, annotations={SOURCE: selector}
    )
    return Secret(metadata=metadata, data={"key": VALUE}, type="Opaque")


def with_key(value: bytes) -> Callable[[Secret], bool]:
    return lambda secret: secret.data == {"key": value}


@run
async def test_a_secret_is_copied_to_matching_namespaces() -> None:
    world = World()
    await world.k.create(source())
    async with world.operator():
        for name in ("shop", "bank"):
            copy = await world.until(name)
            assert (copy.data, copy.metadata.annotations) == (
                {"key": VALUE},
                {COPY: "vault/token"},
            )
        assert await places(world) == ["bank", "shop", "vault"]
        [held] = (await world.until("vault")).metadata.finalizers
        assert held == FINALIZER

        await world.k.edit(source(), lambda secret: secret.data.update(key=b"new"))
        for name in ("shop", "bank"):
            await world.until(name, with_key(b"new"))
        # Somebody changes or deletes a copy: it is restored.
        copy = await world.until("shop")
        await world.k.edit(copy, lambda secret: secret.data.update(key=b"bad"))
        await world.until("shop", with_key(b"new"))
        await world.k.delete(copy)
        await world.until("shop", lambda secret: secret.metadata.uid != copy.metadata.uid)


async def places(world: World) -> list[str]:
    secrets = await world.k.list(Secret, field_selector="metadata.name=token")
    return sorted(each.metadata.namespace for each in secrets)


@run
async def test_copies_follow_labels_of_namespaces_and_the_selector() -> None:
    world = World()
    await world.k.create(source())
    async with world.operator():
        await world.until("bank")
        await world.k.patch(Namespace, "bank", {"metadata": {"labels": {"team": "none"}}})
        await world.until_gone("bank")
        await world.k.create(namespace("new", "web"))
        await world.until("new")
        selector = {"metadata": {"annotations": {SOURCE: "team in (research)"}}}
        await world.k.patch(source(), selector)
        await world.until("lab")
        await world.until_gone("shop")
        await world.until_gone("new")


@run
async def test_copies_go_with_the_source() -> None:
    world = World()
    await world.k.create(source())
    async with world.operator():
        await world.until("shop")
        await world.k.delete(source())
        await world.until_gone("vault")
        assert await places(world) == []


@run
async def test_copies_go_when_nobody_was_there_to_see_it() -> None:
    world = World()
    await world.k.create(source())
    async with world.operator():
        await world.until("shop")
        await world.until("bank")
    await world.k.delete(source())
    assert await places(world) == ["bank", "shop", "vault"]
    async with world.operator():
        await world.until_gone("vault")
    assert await places(world) == []


@run
async def test_a_secret_without_the_label_is_let_go() -> None:
    world = World()
    await world.k.create(source())
    async with world.operator():
        await world.until("shop")
        await world.k.patch(source(), {"metadata": {"labels": {SOURCE: None}}})
        await world.until("vault", lambda secret: not secret.metadata.finalizers)
        assert await places(world) == ["vault"]
        await world.k.patch(source(), {"metadata": {"labels": {SOURCE: "true"}}})
        await world.until("shop")


@run
async def test_secrets_of_others_are_left_alone() -> None:
    world = World()
    metadata = ObjectMeta(name="token", namespace="bank")
    world.cluster.add(Secret(metadata=metadata, data={"key": b"other"}))
    await world.k.create(source())
    async with world.operator():
        await world.until("shop")  # bank is before it
        assert (await world.until("bank")).data == {"key": b"other"}
        await world.k.delete(source())
        await world.until_gone("shop")
        assert await places(world) in (["bank"], ["bank", "vault"])


@run
async def test_a_type_that_changes_makes_new_copies() -> None:
    world = World()
    world.cluster.add(source())
    async with world.operator():
        first = await world.until("shop")
        other = source()
        other.type = "example.com/token"
        await world.k.delete(source())
        await world.until_gone("vault")
        await world.k.create(other)
        copy = await world.until("shop", lambda secret: secret.type == "example.com/token")
        assert copy.metadata.uid != first.metadata.uid


@run
async def test_a_selector_that_is_wrong_is_not_tried_again_and_again() -> None:
    world = World()
    await world.k.create(source("team==="))
    async with world.operator():
        await world.until("vault", lambda secret: secret.metadata.finalizers)
        await world.k.patch(source(), {"metadata": {"annotations": {SOURCE: "team=web"}}})
        await world.until("shop")


def test_faults_change_nothing_in_the_end() -> None:
    """Crashes, stale caches, lost answers: `explore` tries some here; a larger budget tries all."""

    def setup(cluster: FakeCluster) -> None:
        teams = {"vault": "ops", "shop": "web", "bank": "web"}
        cluster.add(*(namespace(name, team) for name, team in teams.items()))

    async def scenario(k: kubeapi.AsyncClientset) -> None:
        await k.create(source())
        await k.patch(Namespace, "bank", {"metadata": {"labels": {"team": "none"}}})
        await k.delete(source())

    explore(make_manager, scenario, clientset=kubeapi.AsyncClientset, setup=setup, budget=BUDGET)


def test_no_value_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    @run
    async def scenario() -> None:
        world = World()
        await world.k.create(source())
        world.cluster.fail("create", "secrets", 500, namespace="bank", message="broken")
        async with world.operator():
            await world.until("shop")
            await world.until("bank")

    scenario()
    assert "broken" in caplog.text
    assert VALUE.decode() not in caplog.text
    assert b64encode(VALUE).decode() not in caplog.text
