"""The part of a controller that runs sources other than informers."""

# The sources of a controller are a part of it.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
from collections.abc import Hashable
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .._controllers.object_timers import TimerRule
from .._controllers.object_tracking import ObjectTracker
from .._controllers.reconcile_loop import ClusterRequest, Request, request_for
from .._models.arguments import check_function
from ._primitives import awaited, short_lock, spawn
from .request_sources import (
    AsyncEvents,
    AsyncMessages,
    AsyncObjectTimer,
    AsyncPoll,
    AsyncRequestSink,
    AsyncRequestSource,
    check_messages,
)

if TYPE_CHECKING:
    from collections import abc
    from collections.abc import Callable, Iterable, Mapping
    from typing import Self

    from .._clock import Clock
    from .._controllers.object_tracking import Follower, ObjectKey, ObjectObserver
    from .._controllers.outcomes import ReconcileMetrics
    from .._controllers.predicates import Event as SourceEvent
    from ._primitives import Function, Task
    from .daemons import AsyncDaemons
    from .workqueue import AsyncPriorityQueue

R = TypeVar("R", bound=Hashable)
M = TypeVar("M")
K = TypeVar("K", bound=Hashable)

_CANCEL_TIMEOUT_SECONDS = 1.0

logger = logging.getLogger("clientgen.runtime.controllers")


class AsyncControllerSources(Generic[R]):
    """Timers, polls, messages and other sources of a controller."""

    name: str
    queue: AsyncPriorityQueue[R]
    _clock: Clock
    _request_type: type[Any]
    _has_started: bool
    _failure: BaseException | None
    _observer: ReconcileMetrics | None

    def __init__(self) -> None:
        self._request_sources: list[AsyncRequestSource[R]] = []
        self._running_sources: list[_Running[R]] = []
        self._daemons: list[AsyncDaemons[Any]] = []
        self._observers: list[ObjectObserver] = []
        self._tracker: ObjectTracker | None = None
        self._objects_lock = short_lock()
        self._is_ending = False

    def source(self, source: AsyncRequestSource[R]) -> Self:
        """Reconcile the requests of a source of your own; see `AsyncRequestSource`.

        The source runs while the controller runs: after the caches have synced, and if there is an
        election, while this process leads.

        Raises:
            RuntimeError: The controller has started.
        """
        self._check_not_running("source()")
        check_function("the method run of a source", getattr(source, "run", None))
        self._request_sources.append(source)
        return self

    def receives(
        self,
        messages: AsyncEvents[M] | abc.AsyncIterable[M] | Callable[[], abc.AsyncIterable[M]],
        mapper: Callable[[M], Iterable[R]],
    ) -> Self:
        """Reconcile the requests that `mapper` returns for messages.

        A message for which `mapper` raises is logged, counted and skipped. When the messages end,
        the controller goes on.

        Args:
            messages: `AsyncEvents`, into which other parts of the program put messages; or an
                asynchronous iterable, whose error stops the controller; or a function that returns
                such an iterable, which is called again after an error, with a growing delay of 1 s
                up to 5 min.
            mapper: Returns the requests for a message. It must not wait.

        Raises:
            RuntimeError: The controller has started.
            TypeError: The messages cannot be iterated.
        """
        self._check_not_running("receives()")
        if not isinstance(messages, AsyncEvents) and not callable(messages):
            check_messages(messages)
        return self.source(AsyncMessages(cast("Any", messages), mapper, self._request_type))

    def polls(
        self,
        read: Function[[], Mapping[K, object]],
        *,
        every: float,
        keys: Callable[[K], Iterable[R]] | None = None,
        jitter: float = 0.0,
    ) -> Self:
        """Call a function at intervals, and reconcile what has changed outside of the cluster.

        `read` returns a mapping. Each value is compared with that of the poll before, by `==`: keys
        whose value differs, new keys and missing keys are reconciled. The first poll reconciles all
        keys. If `read` raises, the error is logged and counted, the last values stay, and the next
        attempt follows after a growing delay: 1 s, doubling up to `every`.

        Args:
            read: A coroutine function (in `Controller`, an ordinary function).
            every: The seconds from the end of a poll to the next.
            keys: Returns the requests for a key. None means that the keys are requests.
            jitter: Up to this fraction of `every` is added at random: 0.1 for 10 %.

        Raises:
            RuntimeError: The controller has started.
            ValueError: `every` is not above 0, or `jitter` is negative.
        """
        return self.source(AsyncPoll(read, every, keys, jitter, self._request_type))

    def timer(
        self,
        *,
        every: float | None = None,
        idle: float | None = None,
        delay: float | None = None,
        jitter: float = 0.0,
        when: Callable[[Any], bool] | None = None,
    ) -> Self:
        """Reconcile each object of `for_` at certain times, also if nothing changes.

        The timer of an object begins when the controller sees the object, also after a restart, and
        ends with the object. Changes of the object do not move it, except for `idle`. An object
        that is retried after an error is left to its retries.

            controller.for_(CronTab).timer(every=60, jitter=0.1)
            controller.for_(WebApp).timer(idle=30)  # once, when nothing was changed for 30 s

        Args:
            every: The seconds between two calls. A timer that is late by several intervals makes
                one call.
            idle: Call only if the object has not been changed for this many seconds. Without
                `every`, there is one call after each change. Changes are those of the generation,
                so status updates do not count; for kinds without a generation, all changes count.
            delay: The seconds until the first call; None means `idle`, or else `every`.
            jitter: Up to this fraction of `every` is added to each interval at random.
            when: Returns whether an object, which is read-only, has a timer; None means that all
                have one.

        Raises:
            RuntimeError: The controller has started.
            TypeError: The requests of the controller do not name objects.
            ValueError: Neither `every` nor `idle` is given, or a number is not valid.
        """
        timer = AsyncObjectTimer(TimerRule(every, idle, delay, jitter), self._clock)
        self._follow("timer()", timer, when)
        self._request_sources.append(cast("Any", timer))  # the requests are `Request`s
        return self

    # ---- objects ------------------------------------------------------------------------------

    def _follow(self, call: str, follower: Follower, when: Callable[[Any], bool] | None) -> None:
        """Tell a follower about the objects of `for_`."""
        self._check_not_running(call)
        self._check_names_objects(call)
        if when is not None:
            check_function("when", when)
        if self._tracker is None:
            self._tracker = ObjectTracker()
            self._observers.append(self._tracker)
        self._tracker.add(follower, when)

    def _observe(self, cluster: object, event: SourceEvent[Any]) -> None:
        """Tell observers about an event of an object of `for_`, in a foreign cluster or None."""
        request = request_for(event.object)[0]
        if cluster is not None:
            request = ClusterRequest.of(request, cluster)
        with self._objects_lock:
            if not self._is_ending:
                for observer in self._observers:
                    observer.observe(event, request)

    def _forget_objects(self, matches: Callable[[ObjectKey], bool]) -> None:
        """Tell observers that objects are not watched any more."""
        with self._objects_lock:
            for observer in self._observers:
                observer.forget(matches)

    def _check_names_objects(self, call: str) -> None:
        if self._request_type is not Request:
            raise TypeError(
                f"{call} makes requests that name objects, but the requests of {self!r} are"
                f" {self._request_type.__name__} objects: use watches(source, mapper)"
            )

    def _check_not_running(self, call: str) -> None:
        if self._has_started:
            raise RuntimeError(f"{self!r} has already started: call {call} before")

    # ---- start and stop -----------------------------------------------------------------------

    def _start_sources(self) -> None:
        for number, source in enumerate(self._request_sources, start=1):
            running = _Running(source, self._new_requests(), partial(self._fail_source, source))
            self._running_sources.append(running)
            running.start(f"{self.name}-source-{number}")

    def _new_requests(self) -> AsyncRequestSink[R]:
        return AsyncRequestSink(
            self.name, self.queue, self._request_type, self._clock, self._count_source_error
        )

    def _tell_sources_to_stop(self) -> None:
        """Tell the sources and the followers of objects to stop. Only the first call counts."""
        with self._objects_lock:
            if self._is_ending:
                return
            self._forget_objects(_any)
            self._is_ending = True
        for source in self._request_sources:  # those that were not started, too
            stop = getattr(source, "stop", None)
            if stop is not None:
                self._call_stop(source, stop)
        for running in self._running_sources:
            running.tell()

    def _call_stop(self, source: AsyncRequestSource[R], stop: Callable[[], object]) -> None:
        try:
            stop()
        except Exception:
            logger.exception("%s: stop() of the source %r failed", self.name, source)

    async def _end_sources(self, grace: float) -> None:
        """Wait for the sources, which have been told to stop, and for daemons."""
        try:
            await self._join_sources()
        finally:
            for daemons in self._daemons:
                await daemons.end(grace)

    async def _join_sources(self) -> None:
        for running in self._running_sources:
            if not await running.task.join(_CANCEL_TIMEOUT_SECONDS):
                logger.warning("%s: the source %r is still running", self.name, running.source)

    def _fail_source(self, source: AsyncRequestSource[R], error: BaseException) -> None:
        logger.error("%s: stopping because of the source %r: %s", self.name, source, error)
        if self._failure is None:
            self._failure = error
        self.stop()

    def _count_source_error(self) -> None:
        if self._observer is not None:
            self._observer.source_failed()

    def stop(self) -> None:
        """Make `run` return."""
        raise NotImplementedError


class _Running(Generic[R]):
    """A source that runs."""

    task: Task

    def __init__(
        self,
        source: AsyncRequestSource[R],
        requests: AsyncRequestSink[R],
        fail: Callable[[BaseException], object],
    ) -> None:
        self.source = source
        self._requests = requests
        self._fail = fail

    def start(self, name: str) -> None:
        """Run the source in a task or thread."""
        self.task = spawn(self._run, name)

    def tell(self) -> None:
        """Tell the source to stop. A coroutine is cancelled."""
        self._requests._stopping.set()
        self.task.cancel()

    async def _run(self) -> None:
        try:
            run: Function[[AsyncRequestSink[R]], object] = self.source.run
            await awaited("the method run of a source", run(self._requests))
        except BaseException as error:
            if not self._requests.is_stopping:
                self._fail(error)
            elif isinstance(error, Exception):
                logger.exception("the source %r failed when it was stopped", self.source)


def _any(_key: ObjectKey) -> bool:
    return True
