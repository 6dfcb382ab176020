"""Controllers of a manager: they take classes as sources, and `reconcile` gets a context."""

# A controller uses private parts of its informers and of the sharding.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast, overload

from .._controllers.attempts import Attempt
from .._controllers.memos import Memos, memo_in
from .._controllers.object_tracking import ObjectKey
from .._controllers.outcomes import ContextLogger
from .._controllers.reconcile_loop import ClusterRequest, Request
from .._controllers.tracing import reconcile_span
from .._controllers.workflow import WorkflowState
from .._http.write_permit import PERMIT, Permit
from .._models.unstructured import Object
from ._primitives import check_callback
from .controller import AsyncSource, client_of
from .daemons import AsyncDaemonContext, AsyncDaemons
from .dependent_declarations import AsyncDependentDeclarations
from .hosted_controller import AsyncHostedController
from .request_sources import AsyncObjectPoll

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Self, Unpack

    from .._clock import Clock
    from .._controllers.controller_options import ControllerOptions
    from .._controllers.memos import Values
    from .._controllers.predicates import Event as SourceEvent
    from .._controllers.queue_state import QueueMetricsProvider
    from .._controllers.rate_limiters import RateLimiter
    from .._controllers.reconcile_loop import Result
    from .._http.resource import Resource
    from .._http.shard_ranges import ShardRanges
    from ._primitives import Function
    from .clientset import AsyncClientsetBase
    from .controller_cluster import AsyncCluster
    from .dependent_declarations import AsyncExternalDependent
    from .dependents import AsyncDependent, AsyncDependents
    from .external import AsyncExternal
    from .hosted_controller import AsyncHost
    from .informer import AsyncSharedInformer
    from .live_namespaces import AsyncLiveNamespaces
    from .recorder import AsyncEventRecorder
    from .sharding import AsyncSharding
    from .workflow import AsyncWorkflow

T = TypeVar("T", bound=Object)
M = TypeVar("M", bound=Object)
S = TypeVar("S")
T_co = TypeVar("T_co", bound=Object, covariant=True)
V = TypeVar("V")
D = TypeVar("D")

logger = logging.getLogger("clientgen.runtime.controllers")


class AsyncContext(Generic[T_co]):
    """The argument of a reconcile function: an object, and the tools to work on it.

    Attributes:
        request: The namespace and the name of the object.
        object: The object in the cache, which is read-only: copy it (`deep_copy`) before you change
            it. None if the object is gone.
        log: A logger that adds the controller, the object and the id of this reconciliation to each
            record, in the text and as the attributes `controller`, `object` and `reconcile_id`.
        workflow: The states of the dependents after this run of them; see `dependent`.
    """

    __slots__ = (
        "_attempt",
        "_cluster",
        "_find_values",
        "_host",
        "_must_end",
        "_permit",
        "_values",
        "_workflow",
        "log",
        "object",
        "request",
        "workflow",
    )

    def __init__(
        self,
        host: AsyncHost,
        request: Request,
        obj: T_co | None,
        log: ContextLogger,
        *,
        cluster: AsyncCluster | None = None,
        attempt: Attempt | None = None,
        must_end: Callable[[], bool] | None = None,
        find_values: Callable[[ObjectKey], Values] | None = None,
    ) -> None:
        self._host = host
        self._cluster = cluster
        self._attempt = attempt or Attempt()
        self._must_end = must_end
        self._permit = PERMIT.get()
        self._find_values = find_values
        self._values: Values | None = None
        self.request: Request = request
        self.object: T_co | None = obj
        self.log: ContextLogger = log
        self.workflow = WorkflowState()
        self._workflow: AsyncWorkflow[Any] | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.request}>"

    @property
    def name(self) -> str:
        """The name of the object."""
        return self.request.name

    @property
    def namespace(self) -> str:
        """The namespace of the object; empty for cluster-scoped kinds."""
        return self.request.namespace

    @property
    def primary(self) -> T_co:
        """The object, for functions that are called only if it exists, as those of dependents.

        Raises:
            LookupError: The object is gone.
        """
        if self.object is None:
            raise LookupError(f"{self.request} is gone")
        return self.object

    @property
    def clientset(self) -> AsyncClientsetBase:
        """The clientset of the object's cluster; usually the manager's."""
        return self._host.clientset if self._cluster is None else self._cluster.clientset

    @property
    def cluster(self) -> str:
        """The name of the object's cluster in the fleet of the manager; empty without a fleet."""
        return "" if self._cluster is None else self._cluster.name

    @property
    def fenced(self) -> AsyncClientsetBase:
        """`clientset`, for threads that the program starts itself.

        All writes of `reconcile` need the lease: after its loss they raise `LeadershipLost`, and
        those in flight are broken off. Tasks inherit this from `reconcile`, but threads of a pool
        do not. The writes of this clientset need the lease in every thread.
        """
        clientset = self.clientset
        return type(clientset)(clientset.rest.fenced(self._permit))

    @property
    def is_stopping(self) -> bool:
        """Whether `reconcile` should return now.

        The manager or the controller is stopping, leadership is lost, the `timeout` of the
        controller has passed, or the cluster leaves the fleet. A thread cannot be cancelled: a
        reconcile function that makes many requests in a thread has to check this between the
        requests, and return.
        """
        must_end = self._must_end is not None and self._must_end()
        is_leaving = self._cluster is not None and self._cluster.is_leaving
        return must_end or is_leaving or self._attempt.has_timed_out

    @property
    def attempt(self) -> int:
        """The number of this attempt: 1, and one more after each failure until one succeeds."""
        return self._attempt.number

    @property
    def is_last_attempt(self) -> bool:
        """Whether the object is not retried if this attempt fails: see `max_attempts`."""
        return self._attempt.is_last

    @property
    def last_error(self) -> Exception | None:
        """Why the previous attempt failed, without its traceback; None in the first attempt."""
        return self._attempt.last_error

    @property
    def recorder(self) -> AsyncEventRecorder:
        """A recorder of events in the object's cluster; usually the manager's."""
        return self._host.recorder if self._cluster is None else self._cluster.recorder

    @overload
    def secondary(self, dependent: AsyncDependent[M], /) -> M | None: ...
    @overload
    def secondary(self, dependent: AsyncExternalDependent[S], /) -> S | None: ...
    @overload
    def secondary(self, dependent: type[AsyncExternal[Any, S]], /) -> S | None: ...
    def secondary(self, dependent: Any, /) -> Any:
        """Return the object of a dependent from the cache; None if it does not exist yet.

        No request is sent. Cached objects are read-only. For an external dependent, the result is
        the thing as it was last read.

        Args:
            dependent: What `dependent` or `external` returned; or the class of an external
                dependent.
        """
        handles = {} if self._workflow is None else self._workflow.handles
        found: Any = handles.get(dependent, dependent)
        return None if self.object is None else found._secondary(self.object)

    def secondaries(self, dependents: AsyncDependents[M], /) -> dict[str, M]:
        """Return the objects of a dependent with `many=True` from the cache, by name.

        No request is sent. Cached objects are read-only. For an object in another namespace than
        the primary, the key is `namespace/name`.
        """
        return {} if self.object is None else dependents._secondaries(self.object)

    def memo(self, factory: Callable[[], V]) -> V:
        """Return a value that the program keeps for the object, in memory.

            attempts = context.memo(Attempts)  # the same Attempts at the next call for this object

        The first call for an object creates the value with `factory`. The value goes with the
        object: another object of the same name gets a new one, and so does the next start of the
        program. The daemons of the object see the same value.

        Args:
            factory: A class, or a function without arguments. It is the key of the value, so pass
                the same one each time, not a new lambda.

        Raises:
            LookupError: The object is gone.
        """
        return memo_in(self._object_values(), factory)

    def polled(self, read: Function[[T_co], V]) -> V | None:
        """Return what `polls_each(read)` has read for the object; None if it has read nothing yet.

        Raises:
            LookupError: The object is gone.
        """
        return cast("V | None", self._object_values().get(cast("Any", read)))

    def _object_values(self) -> Values:
        if self.object is None:
            raise LookupError(f"{self.request} is gone, and its memos with it")
        if self._values is None:
            uid = cast("Any", self.object).metadata.uid
            find = self._find_values
            self._values = {} if find is None else find(ObjectKey(self.request, uid))
        return self._values


class AsyncManagedController(
    AsyncDependentDeclarations[T, AsyncContext[T]], AsyncHostedController[Request], Generic[T]
):
    """A controller of a manager: see `AsyncManager.controller`.

    Its sources are informers, or classes whose informers the manager creates.
    """

    def __init__(
        self,
        host: AsyncHost,
        name: str,
        reconcile: Function[[AsyncContext[T]], Result | None] | None,
        *,
        on_error: Function[[AsyncContext[T], Exception], Result | None] | None = None,
        needs_leader: bool = True,
        limiter: RateLimiter[Request] | None,
        clock: Clock,
        metrics: QueueMetricsProvider | None,
        sync_timeout: float,
        grace: float,
        **options: Unpack[ControllerOptions],
    ) -> None:
        function = _nothing if reconcile is None else reconcile
        check_callback("reconcile", function)
        super().__init__(
            host,
            name,
            partial(self._work, function),
            on_error=on_error,
            needs_leader=needs_leader,
            module=getattr(reconcile, "__module__", None),
            limiter=limiter,
            clock=clock,
            metrics=metrics,
            sync_timeout=sync_timeout,
            grace=grace,
            **options,
        )
        self._memos = Memos()
        self._observers.append(self._memos)
        self._namespace_member = _NamespaceMember(self._forget_namespace)
        self._primaries: dict[object, AsyncSharedInformer[T]] = {}  # by cluster
        # The uids of deleted objects that are not reconciled yet; only with sharding.
        self._deleted_uids: dict[Request, str] = {}

    def for_(
        self, source: type[T] | AsyncSource[T], *, where: AsyncClientsetBase | None = None
    ) -> Self:
        """Reconcile the objects of a kind, given by its class or its informer.

        If the manager has a sharding, the informer of a class reads this replica's shard.

        Args:
            source: The class of the objects, or their informer.
            where: For a manager of a fleet: `home`, if the objects are there, and not in the
                clusters of the fleet.

        Raises:
            LookupError: The scheme does not know the class.
            RuntimeError: `for_` was called before.
            ValueError: `where` is another clientset.
        """
        self._check_place("for_()", where)
        for primary in self._primaries.values():
            raise RuntimeError(f"{self!r} is for {primary.title} already")
        return self._for(self._informer("for_()", source, sharding=self._host.sharding))

    def _for(self, informer: AsyncSource[T]) -> Self:
        """Reconcile the objects of the kind in one cluster."""
        primary = cast("AsyncSharedInformer[T]", informer)
        self._primaries[self._cluster_of(informer)] = primary
        return super().for_(informer)

    def owns(
        self,
        source: type[Object] | AsyncSource[Any],
        owner: Resource | None = None,
        *,
        every_owner: bool = False,
    ) -> Self:
        """Reconcile the owners of the objects of a kind.

        Args:
            source: The class of the owned objects, or their informer.
            owner: The kind of the owners; None means the kind of `for_`.
            every_owner: Whether to follow all owner references of the kind. Otherwise only the
                controlling owner is reconciled.

        Raises:
            LookupError: The scheme does not know the class.
            ValueError: No owner is given, and `for_` was not called before.
        """
        return super().owns(self._informer("owns()", source), owner, every_owner=every_owner)

    def watches(
        self,
        source: type[S] | AsyncSource[S],
        mapper: Callable[[S], Iterable[Request]],
        *,
        where: AsyncClientsetBase | None = None,
    ) -> Self:
        """Reconcile the requests that `mapper` returns for the objects of a kind.

        Args:
            source: The class of the objects, or their informer.
            mapper: Called with the object of each event; for an update, with the old object and
                again with the new object.
            where: For a manager of a fleet: `home`, if the objects are there, and not in the
                clusters of the fleet.

        Raises:
            LookupError: The scheme does not know the class.
            ValueError: `where` is another clientset.
        """
        self._check_place("watches()", where)
        return super().watches(self._informer("watches()", source), mapper)

    def unwatch(self, source: type[Object] | AsyncSource[Any]) -> None:
        """Remove a source, whose informer keeps running. This works while the controller runs, too.

        Raises:
            LookupError: The controller does not watch the source.
        """
        super().unwatch(self._informer("unwatch()", source))

    def _check_place(self, call: str, where: AsyncClientsetBase | None) -> None:
        """Check that `where` is missing, or the clientset of the manager."""
        if where is not None and where is not self._host.clientset:
            raise ValueError(
                f"where= of {call} is not the clientset of the manager: for objects of another"
                " cluster, pass an informer of its clientset"
            )

    def _cluster_of(self, source: AsyncSource[Any]) -> AsyncCluster:
        return self._host.cluster_of(client_of(source))

    async def _call_reconcile(
        self, request: Request, fields: dict[str, str], attempt: Attempt
    ) -> Result | None:
        live, cluster = self._live_namespaces(), self._cluster_in(request)
        if live is None:
            obj = self._cached(request, cluster)
        else:
            # Without the lock, objects of a namespace that is being removed would look deleted.
            with live.lock:
                if not live.admits(request.namespace, (self.name, request), self._again(request)):
                    return None
                obj = self._cached(request, cluster)
        log = ContextLogger(self._log, fields)
        context: AsyncContext[T] = AsyncContext(
            self._host,
            request,
            obj,
            log,
            cluster=cluster,
            attempt=attempt,
            must_end=self._must_end,
            find_values=self._values_of,
        )
        with reconcile_span(self.name, request, fields["reconcile_id"]):
            if self._host.sharding is None:
                return await self._calls.call(context, attempt)
            return await self._reconcile_own(self._host.sharding, context, self._again(request))

    def _again(self, request: Request) -> Callable[[], object]:
        """Return a function that adds a request again, with the priority that it has now."""
        return partial(self.queue.add, request, priority=self.queue.priority(request))

    # ---- objects ------------------------------------------------------------------------------

    def polls_each(
        self,
        read: Function[[T], object],
        *,
        every: float,
        when: Callable[[T], bool] | None = None,
        workers: int = 1,
    ) -> Self:
        """Call a function for each object of `for_` at intervals, and reconcile what has changed.

        The result is compared with the last one for the object, by `==`; a result that differs, and
        the first one, reconcile the object. `context.polled(read)` returns the newest result. A
        change of the object is followed by a poll. If `read` raises, the error is logged and
        counted, the last result stays, and the next attempt follows after a growing delay: 1 s,
        doubling up to `every`.

        Args:
            read: A coroutine function (in `Controller`, an ordinary function) that gets the
                read-only object from the cache.
            every: The seconds from the end of a poll of an object to its next.
            when: Returns whether to poll for an object, which is read-only; None for all objects.
            workers: For how many objects `read` runs at once.

        Raises:
            RuntimeError: The controller has started.
            ValueError: `every` is not above 0, or `workers` is less than 1.
        """
        if workers < 1:
            raise ValueError(f"workers={workers}: polls_each() needs at least one worker")
        poll = AsyncObjectPoll(read, every, self._find, self._values_of, self._clock)
        self._follow("polls_each()", poll, when)
        self._request_sources += [poll] * workers
        return self

    @overload
    def daemon(
        self,
        function: Function[[AsyncDaemonContext[T]], object],
        *,
        when: Callable[[T], bool] | None = None,
        cancellation_grace: float = 1.0,
    ) -> Self: ...
    @overload
    def daemon(
        self,
        function: None = None,
        *,
        when: Callable[[T], bool] | None = None,
        cancellation_grace: float = 1.0,
    ) -> Callable[[D], D]: ...
    def daemon(
        self,
        function: Function[[AsyncDaemonContext[T]], object] | None = None,
        *,
        when: Callable[[T], bool] | None = None,
        cancellation_grace: float = 1.0,
    ) -> Any:
        """Run a function beside each object of `for_` while the object exists.

            @controller.daemon(when=lambda tab: not tab.spec.suspend)
            async def probe(daemon: AsyncDaemonContext[CronTab]) -> None:
                while not await daemon.wait_for_stop(5):
                    daemon.log.info("schedule %s", daemon.object.spec.schedule)

        If the function raises, the error is logged and counted, and the function is called again
        after a growing delay: 1 s, doubling up to 5 min. If it returns, the daemon of this object
        is over. It has to end when the object is gone, when `when` does not hold any more, when the
        manager stops, and when leadership is lost: `is_stopping` is true, and after
        `cancellation_grace` a coroutine is cancelled. A thread cannot be cancelled: if it goes on,
        a warning is logged. An object that is deleted and created again gets a daemon of its own,
        after the other one has ended.

        An object that is being deleted exists until its last finalizer is removed. To end before,
        use `when=lambda obj: obj.metadata.deletion_timestamp is None`.

        Args:
            function: A coroutine function (in `Controller`, an ordinary function). Without it, the
                method is a decorator.
            when: Returns whether an object, which is read-only, has a daemon; None for all objects.
            cancellation_grace: The seconds that a daemon has to return.

        Raises:
            RuntimeError: The controller has started.
            ValueError: `cancellation_grace` is negative.
        """
        if function is None:
            return partial(self._decorate_daemon, when, cancellation_grace)
        daemons = AsyncDaemons[T](self, function, cancellation_grace, self._clock)
        self._follow("daemon()", daemons, when)
        self._daemons.append(daemons)
        self._request_sources.append(daemons)
        return self

    def _decorate_daemon(
        self, when: Callable[[T], bool] | None, cancellation_grace: float, function: Any
    ) -> Any:
        self.daemon(function, when=when, cancellation_grace=cancellation_grace)
        return function

    def _find(self, key: ObjectKey) -> T | None:
        """Return an object from the cache; None if it is gone."""
        obj: Any = self._cached(key.request, self._cluster_in(key.request))
        return obj if obj is not None and obj.metadata.uid == key.uid else None

    def _values_of(self, key: ObjectKey) -> Values:
        """Return the memos of an object."""
        with self._objects_lock:
            values = self._memos.of(key)
        # An object leaves the cache before `observe` forgets its memos. If it left before they were
        # created, nothing else would forget them.
        if self._is_ending or self._find(key) is None:
            with self._objects_lock:
                self._memos.drop(key)
        return values

    def _admits_daemon(self, key: ObjectKey, daemons: object, again: Callable[[], object]) -> bool:
        sharding, held = self._host.sharding, (self.name, id(daemons), key)
        return sharding is None or sharding._admits(key.uid, held, again)

    def _owns(self, key: ObjectKey) -> bool:
        sharding = self._host.sharding
        return sharding is None or sharding.owns_uid(key.uid)

    def _daemon_cluster(self, request: Request) -> AsyncCluster | None:
        return self._cluster_in(request) or self._host.cluster_of(None)

    def _permitted(
        self,
        key: ObjectKey,
        cluster: AsyncCluster,  # noqa: ARG002 - for subclasses
    ) -> AbstractContextManager[None]:
        sharding = self._host.sharding
        return nullcontext() if sharding is None else sharding._permitted(_permit(sharding, key))

    def _read_shard(self, ranges: ShardRanges | None) -> None:
        """Forget the objects that leave the cache, because another replica will own them."""
        if ranges is not None:
            self._forget_objects(lambda key: not ranges.has_value(key.uid))

    def _report_daemon(self, title: str, key: ObjectKey, error: Exception) -> None:
        self._count_source_error()
        logger.error("%s: the daemon %s of %s failed", self.name, title, key, exc_info=error)

    def _fail_daemon(self, title: str, error: BaseException) -> None:
        logger.error("%s: stopping because of the daemon %s: %s", self.name, title, error)
        if self._failure is None:
            self._failure = error
        self.stop()

    def _start_sources(self) -> None:
        super()._start_sources()
        live = self._live_namespaces()
        if live is not None:
            live.join(self._namespace_member)
            self._forget_objects(partial(_is_outside, live))
        if self._host.sharding is not None:
            self._host.sharding._join(self)

    def _tell_sources_to_stop(self) -> None:
        live = self._live_namespaces()
        if live is not None:
            live.leave(self._namespace_member)
        if self._host.sharding is not None:
            self._host.sharding._leave(self)
        super()._tell_sources_to_stop()

    def _observe(self, cluster: object, event: SourceEvent[Any]) -> None:
        if self._tracker is None and not len(self._memos):
            return  # most controllers have neither sources for objects nor memos
        super()._observe(cluster, event)
        live = self._live_namespaces()
        if live is not None:  # the namespace may have been removed meanwhile
            namespace = event.object.metadata.namespace
            if namespace and namespace not in live._names:
                self._forget_namespace(namespace)

    def _forget_namespace(self, namespace: str) -> None:
        self._forget_objects(lambda key: key.request.namespace == namespace)

    # ---- sharding -----------------------------------------------------------------------------

    async def _reconcile_own(
        self, sharding: AsyncSharding, context: AsyncContext[T], again: Callable[[], object]
    ) -> Result | None:
        """Reconcile an object if this replica owns it, and refuse writes when it no longer does.

        The request of an object that is neither in the cache nor was deleted is dropped: the object
        is in another shard. The request of an object that this replica is about to own is held
        back.
        """
        request, obj = context.request, cast("Any", context.object)
        uid = obj.metadata.uid if obj is not None else self._deleted_uids.get(request)
        if uid is None:
            return None
        if obj is None:  # if the request is held back, so is the deletion
            self._forget_deletion(request, uid)
            again = partial(self._delete_again, request, uid, again)
        if not sharding._admits(uid, (self.name, request), again):
            return None
        if obj is None:  # the function may fail
            self._deleted_uids.setdefault(request, uid)
        if obj is None and not self._has_read(uid, context._cluster):
            return None  # the object may exist: if it does, its informer adds the request again
        with sharding._permitted(_permit(sharding, ObjectKey(request, uid))):
            context._permit = PERMIT.get()
            result = await self._calls.call(context, context._attempt)
        if obj is not None:
            self._deleted_uids.pop(request, None)
        self._forget_deletion(request, uid)
        return result

    def _forget_deletion(self, request: Request, uid: str) -> None:
        if self._deleted_uids.get(request) == uid:
            self._deleted_uids.pop(request, None)

    def _delete_again(self, request: Request, uid: str, again: Callable[[], object]) -> None:
        """Reconcile a deletion that was held back, unless there was another one since."""
        self._deleted_uids.setdefault(request, uid)
        again()

    def _has_read(self, uid: str, cluster: AsyncCluster | None) -> bool:
        primary = self._primaries.get(cluster)
        return primary is None or primary._has_read_uid(uid)

    def _on_delete(self, source: Any, enqueue: Callable[[Any], None]) -> Callable[[Any], None]:
        """Return the handler of deletions. The uids of deleted objects decide who owns them."""
        if self._host.sharding is None or source.informer not in self._primaries.values():
            return enqueue

        cluster = self._foreign_cluster_of(source)

        def delete(obj: Any) -> None:
            for each in source.mapper(obj):
                request = each if cluster is None else ClusterRequest.of(each, cluster)
                self._deleted_uids[request] = obj.metadata.uid
            enqueue(obj)

        return delete

    def _cluster_in(self, request: Request) -> AsyncCluster | None:
        """Return the cluster of a request; None means the manager's own cluster."""
        cluster = request.cluster if isinstance(request, ClusterRequest) else self._first_cluster
        return cast("AsyncCluster | None", cluster)

    @property
    def _first_cluster(self) -> object:
        return self._clusters[0] if self._clusters else None

    def _cached(self, request: Request, cluster: AsyncCluster | None) -> T | None:
        primary = self._primaries.get(cluster)
        return None if primary is None else primary.indexer.get(str(request))

    def _live_namespaces(self) -> AsyncLiveNamespaces | None:
        """Return the set of namespaces of the requests, if the set may change; otherwise None."""
        sources: list[Any] = [*self._primaries.values()] or self.informers
        found = (getattr(source, "_live", None) for source in sources)
        return next((live for live in found if live is not None), None)


class AsyncControllerOfDependents(Protocol):
    """A controller without a reconcile function, before its kind is known."""

    def for_(self, source: type[M] | AsyncSource[M]) -> AsyncManagedController[M]:
        """Keep the dependents of the objects of a kind; see `AsyncManagedController.for_`."""
        ...


async def _nothing(_context: object) -> None:
    """Do nothing: the dependents of the controller are all of its work."""


def _permit(sharding: AsyncSharding, key: ObjectKey) -> Permit:
    """Return a permit of writes that holds while this replica owns an object."""

    def refusal() -> str:
        is_owned = sharding.owns_uid(key.uid)
        return "" if is_owned else f"another replica owns {key} since a moment ago"

    return Permit(refusal, PERMIT.get())


class _NamespaceMember:
    """Tells a controller which namespaces are not watched any more: their objects get no events."""

    def __init__(self, forget: Callable[[str], object]) -> None:
        self._forget = forget

    def _add_namespace(self, namespace: str) -> None:
        """Do nothing: the informers report the objects."""

    def _remove_namespace(self, namespace: str) -> None:
        self._forget(namespace)

    def _set_namespaces_known(self) -> None:
        """Do nothing: the informers wait for it."""

    def _has_listed(self, namespace: str) -> bool:  # noqa: ARG002 - it has no cache
        return True


def _is_outside(live: AsyncLiveNamespaces, key: ObjectKey) -> bool:
    return bool(key.request.namespace) and key.request.namespace not in live._names
