"""The controllers, with threads. `async_controller.py` is the same with tasks."""

from __future__ import annotations

import kubeapi
from kubeapi.core.v1 import Endpoints, Pod

from clientgen.runtime import SYSTEM_CLOCK, Clock, drop_managed_fields, split_key
from clientgen.runtime.controllers import Request, Result
from clientgen.runtime.errors import AlreadyExists, Conflict, NotFound
from clientgen.runtime.sync import Context, Manager, PriorityQueue

from . import api
from .api.servicelookup.v1alpha1 import PodToService
from .decisions import Caches, Create, Delete, Step, Update
from .handlers import same_name


class ServiceLookup:
    """Keeps a PodToService for every pod that backs a service.

    Args:
        k: The cluster.
        namespace: The only one to look at; None for all.
        workers: How many for each of the controllers.
        lease: The name of the lease that one of several replicas holds; None for no election.
        sync_timeout: How many seconds `run` waits for the caches.
        clock: What waits are measured with.
    """

    def __init__(
        self,
        k: kubeapi.Clientset,
        *,
        namespace: str | None = None,
        workers: int = 2,
        lease: str | None = None,
        sync_timeout: float = 60.0,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        api.add_to_scheme(k.scheme)
        self._client = api.Clientset(k.rest)
        manager = Manager(
            k,
            leader_election=lease,
            leader_election_namespace=namespace,
            namespaces=namespace,
            informers={"transform": drop_managed_fields},
            sync_timeout=sync_timeout,
            clock=clock,
        )
        self._caches = Caches(
            manager.informer(Pod).indexer,
            manager.informer(Endpoints).indexer,
            manager.informer(PodToService).indexer,
        )
        self._endpoints = manager.controller("endpoints", self._look_up, workers=workers)
        self._endpoints.for_(Endpoints)
        self._pods = manager.controller("pods", self._put_right, workers=workers)
        # Whoever changes a record finds it put right.
        self._pods.for_(Pod).watches(PodToService, same_name)
        self._manager = manager

    @property
    def endpoints(self) -> PriorityQueue[Request]:
        """The services whose pods are to be looked up."""
        return self._endpoints.queue

    @property
    def pods(self) -> PriorityQueue[Request]:
        """The pods whose PodToService is to be put right."""
        return self._pods.queue

    def run(self) -> None:
        """Watch and work until the program is told to stop, and finish what was begun.

        Raises:
            TimeoutError: The caches were not filled in time.
        """
        self._manager.run()

    def stop(self) -> None:
        """Have `run` come to its end."""
        self._manager.stop()

    def _look_up(self, context: Context[Endpoints]) -> Result | None:
        """Have the pods of a service looked at; again later if some are not known yet."""
        affected = self._caches.affected(str(context.request))
        for pod in affected.pods:
            self.pods.add(Request(*split_key(pod)))
        return Result(requeue=True) if affected.unknown else None

    def _put_right(self, context: Context[Pod]) -> Result | None:
        """Do what is to be done about a pod."""
        step = self._caches.next_step(str(context.request))
        try:
            if step is not None:
                self._take(step, context.request)
        except (AlreadyExists, Conflict, NotFound) as error:  # the cache was behind: it happens
            context.log.debug("%s", error)
            return Result(requeue=True)
        return None

    def _take(self, step: Step, request: Request) -> None:
        records = self._client.servicelookup_v1alpha1.pod_to_services(request.namespace)
        match step:
            case Create(wanted):
                records.create(wanted)
            case Update(changed):
                records.update(changed)
            case Delete(outdated):
                records.delete(request.name, uid=outdated.metadata.uid)
