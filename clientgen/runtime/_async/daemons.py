"""Daemons: functions that run beside an object while it exists."""

# A controller, its daemons and their contexts call each other's private methods.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from .._controllers.memos import memo_in
from .._controllers.object_timers import checked_seconds
from .._controllers.outcomes import ContextLogger, fields_of
from .._controllers.rate_limiters import ItemExponentialFailure
from .._models.unstructured import Object
from ._primitives import (
    Event,
    awaited,
    check_callback,
    short_lock,
    spawn,
    uncancelled,
    wait_until,
)
from .workqueue import AsyncWorkQueue

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from .._clock import Clock
    from .._controllers.memos import Values
    from .._controllers.object_tracking import ObjectKey
    from .._controllers.reconcile_loop import Request
    from ._primitives import Function, Task
    from .clientset import AsyncClientsetBase
    from .controller_cluster import AsyncCluster
    from .recorder import AsyncEventRecorder
    from .request_sources import AsyncRequestSink

T = TypeVar("T", bound=Object)
T_co = TypeVar("T_co", bound=Object, covariant=True)
M = TypeVar("M")

_CANCEL_TIMEOUT_SECONDS = 1.0
_FIRST_RETRY_SECONDS = 1.0
_LONGEST_RETRY_SECONDS = 300.0
# After this time without an error, the next delay is the first again.
_STABLE_SECONDS = 600.0

logger = logging.getLogger("clientgen.runtime.controllers")


class AsyncDaemonHost(Protocol):
    """The part of a controller that its daemons use."""

    name: str

    def _find(self, key: ObjectKey) -> Any:
        """Return an object from the cache; None if it is gone."""
        ...

    def _values_of(self, key: ObjectKey) -> Values:
        """Return the memos of an object."""
        ...

    def _admits_daemon(self, key: ObjectKey, daemons: object, again: Callable[[], object]) -> bool:
        """Return whether this replica owns an object. If not, `again` is called when it does."""
        ...

    def _permitted(self, key: ObjectKey, cluster: AsyncCluster) -> AbstractContextManager[None]:
        """Refuse writes in a `with` block when this replica must not change an object any more."""
        ...

    def _owns(self, key: ObjectKey) -> bool:
        """Return whether this replica owns an object."""
        ...

    def _daemon_cluster(self, request: Request) -> AsyncCluster | None:
        """Return the cluster of a request; None if it has left."""
        ...

    def _report_daemon(self, title: str, key: ObjectKey, error: Exception) -> None:
        """Log and count the exception that a daemon raised."""
        ...

    def _fail_daemon(self, title: str, error: BaseException) -> None:
        """Stop the controller, because a daemon ended the program."""
        ...


class AsyncDaemonContext(Generic[T_co]):
    """The argument of a daemon: its object, and the tools to work on it.

    Attributes:
        request: The namespace and the name of the object.
        log: A logger that adds the controller, the object and the id of the daemon to each record.
    """

    def __init__(
        self,
        host: AsyncDaemonHost,
        key: ObjectKey,
        obj: T_co,
        *,
        cluster: AsyncCluster,
        clock: Clock,
        log: logging.Logger,
    ) -> None:
        self.request: Request = key.request
        self.log = ContextLogger(log, fields_of(host.name, key, f"daemon-{token_hex(4)}"))
        self._host = host
        self._key = key
        self._last: T_co = obj
        self._cluster = cluster
        self._clock = clock
        self._values: Values | None = None
        self._stopping = Event()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.request}>"

    @property
    def object(self) -> T_co:
        """The newest state of the object in the cache, which is read-only.

        Once the object is gone, this is the last state that was read here.
        """
        found: T_co | None = self._host._find(self._key)
        if found is not None:
            self._last = found
        return self._last

    @property
    def name(self) -> str:
        """The name of the object."""
        return self.request.name

    @property
    def namespace(self) -> str:
        """The namespace of the object; empty for cluster-scoped kinds."""
        return self.request.namespace

    @property
    def clientset(self) -> AsyncClientsetBase:
        """The clientset of the object's cluster; usually the manager's."""
        return self._cluster.clientset

    @property
    def recorder(self) -> AsyncEventRecorder:
        """A recorder of events in the object's cluster; usually the manager's."""
        return self._cluster.recorder

    @property
    def is_stopping(self) -> bool:
        """Whether the daemon has to end.

        Its object is gone or `when` does not hold any more, the manager is stopping, or leadership
        is lost.
        """
        return self._stopping.is_set() or not self._host._owns(self._key)

    async def wait_for_stop(self, seconds: float | None = None) -> bool:
        """Wait until the daemon has to end, for at most this many seconds.

        Returns whether it has to. Daemons can sleep with it.
        """
        until = None if seconds is None else self._clock.monotonic() + seconds
        return await wait_until(self._stopping, self._clock, until)

    def memo(self, factory: Callable[[], M]) -> M:
        """Return the value of this object that `factory` created; see `AsyncContext.memo`."""
        if self._values is None:
            self._values = self._host._values_of(self._key)
        return memo_in(self._values, factory)


class AsyncDaemons(Generic[T]):
    """The daemons of one function: one for each object.

    An object that replaces another one of the same name gets its daemon when the other daemon has
    ended.
    """

    def __init__(
        self,
        host: AsyncDaemonHost,
        function: Function[[AsyncDaemonContext[T]], object],
        grace: float,
        clock: Clock,
    ) -> None:
        check_callback("a daemon", function)
        self._host = host
        self._function = function
        self._grace = checked_seconds("cancellation_grace", grace, least=0.0)
        self._clock = clock
        self._log = logging.getLogger(getattr(function, "__module__", None) or "clientgen")
        self._title = str(getattr(function, "__qualname__", function))
        self._running: dict[Request, _Daemon] = {}
        self._next: dict[Request, tuple[ObjectKey, T]] = {}
        # The requests whose daemons may start, and the daemons whose grace period ends.
        self._work: AsyncWorkQueue[Request | _Daemon] = AsyncWorkQueue(clock=clock)
        self._lock = short_lock()

    def __len__(self) -> int:
        return len(self._running)

    # ---- objects ------------------------------------------------------------------------------

    def began(self, key: ObjectKey, obj: T) -> None:
        """Start the daemon of an object soon."""
        with self._lock:
            self._next[key.request] = (key, obj)
        self._work.add(key.request)

    def changed(self, key: ObjectKey) -> None:
        """Do nothing: a daemon reads the newest object."""

    def ended(self, key: ObjectKey) -> None:
        """Tell the daemon of an object to end. It is cancelled after the grace period."""
        with self._lock:
            waiting, running = self._next.get(key.request), self._running.get(key.request)
            if waiting is not None and waiting[0] == key:
                del self._next[key.request]
            if running is not None and running.key == key:
                running.context._stopping.set()
                self._work.add_after(running, self._grace)

    # ---- as a source --------------------------------------------------------------------------

    async def run(self, _requests: AsyncRequestSink[Any], /) -> None:
        """Start daemons, and cancel those whose grace period is over."""
        async for item in self._work:
            with self._work.processing(item):
                if isinstance(item, _Daemon):
                    self._cancel(item)
                else:
                    self._start_next(item)

    def stop(self) -> None:
        """Make `run` return."""
        self._work.shut_down()

    def _start_next(self, request: Request) -> None:
        """Start the daemon that waits, unless another one of the name runs."""
        with self._lock:
            waiting = self._next.get(request)
        # Sharding calls back with its lock held, so it is asked without a lock.
        if waiting is None or not self._host._admits_daemon(
            waiting[0], self, partial(self._work.add, request)
        ):
            return
        with self._lock:
            if self._next.get(request) is not waiting or request in self._running:
                return
            key, obj = self._next.pop(request)
            cluster = self._host._daemon_cluster(request)
            if cluster is None:
                return
            context = AsyncDaemonContext(
                self._host, key, obj, cluster=cluster, clock=self._clock, log=self._log
            )
            daemon = self._running[request] = _Daemon(key, context)
            self._spawn(daemon)

    def _spawn(self, daemon: _Daemon) -> None:
        name = f"{self._host.name}-{self._title}-{daemon.key}"
        try:
            daemon.task = spawn(partial(self._run_daemon, daemon), name)
        except RuntimeError as error:  # no more threads
            del self._running[daemon.key.request]
            self._host._report_daemon(self._title, daemon.key, error)

    def _cancel(self, daemon: _Daemon) -> None:
        """Cancel a daemon. If it goes on, warn a little later."""
        if daemon.over.is_set():
            return
        if daemon.is_cancelled:
            self._warn(daemon)
            return
        daemon.is_cancelled = True
        daemon.task.cancel()
        self._work.add_after(daemon, _CANCEL_TIMEOUT_SECONDS)

    # ---- one daemon ---------------------------------------------------------------------------

    async def _run_daemon(self, daemon: _Daemon) -> None:
        try:
            with self._host._permitted(daemon.key, daemon.context._cluster):
                await self._call_until_over(daemon)
        except BaseException as error:  # noqa: BLE001 - the controller raises it
            if not daemon.context.is_stopping:  # a SystemExit, or a cancellation by other code
                self._host._fail_daemon(self._title, error)
        finally:
            daemon.over.set()
            with self._lock:
                if self._running.get(daemon.key.request) is daemon:
                    del self._running[daemon.key.request]
            self._work.add(daemon.key.request)

    async def _call_until_over(self, daemon: _Daemon) -> None:
        """Call the function until it returns, or has to end."""
        context = daemon.context
        limiter: ItemExponentialFailure[str] = ItemExponentialFailure(
            _FIRST_RETRY_SECONDS, _LONGEST_RETRY_SECONDS
        )
        while not context.is_stopping:
            began = self._clock.monotonic()
            try:
                await uncancelled(awaited("a daemon", self._function(context)))
            except Exception as error:  # noqa: BLE001 - a daemon may raise anything
                self._host._report_daemon(self._title, daemon.key, error)
            else:
                return
            if self._clock.monotonic() - began >= _STABLE_SECONDS:
                limiter.forget("")
            await context.wait_for_stop(limiter.when("", 0.0))

    # ---- the end ------------------------------------------------------------------------------

    async def end(self, grace: float) -> None:
        """Wait for all daemons, which have been told to end."""
        with self._lock:
            self._next.clear()
            left = [*self._running.values()]
        until = self._clock.monotonic() + min(grace, self._grace)
        try:
            for daemon in left:
                await wait_until(daemon.over, self._clock, until)
        finally:
            for daemon in left:
                daemon.task.cancel()
        for daemon in left:
            if not await daemon.task.join(_CANCEL_TIMEOUT_SECONDS):
                self._warn(daemon)

    def _warn(self, daemon: _Daemon) -> None:
        logger.warning(
            "%s: the daemon %s of %s is still running after its grace period of %g s",
            self._host.name,
            self._title,
            daemon.key,
            self._grace,
        )


class _Daemon:
    """The daemon of one object."""

    task: Task

    def __init__(self, key: ObjectKey, context: AsyncDaemonContext[Any]) -> None:
        self.key = key
        self.context = context
        self.over = Event()
        self.is_cancelled = False
