"""Keeps own writes of a controller from waking it: `own_write_filter` has the decisions."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from .._controllers.own_write_filter import OwnWriteFilter
from .._http.write_observer import WRITE_OBSERVER
from ._primitives import short_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from .._controllers.predicates import Event
    from .._controllers.reconcile_loop import Request
    from .._http.codec import Codec
    from .._http.request import HttpRequest, HttpResponse


class AsyncOwnWriteGuard:
    """The own writes of a controller, with a lock for handlers and workers.

    Args:
        is_watched: Returns whether the controller watches the resource with this group and plural.
    """

    def __init__(self, is_watched: Callable[[str, str], bool]) -> None:
        self._filter = OwnWriteFilter(is_watched)
        self._lock = short_lock()

    def passes(self, request: Request, event: Event[Any], priority: int) -> bool:
        """Return whether to reconcile an object because of an event now."""
        with self._lock:
            return self._filter.passes(request, event, priority)

    @contextmanager
    def reconciling(
        self, request: Request, again: Callable[[int], object]
    ) -> Generator[None, None, None]:
        """Note the writes of a `with` block that reconciles an object.

        At the end, `again` is called with a priority if an event came that was not its own.
        """
        with self._lock:
            self._filter.begin(request)
        token = WRITE_OBSERVER.set(partial(self._note, request))
        try:
            yield
        finally:
            WRITE_OBSERVER.reset(token)
            with self._lock:
                priority = self._filter.end(request)
            if priority is not None:
                again(priority)

    def _note(
        self, request: Request, sent: HttpRequest, response: HttpResponse, codec: Codec
    ) -> None:
        with self._lock:
            self._filter.note(request, sent, response, codec)
