"""The benchmarks of informers: what fills a cache, follows changes and stands idle at what cost."""

from __future__ import annotations

from benchmarks.envs import python
from benchmarks.runner import Benchmark, Contender

__all__ = ["LISTED", "LISTED_BARE", "LIST_ALONE", "caching_benchmarks"]

LISTED_BARE = "bare, the list in pages"
LISTED = "clientgen, from the list in pages"
LIST_ALONE = "clientgen, the list and no informer"
_FLAVOURS = {"async": ", asyncio", "sync": ""}
_WORKERS = {
    "bare": ("ours", "bare_informers"),
    "clientgen": ("ours", "ours_informers"),
    "cloudcoil": ("cloudcoil", "cloudcoil_informers"),
    "kubernetes (official)": ("peers", "official_informers"),
}
_FILL_NOTE = (
    "From the first request to the handlers' having been told of the last pod. By default the pods"
    " come as the initial events of a watch; a server that has none (below 1.32) is asked for a"
    " list. Kept is resident memory, as above. The bare rows put what they decode into a list."
    " kubernetes and cloudcoil list: the first without pages, the second one page of 5,000, the"
    " biggest it can ask for (its cache asks for 500, and never for a second page)."
)
_PUMP_NOTE = (
    "For each event of 9.8 kB, of which half make a pod and half change it: decoded, cached, told"
    " to a handler that puts the key into a queue, from which a worker takes it to look up the"
    " pod. The bare row decodes them and nothing else. cloudcoil runs plain handlers in a pool of"
    " threads; here it has a coroutine. kubernetes and cloudcoil have no queues, and use Python's."
)
_IDLE_NOTE = (
    "CPU in ten seconds of 200 informers of nothing, each told a bookmark every second, which is"
    " sixty times as often as an API server does; memory for each of them. TLS takes most of it:"
    " asyncio keeps a buffer of 256 kB for a connection. cloudcoil is missing: its HTTP client has"
    " 100 connections."
)


def caching_benchmarks() -> list[Benchmark]:
    """In the order in which they run."""
    made: list[Benchmark] = []
    for flavour, words in _FLAVOURS.items():
        made += [_fill(flavour, words), _fill_large(flavour, words)]
        made += [_pump(flavour, words), _idle(flavour, words)]
    return made


def _worker(name: str, task: str, who: str = "") -> Contender:
    who = who or name
    env, module = _WORKERS[who]
    command = (python(env), "-m", f"benchmarks.workers.{module}", task)
    return Contender(name, command, heavy=who in {"cloudcoil", "kubernetes (official)"})


def _official(task: str) -> Contender:
    """It has threads only; asyncio's table shows it too, there is nothing else of it."""
    return _worker("kubernetes (official)", f"sync-{task}")


def _fill(flavour: str, words: str) -> Benchmark:
    alone = (python("ours"), "-m", "benchmarks.workers.ours", f"{flavour}-list")
    return Benchmark(
        name=f"{flavour}-informer",
        title=f"Fill an informer with 5,000 pods over TLS{words}",
        unit="s",
        baseline="bare",
        factor=3,
        note=_FILL_NOTE,
        contenders=(
            _worker("bare", f"{flavour}-sync"),
            _worker(LISTED_BARE, f"{flavour}-sync-listed", "bare"),
            _worker("clientgen", f"{flavour}-sync"),
            _worker(LISTED, f"{flavour}-sync-listed", "clientgen"),
            Contender(LIST_ALONE, alone),
            _worker("cloudcoil", f"{flavour}-sync"),
            _official("sync"),
        ),
    )


def _fill_large(flavour: str, words: str) -> Benchmark:
    return Benchmark(
        name=f"{flavour}-informer-50000",
        title=f"Fill an informer with 50,000 pods over TLS{words}",
        unit="s",
        baseline="bare",
        note=(
            "As above, 490 MB of events. The others were not asked for it: kubernetes would have to"
            " keep 6.5 GB, cloudcoil caches no more than 10,000 objects."
        ),
        contenders=tuple(_worker(who, f"{flavour}-sync-50000") for who in ("bare", "clientgen")),
    )


def _pump(flavour: str, words: str) -> Benchmark:
    return Benchmark(
        name=f"{flavour}-informer-events",
        title=f"5,000 events through informer, handler and queue{words}",
        unit="us",
        baseline="bare",
        factor=3,
        note=_PUMP_NOTE,
        contenders=(
            *(_worker(who, f"{flavour}-pump") for who in ("bare", "clientgen", "cloudcoil")),
            _official("pump"),
        ),
    )


def _idle(flavour: str, words: str) -> Benchmark:
    return Benchmark(
        name=f"{flavour}-informer-idle",
        title=f"200 informers that have nothing to do{words}",
        unit="s",
        baseline="bare",
        note=_IDLE_NOTE,
        contenders=(
            *(_worker(who, f"{flavour}-idle") for who in ("bare", "clientgen")),
            _official("idle"),
        ),
    )
