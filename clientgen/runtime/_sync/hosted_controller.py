# Derived from _async/hosted_controller.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""What all controllers of a manager have in common."""

from __future__ import annotations

import logging
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from .._models.arguments import check_source
from .._models.unstructured import Object
from .controller import Controller, Source

if TYPE_CHECKING:
    from typing import Unpack

    from .._cache.informer_options import ScopeOptions
    from .._clock import Clock
    from .._controllers.controller_options import ControllerOptions
    from .._controllers.queue_state import QueueMetricsProvider
    from .._controllers.rate_limiters import RateLimiter
    from .._controllers.reconcile_loop import Result
    from ._primitives import Function
    from .clientset import ClientsetBase
    from .controller_cluster import Cluster
    from .informer import SharedInformer
    from .lease_client import Client
    from .recorder import EventRecorder
    from .sharding import Sharding

R = TypeVar("R", bound=Hashable)
S = TypeVar("S")
T = TypeVar("T", bound=Object)

logger = logging.getLogger("clientgen.runtime.controllers")


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

    def start_controller(self, controller: Any) -> None:
        """Start a controller that was added while the manager runs."""
        ...

    def cluster_of(self, client: Client | None) -> Cluster:
        """Return the cluster of a client; None means the manager's own cluster."""
        ...


class HostedController(Controller[R]):
    """A controller of a manager. Its sources are informers, or classes.

    Args:
        host: The manager.
        name: The name in logs and metrics.
        reconcile: Gets the context that `_call_reconcile` makes.
        on_error: Gets this context, too, and the error.
        needs_leader: Whether the controller runs only while this process leads.
        module: The module of the program's function, whose logger is used: programs set log levels
            by module.

    Attributes:
        needs_leader: Whether the controller runs only while this process leads.
        is_ready: Whether the manager may start the controller. For the manager only.
        informers_by_class: The informers that the manager made for classes. For the manager only.
    """

    def __init__(
        self,
        host: Host,
        name: str,
        reconcile: Function[[Any], Result | None],
        *,
        on_error: Function[[Any, Exception], Result | None] | None,
        needs_leader: bool,
        module: str | None,
        limiter: RateLimiter[R] | None,
        clock: Clock,
        metrics: QueueMetricsProvider | None,
        sync_timeout: float,
        grace: float,
        request_type: type[R] | None = None,
        **options: Unpack[ControllerOptions],
    ) -> None:
        super().__init__(
            name,
            reconcile,
            on_error=on_error,
            request_type=request_type,
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
        self._log = logging.getLogger(module or "clientgen")

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

    def _check_workflow(self) -> None:
        """Do nothing: a controller without dependents has no workflow."""

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
