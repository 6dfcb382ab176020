"""Write, then read the cache: are reads ever behind the program's own writes?

    python -m benchmarks.own_writes                       # a million trials, an hour
    python -m benchmarks.own_writes --trials 10000 --off  # shows what caches are without it

Each trial writes an object and reads it from the caches of three informers: by key, by an index and
at times in a list. What watches and lists send is held for 0 to 10 seconds (of a FakeClock).
Half of the writes overlap: two or three calls for one object, each of which is held for 0 to 10
seconds before the server gets it, and again before the program gets the answer.
Meanwhile others write and delete the same objects, watches break and expire, lists fail, the server
forgets its history and restarts, and informers are stopped and started. It counts

- stale reads: what was read is older than the last own write of that object that was answered,
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
from contextvars import ContextVar
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec
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


class Call:
    """A write: whether it is held back, and what the server did."""

    def __init__(self, key: str, *, is_late: bool = False) -> None:
        self.key, self.is_late = key, is_late
        self.is_delete, self.uid = False, ""
        self.began = self.ended = 0  # how many calls had been answered by then
        self.index = -1
        """The place of its state in the history of the object; -1 if the server refused."""
        self.unseen_by: set[int] = set()
        """The caches that had never seen the object when its deletion was answered."""

    def may_be_older(self, other: Call, cache: int) -> bool:
        """Return whether nothing says which of two calls, which overlapped, the server did first.

        An answer to a deletion has no version. If the cache never saw the object, and another one
        of the name was written meanwhile, the deleted one is taken for the earlier one.
        """
        is_other = not other.is_delete and other.uid != self.uid and other.index < self.index
        overlaps = self.began < other.ended and other.began < self.ended
        return self.is_delete and is_other and overlaps and cache in self.unseen_by


under_way: ContextVar[Call] = ContextVar("under_way")


class Network:
    """Holds back what the server tells to informers, and writes that overlap."""

    def __init__(self, inner: Any, world: World) -> None:
        self._inner, self._world = inner, world
        self._clock, self._random, self._counts = world.clock, world.random, world.counts

    async def late(self, stopped: Event) -> None:
        delay = self._random.uniform(0, LONGEST)
        await wait_until(stopped, self._clock, self._clock.monotonic() + delay)

    async def send(self, request: HttpRequest, timeout: float | None) -> Any:
        if request.method != "GET":
            return await self._write(request, timeout)
        answer = await self._inner.send(request, timeout)
        is_list = request.target.partition("?")[0].endswith("/configmaps")
        self._counts["lists" if is_list else "live GETs"] += 1
        await self.late(Event())
        return answer

    async def _write(self, request: HttpRequest, timeout: float | None) -> Any:
        call = under_way.get()
        if call.is_late:
            await self.late(Event())
        answer = await self._inner.send(request, timeout)
        self._world.acted(call, request, answer)  # the server does one request after the other
        if call.is_late:
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
        self.heard: set[str] = set()
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
        self.heard.add(obj.metadata.uid)
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
        connections = self.k.rest.chain.connections
        connections.transport = Network(connections.transport, self)
        # What may be read is the last own write that was answered, and everything after it.
        self.history: dict[str, list[tuple[State, str]]] = {key: [(None, "")] for key in KEYS}
        self.answered: dict[str, list[Call]] = {key: [] for key in KEYS}
        self.answers = 0
        self.busy: dict[str, set[asyncio.Task[None]]] = {}
        self.trials = 0
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

    def is_there(self, key: str) -> bool:
        return self.history[key][-1][0] is not None

    async def write(self, key: str) -> None:
        """Write an object, and wait for the answer."""
        random = self.random
        if not self.is_there(key):
            verb = "create" if random.random() < 0.7 else "apply"
        else:
            verb = random.choice(("delete", "delete", "patch labels", "update", "patch"))
        await self.do(Call(key), verb)
        [call] = self.answered[key] = self.answered[key][-1:]  # nothing is under way
        self.history[key], call.index = self.history[key][call.index :], 0

    async def do(self, call: Call, verb: str) -> None:
        under_way.set(call)
        call.began = self.answers
        namespace, _, name = call.key.partition("/")
        client, body = self.k.core_v1.config_maps(namespace), self.body(call.key)
        match verb:
            case "delete":
                await client.delete(name)
            case "patch labels":
                await client.patch(name, {"metadata": {"labels": body["metadata"]["labels"]}})
            case "patch":
                await client.patch(name, {"data": body["data"]})
            case "create":
                await client.create(body)
            case "update":
                await client.update(body)
            case _:
                await client.apply(body, force=True)
        for number, cache in enumerate(self.caches):
            if call.uid in cache.heard:
                continue
            if call.is_delete:
                call.unseen_by.add(number)
            else:
                cache.heard.add(call.uid)
        self.answers += 1
        call.ended = self.answers
        self.answered[call.key].append(call)

    def acted(self, call: Call, request: HttpRequest, answer: Any) -> None:
        """Note what the server did."""
        if answer.status >= 300:
            return
        state: tuple[State, str] = (None, "")
        if request.method != "DELETE":
            metadata = msgspec.json.decode(answer.body)["metadata"]
            app = metadata.get("labels", {}).get("app", "")
            state = ((metadata["uid"], metadata["resourceVersion"]), app)
            call.uid = metadata["uid"]
        else:
            call.is_delete = True
            call.uid = msgspec.json.decode(answer.body)["details"]["uid"]
        history = self.history[call.key]
        if state != history[-1]:  # it may have changed nothing
            history.append(state)
        call.index = len(history) - 1

    def overlap(self, key: str) -> None:
        """Begin two or three writes of one object, which the server gets in any order."""
        tasks = self.busy[key] = set()
        for _ in range(self.random.randint(2, 3)):
            task = asyncio.create_task(self.write_late(key))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    async def write_late(self, key: str) -> None:
        verbs = ("create", "create", "apply", "update", "patch", "patch labels", "delete", "delete")
        try:
            await self.do(Call(key, is_late=True), self.random.choice(verbs))
            self.counts["overlapping writes"] += 1
        except (errors.NotFound, errors.AlreadyExists, errors.Conflict):
            self.counts["overlapping writes that were refused"] += 1
        self.trials += 1
        self.check(key)

    def write_as_another(self) -> None:
        key = self.random.choice(KEYS)
        namespace, _, name = key.partition("/")
        client, body = self.other.core_v1.config_maps(namespace), self.body(key)
        obj: Any = None
        if not self.is_there(key):
            obj = client.create(body)
        elif self.random.random() < 0.3:
            client.delete(name)
            self.history[key].append((None, ""))
            if self.random.random() < 0.5:  # and made again at once
                obj = client.create(body)
        else:
            obj = client.update(body)
        if obj is not None:
            self.history[key].append((identity(obj), obj.metadata.labels["app"]))
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
        calls = self.answered[key]
        for number, cache in enumerate(self.caches):
            if not cache.has(key):
                continue
            found = cache.read(key)
            sure = [
                call.index
                for call in calls
                if not any(call.may_be_older(other, number) for other in calls)
            ]
            self.counts["reads"] += 1
            if not found <= self.allowed(cache, key, max(sure, default=0)):
                self.counts["stale reads"] += 1
            elif not found <= self.allowed(cache, key, max((c.index for c in calls), default=0)):
                self.counts["reads after calls of unknown order"] += 1

    def allowed(self, cache: Cache, key: str, first: int) -> set[State]:
        return {cache.visible(state, app) for state, app in self.history[key][first:]}

    async def settle(self) -> None:
        """Let everything arrive; then caches and handlers know what there is."""
        self.cluster.clear_reactions()
        while any(self.busy.values()):
            await self.pass_time(1.0)
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
        for cache in self.caches:
            cache.heard = {state[0] for state in cache.known.values() if state}

    def _missing(self) -> int:
        missing = 0
        for cache in self.caches:
            wanted = {
                key: cache.visible(*truth)
                for key, (*_, truth) in self.history.items()
                if cache.has(key) and cache.visible(*truth)
            }
            objects = cache.informer.lister.list()
            has = {
                f"{obj.metadata.namespace}/{obj.metadata.name}": identity(obj) for obj in objects
            }
            missing += len(has.items() ^ wanted.items()) + len(cache.known.items() ^ wanted.items())
        return missing

    async def run(self, trials: int) -> None:
        await self.start()
        began, rounds = time.monotonic(), 0
        while self.trials < trials:
            await self.round()
            rounds += 1
            if rounds % 20000 == 0:
                await self.settle()
                await self.stop()
                await self.start()
                self.counts["restarts of informers"] += 3
            if rounds % 5000 == 0:
                await self.settle()
                seconds = time.monotonic() - began
                report = f"{self.trials} trials in {seconds:.0f} s: {dict(self.counts)}"
                print(report, file=sys.stderr, flush=True)
        await self.settle()
        await self.stop()

    async def round(self) -> None:
        random = self.random
        key = random.choice(KEYS)
        if not self.busy.get(key):
            if random.random() < 0.3:
                self.overlap(key)
            else:
                await self.write(key)
                self.trials += 1
            self.check(key)
        self.check(random.choice(KEYS))
        if random.random() < 0.3:
            self.write_as_another()
        if random.random() < 0.005:
            self.fault()
        if random.random() < 0.2:
            await self.pass_time(random.uniform(0, 2))
            self.check(random.choice(KEYS))


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
    print(f"trials: {world.trials:,}, own writes {'off' if arguments.off else 'on'}")
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
