"""Handlers of an informer, each with its own queue."""

# An informer uses private parts of its registrations. The informer's clock measures timeouts.
# pyright: reportPrivateUsage=false
# ruff: noqa: ASYNC109

from __future__ import annotations

import logging
from collections import deque
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .._cache.deltas import Updated
from ._primitives import Event, Task, call, sleep, spawn, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from .._cache.deltas import Notification, Recovered
    from .._cache.event_handlers import Handlers, ResyncTimer
    from .._cache.storage import Storage
    from .._clock import Clock

T = TypeVar("T")

# After this many calls of one handler, other tasks run.
_MAX_CALLS_IN_A_ROW = 100
_JOIN_INTERVAL_SECONDS = 1.0

logger = logging.getLogger("clientgen.runtime.informers")


class QueueMark(Enum):
    """A mark between the notifications in the queue of a handler."""

    SYNCED = 1
    """All initial objects are before this mark."""
    RESYNCED = 2
    """All objects of a resync are before this mark."""


class AsyncHandlerRegistration(Generic[T]):
    """The handlers of one `add_handler` call, and a queue of notifications for them.

    A task or thread takes the notifications from the queue, one after another. The queue has no
    limit, so a slow handler does not delay other handlers. Exceptions of handlers are logged and
    counted.

    Attributes:
        errors: How many calls of these handlers have failed.
    """

    def __init__(
        self,
        title: str,
        handlers: Handlers[T],
        timer: ResyncTimer,
        clock: Clock,
        forget: Callable[[AsyncHandlerRegistration[T]], object],
        *,
        storage: Storage[Any] | None = None,
        is_watched: Callable[[Any], bool] | None = None,
    ) -> None:
        self.errors = 0
        self._title = title
        self._handlers = handlers
        self._timer = timer
        self._clock = clock
        self._forget = forget
        self._storage = storage
        self._is_watched = is_watched
        # The queue holds entries of the cache, so that a slow handler does not fill memory with
        # objects.
        self._queue: deque[Notification[Any] | QueueMark] = deque()
        self._ready = Event()
        self._synced = Event()
        self._is_synced = False
        self._is_over = False
        self._resyncing = False
        # The context of the caller that added the handlers, because writes of handlers need the
        # permit of that caller, not of the caller that starts the informer.
        self._context = copy_context()
        self._task: Task | None = None
        # Set when `_join` need not wait: the task has ended, or its handler waits for other
        # handlers.
        self._needs_no_join = Event()
        self._is_waiting = False

    @property
    def backlog(self) -> int:
        """The number of notifications that these handlers have not received yet."""
        return len(self._queue)

    def has_synced(self) -> bool:
        """Return whether the `on_add` calls for all initial objects have ended."""
        return self._is_synced

    async def wait_for_sync(self, timeout: float | None = None) -> bool:
        """Wait until `has_synced()` is true, for at most this many seconds. Returns `has_synced()`.

        This returns early if the handlers are removed or the informer is stopped.
        """
        until = None if timeout is None else self._clock.monotonic() + timeout
        await wait_until(self._synced, self._clock, until)
        return self._is_synced

    def remove(self) -> None:
        """Remove these handlers. A running call is not interrupted."""
        self._forget(self)
        self._stop()

    # ---- for the informer ---------------------------------------------------------------------

    def _put(self, notifications: Sequence[Notification[Any] | QueueMark]) -> None:
        self._queue.extend(notifications)
        if not self._ready.is_set():
            self._ready.set()

    def _resync(self, notifications: Sequence[Notification[Any]]) -> None:
        """Put all objects into the queue again, unless the last resync is still in the queue."""
        if not self._resyncing:
            self._resyncing = True
            self._put([*notifications, QueueMark.RESYNCED])

    def _stop(self) -> None:
        self._is_over = True
        self._ready.set()
        self._synced.set()

    @property
    def _is_done(self) -> bool:
        return self._task is not None and self._task.done

    def _start(self) -> None:
        self._task = spawn(self._run, f"clientgen handler of {self._title}", self._context)

    async def _join(self) -> None:
        """Wait for the running call, unless its handler waits for other handlers."""
        task = self._task
        if task is None:
            return
        while not task.done and not await self._needs_no_join.wait(_JOIN_INTERVAL_SECONDS):
            pass  # a task that is cancelled before it begins never sets the event
        if not self._is_waiting:
            await task.join()

    async def _run(self) -> None:
        _running.set(self)
        try:
            await self._call_until_over()
        finally:
            self._needs_no_join.set()

    async def _call_until_over(self) -> None:
        while not self._is_over:
            for _ in range(_MAX_CALLS_IN_A_ROW):
                if self._is_over or not self._queue:
                    break
                await self._deliver(self._queue.popleft())
            if self._queue:
                await sleep(0)
                continue
            self._ready.clear()
            if not self._queue and not self._is_over:
                await self._ready.wait()
        self._queue.clear()

    async def _deliver(self, notification: Notification[Any] | QueueMark) -> None:
        if isinstance(notification, QueueMark):
            self._pass_mark(notification)
            return
        if self._is_watched is not None and not self._is_watched(_entry(notification)):
            return  # the namespace was removed
        try:
            told: Notification[T] | Recovered[T] | None = notification
            if self._storage is not None:
                if not self._handlers.wants(notification):
                    return
                told = self._storage.decode_notification(notification)
            pending = None if told is None else self._handlers.call_for(told)
            if pending is not None:
                function, arguments = pending
                await call(function, *arguments)
        except Exception:
            self.errors += 1
            kind = type(notification).__name__.lower()
            logger.exception("a handler of %s failed for an object that was %s", self._title, kind)

    def _pass_mark(self, mark: QueueMark) -> None:
        if mark is QueueMark.RESYNCED:
            self._resyncing = False
        else:
            self._is_synced = True
            self._synced.set()


def _entry(notification: Notification[Any]) -> Any:
    return notification.new if isinstance(notification, Updated) else notification.object


_running: ContextVar[AsyncHandlerRegistration[Any] | None] = ContextVar("_running", default=None)
"""The registration whose handler is being called.

Tasks that the handler spawned inherit the value.
"""


@contextmanager
def waiting_for_others() -> Generator[None]:
    """Mark the handler that is being called as waiting for other handlers.

    Meanwhile other handlers do not wait for it: two handlers that stop each other's informers would
    wait for each other forever.
    """
    handler = _running.get()
    if handler is None or handler._task is None or not handler._task.is_current:
        yield
        return
    handler._is_waiting = True
    handler._needs_no_join.set()
    try:
        yield
    finally:
        handler._needs_no_join.clear()
        handler._is_waiting = False
