# Derived from _async/manager.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""`Manager`: starts the parts of an operator in the right order, and stops them together."""

# A manager uses private parts of its controllers, informers and electors.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
from collections.abc import Hashable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from clientgen._gvk import GroupVersionKind

from .._cache.informer_options import names_of, namespace_selector
from .._cache.sync_errors import standstill_error, timeout_error
from .._clock import standstill_of
from .._controllers.controller_options import checked_options
from .._http.path_segments import check_segment
from .._models.arguments import check_class, check_clientset, check_function
from .._models.unstructured import Object
from .._signals import on_stop_signal_outside_tests
from ._primitives import Event, call, from_any_thread, short_lock, spawn, wait_until
from .controller_cluster import Cluster
from .controller_set import ControllerSet
from .fleet import Fleet
from .fleet_runner import FleetRunner, home_of
from .health_endpoints import Probes
from .http_endpoints import Endpoints
from .informer_factory import InformerFactory
from .leader_election import LeaderElector
from .lease_client import rest_of
from .live_namespaces import LiveNamespaces
from .managed_controller import Context, ManagedController
from .namespace_watch import NamespaceSelection

if TYPE_CHECKING:
    import contextvars  # `Context` is the name of a class of threads
    import os
    from collections.abc import Callable, Sequence
    from typing import Unpack

    from prometheus_client import CollectorRegistry

    from .._admission.self_signed import SelfSigned
    from .._cache.informer_options import (
        FactoryOptions,
        NamespaceOptions,
        Namespaces,
        ScopeOptions,
    )
    from .._cache.listers import Lister
    from .._clock import Clock
    from .._controllers.controller_options import ControllerOptions
    from .._controllers.coordination import Coordination
    from .._controllers.manager_metrics import ManagerMetrics
    from .._controllers.rate_limiters import RateLimiter
    from .._controllers.reconcile_loop import Request, Result
    from .._controllers.secure_endpoint import SecureEndpoint
    from .._http.call_options import Labels
    from .._net.endpoint_messages import EndpointAnswer, EndpointRequest
    from ._primitives import Callback, Function, Task
    from .clientset import ClientsetBase
    from .hosted_controller import HostedController
    from .informer import SharedInformer
    from .lease_client import Client
    from .managed_controller import ControllerOfDependents
    from .recorder import EventRecorder
    from .request_controller import RequestContext, RequestController
    from .sharding import Sharding
    from .webhook_server import Webhooks

T = TypeVar("T", bound=Object)
R = TypeVar("R", bound=Hashable)

_POLL_INTERVAL_SECONDS = 0.05
_CANCEL_TIMEOUT_SECONDS = 1.0
_EVENTS_TIMEOUT_SECONDS = 5.0

logger = logging.getLogger("clientgen.runtime.manager")


class Manager:
    """Runs the controllers of a program, with their caches, election, webhooks and endpoints.

        def reconcile(context: Context[CronTab]) -> Result | None:
            if context.object is None:
                return None  # the object is gone
            context.log.info("schedule %s", context.object.spec.schedule)

        manager = Manager(k, leader_election="my-operator", metrics=":8080", health=":8081")
        manager.controller("crontabs", reconcile).for_(CronTab).owns(Job)
        manager.run()

    The manager starts the endpoints, the webhooks, the caches, functions that need no leadership,
    the election, and, once it leads, the controllers. It stops them in the opposite order, and
    releases the lease after the controllers have ended. If a part fails, or leadership is lost, all
    parts stop, and `run` raises the error. (This follows controller-runtime's manager.)

    Args:
        k: The clientset. Its scheme must know the classes of the controllers. The manager does not
            close it. Or a fleet of clusters: controllers then watch their classes in each of them.
        home: For a fleet: the clientset of the cluster with the lease and the events about
            clusters. Its scheme must know the classes of the controllers. `clientset`, `informer`,
            `lister` and `recorder` are of this cluster.
        name: The name of the program, as the reporter of events; None means the name of the lease,
            or else the field manager of the clientset.
        leader_election: The name of the lease; None runs the controllers without an election.
        leader_election_namespace: The namespace of the lease; None means the namespace of the
            configuration.
        coordination: See `LeaderElector`.
        lease_duration: See `LeaderElector`.
        renew_deadline: See `LeaderElector`.
        retry_period: See `LeaderElector`.
        metrics: The address of `/metrics`, such as `:8080`, or a `SecureEndpoint` for HTTPS with
            authorization; None serves no metrics. It needs the extra `clientgen[metrics]`.
        registry: The metrics to publish; None means prometheus-client's default registry.
        health: The address of `/healthz` and `/readyz`, such as `:8081`; None serves no health
            checks. It may be the same as `metrics`.
        namespaces: The namespaces to watch, one or several; None for all. `add_namespace` and
            `remove_namespace` change them while the manager runs. A label selector with an
            operator, such as `team=shop` or `{"team": "shop"}`, selects namespaces by their labels,
            also while the manager runs. Requests for objects in other namespaces are dropped. A
            mapping of names gives namespaces selectors of their own, as for informers.
        sharding: Divides the objects of the controllers among the replicas: the kinds of `for_` are
            read in part, and each replica reconciles only objects that it owns. Use it instead of
            `leader_election`, and start it before the manager.
        informers: Further options of all informers, such as `strip_managed_fields`; see
            `FactoryOptions`.
        controllers: Options of all controllers, such as `{"timeout": 60.0}`; see
            `ControllerOptions`. The options of a controller override them.
        sync_timeout: How many seconds `run` waits for the caches.
        grace: How many seconds `run` waits for running work when it stops.
        clock: The clock; None means the clock of the clientset.

    Raises:
        ImportError: `metrics` is given, and prometheus-client is not installed.
        RuntimeError: The fleet belongs to another manager.
        TypeError: `k` is neither a clientset of this flavour nor a fleet, or a fleet has no `home`.
        ValueError: An address, a name or the durations are not valid, or a fleet is combined with a
            sharding or with namespaces by label.
    """

    def __init__(
        self,
        k: ClientsetBase | Fleet[Any],
        *,
        home: ClientsetBase | None = None,
        name: str | None = None,
        leader_election: str | None = None,
        leader_election_namespace: str | None = None,
        coordination: Coordination | None = None,
        lease_duration: int = 15,
        renew_deadline: float = 10.0,
        retry_period: float = 2.0,
        metrics: str | SecureEndpoint | None = None,
        registry: CollectorRegistry | None = None,
        health: str | None = None,
        namespaces: Namespaces | Labels = None,
        sharding: Sharding | None = None,
        informers: FactoryOptions | None = None,
        controllers: ControllerOptions | None = None,
        sync_timeout: float = 120.0,
        grace: float = 30.0,
        clock: Clock | None = None,
    ) -> None:
        fleet = k if isinstance(k, Fleet) else None
        k = home_of(k, home)
        rest_of(k)
        check_clientset(k)
        self._k = k
        self._sharding = sharding
        self._name = name or leader_election or k.rest.field_manager
        self._clock = clock or k.rest.clock
        self._sync_timeout = sync_timeout
        self._grace = grace
        self._metrics = _new_metrics(registry) if metrics is not None else None
        self._selection, self._live = _namespaces_of(k, namespaces, self._clock)
        self._factory = self._new_factory(informers)
        self._fleet: FleetRunner | None = None
        if fleet is not None:
            own: FactoryOptions = {"namespace": cast("Any", namespaces), **(informers or {})}
            self._fleet = self._new_fleet(fleet, own, leader_election, registry)
        self._shares_informers = False
        self._controller_options = checked_options(controllers)
        self._controllers: ControllerSet[_Part] = ControllerSet(self._start_part, self._factory)
        self._functions: list[_Function] = []
        self._probes = Probes(self._metrics)
        self._endpoints = self._new_endpoints(metrics, health)
        self._webhooks: list[Webhooks] = []
        self._elector: LeaderElector | None = None
        if leader_election is not None:
            self._elector = LeaderElector(
                k,
                leader_election,
                leader_election_namespace,
                coordination=coordination,
                lease_duration=lease_duration,
                renew_deadline=renew_deadline,
                retry_period=retry_period,
                on_started_leading=self._lead,
                on_stopped_leading=self._stop_leading,
                grace=grace + _CANCEL_TIMEOUT_SECONDS,
                metrics=None if self._metrics is None else self._metrics.election,
                clock=self._clock,
            )
            self._probes.add("healthz", "leaderElection", self._elector.healthy)
        self._lock = short_lock()
        self._own_cluster = Cluster(k, self._name, self._clock)
        self._clusters: dict[object, Cluster] = {k.rest: self._own_cluster}
        self._is_recording = False
        self._has_started = False
        self._stopping = Event()
        self._leading_is_over = Event()
        self._leading: _Part | None = None
        self._parts: list[_Part] = []
        self._failure: BaseException | None = None
        self._synced = False
        self._probes.add("healthz", "ping", _ping)
        self._probes.add("readyz", "shutdown", self._check_not_stopping)
        self._probes.add("readyz", "caches", self._check_caches)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._name!r}>"

    def _new_factory(self, informers: FactoryOptions | None) -> InformerFactory:
        options: FactoryOptions = {"clock": self._clock, "namespace": cast("Any", self._live)}
        if self._metrics is not None:
            options["metrics"] = self._metrics.informers
            self._k.rest.chain.add_metrics(self._metrics.requests)
        options.update(informers or {})
        new_factory: Callable[..., InformerFactory] = getattr(
            self._k, "informers", partial(InformerFactory, self._k.rest)
        )
        return new_factory(**options)

    def _new_endpoints(
        self, metrics: str | SecureEndpoint | None, health: str | None
    ) -> dict[str, Endpoints]:
        """Return the servers of metrics and health: one server if both have the same address."""
        probes = self._probes
        if isinstance(metrics, str) and metrics == health:
            shared_server = Endpoints("metrics and health", metrics, probes.health_and_metrics)
            return {"health": shared_server, "metrics": shared_server}
        servers: dict[str, Endpoints] = {}
        if health is not None:
            servers["health"] = Endpoints("health", health, probes.health)
        if isinstance(metrics, str):
            servers["metrics"] = Endpoints("metrics", metrics, probes.metrics)
        elif metrics is not None:
            from .secure_endpoints import secure_endpoints  # imports ssl

            reviews = None if self._metrics is None else self._metrics.reviews
            servers["metrics"] = secure_endpoints(
                metrics, probes.metrics, self._k.rest, self._clock, reviews
            )
        return servers

    def _new_fleet(
        self,
        fleet: Fleet[Any],
        options: FactoryOptions,
        lease: str | None,
        registry: CollectorRegistry | None,
    ) -> FleetRunner:
        if self._sharding is not None or self._selection is not None:
            raise ValueError("a fleet takes no sharding=, and no namespaces= by label")
        kind = ("coordination.k8s.io/v1", "Lease") if lease else ("v1", "Namespace")
        metadata = {"namespace": self._k.namespace} if lease else {}
        metadata["name"] = lease or self._k.namespace
        defaults: FactoryOptions = {"clock": self._clock}
        if self._metrics is not None:
            defaults["metrics"] = self._metrics.informers
        return FleetRunner(
            self,
            fleet,
            {**defaults, **options},
            metrics=None if self._metrics is None else self._metrics.fleet(registry),
            request_metrics=None if self._metrics is None else self._metrics.requests,
            regarding={"apiVersion": kind[0], "kind": kind[1], "metadata": metadata},
        )

    # ---- parts --------------------------------------------------------------------------------

    @property
    def clientset(self) -> ClientsetBase:
        """The clientset."""
        return self._k

    @property
    def informers(self) -> InformerFactory:
        """The factory of the informers. What it returns is not stopped before the manager."""
        self._shares_informers = True
        return self._factory

    @property
    def recorder(self) -> EventRecorder:
        """A recorder of events, which the manager starts and stops."""
        return self._own_cluster.recorder

    @property
    def sharding(self) -> Sharding | None:
        """The sharding of the objects of all controllers."""
        return self._sharding

    def cluster_of(self, client: Client | None) -> Cluster:
        """Return the cluster of a client. For controllers only.

        All clients with the same REST client belong to one cluster. None means the manager's own
        cluster.
        """
        rest = self._k.rest if client is None else rest_of(client)
        with self._lock:
            cluster = self._clusters.get(rest)
            if cluster is None:
                clientset = type(self._k)(rest) if client is rest else cast("Any", client)
                cluster = self._clusters[rest] = Cluster(clientset, self._name, self._clock)
                if self._is_recording:
                    cluster.start()
            return cluster

    @property
    def is_leader(self) -> bool:
        """Whether this process leads; always true while it runs without an election."""
        if self._elector is None:
            return self._has_started and not self._stopping.is_set()
        return self._elector.is_leader

    @overload
    def controller(
        self,
        name: str,
        reconcile: Function[[Context[T]], Result | None],
        *,
        on_error: Function[[Context[T], Exception], Result | None] | None = ...,
        limiter: RateLimiter[Request] | None = ...,
        needs_leader: bool = ...,
        **options: Unpack[ControllerOptions],
    ) -> ManagedController[T]: ...
    @overload
    def controller(
        self,
        name: str,
        reconcile: None = ...,
        *,
        on_error: Function[[Context[Any], Exception], Result | None] | None = ...,
        limiter: RateLimiter[Request] | None = ...,
        needs_leader: bool = ...,
        **options: Unpack[ControllerOptions],
    ) -> ControllerOfDependents: ...
    def controller(
        self,
        name: str,
        reconcile: Function[[Context[T]], Result | None] | None = None,
        *,
        on_error: Function[[Context[T], Exception], Result | None] | None = None,
        limiter: RateLimiter[Request] | None = None,
        needs_leader: bool = True,
        **options: Unpack[ControllerOptions],
    ) -> Any:
        """Add a controller. Call its methods to choose what it watches.

            manager.controller("crontabs", reconcile).for_(CronTab).owns(Job).watches(Secret, users)

        `for_`, `owns` and `watches` take a class that the scheme knows, or an informer.
        `when(predicate)` after a source filters the events of that source. See `Controller`
        for when and how often `reconcile` is called.

        While the manager runs, call `start` when all sources are chosen; see `remove`, too:

            manager.controller("crontabs", reconcile).for_(CronTab).start()

        Args:
            name: The name in logs and metrics; it must be unique.
            reconcile: A coroutine function (in `Manager`, an ordinary function). None if dependents
                are all that the controller does: see `dependent`.
            on_error: A function like `reconcile`, called with the context and the error after each
                failed attempt, to write a condition for example; see `Controller`.
            limiter: Sets the delays after errors.
            needs_leader: Whether the controller runs only while this process leads. Otherwise it
                runs in every replica, and starts when the caches are synced.
            options: When and how often an object is reconciled; see `ControllerOptions`. Missing
                options default to those of the manager.

        Raises:
            RuntimeError: The manager is stopping.
            TypeError: An option does not exist, or has a wrong type.
            ValueError: The manager has a controller with this name, or an option is not valid.
        """
        if self._stopping.is_set():
            raise RuntimeError(f"{self!r} is stopping")
        controller = self._controller_class()(
            self,
            name,
            reconcile,
            on_error=on_error,
            needs_leader=needs_leader,
            limiter=limiter,
            clock=self._clock,
            metrics=None if self._metrics is None else self._metrics.queues,
            sync_timeout=self._sync_timeout,
            grace=self._grace,
            **cast("ControllerOptions", {**self._controller_options, **options}),
        )
        self._add_controller(controller)
        return controller

    def _add_controller(self, controller: HostedController[Any]) -> None:
        controller.is_ready = not self._has_started
        self._controllers.add(controller)
        if self._metrics is not None:
            metrics = self._metrics.controllers
            controller._observer = metrics.controller(controller.name, controller._workers)

    def request_controller(
        self,
        name: str,
        request_type: type[R],
        reconcile: Function[[RequestContext[R]], Result | None],
        *,
        on_error: Function[[RequestContext[R], Exception], Result | None] | None = None,
        limiter: RateLimiter[R] | None = None,
        needs_leader: bool = True,
        **options: Unpack[ControllerOptions],
    ) -> RequestController[R]:
        """Add a controller whose requests are not names of objects but values of your own type.

            manager.request_controller("prices", Region, reconcile).watches(Node, region_of)

        `watches`, `polls`, `receives` and `source` make the requests. There is no `for_`, so the
        context has no object: read the caches with `lister`.

        Args:
            name: The name in logs and metrics; it must be unique.
            request_type: The class of the requests, such as `str`, or a frozen dataclass. Requests
                are hashable; equal ones are reconciled once, and never by two workers at once.
                Logs and spans show `str(request)`.
            reconcile: A coroutine function (in `Manager`, an ordinary function).
            on_error: See `controller`.
            limiter: Sets the delays after errors.
            needs_leader: See `controller`.
            options: See `controller`.

        Raises:
            RuntimeError: The manager is stopping.
            TypeError: `request_type` is not a class, or an option is not valid.
            ValueError: The manager has a controller with this name, or a sharding; or an option is
                not valid.
        """
        from .request_controller import RequestController as Controller  # few programs have it

        if self._stopping.is_set():
            raise RuntimeError(f"{self!r} is stopping")
        controller = Controller(
            self,
            name,
            request_type,
            reconcile,
            on_error=on_error,
            needs_leader=needs_leader,
            limiter=limiter,
            clock=self._clock,
            metrics=None if self._metrics is None else self._metrics.queues,
            sync_timeout=self._sync_timeout,
            grace=self._grace,
            **cast("ControllerOptions", {**self._controller_options, **options}),
        )
        self._add_controller(controller)
        return controller

    def _controller_class(self) -> Callable[..., ManagedController[Any]]:
        if self._fleet is None:
            return ManagedController
        from .fleet_controller import FleetController  # most programs have no fleet

        return partial(cast("Any", FleetController), fleet=self._fleet)

    def start_controller(self, controller: HostedController[Any]) -> None:
        """Start a controller. For controllers only: see `ManagedController.start`."""
        self._controllers.start(controller)

    def remove(self, controller: HostedController[Any]) -> None:
        """Stop a controller, wait until its reconciliations have ended, and remove it.

        Running reconciliations have `grace` seconds; in `reconcile` itself, call `controller.stop`
        instead. Queued requests are dropped. The name can be used again. The informers that the
        manager made for classes of this controller are stopped if nobody else uses them: no other
        controller, handler or call of `informer` and `lister`, and if the program does not use
        `informers`.

        Raises:
            LookupError: The manager has no such controller.
        """
        part = self._controllers.part_of(controller)
        controller.stop()
        if part is not None:
            self._end_parts([part], self._grace)
        self._controllers.discard(controller)
        if not self._shares_informers:
            self._controllers.stop_unused(controller.informers_by_class)

    def informer(self, model: type[T], **options: Unpack[ScopeOptions]) -> SharedInformer[T]:
        """Return the informer of a kind, to add handlers and indices. `run` starts it.

        While the manager runs, call `start` of a new informer. Missing options default to the
        manager's. With sharding, `for_` uses the informer with `shard_selector=manager.sharding`.

        Raises:
            LookupError: The scheme does not know the class.
        """
        informer = self.source(model, **options)
        self._controllers.note_request(informer)
        return informer

    def source(self, model: type[T], **options: Unpack[ScopeOptions]) -> SharedInformer[T]:
        """Return the informer of a kind for a controller. For controllers only: see `informer`."""
        return self._informer_of(self._factory, model, options)

    def _informer_of(
        self, factory: InformerFactory, model: type[T], options: ScopeOptions
    ) -> SharedInformer[T]:
        check_class(model)
        scheme = self._k.scheme
        resource = scheme.resource(cast("Any", model))
        gvk = GroupVersionKind(resource.group, resource.version, resource.kind)
        if scheme.model(gvk) is model:  # the package may have a generated informer
            generated = factory._generated(resource, options)
            if generated is not None:
                return generated
        list_model = scheme.list_model(cast("Any", model))
        return factory.informer(resource, model, cast("Any", list_model), **options)

    def lister(self, model: type[T], **options: Unpack[ScopeOptions]) -> Lister[T]:
        """Return the lister of a kind, which reads the cache and sends no requests; see `informer`.

        Raises:
            LookupError: The scheme does not know the class.
        """
        return self.informer(model, **options).lister

    def add(
        self, function: Callback[[], object], *, name: str | None = None, needs_leader: bool = True
    ) -> None:
        """Run a function next to the controllers.

        The function may return early. If it raises, the manager stops, and `run` raises the error.
        When the manager stops, it cancels coroutine functions. A function in a thread has to check
        `is_stopping`, or to wait with `wait_for_stop`, and return.

        Args:
            function: The function, without arguments.
            name: The name in logs; None means the name of the function.
            needs_leader: Whether the function starts when this process leads. Otherwise it starts
                when the caches are synced.

        Raises:
            RuntimeError: The manager has started.
        """
        self._check_not_started()
        check_function("function", function)
        title = name or str(getattr(function, "__name__", function))
        self._functions.append(_Function(title, function, needs_leader))

    def webhooks(
        self,
        address: str = ":9443",
        *,
        certificates: str | os.PathLike[str] | SelfSigned | None = None,
        client_ca: str | os.PathLike[str] | None = None,
    ) -> Webhooks:
        """Add a server of webhooks; see `Webhooks`. The server starts before the caches.

        With conversions, `/readyz` does not wait for the caches: the API server needs a conversion
        before it can list a kind, and calls only Pods that are ready.

        Raises:
            RuntimeError: The manager has started.
        """
        from .webhook_server import Webhooks as Server  # many programs have none

        self._check_not_started()
        webhooks = Server(
            address,
            certificates=certificates,
            client_ca=client_ca,
            scheme=self._k.scheme,
            grace=self._grace,
        )
        webhooks._metrics = None if self._metrics is None else self._metrics.webhooks
        suffix = f"-{len(self._webhooks) + 1}" if self._webhooks else ""
        self._probes.add("readyz", f"webhooks{suffix}", webhooks._check_ready)
        self._webhooks.append(webhooks)
        return webhooks

    def add_health_check(self, name: str, check: Callback[[], object]) -> None:
        """Add a check to `/healthz`: it fails if the function raises or returns False."""
        self._probes.add("healthz", name, check)

    def add_ready_check(self, name: str, check: Callback[[], object]) -> None:
        """Add a check to `/readyz`: it fails if the function raises or returns False."""
        self._probes.add("readyz", name, check)

    def add_handler(
        self, path: str, function: Callback[[EndpointRequest], EndpointAnswer | str | bytes]
    ) -> None:
        """Answer requests to another path at the address of the metrics, with its protection.

        Args:
            path: The path, such as `/debug/state`.
            function: A function of the request. It returns a text, bytes or an `EndpointAnswer`. If
                it raises, the client gets status 500.

        Raises:
            RuntimeError: The manager has no address for metrics.
            TypeError: The function is not callable.
            ValueError: The path is in use, or does not begin with a slash.
        """
        if "metrics" not in self._endpoints:
            raise RuntimeError(f"{self!r} serves no metrics: pass metrics=... to the constructor")
        self._probes.add_handler(path, function)

    @property
    def metrics_url(self) -> str | None:
        """The URL of the metrics, once the manager has started."""
        endpoints = self._endpoints.get("metrics")
        return f"{endpoints.url}/metrics" if endpoints else None

    @property
    def health_url(self) -> str | None:
        """The base URL of `/healthz` and `/readyz`, once the manager has started."""
        endpoints = self._endpoints.get("health")
        return endpoints.url if endpoints else None

    # ---- namespaces ---------------------------------------------------------------------------

    def add_namespace(self, name: str) -> None:
        """Watch another namespace. This works while the manager runs, too.

        Controllers reconcile its objects when all caches have listed them. Does nothing if the
        manager watches the namespace already.

        Raises:
            RuntimeError: The manager watches all namespaces, selects them by labels, or is of a
                fleet.
            ValueError: The name is not valid.
        """
        self._named_namespaces().add(check_segment("namespace", name))

    def remove_namespace(self, name: str) -> None:
        """Stop watching a namespace. Handlers get no deletions for its objects.

        Its objects leave the caches, its requests leave the queues. Running reconciliations are not
        stopped. Does nothing if the manager does not watch the namespace.

        Raises:
            RuntimeError: The manager watches all namespaces, selects them by labels, or is of a
                fleet.
            ValueError: The name is not valid.
        """
        self._named_namespaces().remove(check_segment("namespace", name))

    def _named_namespaces(self) -> LiveNamespaces:
        if self._fleet is not None:
            raise RuntimeError(f"{self!r} is of a fleet: its namespaces cannot be changed")
        if self._live is None:
            raise RuntimeError(
                f"{self!r} watches all namespaces: pass namespaces=[...] to the constructor"
            )
        if self._selection is not None:
            raise RuntimeError(
                f"{self!r} watches {self._live.title}: change the labels of the namespace"
            )
        return self._live

    @property
    def seconds_without_watch(self) -> float:
        """The longest time in seconds that a cache has had no open watch; 0 if all have one.

        Kinds that the server does not serve yet do not count.
        """
        served = [each for each in self._factory._pool.all() if not each.is_unserved]
        return max((each.seconds_without_watch for each in served), default=0.0)

    # ---- start and stop -----------------------------------------------------------------------

    @property
    def is_stopping(self) -> bool:
        """Whether the manager is stopping."""
        return self._stopping.is_set()

    def wait_for_stop(self, seconds: float | None = None) -> bool:
        """Wait until the manager is stopping, for at most this many seconds.

        Returns whether it is. Functions of `add` can sleep with it.
        """
        until = None if seconds is None else self._clock.monotonic() + seconds
        return wait_until(self._stopping, self._clock, until)

    def run(self) -> None:
        """Start all parts, and run until stopped.

        The manager stops on `stop`, and in the main thread on SIGTERM or SIGINT. Running
        reconciliations and functions then have `grace` seconds to end. A second signal ends the
        process at once.

        Raises:
            SyncTimeout: The caches did not sync in time. The message names each informer, the
                server's last response, and for a 403 the missing rule.
            LeadershipLost: This process led, and could not renew the lease in time.
            OSError: The address of an endpoint cannot be listened on.
            RuntimeError: The manager has run before.
            BaseException: The error of the part that failed.
        """
        self._check_not_started()
        for controller in self._controllers:
            controller._check_workflow()
        self._has_started = True
        forget = on_stop_signal_outside_tests(self._clock, from_any_thread(self.stop))
        try:
            self._start()
            self._stopping.wait()
        except BaseException:
            self._grace = 0.0
            raise
        finally:
            forget()
            self._shut_down(self._grace)
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        """Make `run` return."""
        self._stopping.set()

    def _check_not_started(self) -> None:
        if self._has_started:
            raise RuntimeError(f"{self!r} has already started")

    def _start(self) -> None:
        for endpoints in dict.fromkeys(self._endpoints.values()):
            endpoints.start()
            logger.info("%r: %r", self, endpoints)
        for webhooks in self._webhooks:
            upkeep = webhooks._start_in_manager(self._k.rest, self._clock)
            if upkeep is not None:
                self._parts.append(self._start_part(repr(upkeep), upkeep.run, upkeep.stop))
        self._start_recording()
        if self._fleet is not None:
            part = self._start_part("fleet", self._fleet.run, self._fleet.stop_soon)
            self._parts.append(part)
        self._fill_caches()
        if self._stopping.is_set():
            return
        for function in self._functions:
            if not function.needs_leader:
                self._parts.append(self._start_part(function.title, partial(call, function.call)))
        self._controllers.begin(needs_leader=False)
        lead = self._lead if self._elector is None else self._elector._run_once
        self._leading = self._start_part("leader election", lead)

    def _start_recording(self) -> None:
        with self._lock:
            self._is_recording = True
            clusters = [*self._clusters.values()]
        for cluster in clusters:
            cluster.start()

    def _fill_caches(self) -> None:
        """Start the informers, and wait for the caches of all kinds that are served."""
        if self._selection is not None:
            self._selection.start()
        until = self._clock.monotonic() + self._sync_timeout
        standstill = standstill_of(self._clock)
        reported: set[str] = set()
        while missing := self._unsynced():
            unserved = [each for each in missing if each.is_unserved]
            for informer in unserved:
                if informer.title not in reported:
                    reported.add(informer.title)
                    logger.warning("%r: the server has no %s yet", self, informer.title)
            if len(unserved) == len(missing):
                break
            if self._clock.monotonic() >= until:
                states = [(each.title, each.sync_status) for each in self._caches()]
                raise timeout_error(self._sync_timeout, states, f"{self!r}: ")
            if self._stopping.wait(_POLL_INTERVAL_SECONDS):
                return
            why = standstill.check() if standstill is not None else ""
            if why:
                states = [(each.title, each.sync_status) for each in self._caches()]
                raise standstill_error(why, states, f"{self!r}: ")
        self._synced = True

    def _unsynced(self) -> list[SharedInformer[Any] | NamespaceSelection]:
        self._factory.start()  # starts new informers, too
        return [each for each in self._caches() if not each.has_synced()]

    def _caches(self) -> list[SharedInformer[Any] | NamespaceSelection]:
        selection = [] if self._selection is None else [self._selection]
        return [*selection, *self._factory._pool.all()]

    def _lead(self) -> None:
        """Run the controllers, and the functions that need leadership, until leadership ends."""
        functions = [each for each in self._functions if each.needs_leader]
        parts = [self._start_part(each.title, partial(call, each.call)) for each in functions]
        self._controllers.begin(needs_leader=True)
        grace = self._grace
        try:
            self._leading_is_over.wait()
        except BaseException:  # the lease is lost: another process may lead soon
            grace = 0.0
            raise
        finally:
            parts += self._controllers.end(needs_leader=True)
            self._end_parts(parts, grace)

    def _stop_leading(self) -> None:
        self._leading_is_over.set()

    def _shut_down(self, grace: float) -> None:
        """Stop all parts, the controllers first."""
        self._stopping.set()
        if self._elector is not None:
            self._elector.stop()
        self._leading_is_over.set()
        try:
            self._end_work(grace)
        except BaseException:  # cancelled again: stop waiting
            self._cancel_parts()
            raise
        finally:
            self._stop_services()
        logger.info("%r: stopped", self)

    def _end_work(self, grace: float) -> None:
        if self._leading is not None:
            if grace <= 0.0:
                self._leading.end(hurry=True)
            self._leading.task.join()  # its last step releases the lease
        parts = [*self._parts, *self._controllers.end(needs_leader=False)]
        self._end_parts(parts, grace)

    def _cancel_parts(self) -> None:
        leading = [self._leading] if self._leading else []
        for part in [*leading, *self._parts, *self._controllers.parts(needs_leader=False)]:
            part.end(hurry=True)

    def _stop_services(self) -> None:
        """Stop webhooks, caches, recorders and endpoints."""
        for webhooks in self._webhooks:
            self._stop_service(webhooks.close)
        if self._fleet is not None:
            self._stop_service(self._fleet.close)
        if self._selection is not None:
            self._stop_service(self._selection.stop)
        self._stop_service(self._factory.shutdown)
        for cluster in [*self._clusters.values()]:
            cluster.stop(_EVENTS_TIMEOUT_SECONDS)
        for endpoints in dict.fromkeys(self._endpoints.values()):
            self._stop_service(partial(endpoints.stop, _CANCEL_TIMEOUT_SECONDS))
        if self._metrics is not None:
            self._k.rest.chain.remove_metrics(self._metrics.requests)

    def _stop_service(self, work: Callback[[], object]) -> None:
        """Stop a part. If it raises, `run` raises the error after all parts have stopped."""
        try:
            call(work)
        except Exception as error:  # noqa: BLE001 - a part may raise anything
            self._fail(str(work), error)

    # ---- tasks --------------------------------------------------------------------------------

    def _start_part(
        self,
        title: str,
        work: Function[[], None],
        stop: Callable[[], object] | None = None,
        context: contextvars.Context | None = None,
    ) -> _Part:
        part = _Part(title, stop)
        part.task = spawn(partial(self._run_part, part, work), f"{self._name}-{title}", context)
        return part

    def _run_part(self, part: _Part, work: Function[[], None]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - run raises it
            if isinstance(error, Exception) or not part.is_ending:  # otherwise it was cancelled
                self._fail(part.title, error)
        finally:
            part.over.set()

    def _fail(self, title: str, error: BaseException) -> None:
        """Note that a part failed. The first failure stops the manager."""
        if self._failure is None:
            logger.error("%r: stopping because of %s: %s", self, title, error)
            self._failure = error
        elif error is not self._failure:
            logger.error("%r: %s failed too", self, title, exc_info=error)
        self.stop()

    def _end_parts(self, parts: Sequence[_Part], grace: float) -> None:
        """Stop parts, and wait for them."""
        until = self._clock.monotonic() + grace + _CANCEL_TIMEOUT_SECONDS
        for part in parts:
            part.end(hurry=grace <= 0.0)
        for part in parts:
            if grace > 0.0 and not wait_until(part.over, self._clock, until):
                part.end(hurry=True)
            if not part.task.join(_CANCEL_TIMEOUT_SECONDS):
                logger.error("%r: %s is still running after it was cancelled", self, part.title)

    # ---- health checks ------------------------------------------------------------------------

    def _check_not_stopping(self) -> None:
        if self._stopping.is_set():
            raise RuntimeError("the program is stopping")

    def _check_caches(self) -> None:
        converts = any(webhooks._set.conversions for webhooks in self._webhooks)
        if not self._synced and not converts:
            states = [f"{each.title} ({each.sync_status})" for each in self._caches()]
            raise RuntimeError(f"the caches are not synced: {', '.join(states)}")


class _Function:
    def __init__(self, title: str, function: Callback[[], object], needs_leader: bool) -> None:
        self.title = title
        self.call = function
        self.needs_leader = needs_leader


class _Part:
    """A part of a manager that runs in its own task or thread."""

    task: Task

    def __init__(self, title: str, stop: Callable[[], object] | None) -> None:
        self.title = title
        self.over = Event()
        self.is_ending = False
        self._stop = stop

    def end(self, *, hurry: bool) -> None:
        """Call the stop function. With `hurry`, or without a stop function, cancel the task."""
        self.is_ending = True
        if self._stop is not None:
            self._stop()
        if self._stop is None or hurry:
            self.task.cancel()


def _namespaces_of(
    k: ClientsetBase, namespaces: Namespaces | Labels, clock: Clock
) -> tuple[NamespaceSelection | None, LiveNamespaces | None]:
    """Return what selects the namespaces by label, and the set of them; None for all."""
    selector = namespace_selector(namespaces)
    if selector is not None:
        selection = NamespaceSelection(k.rest, selector, clock)
        return selection, selection.live
    if namespaces is None:
        return None, None
    named = cast("dict[str, NamespaceOptions]", namespaces)
    live = LiveNamespaces(selectors=named if isinstance(namespaces, Mapping) else None)
    live.replace(names_of(cast("str | Sequence[str]", namespaces)))
    return None, live


def _new_metrics(registry: CollectorRegistry | None) -> ManagerMetrics:
    from .._controllers.manager_metrics import ManagerMetrics  # needs an extra

    return ManagerMetrics(registry)


def _ping() -> None:
    """Do nothing: any response shows that the program is alive."""
