"""The controller, with threads. `async_controller.py` is the same with tasks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import kubeapi

from clientgen.runtime import SYSTEM_CLOCK, Clock, drop_managed_fields, split_key
from clientgen.runtime.sync import SharedInformer, WorkQueue

from . import api
from .decisions import Caches, Create, Delete, Step, Update
from .handlers import keys_to, report


class ServiceLookup:
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
        k: kubeapi.Clientset,
        *,
        namespace: str | None = None,
        workers: int = 2,
        sync_timeout: float = 60.0,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self.endpoints: WorkQueue[str] = WorkQueue("endpoints", clock=clock)
        self.pods: WorkQueue[str] = WorkQueue("pods", clock=clock)
        self._client = api.Clientset(k.rest)
        self._workers = workers
        self._sync_timeout = sync_timeout
        self._stopping = threading.Event()
        self._factory = k.informers(namespace=namespace, transform=drop_managed_fields, clock=clock)
        own = self._factory.join(api.InformerFactory)  # starts and stops with it
        pods, endpoints = self._factory.core_v1.pods(), self._factory.core_v1.endpoints()
        records = own.servicelookup_v1alpha1.pod_to_services()
        self._informers: list[SharedInformer[Any]] = [pods, endpoints, records]
        self._caches = Caches(pods.indexer, endpoints.indexer, records.indexer)
        endpoints.add_handler(*keys_to(self.endpoints.add))
        pods.add_handler(*keys_to(self.pods.add))
        records.add_handler(*keys_to(self.pods.add))  # whoever changes one finds it put right

    def run(self) -> None:
        """Watch and work until `stop` is called, and finish what was begun.

        Raises:
            TimeoutError: The caches were not filled in time.
        """
        with self._factory:
            if not self._wait_for_sync():
                return
            workers = self._start()
            try:
                self._stopping.wait()
            finally:
                self.endpoints.shut_down()
                self.pods.shut_down()
                for worker in workers:
                    worker.join()

    def stop(self) -> None:
        """Have `run` come to its end. Not for signal handlers, which may interrupt who waits."""
        self._stopping.set()
        for informer in self._informers:
            informer.stop_soon()

    def _wait_for_sync(self) -> bool:
        """Half a cache is worse than none: what is not there yet would be deleted."""
        for informer in self._informers:
            if not informer.wait_for_sync(self._sync_timeout) and not informer.is_stopped:
                raise TimeoutError(f"{informer!r} is not filled after {self._sync_timeout:g} s")
        return not self._stopping.is_set()

    def _start(self) -> list[threading.Thread]:
        jobs = [(self.endpoints, self._look_up), (self.pods, self._put_right)] * self._workers
        workers = [
            threading.Thread(target=self._work, args=job, name=f"servicelookup {job[0].name}")
            for job in jobs
        ]
        for worker in workers:
            worker.start()
        return workers

    def _work(self, queue: WorkQueue[str], reconcile: Callable[[str], bool]) -> None:
        for key in queue:
            with queue.processing(key):
                try:
                    done = reconcile(key)
                except Exception as error:  # noqa: BLE001 - one object must not stop the others
                    report(queue.name, key, error)
                    done = False
                if done:
                    queue.forget(key)
                else:
                    queue.add_rate_limited(key)

    def _look_up(self, key: str) -> bool:
        """Have the pods of a service looked at; false if some are not known yet."""
        affected = self._caches.affected(key)
        for pod in affected.pods:
            self.pods.add(pod)
        return not affected.unknown

    def _put_right(self, key: str) -> bool:
        """Do what is to be done about a pod."""
        step = self._caches.next_step(key)
        if step is not None:
            self._take(step, key)
        return True

    def _take(self, step: Step, key: str) -> None:
        namespace, name = split_key(key)
        records = self._client.servicelookup_v1alpha1.pod_to_services(namespace)
        match step:
            case Create(wanted):
                records.create(wanted)
            case Update(changed):
                records.update(changed)
            case Delete(outdated):
                records.delete(name, uid=outdated.metadata.uid)
