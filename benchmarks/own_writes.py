"""Write, then read the cache: are reads ever behind the program's own writes?

    python -m benchmarks.own_writes                       # a million trials, an hour
    python -m benchmarks.own_writes --trials 10000 --off  # shows what caches are without it

Each trial writes an object and reads it from the caches of three informers: by key, by an index and
at times in a list. What watches and lists send is held for 0 to 10 seconds (of a FakeClock).
Meanwhile others write and delete the same objects, watches break and expire, lists fail, the server
forgets its history and restarts, and informers are stopped and started. It counts

- stale reads: what was read is older than the last own write of that object,
- live GETs: requests for single objects,
- lost foreign changes: what others wrote and a cache, or its handlers, do not have in the end,
- wrong notifications: an `old` that the handlers did not get as `new` before.
"""

# A transport is told how long it has.
# ruff: noqa: ASYNC109

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import time
from collections import Counter
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any

from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import Namespace

from clientgen.runtime import errors
from clientgen.runtime._async._primitives import Event, wait_until
from clientgen.runtime._http.resource import Resource
from clientgen.testing import FakeClock, FakeCluster

if TYPE_CHECKING:
    from clientgen.runtime._http.request import HttpRequest

CONFIG_MAPS = Resource("", "v1", "configmaps", "ConfigMap", namespaced=True)
NAMESPACES = ("a", "b", "c")
KEYS = [f"{namespace}/cm-{number}" for namespace in NAMESPACES for number in range(15)]
APPS = ("web", "db")
LONGEST = 10.0
CODES = (401, 403, 404, 410, 422, 429, 500, 502, 503, 504)

State = tuple[str, str] | None
"""The uid and the version of an object; None if there is none."""


class Network:
    """Holds back what the server tells to informers."""

    def __init__(self, inner: Any, clock: FakeClock, random: Random, counts: Counter[str]) -> None:
        self._inner, self._clock, self._random, self._counts = inner, clock, random, counts

    async def late(self, stopped: Event) -> None:
        delay = self._random.uniform(0, LONGEST)
        await wait_until(stopped, self._clock, self._clock.monotonic() + delay)

    async def send(self, request: HttpRequest, timeout: float | None) -> Any:
        answer = await self._inner.send(request, timeout)
        if request.method == "GET":
            is_list = request.target.partition("?")[0].endswith("/configmaps")
            self._counts["lists" if is_list else "live GETs"] += 1
            await self.late(Event())
        return answer

    async def stream(self, request: Any, timeout: float | None, read_timeout: float | None) -> Any:
        self._counts["watches"] += 1
        return LateStream(await self._inner.stream(request, timeout, read_timeout), self)

    async def aclose(self) -> None:
        await self._inner.aclose()


class LateStream:
    def __init__(self, inner: Any, network: Network) -> None:
        self.status, self.headers, self._inner, self._network = (
            inner.status,
            inner.headers,
            inner,
            network,
        )
        self._stopped = Event()

    async def read(self) -> bytes:
        chunk: bytes = await self._inner.read()
        if chunk:
            await self._network.late(self._stopped)
        return chunk

    def abort(self) -> None:
        self._stopped.set()
        self._inner.abort()

    async def aclose(self) -> None:
        await self._inner.aclose()


class Cache:
    """An informer, what its handlers know, and which objects it has to have."""

    def __init__(self, informer: Any, namespaces: tuple[str, ...], app: str, world: World) -> None:
        self.informer, self.namespaces, self.app, self._world = informer, namespaces, app, world
        self.known: dict[str, State] = {}
        informer.add_index("app", lambda obj: [obj.metadata.labels.get("app", "")])
        informer.add_handler(self._on_add, self._on_update, self._on_delete)

    def has(self, key: str) -> bool:
        return key.partition("/")[0] in self.namespaces

    def visible(self, state: State, app: str) -> State:
        return state if not self.app or app == self.app else None

    def read(self, key: str) -> set[State]:
        """Read an object in every way there is: by key, by an index, and at times in a list."""
        namespace, _, name = key.partition("/")
        try:
            obj = self.informer.lister.get(namespace, name)
        except errors.NotFound:
            obj = None
        found = {identity(obj)}
        indexer, app = self.informer.indexer, obj.metadata.labels["app"] if obj is not None else ""
        by_index = any(key in indexer.index_keys("app", each) for each in ((app,) if app else APPS))
        if by_index is not (obj is not None):
            found.add(("index", ""))
        if self._world.random.random() < 0.02:
            objects = self.informer.lister.in_namespace(namespace).list()
            same = [each for each in objects if each.metadata.name == name]
            found.add(identity(same[0] if same else None))
        return found

    def _on_add(self, obj: Any, _: bool) -> None:
        self._hear(obj, None)

    def _on_update(self, old: Any, new: Any) -> None:
        self._hear(new, old)

    def _on_delete(self, obj: Any) -> None:
        key = f"{obj.metadata.namespace}/{obj.metadata.name}"
        self._world.counts["wrong notifications"] += key not in self.known
        self.known.pop(key, None)

    def _hear(self, obj: Any, old: Any) -> None:
        key = f"{obj.metadata.namespace}/{obj.metadata.name}"
        self._world.counts["notifications"] += 1
        self._world.counts["wrong notifications"] += self.known.get(key) != identity(old)
        self.known[key] = identity(obj)


def identity(obj: Any) -> State:
    return None if obj is None else (obj.metadata.uid, obj.metadata.resource_version)


class World:
    def __init__(self, seed: int, *, own_writes: bool) -> None:
        self.random = Random(seed)
        self.own_writes = own_writes
        self.clock = FakeClock()
        self.counts: Counter[str] = Counter()
        namespaces = [Namespace(metadata={"name": name}) for name in NAMESPACES]
        self.cluster = FakeCluster(*namespaces, clock=self.clock, seed=seed, history_events=5000)
        self.other = self.cluster.clientset(Clientset)
        self.k = self.cluster.clientset(AsyncClientset)
        rest: Any = self.k.rest
        rest._transport = Network(rest._transport, self.clock, self.random, self.counts)
        self.truth: dict[str, tuple[State, str]] = dict.fromkeys(KEYS, (None, ""))
        # What may be read: the last own write, and everything after it.
        self.allowed: dict[str, list[tuple[State, str]]] = {key: [(None, "")] for key in KEYS}
        self.caches: list[Cache] = []
        self.factories: list[Any] = []

    # ---- informers ----------------------------------------------------------------------------

    async def start(self) -> None:
        options: dict[str, Any] = {"clock": self.clock, "own_writes": self.own_writes}
        everything = self.k.informers(**options)
        some = self.k.informers(**options, namespace=["a", "b"])
        web = self.k.informers(**options, label_selector="app=web")
        self.factories = [everything, some, web]
        self.caches = [
            Cache(everything.metadata(CONFIG_MAPS), NAMESPACES, "", self),
            Cache(some.unstructured(CONFIG_MAPS), ("a", "b"), "", self),
            Cache(web.core_v1.config_maps(), NAMESPACES, "web", self),
        ]
        for each in self.factories:
            each.start()
        while not all(each.informer.has_synced() for each in self.caches):
            await self.pass_time(1.0)

    async def stop(self) -> None:
        for each in self.factories:
            await each.shutdown()

    async def pass_time(self, seconds: float, turns: int = 4) -> None:
        self.clock.step(seconds)
        for _ in range(turns):
            await asyncio.sleep(0)

    # ---- writes -------------------------------------------------------------------------------

    def body(self, key: str) -> Any:
        namespace, _, name = key.partition("/")
        app = self.random.choice(("web", *APPS))
        return {
            "metadata": {"name": name, "namespace": namespace, "labels": {"app": app}},
            "data": {"value": str(self.random.random())},
        }

    async def write(self, key: str) -> None:
        namespace, _, name = key.partition("/")
        client, body = self.k.core_v1.config_maps(namespace), self.body(key)
        if self.truth[key][0] is None:
            obj = await (client.create if self.random.random() < 0.7 else client.apply)(body)
        else:
            match self.random.randrange(5):
                case 0 | 1:
                    await client.delete(name)
                    obj = None
                case 2:
                    labels = body["metadata"]["labels"]
                    obj = await client.patch(name, {"metadata": {"labels": labels}})
                case 3:
                    obj = await client.update(body)
                case _:
                    obj = await client.patch(name, {"data": body["data"]})
        self.truth[key] = (identity(obj), obj.metadata.labels.get("app", "") if obj else "")
        self.allowed[key] = [self.truth[key]]

    def write_as_another(self) -> None:
        key = self.random.choice(KEYS)
        namespace, _, name = key.partition("/")
        client, body = self.other.core_v1.config_maps(namespace), self.body(key)
        obj: Any = None
        if self.truth[key][0] is None:
            obj = client.create(body)
        elif self.random.random() < 0.3:
            client.delete(name)
            self.truth[key] = (None, "")
            self.allowed[key].append(self.truth[key])
            if self.random.random() < 0.5:  # and made again at once
                obj = client.create(body)
        else:
            obj = client.update(body)
        if obj is not None:
            self.truth[key] = (identity(obj), obj.metadata.labels["app"])
            self.allowed[key].append(self.truth[key])
        self.counts["foreign writes"] += 1

    # ---- what goes wrong ----------------------------------------------------------------------

    def fault(self) -> None:
        self.counts["faults"] += 1
        cluster, random = self.cluster, self.random
        verb = random.choice(("watch", "list"))
        random.choice(
            (
                cluster.drop_watches,
                cluster.end_watches,
                lambda: cluster.end_watches(expired=True),
                lambda: (cluster.compact(), cluster.drop_watches()),
                cluster.restart,
                lambda: cluster.cut(verb, "configmaps", after=random),
                lambda: cluster.delay(random.uniform(0, 9), verb, "configmaps"),
                lambda: (
                    cluster.fail("watch", "configmaps", 422),  # so that it has to list
                    cluster.fail(verb, "configmaps", random.choice(CODES)),
                    cluster.end_watches(expired=True),
                ),
            )
        )()

    # ---- what has to hold ---------------------------------------------------------------------

    def check(self, key: str) -> None:
        for cache in self.caches:
            if not cache.has(key):
                continue
            allowed = {cache.visible(state, app) for state, app in self.allowed[key]}
            self.counts["reads"] += 1
            self.counts["stale reads"] += not cache.read(key) <= allowed

    async def settle(self) -> None:
        """Let everything arrive; then caches and handlers know what there is."""
        self.cluster.clear_reactions()
        for _ in range(3000):
            await self.pass_time(1.0, turns=10)
            if not self._missing():
                break
        self.counts["lost foreign changes"] += self._missing()
        for _ in range(200):
            if not any(len(cache.informer._store) for cache in self.caches):
                break
            await self.pass_time(5.0, turns=10)
        self.counts["entries left"] += sum(len(cache.informer._store) for cache in self.caches)
        self.cluster.clear_actions()

    def _missing(self) -> int:
        missing = 0
        for cache in self.caches:
            wanted = {
                key: cache.visible(*truth)
                for key, truth in self.truth.items()
                if cache.has(key) and cache.visible(*truth)
            }
            objects = cache.informer.lister.list()
            has = {
                f"{obj.metadata.namespace}/{obj.metadata.name}": identity(obj) for obj in objects
            }
            missing += len(has.items() ^ wanted.items()) + len(cache.known.items() ^ wanted.items())
        return missing

    async def run(self, trials: int) -> None:
        random = self.random
        await self.start()
        began = time.monotonic()
        for number in range(1, trials + 1):
            key = random.choice(KEYS)
            await self.write(key)
            self.check(key)
            self.check(random.choice(KEYS))
            if random.random() < 0.3:
                self.write_as_another()
            if random.random() < 0.005:
                self.fault()
            if random.random() < 0.2:
                await self.pass_time(random.uniform(0, 2))
                self.check(random.choice(KEYS))
            if number % 5000 == 0:
                await self.settle()
            if number % 20000 == 0:
                await self.stop()
                await self.start()
                self.counts["restarts of informers"] += 3
            if number % 10000 == 0:
                seconds = time.monotonic() - began
                print(f"{number} trials in {seconds:.0f} s: {dict(self.counts)}", file=sys.stderr)
        await self.settle()
        await self.stop()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--off", action="store_true", help="caches that only follow the watch")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    world = World(arguments.seed, own_writes=not arguments.off)
    began, cpu = time.monotonic(), time.process_time()
    with suppress(KeyboardInterrupt):
        asyncio.run(world.run(arguments.trials))
    print(f"trials: {arguments.trials}, own writes {'off' if arguments.off else 'on'}")
    for name in (
        "stale reads",
        "live GETs",
        "lost foreign changes",
        "wrong notifications",
        "entries left",
    ):
        world.counts[name] += 0
    for name, count in sorted(world.counts.items()):
        print(f"{name}: {count:,}")
    print(f"{time.monotonic() - began:.0f} s, {time.process_time() - cpu:.0f} CPU s")
    bad = (
        "stale reads",
        "live GETs",
        "lost foreign changes",
        "wrong notifications",
        "entries left",
    )
    sys.exit(1 if any(world.counts[name] for name in bad) else 0)


if __name__ == "__main__":
    main()
