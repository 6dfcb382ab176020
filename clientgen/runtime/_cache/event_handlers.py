"""Handlers of events, their filters, and the times of their resyncs.

The rules are those of client-go's shared informers (tools/cache/shared_informer.go,
FilteringResourceEventHandler in tools/cache/controller.go). This module makes decisions only;
`_async/informer` calls the handlers.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from msgspec import Struct

from .deltas import (
    Added,
    Deleted,
    DeletedFinalStateUnknown,
    Notification,
    Recovered,
    Updated,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")

OnAdd: TypeAlias = Callable[[T, bool], object]
OnUpdate: TypeAlias = Callable[[T, T], object]
OnDelete: TypeAlias = Callable[[T], object]
OnDeleteUnknown: TypeAlias = Callable[[DeletedFinalStateUnknown[T]], object]
Filter: TypeAlias = Callable[[T], bool]

Call: TypeAlias = tuple[Callable[..., object], tuple[Any, ...]]
"""A function and its arguments."""

MIN_RESYNC_SECONDS = 1.0

logger = logging.getLogger("clientgen.runtime.informers")


class Handlers(Struct, Generic[T], frozen=True):
    """The handlers of one user of an informer; None for events that the user does not want."""

    on_add: OnAdd[T] | None = None
    on_update: OnUpdate[T] | None = None
    on_delete: OnDelete[T] | None = None
    on_delete_unknown: OnDeleteUnknown[T] | None = None
    filter: Filter[T] | None = None

    def wants(self, notification: Notification[Any]) -> bool:
        """Return whether a handler may be called for a notification that is not decoded yet.

        A filter needs the object. An update is told as an add if the old object is corrupted.
        """
        wanting: tuple[object, ...]
        match notification:
            case Added():
                wanting = (self.filter, self.on_add)
            case Updated():
                wanting = (self.filter, self.on_update, self.on_add)
            case _:
                wanting = (self.filter, self.on_delete, self.on_delete_unknown)
        return any(each is not None for each in wanting)

    def call_for(self, notification: Notification[T] | Recovered[T]) -> Call | None:
        """Return the handler call for a notification; None if there is no handler for it.

        With a filter, an object that begins to pass is added, and an object that stops passing is
        deleted. Exceptions of the filter are raised.

        """
        match notification:
            case Recovered(obj):
                return self._recovered(obj)
            case Added(obj, is_initial):
                return self._added(obj, is_initial) if self._passes(obj) else None
            case Updated(old, new):
                return self._updated(old, new)
            case _:
                return self._deleted(notification) if self._passes(notification.object) else None

    def _passes(self, obj: T) -> bool:
        return self.filter is None or bool(self.filter(obj))

    def _added(self, obj: T, is_initial: bool) -> Call | None:
        return self.on_add and (self.on_add, (obj, is_initial))

    def _updated(self, old: T, new: T) -> Call | None:
        before, after = self._passes(old), self._passes(new)
        if before and after:
            return self.on_update and (self.on_update, (old, new))
        if after:
            return self._added(new, False)
        return self._deleted(Deleted(old)) if before else None

    def _recovered(self, obj: T) -> Call | None:
        """Return the call for an object whose earlier state is unknown.

        It is added if it passes, and deleted if not. Handlers without `on_add` get an update.
        """
        if not self._passes(obj):
            return self._deleted(Deleted(obj))
        return self._added(obj, False) or self._updated(obj, obj)

    def _deleted(self, notification: Deleted[T]) -> Call | None:
        if self.on_delete_unknown is not None and not notification.final_state_known:
            return (self.on_delete_unknown, (notification.tombstone,))
        return self.on_delete and (self.on_delete, (notification.object,))


def without_syncs(notifications: Iterable[Notification[T]]) -> list[Notification[T]]:
    """Leave out syncs, the updates of objects that did not change.

    Only handlers whose resync is due get syncs (client-go: sharedIndexInformer.OnUpdate).
    """
    return [
        notification
        for notification in notifications
        if not (isinstance(notification, Updated) and notification.is_sync)
    ]


def as_initial(notifications: Iterable[Notification[T]]) -> list[Notification[T]]:
    """Mark all additions as initial, because the cache is not synced yet."""
    return [
        Added(each.object, True) if isinstance(each, Added) and not each.is_initial else each
        for each in notifications
    ]


class ResyncTimer:
    """The times of the resyncs of a handler.

    As in client-go, periods under a second become one second, and 0 means no resyncs. A handler
    that is added later may have any period, which client-go does not allow.

    Attributes:
        due: The time of the next resync, by the same clock as `now`; None if there is none.
    """

    __slots__ = ("due", "period")

    def __init__(self, period: float, now: float) -> None:
        if period < 0:
            raise ValueError(f"a resync period must not be negative: {period!r}")
        if 0 < period < MIN_RESYNC_SECONDS:
            logger.warning("a resync period of %s s is too short; using 1 s", period)
            period = MIN_RESYNC_SECONDS
        self.period = period
        self.due: float | None = None
        self.restart(now)

    def restart(self, now: float) -> None:
        """Set the next resync to one period from now."""
        self.due = now + self.period if self.period else None

    def is_due(self, now: float) -> bool:
        """Return whether a resync is due. If it is, set the next resync to one period from now."""
        if self.due is None or now < self.due:
            return False
        self.restart(now)
        return True
