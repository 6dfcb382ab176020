"""`AsyncFleetController`: a controller whose objects are in the clusters of a fleet."""

# A controller uses private parts of its informers.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from .._controllers.json_logs import title_of
from .._controllers.queue_state import LOW_PRIORITY
from .._controllers.reconcile_loop import (
    ClusterRequest,
    cluster_name,
    owner_mapper,
    request_for,
    requests_of,
)
from .._models.arguments import check_function, check_source
from .._models.unstructured import Object
from ..errors import TerminalError, TransportError
from ._primitives import short_lock, spawn
from .controller import _Watched
from .fair_queue import AsyncFairQueue
from .fleet_member import AsyncMember
from .managed_controller import AsyncManagedController

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager
    from contextvars import Context
    from typing import Self

    from .._clock import Clock
    from .._controllers.attempts import Attempt
    from .._controllers.fleet_metrics import PrometheusFleetMetrics
    from .._controllers.object_tracking import ObjectKey
    from .._controllers.predicates import Predicate
    from .._controllers.queue_state import QueueMetricsProvider
    from .._controllers.rate_limiters import RateLimiter
    from .._controllers.reconcile_loop import Request, Result
    from .._http.resource import Resource
    from ._primitives import Task
    from .clientset import AsyncClientsetBase
    from .controller import AsyncSource
    from .controller_cluster import AsyncCluster
    from .informer import AsyncSharedInformer
    from .workflow import AsyncWorkflow
    from .workqueue import AsyncPriorityQueue

T = TypeVar("T", bound=Object)
S = TypeVar("S")

logger = logging.getLogger("clientgen.runtime.controllers")


class AsyncFleetHost(Protocol):
    """The part of a manager of a fleet that its controllers use."""

    metrics: PrometheusFleetMetrics | None

    def member(self, name: str) -> AsyncMember | None:
        """Return the cluster with this name; None if it has not joined."""
        ...

    def members(self) -> list[AsyncMember]:
        """List the clusters that have joined."""
        ...

    @property
    def leaving(self) -> int:
        """The number of clusters whose work has not ended yet."""
        ...

    def informer(self, member: AsyncMember, model: type[Any]) -> AsyncSharedInformer[Any]:
        """Return the informer of a kind in a cluster."""
        ...

    def resource(self, model: type[Any]) -> Resource:
        """Return the resource of a kind."""
        ...


class _Left(Exception):  # noqa: N818 - a normal end
    """The cluster of a request has left."""


class _Pattern:
    """A source in every cluster of the fleet."""

    def __init__(
        self,
        model: type[Any],
        mapper: Callable[[Any], Iterable[Request]],
        predicates: tuple[Predicate, ...],
    ) -> None:
        self.model = model
        self.mapper = mapper
        self.predicates = predicates


class _Served:
    """The sources of a controller in one cluster."""

    def __init__(self, sources: list[_Watched]) -> None:
        self.sources = sources
        self.is_synced = False
        self.is_over = False


class AsyncFleetController(AsyncManagedController[T]):
    """A controller of a manager of a fleet.

    Its classes are watched in every cluster of the fleet, or with `where=` at home. `workers` is
    the number of objects of each cluster that are reconciled at once.
    """

    _fleet: AsyncFleetHost

    def __init__(self, *args: Any, fleet: AsyncFleetHost, **options: Any) -> None:
        self._fleet = fleet
        super().__init__(*args, **options)
        self._patterns: list[_Pattern] = []
        self._last_pattern: _Pattern | None = None
        self._primary: _Pattern | None = None
        self._served: dict[AsyncMember, _Served] = {}
        self._context: Context | None = None
        self._waits: list[Task] = []
        self._serving_lock = short_lock()

    def _new_queue(
        self,
        limiter: RateLimiter[Request] | None,
        clock: Clock,
        metrics: QueueMetricsProvider | None,
    ) -> AsyncPriorityQueue[Request]:
        return AsyncFairQueue(
            self.name,
            self._workers,
            limiter=limiter,
            clock=clock,
            metrics=metrics,
            interval=self._interval,
        )

    @property
    def _lanes(self) -> AsyncFairQueue:
        return cast("AsyncFairQueue", self.queue)

    # ---- sources ------------------------------------------------------------------------------

    def for_(
        self, source: type[T] | AsyncSource[T], *, where: AsyncClientsetBase | None = None
    ) -> Self:
        """Reconcile the objects of a kind, in every cluster of the fleet, or with `where` at home.

        Raises:
            LookupError: The scheme does not know the class.
            RuntimeError: `for_` was called before.
            ValueError: `where` is not `home`.
        """
        if self._primary is not None:
            raise RuntimeError(f"{self!r} is for {self._primary.model.__name__} already")
        if not self._is_everywhere("for_()", source, where):
            self._last_pattern = None
            return super().for_(source, where=where)
        if self._primaries:
            return super().for_(source)  # raises
        model = cast("type[T]", source)
        self._resource = self._fleet.resource(model)
        self._primary = self._add_pattern(model, request_for)
        return self

    def owns(
        self,
        source: type[Object] | AsyncSource[Any],
        owner: Resource | None = None,
        *,
        every_owner: bool = False,
    ) -> Self:
        """Reconcile the owners of the objects of a kind, in the same cluster.

        Raises:
            LookupError: The scheme does not know the class.
            ValueError: No owner is given, and `for_` was not called before.
        """
        if not self._is_everywhere("owns()", source, None) or self._primary is None:
            self._last_pattern = None
            return super().owns(source, owner, every_owner=every_owner)
        assert self._resource is not None
        self._add_pattern(source, owner_mapper(owner or self._resource, every_owner=every_owner))
        return self

    def watches(
        self,
        source: type[S] | AsyncSource[S],
        mapper: Callable[[S], Iterable[Request]],
        *,
        where: AsyncClientsetBase | None = None,
    ) -> Self:
        """Reconcile the requests that `mapper` returns for the objects of a kind.

        If the objects of `for_` are in the fleet, requests for an object of a cluster are for that
        cluster; for objects of `home`, `mapper` names the clusters with `fleet.requests`. When a
        cluster joins, the objects of `home` are mapped again for it.

        Raises:
            LookupError: The scheme does not know the class.
            ValueError: `where` is not `home`.
        """
        if not self._is_everywhere("watches()", source, where):
            self._last_pattern = None
            return super().watches(source, mapper, where=where)
        check_function("mapper", mapper)
        self._add_pattern(source, mapper)
        return self

    def when(self, predicate: Predicate) -> Self:
        """Ignore the events for which `predicate` returns false; see `AsyncController.when`."""
        check_function("predicate", predicate)
        if self._last_pattern is None:
            return super().when(predicate)
        self._last_pattern.predicates += (predicate,)
        return self

    def unwatch(self, source: type[Object] | AsyncSource[Any]) -> None:
        """Remove a source of `home`, whose informer keeps running.

        Raises:
            LookupError: The controller does not watch the source at home.
        """
        if any(pattern.model is source for pattern in self._patterns):
            raise LookupError(
                f"{self!r} watches {getattr(source, '__name__', source)} in the clusters of the"
                " fleet: this cannot be changed"
            )
        super().unwatch(source)

    def _is_everywhere(self, call: str, source: object, where: AsyncClientsetBase | None) -> bool:
        """Return whether a source is in every cluster of the fleet."""
        check_source(call, source)
        self._check_place(call, where)
        return isinstance(source, type) and where is None

    def _add_pattern(self, model: Any, mapper: Callable[[Any], Iterable[Request]]) -> _Pattern:
        if self._has_started:
            raise RuntimeError(f"{self!r} runs: name the kinds of the fleet before it starts")
        self._fleet.resource(model)  # an unknown class raises now
        pattern = _Pattern(model, mapper, self._predicates)
        self._patterns.append(pattern)
        self._last_pattern = pattern
        return pattern

    def _new_workflow(self) -> AsyncWorkflow[T]:
        """Return the workflow of the dependents.

        Raises:
            RuntimeError: The objects of `for_` are in the fleet.
        """
        if self._primary is not None:
            raise RuntimeError(
                f"{self!r}: dependents work at home only: call for_(..., where=home)"
            )
        return super()._new_workflow()

    def reconcile_all(self) -> None:
        """Add a request for each object of `for_` in the caches; see `AsyncController`."""
        super().reconcile_all()
        with self._serving_lock:
            sources = [source for served in self._served.values() for source in served.sources]
        for source in sources:
            if source.is_primary:
                self._enqueuer_of(source).add_all()

    def _watches_resource(self, group: str, plural: str) -> bool:
        resources = [self._fleet.resource(each.model) for each in self._patterns]
        is_watched = any((each.group, each.plural) == (group, plural) for each in resources)
        return is_watched or super()._watches_resource(group, plural)

    @property
    def _has_sources(self) -> bool:
        return bool(self._sources or self._patterns)

    def _foreign_cluster_of(self, source: _Watched) -> object:
        if isinstance(source.cluster, AsyncMember):
            return source.cluster.name if self._primary is not None else None
        return super()._foreign_cluster_of(source)

    # ---- clusters -----------------------------------------------------------------------------

    async def _run_workers(self) -> None:
        self._context = copy_context()  # with the permit to write, which workers need
        for member in self._fleet.members():
            self.attach(member)
        try:
            await super()._run_workers()
        finally:
            self._context = None
            for member in [*self._served]:
                self.detach(member)

    def attach(self, member: AsyncMember) -> None:
        """Watch the objects of a cluster that has joined, if the controller runs."""
        with self._serving_lock:
            context = self._context
            if context is None or member in self._served or member.is_leaving:
                return
            sources = [self._source_in(member, pattern) for pattern in self._patterns]
            served = self._served[member] = _Served(sources)
            for pattern, source in zip(self._patterns, sources, strict=True):
                if pattern is self._primary:
                    self._primaries[member] = cast("Any", source.informer)
            self._lanes.open(member.name)
            for source in sources:
                self._listen(source)
            wanted = self._workers * (1 + len(self._served) + self._fleet.leaving)
            self._add_workers(wanted - len(self._tasks), context)
            self._waits = [task for task in self._waits if not task.done]
            wait = partial(self._await_caches, member, served)
            self._waits.append(spawn(wait, f"{self.name}-{member.name}", context.copy()))

    def _source_in(self, member: AsyncMember, pattern: _Pattern) -> _Watched:
        source = _Watched(self._fleet.informer(member, pattern.model), member, pattern.mapper)
        source.is_primary = pattern is self._primary
        for predicate in pattern.predicates:
            source.add_predicate(predicate)
        return source

    def detach(self, member: AsyncMember) -> None:
        """Stop watching a cluster, and drop its requests."""
        with self._serving_lock:
            served = self._served.pop(member, None)
            if served is None:
                return
            served.is_over = True
            self._primaries.pop(member, None)
            for request in self._lanes.close(member.name):
                self._attempts.forget(request)
        for source in served.sources:
            source.remove_handler()
        # Memos and daemons end with the objects, of which there will be no deletions.
        self._forget_objects(lambda key: cluster_name(key.request) == member.name)

    def follow(self, member: AsyncMember) -> None:
        """Hold back the requests of a cluster while it does not answer, or is not in the caches."""
        with self._serving_lock:
            served = self._served.get(member)
            if served is None:
                return
            if served.is_synced and not member.is_cut_off:
                self._lanes.release(member.name)
            else:
                self._lanes.hold(member.name)

    def depth(self, member: AsyncMember) -> int:
        """Return the number of requests of a cluster that wait for a worker."""
        return self._lanes.depth(member.name)

    async def _await_caches(self, member: AsyncMember, served: _Served) -> None:
        """Wait until the handlers have got the initial objects of a cluster, and begin."""
        for source in served.sources:
            registration: Any = source.registration
            if registration is not None:
                await registration.wait_for_sync()
        with self._serving_lock:
            if served.is_over:
                return
            served.is_synced = True
        self._map_again(member.name)
        self.follow(member)

    def _map_again(self, cluster: str) -> None:
        """Enqueue the requests for a cluster that objects of `home` map to.

        When they were mapped before, the cluster had not joined. Predicates do not apply: they may
        have seen the objects.
        """
        for source in [*self._sources]:
            indexer: Any = getattr(source.informer, "indexer", None)
            objects: list[Any] = [] if indexer is None else indexer.list()
            for obj in objects:
                try:
                    for request in requests_of(source.mapper, obj):
                        if isinstance(request, ClusterRequest) and request.cluster == cluster:
                            self.queue.add(request, priority=LOW_PRIORITY)
                except Exception:
                    logger.exception("%s: an object could not be mapped", source.informer.title)

    # ---- reconciling --------------------------------------------------------------------------

    async def _call_reconcile(
        self, request: Request, fields: dict[str, str], attempt: Attempt
    ) -> Result | None:
        if not isinstance(request, ClusterRequest):
            if self._primary is not None:
                raise TerminalError(
                    f"the request {request} names no cluster: mappers of objects at home return"
                    " fleet.requests(obj)"
                )
            return await super()._call_reconcile(request, fields, attempt)
        member = self._fleet.member(str(request.cluster))
        if member is None:
            return None
        has_failed = True
        try:
            with member.working():
                work = super()._call_reconcile(request, fields, attempt)
                result = await member.over.run_unless_set(work)
            has_failed = False
        except _Left:
            return None
        finally:
            if self._fleet.metrics is not None:
                self._fleet.metrics.reconciled(self.name, member.name, failed=has_failed)
        return result

    def _cluster_in(self, request: Request) -> AsyncCluster | None:
        if not isinstance(request, ClusterRequest):
            return super()._cluster_in(request)
        member = self._fleet.member(str(request.cluster))
        if member is None:
            raise _Left
        return member

    def _find(self, key: ObjectKey) -> T | None:
        try:
            return super()._find(key)
        except _Left:  # daemons and polls of its objects end a moment later
            return None

    def _daemon_cluster(self, request: Request) -> AsyncCluster | None:
        try:
            return super()._daemon_cluster(request)
        except _Left:
            return None

    def _permitted(self, key: ObjectKey, cluster: AsyncCluster) -> AbstractContextManager[None]:
        if isinstance(cluster, AsyncMember):
            return cluster.working()
        return super()._permitted(key, cluster)

    def _cached(self, request: Request, cluster: AsyncCluster | None) -> T | None:
        if isinstance(cluster, AsyncMember) and self._primary is not None:
            primary = self._primaries.get(cluster)
            if primary is None:  # without a cache, every object would look deleted
                raise _Left
        return super()._cached(request, cluster)

    def _requeue_failed(
        self, request: Request, fields: dict[str, str], error: Exception, attempt: Attempt
    ) -> Exception:
        if self._is_cut_off(request, error):
            # The fleet tells about the cluster, once for all of its objects.
            logger.debug("%s: %s: %s", self.name, title_of(fields), error, extra=fields)
            self.queue.add_rate_limited(request, priority=self.queue.priority(request))
        else:
            error = super()._requeue_failed(request, fields, error, attempt)
        if not self._lanes.accepts(request):  # its cluster has left
            self._attempts.forget(request)
        return error

    def _is_cut_off(self, request: Request, error: Exception) -> bool:
        """Return whether an attempt failed because its cluster cannot be reached.

        Such an attempt does not count.
        """
        if not isinstance(request, ClusterRequest) or not isinstance(error, TransportError):
            return False
        member = self._fleet.member(str(request.cluster))
        return member is not None and member.seconds_without_watch > 0.0
