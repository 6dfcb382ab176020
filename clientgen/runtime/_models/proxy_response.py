"""Responses as they are: status, headers and bytes."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec looks it up here
from typing import Any

from msgspec import Struct, json

_FIRST_ERROR_STATUS = 400


class RawResponse(Struct, frozen=True, kw_only=True):
    """A response of the server as it is. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_ok(self) -> bool:
        """Whether the status is below 400."""
        return self.status < _FIRST_ERROR_STATUS

    @property
    def text(self) -> str:
        """The body as text. Bytes that are not UTF-8 are replaced."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body as JSON.

        Raises:
            ValueError: the body is not JSON.
        """
        return json.decode(self.body)

    def __repr__(self) -> str:
        # The body and the headers may be secret.
        return f"{type(self).__name__}(status={self.status}, {len(self.body)} bytes)"


class ProxyResponse(RawResponse, frozen=True, kw_only=True):
    """The response of a pod, service or node, proxied by the API server."""
