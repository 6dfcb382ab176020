"""Informers whose shard, namespaces and server change at random, while objects are written.

In the end, the cache has the objects of the server that are in the shard and the namespaces, and
handlers know them. Threads: derived.
"""

# The test changes the shard and the namespaces as sharding and managers do.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, Namespace
from kubeapi.meta.v1 import ObjectMeta
from support.informers import CONFIG_MAPS

from clientgen.runtime._async._primitives import sleep
from clientgen.runtime._async.live_namespaces import AsyncLiveNamespaces
from clientgen.runtime._http.shard_ranges import HASH_SPACE, ShardRanges
from clientgen.runtime.aio import AsyncSharedInformer
from clientgen.runtime.models import PartialObjectMetadata
from clientgen.runtime.views import View
from clientgen.testing import FakeClock, FakeCluster

pytestmark = pytest.mark.usefixtures("no_task_is_left")

NAMESPACES = ("bank", "ops", "shop")
NAMES = tuple(f"map-{number}" for number in range(6))
PARTS = 8


class Settings(View[ConfigMap]):
    data: dict[str, str]


class AsyncMovingShard:
    """The part of a sharding that an informer uses."""

    def __init__(self) -> None:
        self.ranges: ShardRanges | None = None
        self.readers: list[Any] = []

    def _join(self, reader: Any) -> None:
        self.readers.append(reader)
        reader._read_shard(self.ranges)

    def _leave(self, reader: Any) -> None:
        self.readers.remove(reader)

    def _read_needed(self, ranges: ShardRanges) -> None:
        self.ranges = ranges
        for each in self.readers:
            each._read_shard(ranges)


class AsyncAttack:
    """A cluster, an informer, and what happens to them."""

    def __init__(self, seed: int, model: type[Any], **options: Any) -> None:
        self.random = Random(seed)
        self.clock = FakeClock()
        places = [Namespace(metadata=ObjectMeta(name=name)) for name in NAMESPACES]
        self.cluster = FakeCluster(*places, clock=self.clock, seed=seed, record=False)
        self.k = self.cluster.clientset(AsyncClientset)
        self.other = self.cluster.clientset(AsyncClientset)
        self.shard = AsyncMovingShard()
        self.live = AsyncLiveNamespaces()
        self.informer: AsyncSharedInformer[Any] = AsyncSharedInformer(
            self.k,
            CONFIG_MAPS,
            model,
            self.k.scheme.list_model(model),
            namespace=self.live,
            shard_selector=self.shard,
            clock=self.clock,
            **options,
        )
        self.known: dict[str, str] = {}
        self.informer.add_handler(
            on_add=lambda obj, _: self.note(obj),
            on_update=lambda _, obj: self.note(obj),
            on_delete=lambda obj: self.known.pop(key_of(obj), None),
            on_delete_unknown=lambda gone: self.known.pop(gone.key, None),
        )
        # What has been the same since all was quiet: the hashes and the namespaces.
        self.lasting_ranges: ShardRanges | None = None
        self.lasting_namespaces: set[str] = set()
        self.log: list[str] = []

    def note(self, obj: Any) -> None:
        self.known[key_of(obj)] = obj.metadata.uid

    # ---- what happens ---------------------------------------------------------------------------

    async def act(self) -> None:
        kinds = [self.write, self.write, self.write, self.recreate, self.move, self.change_place]
        kinds += [self.break_server] if self.random.random() < 0.2 else []
        await self.random.choice(kinds)()
        for _ in range(self.random.choice((0, 0, 1, 5, 40))):
            await sleep(0)

    async def write(self) -> None:
        k = self.random.choice((self.k, self.k, self.other))
        maps = k.core_v1.config_maps(self.random.choice(NAMESPACES))
        name = self.random.choice(NAMES)
        exists = any(each.metadata.name == name for each in await maps.list())
        if not exists:
            written: Any = await maps.create({"metadata": {"name": name}})
        elif self.random.random() < 0.6:
            written = await maps.patch(name, {"data": {"number": str(self.random.random())}})
        else:
            written = None
            await maps.delete(name)
        key = f"{maps._namespace}/{name}"
        self.log.append(
            f"{'own' if k is self.k else 'other'} {key}: {written and written.metadata.uid}"
        )
        if k is self.k:
            self.check_own_write(key, written)

    async def recreate(self) -> None:
        maps = self.k.core_v1.config_maps(self.random.choice(NAMESPACES))
        for each in (await maps.list()).items[:1]:
            name = each.metadata.name
            await maps.delete(name)
            written = await maps.create({"metadata": {"name": name}})
            key = f"{maps._namespace}/{name}"
            self.log.append(f"recreated {key}: {each.metadata.uid} {written.metadata.uid}")
            self.check_own_write(key, written)

    def check_own_write(self, key: str, written: Any) -> None:
        """Readers of the cache see an own write at once."""
        namespace = key.partition("/")[0]
        if not self.informer.has_synced() or not self.informer._has_listed(namespace):
            return
        if namespace not in self.live.names:
            return
        cached = self.informer.indexer.get(key)
        if written is None:
            assert cached is None, (key, self.log)
        elif self.has(written):
            assert cached is not None, (key, self.log)
            versions = [int(each.metadata.resource_version) for each in (cached, written)]
            assert versions[0] >= versions[1], (key, self.log)
        else:
            assert cached is None, (key, self.log)

    async def move(self) -> None:
        """Read another shard: narrower, wider, or both."""
        width = HASH_SPACE // PARTS
        parts = self.random.sample(range(PARTS), self.random.randint(0, PARTS))
        ranges = ShardRanges([(part * width, (part + 1) * width) for part in parts])
        before = self.shard.ranges
        if before is not None and self.random.random() < 0.5:
            ranges = ranges.intersection(before)
        self.log.append(f"shard {sorted(parts)}")
        self.read(ranges)

    def read(self, ranges: ShardRanges) -> None:
        self.shard._read_needed(ranges)
        if self.lasting_ranges is not None:
            self.lasting_ranges = self.lasting_ranges.intersection(ranges)

    async def change_place(self) -> None:
        """Watch one more namespace, or one less."""
        name = self.random.choice(NAMESPACES)
        self.log.append(f"namespace {name}")
        if not self.live.is_known:
            self.live.replace([name])
        elif name in self.live.names:
            self.live.remove(name)
            self.lasting_namespaces.discard(name)
        else:
            self.live.add(name)

    async def break_server(self) -> None:
        """Restart the server, perhaps with the feature gate switched over."""
        gate = self.random.random() < 0.5
        self.log.append(f"restart, gate {gate}")
        self.cluster.server.cluster.feature_gates = {"ShardedListAndWatch": gate}
        self.cluster.restart()

    # ---- what must hold -------------------------------------------------------------------------

    def has(self, obj: Any) -> bool:
        ranges = self.shard.ranges
        return ranges is not None and ranges.has(obj.metadata)

    async def check(self) -> None:
        """Wait until the cache is what it should be, and handlers know it."""
        if not self.live.is_known:
            self.live.replace(NAMESPACES[:2])
        if self.shard.ranges is None:
            await self.move()
        listed = [*await self.other.core_v1.config_maps().list()]
        expected = {
            key_of(each): (each.metadata.uid, each.metadata.resource_version)
            for each in listed
            if self.has(each) and each.metadata.namespace in self.live.names
        }
        await until(self.clock, lambda: self.state() == expected, self.describe(expected))
        uids = {key: uid for key, (uid, _) in expected.items()}
        await until(
            self.clock,
            lambda: {key: self.known.get(key) for key in uids} == uids and not self.forgotten(uids),
            lambda: ("handlers", uids, self.known, self.forgotten(uids), self.log),
        )
        assert all(self.informer._has_read_uid(uid) for uid in uids.values()), self.log
        for key in self.known.keys() - uids.keys():  # it left the shard, or its namespace
            del self.known[key]
        self.lasting_ranges = self.shard.ranges
        self.lasting_namespaces = {*self.live.names}
        self.log.clear()

    def describe(self, expected: object) -> Callable[[], object]:
        return lambda: (expected, self.state(), self.informer.sync_status, self.log)

    def state(self) -> object:
        if not self.informer.has_synced() or self.informer._read_ranges != self.shard.ranges:
            return None
        return {
            key_of(each): (each.metadata.uid, each.metadata.resource_version)
            for each in self.informer.indexer.list()
        }

    def forgotten(self, uids: dict[str, str]) -> list[str]:
        """Return what handlers were not told to be deleted, though it never left the shard."""
        lasting = self.lasting_ranges
        return [
            key
            for key, uid in [*self.known.items()]
            if key.partition("/")[0] in self.lasting_namespaces
            and lasting is not None
            and lasting.has_value(uid)
            and uids.get(key) != uid
        ]


def key_of(obj: Any) -> str:
    return f"{obj.metadata.namespace}/{obj.metadata.name}"


async def until(
    clock: FakeClock, holds: Callable[[], bool], describe: Callable[[], object]
) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline, describe()
        clock.step(0.5)
        await sleep(0.001)


WHOLE = ShardRanges([(0, HASH_SPACE)])
LOW = ShardRanges([(0, HASH_SPACE // 2)])


async def test_namespaces_may_be_known_before_the_shard() -> None:
    attack = AsyncAttack(1, ConfigMap)
    for name in NAMES:
        await attack.other.core_v1.config_maps("shop").create({"metadata": {"name": name}})
    attack.live.replace(["ops", "shop"])
    attack.live.remove("ops")
    attack.informer.start()
    attack.read(LOW)
    attack.live.add("ops")
    await attack.check()
    assert 0 < len(attack.informer.indexer.list()) < len(NAMES)
    await attack.informer.stop()


async def test_a_namespace_that_left_before_it_was_read_is_not_waited_for() -> None:
    attack = AsyncAttack(1, ConfigMap)
    written = await attack.other.core_v1.config_maps("shop").create({"metadata": {"name": "a"}})
    attack.live.replace(["shop"])
    attack.read(WHOLE)
    attack.informer.start()
    await attack.check()
    attack.live.add("ops")
    attack.live.remove("ops")
    assert attack.informer._has_read_uid(written.metadata.uid)  # or its deletion would be dropped
    await attack.informer.stop()


async def test_what_another_replica_had_is_listed_in_its_latest_state() -> None:
    attack = AsyncAttack(1, ConfigMap, own_writes=False)
    attack.live.replace(["shop"])
    attack.read(WHOLE)
    attack.read(LOW)  # smaller, before anything was read
    needs = [each.needs_latest() for each in attack.informer._sinks.values()]
    assert needs == [True]
    attack.informer.start()
    await attack.check()
    assert [each.needs_latest() for each in attack.informer._sinks.values()] == [False]
    await attack.informer.stop()


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (ConfigMap, {}),
        (ConfigMap, {"storage": "compressed"}),
        (Settings, {}),
        (PartialObjectMetadata, {}),
    ],
    ids=["full", "compressed", "view", "metadata"],
)
async def test_the_cache_is_the_shard_in_the_end(
    model: type[Any], options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    for seed in range(5):
        attack = AsyncAttack(seed, model, **options)
        attack.informer.start()
        try:
            for _ in range(6):
                for _ in range(12):
                    await attack.act()
                await attack.check()
        finally:
            await attack.informer.stop()
