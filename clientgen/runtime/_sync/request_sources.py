# Derived from _async/request_sources.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Sources of requests other than informers: timers, polls and messages."""

# A source discards items of its own work queue.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
from collections import abc, deque
from collections.abc import Callable, Hashable
from queue import Full
from random import random
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from .._controllers.object_timers import checked_seconds
from .._controllers.polled_values import PolledValues, check_results
from .._controllers.queue_state import LOW_PRIORITY
from .._controllers.rate_limiters import ItemExponentialFailure
from .._controllers.reconcile_loop import checked_request, requests_of
from .._models.arguments import check_function, type_of
from ._primitives import (
    Event,
    awaited,
    check_callback,
    from_clock,
    short_lock,
    uncancelled,
    wait_until,
)
from .workqueue import WorkQueue

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from .._clock import Clock
    from .._controllers.memos import Values
    from .._controllers.object_timers import TimerRule
    from .._controllers.object_tracking import ObjectKey
    from .._controllers.reconcile_loop import Request
    from ._primitives import Function
    from .workqueue import PriorityQueue

R = TypeVar("R", bound=Hashable)
M = TypeVar("M")

_FIRST_RETRY_SECONDS = 1.0
_LONGEST_RETRY_SECONDS = 300.0

logger = logging.getLogger("clientgen.runtime.controllers")


class RequestSink(Generic[R]):
    """The argument of a source's `run`: takes the requests, and tells when to stop.

    Call its methods in the event loop only. (A `Requests` may be used from any thread.)
    """

    def __init__(
        self,
        name: str,
        queue: PriorityQueue[R],
        request_type: type[Any],
        clock: Clock,
        count_error: Callable[[], object],
    ) -> None:
        self._name = name
        self._queue = queue
        self._request_type = request_type
        self._clock = clock
        self._count_error = count_error
        self._stopping = Event()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._name!r}>"

    def add(self, request: R, *, priority: int = 0) -> None:
        """Reconcile a request. Requests that wait already are not added again.

        Raises:
            TypeError: The request has another type than the requests of the controller.
            ValueError: A name is not valid, or a namespace is neither empty nor valid.
        """
        self._queue.add(self._checked(request), priority=priority)

    def add_after(self, request: R, delay: float) -> None:
        """Reconcile a request in `delay` seconds. Raises the errors of `add`."""
        self._queue.add_after(self._checked(request), delay)

    @property
    def is_stopping(self) -> bool:
        """Whether the controller is stopping."""
        return self._stopping.is_set()

    def wait_for_stop(self, seconds: float | None = None) -> bool:
        """Wait until the controller is stopping, for at most this many seconds.

        Returns whether it is. Sources can sleep with it.
        """
        until = None if seconds is None else self._clock.monotonic() + seconds
        return wait_until(self._stopping, self._clock, until)

    def _checked(self, request: R) -> R:
        return cast("R", checked_request("a source", request, self._request_type))

    def _is_retried(self, request: R) -> bool:
        """Return whether a request waits to be retried after an error."""
        return self._queue.num_requeues(request) > 0

    def _report(self, error: Exception, what: str, *arguments: object) -> None:
        """Log and count an error that does not end the source."""
        self._count_error()
        logger.error(f"%s: {what}", self._name, *arguments, exc_info=error)


class RequestSource(Protocol[R]):
    """A source of requests, for `Controller.source`.

    A method `stop()`, if there is one, is called when the controller stops.
    """

    def run(self, requests: RequestSink[R], /) -> None:
        """Put requests into `requests` until the controller stops.

        It may return early. If it raises, the controller stops with the error. When the controller
        stops, a coroutine is cancelled; a thread has to look at `requests.is_stopping`, or to wait
        with `requests.wait_for_stop`.
        """
        ...


# ---- timers -----------------------------------------------------------------------------------


class _Beat:
    """The timer of one object."""

    def __init__(self, due: float, changed: float) -> None:
        self.due: float | None = due
        self.changed = changed


class ObjectTimer:
    """Reconciles each object at certain times. One task serves all objects."""

    def __init__(self, rule: TimerRule, clock: Clock) -> None:
        self._rule = rule
        self._clock = clock
        self._queue: WorkQueue[ObjectKey] = WorkQueue(clock=clock)
        self._beats: dict[ObjectKey, _Beat] = {}
        self._lock = short_lock()

    def began(self, key: ObjectKey, _obj: object) -> None:
        """Start the timer of an object."""
        now, delay = self._clock.monotonic(), self._rule.first()
        with self._lock:
            self._beats[key] = _Beat(now + delay, now)
            self._queue.add_after(key, delay)

    def changed(self, key: ObjectKey) -> None:
        """Begin the idle time of an object again."""
        with self._lock:
            beat = self._beats[key]
            beat.changed = self._clock.monotonic()
            if beat.due is None and self._rule.idle is not None:
                self._put(key, beat, beat.changed + self._rule.idle, beat.changed)

    def ended(self, key: ObjectKey) -> None:
        """Stop the timer of an object."""
        with self._lock:
            del self._beats[key]
            self._queue._discard(key)

    def run(self, requests: RequestSink[Request], /) -> None:
        """Reconcile the objects whose timers are due."""
        for key in self._queue:
            with self._queue.processing(key):
                # An object that is being retried has a growing delay, which a timer must not cut.
                if self._fires(key) and not requests._is_retried(key.request):
                    requests.add(key.request)

    def stop(self) -> None:
        """Make `run` return."""
        self._queue.shut_down()

    def _fires(self, key: ObjectKey) -> bool:
        with self._lock:
            beat, now = self._beats.get(key), self._clock.monotonic()
            if beat is None or beat.due is None:
                return False
            later = self._rule.blocked_until(now, beat.changed)
            self._put(key, beat, self._rule.after(beat.due, now) if later is None else later, now)
            return later is None

    def _put(self, key: ObjectKey, beat: _Beat, due: float | None, now: float) -> None:
        beat.due = due
        if due is not None:
            self._queue.add_after(key, due - now)


# ---- polls ------------------------------------------------------------------------------------


class Poll(Generic[R]):
    """Calls a function at intervals, and reconciles the requests whose values have changed."""

    def __init__(
        self,
        read: Function[[], Mapping[Any, Any]],
        every: float,
        keys: Callable[[Any], Iterable[R]] | None,
        jitter: float,
        request_type: type[Any],
    ) -> None:
        check_callback("a polled function", read)
        if keys is not None:
            check_function("keys", keys)
        self._read = read
        self._every = checked_seconds("every", every)
        self._keys = keys or _itself
        self._jitter = checked_seconds("jitter", jitter, least=0.0)
        self._request_type = request_type
        self._polled = PolledValues()
        self._limiter: ItemExponentialFailure[str] = _limiter(self._every)

    def run(self, requests: RequestSink[R], /) -> None:
        """Poll until the controller stops."""
        delay = 0.0
        while not requests.wait_for_stop(delay):
            delay = self._poll(requests)

    def _poll(self, requests: RequestSink[R]) -> float:
        """Poll once. Returns the seconds until the next poll."""
        try:
            results = uncancelled(awaited("a polled function", self._read()))
            check_results(results)
            changed = self._polled.replace(results)
        except Exception as error:  # noqa: BLE001 - it is reported
            requests._report(error, "polling %r failed", self._read)
            return self._limiter.when("", 0.0)
        self._limiter.forget("")
        for key in changed:
            self._wake(key, requests)
        return self._every * (1 + self._jitter * random())  # noqa: S311 - no secret

    def _wake(self, key: Any, requests: RequestSink[R]) -> None:
        try:
            for request in requests_of(self._keys, key, self._request_type):
                requests.add(request)
        except Exception as error:  # noqa: BLE001 - it is reported
            self._polled.forget(key)  # the next poll tries again
            requests._report(error, "no requests for %r, which %r has polled", key, self._read)


class ObjectPoll:
    """Calls a function for each object at intervals, and reconciles objects whose value changed."""

    def __init__(
        self,
        read: Function[[Any], Any],
        every: float,
        find: Callable[[ObjectKey], Any],
        values_of: Callable[[ObjectKey], Values],
        clock: Clock,
    ) -> None:
        check_callback("a polled function", read)
        self._read = read
        self._every = checked_seconds("every", every)
        self._find = find
        self._values_of = values_of
        self._queue: WorkQueue[ObjectKey] = WorkQueue(limiter=_limiter(self._every), clock=clock)
        self._keys: set[ObjectKey] = set()
        self._lock = short_lock()

    def began(self, key: ObjectKey, _obj: object) -> None:
        """Poll for a new object."""
        with self._lock:
            self._keys.add(key)
            self._queue.add(key)

    def changed(self, key: ObjectKey) -> None:
        """Poll at once for an object that has changed: the function may read something else."""
        self._queue.add(key)

    def ended(self, key: ObjectKey) -> None:
        """Poll no longer for an object."""
        with self._lock:
            self._keys.discard(key)
            self._queue._discard(key)

    def run(self, requests: RequestSink[Request], /) -> None:
        """Poll until the controller stops."""
        for key in self._queue:
            with self._queue.processing(key):
                self._poll(key, requests)

    def stop(self) -> None:
        """Make `run` return."""
        self._queue.shut_down()

    def _poll(self, key: ObjectKey, requests: RequestSink[Request]) -> None:
        obj = self._find(key)
        if obj is None:
            return  # the object is gone, and `ended` follows
        try:
            value = uncancelled(awaited("a polled function", self._read(obj)))
            has_changed = self._take(key, value)
        except Exception as error:  # noqa: BLE001 - it is reported
            requests._report(error, "polling %r for %s failed", self._read, key)
            self._again(key, has_failed=True)
            return
        self._again(key, has_failed=False)
        if has_changed:
            requests.add(key.request, priority=LOW_PRIORITY)

    def _take(self, key: ObjectKey, value: Any) -> bool:
        """Take a result. Returns whether it differs from the last one."""
        values = self._values_of(key)
        is_known = self._read in values
        before, values[self._read] = values.get(self._read), value
        return not is_known or bool(before != value)

    def _again(self, key: ObjectKey, *, has_failed: bool) -> None:
        with self._lock:
            if key not in self._keys:
                return
            if has_failed:
                self._queue.add_rate_limited(key)
            else:
                self._queue.forget(key)
                self._queue.add_after(key, self._every)


# ---- messages ---------------------------------------------------------------------------------


class Events(Generic[M]):
    """Messages for controllers from elsewhere in the program: a webhook, a consumer, a thread.

        restarts = Events[str]()
        manager.controller("maps", reconcile).for_(ConfigMap).receives(restarts, requests_of)
        ...
        restarts.put("colours")

    Each controller that receives the events gets all of them. Its mapper turns them into requests,
    which wait in its queue once each.

    Args:
        maxsize: How many messages wait while a controller does not run: on a replica that does not
            lead, nothing takes them.
    """

    def __init__(self, *, maxsize: int = 1024) -> None:
        if maxsize < 1:
            raise ValueError(f"maxsize={maxsize}: there must be room for at least one message")
        self._maxsize = maxsize
        self._lock = Lock()  # `put` may be called from any thread
        self._subscriptions: list[_Subscription[M]] = []

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} waiting>"

    def __len__(self) -> int:
        """Return how many messages wait, in the controller that is behind most."""
        with self._lock:
            return max((len(each.waiting) for each in self._subscriptions), default=0)

    def put(self, message: M) -> None:
        """Add a message. Never waits. May be called from any thread.

        Raises:
            queue.Full: `maxsize` messages wait already; nothing is added. A webhook can answer 503,
                so that the sender tries again, perhaps at the replica that leads.
            RuntimeError: No controller receives the events.
        """
        with self._lock:
            if not self._subscriptions:
                raise RuntimeError(
                    f"{type(self).__name__}: no controller receives these events; call"
                    " receives(events, mapper) of a controller, which must not have stopped"
                )
            if any(len(each.waiting) >= self._maxsize for each in self._subscriptions):
                raise Full(
                    f"{self._maxsize} messages wait already: the controller does not run here, such"
                    " as on a replica that does not lead"
                )
            for each in self._subscriptions:
                each.waiting.append(message)
                each.wake()

    def _subscribe(self) -> _Subscription[M]:
        subscription: _Subscription[M] = _Subscription(self._unsubscribe)
        with self._lock:
            self._subscriptions.append(subscription)
        return subscription

    def _unsubscribe(self, subscription: _Subscription[M]) -> None:
        with self._lock:
            self._subscriptions = [each for each in self._subscriptions if each is not subscription]


class _Subscription(Generic[M]):
    """The messages of one controller."""

    def __init__(self, forget: Callable[[_Subscription[M]], object]) -> None:
        self.waiting: deque[M] = deque()
        self.wake: Callable[[], object] = _do_nothing
        self._forget = forget
        self._ready = Event()
        self._is_over = False

    def __iter__(self) -> Self:
        self.wake = from_clock(self._ready.set)
        return self

    def __next__(self) -> M:
        while not self.waiting and not self._is_over:
            self._ready.clear()
            if not self.waiting and not self._is_over:
                self._ready.wait()
        if self._is_over:
            raise StopIteration
        return self.waiting.popleft()

    def close(self) -> None:
        """Take no more messages, and end the iteration."""
        self._forget(self)
        self._is_over = True
        self.wake()


class Messages(Generic[M, R]):
    """Reconciles the requests that a mapper returns for the messages of an iterable."""

    def __init__(
        self,
        messages: Events[M] | abc.Iterable[M] | Callable[[], abc.Iterable[M]],
        mapper: Callable[[M], Iterable[R]],
        request_type: type[Any],
    ) -> None:
        check_function("mapper", mapper)
        self._title = repr(messages)
        self._messages: Any = messages
        self._subscription: _Subscription[M] | None = None
        if isinstance(messages, Events):
            self._messages = self._subscription = messages._subscribe()
        self._mapper = mapper
        self._request_type = request_type
        self._limiter: ItemExponentialFailure[str] = _limiter(_LONGEST_RETRY_SECONDS)

    def run(self, requests: RequestSink[R], /) -> None:
        """Take messages until they end, or until the controller stops."""
        if not callable(self._messages):
            self._take_all(self._messages, requests)
            return
        while True:
            try:
                self._take_all(self._messages(), requests)
            except Exception as error:  # noqa: BLE001 - it is reported
                requests._report(error, "%s failed, and is called again", self._title)
            else:
                return
            if requests.wait_for_stop(self._limiter.when("", 0.0)):
                return

    def stop(self) -> None:
        """Make `run` return, if the messages are those of `Events`."""
        if self._subscription is not None:
            self._subscription.close()

    def _take_all(self, messages: object, requests: RequestSink[R]) -> None:
        check_messages(messages)
        for message in cast("abc.Iterable[M]", messages):
            if requests.is_stopping:
                return
            self._limiter.forget("")
            self._take(message, requests)

    def _take(self, message: M, requests: RequestSink[R]) -> None:
        try:
            for request in requests_of(self._mapper, message, self._request_type):
                requests.add(request)
        except Exception as error:  # noqa: BLE001 - one bad message must not hold up the others
            requests._report(error, "no requests for a message of %s", self._title)


def check_messages(messages: object) -> None:
    """Check that messages can be iterated.

    Raises:
        TypeError: They cannot, or they are one text.
    """
    if isinstance(messages, (str, bytes)) or not isinstance(messages, abc.Iterable):
        wanted = f"{Events.__name__}, an {abc.Iterable.__name__}, or a function that returns"
        raise TypeError(f"messages must be {wanted} one, not {type_of(messages)}")


def _limiter(longest: float) -> ItemExponentialFailure[Any]:
    return ItemExponentialFailure(min(_FIRST_RETRY_SECONDS, longest), longest)


def _itself(key: Any) -> list[Any]:
    return [key]


def _do_nothing() -> None:
    """Do nothing: the messages are not read yet."""
