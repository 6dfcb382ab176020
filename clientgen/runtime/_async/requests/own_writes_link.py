"""Own writes: shows objects that a client writes in the caches of its informers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._http.status_codes import FIRST_REDIRECT
from ..._http.write_observer import WRITE_OBSERVER
from .._primitives import short_lock
from .request_link import AsyncPassThrough

if TYPE_CHECKING:
    from ..._cache.written_caches import WrittenCache, WrittenCaches
    from ..._http.codec import Codec
    from ..._http.request import HttpRequest, HttpResponse


class AsyncOwnWritesLink(AsyncPassThrough):
    """Passes the responses to writes to the informers of the same client, and to an observer.

    Attributes:
        has_written: Whether the client may have written an object. The first list of an informer
            must then be the latest state.
    """

    def __init__(self, codec: Codec) -> None:
        self.has_written = False
        self._codec = codec
        self._caches: WrittenCaches | None = None
        self._lock = short_lock()

    def add(self, cache: WrittenCache) -> None:
        """Start showing own writes in the cache of an informer."""
        with self._lock:
            if self._caches is None:
                from ..._cache.written_caches import WrittenCaches  # for informers only

                self._caches = WrittenCaches()
        self._caches.add(cache)

    def remove(self, cache: WrittenCache) -> None:
        """Stop showing own writes in a cache. Does nothing if the cache was not added."""
        if self._caches is not None:
            self._caches.remove(cache)

    async def send(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        """Send a request. Caches show a written object before this returns."""
        if request.method == "GET":
            return await self.next.send(request, deadline)
        self.has_written = True
        response = await self._send(request, deadline)
        observer = WRITE_OBSERVER.get()
        if observer is not None and response.status < FIRST_REDIRECT:
            observer(request, response, self._codec)
        return response

    async def _send(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        """Send a write, and pass its response to the caches that it concerns."""
        pending = None if self._caches is None else self._caches.begin_write(request)
        if pending is None:
            return await self.next.send(request, deadline)
        try:
            response = await self.next.send(request, deadline)
            if response.status < FIRST_REDIRECT:
                pending.show_response(response, self._codec)
        finally:
            pending.end_write()
        return response
