"""The headers that a client sends with every request: the option `headers`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from .._models.arguments import type_of
from .._redaction import Hidden
from .request import check_headers

if TYPE_CHECKING:
    from .request import Headers

# Headers that other options set.
_OPTIONS: Final = {
    "authorization": "the credentials of the configuration set it; a middleware may replace it",
    "user-agent": "use user_agent=",
    "impersonate-user": "use impersonate_user=",
    "impersonate-uid": "use impersonate_uid=",
    "impersonate-group": "use impersonate_groups=",
}
# Headers that the client sets for each request.
_OWN: Final = frozenset(
    (
        *("accept", "accept-encoding", "connection", "content-length", "content-type", "expect"),
        *("host", "keep-alive", "proxy-authorization", "te", "trailer", "transfer-encoding"),
        "upgrade",
    )
)


def client_headers(given: object) -> Headers:
    """Return the headers of the option `headers`. Their values are hidden from logs and reprs.

    Raises:
        TypeError: The option is not a mapping of texts.
        ValueError: A header cannot be sent, or the client sets it.
    """
    if not isinstance(given, Mapping):
        example = '{"X-Team": "web"}'
        raise TypeError(f"headers must be a mapping, such as {example}, not {type_of(given)}")
    headers: list[tuple[str, str]] = []
    for name, value in cast("Mapping[object, object]", given).items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise TypeError(f"headers must map text to text, but {name!r} has {type_of(value)}")
        check_free(name)
        headers.append((str(name), Hidden(value)))
    check_headers(tuple(headers))
    return tuple(headers)


def check_free(name: str) -> None:
    """Check that a program may set a header.

    Raises:
        ValueError: The client sets the header.
    """
    lower = name.lower()
    if reason := _OPTIONS.get(lower):
        raise ValueError(f"headers cannot set {name}: {reason}")
    if lower.startswith("impersonate-extra-"):
        raise ValueError(f"headers cannot set {name}: use impersonate_extra=")
    if lower in _OWN or lower.startswith("sec-websocket-"):
        raise ValueError(f"headers cannot set {name}: the client sets it for each request")
