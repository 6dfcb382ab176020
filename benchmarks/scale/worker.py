"""The process that is measured: an informer in one form and one flavour.

::

    python -m benchmarks.scale.worker KUBECONFIG CONTROL NAMESPACE FORM FLAVOUR COUNT EVENTS

It prints the figures as JSON. `pause_ms` is the longest time for which the event loop did not
run, or with threads the longest time for which another thread could not read the cache, while the
cache was filled.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

from kubeapi import AsyncClientset, Clientset

from benchmarks.scale.forms import FACTORY_OPTIONS, FORMS, read
from benchmarks.workers.meter import Meter, settled_kib

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

_READ_SECONDS = 1.0
_SYNC_SECONDS = 900.0
_TICK_SECONDS = 0.001
_KEYS = 1_000
_WARM_UP = "pods-10"


@dataclass
class Task:
    """What is measured."""

    config: str
    control: str
    namespace: str
    form: str
    count: int
    events: int


@dataclass
class Follower:
    """A handler that notes how late changes are. Versions are the moments of sending."""

    wanted: int
    done: Callable[[], object]
    lags: list[float] = field(default_factory=list[float])

    def on_update(self, _old: Any, new: Any) -> None:
        """Note one change."""
        self.lags.append(monotonic() - int(new.metadata.resource_version) / 1e6)
        if len(self.lags) == self.wanted:
            self.done()


class Pauses:
    """The longest time between two ticks."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = monotonic()

    def tick(self) -> None:
        """Note a moment."""
        now = monotonic()
        self.longest = max(self.longest, now - self._last - _TICK_SECONDS)
        self._last = now


def run_threads(task: Task) -> dict[str, float]:
    """Measure the flavour of threads."""
    options = FACTORY_OPTIONS.get(task.form, {})
    with Clientset.from_config(task.config) as k:
        with k.informers(namespace=_WARM_UP, **options) as factory:
            FORMS[task.form](factory)
            factory.start()
            assert all(factory.wait_for_sync(_SYNC_SECONDS).values())
        before = settled_kib()
        with k.informers(namespace=task.namespace, **options) as factory:
            done = threading.Event()
            follower = Follower(task.events, done.set)
            meter, informer = Meter(), FORMS[task.form](factory)
            handler = informer.add_handler(on_update=follower.on_update)
            with _ticking(lambda: informer.indexer.stored.get("")) as pauses:
                factory.start()
                assert handler.wait_for_sync(_SYNC_SECONDS), informer.sync_status
            figures = _synced(meter, pauses) | _kept(informer, task, before)
            for pace in ("full", "burst") if task.events else ():
                follower.lags, meter = [], Meter()
                _ask_for_changes(task, pace)
                assert done.wait(_SYNC_SECONDS)
                done.clear()
                figures |= _followed(pace, meter, follower.lags)
    return figures


async def run_asyncio(task: Task) -> dict[str, float]:
    """Measure the flavour of asyncio."""
    options = FACTORY_OPTIONS.get(task.form, {})
    async with AsyncClientset.from_config(task.config) as k:
        async with k.informers(namespace=_WARM_UP, **options) as factory:
            FORMS[task.form](factory)
            factory.start()
            assert all((await factory.wait_for_sync(_SYNC_SECONDS)).values())
        before = settled_kib()
        async with k.informers(namespace=task.namespace, **options) as factory:
            done = asyncio.Event()
            follower = Follower(task.events, done.set)
            meter, informer = Meter(), FORMS[task.form](factory)
            handler = informer.add_handler(on_update=follower.on_update)
            pauses = Pauses()
            ticker = asyncio.create_task(_tick(pauses))
            factory.start()
            assert await handler.wait_for_sync(_SYNC_SECONDS), informer.sync_status
            ticker.cancel()
            figures = _synced(meter, pauses) | _kept(informer, task, before)
            for pace in ("full", "burst") if task.events else ():
                follower.lags, meter = [], Meter()
                _ask_for_changes(task, pace)
                await asyncio.wait_for(done.wait(), _SYNC_SECONDS)
                done.clear()
                figures |= _followed(pace, meter, follower.lags)
    return figures


@contextmanager
def _ticking(look: Callable[[], object]) -> Generator[Pauses]:
    pauses, ended = Pauses(), threading.Event()

    def tick() -> None:
        while not ended.wait(_TICK_SECONDS):
            look()
            pauses.tick()

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    yield pauses
    ended.set()
    thread.join()


async def _tick(pauses: Pauses) -> None:
    while True:
        await asyncio.sleep(_TICK_SECONDS)
        pauses.tick()


def _ask_for_changes(task: Task, pace: str) -> None:
    url = f"{task.control}/changes/{task.namespace}/{pace}/{task.events}"
    with urlopen(Request(url, method="POST")) as response:
        response.read()


def _synced(meter: Meter, pauses: Pauses) -> dict[str, float]:
    spent = meter.read()
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
    return {
        "sync_cpu_s": spent["cpu"],
        "sync_s": spent["wall"],
        "pause_ms": pauses.longest * 1e3,
        "peak_mb": _peak_kib() * 1024 / 1e6,
    }


def _kept(informer: Any, task: Task, before: int) -> dict[str, float]:
    """Return what the cache keeps, and how fast it is read."""
    settled = settled_kib()
    keys = [*informer.indexer.stored]
    assert len(keys) == task.count, f"{len(keys)} objects came, not {task.count}"
    return {
        "kept_kb": (settled - before) * 1.024 / task.count,
        "rss_mb": settled * 1024 / 1e6,
        "reads_per_s": _reads(informer.indexer, keys[:_KEYS]),
    }


def _reads(indexer: Any, keys: Sequence[str]) -> float:
    began, done = monotonic(), 0
    while monotonic() - began < _READ_SECONDS:
        for key in keys:
            read(indexer.get(key))
        done += len(keys)
    return done / (monotonic() - began)


def _followed(pace: str, meter: Meter, lags: list[float]) -> dict[str, float]:
    spent = meter.read(len(lags))
    if pace == "burst":
        return {"burst_lag_ms": max(lags) * 1e3, "burst_median_lag_ms": median(lags) * 1e3}
    return {"event_cpu_us": spent["cpu"] * 1e6, "events_per_s": 1 / spent["wall"]}


def _peak_kib() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise LookupError("VmHWM")


def main() -> None:
    """Measure what the command line names."""
    config, control, namespace, form, flavour, count, events = sys.argv[1:]
    task = Task(config, control, namespace, form, int(count), int(events))
    if form == "frozen":
        gc.disable()
    is_threads = flavour == "threads"
    figures = run_threads(task) if is_threads else asyncio.run(run_asyncio(task))
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
