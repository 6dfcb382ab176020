"""Logs each attempt of a request to `clientgen.http`."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from ...errors import ClientError
from .request_link import AsyncPassThrough

if TYPE_CHECKING:
    from logging import Logger

    from ..._http.request import HttpRequest, HttpResponse
    from ..transport_protocol import AsyncByteStream
    from .request_link import AsyncStreamOpening

_DEBUG = 10  # logging.DEBUG: the import of clients must not import logging


class AsyncLogLink(AsyncPassThrough):
    """Logs each attempt, if the logger `clientgen.http` has the level DEBUG or a lower one.

    Args:
        server: The URL of the server.
    """

    def __init__(self, server: str) -> None:
        self._server = server
        self._logger: Logger | None = None

    async def send(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        """Send a request, and log it."""
        if not (self._logger or self._open_logger()).isEnabledFor(_DEBUG):
            return await self.next.send(request, deadline)
        from ..._http.request_log import log_error, log_request, log_response

        log_request(request, self._server)
        start = perf_counter()
        try:
            response = await self.next.send(request, deadline)
        except ClientError as error:
            log_error(request, self._server, perf_counter() - start, error)
            raise
        log_response(request, self._server, perf_counter() - start, response)
        return response

    async def stream(
        self, request: HttpRequest, deadline: float | None, opening: AsyncStreamOpening
    ) -> AsyncByteStream:
        """Open a stream, and log its headers."""
        if not (self._logger or self._open_logger()).isEnabledFor(_DEBUG):
            return await self.next.stream(request, deadline, opening)
        from ..._http.request_log import log_error, log_request, log_stream

        log_request(request, self._server)
        start = perf_counter()
        try:
            stream = await self.next.stream(request, deadline, opening)
        except ClientError as error:
            log_error(request, self._server, perf_counter() - start, error)
            raise
        log_stream(request, self._server, perf_counter() - start, stream.status, stream.headers)
        return stream

    def _open_logger(self) -> Logger:
        import logging

        self._logger = logging.getLogger("clientgen.http")
        return self._logger
