"""The benchmarks of the test server: what it is compared with, by each way in."""

from __future__ import annotations

from benchmarks.envs import python
from benchmarks.runner import Benchmark, Contender

__all__ = ["KEPT", "SERVE", "serving_benchmarks"]

_BARE = "bare aiohttp server, fixed bytes"
SERVE = "clientgen serve"
KEPT = "clientgen, 10,000 pods"
_WAYS = {
    _BARE: "fixed",
    SERVE: "http",
    "clientgen in process, the bare handler": "handler",
    "clientgen in process, clientset": "sync",
    "clientgen in process, asyncio clientset": "async",
}
_TALKS = {
    "get-configmap": "GET one ConfigMap",
    "get-pod": "GET one pod of 9.8 kB",
    "post-configmap": "POST ConfigMaps",
    "post-pod": "POST pods of 9.8 kB",
    "patch-configmap": "PATCH one ConfigMap (merge patch)",
    "patch-pod": "PATCH one pod of 9.8 kB (merge patch)",
}
_REQUEST_NOTE = (
    "For each request. Over HTTP it is the server's CPU, from a process of its own, asked by a bare"
    " aiohttp client on 16 connections; in process it is all there is, one request after the"
    " other, and for clientsets with the encoding and decoding of models. The bare server answers"
    " fixed bytes of the same size."
)
_WATCH_NOTE = (
    "For each of the 100,000 events that arrive: one ConfigMap is patched 1,000 times, which is in"
    " it. Over HTTP it is the server's CPU; in process that of the watchers, too, and clientsets"
    " decode the events (one thread for each watcher, or one task)."
)


def serving_benchmarks() -> list[Benchmark]:
    """In the order in which they run."""
    talks = [_talk(name) for name in _TALKS]
    return [_starting(), *talks, _watch(), _memory(), _webhooks()]


def _worker(name: str, module: str, *arguments: str) -> Contender:
    return Contender(name, (python("ours"), "-m", f"benchmarks.workers.{module}", *arguments))


def _starting() -> Benchmark:
    tasks = {
        "bare aiohttp server": "fixed",
        SERVE: "serve",
        "clientgen.testing, the import of FakeCluster": "import",
        "clientgen.testing, the first ApiServer()": "first",
        "clientgen.testing, another ApiServer()": "another",
        "clientgen.testing, another fake_clientset() and a list": "fake",
    }
    return Benchmark(
        name="serve-start",
        title="Start a test server that serves all of Kubernetes 1.36",
        unit="ms",
        baseline="bare aiohttp server",
        factor=2,
        note=(
            "The first two are whole processes, until their line that says they are ready. The"
            " other rows are parts of it, or of what a test spends on a cluster of its own."
        ),
        contenders=tuple(_worker(name, "startup", task) for name, task in tasks.items()),
    )


def _talk(name: str) -> Benchmark:
    return Benchmark(
        name=f"serve-{name}",
        title=f"The test server: {_TALKS[name]}",
        unit="ms",
        baseline=_BARE,
        note=_REQUEST_NOTE,
        contenders=tuple(_worker(who, "testserver", way, name) for who, way in _WAYS.items()),
    )


def _watch() -> Benchmark:
    return Benchmark(
        name="serve-watch",
        title="The test server: 1,000 events to 100 watchers",
        unit="us",
        baseline=_BARE,
        note=_WATCH_NOTE,
        contenders=tuple(_worker(who, "fanout", way) for who, way in _WAYS.items()),
    )


def _memory() -> Benchmark:
    return Benchmark(
        name="serve-memory",
        title="The test server: keep 10,000 pods of 9.8 kB",
        unit="ms",
        baseline="bare bytes, 10,000 pods",
        hidden=("ratio",),
        note=(
            "Created by requests to the handler, CPU for each. Kept is the resident memory that"
            " they added, after garbage was collected and free memory trimmed; it includes what"
            " watches could still be told, the last 10,000 events. The bare row keeps the bodies"
            " of the requests."
        ),
        contenders=(
            _worker("bare bytes, 10,000 pods", "memory", "bytes"),
            _worker(KEPT, "memory", "server"),
        ),
    )


def _webhooks() -> Benchmark:
    tasks = {
        _BARE: "fixed",
        "AsyncWebhooks, validate": "asyncio",
        "AsyncWebhooks, default, a patch of one label": "default",
        "Webhooks, validate (threads)": "threads",
    }
    return Benchmark(
        name="webhooks",
        title="Answer an AdmissionReview of a pod of 9.8 kB",
        unit="ms",
        baseline=_BARE,
        note=(
            "The server's CPU for each review, asked over HTTP by a bare aiohttp client on 16"
            " connections. The bare server reads the body and answers fixed bytes."
        ),
        contenders=tuple(_worker(name, "webhooks", task) for name, task in tasks.items()),
    )
