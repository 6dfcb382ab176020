"""Requests as they come over the wire, taken apart."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import parse_qs

from ..access import ADMIN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clientgen.runtime._http.request import HttpRequest

    from ..access import Caller

Query: TypeAlias = "Mapping[str, list[str]]"
_STREAMS: Final = re.compile(r"^/api/v1/watch/|/(log|exec|attach|portforward|proxy)(/|$)")


@dataclass(frozen=True, slots=True)
class Request:
    """A request, taken apart. Header names are lower-case.

    Attributes:
        warnings: the texts of the Warning headers that the answer will have.
    """

    method: str
    path: str
    query: Query
    headers: Mapping[str, str]
    body: bytes
    warnings: list[str] = field(default_factory=list[str])
    caller: Caller = ADMIN

    @classmethod
    def of(cls, request: HttpRequest) -> Request:
        """Take a request apart."""
        path, _, query = request.target.partition("?")
        headers: dict[str, str] = {}
        for name, value in request.headers:
            key = name.lower()
            headers[key] = f"{headers[key]}, {value}" if key in headers else value
        parameters = parse_qs(query, keep_blank_values=True) if query else {}
        return cls(request.method, path, parameters, headers, request.body or b"")

    @property
    def accept(self) -> str:
        """The Accept header."""
        return self.headers.get("accept", "")

    @property
    def content_type(self) -> str:
        """The Content-Type header."""
        return self.headers.get("content-type", "")

    @property
    def user_agent(self) -> str:
        """The User-Agent header."""
        return self.headers.get("user-agent", "")

    @property
    def watch(self) -> bool:
        """Whether the query asks for a watch."""
        values = self.query.get("watch")
        return values is not None and values[0].lower() not in ("false", "0")

    @property
    def is_long(self) -> bool:
        """Whether the request is for a stream, which no deadline ends."""
        return (self.method == "GET" and self.watch) or bool(_STREAMS.search(self.path))
