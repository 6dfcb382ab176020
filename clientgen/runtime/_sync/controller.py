# Derived from _async/controller.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""`Controller`: puts changed objects into a queue, and workers reconcile them."""

from __future__ import annotations

import logging
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from .._cache.sync_errors import standstill_error, timeout_error
from .._clock import SYSTEM_CLOCK, standstill_of
from .._controllers.attempts import Attempts
from .._controllers.controller_options import settings_of
from .._controllers.json_logs import RECONCILE_FIELDS
from .._controllers.outcomes import fields_of, log_failure, outcome_of
from .._controllers.predicates import Event as SourceEvent
from .._controllers.predicates import fresh, settle
from .._controllers.queue_state import LOW_PRIORITY, ShutDown
from .._controllers.reconcile_loop import (
    ClusterRequest,
    Request,
    Result,
    owner_mapper,
    request_for,
    requests_of,
    requeue,
    update_priority,
)
from .._models.arguments import check_function, check_source
from .._signals import on_stop_signal_outside_tests
from ..errors import TerminalError
from ._primitives import Event, from_any_thread, spawn
from .controller_sources import ControllerSources
from .governed_call import GovernedCalls
from .lease_client import rest_of
from .rest import Rest
from .workqueue import PriorityQueue

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence
    from contextvars import Context
    from typing import Self, Unpack

    from typing_extensions import TypeVar as DefaultingTypeVar

    from .._clock import Clock
    from .._controllers.attempts import Attempt
    from .._controllers.controller_options import ControllerOptions
    from .._controllers.object_tracking import ObjectKey
    from .._controllers.outcomes import Outcome, ReconcileMetrics
    from .._controllers.predicates import Predicate
    from .._controllers.queue_state import QueueMetricsProvider
    from .._controllers.rate_limiters import RateLimiter
    from .._http.resource import Resource
    from ..errors import SyncTimeout
    from ._primitives import Function, Task
    from .lease_client import Client
    from .own_write_guard import OwnWriteGuard

    R = DefaultingTypeVar("R", bound=Hashable, default=Request)
else:
    R = TypeVar("R")

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

_POLL_INTERVAL_SECONDS = 0.05
_CANCEL_TIMEOUT_SECONDS = 1.0

# A generator of its own: programs that seed the module `random` get the same numbers as before.
_reconcile_ids = Random()  # noqa: S311 - for log records

logger = logging.getLogger("clientgen.runtime.controllers")


class Registration(Protocol):
    """A handler of an informer."""

    def has_synced(self) -> bool:
        """Return whether the handler has received all initial objects."""
        ...

    def remove(self) -> None:
        """Remove the handler from the informer."""
        ...


class Source(Protocol[T_co]):
    """The part of an informer that a controller uses.

    If a source has an attribute `client`, as informers do, that client identifies the cluster of
    its objects.
    """

    @property
    def resource(self) -> Resource:
        """The watched resource."""
        ...

    def add_handler(
        self,
        on_add: Callable[[T_co, bool], object] | None = None,
        on_update: Callable[[T_co, T_co], object] | None = None,
        on_delete: Callable[[T_co], object] | None = None,
    ) -> Registration:
        """Add functions to call on changes."""
        ...

    @property
    def title(self) -> str:
        """The name of the source in messages."""
        ...

    @property
    def sync_status(self) -> str:
        """The state of the cache, as text: whether it is synced."""
        ...

    def start(self) -> None:
        """Start the informer if it is not running."""
        ...


class Controller(ControllerSources[R]):
    """Calls `reconcile` for objects that changed, until it is stopped.

        controller = Controller("web", reconcile).for_(deployments).owns(pods)
        with factory:
            controller.run()

    `reconcile` gets the name of an object, reads the caches, and acts. The controller calls it for
    every object at first, and then for objects that changed, but never concurrently for the same
    object. If it raises, the controller calls it again after a growing delay: 5 ms, doubling up to
    1000 s. If it returns a Result, the Result sets the delay. Otherwise, and after a
    `TerminalError`, the next call follows the next change of the object. Changed objects have
    priority over objects that were only listed or resynced. (This follows controller-runtime's
    controllers.)

    `Manager.controller` creates controllers that need less code.

    Args:
        name: The name in logs and metrics.
        reconcile: A coroutine function (in `Controller`, an ordinary function).
        on_error: A function like `reconcile`, called with the request and the error after each
            failed attempt, also the last one. It may return a Result, which then decides when the
            object is reconciled again. If it raises, the error is logged, and the object is retried
            as without this function. It is not called after `LeadershipLost`.
        request_type: The class of the requests, such as `str` or a frozen dataclass; None means
            `Request`, the name of an object. Requests are hashable, and equal ones are one. With a
            class of your own, `watches`, `polls`, `receives` and `source` make the requests.
        limiter: Sets the delays after errors. None means the default above.
        clock: The clock for delays.
        metrics: Publishes the queue's metrics under the controller's name.
        sync_timeout: How many seconds `run` waits for the caches.
        grace: How many seconds `run` waits for running reconciliations when it stops.
        options: When and how often an object is reconciled; see `ControllerOptions`.

    Attributes:
        queue: The queue, for requests from sources other than informers.
    """

    def __init__(
        self,
        name: str,
        reconcile: Function[[R], Result | None],
        *,
        on_error: Function[[R, Exception], Result | None] | None = None,
        request_type: type[R] | None = None,
        limiter: RateLimiter[R] | None = None,
        clock: Clock = SYSTEM_CLOCK,
        metrics: QueueMetricsProvider | None = None,
        sync_timeout: float = 120.0,
        grace: float = 30.0,
        **options: Unpack[ControllerOptions],
    ) -> None:
        settings = settings_of(options)
        self.name = name
        super().__init__()
        self._request_type: type[Any] = request_type or Request
        self._workers = settings.workers
        self._interval = settings.interval
        self.queue: PriorityQueue[R] = self._new_queue(limiter, clock, metrics)
        self._calls: GovernedCalls[Any] = GovernedCalls(
            name, reconcile, on_error, clock, settings.timeout
        )
        self._attempts = Attempts(settings.max_attempts)
        self._debounce = settings.debounce
        self._own_writes: OwnWriteGuard | None = None
        if not settings.own_writes_wake:
            from .own_write_guard import OwnWriteGuard as Guard  # few programs need it

            self._own_writes = Guard(self._watches_resource)
        self._clock = clock
        self._sync_timeout = sync_timeout
        self._grace = grace
        self._sources: list[_Watched] = []
        self._predicates: tuple[Predicate, ...] = ()
        self._resource: Resource | None = None
        # The clusters of the sources of `for_`. Requests for objects of the first cluster do not
        # name the cluster.
        self._clusters: list[object] = []
        self._is_listening = False
        self._observer: ReconcileMetrics | None = None
        self._stopping = Event()
        self._has_started = False
        self._failure: BaseException | None = None
        self._tasks: list[Task] = []  # the workers

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def _new_queue(
        self, limiter: RateLimiter[R] | None, clock: Clock, metrics: QueueMetricsProvider | None
    ) -> PriorityQueue[R]:
        return PriorityQueue(
            self.name, limiter=limiter, clock=clock, metrics=metrics, interval=self._interval
        )

    # ---- sources ------------------------------------------------------------------------------

    def for_(self, source: Source[Any]) -> Self:
        """Reconcile the objects of an informer."""
        self._check_names_objects("for_()")
        self._resource = source.resource
        self._clusters.append(self._cluster_of(source))
        self.watches(source, cast("Any", request_for))
        self._sources[-1].is_primary = True
        return self

    def owns(
        self,
        source: Source[Any],
        owner: Resource | None = None,
        *,
        every_owner: bool = False,
    ) -> Self:
        """Reconcile the owners of an informer's objects.

        Args:
            source: The informer of the owned objects.
            owner: The kind of the owners, such as `deployments.resource`; None means the kind of
                `for_`.
            every_owner: Whether to follow all owner references of the kind. Otherwise only the
                controlling owner is reconciled.

        Raises:
            ValueError: No owner is given, and `for_` was not called before.
        """
        self._check_names_objects("owns()")
        owner = owner or self._resource
        if owner is None:
            raise ValueError("give the kind of the owner, or call for_() first")
        mapper: Any = owner_mapper(owner, every_owner=every_owner)
        return self.watches(source, mapper)

    def watches(self, source: Source[T], mapper: Callable[[T], Iterable[R]]) -> Self:
        """Reconcile the requests that `mapper` returns for the objects of an informer.

        For an update, `mapper` is called with the old object, and again with the new object.
        """
        check_source("a controller", source)
        check_function("mapper", mapper)
        watched = _Watched(source, self._cluster_of(source), mapper)
        for predicate in self._predicates:
            watched.add_predicate(predicate)
        self._sources.append(watched)
        if self._is_listening:
            self._listen(watched)
        return self

    def when(self, predicate: Predicate) -> Self:
        """Ignore the events for which `predicate` returns false.

        The predicate applies to the source that was added last:
        `for_(tabs).when(generation_changed)`. Before the first source, it applies to all sources.
        An event must pass all predicates.

        Args:
            predicate: A function of an `Event`, which must not wait. If it raises, the error is
                logged and the event passes.
        """
        check_function("predicate", predicate)
        if self._sources:
            self._sources[-1].add_predicate(predicate)
        else:
            self._predicates += (predicate,)
        return self

    def unwatch(self, source: Source[Any]) -> None:
        """Remove an informer from the sources. The informer keeps running.

        This works while the controller runs, too.

        Raises:
            LookupError: The controller does not watch the informer.
        """
        found = [each for each in self._sources if each.informer is source]
        if not found:
            raise LookupError(f"{self!r} does not watch {source.title}")
        for watched in found:
            self._sources.remove(watched)
            watched.remove_handler()
            if watched.is_primary:
                self._forget_objects(partial(is_in, self._foreign_cluster_of(watched)))

    # ---- start and stop -----------------------------------------------------------------------

    def run(self) -> None:
        """Start the informers, wait for their caches, and reconcile until stopped.

        The controller stops on `stop`, and in the main thread on SIGTERM or SIGINT. It then waits
        for running reconciliations; queued objects are left for the next start. The informers keep
        running until their factory stops them.

        Raises:
            SyncTimeout: The caches did not sync in time (a TimeoutError). The message names each
                informer and the server's last response.
            RuntimeError: The controller has run before.
        """
        forget = on_stop_signal_outside_tests(self._clock, from_any_thread(self.stop))
        try:
            self._run()
        finally:
            forget()

    def _run(self) -> None:
        """Run without handling signals."""
        if self._has_started:
            raise RuntimeError(f"{self!r} has already run; create a new one")
        self._has_started = self._is_listening = True
        if not self._has_sources and not len(self.queue):
            logger.warning(
                "%s: no sources, so the controller reconciles only requests of its queue; name a"
                " kind with for_(), owns() or watches()",
                self.name,
            )
        try:
            for source in list(self._sources):
                self._listen(source)
            self._wait_for_sync()
            self._run_workers()
        except BaseException:
            self._grace = 0.0
            raise
        finally:
            self._is_listening = False
            self.queue.shut_down()
            for source in self._sources:
                source.remove_handler()
            self._tell_sources_to_stop()
            self._end_sources(self._grace)

    @property
    def _has_sources(self) -> bool:
        return bool(self._sources or self._request_sources)

    def stop(self) -> None:
        """Make `run` return."""
        self._stopping.set()

    def pause(self) -> None:
        """Begin no more reconciliations until `resume` is called. Running ones go on.

        Events still add requests to the queue, one for each object. Delays go on, too.
        """
        self.queue.pause()
        self._show_paused(is_paused=True)

    def resume(self) -> None:
        """End a pause, and reconcile what is in the queue. Does nothing without a pause."""
        self.queue.resume()
        self._show_paused(is_paused=False)

    @property
    def is_paused(self) -> bool:
        """Whether the controller is paused."""
        return self.queue.is_paused

    def _show_paused(self, *, is_paused: bool) -> None:
        if self._observer is not None:
            self._observer.paused(is_paused)

    def reconcile_all(self) -> None:
        """Add a request for each object of `for_` in the caches, with a low priority.

        Use it when something has changed that no source reports, such as the configuration of the
        program. Predicates do not apply.

        Raises:
            TypeError: A source of `for_` has no indexer, which informers have.
        """
        for source in self._sources:
            if source.is_primary:
                self._enqueuer_of(source).add_all()

    def _enqueuer_of(self, source: _Watched) -> _Enqueuer:
        cluster = self._foreign_cluster_of(source)
        return _Enqueuer(
            self.queue,
            source,
            cluster,
            request_type=self._request_type,
            debounce=self._debounce,
            own_writes=self._own_writes,
        )

    def _watches_resource(self, group: str, plural: str) -> bool:
        resources = [each.informer.resource for each in self._sources]
        return any((each.group, each.plural) == (group, plural) for each in resources)

    def _cluster_of(self, source: Source[Any]) -> object:
        """Return the object that all sources of a cluster share; None if a source has no client."""
        client = client_of(source)
        return None if client is None else rest_of(client)

    def _listen(self, source: _Watched) -> None:
        if source.is_primary:
            source.observe = partial(self._observe, self._foreign_cluster_of(source))
        enqueuer = self._enqueuer_of(source)
        source.registration = source.informer.add_handler(
            enqueuer.add, enqueuer.update, self._on_delete(source, enqueuer.delete)
        )
        source.informer.start()

    def _on_delete(self, _source: Any, enqueue: Callable[[Any], None]) -> Callable[[Any], None]:
        """Return the handler of deletions of a source; `enqueue` adds the requests."""
        return enqueue

    def _foreign_cluster_of(self, source: _Watched) -> object:
        """Return the cluster that requests of a source must name; None for the first cluster.

        If no source of `for_` is in the cluster of a source, its mapper names objects of the first
        cluster.
        """
        home, *others = self._clusters or [None]
        is_foreign = source.cluster is not home and source.cluster in others
        return source.cluster if is_foreign else None

    def _wait_for_sync(self) -> None:
        until = self._clock.monotonic() + self._sync_timeout
        standstill = standstill_of(self._clock)
        while not all(source.has_synced() for source in list(self._sources)):
            if self._clock.monotonic() >= until:
                until = self._sync_timed_out()
            if self._stopping.wait(_POLL_INTERVAL_SECONDS):
                return
            why = standstill.check() if standstill is not None else ""
            if why:
                raise standstill_error(why, self._states(), f"{self!r}: ")

    def _sync_timed_out(self) -> float:
        """Return the time until which to wait on for the caches, or raise SyncTimeout."""
        raise self._timeout_error()

    def _timeout_error(self) -> SyncTimeout:
        return timeout_error(self._sync_timeout, self._states(), f"{self!r}: ")

    def _states(self) -> list[tuple[str, str]]:
        return [(source.informer.title, source.informer.sync_status) for source in self._sources]

    def _run_workers(self) -> None:
        logger.info("%s: starting %d workers", self.name, self._workers)
        self._start_sources()
        self._add_workers(self._workers)
        try:
            self._stopping.wait()
        except BaseException:
            self._grace = 0.0
            raise
        finally:
            self._stop_workers(self._tasks)
        if self._failure:
            raise self._failure

    def _add_workers(self, count: int, context: Context | None = None) -> None:
        for _ in range(count):
            name = f"{self.name}-{len(self._tasks)}"
            own = None if context is None else context.copy()
            self._tasks.append(spawn(self._run_worker, name, own))

    def _stop_workers(self, workers: Sequence[Task]) -> None:
        self._stopping.set()
        self._tell_sources_to_stop()
        drained = self.queue.shut_down_with_drain(self._grace)
        if not drained:
            logger.warning("%s: still reconciling after %g s", self.name, self._grace)
            for worker in workers:
                worker.cancel()
        for worker in workers:
            worker.join(None if drained else _CANCEL_TIMEOUT_SECONDS)
        logger.info("%s: stopped", self.name)

    # ---- workers ------------------------------------------------------------------------------

    def _run_worker(self) -> None:
        try:
            while not self._stopping.is_set():
                with self.queue.item() as request:
                    if not self._stopping.is_set():  # `stop` may come while a worker waits
                        if self._own_writes is None:
                            self._process(request)
                            continue
                        again = partial(self._add_changed, request)
                        with self._own_writes.reconciling(cast("Any", request), again):
                            self._process(request)
        except ShutDown:
            pass
        except BaseException as error:  # noqa: BLE001 - run raises it
            if not self._stopping.is_set():  # a SystemExit, or a cancellation by other code
                self._failure = error
                self.stop()

    def _add_changed(self, request: R, priority: int) -> None:
        self.queue.add_debounced(request, self._debounce, priority=priority)

    def _process(self, request: R) -> None:
        fields = fields_of(self.name, request, f"{_reconcile_ids.getrandbits(32):08x}")
        observer, began = self._observer, self._clock.monotonic()
        if observer is not None:
            observer.began()
        token = RECONCILE_FIELDS.set(fields)
        outcome: Outcome = "error"
        problem: BaseException | None = None
        attempt = self._attempts.begin(request)
        try:
            result = self._call_reconcile(request, fields, attempt)
            outcome = outcome_of(result)
            self._attempts.forget(request)
            requeue(self.queue, request, result)
        except Exception as error:  # noqa: BLE001 - reconcile may raise anything
            problem = self._requeue_failed(request, fields, error, attempt)
        except BaseException as error:
            problem = error
            raise
        finally:
            RECONCILE_FIELDS.reset(token)
            if observer is not None:
                observer.ended(outcome, self._clock.monotonic() - began, problem)

    def _call_reconcile(
        self, request: R, _fields: dict[str, str], attempt: Attempt
    ) -> Result | None:
        """Reconcile once. The fields are for log records."""
        return self._calls.call(request, attempt)

    def _requeue_failed(
        self, request: R, fields: dict[str, str], error: Exception, attempt: Attempt
    ) -> Exception:
        """Retry a request later, if it is to be retried. Returns the error to count."""
        log_failure(logger, fields, error, self.queue.num_requeues(request) + 1)
        if (exhausted := attempt.exhausted(error)) is not None:
            log_failure(logger, fields, exhausted, attempt.number)
            error = exhausted
        if isinstance(error, TerminalError) or attempt.answer == Result():
            self._attempts.forget(request)
        else:
            self._attempts.failed(request, attempt, error)
        if attempt.answer is not None:
            requeue(self.queue, request, attempt.answer)
        elif isinstance(error, TerminalError):
            self.queue.forget(request)
        else:
            self.queue.add_rate_limited(request, priority=self.queue.priority(request))
        return error


def is_in(cluster: object, key: ObjectKey) -> bool:
    """Return whether an object is in a cluster; None is the first cluster of the controller."""
    request = key.request
    return (request.cluster if isinstance(request, ClusterRequest) else None) is cluster


def client_of(source: object) -> Client | None:
    """Return the client that created a source; None if the source has no client."""
    client: Any = getattr(source, "client", None)
    return client if isinstance(getattr(client, "rest", client), Rest) else None


class _Watched:
    """An informer with its cluster, and the mapper and predicates for its events."""

    def __init__(
        self,
        informer: Source[Any],
        cluster: object,
        mapper: Callable[[Any], Iterable[Any]],
    ) -> None:
        self.informer = informer
        self.cluster = cluster
        self.mapper = mapper
        self.predicates: tuple[Predicate, ...] = ()
        self.is_primary = False  # whether it is a source of `for_`
        self.observe: Callable[[SourceEvent[Any]], object] | None = None
        self.registration: Registration | None = None

    def has_synced(self) -> bool:
        """Return whether the handler has received all initial objects."""
        return self.registration is not None and self.registration.has_synced()

    def remove_handler(self) -> None:
        """Remove the handler from the informer."""
        registration, self.registration = self.registration, None
        if registration is not None:
            registration.remove()

    def add_predicate(self, predicate: Predicate) -> None:
        """Add a predicate, with a memory of its own."""
        self.predicates += (fresh(predicate),)

    def passes(self, event: SourceEvent[Any]) -> bool:
        """Return whether an event passes all predicates, and tell them."""
        passed = all(self._passes_predicate(predicate, event) for predicate in self.predicates)
        for predicate in self.predicates:
            try:
                settle(predicate, event, passed=passed)
            except Exception:
                logger.exception("%s: the predicate %r failed", self.informer.title, predicate)
        return passed

    def _passes_predicate(self, predicate: Predicate, event: SourceEvent[Any]) -> bool:
        try:
            return predicate(event)
        except Exception:
            logger.exception("%s: the predicate %r failed", self.informer.title, predicate)
            return True  # a needless reconciliation is harmless, a missing reconciliation is not


class _Enqueuer:
    """Puts requests into a queue when a source reports changes.

    Args:
        queue: The queue.
        source: The source.
        cluster: The cluster that the requests name; None if they name no cluster.
        request_type: The class of the requests.
        debounce: The seconds by which changes are delayed.
        own_writes: Drops events of own writes; None if they count.
    """

    def __init__(
        self,
        queue: PriorityQueue[Any],
        source: _Watched,
        cluster: object,
        *,
        request_type: type[Any],
        debounce: float,
        own_writes: OwnWriteGuard | None,
    ) -> None:
        self._queue = queue
        self._source = source
        self._cluster = cluster
        self._request_type = request_type
        self._debounce = debounce
        self._own_writes = own_writes

    def add(self, obj: Any, is_initial: bool) -> None:
        """Enqueue the requests for a new object."""
        event = SourceEvent("add", None, obj, is_initial)
        self._enqueue(event, LOW_PRIORITY if is_initial else 0)

    def update(self, old: Any, new: Any) -> None:
        """Enqueue the requests for the old and the new state of an object."""
        self._enqueue(SourceEvent("update", old, new), update_priority(old, new))

    def delete(self, obj: Any) -> None:
        """Enqueue the requests for a deleted object."""
        self._enqueue(SourceEvent("delete", obj, None), 0)

    def add_all(self) -> None:
        """Enqueue the objects themselves of an informer, with a low priority."""
        indexer: Any = getattr(self._source.informer, "indexer", None)
        if indexer is None:
            raise TypeError(
                f"reconcile_all() needs informers, but {self._source.informer.title} is none"
            )
        for key in [*indexer.stored]:
            namespace, _, name = key.rpartition("/")
            request = self._located(Request(namespace, name))
            self._queue.add(request, priority=LOW_PRIORITY)

    def _located(self, request: Any) -> Any:
        """Return a request that names the cluster of the source, if it needs to."""
        if self._cluster is None or isinstance(request, ClusterRequest):
            return request
        return ClusterRequest.of(request, self._cluster)

    def _enqueue(self, event: SourceEvent[Any], priority: int) -> None:
        if self._source.observe is not None:
            self._source.observe(event)
        if not self._source.passes(event):
            return
        delay = 0.0 if event.is_initial else self._debounce
        objects = [each for each in (event.old, event.new) if each is not None]
        wanted: dict[Any, int] = {}  # a bit for each of the objects that a request is for
        failure: Exception | None = None
        for place, obj in enumerate(objects):
            try:
                for each in requests_of(self._source.mapper, obj, self._request_type):
                    request = self._located(each)
                    wanted[request] = wanted.get(request, 0) | 1 << place
            except Exception as error:  # noqa: BLE001 - the other object is enqueued, too
                failure = error
        both = (1 << len(objects)) - 1
        for request, bits in wanted.items():
            # A request for only one of two objects has a new relation, so the event counts.
            if bits != both or self._counts(request, event, priority):
                self._queue.add_debounced(request, delay, priority=priority)
        if failure is not None:
            raise failure

    def _counts(self, request: Any, event: SourceEvent[Any], priority: int) -> bool:
        return self._own_writes is None or self._own_writes.passes(request, event, priority)
