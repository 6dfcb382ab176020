"""The official client, `kubernetes`."""

from __future__ import annotations

import copy
import json
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .client_tasks import NAME, NAMESPACE, SyncClient, Worker, main

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

# Imported by name: the peer is in this process's environment, not in the type checker's.
_client = import_module("kubernetes.client")
_config = import_module("kubernetes.config")
_watch = import_module("kubernetes.watch")


class _Answer:
    """What the deserializer expects of an HTTP answer."""

    def __init__(self, body: bytes) -> None:
        self.data = body.decode()


def _read(pod: Any) -> object:
    return pod.metadata.name, pod.status.phase, pod.spec.containers[0].image


def _decode(body: bytes) -> Sequence[Any]:
    client = _client.ApiClient()
    try:
        items: Sequence[Any] = client.deserialize(_Answer(body), "V1PodList").items
    except TypeError:  # newer versions take the text and its content type
        items = client.deserialize(body.decode(), "V1PodList", "application/json").items
    return items


def _encode(pod: Any) -> bytes:
    return json.dumps(_serializer.sanitize_for_serialization(pod)).encode()


_serializer = _client.ApiClient()


class _Sync:
    def __init__(self) -> None:
        self._api = _client.CoreV1Api()

    def get(self) -> object:
        return self._api.read_namespaced_pod(NAME, NAMESPACE)

    def list(self, *, small: bool) -> Sequence[Any]:
        if small:
            pod_list = self._api.list_namespaced_pod("small")
        else:
            pod_list = self._api.list_pod_for_all_namespaces()
        items: Sequence[Any] = pod_list.items
        return items

    def watch(self, *, small: bool) -> Iterator[Any]:
        watch = _watch.Watch()
        if small:
            events = watch.stream(self._api.list_namespaced_pod, "small", resource_version="1")
        else:
            events = watch.stream(self._api.list_pod_for_all_namespaces, resource_version="1")
        for event in events:
            yield event["object"]


@contextmanager
def _sync() -> Generator[SyncClient]:
    _config.load_kube_config()
    yield _Sync()


if __name__ == "__main__":
    main(Worker(read=_read, decode=_decode, sync=_sync, encode=_encode, copy=copy.deepcopy))
