# Derived from _async/requests/metrics_link.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Calls observers after each attempt to send a request, for metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ...errors import TransportError
from .._primitives import short_lock
from .request_link import PassThrough

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._http.request import HttpRequest, HttpResponse
    from ..transport_protocol import ByteStream
    from .request_link import StreamOpening

    ResponseObserver: TypeAlias = Callable[[str, str, str], object]
    """A function that gets the host, the method and the status code of an attempt."""

_NO_RESPONSE = "<error>"  # as in Go's metrics


class MetricsLink(PassThrough):
    """Calls each observer after each attempt.

    Args:
        server: The URL of the server.

    Attributes:
        host: The host and port of the server.
    """

    def __init__(self, server: str) -> None:
        self.host = server.rpartition("//")[2].partition("/")[0]
        self._lock = short_lock()
        self._on_response: ResponseObserver | None = None
        self._added: list[ResponseObserver] = []
        self._observers: tuple[ResponseObserver, ...] = ()

    @property
    def on_response(self) -> ResponseObserver | None:
        """The observer of the program. The runtime adds observers with `add`."""
        return self._on_response

    @on_response.setter
    def on_response(self, observer: ResponseObserver | None) -> None:
        with self._lock:
            self._on_response = observer
            self._update()

    def add(self, observer: ResponseObserver) -> None:
        """Call a function after each attempt. A function that is added twice is called once."""
        with self._lock:
            self._added.append(observer)
            self._update()

    def remove(self, observer: ResponseObserver) -> None:
        """Undo one `add`, if there was one."""
        with self._lock:
            if observer in self._added:
                self._added.remove(observer)
                self._update()

    def _update(self) -> None:
        observers: list[ResponseObserver] = []
        for observer in (self._on_response, *self._added):
            if observer is not None and observer not in observers:
                observers.append(observer)
        self._observers = tuple(observers)

    def send(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        """Send a request, and call the observers."""
        try:
            response = self.next.send(request, deadline)
        except TransportError:
            self._count(request, _NO_RESPONSE)
            raise
        if self._observers:
            self._count(request, str(response.status))
        return response

    def stream(
        self, request: HttpRequest, deadline: float | None, opening: StreamOpening
    ) -> ByteStream:
        """Open a stream, and call the observers."""
        try:
            stream = self.next.stream(request, deadline, opening)
        except TransportError:
            self._count(request, _NO_RESPONSE)
            raise
        self._count(request, str(stream.status))
        return stream

    def _count(self, request: HttpRequest, code: str) -> None:
        for observer in self._observers:
            observer(self.host, request.method, code)
