"""Checks of the origin of requests: without tokens, programs may send them, web pages may not.

A page can reach servers on the machine of who reads it. It cannot leave out the headers by which
this module knows it: `Host` has the page's own name where that name was made to lead here (DNS
rebinding). Writes and WebSockets have an `Origin`. Images, forms and links have none, but say
`Sec-Fetch-Site: cross-site`. Their answers stay hidden from the page, but a GET can do something,
too, behind a proxy. `kubectl proxy` guards itself by `Host` as well.

Pages of the machine itself may write, but not what a browser sends without asking the server first:
a form, a text, or a body of no type at all. The types of the first two are refused to everybody.
A WebSocket is not asked about either: only pages that came from this server may open one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from clientgen._apimachinery.failures import Failure

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["check_origin"]

_OWN: Final = frozenset(["localhost", "127.0.0.1", "::1"])


def check_origin(method: str, headers: Iterable[tuple[str, str]]) -> None:
    """Refuse what a page in a browser may have sent.

    Raises:
        Failure: 403, `Host` names another machine, the request comes from a page of another
            machine, or it asks for a WebSocket from a page of another server; 415, a POST has an
            `Origin` and no `Content-Type`.
    """
    shown: dict[str, list[str]] = {}
    for name, value in headers:
        shown.setdefault(name.lower(), []).append(value.strip())
    hosts, origins = shown.get("host", []), shown.get("origin", [])
    for host in hosts:
        if _host(f"//{host}") not in _OWN:
            raise _refused(f"the Host {host!r}")
    for origin in origins:
        if _host(origin) not in _OWN:
            raise _refused(f"a {method} from the web page {origin!r}")
        if "upgrade" in shown and _server(origin) not in map(str.lower, hosts):
            raise _refused(f"a WebSocket from the web page {origin!r}")
    if not origins and "cross-site" in shown.get("sec-fetch-site", []):
        raise _refused(f"a {method} from another web page")
    if method == "POST" and origins and not any(shown.get("content-type", [])):
        why = "a POST from a web page needs a Content-Type, such as application/json"
        raise Failure(415, "UnsupportedMediaType", why, details=False)


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _server(origin: str) -> str:
    """The name and port of an origin, as in the `Host` of a request to it."""
    return urlsplit(origin).netloc.lower()


def _refused(what: str) -> Failure:
    why = (
        f"{what} is refused: a server without a token is for localhost, 127.0.0.1 and [::1] alone; "
        "start it with a token for others"
    )
    return Failure(403, "Forbidden", why, details=False)
