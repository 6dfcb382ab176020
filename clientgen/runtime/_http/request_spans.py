"""OpenTelemetry spans of requests, by the semantic conventions of HTTP clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    from opentelemetry.propagate import inject
    from opentelemetry.trace import SpanKind, Status, StatusCode, get_tracer
except ImportError as error:
    raise ImportError(
        "spans of requests need opentelemetry-api: pip install clientgen[tracing]"
    ) from error

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from opentelemetry.trace import Span

    from .request import HttpRequest, HttpResponse

_FIRST_ERROR_STATUS = 400


def request_span(request: HttpRequest) -> AbstractContextManager[Span]:
    """Return the span of an attempt. It records exceptions."""
    attributes: dict[str, str | int] = {
        "http.request.method": request.method,
        "url.path": request.target.partition("?")[0],
    }
    if request.attempt > 1:
        attributes["http.request.resend_count"] = request.attempt - 1
    tracer = get_tracer("clientgen")
    return tracer.start_as_current_span(request.method, kind=SpanKind.CLIENT, attributes=attributes)


def traced(request: HttpRequest) -> HttpRequest:
    """Return a request with the headers of the current span, such as traceparent."""
    carrier: dict[str, str] = {}
    inject(carrier)
    for name, value in carrier.items():
        request = request.with_header(name, value)
    return request


def note_response(span: Span, response: HttpResponse) -> None:
    """Add the status of the response to a span."""
    span.set_attribute("http.response.status_code", response.status)
    if response.status >= _FIRST_ERROR_STATUS:
        span.set_attribute("error.type", str(response.status))
        span.set_status(Status(StatusCode.ERROR))
