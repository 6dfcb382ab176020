"""lightkube, with its msgspec models."""

from __future__ import annotations

import copy
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .client_tasks import NAME, NAMESPACE, AsyncClient, SyncClient, Worker, main

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Sequence

# Imported by name: the peer is in this process's environment, not in the type checker's.
_lightkube = import_module("lightkube")
_decoders = import_module("lightkube.core.decoders")
_encode = import_module("msgspec").json.encode
_Pod = import_module("lightkube.resources.core_v1").Pod


def _read(pod: Any) -> object:
    return pod.metadata.name, pod.status.phase, pod.spec.containers[0].image


def _decode(body: bytes) -> Sequence[Any]:
    items: Sequence[Any] = _decoders.decode_list(body, _Pod)[2]
    return items


class _Sync:
    def __init__(self, client: Any) -> None:
        self._client = client

    def get(self) -> object:
        return self._client.get(_Pod, NAME, namespace=NAMESPACE)

    def list(self, *, small: bool) -> Sequence[Any]:
        return list(self._client.list(_Pod, namespace="small" if small else "*"))

    def watch(self, *, small: bool) -> Iterator[Any]:
        where = "small" if small else "*"
        for _, pod in self._client.watch(_Pod, namespace=where, resource_version="1"):
            yield pod


class _Async:
    def __init__(self, client: Any) -> None:
        self._client = client

    async def get(self) -> object:
        return await self._client.get(_Pod, NAME, namespace=NAMESPACE)

    async def list(self, *, small: bool) -> Sequence[Any]:
        where = "small" if small else "*"
        return [pod async for pod in self._client.list(_Pod, namespace=where)]

    async def watch(self, *, small: bool) -> AsyncIterator[Any]:
        where = "small" if small else "*"
        async for _, pod in self._client.watch(_Pod, namespace=where, resource_version="1"):
            yield pod


@contextmanager
def _sync() -> Generator[SyncClient]:
    yield _Sync(_lightkube.Client())


@asynccontextmanager
async def _aio() -> AsyncGenerator[AsyncClient]:
    client = _lightkube.AsyncClient()
    yield _Async(client)
    await client.close()


if __name__ == "__main__":
    main(
        Worker(read=_read, decode=_decode, sync=_sync, aio=_aio, encode=_encode, copy=copy.deepcopy)
    )
