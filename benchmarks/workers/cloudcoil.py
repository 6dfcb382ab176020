"""cloudcoil 0.6, the last for this Python, with its pydantic models."""

from __future__ import annotations

import copy
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .client_tasks import NAME, NAMESPACE, AsyncClient, SyncClient, Worker, main

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Sequence

# Imported by name: the peer is in this process's environment, not in the type checker's.
_Config = import_module("cloudcoil.client").Config
_ResourceList = import_module("cloudcoil.resources").ResourceList
_Pod = import_module("cloudcoil.models.kubernetes.core.v1").Pod


def _read(pod: Any) -> object:
    return pod.metadata.name, pod.status.phase, pod.spec.containers[0].image


def _decode(body: bytes) -> Sequence[Any]:
    items: Sequence[Any] = _ResourceList[_Pod].model_validate_json(body).items
    return items


def _encode(pod: Any) -> bytes:
    text: str = pod.model_dump_json(by_alias=True, exclude_none=True)
    return text.encode()


def _where(*, small: bool) -> dict[str, Any]:
    return {"namespace": "small"} if small else {"all_namespaces": True}


class _Sync:
    def get(self) -> object:
        return _Pod.get(NAME, NAMESPACE)

    def list(self, *, small: bool) -> Sequence[Any]:
        return list(_Pod.list(**_where(small=small), limit=500))

    def watch(self, *, small: bool) -> Iterator[Any]:
        for _, pod in _Pod.watch(**_where(small=small), resource_version="1"):
            yield pod


class _Async:
    async def get(self) -> object:
        return await _Pod.async_get(NAME, NAMESPACE)

    async def list(self, *, small: bool) -> Sequence[Any]:
        pods = await _Pod.async_list(**_where(small=small), limit=500)
        return [pod async for pod in pods]

    async def watch(self, *, small: bool) -> AsyncIterator[Any]:
        events = await _Pod.async_watch(**_where(small=small), resource_version="1")
        async for _, pod in events:
            yield pod


@contextmanager
def _sync() -> Generator[SyncClient]:
    with _Config():
        yield _Sync()


@asynccontextmanager
async def _aio() -> AsyncGenerator[AsyncClient]:
    with _Config():
        yield _Async()


if __name__ == "__main__":
    main(
        Worker(read=_read, decode=_decode, sync=_sync, aio=_aio, encode=_encode, copy=copy.deepcopy)
    )
