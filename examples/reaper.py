"""A small controller: it deletes pods that have been done for an hour. test_reaper.py tests it."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta

from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import Pod

from clientgen.runtime import Clock
from clientgen.runtime.errors import NotFound

KEPT = timedelta(hours=1)
DONE = "status.phase=Succeeded"


def finished_at(pod: Pod) -> datetime | None:
    """When the last of its containers ended."""
    ends = [
        each.state.terminated.finished_at
        for each in pod.status.container_statuses
        if each.state and each.state.terminated and each.state.terminated.finished_at
    ]
    return max(ends, default=None)


class Reaper:
    def __init__(self, k: Clientset, clock: Clock) -> None:
        self._k = k
        self._clock = clock

    def reap(self) -> list[str]:
        """Look once; gives the names of the pods that went."""
        gone: list[str] = []
        for pod in self._k.core_v1.pods().each(field_selector=DONE):
            end = finished_at(pod)
            if end is not None and self._clock.now() - end >= KEPT:
                self._delete(pod)
                gone.append(f"{pod.metadata.namespace}/{pod.metadata.name}")
        return gone

    def _delete(self, pod: Pod) -> None:
        namespace, name = pod.metadata.namespace or "", pod.metadata.name or ""
        with suppress(NotFound):  # somebody may be faster
            # Another pod of the same name is not meant.
            self._k.core_v1.pods(namespace).delete(name, uid=pod.metadata.uid or "")


async def next_done(k: AsyncClientset, version: str) -> str:
    """Wait for the next pod that is done; gives its name."""
    async with k.core_v1.pods().watch(resource_version=version, field_selector=DONE) as watch:
        async for event in watch:
            if event.type == "ADDED":
                return event.object.metadata.name or ""
    raise RuntimeError("the watch was stopped")
