"""Metrics of requests: what a client tells about each attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from datetime import datetime

PluginStatus: TypeAlias = Literal[
    "no_error", "plugin_execution_error", "plugin_not_found_error", "client_internal_error"
]
"""How a call of a credential plugin ended, with client-go's words."""


class RequestAttempt(Struct, frozen=True, kw_only=True):
    """An attempt to send a request, for metrics.

    Attributes:
        host: The host and port of the server.
        method: The method, such as GET.
        code: The status code; `<error>` if there was no response.
        seconds: The time until the response was complete; for a stream, until it began.
        request_bytes: The size of the body of the request.
        response_bytes: The size of the body of the response; None for streams and errors.
        number: 1 for the first attempt.
    """

    host: str
    method: str
    code: str
    seconds: float
    request_bytes: int
    response_bytes: int | None
    number: int


class RequestMetrics(Protocol):
    """Receives what a client does: the option `metrics`. Its methods must not wait or raise."""

    def attempted(self, attempt: RequestAttempt, /) -> None:
        """Note an attempt."""
        ...

    def rate_limited(self, host: str, method: str, seconds: float, /) -> None:
        """Note how long the rate limit of the client delayed a request."""
        ...

    def plugin_called(
        self, exit_code: int, status: PluginStatus, expires: datetime | None, /
    ) -> None:
        """Note that a credential plugin was run.

        The exit code is 1 if there is none. `expires` is when the first of the client certificates
        of all plugins expires; None if there is none. Clients that share a plugin share its runs.
        """
        ...

    def certificate_rotated(self, seconds: float, /) -> None:
        """Note that a plugin has replaced a client certificate of this age."""
        ...
