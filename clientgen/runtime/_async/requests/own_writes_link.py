"""Own writes: the informers of a client show what is written through the client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._primitives import short_lock
from .request_link import AsyncPassThrough

if TYPE_CHECKING:
    from ..._cache.written_caches import WrittenCache, WrittenCaches
    from ..._http.codec import Codec
    from ..._http.request import HttpRequest, HttpResponse

__all__ = ["AsyncOwnWritesLink"]

_REDIRECT = 300


class AsyncOwnWritesLink(AsyncPassThrough):
    """Gives the responses to writes to the informers of the same client.

    Attributes:
        has_written: Whether something may have been written. The first list of an informer has to
            be the latest state then.
    """

    def __init__(self, codec: Codec) -> None:
        self.has_written = False
        self._codec = codec
        self._caches: WrittenCaches | None = None
        self._lock = short_lock()

    def add(self, cache: WrittenCache) -> None:
        """Show own writes in the cache of an informer from now on."""
        with self._lock:
            if self._caches is None:
                from ..._cache.written_caches import WrittenCaches  # programs without informers

                self._caches = WrittenCaches()
        self._caches.add(cache)

    def remove(self, cache: WrittenCache) -> None:
        """Show own writes in a cache no more. It may not have been added."""
        if self._caches is not None:
            self._caches.remove(cache)

    async def send(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        """Send a request. The informers show what was written before this returns."""
        if request.method == "GET":
            return await self.next.send(request, deadline)
        self.has_written = True
        pending = None if self._caches is None else self._caches.sending(request)
        if pending is None:
            return await self.next.send(request, deadline)
        try:
            response = await self.next.send(request, deadline)
            if response.status < _REDIRECT:
                pending.answered(response, self._codec)
        finally:
            pending.over()
        return response
