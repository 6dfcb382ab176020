"""The caches that show the writes of one client."""

from __future__ import annotations

import logging
from _thread import allocate_lock  # `threading` takes time to import
from typing import TYPE_CHECKING, Protocol

from .write_requests import target_of

if TYPE_CHECKING:
    from .._http.codec import Codec
    from .._http.request import HttpRequest, HttpResponse
    from .._http.resource import Resource
    from .own_writes import SentWrite
    from .write_requests import WriteTarget

logger = logging.getLogger("clientgen.runtime.informers")


class WrittenCache(Protocol):
    """An informer whose cache shows own writes."""

    resource: Resource

    def begin_write(self, target: WriteTarget) -> SentWrite | None:
        """Note that a write is being sent. Returns None if the write does not concern the cache."""
        ...

    def show_response(
        self, sent: SentWrite, target: WriteTarget, response: HttpResponse, codec: Codec
    ) -> None:
        """Show the object in the response to a write."""
        ...

    def end_write(self, sent: SentWrite) -> None:
        """Note that a write has ended, with or without a response."""
        ...


class PendingWrite:
    """A write that is being sent, and the caches that it concerns."""

    __slots__ = ("_sent", "_target")

    def __init__(self, target: WriteTarget, sent: list[tuple[WrittenCache, SentWrite]]) -> None:
        self._target = target
        self._sent = sent

    def show_response(self, response: HttpResponse, codec: Codec) -> None:
        """Show the object in the response. If that fails, the caches wait for the watch."""
        for cache, sent in self._sent:
            try:
                cache.show_response(sent, self._target, response, codec)
            except Exception as error:  # noqa: BLE001 - the write succeeded; the caller gets its result
                target = self._target
                logger.debug("%s %s is not shown yet: %r", target.method, target.plural, error)

    def end_write(self) -> None:
        """Note that the write has ended."""
        for cache, sent in self._sent:
            cache.end_write(sent)


class WrittenCaches:
    """The informers of a client, by resource."""

    def __init__(self) -> None:
        self._caches: dict[tuple[str, str], tuple[WrittenCache, ...]] = {}
        self._lock = allocate_lock()

    def add(self, cache: WrittenCache) -> None:
        """Start showing own writes in a cache."""
        key = (cache.resource.group, cache.resource.plural)
        with self._lock:
            self._caches[key] = (*self._caches.get(key, ()), cache)

    def remove(self, cache: WrittenCache) -> None:
        """Stop showing own writes in a cache."""
        key = (cache.resource.group, cache.resource.plural)
        with self._lock:
            left = tuple(each for each in self._caches.get(key, ()) if each is not cache)
            if left:
                self._caches[key] = left
            else:
                self._caches.pop(key, None)

    def begin_write(self, request: HttpRequest) -> PendingWrite | None:
        """Note that a request is being sent. Returns None if the request concerns no cache."""
        if not self._caches:
            return None
        target = target_of(request)
        if target is None:
            return None
        caches = self._caches.get((target.group, target.plural), ())
        writes = [
            (cache, sent) for cache in caches if (sent := cache.begin_write(target)) is not None
        ]
        return PendingWrite(target, writes) if writes else None
