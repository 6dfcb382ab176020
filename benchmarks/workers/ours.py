"""clientgen's generated package."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import Pod, PodList

from clientgen.runtime._models.model_codec import decode_list
from clientgen.runtime.models import deep_copy, encode

from .client_tasks import NAME, NAMESPACE, AsyncClient, SyncClient, Worker, main

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Sequence


def _read(pod: Pod) -> object:
    return pod.metadata.name, pod.status.phase, pod.spec.containers[0].image


class _Sync:
    def __init__(self, clients: Clientset) -> None:
        self._pods = clients.core_v1.pods(NAMESPACE)
        self._small = clients.core_v1.pods("small")
        self._all = clients.core_v1.pods()

    def get(self) -> object:
        return self._pods.get(NAME)

    def list(self, *, small: bool) -> Sequence[Pod]:
        return self._small.list().items if small else self._all.list().items

    def watch(self, *, small: bool) -> Iterator[Pod]:
        watch = (self._small if small else self._all).watch(resource_version="1")
        with watch:
            for event in watch:
                yield event.object


class _Async:
    def __init__(self, clients: AsyncClientset) -> None:
        self._pods = clients.core_v1.pods(NAMESPACE)
        self._small = clients.core_v1.pods("small")
        self._all = clients.core_v1.pods()

    async def get(self) -> object:
        return await self._pods.get(NAME)

    async def list(self, *, small: bool) -> Sequence[Pod]:
        return (await (self._small if small else self._all).list()).items

    async def watch(self, *, small: bool) -> AsyncIterator[Pod]:
        watch = (self._small if small else self._all).watch(resource_version="1")
        async with watch:
            async for event in watch:
                yield event.object


@contextmanager
def _sync() -> Generator[SyncClient]:
    with Clientset.from_config(os.environ["KUBECONFIG"]) as clients:
        yield _Sync(clients)


@asynccontextmanager
async def _aio() -> AsyncGenerator[AsyncClient]:
    async with AsyncClientset.from_config(os.environ["KUBECONFIG"]) as clients:
        yield _Async(clients)


def _decode(body: bytes) -> Sequence[Any]:
    return decode_list(body, PodList).items


if __name__ == "__main__":
    main(Worker(read=_read, decode=_decode, sync=_sync, aio=_aio, encode=encode, copy=deep_copy))
