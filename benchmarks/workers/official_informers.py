"""The official client's SharedInformer: one list without pages, then a watch, in a thread."""

from __future__ import annotations

import os
import queue
import threading
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .informer_tasks import SyncInformerTask, fed, main

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

# Imported by name: the peer is in this process's environment, not in the type checker's.
_client = import_module("kubernetes.client")
_config = import_module("kubernetes.config")
_informer = import_module("kubernetes.informer")

_PATIENCE = 250.0


def _read(pod: Any) -> object:
    return pod.metadata.name, pod.status.phase, pod.spec.containers[0].image


def _key(pod: Any) -> str:
    return f"{pod.metadata.namespace}/{pod.metadata.name}"


class _Sync:
    def __init__(self) -> None:
        self._api = _client.CoreV1Api()

    def _start(self, namespace: str, handler: Any, *kinds: str) -> Any:
        informer = _informer.SharedInformer(self._api.list_namespaced_pod, namespace=namespace)
        for kind in kinds:
            informer.add_event_handler(kind, handler)
        informer.start()
        return informer

    def fill(self, namespace: str, count: int) -> Sequence[Any]:
        full = threading.Event()
        told = fed(count, full.set)
        informer = self._start(namespace, told.one, "ADDED")
        assert full.wait(_PATIENCE)
        pods: Sequence[Any] = informer.cache.list()
        return pods

    def pump(self, count: int) -> None:
        keys: queue.Queue[str] = queue.Queue()
        done = threading.Event()
        worked = fed(count + 10, done.set)

        def put(pod: Any) -> None:
            keys.put(_key(pod))

        def work() -> None:
            while True:
                informer.cache.get_by_key(keys.get())
                worked.one()

        informer = self._start("busy", put, "ADDED", "MODIFIED")
        threading.Thread(target=work, daemon=True).start()
        assert done.wait(_PATIENCE)

    def idle(self, count: int) -> None:
        # It has no "has synced": a bookmark, which comes every second, means that it watches.
        every = threading.Semaphore(0)
        for number in range(count):
            seen = fed(1, every.release)
            self._start(f"idle-{number}", seen.one, "BOOKMARK")
        for _ in range(count):
            assert every.acquire(timeout=_PATIENCE)


@contextmanager
def _sync() -> Generator[SyncInformerTask]:
    _config.load_kube_config()
    yield _Sync()


if __name__ == "__main__":
    main(_read, _sync)
    os._exit(0)  # the informers' threads are in reads that nothing ends
