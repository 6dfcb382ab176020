"""Requests to pods, services and nodes through the API server's proxy.

The path is `…/pods/[scheme:]name[:port]/proxy/…`. See `SplitSchemeNamePort` in apimachinery's
pkg/util/net, and pkg/registry/core/{pod,service,node}/rest of Kubernetes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from msgspec import DecodeError, json

from .._http.path_segments import segment
from .._http.raw_requests import raw_request
from .._models.meta_v1 import Status
from .._models.proxy_response import ProxyResponse
from .._models.statuses import make_sound
from ..errors import ProxyFailed, api_error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._http.request import Headers, HttpRequest, HttpResponse
    from ..errors import RequestInfo

_MAX_PORT: Final = 65535
_PORT_NAME: Final = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?").fullmatch
# The API server does not pass on these headers: headers of the connection, and credentials.
_OWN_HEADERS: Final = frozenset(
    {"accept-encoding", "authorization", "connection", "content-length", "host", "upgrade"}
)
_MAX_SHOWN_BODY_BYTES: Final = 2000
_FIRST_ERROR_CODE: Final = 400


def proxy_segment(name: str, port: int | str | None, scheme: str | None) -> str:
    """Return the path segment `[scheme:]name[:port]`.

    Raises:
        ValueError: The name, the port or the scheme is not valid.
    """
    encoded_name = segment("name", name)
    if ":" in name:
        raise ValueError(f"name must not contain a colon: {name!r}; pass port=... instead")
    if scheme not in {None, "http", "https"}:
        raise ValueError(f"scheme must be 'http' or 'https', not {scheme!r}")
    end = _port_suffix(port)
    return (
        f"{scheme}:{encoded_name}:{end}"
        if scheme
        else f"{encoded_name}:{end}"
        if end
        else encoded_name
    )


def _port_suffix(port: object) -> str:
    if port is None:
        return ""
    if isinstance(port, int) and not isinstance(port, bool) and 0 < port <= _MAX_PORT:
        return str(port)
    if isinstance(port, str) and len(port) <= 63 and _PORT_NAME(port):  # noqa: PLR2004
        return port
    raise ValueError(
        f"port must be a number from 1 to {_MAX_PORT}, or the name of a port, not {port!r}"
    )


def proxy_request(base: str, method: str, path: str, options: Mapping[str, Any]) -> HttpRequest:
    """Return the request to a program in the cluster.

    Args:
        base: The path of the `proxy` subresource.
        method: The method.
        path: The path and query that the program receives.
        options: `query`, `headers` and `body`.

    Raises:
        TypeError: An argument has a wrong type.
        ValueError: The path has a `.` or `..` segment, or an argument is not valid.
    """
    return raw_request(base, method, path, options, _headers(options.get("headers")))


def _headers(headers: Mapping[str, str] | None) -> Headers:
    given = dict(headers or {})
    for name in given:
        if name.lower() in _OWN_HEADERS:
            raise ValueError(f"the header {name} cannot be set: the API server does not pass it on")
    if not any(name.lower() == "accept" for name in given):
        given["Accept"] = "*/*"
    return tuple(
        ("Accept" if name.lower() == "accept" else name, value) for name, value in given.items()
    )


def proxy_response(answer: HttpResponse, info: RequestInfo) -> ProxyResponse:
    """Return the response of the program.

    Raises:
        ApiError: The API server refused the request, or could not reach the program.
    """
    raise_refusal(answer, info)
    return ProxyResponse(status=answer.status, headers=answer.headers, body=answer.body)


def is_json(headers: Mapping[str, str]) -> bool:
    """Return whether the headers declare a JSON body."""
    return headers.get("content-type", "").startswith("application/json")


def raise_refusal(answer: HttpResponse, info: RequestInfo) -> None:
    """Raise an error if a response comes from the API server instead of the program.

    Only the body shows the difference: errors of the API server are a Status.

    Raises:
        ApiError: The response is an error of the API server.
    """
    if answer.status < _FIRST_ERROR_CODE or not is_json(answer.headers):
        return
    try:
        status = make_sound(json.decode(answer.body, type=Status))
    except (DecodeError, RecursionError):
        return
    if (status.kind, status.api_version, status.status) == ("Status", "v1", "Failure"):
        raise api_error(status, info)


def check_response(response: ProxyResponse, info: RequestInfo) -> None:
    """Check that the status of a response is below 400.

    Raises:
        ProxyFailed: The status is 400 or higher.
    """
    if response.is_ok:
        return
    text = response.body[:_MAX_SHOWN_BODY_BYTES].decode("utf-8", "replace").strip()
    message = f"{info}: the program answered {response.status}"
    raise ProxyFailed(f"{message}: {text}" if text else message, response)
