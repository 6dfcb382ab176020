"""The pods of a real cluster: those of a namespace, or new ones in a namespace of their own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from kubeapi import Clientset
from kubeapi.core.v1 import Namespace, Pod

from benchmarks.pods import pods as pods_like_a_server
from clientgen.runtime.errors import Forbidden
from clientgen.runtime.models import ObjectMeta, from_dict

if TYPE_CHECKING:
    from collections.abc import Generator

    from kubeapi.core.v1.clients import PodClient

_PREFIX = "clientgen-scale-"
_THREADS = 16
# No scheduler has this name, so that the pods never run.
_NO_SCHEDULER = "clientgen-scale"
# Fields of a pod that name objects of its cluster.
_SET_BY_OTHERS = frozenset(
    {"nodeName", "serviceAccount", "serviceAccountName", "priority", "preemptionPolicy"}
)
_SECONDS_TO_ACCOUNT = 30.0
_RETRY_SECONDS = 0.2


@contextmanager
def pods(kubeconfig: str, namespace: str, create: int) -> Generator[tuple[str, int]]:
    """Give the namespace of the pods, and how many there are. A created namespace is deleted."""
    with Clientset.from_config(kubeconfig) as k:
        if not create:
            yield namespace, sum(1 for _ in k.core_v1.pods(namespace).each())
            return
        made = k.core_v1.namespaces().create(Namespace(metadata=ObjectMeta(generate_name=_PREFIX)))
        name = made.metadata.name
        try:
            _create_all(k.core_v1.pods(name), create)
            yield name, create
        finally:
            k.core_v1.namespaces().delete(name)


def _create_all(client: PodClient, count: int) -> None:
    first, *others = _wanted(count)
    _create_first(client, first)
    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(partial(_create, client), others))


def _create_first(client: PodClient, pod: Pod) -> None:
    """Create a pod. A server refuses the pods of a new namespace until it has a service account."""
    ends = monotonic() + _SECONDS_TO_ACCOUNT
    while True:
        try:
            _create(client, pod)
        except Forbidden:
            if monotonic() > ends:
                raise
            sleep(_RETRY_SECONDS)
        else:
            return


def _create(client: PodClient, pod: Pod) -> None:
    created = client.create(pod)  # which ignores the status
    created.status = pod.status
    client.update_status(created)


def _wanted(count: int) -> list[Pod]:
    """Return the pods of `benchmarks.pods`, without what controllers and other plugins set."""
    return [_pod(number, pod) for number, pod in enumerate(pods_like_a_server(count))]


def _pod(number: int, pod: dict[str, Any]) -> Pod:
    metadata, spec = pod["metadata"], pod["spec"]
    kept = {name: metadata[name] for name in ("labels", "annotations")}
    own = {name: value for name, value in spec.items() if name not in _SET_BY_OTHERS}
    body = {
        "metadata": {**kept, "name": f"pod-{number:06}"},
        "spec": {**own, "schedulerName": _NO_SCHEDULER, "serviceAccountName": "default"},
        "status": pod["status"],
    }
    return from_dict(Pod, body)
