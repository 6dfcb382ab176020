"""The log of requests, without secrets.

The logger `clientgen.http` gets one line per attempt at DEBUG (10): method, URL, status, duration,
size, number of the attempt. At `BODIES` (5), it also gets each request as a curl command, and the
headers and the body of each response.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from ..errors import one_line
from .masking import as_curl, masked_body, masked_headers, masked_url

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..errors import ClientError
    from .request import HttpRequest, HttpResponse

_log = logging.getLogger("clientgen.http")

BODIES: Final = 5
"""The level at which headers and bodies are logged."""

_LINE: Final = "%(method)s %(url)s %(status)s in %(ms).1f ms, %(bytes)s bytes, attempt %(attempt)s"
_STREAM: Final = "%(method)s %(url)s %(status)s in %(ms).1f ms, a stream, attempt %(attempt)s"
_FAILED: Final = "%(method)s %(url)s failed in %(ms).1f ms, attempt %(attempt)s: %(error)s"


def log_request(request: HttpRequest, server: str) -> None:
    """Log a request as a curl command, if bodies are logged."""
    if _log.isEnabledFor(BODIES):
        _log.log(BODIES, "%s", as_curl(request, server))


def log_response(request: HttpRequest, server: str, seconds: float, response: HttpResponse) -> None:
    """Log a complete response."""
    size = len(response.body)
    _log.debug(_LINE, _fields(request, server, seconds, status=response.status, bytes=size))
    if _log.isEnabledFor(BODIES):
        content_type = response.headers.get("content-type", "")
        body = masked_body(response.body, request.target, content_type)
        _log_headers(request, response.status, response.headers, body)


def log_stream(
    request: HttpRequest, server: str, seconds: float, status: int, headers: Mapping[str, str]
) -> None:
    """Log the headers of a stream."""
    _log.debug(_STREAM, _fields(request, server, seconds, status=status))
    if _log.isEnabledFor(BODIES):
        _log_headers(request, status, headers, "(a stream)")


def log_error(request: HttpRequest, server: str, seconds: float, error: ClientError) -> None:
    """Log an attempt without a response."""
    text = f"{type(error).__name__}: {error}"
    _log.debug(_FAILED, _fields(request, server, seconds, error=text))


def _fields(request: HttpRequest, server: str, seconds: float, **more: Any) -> dict[str, Any]:
    """Return the values of a line. Handlers find them in `record.args`."""
    return {
        "method": request.method,
        "url": masked_url(server + request.target),
        "ms": seconds * 1000,
        "attempt": request.attempt,
        **more,
    }


def _log_headers(request: HttpRequest, status: int, headers: Mapping[str, str], body: str) -> None:
    lines = [one_line(f"{name}: {value}") for name, value in masked_headers(headers.items())]
    text = "\n".join([f"{request.info} {status}", *lines, "", body])
    _log.log(BODIES, "%s", text)
