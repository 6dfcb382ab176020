"""Informers and controllers of replicas that divide the objects; threads: see the derived file."""

# The tests look into the sharding.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, cast

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime._async._primitives import sleep, spawn
from clientgen.runtime._cache.informer_options import NamespaceOptions
from clientgen.runtime._clock import SYSTEM_CLOCK
from clientgen.runtime._http.shard_ranges import parse_shard_selector, shard_hash
from clientgen.runtime.aio import (
    AsyncContext,
    AsyncDaemonContext,
    AsyncManager,
    AsyncSharding,
)
from clientgen.runtime.errors import LeadershipLost
from clientgen.testing import FakeClock, FakeCluster

pytestmark = pytest.mark.usefixtures("no_task_is_left")

LOW = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
HALF = 1 << 63


def new_map(name: str, namespace: str = "default", **labels: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def new_cluster(count: int, *, gate: bool = True, clock: FakeClock | None = None) -> FakeCluster:
    return FakeCluster(
        *(new_map(f"map-{number}") for number in range(count)),
        feature_gates={"ShardedListAndWatch": gate},
        seed=1,
        clock=clock or SYSTEM_CLOCK,
    )


async def until(holds: Callable[[], object]) -> None:
    while not holds():
        await sleep(0.001)


@pytest.mark.parametrize("gate", [True, False])
async def test_an_informer_has_only_its_shard(gate: bool, caplog: pytest.LogCaptureFixture) -> None:
    cluster = new_cluster(30, gate=gate)
    k = cluster.clientset(AsyncClientset)
    maps = k.core_v1.config_maps("default")
    with caplog.at_level(logging.WARNING, "clientgen.runtime.informers"):
        async with k.informers(shard_selector=LOW) as factory:
            informer = factory.core_v1.config_maps()
            factory.start()
            assert await informer.wait_for_sync(20)
            listed = await maps.list()
            low = {each.metadata.name for each in listed if shard_hash(each.metadata.uid) < HALF}
            assert {each.metadata.name for each in informer.lister.list()} == low
            made = [
                await maps.create(ConfigMap(metadata=ObjectMeta(name=f"new-{n}"))) for n in range(8)
            ]
            for each in made:  # own writes, at once
                is_low = shard_hash(each.metadata.uid) < HALF
                assert (informer.indexer.get(f"default/{each.metadata.name}") is not None) is is_low
            last = [each for each in made if shard_hash(each.metadata.uid) < HALF][-1]
            await maps.delete(last.metadata.name)
            await until(lambda: f"default/{last.metadata.name}" not in informer.indexer)
    warnings = [each for each in caplog.messages if "ignores shard selectors" in each]
    assert len(warnings) == (0 if gate else 1)


def test_selectors_that_are_refused() -> None:
    k = new_cluster(0).clientset(AsyncClientset)
    factory = k.informers()
    for text, problem in {
        "x": "'x' in shard_selector is not a range of hashes: write shardRange",
        LOW.replace("0x8000", "0x0000"): "ends before it starts",
        f"{LOW} || {LOW.replace('uid', 'namespace')}": "has several fields",
    }.items():
        with pytest.raises(ValueError, match=problem):
            factory.core_v1.config_maps(shard_selector=text)
    with pytest.raises(TypeError, match="shard_selector must be a text"):
        factory.core_v1.config_maps(shard_selector=1)  # type: ignore[arg-type]
    both = parse_shard_selector(f"{LOW} || {LOW.replace('0x0000', '0x4000')}")
    assert both.text == LOW


async def test_namespaces_have_selectors_of_their_own() -> None:
    cluster = FakeCluster(
        *(new_map(f"{app}-1", name, app=app) for app in ("web", "db") for name in ("shop", "ops")),
        new_map("other", "else"),
    )
    k = cluster.clientset(AsyncClientset)
    namespaces: dict[str, NamespaceOptions] = {"shop": {"label_selector": "app=web"}, "ops": {}}
    async with k.informers(namespace=namespaces) as factory:
        informer = factory.core_v1.config_maps()
        assert factory.core_v1.config_maps() is informer
        assert factory.core_v1.config_maps(namespace=["shop", "ops"]) is not informer
        factory.start()
        await factory.wait_for_sync(20)
        assert {*informer.indexer.keys()} == {"shop/web-1", "ops/web-1", "ops/db-1"}
        for namespace in ("shop", "ops"):
            await k.core_v1.config_maps(namespace).create(
                ConfigMap(metadata=ObjectMeta(name="own"))
            )
        assert "ops/own" in informer.indexer
        assert "shop/own" not in informer.indexer
    with pytest.raises(TypeError, match="label_selektor"):
        k.informers(
            namespace={"shop": cast("Any", {"label_selektor": "a=b"})}
        ).core_v1.config_maps()


async def test_a_manager_takes_selectors_for_namespaces() -> None:
    cluster = FakeCluster(*(new_map(app, "shop", app=app) for app in ("web", "db")))
    k = cluster.clientset(AsyncClientset)
    seen: list[str] = []
    manager = AsyncManager(k, namespaces={"shop": {"label_selector": {"app": "web"}}})

    async def reconcile(context: AsyncContext[ConfigMap]) -> None:
        seen.append(context.name)
        manager.stop()

    manager.controller("maps", reconcile).for_(ConfigMap)
    informer = manager.informer(ConfigMap)
    await manager.run()
    assert seen == ["web"]
    assert {*informer.indexer.keys()} == {"shop/web"}


class AsyncStage:
    """Replicas with a sharding and an informer each; time passes in steps of two seconds."""

    def __init__(self, count: int = 60, *, gate: bool = True) -> None:
        self.clock = FakeClock()
        self.cluster = new_cluster(count, gate=gate, clock=self.clock)
        self.k = self.cluster.clientset(AsyncClientset)
        self.names = {f"map-{number}" for number in range(count)}
        self.shardings: list[AsyncSharding] = []
        self.rounds: dict[str, int] = {}
        self.deleted: list[str] = []

    async def begin(self, identity: str) -> tuple[AsyncSharding, Any, Any]:
        k = self.cluster.clientset(AsyncClientset)
        sharding = AsyncSharding(k, "maps", "default", identity, clock=self.clock)
        given = sharding._round

        async def counted() -> None:
            await given()
            self.rounds[identity] = self.rounds.get(identity, 0) + 1

        sharding._round = counted
        factory = k.informers(shard_selector=sharding, clock=self.clock)
        informer = factory.core_v1.config_maps(namespace="default")
        informer.add_handler(on_delete=lambda obj: self.deleted.append(obj.metadata.name))
        factory.start()
        assert not informer.has_synced()
        assert "the shard is not known yet" in informer.sync_status
        sharding.start()
        self.shardings.append(sharding)
        await until(lambda: self.rounds.get(identity))
        await until(informer.has_synced)
        return sharding, informer, factory

    async def pass_time(self, seconds: float) -> None:
        for _ in range(round(seconds / 2)):
            live = [each for each in self.shardings if not each._stopping.is_set()]
            before = dict(self.rounds)
            self.clock.step(2.0)
            await until(
                lambda live=live, before=before: all(
                    self.rounds[each.identity] > before[each.identity] for each in live
                )
            )

    def cached(self, informer: Any) -> set[str]:
        return {each.metadata.name for each in informer.lister.list()}

    def owned(self, sharding: AsyncSharding, informer: Any) -> set[str]:
        return {each.metadata.name for each in informer.lister.list() if sharding.owns_object(each)}


@pytest.mark.parametrize("gate", [True, False])
async def test_replicas_hand_over_without_a_gap_and_without_deletions(gate: bool) -> None:
    stage = AsyncStage(gate=gate)
    a, of_a, factory_a = await stage.begin("a")
    await until(lambda: stage.owned(a, of_a) == stage.names)
    b, of_b, factory_b = await stage.begin("b")
    assert stage.owned(b, of_b) == set()  # it has read its objects before it owns them
    early = stage.cached(of_b)
    assert 0 < len(early) < len(stage.names)
    await stage.pass_time(6)
    await until(lambda: stage.cached(of_a) == stage.names - early)
    assert stage.owned(b, of_b) == stage.cached(of_b) == early
    assert stage.owned(a, of_a) == stage.names - early
    await stage.k.core_v1.config_maps("default").delete("map-0")
    await until(lambda: stage.deleted == ["map-0"])
    await b.stop()
    await factory_b.shutdown()
    await stage.pass_time(4)
    await until(lambda: stage.owned(a, of_a) == stage.names - {"map-0"})
    assert stage.deleted == ["map-0"]
    await a.stop()
    await factory_a.shutdown()


async def test_objects_of_a_dead_replica_are_read_before_they_are_owned() -> None:
    stage = AsyncStage()
    a, of_a, factory_a = await stage.begin("a")
    b, _, factory_b = await stage.begin("b")
    await stage.pass_time(6)
    await until(lambda: len(stage.cached(of_a)) < len(stage.names))
    half = stage.cached(of_a)
    for task in b._tasks:  # it dies
        task.cancel()
    b._stopping.set()
    await stage.pass_time(12)
    await until(lambda: stage.cached(of_a) == stage.names)
    assert stage.owned(a, of_a) == half
    await stage.pass_time(8)
    assert stage.owned(a, of_a) == stage.names
    await factory_b.shutdown()
    await a.stop()
    await factory_a.shutdown()


async def test_controllers_reconcile_what_their_replica_owns() -> None:
    stage = AsyncStage(20)
    work: list[tuple[str, str, bool]] = []
    refused: list[str] = []
    gate_open: list[str] = []

    def manage(identity: str, sharding: AsyncSharding) -> AsyncManager:
        k = stage.cluster.clientset(AsyncClientset)
        manager = AsyncManager(k, sharding=sharding, clock=stage.clock)

        async def reconcile(context: AsyncContext[ConfigMap]) -> None:
            if context.namespace != "default":
                return
            work.append((identity, context.name, context.object is None))
            if context.name in gate_open:  # work that goes on after the object has moved
                sharding._stopping.set()
                with pytest.raises(LeadershipLost, match="another replica owns default/"):
                    await k.core_v1.config_maps("default").delete(context.name)
                refused.append(context.name)

        manager.controller("maps", reconcile).for_(ConfigMap)
        return manager

    a, _, factory_a = await stage.begin("a")
    manager = manage("a", a)
    running = spawn(manager.run, "manager a")
    await until(lambda: {name for _, name, _ in work} == stage.names)
    b, of_b, factory_b = await stage.begin("b")
    of_b_names = stage.cached(of_b)
    other = manage("b", b)
    running_b = spawn(other.run, "manager b")
    await until(lambda: other.informer(ConfigMap, shard_selector=b).has_synced())
    assert not [name for identity, name, _ in work if identity == "b"]
    await until(lambda: len(b._held) == len(of_b_names))
    early = sorted(of_b_names)[2]  # it is deleted before b owns it
    await stage.k.core_v1.config_maps("default").delete(early)
    await until(lambda: ("a", early, True) in work)
    [controller] = other._controllers
    await stage.pass_time(6)
    await until(lambda: {name for who, name, _ in work if who == "b"} == of_b_names)
    assert ("b", early, True) in work
    await until(lambda: not controller._deleted_uids)
    work.clear()
    gone = sorted(of_b_names)[0]
    await stage.k.core_v1.config_maps("default").delete(gone)
    await until(lambda: work == [("b", gone, True)])  # only its owner, and it is gone
    work.clear()
    gate_open.append(sorted(of_b_names)[1])
    await stage.k.core_v1.config_maps("default").patch(gate_open[0], {"data": {"a": "b"}})
    await until(lambda: refused == gate_open)
    assert [who for who, _, _ in work] == ["b"]
    b._stopping.clear()
    for each in (manager, other):
        each.stop()
    for each in (running, running_b):
        await each.join()
    for sharding in (a, b):
        await sharding.stop()
    for factory in (factory_a, factory_b):
        await factory.shutdown()


async def test_daemons_and_timers_move_with_their_objects() -> None:
    stage = AsyncStage(20)
    alive: list[tuple[str, str]] = []
    refused: list[tuple[str, str]] = []

    def manage(identity: str, sharding: AsyncSharding) -> AsyncManager:
        k = stage.cluster.clientset(AsyncClientset)
        manager = AsyncManager(k, sharding=sharding, clock=stage.clock)

        async def reconcile(_context: AsyncContext[ConfigMap]) -> None: ...

        async def stand_by(daemon: AsyncDaemonContext[ConfigMap]) -> None:
            me = (identity, daemon.name)
            alive.append(me)
            try:
                await daemon.wait_for_stop()
                try:
                    await k.core_v1.config_maps("default").delete(daemon.name)
                except LeadershipLost:
                    refused.append(me)
            finally:
                alive.remove(me)

        controller = manager.controller("maps", reconcile).for_(ConfigMap)
        controller.daemon(
            stand_by,
            when=lambda each: each.metadata.namespace == "default" and each.metadata.name in names,
        ).timer(every=1e6)
        return manager

    names = stage.names
    a, _, factory_a = await stage.begin("a")
    manager_a = manage("a", a)
    running = [spawn(manager_a.run, "manager a")]
    await until(lambda: {*alive} == {("a", name) for name in names})
    b, of_b, factory_b = await stage.begin("b")
    of_b_names = stage.cached(of_b)
    manager_b = manage("b", b)
    running.append(spawn(manager_b.run, "manager b"))
    await until(lambda: len(b._held) >= len(of_b_names))
    assert {who for who, _ in alive} == {"a"}  # b does not own them yet
    await stage.pass_time(6)
    expected = {("b" if name in of_b_names else "a", name) for name in names}
    await until(lambda: {*alive} == expected and len(alive) == len(names))
    timers = next(iter(manager_a._controllers))._request_sources[1]
    assert {key.request.name for key in timers._beats} & names == names - of_b_names
    assert {*refused} == {("a", name) for name in of_b_names}
    for sharding in (a, b):
        await sharding.stop()
    for each in (manager_a, manager_b):
        each.stop()
    for task in running:
        await task.join()
    assert not alive
    for factory in (factory_a, factory_b):
        await factory.shutdown()
