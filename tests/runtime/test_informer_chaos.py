"""Informers while everything goes wrong; `test_informer_chaos_threads` does the same on threads.

CLIENTGEN_CHAOS_WRITES sets how many writes there are, CLIENTGEN_CHAOS_SEED which ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import ConfigMap, ConfigMapList
from support.informers import CONFIG_MAPS, History, config, tasks, threads, value_of

from clientgen.runtime import errors
from clientgen.runtime._async._primitives import sleep
from clientgen.runtime.aio import AsyncSharedInformer
from clientgen.runtime.models import (
    PartialObjectMetadata,
    PartialObjectMetadataList,
    Unstructured,
    UnstructuredList,
)
from clientgen.testing import FakeClock, FakeCluster
from clientgen.testing._fake.reactors import Pattern

WRITES = int(os.environ.get("CLIENTGEN_CHAOS_WRITES", "2000"))
SEEDS = (
    [int(os.environ["CLIENTGEN_CHAOS_SEED"])] if "CLIENTGEN_CHAOS_SEED" in os.environ else [1, 2]
)
MODELS = (ConfigMap, ConfigMapList)
OTHERS = [(Unstructured, UnstructuredList), (PartialObjectMetadata, PartialObjectMetadataList)]
CASES = [
    *((seed, MODELS) for seed in SEEDS),
    *((seed, classes) for seed, classes in zip(SEEDS * 2, OTHERS, strict=False)),
]
NAMESPACES = ("a", "b", "c")
CODES = (401, 403, 404, 410, 422, 429, 500, 502, 503, 504)


class Chaos:
    """Writes at random, and breaks what there is to break."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.clock = FakeClock()
        self.cluster = FakeCluster(clock=self.clock, seed=seed, history_events=200)
        self.writer = FakeWriter(self.cluster)
        self.faults = 0

    def config(self, number: int) -> ConfigMap:
        namespace, name = self.random.choice(NAMESPACES), f"cm-{self.random.randrange(25)}"
        made = config(name, str(number), namespace, app=self.random.choice(("web", "db")))
        made.metadata.annotations["value"] = str(number)
        return made

    async def write(self, number: int) -> None:
        obj = self.config(number)
        if self.random.random() < 0.3:
            await self.writer.delete(obj)
        else:
            self.cluster.add(obj)

    def fault(self) -> None:
        self.faults += 1
        self.random.choice(
            (
                self.cluster.drop_watches,
                self.cluster.end_watches,
                lambda: self.cluster.end_watches(expired=True),
                self.cluster.compact,
                self.cluster.restart,
                self._cut,
                self._fail,
                self._lose,
                self._delay,
                lambda: self.cluster.duplicate_events(times=self.random.randrange(1, 5)),
            )
        )()

    def _verb(self) -> str:
        return self.random.choice(("watch", "list"))

    def _cut(self) -> None:
        self.cluster.cut(self._verb(), "configmaps", after=self.random)
        self.cluster.drop_watches()

    def _fail(self) -> None:
        self.cluster.fail(
            self._verb(),
            "configmaps",
            self.random.choice(CODES),
            times=self.random.randrange(1, 4),
            retry_after=self.random.choice((None, 0, 1, 5)),
        )
        self.cluster.drop_watches()

    def _lose(self) -> None:
        self.cluster.fail(self._verb(), "configmaps", errors.ConnectionLost, times=2)
        self.cluster.end_watches()

    def _delay(self) -> None:
        self.cluster.delay(self.random.uniform(0, 9), self._verb(), "configmaps")
        self.cluster.drop_watches()

    def requests(self) -> list[str]:
        """What informers asked for."""
        return [each.verb for each in self.cluster.actions if each.verb in {"list", "watch"}]


class FakeWriter:
    """Deletes what may not be there."""

    def __init__(self, cluster: FakeCluster) -> None:
        self.k = cluster.clientset(AsyncClientset)

    async def delete(self, obj: ConfigMap) -> None:
        with suppress(errors.NotFound):
            await self.k.core_v1.config_maps(obj.metadata.namespace).delete(obj.metadata.name)

    async def state(self, namespaces: tuple[str, ...], selector: str) -> dict[str, str]:
        """What the server has: versions by key."""
        listed = await self.k.core_v1.config_maps().list(label_selector=selector)
        return versions([each for each in listed.items if each.metadata.namespace in namespaces])


def versions(objects: list[ConfigMap]) -> dict[str, str]:
    return {
        f"{each.metadata.namespace}/{each.metadata.name}": each.metadata.resource_version
        for each in objects
    }


class Watched:
    """An informer, and handlers of all kinds."""

    def __init__(
        self,
        chaos: Chaos,
        classes: Any,
        namespaces: tuple[str, ...] | None = None,
        selector: str = "",
    ) -> None:
        self.namespaces = namespaces or NAMESPACES
        self.selector = selector
        self.histories = [History() for _ in range(3)]
        self.informer = AsyncSharedInformer(
            chaos.cluster.clientset(AsyncClientset).rest,
            CONFIG_MAPS,
            *classes,
            namespace=namespaces,
            label_selector=selector or None,
            clock=chaos.clock,
        )
        quick, slow, picky = self.histories
        self.informer.add_handler(**quick.handlers, resync_period=30)
        self._add_slow(slow)
        self.informer.add_handler(**picky.handlers, filter=even)
        self.informer.add_handler(on_add=fail, on_update=fail, on_delete=fail)

    def _add_slow(self, history: History) -> None:
        async def on_add(obj: ConfigMap, is_initial: bool) -> None:
            await sleep(0.0002)
            history.on_add(obj, is_initial)

        async def on_update(old: ConfigMap, new: ConfigMap) -> None:
            await sleep(0.0002)
            history.on_update(old, new)

        self.informer.add_handler(on_add, on_update, history.on_delete)

    async def is_settled(self, writer: FakeWriter) -> bool:
        wanted = await writer.state(self.namespaces, self.selector)
        return versions(self.informer.lister.list()) == wanted

    def has_told(self) -> bool:
        objects = self.informer.lister.list()
        everything, some = versions(objects), versions([each for each in objects if even(each)])
        quick, slow, picky = (versions([*each.known.values()]) for each in self.histories)
        return quick == slow == everything and picky == some


def even(obj: ConfigMap) -> bool:
    return int(value_of(obj)) % 2 == 0


def fail(*objects: Any) -> None:
    raise LookupError("as so often")


async def until_stepped(clock: FakeClock, condition: Callable[[], Any]) -> None:
    for _ in range(3000):
        if condition():
            return
        clock.step(0.5)
        await sleep(0.003)
    pytest.fail("it does not settle")


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "classes"), CASES)
async def test_after_all_that_every_cache_is_what_the_server_has(seed, classes, caplog):
    caplog.set_level("CRITICAL", "clientgen.runtime.informers")
    chaos = Chaos(seed)

    def refuse(action: Any) -> Any:
        """A part of the informers cannot stream what there is."""
        is_old = "labelSelector" in action.options and "sendInitialEvents" in action.options
        return errors.Invalid if is_old else None

    chaos.cluster.react("watch", "configmaps", refuse)
    watched = [
        Watched(chaos, classes),
        Watched(chaos, classes, ("a", "b")),
        Watched(chaos, classes, selector="app=web"),
    ]
    for each in watched:
        each.informer.start()
    for number in range(WRITES):
        await chaos.write(number)
        if chaos.random.random() < 0.05:
            chaos.fault()
        if number % 4 == 0:
            chaos.clock.step(chaos.random.uniform(0, 1))
            await sleep(0.0005)
    chaos.cluster.clear_reactions()
    for each in watched:
        for _ in range(3000):
            if await each.is_settled(chaos.writer):
                break
            chaos.clock.step(0.5)
            await sleep(0.003)
        assert await each.is_settled(chaos.writer)
        await until_stepped(chaos.clock, each.has_told)
        assert [history.nonsense for history in each.histories] == [[], [], []]
        assert each.informer.handler_errors > 0
    # There are four reflectors, which wait longer and longer.
    assert len(chaos.requests()) < 4 * chaos.faults + 100
    for each in watched:
        await each.informer.stop()
    assert not tasks()
    assert not threads()
    assert not chaos.cluster.dispatcher.streams(Pattern())
