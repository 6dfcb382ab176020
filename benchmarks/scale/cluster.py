"""The pods of a real cluster: those of a namespace, or new ones in a namespace of their own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kubeapi import Clientset
from kubeapi.core.v1 import Container, Namespace, Pod, PodSpec

from clientgen.runtime.models import ObjectMeta

if TYPE_CHECKING:
    from collections.abc import Generator

_PREFIX = "clientgen-scale-"
_THREADS = 16
# No scheduler has this name, so that the pods never run.
_NO_SCHEDULER = "clientgen-scale"


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
            with ThreadPoolExecutor(_THREADS) as pool:
                list(pool.map(k.core_v1.pods(name).create, map(_pod, range(create))))
            yield name, create
        finally:
            k.core_v1.namespaces().delete(name)


def _pod(number: int) -> Pod:
    container = Container(name="app", image="registry.example.com/app:v1")
    return Pod(
        metadata=ObjectMeta(name=f"pod-{number:06}", labels={"app": f"app-{number // 20}"}),
        spec=PodSpec(scheduler_name=_NO_SCHEDULER, containers=[container]),
    )
