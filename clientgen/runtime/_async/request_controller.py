"""Controllers of a manager whose requests are of the program's own type."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .._controllers.outcomes import ContextLogger
from .._controllers.tracing import reconcile_span
from .._models.arguments import check_class
from .hosted_controller import AsyncHostedController

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Self, Unpack

    from .._clock import Clock
    from .._controllers.attempts import Attempt
    from .._controllers.controller_options import ControllerOptions
    from .._controllers.queue_state import QueueMetricsProvider
    from .._controllers.rate_limiters import RateLimiter
    from .._controllers.reconcile_loop import Result
    from .._models.unstructured import Object
    from ._primitives import Function
    from .clientset import AsyncClientsetBase
    from .controller import AsyncSource
    from .hosted_controller import AsyncHost
    from .recorder import AsyncEventRecorder

R = TypeVar("R", bound=Hashable)
R_co = TypeVar("R_co", bound=Hashable, covariant=True)
S = TypeVar("S")


class AsyncRequestContext(Generic[R_co]):
    """The argument of a reconcile function for requests of the program's own type.

    Attributes:
        request: The request.
        log: A logger that adds the controller, the request and the id of this reconciliation to
            each record, in the text and as the attributes `controller`, `object` and
            `reconcile_id`.
    """

    def __init__(
        self,
        host: AsyncHost,
        request: R_co,
        log: ContextLogger,
        attempt: Attempt,
        *,
        must_end: Callable[[], bool],
    ) -> None:
        self._host = host
        self._attempt = attempt
        self._must_end = must_end
        self.request: R_co = request
        self.log: ContextLogger = log

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.request}>"

    @property
    def clientset(self) -> AsyncClientsetBase:
        """The clientset of the manager."""
        return self._host.clientset

    @property
    def recorder(self) -> AsyncEventRecorder:
        """The manager's recorder of events."""
        return self._host.recorder

    @property
    def is_stopping(self) -> bool:
        """Whether `reconcile` should return now; see `AsyncContext.is_stopping`."""
        return self._must_end() or self._attempt.has_timed_out

    @property
    def attempt(self) -> int:
        """The number of this attempt: 1, and one more after each failure until one succeeds."""
        return self._attempt.number

    @property
    def is_last_attempt(self) -> bool:
        """Whether the request is not retried if this attempt fails: see `max_attempts`."""
        return self._attempt.is_last

    @property
    def last_error(self) -> Exception | None:
        """Why the previous attempt failed, without its traceback; None in the first attempt."""
        return self._attempt.last_error


class AsyncRequestController(AsyncHostedController[R]):
    """A controller of a manager: see `AsyncManager.request_controller`."""

    def __init__(
        self,
        host: AsyncHost,
        name: str,
        request_type: type[R],
        reconcile: Function[[AsyncRequestContext[R]], Result | None],
        *,
        on_error: Function[[AsyncRequestContext[R], Exception], Result | None] | None,
        needs_leader: bool,
        limiter: RateLimiter[R] | None,
        clock: Clock,
        metrics: QueueMetricsProvider | None,
        sync_timeout: float,
        grace: float,
        **options: Unpack[ControllerOptions],
    ) -> None:
        check_class(request_type)
        super().__init__(
            host,
            name,
            reconcile,
            on_error=on_error,
            needs_leader=needs_leader,
            module=getattr(reconcile, "__module__", None),
            request_type=request_type,
            limiter=limiter,
            clock=clock,
            metrics=metrics,
            sync_timeout=sync_timeout,
            grace=grace,
            **options,
        )
        if host.sharding is not None:
            raise ValueError(
                f"{self!r}: requests of your own cannot be divided among replicas, because they"
                " have no uid; give the manager leader_election instead of sharding"
            )

    def watches(self, source: type[S] | AsyncSource[S], mapper: Callable[[S], Iterable[R]]) -> Self:
        """Reconcile the requests that `mapper` returns for the objects of a kind.

        Args:
            source: The class of the objects, or their informer.
            mapper: Called with the object of each event; for an update, with the old object and
                again with the new object.

        Raises:
            LookupError: The scheme does not know the class.
        """
        return super().watches(self._informer("watches()", source), mapper)

    def unwatch(self, source: type[Object] | AsyncSource[Any]) -> None:
        """Remove a source, whose informer keeps running. This works while the controller runs, too.

        Raises:
            LookupError: The controller does not watch the source.
        """
        super().unwatch(self._informer("unwatch()", source))

    async def _call_reconcile(
        self, request: R, fields: dict[str, str], attempt: Attempt
    ) -> Result | None:
        log = ContextLogger(self._log, fields)
        context = AsyncRequestContext(self._host, request, log, attempt, must_end=self._must_end)
        with reconcile_span(self.name, request, fields["reconcile_id"]):
            return await self._calls.call(cast("Any", context), attempt)
