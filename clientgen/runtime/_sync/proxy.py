# Derived from _async/proxy.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""`Proxy`: HTTP requests to pods, services and nodes through the API server."""

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
from .raw_stream import RawStream

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Unpack

    from .._http.call_options import ProxyOptions, ProxyStreamOptions
    from .._models.proxy_response import ProxyResponse
    from .rest import Rest
    from .transport_protocol import ByteStream
    from .websocket import WebSocket

_FIRST_ERROR_CODE = 400
_MAX_STATUS_BYTES = 1 << 16


class Proxy:
    """HTTP requests to a pod, a service or a node through the API server.

        web = k.core_v1.pods("shop").proxy("web-0", 8080)
        print((web.get("/metrics")).text)

    The response of the program is returned, whatever its status code. `ApiError` is raised if the
    API server refuses the request, or cannot reach the program. Redirects are not followed, and
    requests are not retried.

    The API server removes the header Authorization. It rewrites links in HTML pages and the header
    Location to its own paths.
    """

    def __init__(self, rest: Rest, base: str) -> None:
        self._rest = rest
        self._base = base

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._base}>"

    def get(self, path: str, **options: Unpack[ProxyOptions]) -> ProxyResponse:
        """Send a GET; see `request`."""
        return self.request("GET", path, **options)

    def post(self, path: str, **options: Unpack[ProxyOptions]) -> ProxyResponse:
        """Send a POST; see `request`."""
        return self.request("POST", path, **options)

    def put(self, path: str, **options: Unpack[ProxyOptions]) -> ProxyResponse:
        """Send a PUT; see `request`."""
        return self.request("PUT", path, **options)

    def delete(self, path: str, **options: Unpack[ProxyOptions]) -> ProxyResponse:
        """Send a DELETE; see `request`."""
        return self.request("DELETE", path, **options)

    def request(self, method: str, path: str, **options: Unpack[ProxyOptions]) -> ProxyResponse:
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
        answer = self._rest.relay(request, self._rest.deadline(options))
        response = proxy_response(answer, request.info)
        if options.get("check", False):
            check_response(response, request.info)
        return response

    def stream(self, method: str, path: str, **options: Unpack[ProxyStreamOptions]) -> ProxyStream:
        """Send a request, and read the response piece by piece.

        with web.stream("GET", "/big") as response:
            for data in response:
                file.write(data)
        """
        request = proxy_request(self._base, method, path, options)
        return ProxyStream(self._rest, request, options.get("timeout"))

    def websocket(
        self,
        path: str,
        subprotocols: Sequence[str] = (),
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - requests have a deadline
    ) -> WebSocket:
        """Open a WebSocket. Close it with `close`, or use it as a context manager.

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
        return self._rest.connect(request, subprotocols, deadline)


class ProxyStream(RawStream):
    """A response of a program that is read piece by piece.

    Responses of any status are returned.
    """

    def _open(self, deadline: float | None) -> ByteStream:
        stream = self._rest.relay_stream(self._request, deadline)
        try:
            if stream.status >= _FIRST_ERROR_CODE and is_json(stream.headers):
                self._read_refusal(stream)
        except BaseException:
            stream.close()
            raise
        return stream

    def _read_refusal(self, stream: ByteStream) -> None:
        """Read the beginning of an error response. Raise the error if the API server sent it."""
        while len(self._first) < _MAX_STATUS_BYTES and (data := stream.read()):
            self._first += data
        raise_refusal(HttpResponse(stream.status, stream.headers, self._first), self._request.info)
