"""kubex over aiohttp, with its pydantic models."""

from __future__ import annotations

import copy
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .client_tasks import NAME, NAMESPACE, AsyncClient, Worker, main

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Sequence

# Imported by name: the peer is in this process's environment, not in the type checker's.
_Api = import_module("kubex.api").Api
_clients = import_module("kubex.client")
_Pod = import_module("kubex.k8s.v1_36.core.v1.pod").Pod


def _read(pod: Any) -> object:
    return pod.metadata.name, pod.status.phase, pod.spec.containers[0].image


def _decode(body: bytes) -> Sequence[Any]:
    model = _Pod.__RESOURCE_CONFIG__.list_model
    items: Sequence[Any] = model.model_validate_json(body).items
    return items


def _encode(pod: Any) -> bytes:
    text: str = pod.model_dump_json(by_alias=True, exclude_none=True)
    return text.encode()


class _Async:
    def __init__(self, client: Any) -> None:
        self._pods = _Api(_Pod, client, namespace=NAMESPACE)
        self._small = _Api(_Pod, client, namespace="small")
        self._all = _Api(_Pod, client, namespace=None)

    async def get(self) -> object:
        return await self._pods.get(NAME)

    async def list(self, *, small: bool) -> Sequence[Any]:
        pod_list = await (self._small if small else self._all).list()
        items: Sequence[Any] = pod_list.items
        return items

    async def watch(self, *, small: bool) -> AsyncIterator[Any]:
        api = self._small if small else self._all
        async for event in api.watch(resource_version="1"):
            yield event.object


@asynccontextmanager
async def _aio() -> AsyncGenerator[AsyncClient]:
    async with await _clients.create_client(client_class=_clients.ClientChoice.AIOHTTP) as client:
        yield _Async(client)


if __name__ == "__main__":
    main(Worker(read=_read, decode=_decode, aio=_aio, encode=_encode, copy=copy.deepcopy))
