# Derived from _async/registration.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Handlers of an informer, each with a queue of its own."""

# An informer and its registrations are friends, and a timeout is one of the caller's clock.
# pyright: reportPrivateUsage=false
# ruff: noqa: ASYNC109

from __future__ import annotations

import logging
from collections import deque
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .._cache.deltas import Updated, decoded
from ._primitives import Event, Task, call, sleep, spawn, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from .._cache.deltas import Notification
    from .._cache.event_handlers import Handlers, ResyncTimer
    from .._clock import Clock

__all__ = ["HandlerRegistration", "QueueMark", "waiting_for_others"]

T = TypeVar("T")

# So many notifications, then others may run.
_AT_ONCE = 100
_GLANCE = 1.0

logger = logging.getLogger("clientgen.runtime.informers")


class QueueMark(Enum):
    """A mark in a handler's queue, between notifications."""

    SYNCED = 1
    """Everything that was there at first has been told."""
    RESYNCED = 2
    """Everything has been told once more."""


class HandlerRegistration(Generic[T]):
    """Handlers that were added to an informer, and what they have yet to be told.

    Each has a queue without bounds and somebody who works it off, one notification after the
    other: a slow handler delays nobody else. What a handler raises is logged and counted.

    Attributes:
        errors: how many calls of these handlers have failed.
    """

    def __init__(
        self,
        what: str,
        handlers: Handlers[T],
        timer: ResyncTimer,
        clock: Clock,
        forget: Callable[[HandlerRegistration[T]], object],
        *,
        decode: Callable[[Any], T] | None = None,
        is_watched: Callable[[Any], bool] | None = None,
    ) -> None:
        self.errors = 0
        self._title = what
        self._handlers = handlers
        self._timer = timer
        self._clock = clock
        self._forget = forget
        self._decode = decode
        self._is_watched = is_watched
        # It holds entries, as the cache does: a slow handler does not fill memory with objects.
        self._queue: deque[Notification[Any] | QueueMark] = deque()
        self._ready = Event()
        self._synced = Event()
        self._is_synced = False
        self._is_over = False
        self._resyncing = False
        # Handlers write with the permit of the work that added them, whoever starts the informer.
        self._context = copy_context()
        self._task: Task | None = None
        # That nobody has to wait for: it has ended, or its handler waits for others.
        self._left = Event()
        self._waits = False

    @property
    def backlog(self) -> int:
        """The number of notifications that these handlers have yet to receive."""
        return len(self._queue)

    def has_synced(self) -> bool:
        """Tell whether these handlers have been told of everything that was there at first.

        It takes that all their `on_add` calls for it have ended.
        """
        return self._is_synced

    def wait_for_sync(self, timeout: float | None = None) -> bool:
        """Wait for that, for no more than so many seconds; gives whether it is so.

        It gives up as soon as the handlers are removed or the informer is stopped.
        """
        until = None if timeout is None else self._clock.monotonic() + timeout
        wait_until(self._synced, self._clock, until)
        return self._is_synced

    def remove(self) -> None:
        """Call these handlers no more. A call that is going on ends in its own time."""
        self._forget(self)
        self._end()

    # ---- for the informer ---------------------------------------------------------------------

    def _put(self, notifications: Sequence[Notification[Any] | QueueMark]) -> None:
        self._queue.extend(notifications)
        if not self._ready.is_set():
            self._ready.set()

    def _resync(self, notifications: Sequence[Notification[Any]]) -> None:
        """Tell of everything again, unless that is still going on since the last time."""
        if not self._resyncing:
            self._resyncing = True
            self._put([*notifications, QueueMark.RESYNCED])

    def _end(self) -> None:
        self._is_over = True
        self._ready.set()
        self._synced.set()

    @property
    def _is_done(self) -> bool:
        return self._task is not None and self._task.done

    def _start(self) -> None:
        self._task = spawn(self._run, f"clientgen handler of {self._title}", self._context)

    def _join(self) -> None:
        """Wait for the call that is going on, unless its handler waits for others' calls."""
        task = self._task
        if task is None:
            return
        while not task.done and not self._left.wait(_GLANCE):
            pass  # a task that is cancelled before it begins leaves no word
        if not self._waits:
            task.join()

    def _run(self) -> None:
        _running.set(self)
        try:
            self._keep_telling()
        finally:
            self._left.set()

    def _keep_telling(self) -> None:
        while not self._is_over:
            for _ in range(_AT_ONCE):
                if self._is_over or not self._queue:
                    break
                self._tell(self._queue.popleft())
            if self._queue:
                sleep(0)
                continue
            self._ready.clear()
            if not self._queue and not self._is_over:
                self._ready.wait()
        self._queue.clear()

    def _tell(self, notification: Notification[Any] | QueueMark) -> None:
        if isinstance(notification, QueueMark):
            self._pass(notification)
            return
        if self._is_watched is not None and not self._is_watched(_entry(notification)):
            return  # its namespace was removed
        try:
            if self._decode is not None:
                notification = decoded(notification, self._decode)
            pending = self._handlers.call_for(notification)
            if pending is not None:
                function, arguments = pending
                call(function, *arguments)
        except Exception:
            self.errors += 1
            kind = type(notification).__name__.lower()
            logger.exception("a handler of %s failed, told what was %s", self._title, kind)

    def _pass(self, mark: QueueMark) -> None:
        if mark is QueueMark.RESYNCED:
            self._resyncing = False
        else:
            self._is_synced = True
            self._synced.set()


def _entry(notification: Notification[Any]) -> Any:
    return notification.new if isinstance(notification, Updated) else notification.object


_running: ContextVar[HandlerRegistration[Any] | None] = ContextVar("_running", default=None)
"""The registration whose handler is being called, also in tasks that the handler spawned."""


@contextmanager
def waiting_for_others() -> Generator[None]:
    """Wait for the ends of handlers: nobody waits for the one that does, as it may be a circle."""
    handler = _running.get()
    if handler is None or handler._task is None or not handler._task.is_current:
        yield
        return
    handler._waits = True
    handler._left.set()
    try:
        yield
    finally:
        handler._left.clear()
        handler._waits = False
