"""Requests to a program's own HTTP endpoints, and their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

TEXT: Final = "text/plain; charset=utf-8"
NO_MEMORY: Final = "other requests and answers use all memory of the endpoint; try again later"


class EndpointRequest(Struct, frozen=True, kw_only=True):
    """A request to an endpoint."""

    method: str
    path: str
    """The decoded path, without the query."""
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str]
    """The headers; names are not case-sensitive."""
    body: bytes = b""


class EndpointAnswer(Struct, frozen=True):
    """The answer to a request."""

    status: int = 200
    body: bytes = b""
    content_type: str = TEXT
    headers: tuple[tuple[str, str], ...] = ()


def refused(status: int, reason: str) -> EndpointAnswer:
    """Create the answer that refuses a request."""
    return EndpointAnswer(status, f"{reason}\n".encode())
