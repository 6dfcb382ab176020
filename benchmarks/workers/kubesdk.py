"""kubesdk; its models are filled when they are read, so what nobody reads costs it nothing."""

from __future__ import annotations

import json
import logging
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .client_tasks import NAME, NAMESPACE, AsyncClient, Worker, main

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Sequence

# Imported by name: the peer is in this process's environment, not in the type checker's.
_kubesdk = import_module("kubesdk")
_models = import_module("kube_models.api_v1.io.k8s.api.core.v1")


def _read(pod: Any) -> object:
    return pod.metadata.name, pod.status.phase, pod.spec.containers[0].image


def _decode(body: bytes) -> Sequence[Any]:
    items: Sequence[Any] = _models.PodList.from_dict(json.loads(body)).items
    return items


class _Async:
    async def get(self) -> object:
        return await _kubesdk.get_k8s_resource(_models.Pod, NAME, NAMESPACE)

    async def list(self, *, small: bool) -> Sequence[Any]:
        where = {"namespace": "small"} if small else {}
        pod_list = await _kubesdk.get_k8s_resource(_models.Pod, **where)
        items: Sequence[Any] = pod_list.items
        return items

    async def watch(self, *, small: bool) -> AsyncIterator[Any]:
        where = {"namespace": "small"} if small else {}
        params = _kubesdk.K8sQueryParams(resourceVersion="1")
        async for event in _kubesdk.watch_k8s_resources(_models.Pod, **where, params=params):
            yield event.object


@asynccontextmanager
async def _aio() -> AsyncGenerator[AsyncClient]:
    logging.getLogger().setLevel(logging.WARNING)
    await _kubesdk.login()
    yield _Async()


if __name__ == "__main__":
    main(Worker(read=_read, decode=_decode, aio=_aio))
