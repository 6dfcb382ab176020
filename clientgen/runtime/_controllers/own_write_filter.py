"""Drops the events of a controller's own writes: see `own_changes` for which events these are.

A write of a reconciliation of one object drops events for this object only: other objects of the
controller, and other controllers, learn of the write.

An event that comes while its object is reconciled is held back until the end of the reconciliation,
because the response to the write may come after its event. The object could not be reconciled
earlier anyway. The next reconciliation may read a cache without the writes of the previous one, so
its begin makes their events count. This module makes decisions only; callers hold a lock.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from .._cache.write_requests import target_of
from .own_changes import read_write, shows_own_write

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._http.codec import Codec
    from .._http.request import HttpRequest, HttpResponse
    from .own_changes import OwnWrite
    from .predicates import Event
    from .reconcile_loop import Request

MAX_OBJECTS: Final = 1000
"""For how many objects a controller remembers the writes of the last reconciliation.

The event of a write that is forgotten leads to a needless reconciliation.
"""

_MAX_WRITES: Final = 100
_MAX_HELD_EVENTS: Final = 100


class _Held:
    """The events that came while an object is reconciled, with their priorities."""

    def __init__(self) -> None:
        self.events: list[tuple[Event[Any], int]] = []
        self.is_woken = False


class OwnWriteFilter:
    """The own writes of a controller, by the request whose reconciliation made them.

    Args:
        is_watched: Returns whether the controller watches the resource with this group and plural.
    """

    def __init__(self, is_watched: Callable[[str, str], bool]) -> None:
        self._is_watched = is_watched
        self._running: dict[Request, _Held] = {}
        self._writes: OrderedDict[Request, dict[tuple[str, str], OwnWrite]] = OrderedDict()

    def begin(self, request: Request) -> None:
        """Note that a reconciliation begins."""
        self._running[request] = _Held()
        self._writes.pop(request, None)

    def note(
        self, request: Request, sent: HttpRequest, response: HttpResponse, codec: Codec
    ) -> None:
        """Note a write of a reconciliation. A write after its end has no effect."""
        target = target_of(sent) if request in self._running else None
        if target is None or not self._is_watched(target.group, target.plural):
            return
        write = read_write(sent, response, codec)
        writes = self._writes.setdefault(request, {})
        if write is not None and len(writes) < _MAX_WRITES:
            writes[write.uid, write.version] = write
        if len(self._writes) > MAX_OBJECTS:
            self._writes.popitem(last=False)

    def passes(self, request: Request, event: Event[Any], priority: int) -> bool:
        """Return whether to reconcile an object because of an event now.

        If the object is being reconciled, `end` decides.
        """
        held = self._running.get(request)
        if not _may_be_own(event) or (held is not None and held.is_woken):
            return True
        if held is None:
            return self._is_foreign(request, event)
        held.events.append((event, priority))
        if len(held.events) > _MAX_HELD_EVENTS:
            held.events.clear()
            held.is_woken = True
        return held.is_woken

    def end(self, request: Request) -> int | None:
        """Note that a reconciliation has ended.

        Returns the priority with which to reconcile the object again; None if there is no reason.
        """
        held = self._running.pop(request).events
        return max((each[1] for each in held if self._is_foreign(request, each[0])), default=None)

    def _is_foreign(self, request: Request, event: Event[Any]) -> bool:
        metadata: Any = event.object.metadata
        writes = self._writes.get(request, {})
        write = writes.get((metadata.uid, metadata.resource_version))
        return write is None or not shows_own_write(event, write)


def _may_be_own(event: Event[Any]) -> bool:
    """Return whether an event may show an own write: deletions, lists and resyncs never do."""
    if event.kind == "add":
        return not event.is_initial
    if event.old is None or event.new is None:
        return False
    old_version: str = event.old.metadata.resource_version
    return bool(event.kind == "update" and old_version != event.new.metadata.resource_version)
