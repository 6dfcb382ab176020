"""The controller, with tasks. `controller.py` is the same with threads."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import kubeapi

from clientgen.runtime import SYSTEM_CLOCK, Clock, drop_managed_fields, split_key
from clientgen.runtime.aio import AsyncSharedInformer, AsyncWorkQueue

from . import api
from .decisions import Caches, Create, Delete, Step, Update
from .handlers import keys_to, report


class AsyncServiceLookup:
    """Keeps a PodToService for every pod that backs a service.

    Args:
        k: The cluster.
        namespace: The only one to look at; None for all.
        workers: How many for each of the queues.
        sync_timeout: How many seconds `run` waits for the caches.
        clock: What waits are measured with.

    Attributes:
        endpoints: The services whose pods are to be looked up.
        pods: The pods whose PodToService is to be put right.
    """

    def __init__(
        self,
        k: kubeapi.AsyncClientset,
        *,
        namespace: str | None = None,
        workers: int = 2,
        sync_timeout: float = 60.0,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self.endpoints: AsyncWorkQueue[str] = AsyncWorkQueue("endpoints", clock=clock)
        self.pods: AsyncWorkQueue[str] = AsyncWorkQueue("pods", clock=clock)
        self._client = api.AsyncClientset(k.rest)
        self._workers = workers
        self._sync_timeout = sync_timeout
        self._stopping = asyncio.Event()
        self._factory = k.informers(namespace=namespace, transform=drop_managed_fields, clock=clock)
        own = self._factory.join(api.AsyncInformerFactory)  # starts and stops with it
        pods, endpoints = self._factory.core_v1.pods(), self._factory.core_v1.endpoints()
        records = own.servicelookup_v1alpha1.pod_to_services()
        self._informers: list[AsyncSharedInformer[Any]] = [pods, endpoints, records]
        self._caches = Caches(pods.indexer, endpoints.indexer, records.indexer)
        endpoints.add_handler(*keys_to(self.endpoints.add))
        pods.add_handler(*keys_to(self.pods.add))
        records.add_handler(*keys_to(self.pods.add))  # whoever changes one finds it put right

    async def run(self) -> None:
        """Watch and work until `stop` is called, and finish what was begun.

        Raises:
            TimeoutError: The caches were not filled in time.
        """
        async with self._factory:
            if not await self._wait_for_sync():
                return
            async with asyncio.TaskGroup() as workers:
                for _ in range(self._workers):
                    workers.create_task(self._work(self.endpoints, self._look_up))
                    workers.create_task(self._work(self.pods, self._put_right))
                await self._stopping.wait()
                self.endpoints.shut_down()
                self.pods.shut_down()

    def stop(self) -> None:
        """Have `run` come to its end."""
        self._stopping.set()
        for informer in self._informers:
            informer.stop_soon()

    async def _wait_for_sync(self) -> bool:
        """Half a cache is worse than none: what is not there yet would be deleted."""
        for informer in self._informers:
            if not await informer.wait_for_sync(self._sync_timeout) and not informer.is_stopped:
                raise TimeoutError(f"{informer!r} is not filled after {self._sync_timeout:g} s")
        return not self._stopping.is_set()

    async def _work(
        self, queue: AsyncWorkQueue[str], reconcile: Callable[[str], Awaitable[bool]]
    ) -> None:
        async for key in queue:
            with queue.processing(key):
                try:
                    done = await reconcile(key)
                except Exception as error:  # noqa: BLE001 - one object must not stop the others
                    report(queue.name, key, error)
                    done = False
                if done:
                    queue.forget(key)
                else:
                    queue.add_rate_limited(key)

    async def _look_up(self, key: str) -> bool:
        """Have the pods of a service looked at; false if some are not known yet."""
        affected = self._caches.affected(key)
        for pod in affected.pods:
            self.pods.add(pod)
        return not affected.unknown

    async def _put_right(self, key: str) -> bool:
        """Do what is to be done about a pod."""
        step = self._caches.next_step(key)
        if step is not None:
            await self._take(step, key)
        return True

    async def _take(self, step: Step, key: str) -> None:
        namespace, name = split_key(key)
        records = self._client.servicelookup_v1alpha1.pod_to_services(namespace)
        match step:
            case Create(wanted):
                await records.create(wanted)
            case Update(changed):
                await records.update(changed)
            case Delete(outdated):
                await records.delete(name, uid=outdated.metadata.uid)
