"""cloudcoil's informers, made directly.

Those that its cache makes keep the first page only, 500 objects; the biggest page that can be asked
for has 5,000. It tells handlers nothing of the first list.
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .informer_tasks import AsyncInformerTask, SyncInformerTask, fed, main

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator, Sequence

# Imported by name: the peer is in this process's environment, not in the type checker's.
_Config = import_module("cloudcoil.client").Config
_informers = import_module("cloudcoil.caching._informer")
_Options = import_module("cloudcoil.caching._types").InformerOptions
_Pod = import_module("cloudcoil.models.kubernetes.core.v1").Pod

_PATIENCE = 250.0


def _read(pod: Any) -> object:
    return pod.metadata.name, pod.status.phase, pod.spec.containers[0].image


def _options(namespace: str) -> Any:
    return _Options(namespace=namespace, page_size=5000)


class _Sync:
    def __init__(self, config: Any) -> None:
        self._config = config

    def _informer(self, namespace: str) -> Any:
        client = self._config.client_for(_Pod, sync=True)
        return _informers.SyncInformer(client, _options(namespace))

    def fill(self, namespace: str, count: int) -> Sequence[Any]:
        informer = self._informer(namespace)
        informer._start()
        assert informer._wait_for_sync(_PATIENCE)
        pods: Sequence[Any] = informer.list()
        assert len(pods) == count, len(pods)
        return pods

    def pump(self, count: int) -> None:
        keys: queue.Queue[tuple[str, str]] = queue.Queue()
        done = threading.Event()
        worked = fed(count, done.set)

        def put(*pods: Any) -> None:
            keys.put((pods[-1].metadata.name, pods[-1].metadata.namespace))

        def work() -> None:
            while True:
                informer.get(*keys.get())
                worked.one()

        informer = self._informer("busy")
        informer.on_add(put)
        informer.on_update(put)
        threading.Thread(target=work, daemon=True).start()
        informer._start()
        assert done.wait(_PATIENCE)

    def idle(self, count: int) -> None:
        informers = [self._informer(f"idle-{number}") for number in range(count)]
        for informer in informers:
            informer._start()
        assert all(informer._wait_for_sync(_PATIENCE) for informer in informers)


class _Async:
    def __init__(self, config: Any) -> None:
        self._config = config

    def _informer(self, namespace: str) -> Any:
        client = self._config.client_for(_Pod, sync=False)
        return _informers.AsyncInformer(client, _options(namespace))

    async def fill(self, namespace: str, count: int) -> Sequence[Any]:
        informer = self._informer(namespace)
        await informer._start()
        assert await informer._wait_for_sync(_PATIENCE)
        pods: Sequence[Any] = informer.list()
        assert len(pods) == count, len(pods)
        return pods

    async def pump(self, count: int) -> None:
        keys: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        done = asyncio.Event()
        worked = fed(count, done.set)

        async def put(*pods: Any) -> None:
            keys.put_nowait((pods[-1].metadata.name, pods[-1].metadata.namespace))

        async def work() -> None:
            while True:
                informer.get(*await keys.get())
                worked.one()

        informer = self._informer("busy")
        informer.on_add(put)
        informer.on_update(put)
        await asyncio.sleep(0)  # its handlers are registered by tasks
        task = asyncio.create_task(work())
        await informer._start()
        await asyncio.wait_for(done.wait(), _PATIENCE)
        task.cancel()

    async def idle(self, count: int) -> None:
        informers = [self._informer(f"idle-{number}") for number in range(count)]
        for informer in informers:
            await informer._start()
        for informer in informers:
            assert await informer._wait_for_sync(_PATIENCE)


@contextmanager
def _sync() -> Generator[SyncInformerTask]:
    with _Config() as config:
        yield _Sync(config)


@asynccontextmanager
async def _aio() -> AsyncGenerator[AsyncInformerTask]:
    with _Config() as config:
        yield _Async(config)


if __name__ == "__main__":
    main(_read, _sync, _aio)
    os._exit(0)  # what its informers are at is not waited for
