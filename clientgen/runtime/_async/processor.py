"""Delivers the changes of a cache to its handlers. client-go: sharedProcessor."""

# The processor uses private parts of its registrations.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .._cache.deltas import Added, Deleted
from .._cache.event_handlers import as_initial, without_syncs
from .._cache.mutation_detector import (
    CHECK_INTERVAL_SECONDS,
    CacheMutationError,
    Mutation,
    MutationDetector,
)
from ._primitives import Event, Task, short_lock, spawn, wait_until
from .registration import AsyncHandlerRegistration, QueueMark, waiting_for_others

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._cache.deltas import Notification
    from .._cache.event_handlers import Handlers, ResyncTimer
    from .._cache.own_writes import OwnWrites
    from .._cache.storage import Storage
    from .._clock import Clock

T = TypeVar("T")
R = TypeVar("R")

logger = logging.getLogger("clientgen.runtime.informers")


class AsyncProcessor(Generic[T]):
    """Puts every change of a cache into the queue of each handler, and resyncs handlers.

    Args:
        title: The name of the informer in logs.
        store: The cache. `change` makes all changes.
        detector: Finds cached objects that handlers have changed.
        clock: The clock of resyncs.
        storage: Decodes the entries of the cache; None if entries are objects.
        is_watched: Whether the namespace of an entry is still watched; None if all namespaces are
            watched.

    Attributes:
        is_started: Whether `start` was called. Handlers are called after that.
        is_stopped: Whether `stop_soon` was called. Handlers are not called after that.
        is_synced: Whether the cache has synced.
        settled: Set when the cache has synced or the informer is stopped. Cleared while another
            namespace is listed.
    """

    def __init__(
        self,
        title: str,
        store: OwnWrites[Any],
        detector: MutationDetector[Any],
        clock: Clock,
        *,
        storage: Storage[Any] | None = None,
        is_watched: Callable[[Any], bool] | None = None,
    ) -> None:
        self.is_started = self.is_stopped = self.is_synced = False
        self.settled = Event()
        self._title = title
        self._store = store
        self._indexer = store.indexer
        self._detector = detector
        self._storage = storage
        self._clock = clock
        self._is_watched = is_watched
        # Held while the cache changes and the change is put into queues, never across a wait.
        self._lock = short_lock()
        self._registrations: list[AsyncHandlerRegistration[T]] = []
        self._errors_of_removed = 0
        self._mutations: list[Mutation] = []
        self._started_registrations: list[AsyncHandlerRegistration[T]] = []
        self._timer_task: Task | None = None
        self._timer_changed = Event()

    @property
    def errors(self) -> int:
        """The number of handler calls that have failed."""
        with self._lock:
            return self._errors_of_removed + sum(
                registration.errors for registration in self._registrations
            )

    @property
    def backlog(self) -> int:
        """The number of notifications that the handlers have not received yet, in total."""
        with self._lock:
            return sum(registration.backlog for registration in self._registrations)

    @property
    def has_handlers(self) -> bool:
        """Whether there are handlers that were not removed."""
        return bool(self._registrations)

    def add(self, handlers: Handlers[T], timer: ResyncTimer) -> AsyncHandlerRegistration[T]:
        """Add handlers. They get the cached objects first, and then every change.

        Raises:
            RuntimeError: The processor is stopped.
        """
        registration = AsyncHandlerRegistration(
            self._title,
            handlers,
            timer,
            self._clock,
            self._forget,
            storage=self._storage,
            is_watched=self._is_watched,
        )
        with self._lock:
            self._check_not_stopped()
            if self._indexer.populated:
                registration._put([Added(entry, True) for entry in self._store.watched()])
            if self.is_synced:
                registration._put([QueueMark.SYNCED])
            self._registrations.append(registration)
            if self.is_started:
                self._start_handler(registration)
        return registration

    def change(
        self,
        apply: Callable[[], list[Notification[Any]]],
        is_complete: Callable[[], bool] = lambda: False,
    ) -> None:
        """Change the cache with `apply`, and put the notifications that it returns into the queues.

        Then `is_complete` returns whether the cache is synced. Does nothing after `stop_soon`.
        """
        with self._lock:
            if self.is_stopped:
                return
            notifications = apply()
            is_filled = is_complete()
            completes = is_filled and not self.is_synced
            if completes:
                self._indexer.show()  # before handlers read the cache
            self._distribute(notifications if self.is_synced else as_initial(notifications))
            self._notify_revealed()
            if completes:
                self.is_synced = True
                for registration in self._registrations:
                    registration._put([QueueMark.SYNCED])
            if is_filled:
                self.settled.set()

    def show(self, apply: Callable[[], object]) -> None:
        """Change the objects that readers see, without notifications.

        Does nothing after `stop_soon`.
        """
        with self._lock:
            if not self.is_stopped:
                apply()
                self._notify_revealed()

    def forget(self, entries: list[Any]) -> None:
        """Note that entries have left the cache, without notifications."""
        for entry in entries:
            self._detector.observe(Deleted(entry))

    def with_lock(self, function: Callable[[], R]) -> R:
        """Call a function while the cache is locked."""
        with self._lock:
            return function()

    # ---- running ------------------------------------------------------------------------------

    def start(self) -> bool:
        """Start calling handlers. Returns False if the processor was started before.

        Raises:
            RuntimeError: The processor is stopped.
        """
        with self._lock:
            self._check_not_stopped()
            if self.is_started:
                return False
            self.is_started = True
            for registration in self._registrations:
                self._start_handler(registration)
            if self._detector.enabled:
                self._start_timer()
        return True

    def stop_soon(self) -> None:
        """Stop calling handlers, without waiting for running calls."""
        with self._lock:
            self.is_stopped = True
            registrations = [*self._registrations]
        for registration in registrations:
            registration._stop()
        self._timer_changed.set()
        self.settled.set()

    async def join(self) -> None:
        """Wait for running calls of handlers, except calls that wait for other handlers.

        Raises:
            CacheMutationError: Cached objects were changed.
        """
        with waiting_for_others():
            for registration in [*self._started_registrations]:
                await registration._join()
        if self._timer_task is not None:
            await self._timer_task.join()
        if self._detector.enabled:
            self._log_mutations()
        if self._mutations:
            raise CacheMutationError(self._detector.cache, self._mutations)

    def _check_not_stopped(self) -> None:
        if self.is_stopped:
            raise RuntimeError(f"{self._title} is stopped; create a new one")

    # ---- handlers -----------------------------------------------------------------------------

    def _start_handler(self, registration: AsyncHandlerRegistration[T]) -> None:
        self._started_registrations = [
            registration
            for registration in self._started_registrations
            if not registration._is_done
        ]
        registration._start()
        self._started_registrations.append(registration)
        if registration._timer.due is not None:
            self._start_timer()

    def _forget(self, registration: AsyncHandlerRegistration[T]) -> None:
        with self._lock:
            if registration in self._registrations:
                self._registrations.remove(registration)
                self._errors_of_removed += registration.errors

    def _distribute(self, notifications: list[Notification[Any]]) -> None:
        if self._detector.enabled:
            for notification in notifications:
                self._detector.observe(notification)
        notifications = without_syncs(notifications)
        if notifications:
            for registration in self._registrations:
                registration._put(notifications)

    def _notify_revealed(self) -> None:
        """Notify handlers of objects that readers could not see at the first notification."""
        if notifications := self._store.take_revealed():
            for registration in self._registrations:
                registration._put(notifications)

    # ---- time ---------------------------------------------------------------------------------

    def _start_timer(self) -> None:
        if self._timer_task is None:
            self._timer_task = spawn(self._run_timer, f"clientgen resync of {self._title}")
        self._timer_changed.set()

    async def _run_timer(self) -> None:
        while True:
            self._timer_changed.clear()
            if self.is_stopped:
                return
            if not await wait_until(self._timer_changed, self._clock, self._next_due()):
                self._resync_due_handlers(self._clock.monotonic())

    def _next_due(self) -> float | None:
        with self._lock:
            due = [
                registration._timer.due
                for registration in self._registrations
                if registration._timer.due is not None
            ]
        if self._detector.enabled:
            due.append(self._clock.monotonic() + CHECK_INTERVAL_SECONDS)
        return min(due, default=None)

    def _resync_due_handlers(self, now: float) -> None:
        with self._lock:
            due = [
                registration
                for registration in self._registrations
                if registration._timer.is_due(now)
            ]
            if due and self.is_synced:
                notifications = self._store.resync()
                for registration in due:
                    registration._resync(notifications)
        if self._detector.enabled:
            self._log_mutations()

    def _log_mutations(self) -> None:
        for mutation in self._detector.check(self._clock.monotonic()):
            logger.error("an object in the cache of %s was changed: %s", self._title, mutation)
            self._mutations.append(mutation)
