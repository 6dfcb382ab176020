"""A manager of many clusters, in memory; `test_fleet_threads` does the same for threads."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from time import monotonic
from typing import Any, Self

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap, Namespace, Secret
from kubeapi.meta.v1 import ObjectMeta
from prometheus_client import CollectorRegistry

from clientgen.runtime._async._primitives import Event, Task, sleep, spawn
from clientgen.runtime._controllers.reconcile_loop import cluster_name
from clientgen.runtime.aio import (
    AsyncContext,
    AsyncDaemonContext,
    AsyncFleet,
    AsyncManager,
    AsyncRequestContext,
)
from clientgen.runtime.controllers import Event as SourceEvent
from clientgen.runtime.controllers import ItemExponentialFailure, Request
from clientgen.runtime.errors import ConnectionLost, LeadershipLost, NotFound
from clientgen.testing import FakeClock, FakeCluster

pytestmark = pytest.mark.usefixtures("no_task_is_left")

NAMES = ("eu", "us", "ap")


def config_map(name: str, value: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace="shop"), data={"value": value})


def new_cluster(clock: FakeClock, *objects: Any) -> FakeCluster:
    return FakeCluster(Namespace(metadata=ObjectMeta(name="shop")), *objects, clock=clock)


def kill(cluster: FakeCluster) -> None:
    """Let no request reach a cluster any more, and break its watches."""
    cluster.react("*", "*", ConnectionLost)
    cluster.drop_watches()


def runner_of(world: AsyncWorld) -> Any:
    return world.manager._fleet


class AsyncWorld:
    """A hub, and clusters that each have a config map `a` with the name of the cluster."""

    def __init__(self, *names: str, **options: Any) -> None:
        self.clock = FakeClock()
        self.hub = new_cluster(self.clock)
        self.k = self.hub.clientset(AsyncClientset)
        self.clusters = {name: self.new(name) for name in names}
        self.clientsets = {
            name: each.clientset(AsyncClientset) for name, each in self.clusters.items()
        }
        self.fleet = AsyncFleet(self.clientsets)
        self.manager = AsyncManager(self.fleet, home=self.k, name="fleet", **options)
        self.seen: list[tuple[str, str, str]] = []
        self.task: Task

    def new(self, name: str) -> FakeCluster:
        return new_cluster(self.clock, config_map("a", name))

    async def note(self, context: AsyncContext[ConfigMap]) -> None:
        value = "" if context.object is None else context.object.data["value"]
        self.seen.append((context.cluster, str(context.request), value))

    def add(self, name: str) -> FakeCluster:
        """Let a cluster join."""
        self.clusters[name] = self.new(name)
        self.clientsets[name] = self.clusters[name].clientset(AsyncClientset)
        self.fleet.join(name, self.clientsets[name])
        return self.clusters[name]

    async def until(self, holds: Callable[[], object], step: float = 0.25) -> None:
        """Let time pass until something is true."""
        deadline = monotonic() + 30
        while not holds():
            assert monotonic() < deadline, "timed out"
            await sleep(0.002)
            self.clock.step(step)

    async def __aenter__(self) -> Self:
        self.task = spawn(self.manager.run, "manager")
        return self

    async def __aexit__(self, *_: object) -> None:
        self.manager.stop()
        deadline = monotonic() + 60
        while not await self.task.join(0.005):
            assert monotonic() < deadline, "it does not stop"
            self.clock.step(0.25)
        for k in (self.k, *self.clientsets.values()):
            await k.aclose()

    def events(self) -> list[str]:
        k = self.hub.clientset(Clientset)
        return sorted(str(each.reason) for each in k.events_v1.events().list().items)


async def test_a_controller_works_in_each_cluster(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    world = AsyncWorld(*NAMES)
    requests: list[Request] = []

    async def reconcile(context: AsyncContext[ConfigMap]) -> None:
        await world.note(context)
        requests.append(context.request)
        context.log.info("hello")
        assert context.clientset is world.clientsets[context.cluster]
        if context.name == "a":
            await context.clientset.ensure(config_map("b", context.cluster))

    world.manager.controller("maps", reconcile).for_(ConfigMap)
    async with world:
        await world.until(lambda: len(set(world.seen)) == 6)
        assert {(cluster, value) for cluster, _, value in world.seen} == {(n, n) for n in NAMES}
        assert "maps shop/a in eu" in caplog.text
        assert "<ClusterRequest shop/a in us>" in map(repr, requests)
        records = {getattr(each, "cluster", "") for each in caplog.records}
        assert records >= {*NAMES}
    assert not world.hub.writes


async def test_objects_of_home_are_copied_into_every_cluster_also_later() -> None:
    world = AsyncWorld("eu", "us")
    home = world.manager.informer(Secret)

    async def copy(context: AsyncContext[Secret]) -> None:
        source = home.indexer.get(str(context.request))
        if source is not None:
            await context.clientset.ensure(
                Secret(metadata=ObjectMeta(name=context.name, namespace=context.namespace))
            )
        elif context.object is not None:
            await context.clientset.delete(context.object)

    controller = world.manager.controller("copy", copy).for_(Secret)
    controller.watches(Secret, world.fleet.requests, where=world.k)

    def copies() -> dict[str, list[str]]:
        return {
            name: [s.metadata.name for s in each.clientset(Clientset).core_v1.secrets().list()]
            for name, each in world.clusters.items()
        }

    for name in ("x", "y"):
        await world.k.create(Secret(metadata=ObjectMeta(name=name, namespace="shop")))
    async with world:
        await world.until(lambda: copies() == {"eu": ["x", "y"], "us": ["x", "y"]})
        world.add("ap")  # the sources were mapped before it joined
        await world.until(lambda: copies()["ap"] == ["x", "y"])
        await world.k.delete(Secret, "x", namespace="shop")
        await world.until(lambda: copies() == {name: ["y"] for name in NAMES})


async def test_a_cluster_leaves_with_grace_and_comes_back() -> None:
    world = AsyncWorld("eu", "us", grace=20.0)
    begun, may_end = Event(), Event()
    ended: list[str] = []
    told: list[bool] = []

    async def reconcile(context: AsyncContext[ConfigMap]) -> None:
        await world.note(context)
        if context.cluster != "eu" or ended:
            return
        begun.set()
        try:
            while not (context.is_stopping and may_end.is_set()):
                await sleep(0.001)
            told.append(context.is_stopping)
            await context.clientset.create(config_map("late", "late"))
        finally:
            ended.append(context.cluster)

    controller: Any = world.manager.controller("maps", reconcile).for_(ConfigMap)
    async with world:
        await world.until(begun.is_set)
        for number in range(5):
            await world.clientsets["eu"].create(config_map(f"m{number}", "eu"))
        await world.until(lambda: controller.queue.depth("eu") == 5)
        world.fleet.leave("eu")
        assert controller.queue.depth("eu") == 0
        assert world.fleet.names == ["us"]
        await world.clientsets["us"].create(config_map("still", "us"))
        await world.until(lambda: ("us", "shop/still", "us") in world.seen)
        before = len(world.seen)
        may_end.set()  # within the grace
        await world.until(lambda: ended)
        assert told == [True]
        assert world.clusters["eu"].clientset(Clientset).core_v1.config_maps("shop").get("late")
        assert world.seen[before:] == []
        world.fleet.join("eu", world.clientsets["eu"])
        await world.until(lambda: len(world.seen) == before + 7)
        assert {cluster for cluster, _, _ in world.seen[before:]} == {"eu"}


async def test_work_for_a_cluster_that_has_left_cannot_write_after_the_grace() -> None:
    world = AsyncWorld("eu", "us", grace=5.0)
    begun, is_over = Event(), Event()

    async def reconcile(context: AsyncContext[ConfigMap]) -> None:
        if context.cluster == "us":
            await world.note(context)
            return
        begun.set()
        try:
            while not any(each.is_set() for each in (is_over,)):
                await sleep(0.001)  # it does not look at `is_stopping`
            await context.clientset.create(config_map("late", "late"))
        finally:
            world.seen.append(("eu", "ended", ""))

    world.manager.controller("maps", reconcile).for_(ConfigMap)
    async with world:
        await world.until(begun.is_set)
        runner: Any = world.manager._fleet
        member = runner.member("eu")
        world.fleet.leave("eu")
        await world.until(member.over.is_set)
        is_over.set()
        await world.until(lambda: ("eu", "ended", "") in world.seen)
        with pytest.raises(NotFound):
            await world.clientsets["eu"].get(ConfigMap, "late", namespace="shop")
        await world.clientsets["us"].create(config_map("b", "us"))
        await world.until(lambda: ("us", "shop/b", "us") in world.seen)


async def test_a_dead_cluster_stops_nobody_and_is_told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    world = AsyncWorld(*NAMES)
    kill(world.clusters["eu"])  # at the start
    controller = world.manager.controller("maps", world.note).for_(ConfigMap)

    def lines() -> list[str]:
        return [each for each in caplog.messages if "cluster eu is unreachable: " in each]

    async with world:
        await world.until(lambda: {each[0] for each in world.seen} == {"us", "ap"})
        assert world.manager._synced  # the manager is ready
        await world.until(lambda: world.events() == ["ClusterUnreachable"])
        assert "configmaps" in lines()[0]
        world.clusters["eu"].clear_reactions()
        await world.until(lambda: ("eu", "shop/a", "eu") in world.seen)
        await world.until(lambda: world.events() == ["ClusterReachable", "ClusterUnreachable"])

        kill(world.clusters["us"])
        began = world.clock.monotonic()
        await world.clientsets["ap"].create(config_map("b", "ap"))
        await world.until(lambda: ("ap", "shop/b", "ap") in world.seen)
        await world.until(lambda: world.clock.monotonic() > began + 200, step=2.0)
        told = [each for each in caplog.messages if "cluster us is unreachable: " in each]
        assert 3 <= len(told) <= 4
        assert not any("us" in each for each in caplog.messages if "trying again" in each)
        controller.queue.add(world.fleet.requests(config_map("a", ""), ["us"])[0])
        seen = len(world.seen)
        await world.until(lambda: world.clock.monotonic() > began + 220, step=2.0)
        assert len(world.seen) == seen  # it is held back
        world.clusters["us"].clear_reactions()
        user = world.clusters["us"].clientset(Clientset)
        user.create(config_map("c", "us"))
        await world.until(lambda: ("us", "shop/c", "us") in world.seen)


async def test_clusters_come_from_an_iterator() -> None:
    world = AsyncWorld("eu", "us")
    steps = {"join": Event(), "leave": Event(), "break": Event()}

    async def events() -> AsyncIterator[tuple[str, AsyncClientset | None]]:
        for name, clientset in world.clientsets.items():
            yield name, clientset
        await steps["leave"].wait()
        yield "eu", None
        await steps["break"].wait()
        raise RuntimeError("the inventory is gone")

    fleet = AsyncFleet(events())
    world.manager = AsyncManager(fleet, home=world.k, name="fleet")
    world.manager.controller("maps", world.note).for_(ConfigMap)
    failures: list[BaseException] = []

    async def run() -> None:
        try:
            await world.manager.run()
        except RuntimeError as error:
            failures.append(error)

    world.task = spawn(run, "manager")
    await world.until(lambda: {each[0] for each in world.seen} == {"eu", "us"})
    steps["leave"].set()
    await world.until(lambda: fleet.names == ["us"])
    steps["break"].set()
    await world.until(lambda: failures)
    assert str(failures[0]) == "the inventory is gone"
    await world.__aexit__()


async def test_mistakes_are_named() -> None:
    world = AsyncWorld("eu")
    k, us = world.k, world.new("us").clientset(AsyncClientset)
    with pytest.raises(TypeError, match="needs home="):
        AsyncManager(AsyncFleet({"us": us}))
    with pytest.raises(TypeError, match="home= is for a manager of a fleet"):
        AsyncManager(k, home=k)
    with pytest.raises(RuntimeError, match="belongs to another manager"):
        AsyncManager(world.fleet, home=k)
    with pytest.raises(ValueError, match="no namespaces= by label"):
        AsyncManager(AsyncFleet({"us": us}), home=k, namespaces="a=b")
    with pytest.raises(ValueError, match="has joined the fleet as 'eu'"):
        world.fleet.join("us", world.clientsets["eu"])
    for name in ("", "a\nb", " a", "x" * 254):
        with pytest.raises(ValueError, match="cannot be the name of a cluster"):
            world.fleet.join(name, us)
    for wrong in (object(), k.rest, None):
        with pytest.raises(TypeError):
            world.fleet.join("us", wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a fleet takes a dict"):
        AsyncFleet(3)  # type: ignore[arg-type]
    with pytest.raises(LookupError, match="no cluster 'us'; it has: eu"):
        world.fleet.clientset("us")
    with pytest.raises(RuntimeError, match="is of a fleet"):
        world.manager.add_namespace("x")
    controller = world.manager.controller("maps", world.note).for_(ConfigMap)
    with pytest.raises(RuntimeError, match="is for ConfigMap already"):
        controller.for_(Secret)
    with pytest.raises(ValueError, match="is not the clientset of the manager"):
        controller.watches(Secret, world.fleet.requests, where=us)
    with pytest.raises(RuntimeError, match="dependents work at home only"):
        controller.dependent(Secret, lambda _: None)
    with pytest.raises(LookupError, match="cannot be changed"):
        controller.unwatch(ConfigMap)
    for each in (k, us, world.clientsets["eu"]):
        await each.aclose()


async def test_a_mapper_at_home_names_the_cluster(caplog: pytest.LogCaptureFixture) -> None:
    world = AsyncWorld("eu")
    controller = world.manager.controller("maps", world.note).for_(ConfigMap)
    controller.watches(Secret, lambda _: [Request("shop", "a")], where=world.k)
    await world.k.create(Secret(metadata=ObjectMeta(name="x", namespace="shop")))
    async with world:
        await world.until(lambda: "names no cluster" in caplog.text)
        await world.until(lambda: world.seen)
    assert "return fleet.requests(obj)" in caplog.text


async def test_objects_at_home_are_reconciled_when_objects_of_clusters_change() -> None:
    world = AsyncWorld("eu", "us")
    await world.k.create(config_map("a", "home"))
    controller = world.manager.controller("maps", world.note).for_(ConfigMap, where=world.k)
    controller.watches(Secret, lambda _: [Request("shop", "a")])
    async with world:
        await world.until(lambda: world.seen)
        assert set(world.seen) == {("", "shop/a", "home")}
        world.seen.clear()
        await world.clientsets["us"].create(Secret(metadata=ObjectMeta(name="s", namespace="shop")))
        await world.until(lambda: world.seen)
        assert set(world.seen) == {("", "shop/a", "home")}


async def test_metrics_name_the_cluster() -> None:
    registry = CollectorRegistry()
    world = AsyncWorld("eu", "us", metrics="127.0.0.1:0", registry=registry)
    kill(world.clusters["us"])
    world.manager.controller("maps", world.note).for_(ConfigMap)

    def value(name: str, cluster: str, **labels: str) -> float | None:
        return registry.get_sample_value(name, {"cluster": cluster, **labels})

    async with world:
        await world.until(lambda: value("fleet_cluster_reachable", "us") == 0.0)
        await world.until(lambda: value("fleet_cluster_objects", "eu") == 1.0)
        assert value("fleet_cluster_reachable", "eu") == 1.0
        assert value("fleet_cluster_disconnected_seconds", "eu") == 0.0
        assert value("fleet_cluster_disconnected_seconds", "us") >= 10.0
        assert value("fleet_queued_requests", "eu", controller="maps") == 0.0
        done = {"controller": "maps", "result": "success"}
        assert value("fleet_reconcile_total", "eu", **done) == 1.0
        world.fleet.leave("us")
        assert value("fleet_cluster_reachable", "us") is None
        assert value("fleet_queued_requests", "us", controller="maps") is None


async def test_the_hub_may_be_in_the_fleet_and_only_the_leader_tells() -> None:
    world = AsyncWorld("eu", leader_election="fleet")
    world.clusters["hub"] = world.hub
    world.fleet.join("hub", world.k)
    await world.k.create(config_map("a", "hub"))
    standby = AsyncManager(
        AsyncFleet({"eu": world.clientsets["eu"]}),
        home=world.k,
        name="standby",
        leader_election="fleet",
    )
    calls: list[str] = []

    async def never(context: AsyncContext[ConfigMap]) -> None:
        calls.append(context.cluster)

    standby.controller("maps", never).for_(ConfigMap)
    world.manager.controller("maps", world.note).for_(ConfigMap)
    async with world:
        await world.until(lambda: len({each[0] for each in world.seen}) == 2)
        assert set(world.seen) == {("eu", "shop/a", "eu"), ("hub", "shop/a", "hub")}
        waiting = spawn(standby.run, "standby")
        await world.until(lambda: standby._fleet and standby._fleet.members())
        kill(world.clusters["eu"])
        await world.until(lambda: "ClusterUnreachable" in world.events())
        fleet: Any = standby._fleet
        await world.until(lambda: not fleet.member("eu").health.is_reachable)
        began = world.clock.monotonic()
        await world.until(lambda: world.clock.monotonic() > began + 5)  # events are written
        assert world.events().count("ClusterUnreachable") == 1
        standby.stop()
        await world.until(lambda: waiting.done)
        world.fleet.leave("hub")
        await world.until(lambda: not runner_of(world).leaving)
        assert (await world.k.get(ConfigMap, "a", namespace="shop")).data == {"value": "hub"}
    assert not calls


async def test_nothing_of_a_cluster_stays_after_it_has_left() -> None:
    world = AsyncWorld("eu")
    failing = {"on": True}

    async def fail(context: AsyncContext[ConfigMap]) -> None:
        world.seen.append((context.cluster, str(context.request), ""))
        context.memo(dict)
        if failing["on"]:
            raise RuntimeError("not yet")

    limiter = ItemExponentialFailure(1000.0)  # retries wait long
    controller: Any = world.manager.controller("maps", fail, limiter=limiter).for_(ConfigMap)
    async with world:
        for number in range(5):
            world.seen.clear()
            name = f"c{number}"
            world.add(name)
            await world.until(lambda: world.seen)
            world.fleet.leave(name)
            await world.until(lambda: not runner_of(world).leaving)
        assert {*controller._served} == {*controller._primaries}
        assert [each.name for each in controller._served] == ["eu"]
        assert {*controller.queue._state._lanes} == {"", "eu"}
        assert {cluster_name(each) for each in controller.queue._state._waiting_priorities} <= {
            "eu"
        }
        assert {cluster_name(each) for each in limiter._failures} == {"eu"}
        assert len(controller._memos) == 1
        assert len(controller._tasks) <= 4  # workers for home, and for two clusters at once
        failing["on"] = False


async def test_mappers_and_predicates_that_raise_stop_nothing() -> None:
    world = AsyncWorld("eu")
    await world.k.create(Secret(metadata=ObjectMeta(name="bad", namespace="shop")))
    await world.k.create(Secret(metadata=ObjectMeta(name="b", namespace="shop")))

    def mapper(secret: Secret) -> list[Request]:
        if secret.metadata.name == "bad":
            raise RuntimeError("a mapper failed")
        return world.fleet.requests(secret)

    def predicate(event: SourceEvent[ConfigMap]) -> bool:
        raise RuntimeError("a predicate failed")

    controller = world.manager.controller("maps", world.note).for_(ConfigMap).when(predicate)
    controller.watches(Secret, mapper, where=world.k)
    async with world:
        await world.until(lambda: ("eu", "shop/b", "") in world.seen)
        await world.until(lambda: ("eu", "shop/a", "eu") in world.seen)
        world.add("us")
        await world.until(lambda: ("us", "shop/b", "") in world.seen)


async def test_options_of_controllers_apply_to_each_cluster() -> None:
    """`max_attempts`, `on_error`, `reconcile_all`, a pause and own writes know the clusters."""
    world = AsyncWorld("eu", "us")
    errors: list[tuple[str, int]] = []
    failing = {"eu"}

    async def reconcile(context: AsyncContext[ConfigMap]) -> None:
        await world.note(context)
        if context.cluster in failing:
            raise RuntimeError("not here")
        labels = {"metadata": {"labels": {"seen": "yes"}}}
        await context.clientset.patch(ConfigMap, context.name, labels, namespace="shop")

    async def on_error(context: AsyncContext[ConfigMap], error: Exception) -> None:
        errors.append((context.cluster, context.attempt))

    controller = world.manager.controller(
        "maps", reconcile, on_error=on_error, max_attempts=3, own_writes_wake=False
    ).for_(ConfigMap)
    async with world:
        await world.until(lambda: len(errors) == 3)
        assert errors == [("eu", 1), ("eu", 2), ("eu", 3)]
        began = world.clock.monotonic()
        await world.until(lambda: world.clock.monotonic() > began + 5)
        assert [each[0] for each in world.seen].count("us") == 1  # its own write does not wake it
        failing.clear()
        world.seen.clear()
        controller.pause()
        controller.reconcile_all()
        await world.until(lambda: world.clock.monotonic() > began + 10)
        assert not world.seen
        controller.resume()
        await world.until(lambda: {each[0] for each in world.seen} == {"eu", "us"})


async def test_daemons_and_polls_of_a_cluster_that_leaves_end_with_it() -> None:
    """They see the last state of their objects. After the grace, writes are refused."""
    world = AsyncWorld("eu", "us", grace=5.0)
    seen: list[Any] = []
    is_over, is_read, has_said_farewell = Event(), Event(), Event()
    begun: list[str] = []

    async def daemon(beside: AsyncDaemonContext[ConfigMap]) -> None:
        begun.append(beside.object.data["value"])
        await beside.wait_for_stop()
        if beside.object.data["value"] != "eu":
            return
        seen.append((beside.object.data["value"], beside.memo(dict)))
        await beside.clientset.create(config_map("farewell", "eu"))
        has_said_farewell.set()
        while not is_over.is_set():
            await sleep(0.001)
        try:
            await beside.clientset.create(config_map("late", "eu"))
        except Exception as error:
            seen.append(type(error))

    async def read(obj: ConfigMap) -> int:
        if obj.data["value"] == "eu":
            seen.append("reading")
            while not is_read.is_set():
                await sleep(0.001)
            seen.append("read")
        return 1

    controller: Any = world.manager.controller("maps", world.note).for_(ConfigMap)
    controller.daemon(daemon, cancellation_grace=600.0)
    controller.polls_each(read, every=10, workers=2)
    async with world:
        await world.until(lambda: len(begun) == 2 and "reading" in seen)
        member = runner_of(world).member("eu")
        world.fleet.leave("eu")
        assert await has_said_farewell.wait(60)  # before the clock moves past the grace
        await world.until(member.over.is_set)
        is_over.set()
        is_read.set()
        await world.until(lambda: len(controller._daemons[0]) == 1 and "read" in seen)
        assert seen[:2] == ["reading", ("eu", {})]
        assert LeadershipLost in seen
        maps = world.clusters["eu"].clientset(Clientset).core_v1.config_maps("shop").list()
        assert {each.metadata.name for each in maps.items} == {"a", "farewell"}
        assert {key.cluster for key in controller._memos._values} == {"us"}


async def test_a_controller_of_own_requests_works_at_home() -> None:
    world = AsyncWorld("eu", metrics="127.0.0.1:0", registry=CollectorRegistry())
    seen: list[str] = []

    async def price(context: AsyncRequestContext[str]) -> None:
        seen.append(f"{context.request} {context.clientset is world.k}")

    prices = world.manager.request_controller("prices", str, price)
    prices.watches(ConfigMap, lambda found: [found.metadata.name])
    world.manager.controller("maps", world.note).for_(ConfigMap)
    await world.k.create(config_map("gold", "1"))
    async with world:
        await world.until(lambda: seen and world.seen)
        world.fleet.leave("eu")
        world.add("us")
        await world.until(lambda: ("us", "shop/a", "us") in world.seen)
        assert seen == ["gold True"]
