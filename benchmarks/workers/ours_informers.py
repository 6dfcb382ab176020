"""clientgen's informers and queues."""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from kubeapi import AsyncClientset, Clientset

from clientgen.runtime import meta_namespace_key
from clientgen.runtime.aio import AsyncWorkQueue
from clientgen.runtime.sync import WorkQueue

from .informer_tasks import AsyncInformerTask, SyncInformerTask, fed, main

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator, Sequence

    from kubeapi.core.v1 import Pod

_PATIENCE = 120.0


def _read(pod: Pod) -> object:
    return pod.metadata.name, pod.status.phase, pod.spec.containers[0].image


class _Sync:
    def __init__(self, clients: Clientset, stack: ExitStack) -> None:
        self._clients = clients
        self._stack = stack

    def _informer(self, namespace: str) -> Any:
        factory = self._stack.enter_context(self._clients.informers(namespace=namespace))
        return factory, factory.core_v1.pods()

    def fill(self, namespace: str, count: int) -> Sequence[Pod]:
        factory, informer = self._informer(namespace)
        told = fed(count, lambda: None)
        registration = informer.add_handler(told.one)
        factory.start()
        assert registration.wait_for_sync(_PATIENCE)
        assert told.left == 0, told
        pods: Sequence[Pod] = informer.lister.list()
        return pods

    def pump(self, count: int) -> None:
        factory, informer = self._informer("busy")
        queue: WorkQueue[str] = WorkQueue("pods")
        told = fed(count + 10, lambda: None)
        done = threading.Event()

        def put(obj: Pod, _: object) -> None:
            told.one()
            queue.add(meta_namespace_key(obj))

        def work() -> None:
            for key in queue:
                with queue.processing(key):
                    informer.indexer.get(key)
                if not told.left and not len(queue):
                    done.set()

        threading.Thread(target=work, daemon=True).start()
        informer.add_handler(put, put)
        factory.start()
        assert done.wait(_PATIENCE)
        queue.shut_down()

    def idle(self, count: int) -> None:
        started = [self._informer(f"idle-{number}") for number in range(count)]
        for factory, _ in started:
            factory.start()
        assert all(informer.wait_for_sync(_PATIENCE) for _, informer in started)


class _Async:
    def __init__(self, clients: AsyncClientset, stack: AsyncExitStack) -> None:
        self._clients = clients
        self._stack = stack

    async def _informer(self, namespace: str) -> Any:
        factory = self._clients.informers(namespace=namespace)
        await self._stack.enter_async_context(factory)
        return factory, factory.core_v1.pods()

    async def fill(self, namespace: str, count: int) -> Sequence[Pod]:
        factory, informer = await self._informer(namespace)
        told = fed(count, lambda: None)
        registration = informer.add_handler(told.one)
        factory.start()
        assert await registration.wait_for_sync(_PATIENCE)
        assert told.left == 0, told
        pods: Sequence[Pod] = informer.lister.list()
        return pods

    async def pump(self, count: int) -> None:
        factory, informer = await self._informer("busy")
        queue: AsyncWorkQueue[str] = AsyncWorkQueue("pods")
        told = fed(count + 10, lambda: None)
        done = asyncio.Event()

        def put(obj: Pod, _: object) -> None:
            told.one()
            queue.add(meta_namespace_key(obj))

        async def work() -> None:
            async for key in queue:
                with queue.processing(key):
                    informer.indexer.get(key)
                if not told.left and not len(queue):
                    done.set()

        task = asyncio.create_task(work())
        informer.add_handler(put, put)
        factory.start()
        await asyncio.wait_for(done.wait(), _PATIENCE)
        queue.shut_down()
        await task

    async def idle(self, count: int) -> None:
        started = [await self._informer(f"idle-{number}") for number in range(count)]
        for factory, _ in started:
            factory.start()
        for _, informer in started:
            assert await informer.wait_for_sync(_PATIENCE)


@contextmanager
def _sync() -> Generator[SyncInformerTask]:
    with Clientset.from_config(os.environ["KUBECONFIG"]) as clients, ExitStack() as stack:
        yield _Sync(clients, stack)


@asynccontextmanager
async def _aio() -> AsyncGenerator[AsyncInformerTask]:
    config = os.environ["KUBECONFIG"]
    async with AsyncClientset.from_config(config) as clients, AsyncExitStack() as stack:
        yield _Async(clients, stack)


if __name__ == "__main__":
    main(_read, _sync, _aio)
