"""Passes warnings of the server to the warning handler of the client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._http.server_warnings import LoggedOnce, warnings_in
from .request_link import AsyncPassThrough

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..._http.call_options import WarningHandler
    from ..._http.request import HttpRequest, HttpResponse
    from ..transport_protocol import AsyncByteStream
    from .request_link import AsyncStreamOpening


class AsyncWarningsLink(AsyncPassThrough):
    """Reads the Warning headers of responses."""

    def __init__(self, handler: WarningHandler | LoggedOnce) -> None:
        self._handler = handler

    async def send(self, request: HttpRequest, deadline: float | None) -> HttpResponse:
        """Send a request, and handle the warnings in the response."""
        response = await self.next.send(request, deadline)
        if "warning" in response.headers:
            self._handle(response.headers, request)
        return response

    async def stream(
        self, request: HttpRequest, deadline: float | None, opening: AsyncStreamOpening
    ) -> AsyncByteStream:
        """Open a stream, and handle the warnings in its headers."""
        stream = await self.next.stream(request, deadline, opening)
        if "warning" in stream.headers:
            self._handle(stream.headers, request)
        return stream

    def _handle(self, headers: Mapping[str, str], request: HttpRequest) -> None:
        handler = self._handler
        for text in warnings_in(headers["warning"]):
            if isinstance(handler, LoggedOnce):
                handler(text, request)
            else:
                handler(text)
