# Derived from _async/requests/tracing_middleware.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""A middleware with an OpenTelemetry span around each attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..._http.request import HttpRequest, HttpResponse
    from .middleware_link import Send


def trace_requests(request: HttpRequest, send: Send) -> HttpResponse:
    """Send a request within an OpenTelemetry span: `from_config(middleware=[trace_requests])`.

    The request tells the server about the span, so that a server that is set up for it adds its own
    spans. The span of a stream ends when the response begins.

    Raises:
        ImportError: `opentelemetry-api` is not installed (`clientgen[tracing]`).
    """
    from ..._http.request_spans import note_response, request_span, traced

    with request_span(request) as span:
        response = send(traced(request))
        note_response(span, response)
        return response
