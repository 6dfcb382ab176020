"""`AsyncProxy`: HTTP requests to pods, services and nodes through the API server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._http.request import HttpResponse
from .._streams.proxying import (
    check_response,
    is_json,
    proxy_request,
    proxy_response,
    raise_refusal,
)
from .raw_stream import AsyncRawStream

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Unpack

    from .._http.call_options import ProxyOptions, ProxyStreamOptions
    from .._models.proxy_response import ProxyResponse
    from .rest import AsyncRest
    from .transport_protocol import AsyncByteStream
    from .websocket import AsyncWebSocket

_FIRST_ERROR_CODE = 400
_MAX_STATUS_BYTES = 1 << 16


class AsyncProxy:
    """HTTP requests to a pod, a service or a node through the API server.

        web = k.core_v1.pods("shop").proxy("web-0", 8080)
        print((await web.get("/metrics")).text)

    The response of the program is returned, whatever its status code. `ApiError` is raised if the
    API server refuses the request, or cannot reach the program. Redirects are not followed, and
    requests are not retried.

    The API server removes the header Authorization. It rewrites links in HTML pages and the header
    Location to its own paths.
    """

    def __init__(self, rest: AsyncRest, base: str) -> None:
        self._rest = rest
        self._base = base

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._base}>"

    async def get(self, path: str, **options: Unpack[ProxyOptions]) -> ProxyResponse:
        """Send a GET; see `request`."""
        return await self.request("GET", path, **options)

    async def post(self, path: str, **options: Unpack[ProxyOptions]) -> ProxyResponse:
        """Send a POST; see `request`."""
        return await self.request("POST", path, **options)

    async def put(self, path: str, **options: Unpack[ProxyOptions]) -> ProxyResponse:
        """Send a PUT; see `request`."""
        return await self.request("PUT", path, **options)

    async def delete(self, path: str, **options: Unpack[ProxyOptions]) -> ProxyResponse:
        """Send a DELETE; see `request`."""
        return await self.request("DELETE", path, **options)

    async def request(
        self, method: str, path: str, **options: Unpack[ProxyOptions]
    ) -> ProxyResponse:
        """Send a request, and return the complete response.

        Args:
            method: The method, such as GET.
            path: The path that the program receives. It may have a query.
            **options: `query`, `headers`, `body`, `check` and `timeout`.

        Raises:
            ApiError: The API server refused the request, or cannot reach the program.
            ProxyFailed: The status is 400 or more, and `check=True` was given.
            TransportError: The response was not complete before the deadline.
            ValueError: The path has `..`, or an argument is not valid.
        """
        request = proxy_request(self._base, method, path, options)
        answer = await self._rest.relay(request, self._rest.deadline(options))
        response = proxy_response(answer, request.info)
        if options.get("check", False):
            check_response(response, request.info)
        return response

    def stream(
        self, method: str, path: str, **options: Unpack[ProxyStreamOptions]
    ) -> AsyncProxyStream:
        """Send a request, and read the response piece by piece.

        async with web.stream("GET", "/big") as response:
            async for data in response:
                file.write(data)
        """
        request = proxy_request(self._base, method, path, options)
        return AsyncProxyStream(self._rest, request, options.get("timeout"))

    async def websocket(
        self,
        path: str,
        subprotocols: Sequence[str] = (),
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - requests have a deadline
    ) -> AsyncWebSocket:
        """Open a WebSocket. Close it with `aclose`, or use it as a context manager.

        Args:
            path: The path that the program receives. It may have a query.
            subprotocols: The supported subprotocols, the preferred first.
            headers: Additional headers.
            timeout: The seconds that the program has to respond.

        Raises:
            ApiError: The API server or the program refused the request.
            TransportError: The program did not open a WebSocket before the deadline.
            ValueError: The path has `..`, or an argument is not valid.
        """
        request = proxy_request(self._base, "GET", path, {"headers": headers})
        deadline = self._rest.deadline({"timeout": timeout})
        return await self._rest.connect(request, subprotocols, deadline)


class AsyncProxyStream(AsyncRawStream):
    """A response of a program that is read piece by piece.

    Responses of any status are returned.
    """

    async def _open(self, deadline: float | None) -> AsyncByteStream:
        stream = await self._rest.relay_stream(self._request, deadline)
        try:
            if stream.status >= _FIRST_ERROR_CODE and is_json(stream.headers):
                await self._read_refusal(stream)
        except BaseException:
            await stream.aclose()
            raise
        return stream

    async def _read_refusal(self, stream: AsyncByteStream) -> None:
        """Read the beginning of an error response. Raise the error if the API server sent it."""
        while len(self._first) < _MAX_STATUS_BYTES and (data := await stream.read()):
            self._first += data
        raise_refusal(HttpResponse(stream.status, stream.headers, self._first), self._request.info)
