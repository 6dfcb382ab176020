"""A controller that is left running: it writes on every node how many pods that node has.

Two informers, an index, a queue with workers, a handler that is slow at times, and one that checks
that what handlers are told makes sense. `soak.py` starts this in a process of its own, and asks it
by a line on its standard input how it is; when that ends, the controller is to stop.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from kubeapi import AsyncClientset, Clientset

from clientgen.runtime import MergePatch
from clientgen.runtime.aio import AsyncController
from clientgen.runtime.controllers import Request
from clientgen.runtime.errors import ClientError, NotFound
from clientgen.runtime.sync import Controller

from .meter import settled_kib

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from kubeapi.core.v1 import Node, Pod

    from clientgen.runtime import Indexer

COUNTED = "example.com/pods"
_BY_NODE = "node"
_WORKERS = 4
_SLOW_EVERY, _SLOW_SECONDS = 40, 0.2


def nodes_of(pod: Pod) -> list[str]:
    """The node that a pod is on."""
    return [pod.spec.node_name] if pod.spec.node_name else []


def requests_of(pod: Pod) -> list[Request]:
    """The node to look at when a pod changes."""
    return [Request("", name) for name in nodes_of(pod)]


class History:
    """What a handler was told; anything that cannot be true is counted."""

    def __init__(self) -> None:
        self.known: set[str] = set()
        self.told: Counter[str] = Counter()
        self.wrong = 0

    def added(self, pod: Pod, is_initial: bool) -> None:  # noqa: ARG002 - a handler's form
        """A pod nobody has told of before."""
        self._note("added", pod.metadata.name, known=False)
        self.known.add(pod.metadata.name)

    def updated(self, old: Pod, new: Pod) -> None:
        """A pod that is known."""
        self._note("updated", new.metadata.name, known=True)
        self.wrong += old.metadata.name != new.metadata.name

    def deleted(self, pod: Pod) -> None:
        """A pod that was known."""
        self._note("deleted", pod.metadata.name, known=True)
        self.known.discard(pod.metadata.name)

    def _note(self, what: str, name: str, *, known: bool) -> None:
        self.told[what] += 1
        self.wrong += (name in self.known) is not known


class Soaked:
    """What both flavours have in common."""

    def __init__(self, pods: Any, nodes: Any, queue: Any) -> None:
        self.history = History()
        self.reconciled = self.written = self.failed = 0
        self._pods, self._nodes, self._queue = pods, nodes, queue
        self._dice = Random(4)
        pods.add_index(_BY_NODE, nodes_of)
        pods.add_handler(self.history.added, self.history.updated, self.history.deleted)

    def is_slow(self) -> bool:
        """Whether the slow handler takes its time."""
        return self._dice.randrange(_SLOW_EVERY) == 0

    def patch_for(self, request: Request) -> tuple[str, MergePatch] | None:
        """What to write on a node, if it says something else."""
        self.reconciled += 1
        try:
            node: Node = self._nodes.lister.get(request.name)
        except NotFound:
            return None
        indexer: Indexer[Pod] = self._pods.indexer
        count = str(len(indexer.index_keys(_BY_NODE, request.name)))
        if node.metadata.annotations.get(COUNTED) == count:
            return None
        return request.name, MergePatch({"metadata": {"annotations": {COUNTED: count}}})

    @contextmanager
    def writing(self) -> Generator[None]:
        """Count a write; only the server or the way to it may make it fail."""
        self.written += 1
        try:
            yield
        except ClientError:
            self.failed += 1
            raise
        except BaseException:
            self.history.wrong += 1
            raise

    def state(self, tasks: Callable[[], int]) -> dict[str, Any]:
        """How it is, without having tidied up."""
        handles = [_target(each) for each in Path("/proc/self/fd").iterdir()]
        return {
            "rss_mb": _rss_mb(),
            "blocks": sys.getallocatedblocks(),
            "tasks": tasks(),
            "threads": threading.active_count(),
            "fds": len(handles),
            "sockets": sum(each.startswith("socket:") for each in handles),
            "queued": len(self._queue),
            "backlog": self._pods._processor.backlog,  # pyright: ignore[reportPrivateUsage]
            "watch_errors": self._pods.watch_errors + self._nodes.watch_errors,
            "handler_errors": self._pods.handler_errors,
            "reconciled": self.reconciled,
            "written": self.written,
            "failed": self.failed,
            "told": sum(self.history.told.values()),
            "wrong": self.history.wrong,
            "cpu": time.process_time(),
            "settled_mb": settled_kib() / 1024,
            "cached": {
                **{f"pods/{key}": _version(obj) for key, obj in _items(self._pods)},
                **{f"nodes/{key}": _version(obj) for key, obj in _items(self._nodes)},
            },
        }


def _items(informer: Any) -> list[tuple[str, Any]]:
    return [(key, informer.indexer.get(key)) for key in informer.indexer.keys()]  # noqa: SIM118


def _version(obj: Any) -> str:
    return "" if obj is None else obj.metadata.resource_version


def _target(handle: Path) -> str:
    try:
        return str(handle.readlink())
    except OSError:  # the one that lists them
        return ""


def _rss_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _answer(state: Callable[[], dict[str, Any]], stop: Callable[[], object]) -> None:
    """Say how it is, for every line that comes in."""
    for _ in sys.stdin:
        print(json.dumps(state()), flush=True)
    stop()


def _attend(state: Callable[[], dict[str, Any]], stop: Callable[[], object]) -> None:
    threading.Thread(target=_answer, args=[state, stop], daemon=True).start()


# ---- asyncio ----------------------------------------------------------------------------------


async def _tasks(config: str) -> None:
    loop = asyncio.get_running_loop()
    async with AsyncClientset.from_config(config) as k, k.informers() as factory:
        pods, nodes = factory.core_v1.pods(), factory.core_v1.nodes()

        async def reconcile(request: Request) -> None:
            patch = soaked.patch_for(request)
            if patch is not None:
                with soaked.writing():
                    await k.core_v1.nodes().patch(*patch)

        async def dawdle(_old: Pod, _new: Pod) -> None:
            if soaked.is_slow():
                await asyncio.sleep(_SLOW_SECONDS)

        controller = AsyncController("soak", reconcile, workers=_WORKERS)
        soaked = Soaked(pods, nodes, controller.queue)
        pods.add_handler(on_update=dawdle)
        controller.for_(nodes).watches(pods, requests_of)

        async def state() -> dict[str, Any]:
            return soaked.state(lambda: len(asyncio.all_tasks()) - 1)

        _attend(
            lambda: asyncio.run_coroutine_threadsafe(state(), loop).result(),
            partial(loop.call_soon_threadsafe, controller.stop),
        )
        await controller.run()
    left = asyncio.all_tasks() - {asyncio.current_task()}
    assert not left, left


# ---- threads ----------------------------------------------------------------------------------


def _threads(config: str) -> None:
    with Clientset.from_config(config) as k, k.informers() as factory:
        pods, nodes = factory.core_v1.pods(), factory.core_v1.nodes()

        def reconcile(request: Request) -> None:
            patch = soaked.patch_for(request)
            if patch is not None:
                with soaked.writing():
                    k.core_v1.nodes().patch(*patch)

        def dawdle(_old: Pod, _new: Pod) -> None:
            if soaked.is_slow():
                time.sleep(_SLOW_SECONDS)

        controller = Controller("soak", reconcile, workers=_WORKERS)
        soaked = Soaked(pods, nodes, controller.queue)
        pods.add_handler(on_update=dawdle)
        controller.for_(nodes).watches(pods, requests_of)
        _attend(lambda: soaked.state(lambda: 0), controller.stop)
        controller.run()


if __name__ == "__main__":
    logging.basicConfig(level=logging.CRITICAL)  # a fault every second would fill the screen
    if sys.argv[1] == "threads":
        _threads(sys.argv[2])
    else:
        asyncio.run(_tasks(sys.argv[2]))
    rest = [each.name for each in threading.enumerate() if not each.daemon]
    assert rest == ["MainThread"], rest
