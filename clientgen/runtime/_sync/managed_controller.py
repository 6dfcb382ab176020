# Derived from _async/managed_controller.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Controllers of a manager: they take classes as sources, and `reconcile` gets a context."""

# A controller uses private parts of its informers and of the sharding.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast, overload

from .._controllers.attempts import Attempt
from .._controllers.outcomes import ContextLogger
from .._controllers.reconcile_loop import ClusterRequest
from .._controllers.tracing import reconcile_span
from .._controllers.workflow import WorkflowState
from .._http.write_permit import PERMIT, Permit
from .._models.arguments import check_source
from .._models.unstructured import Object
from ._primitives import check_callback
from .controller import Controller, Source, client_of
from .dependent_declarations import DependentDeclarations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Self, Unpack

    from .._cache.informer_options import ScopeOptions
    from .._clock import Clock
    from .._controllers.controller_options import ControllerOptions
    from .._controllers.queue_state import QueueMetricsProvider
    from .._controllers.rate_limiters import RateLimiter
    from .._controllers.reconcile_loop import Request, Result
    from .._http.resource import Resource
    from ._primitives import Function
    from .clientset import ClientsetBase
    from .controller_cluster import Cluster
    from .dependent_declarations import ExternalDependent
    from .dependents import Dependent, Dependents
    from .external import External
    from .informer import SharedInformer
    from .lease_client import Client
    from .live_namespaces import LiveNamespaces
    from .recorder import EventRecorder
    from .sharding import Sharding
    from .workflow import Workflow

logger = logging.getLogger("clientgen.runtime.controllers")

T = TypeVar("T", bound=Object)
M = TypeVar("M", bound=Object)
S = TypeVar("S")
T_co = TypeVar("T_co", bound=Object, covariant=True)


class Host(Protocol):
    """The part of a manager that its controllers use."""

    @property
    def clientset(self) -> ClientsetBase:
        """The clientset."""
        ...

    @property
    def recorder(self) -> EventRecorder:
        """The recorder of events."""
        ...

    @property
    def is_stopping(self) -> bool:
        """Whether the manager is stopping."""
        ...

    @property
    def is_leader(self) -> bool:
        """Whether this process leads."""
        ...

    @property
    def sharding(self) -> Sharding | None:
        """The sharding of the objects of all controllers."""
        ...

    def source(self, model: type[T], **options: Unpack[ScopeOptions]) -> SharedInformer[T]:
        """Return the informer of a kind for a controller."""
        ...

    def start_controller(self, controller: ManagedController[Any]) -> None:
        """Start a controller that was added while the manager runs."""
        ...

    def cluster_of(self, client: Client | None) -> Cluster:
        """Return the cluster of a client; None means the manager's own cluster."""
        ...


class Context(Generic[T_co]):
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
        "_host",
        "_must_end",
        "_permit",
        "_workflow",
        "log",
        "object",
        "request",
        "workflow",
    )

    def __init__(
        self,
        host: Host,
        request: Request,
        obj: T_co | None,
        log: ContextLogger,
        *,
        cluster: Cluster | None = None,
        attempt: Attempt | None = None,
        must_end: Callable[[], bool] | None = None,
    ) -> None:
        self._host = host
        self._cluster = cluster
        self._attempt = attempt or Attempt()
        self._must_end = must_end
        self._permit = PERMIT.get()
        self.request: Request = request
        self.object: T_co | None = obj
        self.log: ContextLogger = log
        self.workflow = WorkflowState()
        self._workflow: Workflow[Any] | None = None

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
    def clientset(self) -> ClientsetBase:
        """The clientset of the object's cluster; usually the manager's."""
        return self._host.clientset if self._cluster is None else self._cluster.clientset

    @property
    def fenced(self) -> ClientsetBase:
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

        The manager or the controller is stopping, leadership is lost, or the `timeout` of the
        controller has passed. A thread cannot be cancelled: a reconcile function that makes many
        requests in a thread has to check this between the requests, and return.
        """
        must_end = self._must_end is not None and self._must_end()
        return must_end or self._attempt.has_timed_out

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
    def recorder(self) -> EventRecorder:
        """A recorder of events in the object's cluster; usually the manager's."""
        return self._host.recorder if self._cluster is None else self._cluster.recorder

    @overload
    def secondary(self, dependent: Dependent[M], /) -> M | None: ...
    @overload
    def secondary(self, dependent: ExternalDependent[S], /) -> S | None: ...
    @overload
    def secondary(self, dependent: type[External[Any, S]], /) -> S | None: ...
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

    def secondaries(self, dependents: Dependents[M], /) -> dict[str, M]:
        """Return the objects of a dependent with `many=True` from the cache, by name.

        No request is sent. Cached objects are read-only. For an object in another namespace than
        the primary, the key is `namespace/name`.
        """
        return {} if self.object is None else dependents._secondaries(self.object)


class ManagedController(DependentDeclarations[T, Context[T]], Controller, Generic[T]):
    """A controller of a manager: see `Manager.controller`.

    Its sources are informers, or classes whose informers the manager creates.

    Attributes:
        needs_leader: Whether the controller runs only while this process leads.
        is_ready: Whether the manager may start the controller. For the manager only.
        informers_by_class: The informers that the manager made for classes. For the manager only.
    """

    def __init__(
        self,
        host: Host,
        name: str,
        reconcile: Function[[Context[T]], Result | None] | None,
        *,
        on_error: Function[[Context[T], Exception], Result | None] | None = None,
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
            name,
            # It gets the context that `_call_reconcile` makes.
            cast("Any", partial(self._work, function)),
            on_error=cast("Any", on_error),
            limiter=limiter,
            clock=clock,
            metrics=metrics,
            sync_timeout=sync_timeout,
            grace=grace,
            **options,
        )
        self.needs_leader = needs_leader
        self.is_ready = True
        self.informers_by_class: list[SharedInformer[Any]] = []
        self._host = host
        self._primaries: dict[object, SharedInformer[T]] = {}  # by cluster
        # The uids of deleted objects that are not reconciled yet; only with sharding.
        self._deleted_uids: dict[Request, str] = {}
        # The logger of the function's module, because programs set log levels by module.
        self._log = logging.getLogger(getattr(reconcile, "__module__", None) or "clientgen")

    def for_(self, source: type[T] | Source[T]) -> Self:
        """Reconcile the objects of a kind, given by its class or its informer.

        If the manager has a sharding, the informer of a class reads this replica's shard.

        Raises:
            LookupError: The scheme does not know the class.
            RuntimeError: `for_` was called before.
        """
        for primary in self._primaries.values():
            raise RuntimeError(f"{self!r} is for {primary.title} already")
        return self._for(self._informer("for_()", source, sharding=self._host.sharding))

    def _for(self, informer: Source[T]) -> Self:
        """Reconcile the objects of the kind in one cluster."""
        primary = cast("SharedInformer[T]", informer)
        self._primaries[self._cluster_of(informer)] = primary
        return super().for_(informer)

    def owns(self, source: type[Object] | Source[Any], owner: Resource | None = None) -> Self:
        """Reconcile the controlling owners of the objects of a kind.

        Args:
            source: The class of the owned objects, or their informer.
            owner: The kind of the owners; None means the kind of `for_`.

        Raises:
            LookupError: The scheme does not know the class.
            ValueError: No owner is given, and `for_` was not called before.
        """
        return super().owns(self._informer("owns()", source), owner)

    def watches(
        self, source: type[S] | Source[S], mapper: Callable[[S], Iterable[Request]]
    ) -> Self:
        """Reconcile the requests that `mapper` returns for the objects of a kind.

        Args:
            source: The class of the objects, or their informer.
            mapper: Called with the object of each event; for an update, with the old object and
                again with the new object.

        Raises:
            LookupError: The scheme does not know the class.
        """
        return super().watches(self._informer("watches()", source), mapper)

    def unwatch(self, source: type[Object] | Source[Any]) -> None:
        """Remove a source, whose informer keeps running. This works while the controller runs, too.

        Raises:
            LookupError: The controller does not watch the source.
        """
        super().unwatch(self._informer("unwatch()", source))

    def start(self) -> None:
        """Start a controller that was added while the manager runs. Choose its sources before.

        The informers of its sources start, and it reconciles when their caches are synced. Until
        then, other controllers go on. If the caches are not synced after the manager's
        `sync_timeout`, the reason is logged, and the controller waits on. A controller that needs a
        leader starts when this process leads. Further calls do nothing. Controllers that were added
        before `run` start by themselves.

        Raises:
            LookupError: The controller was removed.
        """
        self._check_workflow()
        self._host.start_controller(self)

    def _must_end(self) -> bool:
        """Return whether reconciliations must end now."""
        host = self._host
        has_lost = self.needs_leader and not host.is_leader
        return self._stopping.is_set() or host.is_stopping or has_lost

    def _sync_timed_out(self) -> float:
        logger.warning("%s; waiting on", self._timeout_error())
        return float("inf")

    def _informer(
        self,
        call: str,
        source: type[S] | Source[S],
        sharding: Sharding | None = None,
    ) -> Source[S]:
        check_source(call, source)
        if not isinstance(source, type):
            return source
        options: ScopeOptions = {} if sharding is None else {"shard_selector": sharding}
        informer = self._host.source(cast("Any", source), **options)
        self.informers_by_class.append(informer)
        return cast("Source[S]", informer)

    @property
    def informers(self) -> list[Source[Any]]:
        """The informers of the sources."""
        return [source.informer for source in self._sources]

    def _cluster_of(self, source: Source[Any]) -> Cluster:
        return self._host.cluster_of(client_of(source))

    def _call_reconcile(
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
        context: Context[T] = Context(
            self._host,
            request,
            obj,
            log,
            cluster=cluster,
            attempt=attempt,
            must_end=self._must_end,
        )
        with reconcile_span(self.name, request, fields["reconcile_id"]):
            if self._host.sharding is None:
                return self._calls.call(context, attempt)
            return self._reconcile_own(self._host.sharding, context, self._again(request))

    def _again(self, request: Request) -> Callable[[], object]:
        """Return a function that adds a request again, with the priority that it has now."""
        return partial(self.queue.add, request, priority=self.queue.priority(request))

    # ---- sharding -----------------------------------------------------------------------------

    def _reconcile_own(
        self, sharding: Sharding, context: Context[T], again: Callable[[], object]
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

        def refusal() -> str:
            is_owned = sharding.owns_uid(uid)
            return "" if is_owned else f"another replica owns {request} since a moment ago"

        with sharding._permitted(Permit(refusal, PERMIT.get())):
            context._permit = PERMIT.get()
            result = self._calls.call(context, context._attempt)
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

    def _has_read(self, uid: str, cluster: Cluster | None) -> bool:
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

    def _cluster_in(self, request: Request) -> Cluster | None:
        """Return the cluster of a request; None means the manager's own cluster."""
        cluster = request.cluster if isinstance(request, ClusterRequest) else self._first_cluster
        return cast("Cluster | None", cluster)

    @property
    def _first_cluster(self) -> object:
        return self._clusters[0] if self._clusters else None

    def _cached(self, request: Request, cluster: Cluster | None) -> T | None:
        primary = self._primaries.get(cluster)
        return None if primary is None else primary.indexer.get(str(request))

    def _live_namespaces(self) -> LiveNamespaces | None:
        """Return the set of namespaces of the requests, if the set may change; otherwise None."""
        sources: list[Any] = [*self._primaries.values()] or self.informers
        found = (getattr(source, "_live", None) for source in sources)
        return next((live for live in found if live is not None), None)


class ControllerOfDependents(Protocol):
    """A controller without a reconcile function, before its kind is known."""

    def for_(self, source: type[M] | Source[M]) -> ManagedController[M]:
        """Keep the dependents of the objects of a kind; see `ManagedController.for_`."""
        ...


def _nothing(_context: object) -> None:
    """Do nothing: the dependents of the controller are all of its work."""
