# Derived from _async/controller.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""`Controller`: puts changed objects into a queue, and workers reconcile them."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from msgspec import Struct

from .._cache.sync_errors import timed_out
from .._clock import SYSTEM_CLOCK
from .._controllers.queue_state import LOW_PRIORITY, ShutDown
from .._controllers.reconcile_loop import checked, owner_mapper, request_for, requeue, urgency
from .._models.arguments import check_function
from .._signals import on_stop_signal
from ._primitives import Event, from_outside, spawn, uncancelled
from .workqueue import PriorityQueue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Self

    from .._clock import Clock
    from .._controllers.queue_state import QueueMetricsProvider
    from .._controllers.rate_limiters import RateLimiter
    from .._controllers.reconcile_loop import Request, Result
    from .._http.resource import Resource
    from ..errors import SyncTimeout
    from ._primitives import Function, Task

__all__ = ["Controller"]

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

_POLL = 0.05
_LAST_WAIT = 1.0

logger = logging.getLogger("clientgen.runtime.controllers")


class Registration(Protocol):
    """A handler of an informer."""

    def has_synced(self) -> bool:
        """Report whether the handler has received all initial objects."""
        ...

    def remove(self) -> None:
        """Remove the handler from the informer."""
        ...


class Source(Protocol[T_co]):
    """The part of an informer that a controller uses."""

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
        """Whether its cache is synced, as text."""
        ...

    def start(self) -> None:
        """Start the informer if it is not running."""
        ...


class Controller:
    """Calls `reconcile` for objects that changed, until the program is told to stop.

        controller = Controller("web", reconcile).for_(deployments).owns(pods)
        with factory:
            controller.run()

    Reconcile gets the name of an object, reads the caches, and acts. It is called for every object
    at first, and then for objects that changed, but never concurrently for the same object. If it
    raises, it is called again after a growing delay: 5 ms, doubling up to 1000 s. If it returns a
    Result, the Result sets the delay; otherwise it is called at the object's next change. Changed
    objects go before objects that were only listed or resynced. (This follows controller-runtime's
    controllers.)

    Args:
        name: The name in logs and metrics.
        reconcile: A coroutine function (in `Controller`, an ordinary function).
        workers: How many objects are reconciled at once.
        limiter: Sets the delays after errors. None means the default above.
        clock: The clock for delays.
        metrics: Publishes the queue's metrics under the controller's name.
        sync_timeout: How many seconds `run` waits for the caches.
        grace: How many seconds `run` waits for running reconciliations when it is told to stop.

    Attributes:
        queue: The queue, for requests from sources other than informers.
    """

    def __init__(
        self,
        name: str,
        reconcile: Function[[Request], Result | None],
        *,
        workers: int = 1,
        limiter: RateLimiter[Request] | None = None,
        clock: Clock = SYSTEM_CLOCK,
        metrics: QueueMetricsProvider | None = None,
        sync_timeout: float = 120.0,
        grace: float = 30.0,
    ) -> None:
        check_function("reconcile", reconcile)
        if workers < 1:
            raise ValueError("a controller needs at least one worker")
        self.name = name
        self.queue: PriorityQueue[Request] = PriorityQueue(
            name, limiter=limiter, clock=clock, metrics=metrics
        )
        self._reconcile = reconcile
        self._workers = workers
        self._clock = clock
        self._sync_timeout = sync_timeout
        self._grace = grace
        self._sources: list[_Watched] = []
        self._resource: Resource | None = None
        self._stopping = Event()
        self._began = False
        self._broken: BaseException | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    # ---- what is looked at --------------------------------------------------------------------

    def for_(self, informer: Source[Any]) -> Self:
        """Reconcile the objects of an informer."""
        self._resource = informer.resource
        return self.watches(informer, request_for)

    def owns(self, informer: Source[Any], owner: Resource | None = None) -> Self:
        """Reconcile the controlling owners of an informer's objects.

        Args:
            informer: The informer of the owned objects.
            owner: The kind of the owners, such as `deployments.resource`; None is the kind of
                `for_`.

        Raises:
            ValueError: No owner is given, and `for_` was not called before.
        """
        owner = owner or self._resource
        if owner is None:
            raise ValueError("give the kind of the owner, or call for_() first")
        return self.watches(informer, owner_mapper(owner))

    def watches(self, informer: Source[T], mapper: Callable[[T], Iterable[Request]]) -> Self:
        """Reconcile the requests that `mapper` returns for the objects of an informer.

        For an update, it is called with the old object and the new one.
        """
        self._sources.append(_Watched(informer, mapper))
        return self

    # ---- its life -----------------------------------------------------------------------------

    def run(self) -> None:
        """Start the informers, wait for their caches, and reconcile until told to stop.

        It stops on `stop`, or in the main thread on SIGTERM or SIGINT. It then waits for running
        reconciliations; queued objects are left for the next start. It does not stop the informers:
        their factory does.

        Raises:
            SyncTimeout: The caches did not sync in time (a TimeoutError). The message names each
                informer and the server's last response.
            RuntimeError: It has run before.
        """
        if self._began:
            raise RuntimeError(f"{self!r} has already run; create a new one")
        self._began = True
        forget = on_stop_signal(from_outside(self.stop))
        registrations: list[Registration] = []
        try:
            for source in self._sources:
                self._listen(source, registrations)
            self._wait_for_sync(registrations)
            self._work()
        finally:
            forget()
            self.queue.shut_down()
            for registration in registrations:
                registration.remove()

    def stop(self) -> None:
        """Make `run` return."""
        self._stopping.set()

    def _listen(self, source: _Watched, registrations: list[Registration]) -> None:
        registration = source.informer.add_handler(
            partial(self._on_add, source.mapper),
            partial(self._on_update, source.mapper),
            partial(self._on_delete, source.mapper),
        )
        registrations.append(registration)
        source.informer.start()

    def _wait_for_sync(self, registrations: Sequence[Registration]) -> None:
        until = self._clock.monotonic() + self._sync_timeout
        while not all(registration.has_synced() for registration in registrations):
            if self._clock.monotonic() >= until:
                raise self._timed_out()
            if self._stopping.wait(_POLL):
                return

    def _timed_out(self) -> SyncTimeout:
        states = [(source.informer.title, source.informer.sync_status) for source in self._sources]
        return timed_out(self._sync_timeout, states, f"{self!r}: ")

    def _work(self) -> None:
        logger.info("%s: starting %d workers", self.name, self._workers)
        workers = [spawn(self._keep_working, f"{self.name}-{n}") for n in range(self._workers)]
        try:
            self._stopping.wait()
        except BaseException:
            self._grace = 0.0
            raise
        finally:
            self._end(workers)
        if self._broken:
            raise self._broken

    def _end(self, workers: Sequence[Task]) -> None:
        self._stopping.set()
        drained = self.queue.shut_down_with_drain(self._grace)
        if not drained:
            logger.warning("%s: still reconciling after %g s", self.name, self._grace)
            for worker in workers:
                worker.cancel()
        for worker in workers:
            worker.join(None if drained else _LAST_WAIT)
        logger.info("%s: stopped", self.name)

    # ---- what happens -------------------------------------------------------------------------

    def _keep_working(self) -> None:
        try:
            while not self._stopping.is_set():
                with self.queue.item() as request:
                    if not self._stopping.is_set():  # it may have come while this one waited
                        self._process(request)
        except ShutDown:
            pass
        except BaseException as error:  # noqa: BLE001 - run raises it
            if not self._stopping.is_set():  # nobody wanted it: a SystemExit, or an exit of ours
                self._broken = error
                self.stop()

    def _process(self, request: Request) -> None:
        try:
            result = uncancelled(self._reconcile(request))
            requeue(self.queue, request, result)
        except Exception:
            failures = self.queue.num_requeues(request) + 1
            logger.exception("%s: reconciling %s failed (%d)", self.name, request, failures)
            self.queue.add_rate_limited(request, priority=self.queue.priority(request))

    def _on_add(self, mapper: Callable[[T], Iterable[Request]], obj: T, is_initial: bool) -> None:
        for request in checked(mapper(obj)):
            self.queue.add(request, priority=LOW_PRIORITY if is_initial else 0)

    def _on_update(self, mapper: Callable[[T], Iterable[Request]], old: T, new: T) -> None:
        for request in checked([*mapper(old), *mapper(new)]):
            self.queue.add(request, priority=urgency(old, new))

    def _on_delete(self, mapper: Callable[[T], Iterable[Request]], obj: T) -> None:
        for request in checked(mapper(obj)):
            self.queue.add(request)


class _Watched(Struct, frozen=True):
    informer: Source[Any]
    mapper: Callable[[Any], Iterable[Request]]
