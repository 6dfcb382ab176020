"""Refuses requests that a web page may have sent. Programs may use a server without a token.

A web page can send requests to servers on the reader's machine, but it cannot leave out these
headers:

- `Host` is the server of the page, even if an attack makes the name of this server resolve to this
  machine (DNS rebinding).
- Writes and WebSockets have an `Origin`.
- Images, forms and links have no `Origin`, but `Sec-Fetch-Site: cross-site`. The page cannot read
  their answers, but a GET through the API server's proxy may have side effects.

`kubectl proxy` checks `Host`, too.

Pages served from this machine may write, except in ways that a browser allows without a CORS
preflight request: a form, a text, or a body without a Content-Type. The server refuses the types of
forms and texts in all requests. WebSockets have no preflight either, so only pages of this server
may open WebSockets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from clientgen._apimachinery.failures import Failure

if TYPE_CHECKING:
    from collections.abc import Iterable

_LOCAL_HOSTS: Final = frozenset(["localhost", "127.0.0.1", "::1"])


def check_origin(method: str, headers: Iterable[tuple[str, str]]) -> None:
    """Refuse a request that a web page may have sent.

    Raises:
        Failure: 403 if `Host` names another machine, if the request comes from a page of another
            machine, or if a page of another server opens a WebSocket; 415 if a POST has an
            `Origin` and no `Content-Type`.
    """
    values: dict[str, list[str]] = {}
    for name, value in headers:
        values.setdefault(name.lower(), []).append(value.strip())
    hosts, origins = values.get("host", []), values.get("origin", [])
    for host in hosts:
        if _host_name(f"//{host}") not in _LOCAL_HOSTS:
            raise _refused(f"the Host {host!r}")
    for origin in origins:
        if _host_name(origin) not in _LOCAL_HOSTS:
            raise _refused(f"a {method} from the web page {origin!r}")
        if "upgrade" in values and _host_and_port(origin) not in map(str.lower, hosts):
            raise _refused(f"a WebSocket from the web page {origin!r}")
    if not origins and "cross-site" in values.get("sec-fetch-site", []):
        raise _refused(f"a {method} from another web page")
    if method == "POST" and origins and not any(values.get("content-type", [])):
        why = "a POST from a web page needs a Content-Type, such as application/json"
        raise Failure(415, "UnsupportedMediaType", why, details=False)


def _host_name(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _host_and_port(origin: str) -> str:
    """Return the name and port of an origin, as in the `Host` of a request to it."""
    return urlsplit(origin).netloc.lower()


def _refused(what: str) -> Failure:
    why = (
        f"{what} is refused: a server without a token accepts localhost, 127.0.0.1 and [::1] only; "
        "start it with a token to accept other hosts"
    )
    return Failure(403, "Forbidden", why, details=False)
